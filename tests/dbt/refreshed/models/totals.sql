{{ config(
    materialized=var('form'),
    partition_by='region',
    schedule=var('schedule'),
    tblproperties=var('properties'),
    on_schema_change='append_new_columns',
    contract={'enforced': true}
) }}
-- The total per region; all of them.
select region, sum(amount) as total from {{ ref('orders') }} where amount > {{ var('least') }} group by region -- end
