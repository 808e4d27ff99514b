{{ config(materialized='incremental', unique_key='loan_id') }}
select loan_id, '{{ var("today") }}' as seen from {{ ref('stg_loans') }}
