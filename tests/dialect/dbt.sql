-- needs a JVM
-- What dbt says besides the rows of its models.

-- works
/* {"app": "dbt", "connection_name": "create_analytics"} */ create schema if not exists `spark_catalog`.`analytics`;

-- works
use schema analytics;

-- works
create table if not exists analytics.raw_customers (id bigint, first_name string, email string, signup_date date)
    using delta
    comment 'seed';

-- works
/* {"app": "dbt", "node_id": "seed.shop.raw_customers"} */
alter table analytics.raw_customers set tblproperties ('delta.autoOptimize.optimizeWrite' = 'true' , 'delta.autoOptimize.autoCompact' = 'true');

-- works
create or replace table `spark_catalog`.`analytics`.`dim_dates` (
    date_day date,
    week int
)
using delta
partitioned by (date_day)
comment 'calendar'
tblproperties ('delta.enableChangeDataFeed' = 'true');

-- works
alter table analytics.raw_customers change column id comment 'key of a customer';

-- works
alter table analytics.raw_customers alter column first_name comment 'what she is called; don\'t show it';

-- works
alter table `analytics`.`raw_customers` alter column `email` comment "says \"who\"";

-- works
comment on table analytics.raw_customers is 'customers as they were sent';

-- works
comment on column `spark_catalog`.`analytics`.`raw_customers`.email is 'address';

-- works
alter table analytics.raw_customers set tags ('layer' = 'raw', 'pii' = 'true');

-- works
alter table analytics.raw_customers alter column email set tags ('pii' = 'email');

-- works
alter table analytics.raw_customers unset tags ('pii');

-- works
alter table analytics.raw_customers add columns (country string, vat string);

-- works
alter table analytics.raw_customers add column
    `state` string,
    `city` string;

-- works
alter table analytics.raw_customers set tblproperties ('delta.columnMapping.mode' = 'name', 'delta.minReaderVersion' = '2', 'delta.minWriterVersion' = '5');

-- works
alter table analytics.raw_customers drop columns (vat, country);

-- works
alter table analytics.raw_customers drop column `state`, `city`;

-- works
alter table analytics.raw_customers alter column id set not null;

-- works
alter table analytics.raw_customers change column id set not null;

-- works
alter table analytics.raw_customers add constraint pk_customers primary key (id);

-- works
alter table analytics.raw_customers drop constraint if exists pk_customers cascade;

-- works
alter table analytics.raw_customers add constraint has_mail check (email like '%@%');

-- refused FOREIGN_KEY_MISMATCH
alter table analytics.raw_customers add constraint fk_dates foreign key (signup_date) references analytics.dim_dates (date_day);

-- works
alter table analytics.raw_customers cluster by (signup_date, id);

-- works
alter table analytics.raw_customers cluster by auto;

-- refused SECURABLE_NOT_FOUND
alter table analytics.raw_customers set row filter analytics.only_mine on (email);

-- refused SECURABLE_NOT_FOUND
alter table analytics.raw_customers alter column `email` set mask `spark_catalog`.`analytics`.`hide`;

-- works
optimize `spark_catalog`.`analytics`.`raw_customers`;

-- works
analyze table `spark_catalog`.`analytics`.`raw_customers` compute statistics;

-- works
grant select on table `spark_catalog`.`analytics`.`raw_customers` to `reporter`;

-- works
revoke select on table `spark_catalog`.`analytics`.`raw_customers` from `intern`;

-- works
show grants on table `spark_catalog`.`analytics`.`raw_customers`;

-- works
show grants on `analytics`.`raw_customers`;

-- works
show databases like 'analytics';

-- works
show schemas in `spark_catalog`;

-- works
show tables in analytics like '*';

-- works
show tables in `spark_catalog`.`analytics`;

-- works
show views in `analytics`;

-- works
show table extended in analytics like '*';

-- works
show table extended in `spark_catalog`.`analytics` like 'raw_customers|dim_dates';

-- works
show tblproperties `spark_catalog`.`analytics`.`raw_customers`;

-- works
describe extended `analytics`.`raw_customers`;

-- works
describe table extended `spark_catalog`.`analytics`.`raw_customers`;

-- works
describe table extended `spark_catalog`.`analytics`.`raw_customers` as json;

-- refused TABLE_OR_VIEW_NOT_FOUND
describe extended analytics.never_built;

-- works
describe history analytics.raw_customers;

-- works
alter table analytics.raw_customers rename to analytics.raw_customers__dbt_backup;

-- works
alter table `spark_catalog`.`analytics`.`raw_customers__dbt_backup` rename to `spark_catalog`.`analytics`.`raw_customers`;

-- works
create or replace table analytics.raw_customers__clone shallow clone analytics.raw_customers;

-- works
create or replace table analytics.dev_customers deep clone `spark_catalog`.`analytics`.`raw_customers`;

-- works
restore table analytics.dev_customers to version as of 0;

-- works
truncate table analytics.dev_customers;

-- works
drop table if exists analytics.dev_customers;

-- works
drop view if exists analytics.never_a_view;

-- refused WRONG_COMMAND_FOR_OBJECT_TYPE
drop view if exists analytics.raw_customers;

-- works
drop materialized view if exists `analytics`.`daily`;

-- works
create materialized view `analytics`.`daily` as (select 1 as a);

-- works
create or refresh streaming table analytics.stream_customers as select * from stream analytics.raw_customers;

-- works
refresh materialized view `analytics`.`daily`;

-- works
create or replace procedure analytics.nightly() language sql as begin select 1; end;

-- works
set spark.sql.sources.partitionOverwriteMode = DYNAMIC;

-- works
set spark.databricks.delta.schema.autoMerge.enabled = true;

-- works
reset spark.sql.sources.partitionOverwriteMode;

-- works
drop schema if exists analytics__dbt_tmp cascade;

-- works
use catalog `spark_catalog`;
