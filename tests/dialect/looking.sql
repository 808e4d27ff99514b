-- SHOW, DESCRIBE, USE, LIST.

-- works
CREATE SCHEMA sales;

-- works
CREATE TABLE sales.orders (id BIGINT NOT NULL COMMENT 'key', customer STRUCT<name: STRING, zip: STRING>, day DATE) PARTITIONED BY (day) COMMENT 'all orders' TBLPROPERTIES ('team' = 'sales');

-- works
CREATE TABLE sales.customers (id BIGINT, name STRING) CLUSTER BY (id);

-- works
SHOW CATALOGS;

-- works
SHOW CATALOGS LIKE 'spark*';

-- works
SHOW SCHEMAS;

-- works
SHOW DATABASES LIKE 's*';

-- works
SHOW SCHEMAS IN spark_catalog;

-- works
SHOW SCHEMAS FROM spark_catalog LIKE 'sal*';

-- works
SHOW DATABASES IN `spark_catalog` LIKE '*';

-- works
SHOW SCHEMAS IN hive_metastore;

-- refused DELTA_OPERATION_NOT_ALLOWED
SHOW SCHEMAS DROPPED;

-- works
SHOW TABLES;

-- works
SHOW TABLES IN sales;

-- works
SHOW TABLES FROM spark_catalog.sales LIKE 'o*|c*';

-- works
SHOW TABLES IN `sales` LIKE '*';

-- works
SHOW TABLES DROPPED IN sales;

-- works
SHOW TABLE EXTENDED IN sales LIKE '*';

-- works
SHOW TABLE EXTENDED IN spark_catalog.sales LIKE 'orders|customers';

-- works
SHOW TABLE EXTENDED LIKE 'nothing_like_this';

-- refused PARTITIONS_NOT_FOUND
SHOW TABLE EXTENDED IN sales LIKE 'orders' PARTITION (day = DATE '2024-05-01');

-- works
SHOW VIEWS;

-- works
SHOW VIEWS IN sales LIKE '*';

-- works
SHOW COLUMNS IN sales.orders;

-- works
SHOW COLUMNS IN orders IN sales;

-- works
SHOW COLUMNS FROM orders FROM sales;

-- works
SHOW PARTITIONS sales.orders;

-- works
SHOW PARTITIONS sales.orders PARTITION (day = '2024-05-01');

-- refused DELTA_SHOW_PARTITION_IN_NON_PARTITIONED_TABLE
SHOW PARTITIONS sales.customers;

-- works
SHOW TBLPROPERTIES sales.orders;

-- works
SHOW TBLPROPERTIES sales.orders ('team');

-- works
SHOW TBLPROPERTIES sales.orders (delta.minReaderVersion);

-- works
SHOW CREATE TABLE sales.orders;

-- refused DELTA_OPERATION_NOT_ALLOWED
SHOW CREATE TABLE sales.orders AS SERDE;

-- works
SHOW CURRENT SCHEMA;

-- works
SHOW CURRENT NAMESPACE;

-- works
SHOW GRANTS ON TABLE sales.orders;

-- works
SHOW GRANTS `joe@example.com` ON SCHEMA sales;

-- works
SHOW GRANTS ON SCHEMA sales;

-- works
SHOW GROUPS;

-- works
SHOW GROUPS WITH USER `joe@example.com`;

-- works
SHOW USERS;

-- works
SHOW USERS LIKE '*@example.com';

-- works
SHOW VOLUMES IN sales;

-- works
SHOW CONNECTIONS;

-- works
SHOW SHARES;

-- refused SECURABLE_NOT_FOUND
SHOW ALL IN SHARE shared;

-- works
SHOW RECIPIENTS;

-- works
SHOW PROVIDERS;

-- refused SECURABLE_NOT_FOUND
SHOW SHARES IN PROVIDER acme;

-- works
SHOW CREDENTIALS;

-- works
SHOW STORAGE CREDENTIALS;

-- works
SHOW EXTERNAL LOCATIONS;

-- works
SHOW POLICIES ON TABLE sales.orders;

-- refused DELTA_OPERATION_NOT_ALLOWED
SHOW MATERIALIZED VIEWS IN sales;

-- refused DELTA_OPERATION_NOT_ALLOWED
SHOW STREAMING TABLES;

-- refused DELTA_OPERATION_NOT_ALLOWED
SHOW VARIABLES;

-- works
DESCRIBE sales.orders;

-- works
DESC TABLE sales.orders;

-- works
DESCRIBE TABLE EXTENDED sales.orders;

-- works
DESCRIBE FORMATTED sales.orders;

-- works
DESCRIBE EXTENDED `spark_catalog`.`sales`.`orders` AS JSON;

-- refused PARTITIONS_NOT_FOUND
DESCRIBE TABLE EXTENDED sales.orders PARTITION (day = '2024-05-01');

-- works
DESCRIBE sales.orders customer.name;

-- works
DESCRIBE EXTENDED sales.orders id;

-- refused TABLE_OR_VIEW_NOT_FOUND
DESCRIBE TABLE sales.missing;

-- works
DESCRIBE SCHEMA EXTENDED sales;

-- works
DESCRIBE DATABASE sales;

-- works
DESCRIBE CATALOG spark_catalog;

-- works
DESCRIBE CATALOG EXTENDED main;

-- refused VOLUME_NOT_FOUND
DESCRIBE VOLUME sales.files;

-- refused SECURABLE_NOT_FOUND
DESCRIBE SHARE shared;

-- refused SECURABLE_NOT_FOUND
DESCRIBE RECIPIENT partner;

-- refused SECURABLE_NOT_FOUND
DESCRIBE PROVIDER acme;

-- refused SECURABLE_NOT_FOUND
DESCRIBE CONNECTION pg;

-- refused SECURABLE_NOT_FOUND
DESCRIBE CREDENTIAL key;

-- refused SECURABLE_NOT_FOUND
DESCRIBE STORAGE CREDENTIAL key;

-- refused SECURABLE_NOT_FOUND
DESCRIBE EXTERNAL LOCATION landing;

-- refused DELTA_OPERATION_NOT_ALLOWED
DESCRIBE METASTORE;

-- refused SECURABLE_NOT_FOUND
DESCRIBE POLICY hide_ssn ON TABLE sales.orders;

-- works
DESCRIBE HISTORY sales.orders LIMIT 1;

-- works
USE CATALOG spark_catalog;

-- works
USE CATALOG main;

-- works
USE CATALOG `hive_metastore`;

-- works
SET CATALOG spark_catalog;

-- works
USE SCHEMA sales;

-- works
USE `spark_catalog`.`sales`;

-- works
USE DATABASE default;

-- works
USE NAMESPACE sales;

-- refused SCHEMA_NOT_FOUND
USE main.sales;

-- refused VOLUME_NOT_FOUND
LIST '/Volumes/main/default/files';

-- refused DELTA_OPERATION_NOT_ALLOWED
LS 's3://bucket/landing' LIMIT 10;

-- refused DELTA_OPERATION_NOT_ALLOWED
LIST 's3://bucket/landing' WITH (CREDENTIAL landing_key) LIMIT 5;
