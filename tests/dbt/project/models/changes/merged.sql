{{ config(
  materialized='incremental', incremental_strategy='merge', unique_key=['loan_id', 'reader_id'],
  on_schema_change='append_new_columns', incremental_predicates=['DBT_INTERNAL_DEST.loan_id > 1']
) }}
select loan_id, reader_id, '{{ var("today") }}' as seen, {{ 'note' if var('wider') else 'days' }}
from {{ ref('stg_loans') }}
