{{ config(materialized='incremental', incremental_strategy='insert_overwrite', partition_by='day') }}
select loan_id, day, '{{ var("today") }}' as seen from {{ ref('stg_loans') }}
{% if is_incremental() %}where day = '{{ var("today") }}'{% endif %}
