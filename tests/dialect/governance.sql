-- needs a JVM
-- Rights and Unity Catalog, which are recorded; pipelines and other dialects, which are refused by name.

-- works
CREATE SCHEMA sales;

-- works
CREATE TABLE sales.orders (id BIGINT, region STRING, ssn STRING);

-- works
GRANT SELECT ON TABLE sales.orders TO `analysts`;

-- works
GRANT SELECT, MODIFY ON TABLE sales.orders TO `joe@example.com`;

-- works
grant select on table `spark_catalog`.`sales`.`orders` to `reporter`, `bi_service`;

-- works
GRANT USE SCHEMA, CREATE TABLE ON SCHEMA sales TO `account users`;

-- works
GRANT USAGE ON CATALOG spark_catalog TO PUBLIC;

-- works
GRANT ALL PRIVILEGES ON SCHEMA sales TO owners;

-- refused SECURABLE_NOT_FOUND
GRANT EXECUTE ON FUNCTION sales.f TO analysts;

-- refused VOLUME_NOT_FOUND
GRANT READ VOLUME ON VOLUME sales.files TO analysts;

-- works
GRANT CREATE EXTERNAL LOCATION ON METASTORE TO admins;

-- refused SECURABLE_NOT_FOUND
GRANT SELECT ON SHARE shared TO RECIPIENT partner;

-- works
REVOKE SELECT ON TABLE sales.orders FROM `analysts`;

-- works
revoke select on `sales`.`orders` from `reporter`;

-- works
REVOKE ALL PRIVILEGES ON SCHEMA sales FROM owners;

-- works
DENY SELECT ON TABLE sales.orders TO interns;

-- refused DELTA_OPERATION_NOT_ALLOWED
MSCK REPAIR TABLE sales.orders DROP PRIVILEGES;

-- works
CREATE GROUP analysts WITH USER `joe@example.com`;

-- works
ALTER GROUP analysts ADD USER `ann@example.com`;

-- works
DROP GROUP analysts;

-- works
ALTER SCHEMA sales OWNER TO `owners`;

-- works
ALTER SCHEMA sales SET OWNER TO `owners`;

-- works
ALTER CATALOG spark_catalog SET OWNER TO `owners`;

-- works
ALTER SCHEMA sales ENABLE PREDICTIVE OPTIMIZATION;

-- works
ALTER SCHEMA sales DEFAULT COLLATION UNICODE;

-- refused SECURABLE_NOT_FOUND
ALTER TABLE sales.orders ALTER COLUMN ssn SET MASK sales.hidden USING COLUMNS (region);

-- refused SECURABLE_NOT_FOUND
ALTER TABLE sales.orders SET ROW FILTER sales.mine ON (region);

-- refused SECURABLE_NOT_FOUND
CREATE POLICY hide_ssn ON SCHEMA sales COMMENT 'no numbers' COLUMN MASK hidden TO `account users` FOR TABLES MATCH COLUMNS has_tag('pii') AS c ON COLUMN c;

-- refused SECURABLE_NOT_FOUND
DROP POLICY hide_ssn ON SCHEMA sales;

-- works
CREATE CATALOG IF NOT EXISTS main MANAGED LOCATION 's3://bucket/main' COMMENT 'all of it';

-- works
CREATE FOREIGN CATALOG pg USING CONNECTION pg OPTIONS (database 'shop');

-- works
DROP CATALOG IF EXISTS main CASCADE;

-- works
CREATE VOLUME sales.files COMMENT 'of the shop';

-- works
CREATE EXTERNAL VOLUME sales.landing LOCATION 's3://bucket/landing';

-- works
ALTER VOLUME sales.files RENAME TO sales.more_files;

-- works
DROP VOLUME IF EXISTS sales.files;

-- refused SCHEMA_NOT_FOUND
PUT '/tmp/a.csv' INTO '/Volumes/main/sales/files/a.csv' OVERWRITE;

-- refused SCHEMA_NOT_FOUND
GET '/Volumes/main/sales/files/a.csv' TO '/tmp/a.csv';

-- refused SCHEMA_NOT_FOUND
REMOVE '/Volumes/main/sales/files/a.csv';

-- works
CREATE EXTERNAL LOCATION IF NOT EXISTS landing URL 's3://bucket/landing' WITH (STORAGE CREDENTIAL key);

-- works
ALTER EXTERNAL LOCATION landing SET URL 's3://bucket/other' FORCE;

-- works
DROP EXTERNAL LOCATION landing;

-- refused SECURABLE_NOT_FOUND
DROP STORAGE CREDENTIAL key;

-- works
CREATE CONNECTION pg TYPE POSTGRESQL OPTIONS (host 'db.example.com', port '5432', user 'u', password 'p');

-- refused DELTA_OPERATION_NOT_ALLOWED
CREATE SERVER pg TYPE POSTGRESQL OPTIONS (host 'db.example.com');

-- works
DROP CONNECTION IF EXISTS pg;

-- works
CREATE SHARE IF NOT EXISTS shared COMMENT 'for partners';

-- works
ALTER SHARE shared ADD TABLE sales.orders PARTITION (region = 'north') AS shared.orders WITH HISTORY;

-- works
ALTER SHARE shared REMOVE TABLE sales.orders;

-- works
DROP SHARE shared;

-- works
CREATE RECIPIENT partner USING ID 'aws:eu-west-1:12';

-- works
ALTER RECIPIENT partner SET PROPERTIES ('country' = 'NO');

-- works
DROP RECIPIENT partner;

-- refused SECURABLE_NOT_FOUND
ALTER PROVIDER acme RENAME TO acme_inc;

-- refused SECURABLE_NOT_FOUND
DROP PROVIDER acme;

-- refused DELTA_OPERATION_NOT_ALLOWED
REFRESH FOREIGN CATALOG pg;

-- refused DELTA_OPERATION_NOT_ALLOWED
REFRESH FOREIGN SCHEMA pg.public;

-- refused DELTA_STORAGE_ACCESS_FAILED
CREATE STREAMING TABLE raw_orders AS SELECT * FROM STREAM read_files('s3://bucket/landing', format => 'json');

-- works
CREATE OR REFRESH STREAMING TABLE inserted_orders AS SELECT * FROM STREAM(sales.orders) WITH (SKIPCHANGECOMMITS);

-- works
CREATE OR REFRESH STREAMING TABLE raw_orders SCHEDULE EVERY 1 HOUR AS SELECT * FROM STREAM sales.orders;

-- works
CREATE OR REFRESH STREAMING TABLE good_orders (CONSTRAINT has_id EXPECT (id IS NOT NULL) ON VIOLATION DROP ROW) AS SELECT * FROM STREAM(raw_orders);

-- works
CREATE OR REFRESH LIVE TABLE clean_orders AS SELECT * FROM LIVE.raw_orders;

-- refused PATH_NOT_FOUND
CREATE STREAMING LIVE TABLE raw AS SELECT * FROM cloud_files('/landing', 'json');

-- works
CREATE TEMPORARY LIVE VIEW step AS SELECT 1 AS a;

-- refused DELTA_COLUMN_NOT_FOUND_IN_SCHEMA
CREATE MATERIALIZED VIEW daily CLUSTER BY (day) SCHEDULE CRON '0 0 * * * ?' AS SELECT region, count(*) AS n FROM sales.orders GROUP BY region;

-- works
CREATE OR REPLACE MATERIALIZED VIEW daily AS SELECT 1 AS a;

-- works
REFRESH MATERIALIZED VIEW daily FULL;

-- works
REFRESH STREAMING TABLE raw_orders SYNC;

-- works
REFRESH TABLE raw_orders FULL;

-- works
ALTER MATERIALIZED VIEW daily ADD SCHEDULE EVERY 1 DAY;

-- works
ALTER STREAMING TABLE raw_orders DROP SCHEDULE;

-- works
DROP MATERIALIZED VIEW IF EXISTS daily;

-- works
DROP STREAMING TABLE IF EXISTS raw_orders;

-- refused TABLE_OR_VIEW_NOT_FOUND
APPLY CHANGES INTO LIVE.orders FROM STREAM(changes) KEYS (id) SEQUENCE BY at STORED AS SCD TYPE 2;

-- refused TABLE_OR_VIEW_NOT_FOUND
CREATE FLOW orders_flow AS AUTO CDC INTO orders FROM STREAM(changes) KEYS (id) APPLY AS DELETE WHEN op = 'd' SEQUENCE BY at COLUMNS * EXCEPT (op, at) STORED AS SCD TYPE 1;

-- refused TABLE_OR_VIEW_NOT_FOUND
AUTO CDC INTO orders FROM STREAM(changes) KEYS (id) SEQUENCE BY at;

-- refused INVALID_METRIC_VIEW_YAML
CREATE VIEW sales.measures WITH METRICS LANGUAGE YAML AS $$ version: 0.1 $$;

-- works
CREATE OR REPLACE PROCEDURE sales.nightly(day DATE) LANGUAGE SQL SQL SECURITY INVOKER AS BEGIN DELETE FROM sales.orders; END;

-- works
DROP PROCEDURE IF EXISTS sales.nightly;

-- works
CREATE OR REPLACE FUNCTION sales.greet(name STRING) RETURNS STRING LANGUAGE PYTHON AS $$
  return "hello " + name
$$;

-- refused DELTA_OPERATION_NOT_ALLOWED
CREATE FUNCTION sales.old AS 'com.example.Old' USING JAR 's3://bucket/old.jar';

-- works
CREATE WIDGET TEXT region DEFAULT 'north';

-- works
CREATE WIDGET DROPDOWN shown DEFAULT 'yes' CHOICES SELECT * FROM (VALUES ('yes'), ('no'));

-- works
REMOVE WIDGET region;

-- refused DELTA_OPERATION_NOT_ALLOWED
CREATE MACRO twice(x INT) x * 2;

-- refused DELTA_OPERATION_NOT_ALLOWED
CREATE INDEX orders_by_region ON TABLE sales.orders (region);

-- refused DELTA_OPERATION_NOT_ALLOWED
CREATE SEQUENCE order_numbers START 1;

-- refused DELTA_OPERATION_NOT_ALLOWED
UPDATE sales.orders SET region = s.region FROM sales.orders s WHERE s.id = orders.id;

-- refused DELTA_OPERATION_NOT_ALLOWED
UPDATE sales.orders o JOIN sales.orders s ON o.id = s.id SET o.region = s.region;

-- refused DELTA_OPERATION_NOT_ALLOWED
UPDATE sales.orders SET (region, ssn) = ('north', NULL);

-- refused DELTA_OPERATION_NOT_ALLOWED
DELETE FROM sales.orders USING sales.orders s WHERE s.id = orders.id;

-- refused DELTA_OPERATION_NOT_ALLOWED
DELETE FROM sales.orders LIMIT 10;

-- refused DELTA_OPERATION_NOT_ALLOWED
DELETE FROM sales.orders WHERE id = 1 RETURNING *;

-- refused DELTA_OPERATION_NOT_ALLOWED
REPLACE INTO sales.orders VALUES (1, 'north', 'x');

-- refused DELTA_OPERATION_NOT_ALLOWED
INSERT OR REPLACE INTO sales.orders VALUES (1, 'north', 'x');

-- refused DELTA_OPERATION_NOT_ALLOWED
INSERT INTO sales.orders DEFAULT VALUES;

-- refused UNSUPPORTED_FEATURE.INSERT_PARTITION_SPEC_IF_NOT_EXISTS
INSERT OVERWRITE TABLE sales.orders PARTITION (region = 'north') IF NOT EXISTS SELECT 1, 'x';

-- refused DELTA_OPERATION_NOT_ALLOWED
INSERT OVERWRITE DIRECTORY '/nowhere/out' USING delta SELECT 1;

-- refused DELTA_OPERATION_NOT_ALLOWED
MERGE INTO sales.orders USING sales.orders s ON s.id = orders.id WHEN MATCHED THEN DO NOTHING;

-- refused DELTA_OPERATION_NOT_ALLOWED
LOAD DATA LOCAL INPATH '/tmp/orders.csv' OVERWRITE INTO TABLE sales.orders;

-- refused DELTA_OPERATION_NOT_ALLOWED
EXPORT TABLE sales.orders TO '/tmp/x';

-- refused DELTA_OPERATION_NOT_ALLOWED
LOCK TABLE sales.orders IN EXCLUSIVE MODE;

-- refused DELTA_OPERATION_NOT_ALLOWED
CREATE USER joe;

-- refused DELTA_OPERATION_NOT_ALLOWED
DROP ROLE analysts;

-- refused DELTA_OPERATION_NOT_ALLOWED
SET ROLE analysts;

-- refused DELTA_OPERATION_NOT_ALLOWED
SET RECIPIENT partner;

-- works
CREATE SERVICE CREDENTIAL key;

-- refused DELTA_OPERATION_NOT_ALLOWED
SHOW ARCHIVED FILES FOR sales.orders;

-- refused STREAMING_TABLE_QUERY_NOT_SUPPORTED
CREATE TEMPORARY STREAMING TABLE t AS SELECT 1;

-- works
CREATE PRIVATE MATERIALIZED VIEW t AS SELECT 1 AS a;
