-- ALTER and maintenance of tables of other formats: each statement works, or is refused by name.
-- expect: no jvm
-- log: off

CREATE SCHEMA s;
CREATE TABLE t (a INT, p STRING) USING json PARTITIONED BY (p) LOCATION '${WAREHOUSE}/files/t';

-- name: properties and comments
ALTER TABLE t SET TBLPROPERTIES ('k' = 'v', 'l' = 'w', 'comment' = 'first');
ALTER TABLE t UNSET TBLPROPERTIES ('l');
ALTER TABLE t UNSET TBLPROPERTIES IF EXISTS ('missing');
SHOW TBLPROPERTIES t;
COMMENT ON TABLE t IS 'second';
SHOW CREATE TABLE t;
COMMENT ON TABLE t IS NULL;

-- name: a new name
ALTER TABLE t RENAME TO s.u;
ALTER TABLE `spark_catalog`.`s`.`U` RENAME TO spark_catalog.default.t;
ALTER TABLE t RENAME TO t;

-- name: another place
ALTER TABLE t SET LOCATION '${WAREHOUSE}/files/elsewhere';
DESCRIBE EXTENDED t;

-- name: partitions are the folders
MSCK REPAIR TABLE t;
MSCK REPAIR TABLE t SYNC PARTITIONS;
REPAIR TABLE t;
ALTER TABLE t RECOVER PARTITIONS;
REFRESH TABLE t;
CACHE TABLE t;
UNCACHE TABLE t;

-- name: SHOW TABLE EXTENDED
-- mask: /Created Time: .*/
SHOW TABLE EXTENDED LIKE 't';

-- name: only Delta tables
DROP TABLE t;
DROP TABLE IF EXISTS t;
