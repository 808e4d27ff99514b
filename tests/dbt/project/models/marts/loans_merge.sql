{{ config(
  materialized='incremental', incremental_strategy='merge', unique_key='loan_id',
  merge_exclude_columns=['first_seen'], on_schema_change='append_new_columns'
) }}
select loan_id, days, '{{ var("today") }}' as first_seen{% if var('wider') %}, note{% endif %}
from {{ ref('stg_loans') }}
