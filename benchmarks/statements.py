"""The work that cases time, by name: one SQL text each, so that both SQL engines run the very same statement."""

METADATA_ONLY = {
    "CREATE TABLE": (
        "CREATE TABLE {table} (id BIGINT NOT NULL COMMENT 'key', s STRUCT<x: INT, y: STRING>, at TIMESTAMP, day DATE)"
        " USING delta PARTITIONED BY (day) COMMENT 'c' TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
    ),
    "CREATE TABLE, generated columns": (
        "CREATE TABLE {table}_g (at TIMESTAMP, v STRING, day DATE GENERATED ALWAYS AS (CAST(at AS DATE)),"
        " bucket INT GENERATED ALWAYS AS (pmod(hash(upper(v)), 16))) USING delta"
    ),
    "CREATE TABLE LIKE": "CREATE TABLE {table}_like LIKE {table}",
    "CREATE OR REPLACE TABLE": "CREATE OR REPLACE TABLE {table}_like (id INT) USING delta",
    "ADD COLUMNS": "ALTER TABLE {table} ADD COLUMNS (s.z INT AFTER x, extra STRING)",
    "ALTER COLUMN COMMENT": "ALTER TABLE {table} ALTER COLUMN s.z COMMENT 'deep'",
    "ALTER COLUMN FIRST": "ALTER TABLE {table} ALTER COLUMN extra FIRST",
    "RENAME COLUMN": "ALTER TABLE {table} RENAME COLUMN extra TO more",
    "DROP COLUMN": "ALTER TABLE {table} DROP COLUMN more",
    "REPLACE COLUMNS": "ALTER TABLE {table}_like REPLACE COLUMNS (id INT COMMENT 'key', v STRING)",
    "ADD CONSTRAINT": "ALTER TABLE {table} ADD CONSTRAINT positive CHECK (id > 0)",
    "DROP CONSTRAINT": "ALTER TABLE {table} DROP CONSTRAINT positive",
    "SET TBLPROPERTIES": "ALTER TABLE {table} SET TBLPROPERTIES ('delta.appendOnly' = 'false', 'k' = 'v')",
    "UNSET TBLPROPERTIES": "ALTER TABLE {table} UNSET TBLPROPERTIES ('k')",
    "CLUSTER BY": "ALTER TABLE {table}_like CLUSTER BY (id)",
    "COMMENT ON TABLE": "COMMENT ON TABLE {table} IS 'another'",
    "DESCRIBE TABLE": "DESCRIBE TABLE EXTENDED {table}",
    "DESCRIBE DETAIL": "DESCRIBE DETAIL {table}",
    "DESCRIBE HISTORY": "DESCRIBE HISTORY {table}",
    "SHOW TBLPROPERTIES": "SHOW TBLPROPERTIES {table}",
    "SHOW COLUMNS": "SHOW COLUMNS IN {table}",
    "SHOW TABLES": "SHOW TABLES",
    "TRUNCATE TABLE": "TRUNCATE TABLE {table}_like",
    "DROP TABLE": "DROP TABLE {table}_like",
}
"""Statements that need no row, in an order in which they can run."""

STATEMENTS = {
    **METADATA_ONLY,
    "create": (
        "CREATE TABLE {table} (id INT, v STRING) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'false')"
    ),
    "copy": "COPY INTO {table} BY POSITION FROM '{source}' FILEFORMAT = CSV",
    "copy peer": "INSERT INTO {table} SELECT CAST(_c0 AS INT), _c1 FROM csv.`{source}`",
    "insert": "INSERT INTO {table} VALUES (1, 'a'), (2, 'b')",
    "add_column": "ALTER TABLE {table} ADD COLUMNS ({column} INT)",
    "merge": (
        "MERGE INTO {table} AS t USING (SELECT * FROM VALUES (2, 'x'), (3, 'y') AS q (id, v)) AS s ON t.id = s.id"
        " WHEN MATCHED THEN UPDATE SET t.v = s.v WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v)"
    ),
    "update": "UPDATE {table} SET v = 'u' WHERE id = 1",
    "delete": "DELETE FROM {table} WHERE id = 3",
    "select": "SELECT * FROM {table}",
    "plan_scan": "EXPLAIN SELECT * FROM {table} WHERE {filter}",
    "delete_partition": "DELETE FROM {table} WHERE day = '{day}'",
    "vacuum_dry": "VACUUM {table} DRY RUN",
    "count": "SELECT count(*), max(id) FROM {table}",
    "count_all": "SELECT count(*) FROM {table}",
    "count_by_day": "SELECT day, count(*), max(id) FROM {table} GROUP BY day",
    "sql": "{sql}",
    "drop": "DROP TABLE {table}",
    "vacuum": "VACUUM {table}",
    "convert": "CONVERT TO DELTA parquet.`{path}` PARTITIONED BY (part INT)",
    "shallow_clone": "CREATE TABLE {table} SHALLOW CLONE {source}",
    "write_rows": (
        "CREATE TABLE {table} USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'false')"
        " AS SELECT * FROM parquet.`{rows}`"
    ),
    "write_marked_rows": (
        "CREATE TABLE {table} USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"
        " AS SELECT * FROM parquet.`{rows}`"
    ),
    "scan_rows": "SELECT sum(amount), max(name), min(day), sum(quantity), count(id) FROM {table}",
    "merge_rows": (
        "MERGE INTO {table} AS t USING parquet.`{changes}` AS s ON t.id = s.id"
        " WHEN MATCHED THEN UPDATE SET t.amount = s.amount, t.name = s.name WHEN NOT MATCHED THEN INSERT *"
    ),
    "update_rows": "UPDATE {table} SET amount = amount + 1 WHERE id % 100 = 3",
    "create_counters": (
        "CREATE TABLE delta.`{path}` (id BIGINT, v BIGINT) USING delta"
        " TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"
    ),
    "fill_counters": "INSERT INTO delta.`{path}` VALUES {rows}",
    "count_up": "UPDATE delta.`{path}` SET v = v + 1 WHERE id = {id}",
    "append_row": "INSERT INTO delta.`{path}` VALUES ({id}, 0)",
    "delete_rows": "DELETE FROM {table} WHERE id % 100 = 7",
    "write_lineitem": (
        "CREATE TABLE {table} USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = '{vectors}')"
        " AS SELECT * FROM parquet.`{rows}`"
    ),
    "write_changes": "CREATE TABLE {table} USING delta AS SELECT * FROM parquet.`{changes}`",
    "delete_lineitem": "DELETE FROM {table} WHERE l_orderkey % 100 = 3",
    "update_lineitem": (
        "UPDATE {table} SET l_comment = 'x', l_tax = CAST(l_tax + 0.01 AS DECIMAL(15,2)) WHERE l_orderkey % 2000 = 5"
    ),
    "merge_lineitem": (
        "MERGE INTO {table} AS t USING {source} AS s"
        " ON t.l_orderkey = s.l_orderkey AND t.l_linenumber = s.l_linenumber"
        " WHEN MATCHED THEN UPDATE SET l_quantity = s.l_quantity WHEN NOT MATCHED THEN INSERT *"
    ),
    "small_files": "SET spark.databricks.delta.optimize.maxFileSize = {size}",
    "auto_compaction": "SET spark.databricks.delta.autoCompact.enabled = {compacts}",
    "write_small_lineitem": (
        "CREATE TABLE {table} USING delta AS SELECT /*+ REPARTITION({files}) */ * FROM parquet.`{rows}`"
    ),
    "append_and_compact": "INSERT INTO {table} SELECT * FROM parquet.`{rows}` LIMIT 1",
    "write_clustered_lineitem": (
        "CREATE TABLE {table} USING delta CLUSTER BY (l_partkey, l_shipdate) AS SELECT * FROM parquet.`{rows}`"
    ),
    "optimize_lineitem": "OPTIMIZE {table}",
    "zorder_lineitem": "OPTIMIZE {table} ZORDER BY (l_partkey, l_shipdate)",
    "group_lineitem": (
        "SELECT l_returnflag, l_linestatus, sum(l_quantity), avg(l_extendedprice), count(*) FROM {table}"
        " GROUP BY l_returnflag, l_linestatus"
    ),
}
