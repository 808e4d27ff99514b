{{ config(materialized='incremental') }}
select loan_id, day, fee from {{ ref('stg_loans') }}
{% if is_incremental() %}where day > (select max(day) from {{ this }}){% endif %}
