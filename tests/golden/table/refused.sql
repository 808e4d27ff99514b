-- expect: no jvm
-- log: off

CREATE TABLE t (a INT, p INT) PARTITIONED BY (p);
-- name: partitions by hand
ALTER TABLE t ADD PARTITION (p = 1);
alter table `T` add if not exists partition (p = 1) location '/x';
ALTER TABLE t DROP IF EXISTS PARTITION (p = 1);
ALTER TABLE t PARTITION (p = 1) RENAME TO PARTITION (p = 2);
ALTER TABLE t PARTITION (p = 1) SET LOCATION '/x';
ALTER TABLE t RECOVER PARTITIONS;
MSCK REPAIR TABLE t;
REPAIR TABLE t SYNC PARTITIONS;
TRUNCATE TABLE t PARTITION (p = 1);
-- name: formats
ALTER TABLE t SET SERDE 'x';
ALTER TABLE t SET SERDEPROPERTIES ('a' = 'b');
ALTER TABLE t SET FILEFORMAT parquet;
LOAD DATA LOCAL INPATH '/x' OVERWRITE INTO TABLE t PARTITION (p = 1);
-- name: a table that is not there
MSCK REPAIR TABLE missing;
-- name: buckets and expressions
CREATE TABLE u (a INT, b INT) CLUSTERED BY (a) SORTED BY (b) INTO 4 BUCKETS;
CREATE TABLE u (a INT, d DATE) PARTITIONED BY (a, years(d));
CREATE TABLE u (a INT) PARTITIONED BY (bucket(4, a));
-- name: options are properties
CREATE TABLE o (a INT) USING delta OPTIONS ('x' = 'y');
SHOW TBLPROPERTIES o;
-- name: constraints without a name
CREATE TABLE c (a INT CHECK (a > 0), b INT CONSTRAINT check_1 CHECK (b > 0), check INT, CHECK (a < b), primary INT);
SHOW TBLPROPERTIES c;
-- name: explained
EXPLAIN MSCK REPAIR TABLE t;
