-- needs a JVM
-- What dbt says to make models, snapshots and seeds, and to test them.

-- works
create schema if not exists `spark_catalog`.`shop`;

-- works
create table `spark_catalog`.`shop`.`raw_orders` (`order_id` bigint, `customer` string, `amount` decimal(10, 2), `ordered_at` timestamp, `day` date)
using delta;

-- works
insert overwrite `spark_catalog`.`shop`.`raw_orders` values
          (cast(1 as bigint), cast('Ada' as string), cast('10.00' as decimal(10, 2)), cast('2024-05-01 10:00:00' as timestamp), cast('2024-05-01' as date)),
          (cast(2 as bigint), cast('Grace' as string), cast('20.50' as decimal(10, 2)), cast('2024-05-02 09:30:00' as timestamp), cast('2024-05-02' as date));

-- works
insert into `spark_catalog`.`shop`.`raw_orders` values
          (3,'Mary',7.25,'2024-05-02 12:00:00','2024-05-02'),(4,NULL,0.5,'2024-05-03 08:15:00','2024-05-03');

-- works
create or replace view `spark_catalog`.`shop`.`stg_orders`
  as (
    select order_id, upper(customer) as customer, amount, ordered_at, day from `spark_catalog`.`shop`.`raw_orders`
  );

-- works
/* {"app": "dbt", "node_id": "model.shop.fct_orders"} */
create or replace table `spark_catalog`.`shop`.`fct_orders`
    using delta
    partitioned by (day)
    comment 'One row for an order; don\'t join it twice.'
    tblproperties ('delta.columnMapping.mode' = 'name')
    as
    with source as (
        select * from `spark_catalog`.`shop`.`stg_orders`
    ),
    renamed as (
        select order_id, customer, amount, ordered_at, day from source
    )
    select * from renamed where day < date'2024-05-03';

-- works
create or replace table `spark_catalog`.`shop`.`dim_customers` (
      customer string comment 'Who ordered.',
      first_day date not null
  ) using delta cluster by (customer);

-- works
create or replace temporary view `fct_orders__dbt_tmp` as
    select * from `spark_catalog`.`shop`.`stg_orders` where day >= (select max(day) from `spark_catalog`.`shop`.`fct_orders`);

-- works
describe extended `fct_orders__dbt_tmp`;

-- The strategy append.
-- works
insert into table `spark_catalog`.`shop`.`fct_orders` (`order_id`, `customer`, `amount`, `ordered_at`, `day`)
select `order_id`, `customer`, `amount`, `ordered_at`, `day` from `fct_orders__dbt_tmp` where order_id = 4;

-- The strategy merge.
-- works
merge into
        `spark_catalog`.`shop`.`fct_orders` as DBT_INTERNAL_DEST
    using
        `fct_orders__dbt_tmp` as DBT_INTERNAL_SOURCE
    on
        DBT_INTERNAL_SOURCE.order_id <=> DBT_INTERNAL_DEST.order_id
    when matched
        then update set
            *
    when not matched
        then insert
            *;

-- works
merge
        with schema evolution
    into
        `spark_catalog`.`shop`.`fct_orders` as dest
    using
        (select *, 'web' as channel from `spark_catalog`.`shop`.`stg_orders`) as src
    on
        dest.day >= '2024-05-01'
    and src.order_id <=> dest.order_id
    when matched
        and (src.ordered_at >= dest.ordered_at)
        then update set
            `customer` = src.`customer`, `amount` = src.`amount`, `channel` = src.`channel`
    when not matched
        and (src.amount > 0)
        then insert
            (`order_id`, `customer`, `amount`, `ordered_at`, `day`, `channel`) VALUES (src.`order_id`, src.`customer`, src.`amount`, src.`ordered_at`, src.`day`, src.`channel`)
    when not matched by source
        and (dest.day < current_date() - interval 7 days)
        then delete;

-- The strategy delete+insert.
-- works
delete from `spark_catalog`.`shop`.`fct_orders` where order_id in (select order_id from `fct_orders__dbt_tmp`);

-- works
insert into `spark_catalog`.`shop`.`fct_orders` by name select * from `fct_orders__dbt_tmp`;

-- The strategy insert_overwrite.
-- works
set spark.sql.sources.partitionOverwriteMode = DYNAMIC;

-- works
insert overwrite table `spark_catalog`.`shop`.`fct_orders`
    partition (`day`)
    select `order_id`, `customer`, `amount`, `ordered_at`, `day`, DEFAULT from `fct_orders__dbt_tmp`;

-- works
insert overwrite table `spark_catalog`.`shop`.`fct_orders`
    partition (day)
    select `order_id`, `customer`, `amount`, `ordered_at`, `day`, 'shop' as channel from `fct_orders__dbt_tmp`;

-- works
reset spark.sql.sources.partitionOverwriteMode;

-- works
insert into `spark_catalog`.`shop`.`fct_orders` by name
replace using (day)
select * from `fct_orders__dbt_tmp`;

-- works
insert into table `spark_catalog`.`shop`.`fct_orders` as t
replace on (t.day <=> s.day)
(select `order_id`, `customer`, `amount`, `ordered_at`, `day`, 'shop' as `channel` from `fct_orders__dbt_tmp`) as s;

-- The strategy replace_where.
-- works
INSERT INTO `spark_catalog`.`shop`.`fct_orders` BY NAME
REPLACE WHERE day >= '2024-05-02' and day < '2024-05-03'
SELECT * FROM `spark_catalog`.`shop`.`stg_orders` WHERE day = '2024-05-02';

-- works
create or replace temporary view `agg__dbt_tmp` as select day, sum(amount) as amount from shop.stg_orders group by day;

-- works
create or replace table shop.agg using delta partitioned by (day) as select day, sum(amount) as amount from shop.stg_orders group by day;

-- refused DELTA_REPLACE_WHERE_MISMATCH
INSERT INTO `spark_catalog`.`shop`.`agg`
REPLACE WHERE day = '2024-05-02'
TABLE `agg__dbt_tmp`;

-- The strategy microbatch.
-- works
create or replace temporary view `events__dbt_tmp` as select order_id, ordered_at from shop.stg_orders where ordered_at >= '2024-05-02 00:00:00+00:00' and ordered_at < '2024-05-03 00:00:00+00:00';

-- works
create table shop.events using delta as select order_id, ordered_at from shop.stg_orders;

-- works
INSERT INTO `spark_catalog`.`shop`.`events`
REPLACE WHERE cast(ordered_at as TIMESTAMP) >= '2024-05-02 00:00:00+00:00' and cast(ordered_at as TIMESTAMP) < '2024-05-03 00:00:00+00:00'
TABLE `events__dbt_tmp`;

-- A snapshot: made, then brought up to date.
-- works
create or replace table `spark_catalog`.`shop`.`orders_snapshot`
    using delta
    as
    select *,
        md5(coalesce(cast(order_id as string ), '') || '|' || coalesce(cast(ordered_at as string ), '')) as dbt_scd_id,
        ordered_at as dbt_updated_at,
        ordered_at as dbt_valid_from,
        coalesce(nullif(ordered_at, ordered_at), null) as dbt_valid_to
    from (
        select order_id, amount, ordered_at from `spark_catalog`.`shop`.`stg_orders`
    ) sbq;

-- works
update shop.raw_orders set amount = amount + 1, ordered_at = ordered_at + interval 1 hour where order_id = 2;

-- works
create or replace temporary view `orders_snapshot__dbt_tmp` as
    with snapshot_query as (
        select order_id, amount, ordered_at from `spark_catalog`.`shop`.`stg_orders`
    ),
    snapshotted_data as (
        select *, order_id as dbt_unique_key
        from `spark_catalog`.`shop`.`orders_snapshot`
        where dbt_valid_to is null
    ),
    insertions_source_data as (
        select *, order_id as dbt_unique_key,
            ordered_at as dbt_updated_at,
            ordered_at as dbt_valid_from,
            coalesce(nullif(ordered_at, ordered_at), null) as dbt_valid_to,
            md5(coalesce(cast(order_id as string ), '') || '|' || coalesce(cast(ordered_at as string ), '')) as dbt_scd_id
        from snapshot_query
    ),
    updates_source_data as (
        select *, order_id as dbt_unique_key, ordered_at as dbt_updated_at, ordered_at as dbt_valid_from, ordered_at as dbt_valid_to
        from snapshot_query
    ),
    insertions as (
        select 'insert' as dbt_change_type, source_data.*
        from insertions_source_data as source_data
        left outer join snapshotted_data on snapshotted_data.dbt_unique_key = source_data.dbt_unique_key
        where snapshotted_data.dbt_unique_key is null
           or (snapshotted_data.dbt_unique_key is not null and (snapshotted_data.dbt_valid_from < source_data.ordered_at))
    ),
    updates as (
        select 'update' as dbt_change_type, source_data.*, snapshotted_data.dbt_scd_id
        from updates_source_data as source_data
        join snapshotted_data on snapshotted_data.dbt_unique_key = source_data.dbt_unique_key
        where (snapshotted_data.dbt_valid_from < source_data.ordered_at)
    )
    select * from insertions
    union all
    select * from updates;

-- works
alter table `spark_catalog`.`shop`.`orders_snapshot` add columns (
                `note` string);

-- works
merge into `spark_catalog`.`shop`.`orders_snapshot` as DBT_INTERNAL_DEST
        using `orders_snapshot__dbt_tmp` as DBT_INTERNAL_SOURCE
    on DBT_INTERNAL_SOURCE.`dbt_scd_id` = DBT_INTERNAL_DEST.`dbt_scd_id`
    when matched
        and DBT_INTERNAL_DEST.`dbt_valid_to` is null
        and DBT_INTERNAL_SOURCE.`dbt_change_type` in ('update', 'delete')
        then update
        set `dbt_valid_to` = DBT_INTERNAL_SOURCE.`dbt_valid_to`
    when not matched
        and DBT_INTERNAL_SOURCE.`dbt_change_type` = 'insert'
        then insert (`order_id`, `amount`, `ordered_at`, `dbt_scd_id`, `dbt_updated_at`, `dbt_valid_from`, `dbt_valid_to`)
        values (`order_id`, `amount`, `ordered_at`, `dbt_scd_id`, `dbt_updated_at`, `dbt_valid_from`, `dbt_valid_to`)
    when not matched by source
        and DBT_INTERNAL_DEST.dbt_valid_to is null
        then update set
            dbt_valid_to = current_timestamp();

-- Tests of data.
-- works
select
      count(*) as failures,
      count(*) != 0 as should_warn,
      count(*) != 0 as should_error
    from (
      select order_id as unique_field, count(*) as n_records
      from `spark_catalog`.`shop`.`raw_orders`
      where order_id is not null
      group by order_id
      having count(*) > 1
    ) dbt_internal_test;

-- works
select * from (
        select order_id from `spark_catalog`.`shop`.`raw_orders`
    ) as __dbt_sbq
    where false
    limit 0;

-- works
drop view if exists `spark_catalog`.`shop`.`stg_orders`;
