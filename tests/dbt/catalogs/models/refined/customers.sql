{{ config(materialized='table') }}
select o.customer, c.name as country, count(*) as orders
from {{ ref('stg_orders') }} o left join {{ ref('countries') }} c on o.country = c.code
group by o.customer, c.name
