{{ config(materialized='view', alias='orders' if target.name == 'dev' else 'stg_orders') }}
select id, customer, country, cast(day as date) as day from {{ source('erp', 'orders') }}
where day <= '{{ var("today") }}'
