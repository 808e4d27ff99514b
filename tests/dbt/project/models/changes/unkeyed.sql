{{ config(materialized='incremental', incremental_strategy='merge', unique_key='') }}
select loan_id from {{ ref('stg_loans') }} where loan_id = 1
