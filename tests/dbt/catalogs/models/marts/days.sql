{{ config(materialized='incremental', incremental_strategy='insert_overwrite', partition_by='day') }}
select id, day, '{{ var("today") }}' as seen from {{ ref('stg_orders') }}
{% if is_incremental() %}where day = '{{ var("today") }}'{% endif %}
