-- Tables USING iceberg without LOCATION: tables of Delta which readers of Iceberg read as well.
-- setup:
SET TIME ZONE 'UTC';
-- statements:
CREATE TABLE orders (id BIGINT NOT NULL COMMENT 'number', day DATE, CONSTRAINT pk PRIMARY KEY (id))
USING iceberg PARTITIONED BY (day) COMMENT 'all orders' TBLPROPERTIES ('team' = 'sales');

DESCRIBE EXTENDED orders;

SHOW TBLPROPERTIES orders;

SHOW CREATE TABLE orders;
-- name: rows
INSERT INTO orders VALUES (1, DATE '2024-01-01'), (2, DATE '2024-01-02');

MERGE INTO orders USING (SELECT 2L AS id, DATE '2024-02-02' AS day) AS s ON orders.id = s.id WHEN MATCHED THEN UPDATE SET *;

SELECT * FROM orders ORDER BY id;
-- name: in place of a table of Delta, and of itself
CREATE TABLE lines (id INT);

create or replace table `lines` using ICEBERG /* in place */ as select 7 as id;

CREATE OR REPLACE TABLE lines USING iceberg CLUSTER BY (id) AS SELECT 8 AS id, 'a' AS name;

SELECT * FROM lines;

SHOW TBLPROPERTIES lines ('delta.universalFormat.enabledFormats');

CREATE OR REPLACE TABLE lines USING delta AS SELECT 9 AS id;

SHOW CREATE TABLE lines;
-- name: wrong, a property against the format
CREATE TABLE wrong (id INT) USING iceberg TBLPROPERTIES ('delta.enableDeletionVectors' = 'true');
-- name: wrong, an internal property
CREATE TABLE wrong (id INT) TBLPROPERTIES ('deltasql.provider' = 'iceberg');
