-- name: SET LOCATION
CREATE TABLE t (a INT, p INT) USING delta PARTITIONED BY (p) LOCATION '{dir}/one';
INSERT INTO t VALUES (1, 1);
CREATE TABLE delta.`{dir}/two` (a INT, p INT) USING delta PARTITIONED BY (p);
INSERT INTO delta.`{dir}/two` VALUES (2, 2);
ALTER TABLE t SET LOCATION '{dir}/two';
SELECT * FROM t;
SELECT * FROM delta.`{dir}/one`;

-- name: SET LOCATION of a table with other columns
CREATE TABLE t (a INT) USING delta LOCATION '{dir}/one';
CREATE TABLE delta.`{dir}/two` (b INT) USING delta;
ALTER TABLE t SET LOCATION '{dir}/two';
SELECT * FROM t;

-- name: SET LOCATION of a table with other partitions
CREATE TABLE t (a INT, p INT) USING delta LOCATION '{dir}/one';
CREATE TABLE delta.`{dir}/two` (a INT, p INT) USING delta PARTITIONED BY (p);
ALTER TABLE t SET LOCATION '{dir}/two';

-- name: SET LOCATION without a check of the columns
CREATE TABLE t (a INT) USING delta LOCATION '{dir}/one';
CREATE TABLE delta.`{dir}/two` (b INT) USING delta;
SET spark.databricks.delta.alterLocation.bypassSchemaCheck = true;
ALTER TABLE t SET LOCATION '{dir}/two';
DESCRIBE t;

-- name: SET LOCATION of no table
CREATE TABLE t (a INT) USING delta LOCATION '{dir}/one';
ALTER TABLE t SET LOCATION '{dir}/nothing';
ALTER TABLE nothing_here SET LOCATION '{dir}/one';

-- name: SET LOCATION of a path
CREATE TABLE delta.`{dir}/one` (a INT) USING delta;
ALTER TABLE delta.`{dir}/one` SET LOCATION '{dir}/two';

-- name: other comments and nullability than the log's
CREATE TABLE t (a INT NOT NULL, b STRING COMMENT 'b') USING delta LOCATION '{dir}/place';
CREATE TABLE u (a INT, b STRING) USING delta LOCATION '{dir}/place';
CREATE TABLE v (a INT NOT NULL, b STRING) USING delta LOCATION '{dir}/place';
CREATE TABLE w (b STRING COMMENT 'b', a INT NOT NULL) USING delta LOCATION '{dir}/place';
CREATE TABLE x (A INT NOT NULL, b STRING COMMENT 'b') USING delta LOCATION '{dir}/place';

-- name: fewer properties than the log's
CREATE TABLE t (a INT) USING delta LOCATION '{dir}/place' TBLPROPERTIES ('k' = 'v', 'l' = 'w');
CREATE TABLE u (a INT) USING delta LOCATION '{dir}/place' TBLPROPERTIES ('k' = 'v');
CREATE TABLE v (a INT) USING delta LOCATION '{dir}/place' TBLPROPERTIES ('k' = 'v', 'l' = 'w');
CREATE TABLE w USING delta LOCATION '{dir}/place' TBLPROPERTIES ('k' = 'v');
CREATE TABLE x USING delta LOCATION '{dir}/place';
CREATE TABLE y (a INT) USING delta LOCATION '{dir}/place';

-- name: partitions of the log left out
CREATE TABLE t (a INT, p INT) USING delta PARTITIONED BY (p) LOCATION '{dir}/place';
CREATE TABLE u (a INT, p INT) USING delta LOCATION '{dir}/place';

-- name: clustering of the log
-- state differs: clustered-vectors
CREATE TABLE t (a INT, b INT) USING delta CLUSTER BY (a) LOCATION '{dir}/place';
CREATE TABLE u (a INT, b INT) USING delta CLUSTER BY (b) LOCATION '{dir}/place';
CREATE TABLE v (a INT, b INT) USING delta CLUSTER BY (a) LOCATION '{dir}/place';
CREATE TABLE w (a INT, b INT) USING delta LOCATION '{dir}/place';

-- name: a comment of its own
CREATE TABLE t (a INT) USING delta COMMENT 'one' LOCATION '{dir}/place';
CREATE TABLE u USING delta COMMENT 'two' LOCATION '{dir}/place';

-- name: a replaced table keeps its place
CREATE TABLE t (a INT) USING delta LOCATION '{dir}/one';
CREATE OR REPLACE TABLE t (b INT) USING delta;
DESCRIBE delta.`{dir}/one`;
CREATE OR REPLACE TABLE t (b INT) USING delta LOCATION '{dir}/two';

-- name: nothing at the place
-- differs: empty-place DELTA_CREATE_EXTERNAL_TABLE_WITHOUT_SCHEMA
CREATE TABLE t USING delta LOCATION '{dir}/nothing';
-- state differs: empty-place
