"""The work that cases time, by name: one SQL text each, so that both SQL engines run the very same statement."""

STATEMENTS = {
    "create": (
        "CREATE TABLE {table} (id INT, v STRING) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'false')"
    ),
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
    "drop": "DROP TABLE {table}",
    "vacuum": "VACUUM {table}",
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
    "delete_rows": "DELETE FROM {table} WHERE id % 100 = 7",
}
