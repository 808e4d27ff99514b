"""Rows of a table as Arrow, by this process and by Spark: types, names, nullability and values."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import deltasql

pytestmark = pytest.mark.spark

MADE = (
    """CREATE TABLE t (a INT, b STRING, c DECIMAL(10, 2), d DATE, ts TIMESTAMP, n TIMESTAMP_NTZ, bin BINARY, x BOOLEAN,
    f DOUBLE, s STRUCT<p: INT NOT NULL, q: ARRAY<STRUCT<z: STRING>>> NOT NULL, m MAP<STRING, INT>, k INT NOT NULL,
    pd DATE, ps STRING, pi INT) PARTITIONED BY (pd, ps, pi)
    TBLPROPERTIES ('delta.columnMapping.mode' = 'name', 'delta.enableDeletionVectors' = 'true')""",
    """INSERT INTO t SELECT id, concat('r', id), id / 3, DATE '2024-01-01' + CAST(id AS INT),
    TIMESTAMP '2024-01-01 01:02:03', TIMESTAMP_NTZ '2024-01-01 01:02:03', CAST('x' AS BINARY), id % 2 = 0, id * 0.5,
    named_struct('p', id, 'q', array(named_struct('z', 'u'))), map('k', id), id,
    DATE '2024-02-01' + CAST(id % 2 AS INT), IF(id % 3 = 0, NULL, 'a b/c'), id % 4 FROM range(40)""",
    "ALTER TABLE t ADD COLUMNS (s.added STRING, late BIGINT)",
    "ALTER TABLE t RENAME COLUMN b TO bee",
    "DELETE FROM t WHERE a IN (3, 7, 22)",
)
QUERIES = ("SELECT * FROM t", "SELECT BEE, s, pi AS `pe i`, t.ps FROM t", "SELECT u.bee z, pd FROM t AS u")


def test_both_ways_give_the_same(tmp_path: Path) -> None:
    with deltasql.connect(str(tmp_path / "warehouse")) as session:
        session.sql("SET spark.sql.session.timeZone = America/New_York")
        for statement in MADE:
            session.sql(statement)
        for query in QUERIES:
            ours = session.sql(query)
            schema, rows = ours.schema, ours.to_arrow()
            session.sql("SET deltasql.io.mode = EXECUTORS")
            theirs = session.sql(query)
            assert schema == theirs.schema
            assert rows.schema.equals(theirs.to_arrow().schema, check_metadata=True)
            assert in_order(rows) == in_order(theirs.to_arrow())
            session.sql("RESET deltasql.io.mode")


def in_order(rows: pa.Table) -> list[str]:
    return sorted(map(repr, zip(*(column.to_pylist() for column in rows.columns), strict=True)))
