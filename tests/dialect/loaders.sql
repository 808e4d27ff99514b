-- What loaders and other tools write: Fivetran, SQLMesh, Airbyte, Airflow, dlt.

-- works
CREATE SCHEMA IF NOT EXISTS `fivetran_shop` COMMENT 'Fivetran';

-- works
CREATE TABLE IF NOT EXISTS `fivetran_shop`.`orders` (`id` BIGINT, `_fivetran_deleted` BOOLEAN, `_fivetran_synced` TIMESTAMP, `total` DECIMAL(38, 10), `payload` STRING) USING DELTA TBLPROPERTIES ('delta.columnMapping.mode' = 'name', 'delta.minReaderVersion' = '2', 'delta.minWriterVersion' = '5');

-- works
CREATE TABLE IF NOT EXISTS `spark_catalog`.`fivetran_shop`.`orders_staging` LIKE `fivetran_shop`.`orders`;

-- works
ALTER TABLE `fivetran_shop`.`orders` ADD COLUMNS (`new column` STRING);

-- works
ALTER TABLE `fivetran_shop`.`orders` RENAME COLUMN `new column` TO `new_column`;

-- works
ALTER TABLE `fivetran_shop`.`orders` ALTER COLUMN `id` SET NOT NULL;

-- refused DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP
ALTER TABLE `fivetran_shop`.`orders` ALTER COLUMN `new_column` TYPE BIGINT;

-- refused PATH_NOT_FOUND
COPY INTO fivetran_shop.orders FROM '/nowhere/landing/orders' FILEFORMAT = PARQUET;

-- refused PATH_NOT_FOUND
COPY INTO fivetran_shop.orders
  FROM '/nowhere/landing/orders'
  FILEFORMAT = CSV
  FILES = ('a.csv', 'b.csv')
  FORMAT_OPTIONS ('mergeSchema' = 'true', 'header' = 'true', 'delimiter' = ';')
  COPY_OPTIONS ('mergeSchema' = 'true');

-- refused PATH_NOT_FOUND
COPY INTO fivetran_shop.orders
  FROM (SELECT id::BIGINT, total::DECIMAL(38, 10), _metadata.file_path AS payload FROM '/nowhere/landing')
  FILEFORMAT = JSON
  PATTERN = '2024/*/*.json';

-- refused COPY_INTO_CREDENTIALS_NOT_ALLOWED_ON
COPY INTO fivetran_shop.orders FROM 's3://bucket/landing' WITH (CREDENTIAL landing_key) FILEFORMAT = JSON;

-- refused COPY_INTO_ENCRYPTION_NOT_ALLOWED_ON
COPY INTO fivetran_shop.orders FROM 's3://bucket/landing' WITH (CREDENTIAL (AWS_ACCESS_KEY = 'a', AWS_SECRET_KEY = 'b') ENCRYPTION (TYPE = 'AWS_SSE_C', MASTER_KEY = 'k')) FILEFORMAT = JSON;

-- refused COPY_INTO_SOURCE_FILE_FORMAT_NOT_SUPPORTED
COPY INTO fivetran_shop.orders FROM '/nowhere/landing' FILEFORMAT = EXCEL;

-- refused INVALID_PARAMETER_VALUE.COPY_OPTION
COPY INTO fivetran_shop.orders FROM '/nowhere/landing' FILEFORMAT = CSV COPY_OPTIONS ('force' = 'perhaps');

-- refused TABLE_OR_VIEW_NOT_FOUND
COPY INTO fivetran_shop.never_made FROM '/nowhere/landing' FILEFORMAT = CSV VALIDATE 10 ROWS;

-- works
INSERT INTO `fivetran_shop`.`orders` (`id`, `total`) VALUES (1, 10.50), (2, NULL);

-- works
INSERT INTO TABLE fivetran_shop.orders VALUES (3, FALSE, TIMESTAMP '2024-05-01 12:00:00', 7.25, 'x', NULL);

-- refused DELTA_MISSING_COLUMN
INSERT INTO fivetran_shop.orders (id, nothing) VALUES (1, 2);

-- refused INSERT_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS
INSERT INTO fivetran_shop.orders VALUES (1, 2);

-- works
TRUNCATE TABLE `fivetran_shop`.`orders_staging`;

-- works
DELETE FROM fivetran_shop.orders_staging;

-- works
DROP TABLE IF EXISTS `fivetran_shop`.`orders_staging`;

-- works
CREATE SCHEMA IF NOT EXISTS sqlmesh__shop;

-- works
CREATE TABLE IF NOT EXISTS `sqlmesh__shop`.`shop__orders__2345678` (`id` INT, `item` STRING, `event_date` DATE) USING DELTA PARTITIONED BY (`event_date`);

-- works
CREATE TABLE IF NOT EXISTS `sqlmesh__shop`.`shop__orders__2345678__dev` LIKE `sqlmesh__shop`.`shop__orders__2345678`;

-- works
ALTER TABLE `sqlmesh__shop`.`shop__orders__2345678` ADD COLUMN `qty` INT;

-- works
COMMENT ON TABLE `sqlmesh__shop`.`shop__orders__2345678` IS 'orders, as of version 2345678';

-- works
ALTER TABLE `sqlmesh__shop`.`shop__orders__2345678` ALTER COLUMN `id` COMMENT 'key';

-- refused SCHEMA_NOT_FOUND
CREATE TABLE IF NOT EXISTS `sqlmesh`.`_snapshots` (`name` STRING, `snapshot` STRING, `updated_ts` BIGINT);

-- works
CREATE SCHEMA IF NOT EXISTS `sqlmesh`;

-- works
CREATE TABLE IF NOT EXISTS `sqlmesh`.`_snapshots` (`name` STRING, `identifier` STRING, `updated_ts` BIGINT, PRIMARY KEY (`name`, `identifier`));

-- refused DELTA_OPERATION_NOT_ALLOWED
CREATE INDEX IF NOT EXISTS `_snapshots_name_idx` ON `sqlmesh`.`_snapshots` (`name`);

-- works
INSERT INTO `sqlmesh`.`_snapshots` (`name`, `identifier`, `updated_ts`) VALUES ('shop.orders', '2345678', 1714550400000);

-- works
ALTER TABLE `sqlmesh`.`_snapshots` RENAME TO `sqlmesh`.`_snapshots_backup`;

-- works
DROP TABLE `sqlmesh`.`_snapshots_backup`;

-- works
DROP SCHEMA `sqlmesh`;

-- refused SCHEMA_NOT_EMPTY
DROP SCHEMA `sqlmesh__shop`;

-- works
DROP SCHEMA IF EXISTS `sqlmesh__shop` CASCADE;

-- works
CREATE TABLE airbyte_raw (_airbyte_raw_id STRING, _airbyte_extracted_at TIMESTAMP, _airbyte_meta STRUCT<sync_id: BIGINT, changes: ARRAY<STRUCT<field: STRING, change: STRING>>>, _airbyte_data VARIANT) USING DELTA CLUSTER BY (_airbyte_extracted_at);

-- works
CREATE OR REPLACE TABLE airflow_xcom (task_id VARCHAR(250) NOT NULL, value BINARY, at TIMESTAMP NOT NULL DEFAULT now()) TBLPROPERTIES (delta.feature.allowColumnDefaults = 'enabled');

-- works
INSERT INTO airflow_xcom (task_id, value, at) VALUES ('load', X'1F', TIMESTAMP'2024-05-01 00:00:00Z');

-- refused DELTA_MISSING_NOT_NULL_COLUMN_VALUE
INSERT INTO airflow_xcom (value) VALUES (X'1F');

-- refused DELTA_OPERATION_NOT_ALLOWED
CREATE EXTERNAL TABLE IF NOT EXISTS metabase_uploads (id INT) STORED AS PARQUET LOCATION '/nowhere/parquet';

-- works
CREATE TABLE dlt_loads (load_id STRING NOT NULL, schema_name STRING, status BIGINT NOT NULL, inserted_at TIMESTAMP NOT NULL) USING DELTA;

-- works
INSERT INTO dlt_loads VALUES ('1714', 'shop', 0, TIMESTAMP '2024-05-01 00:00:00');

-- refused DELTA_OPERATION_NOT_ALLOWED
LOAD DATA INPATH '/nowhere/x.csv' INTO TABLE dlt_loads;
