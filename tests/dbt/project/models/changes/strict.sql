{{ config(materialized='incremental', on_schema_change='fail') }}
select loan_id{% if var('wider') %}, note{% endif %} from {{ ref('stg_loans') }}
