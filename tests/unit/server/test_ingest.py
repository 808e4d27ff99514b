"""Rows in bulk, from clients that are none of ours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import adbc_driver_manager
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

ROWS = pa.table({"id": [1, 2], "name": ["Ada", None]})

Connected = Callable[[], Any]


def fetched(connection: Any, sql: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return list(cursor.fetchall())


def ingest(connection: Any, rows: Any, mode: str, table: str = "t", **more: Any) -> int:
    with connection.cursor() as cursor:
        return int(cursor.adbc_ingest(table, rows, mode=mode, **more))


def operations(connection: Any, table: str = "t") -> list[str]:
    history = fetched(connection, f"DESCRIBE HISTORY {table}")
    return [row[4] for row in reversed(history)]


def test_modes(connected: Connected) -> None:
    connection = connected()
    with pytest.raises(adbc_driver_manager.ProgrammingError, match="TABLE_OR_VIEW_NOT_FOUND"):
        ingest(connection, ROWS, "append")
    assert ingest(connection, ROWS, "create") == 2
    with pytest.raises(adbc_driver_manager.ProgrammingError, match="TABLE_OR_VIEW_ALREADY_EXISTS"):
        ingest(connection, ROWS, "create")
    # By name, and a column may be missing.
    assert ingest(connection, ROWS.select(["id"]), "append") == 2
    assert ingest(connection, ROWS.to_reader(), "create_append") == 2
    assert ingest(connection, pa.table({"day": pa.array([1, 2, 3], pa.int8())}), "replace") == 3
    assert [row[0] for row in fetched(connection, "DESCRIBE TABLE t")] == ["day"]
    assert len(operations(connection)) == 4
    fetched(connection, "CREATE SCHEMA shop")
    assert ingest(connection, ROWS, "create_append", "u", db_schema_name="shop", catalog_name="spark_catalog") == 2
    assert len(fetched(connection, "DESCRIBE HISTORY shop.u")) == 1


def test_a_batch_without_rows_creates_the_table(connected: Connected) -> None:
    connection = connected()
    empty = pa.RecordBatch.from_pylist([], schema=ROWS.schema)
    assert [ingest(connection, empty, mode) for mode in ("create", "append", "replace")] == [0, 0, 0]
    assert [row[0] for row in fetched(connection, "DESCRIBE TABLE t")] == ["id", "name"]


def test_what_cannot_be_ingested(connected: Connected) -> None:
    connection = connected()
    with pytest.raises(adbc_driver_manager.NotSupportedError, match="a temporary table"):
        ingest(connection, ROWS, "create", temporary=True)
    with pytest.raises(adbc_driver_manager.Error, match="duration"):
        ingest(connection, pa.table({"a": pa.array([1], pa.duration("s"))}), "create")
    assert fetched(connection, "SHOW TABLES") == []


def test_more_than_a_call_may_send(connected: Connected, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deltasql.clients.server.flight.MOST_BYTES", 1000)
    connection = connected()
    with pytest.raises(adbc_driver_manager.OperationalError, match="FLIGHT_SQL_TOO_MANY_BYTES"):
        ingest(connection, pa.table({"a": ["x" * 2000]}), "create")
    fetched(connection, "CREATE TABLE t (a STRING)")
    many = pytest.raises(adbc_driver_manager.OperationalError, match="FLIGHT_SQL_TOO_MANY_BYTES")
    with connection.cursor() as cursor, many:
        cursor.execute("INSERT INTO t VALUES (?)", ["x" * 2000])
    assert operations(connection) == ["CREATE TABLE"]


def test_frames_of_pandas_and_polars(connected: Connected) -> None:
    connection = connected()
    frame = pd.DataFrame({"id": [1, 2], "at": pd.to_datetime(["2024-01-01", None])})
    assert frame.to_sql("p", connection, index=False) == 2
    assert frame.to_sql("p", connection, index=False, if_exists="append") == 2
    with pytest.raises(ValueError, match="already exists"):
        frame.to_sql("p", connection, index=False)
    assert len(operations(connection, "p")) == 2
    rows = pl.DataFrame({"id": [1, 2], "tags": [["a"], []]})
    for mode in ("replace", "append", "fail"):
        if mode == "fail":
            with pytest.raises(adbc_driver_manager.ProgrammingError, match="ALREADY_EXISTS"):
                rows.write_database("q", connection, engine="adbc", if_table_exists="fail")
        else:
            assert rows.write_database("q", connection, engine="adbc", if_table_exists=mode) == 2
    assert len(operations(connection, "q")) == 2
