{{ config(
  materialized='incremental', incremental_strategy='microbatch', event_time='lent_at', batch_size='day',
  begin='2024-05-01', lookback=0
) }}
select loan_id, lent_at, '{{ var("today") }}' as seen from {{ ref('stg_loans') }}
