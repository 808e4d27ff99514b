{{ config(materialized='incremental', incremental_strategy='microbatch', event_time='day', batch_size='day', begin='2024-05-01') }}
select id, day, '{{ var("today") }}' as seen from {{ ref('stg_orders') }}
