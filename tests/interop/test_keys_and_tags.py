"""Keys and tags outlive what other engines do to a table; statistics that we compute are true for their readers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from deltalake import DeltaTable, write_deltalake

import deltasql
from deltasql.base.errors.base import DeltaSqlError
from tests.interop.readers import delta_rs, delta_spark, own_rows
from tests.oracle.client import oracle


def described(session: deltasql.Session, table: str) -> list[tuple[str, str]]:
    rows = [(row[0], row[1]) for row in session.sql(f"DESCRIBE EXTENDED {table}").collect()]
    return rows[: rows.index(("# Detailed Table Information", ""))]


def test_keys_and_tags_survive(session: deltasql.Session, tmp_path: Path) -> None:
    path = tmp_path / "table"
    table = f"delta.`{path}`"
    session.sql(
        f"CREATE TABLE {table} (id INT, other INT, CONSTRAINT pk PRIMARY KEY (id) RELY, "
        f"CONSTRAINT fk FOREIGN KEY (other) REFERENCES {table}) TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
    )
    session.sql(f"ALTER TABLE {table} SET TAGS ('team' = 'x')")
    session.sql(f"ALTER TABLE {table} ALTER COLUMN other SET TAGS ('pii' = 'no')")
    oracle().run(
        f"ALTER TABLE {table} RENAME COLUMN other TO parent",
        f"ALTER TABLE {table} ADD COLUMN other STRING",
        f"ALTER TABLE {table} SET TBLPROPERTIES ('a' = 'b')",
        f"INSERT INTO {table} VALUES (1, 1, 'x')",
        f"COMMENT ON TABLE {table} IS 'theirs'",
    )
    rows = described(session, table)
    assert ("pk", "PRIMARY KEY (`id`)") in rows
    assert ("fk", f"FOREIGN KEY (`parent`) REFERENCES `delta`.`{path}` (`id`)") in rows
    assert ("team", "x") in rows
    assert ("parent", "pii") in rows
    assert delta_spark(path) == own_rows(session, f"SELECT * FROM {table}")
    # A column that goes takes its key and its tags along.
    oracle().run(f"ALTER TABLE {table} DROP COLUMN parent")
    rows = described(session, table)
    assert [name for name, _ in rows if name in {"pk", "fk", "parent"}] == ["pk"]


def test_delta_rs_keeps_them(session: deltasql.Session, tmp_path: Path) -> None:
    path = tmp_path / "table"
    table = f"delta.`{path}`"
    session.sql(f"CREATE TABLE {table} (id INT, PRIMARY KEY (id))")
    session.sql(f"INSERT INTO {table} VALUES (1)")
    opened = DeltaTable(str(path))
    write_deltalake(opened, opened.to_pyarrow_table(), mode="append")
    opened.alter.set_table_properties({"delta.appendOnly": "true"})
    assert ("table_pk", "PRIMARY KEY (`id`)") in described(session, table)
    assert len(delta_rs(path)) == 2


def test_computed_statistics_are_true_for_delta_spark(session: deltasql.Session, tmp_path: Path) -> None:
    """delta-spark writes without statistics, we compute them, and it skips files by them."""
    path = tmp_path / "table"
    table = f"delta.`{path}`"
    oracle().run(
        "SET spark.databricks.delta.stats.collect = false",
        f"CREATE TABLE {table} (id INT, s STRUCT<a: STRING>, d DOUBLE, ts TIMESTAMP, l ARRAY<INT>) USING delta "
        "TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')",
        f"INSERT INTO {table} VALUES (1, named_struct('a', repeat('x', 50)), double('NaN'), "
        "TIMESTAMP'2024-01-01 00:00:00.123456', array()), (2, NULL, 1.0, NULL, NULL)",
        f"INSERT INTO {table} VALUES (30, named_struct('a', 'b'), -0.0, TIMESTAMP'1969-12-31 23:59:59.9999', array(1))",
        f"DELETE FROM {table} WHERE id = 2",
        "SET spark.databricks.delta.stats.collect = true",
    )
    session.sql(f"ANALYZE TABLE {table} COMPUTE DELTA STATISTICS")
    texts = session.log(table).snapshot().live_adds(("stats",))["stats"].to_pylist()
    assert all(json.loads(text)["nullCount"] for text in texts)
    for condition in (
        "id = 1",
        "id > 2",
        "s.a = repeat('x', 50)",
        "d > 0",
        "d = 0",
        "ts >= TIMESTAMP'2024-01-01 00:00:00.123'",
        "ts < TIMESTAMP'1970-01-01 00:00:00'",
        "s.a IS NULL",
        "l IS NOT NULL",
    ):
        query = f"SELECT id FROM {table} WHERE {condition}"
        theirs = oracle().run(query)[0]["rows"]
        assert sorted(theirs) == sorted([list(row) for row in session.sql(query).collect()]), condition


def test_iceberg_compatibility_v3_is_read_and_not_written(session: deltasql.Session, tmp_path: Path) -> None:
    path = tmp_path / "table"
    table = f"delta.`{path}`"
    oracle().run(
        f"CREATE TABLE {table} (id INT, s STRUCT<a: STRING>) USING delta TBLPROPERTIES ("
        "'delta.enableIcebergCompatV3' = 'true', 'delta.columnMapping.mode' = 'name', 'delta.enableRowTracking' = 'true')",
        f"INSERT INTO {table} VALUES (1, named_struct('a', 'x')), (2, NULL)",
        f"DELETE FROM {table} WHERE id = 2",
    )
    assert own_rows(session, f"SELECT * FROM {table}") == delta_spark(path)
    assert own_rows(session, f"SELECT s.a FROM {table} VERSION AS OF 1 WHERE id = 1") == [["x"]]
    with pytest.raises(DeltaSqlError) as caught:
        session.sql(f"INSERT INTO {table} VALUES (3, NULL)")
    assert caught.value.condition == "DELTA_UNSUPPORTED_FEATURES_FOR_WRITE"
