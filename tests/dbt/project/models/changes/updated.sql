{{ config(
  materialized='incremental', incremental_strategy='merge', unique_key='loan_id', merge_update_columns=['seen'],
  persist_docs={'relation': true, 'columns': true}, grants={'select': ['ada']},
  post_hook="insert into {{ target.schema }}.audit select '{{ this.identifier }}'"
) }}
select loan_id, '{{ var("today") }}' as seen, '{{ var("today") }}' as first_seen, {{ function('twice') }}(days) as twice
from {{ ref('stg_loans') }}
