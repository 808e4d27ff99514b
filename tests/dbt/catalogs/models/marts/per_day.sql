{{ config(materialized='incremental', unique_key='day', on_schema_change='append_new_columns') }}
select day, count(*) as orders {% if var('today') > '2024-05-02' %}, 'late' as note{% endif %}
from {{ ref('stg_orders') }} group by day
