{{ config(materialized='incremental', on_schema_change='sync_all_columns') }}
select loan_id, {{ "1 as new" if var('wider') else 'fee' }} from {{ ref('stg_loans') }}
