select (select count(*) from {{ ref('per_day') }}) as days, (select count(*) from {{ ref('customers') }}) as customers
