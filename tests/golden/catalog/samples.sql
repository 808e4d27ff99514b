-- The tables of samples are built in.
-- expect: no jvm

SHOW SCHEMAS IN samples;
SHOW SCHEMAS IN samples LIKE 'n*';
SHOW TABLES IN samples.nyctaxi;
SHOW TABLES IN samples.tpch;
DESCRIBE samples.nyctaxi.trips;
DESCRIBE samples.tpch.lineitem;
SELECT * FROM samples.nyctaxi.trips LIMIT 3;
SELECT * FROM samples.tpch.region ORDER BY r_regionkey;
SELECT n_name, n_regionkey FROM samples.tpch.nation WHERE n_regionkey = 3 ORDER BY n_name;
SELECT c_custkey, c_name, c_acctbal FROM samples.tpch.customer ORDER BY c_custkey LIMIT 2;
SELECT * FROM samples.tpch.orders ORDER BY o_orderkey LIMIT 2;
SELECT l_orderkey, l_linenumber, l_partkey, l_extendedprice, l_shipdate FROM Samples.TPCH.LineItem ORDER BY l_orderkey, l_linenumber LIMIT 3;
SELECT p_partkey, p_name, p_brand, p_retailprice FROM samples.tpch.part ORDER BY p_partkey LIMIT 2;
SELECT ps_partkey, ps_suppkey, ps_availqty FROM samples.tpch.partsupp ORDER BY ps_partkey, ps_suppkey LIMIT 4;
SELECT s_suppkey, s_nationkey, s_phone FROM samples.tpch.supplier ORDER BY s_suppkey LIMIT 2;
-- name: aggregates
SELECT count(*) FROM samples.nyctaxi.trips;
SELECT n_regionkey, count(*) AS n, min(n_name) AS first FROM samples.tpch.nation GROUP BY n_regionkey ORDER BY n_regionkey;
SELECT count(DISTINCT l_orderkey) AS orders, sum(l_quantity) AS quantity, max(l_shipdate) AS last FROM samples.tpch.lineitem WHERE l_shipmode = 'AIR';
SELECT count(*) AS n, sum(fare_amount) AS fares FROM samples.nyctaxi.trips t WHERE t.trip_distance > 10;
SELECT count(*) AS n FROM information_schema.tables WHERE table_schema = 'default';
-- name: written
CREATE TABLE trips AS SELECT pickup_zip, fare_amount FROM samples.nyctaxi.trips WHERE trip_distance > 17;
SELECT count(*) FROM trips;
-- name: used
USE CATALOG samples;
SHOW SCHEMAS;
USE nyctaxi;
SHOW TABLES;
SELECT pickup_zip FROM trips LIMIT 2;
CREATE TABLE further (a INT);
SHOW TABLES IN samples.nyctaxi;
USE spark_catalog.default;
SHOW SCHEMAS IN samples;
-- name: wrong
INSERT INTO samples.nyctaxi.trips SELECT * FROM samples.nyctaxi.trips;
DELETE FROM samples.tpch.region;
DROP TABLE samples.tpch.region;
CREATE OR REPLACE TABLE samples.tpch.region (a INT);
ALTER TABLE samples.tpch.region ADD COLUMN a INT;
SELECT * FROM samples.tpch.regions;
SELECT * FROM samples.tpch.region VERSION AS OF 0;
SHOW CREATE TABLE samples.tpch.region;
