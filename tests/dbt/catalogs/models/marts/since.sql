{{ config(materialized='incremental', incremental_strategy='replace_where', incremental_predicates=["day >= '2024-05-02'"]) }}
select id, day, '{{ var("today") }}' as seen from {{ ref('stg_orders') }}
