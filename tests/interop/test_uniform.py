"""One table in two formats: PyIceberg beside the readers of Delta, on tables of ours and of delta-spark."""

from __future__ import annotations

from pathlib import Path

import pytest

import deltasql
from tests.interop.readers import delta_rs, delta_spark, own_rows
from tests.oracle.client import oracle
from tests.oracle.values import arrow_rows

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def iceberg(path: Path) -> list[list[object]]:
    """What PyIceberg reads. It has no NULL for an array of structs or a map: these are empty then."""
    from pyiceberg.table import StaticTable

    return arrow_rows(StaticTable.from_metadata(str(path)).scan().to_arrow())


def test_ours(session: deltasql.Session) -> None:
    session.sql(
        "CREATE TABLE t (k INT, l ARRAY<STRUCT<x: INT>>, p DATE) PARTITIONED BY (p) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"
    )
    session.sql("INSERT INTO t VALUES (1, array(named_struct('x', 1), NULL), DATE'2024-01-01'), (2, array(), NULL)")
    session.sql("INSERT INTO t SELECT id, array(), NULL FROM range(10, 20, 1, 1)")
    session.sql("DELETE FROM t WHERE k = 11")
    session.sql("REORG TABLE t APPLY (UPGRADE UNIFORM (ICEBERG_COMPAT_VERSION = 2))")
    session.sql("ALTER TABLE t ADD COLUMN m MAP<STRING, INT>")
    session.sql("UPDATE t SET m = map('k', k), p = DATE'2025-01-01'")
    path = Path(session.log("t").location)
    rows = own_rows(session, "SELECT * FROM t")
    assert len(rows) == 11
    assert iceberg(path) == rows
    assert delta_spark(path) == rows
    assert delta_rs(path) == rows


def test_theirs(session: deltasql.Session, tmp_path: Path) -> None:
    path = tmp_path / "theirs"
    table = f"delta.`{path}`"
    oracle().run(
        f"CREATE TABLE {table} (k INT, l ARRAY<INT>, m MAP<STRING, STRUCT<x: ARRAY<INT>>>, w STRING, p DATE) USING delta PARTITIONED BY (p) TBLPROPERTIES ('delta.enableIcebergCompatV2' = 'true', 'delta.columnMapping.mode' = 'name')",
        f"INSERT INTO {table} VALUES (1, array(1, NULL), map('k', named_struct('x', array(2))), 'ü', DATE'2024-01-01'), (2, array(), map(), NULL, NULL)",
        f"INSERT INTO {table} VALUES (3, array(3), map(), 'x', DATE'2024-01-02')",
    )
    session.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('delta.universalFormat.enabledFormats' = 'iceberg')")
    rows = own_rows(session, f"SELECT * FROM {table}")
    assert iceberg(path) == rows
    session.sql(f"MERGE INTO {table} t USING (SELECT 2 AS k) s ON t.k = s.k WHEN MATCHED THEN UPDATE SET w = 'm'")
    session.sql(f"OPTIMIZE {table}")
    rows = own_rows(session, f"SELECT * FROM {table}")
    assert iceberg(path) == rows
    assert delta_spark(path) == rows


def test_statistics_of_checkpoints_as_structs_only(session: deltasql.Session) -> None:
    session.sql(
        "CREATE TABLE t (k INT) TBLPROPERTIES ('delta.enableIcebergCompatV2' = 'true', 'delta.checkpointInterval' = '1', "
        "'delta.checkpoint.writeStatsAsJson' = 'false', 'delta.checkpoint.writeStatsAsStruct' = 'true')"
    )
    session.sql("INSERT INTO t VALUES (1), (2)")
    with deltasql.connect(session.catalog.warehouse) as other:
        other.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.universalFormat.enabledFormats' = 'iceberg')")
    assert len(iceberg(Path(session.log("t").location))) == 2
