-- Tables of other formats whose columns are given: no file is read, and nothing is committed.
-- expect: no jvm

CREATE TABLE people (id INT COMMENT 'number', name STRING) USING csv OPTIONS (header = true, 'SEP' ';')
COMMENT 'people as text' TBLPROPERTIES ('owner' = 'me') LOCATION '${WAREHOUSE}/files/people';

DESCRIBE TABLE people;

DESCRIBE EXTENDED people;

DESCRIBE people name;

DESCRIBE EXTENDED people AS JSON;

SHOW CREATE TABLE people;

SHOW TBLPROPERTIES people;

SHOW TBLPROPERTIES people ('owner');

SHOW TBLPROPERTIES people ('missing');

SHOW COLUMNS IN people;

SHOW TABLES;

SELECT table_name, table_type, is_insertable_into, data_source_format, comment FROM information_schema.tables
WHERE table_schema = 'default';

SELECT column_name, data_type, is_updatable, partition_ordinal_position FROM information_schema.columns
WHERE table_name = 'people';

-- name: partition columns are the last
CREATE TABLE IF NOT EXISTS spark_catalog.default.`sales` (p INT, amount DECIMAL(10, 2), day DATE)
USING Parquet PARTITIONED BY (p) LOCATION '${WAREHOUSE}/files/sales';

DESCRIBE sales;

SHOW PARTITIONS sales;

SELECT * FROM sales;

-- name: with types in PARTITIONED BY
CREATE TABLE typed (a INT) USING json PARTITIONED BY (p STRING COMMENT 'part', q INT) LOCATION '${WAREHOUSE}/files/typed';

SHOW CREATE TABLE typed;

-- name: managed, without LOCATION
CREATE TABLE managed (a INT) USING orc;

DESCRIBE EXTENDED managed;

DROP TABLE managed;

-- name: text has one column
CREATE TABLE lines USING text LOCATION '${WAREHOUSE}/files/lines';

DESCRIBE lines;

-- name: the location as an option, comments between the words
create /* a */ table opt (a int) using /* b */ JSON options (path '${WAREHOUSE}/files/opt', multiLine true);

SHOW CREATE TABLE opt;

-- name: it exists
CREATE TABLE IF NOT EXISTS people (other INT) USING json;

CREATE TABLE IF NOT EXISTS people (id INT);

-- name: a new table like it
CREATE TABLE like_people LIKE people;

SHOW CREATE TABLE like_people;

CREATE TABLE as_json LIKE people USING json LOCATION '${WAREHOUSE}/files/as_json';

SHOW CREATE TABLE as_json;

-- log: off
CREATE TABLE as_delta LIKE people USING delta;

SHOW CREATE TABLE as_delta;

DROP TABLE spark_catalog.default.people;

SHOW TABLES;
