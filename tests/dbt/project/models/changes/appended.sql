{{ config(
  materialized='incremental', incremental_strategy='insert_overwrite', partition_by=['day'],
  on_schema_change='append_new_columns'
) }}
select loan_id, day, {{ "'new' as told" if var('wider') else 'fee' }} from {{ ref('stg_loans') }}
{% if is_incremental() %}where day = '{{ var("today") }}'{% endif %}
