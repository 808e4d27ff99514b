{{ config(materialized='incremental', on_schema_change='append_new_columns') }}
select id, day from {{ ref('stg_orders') }}
{% if is_incremental() %}where day > (select max(day) from {{ this }}){% endif %}
