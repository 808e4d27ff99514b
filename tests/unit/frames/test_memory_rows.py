"""Rows that others have in memory, written by a session without Spark, and the types that they come to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import deltalake
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from deltasql import DeltaSqlError, Session, connect
from deltasql.base.errors import NotADataFrameError, UnsupportedRowsError
from deltasql.schema.text import type_text
from deltasql.session.frames.memory import memory_rows

SALES = pa.table(
    {
        "id": [1, 2, 3],
        "price": [9.5, float("nan"), None],
        "day": pa.array([date(2024, 1, 1), None, date(2024, 1, 2)]),
        "place": ["here", "", "ä = /"],
    }
)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    """With settings under which nothing has to be asked of Spark; the tests hold that it did not start."""
    with connect(str(tmp_path / "warehouse")) as opened:
        yield opened
        assert not opened.spark_started


def stored(session: Session, table: str, order: str = "id") -> list[dict[str, Any]]:
    """The rows of a table, as another engine reads them."""
    rows = deltalake.DeltaTable(session.log(table).location).to_pyarrow_table().sort_by(order)
    return [{name: row[name] for name in sorted(row)} for row in rows.to_pylist()]


def types(session: Session, table: str) -> list[str]:
    return [row.data_type for row in session.sql(f"DESCRIBE {table}").collect() if row.data_type]


@pytest.mark.parametrize(
    "made",
    [
        lambda: pd.DataFrame({"id": [1, 2], "name": ["a", None]}, index=[7, 8]),
        lambda: pl.DataFrame({"id": [1, 2], "name": ["a", None]}),
        lambda: pa.table({"id": [1, 2], "name": ["a", None]}),
        lambda: pa.table({"id": [1, 2], "name": ["a", None]}).to_reader(),
        lambda: pa.record_batch({"id": [1, 2], "name": ["a", None]}),
    ],
    ids=["pandas", "polars", "table", "reader", "batch"],
)
def test_whoever_made_the_rows(session: Session, made: Callable[[], Any]) -> None:
    result = session.write(made()).saveAsTable("t")
    assert (result.version, result.collect()) == (0, [(2, 2)])
    assert types(session, "t") == ["bigint", "string"]
    assert session.write(made()).mode("append").saveAsTable("t").metrics["numOutputRows"] == 2
    assert session.write(made()).insertInto("t").version == 2
    assert session.writeTo(made(), "t").append().version == 3
    assert stored(session, "t") == sorted([{"id": 1, "name": "a"}, {"id": 2, "name": None}] * 4, key=str)


def test_partitions_are_directories(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT NOT NULL, price DOUBLE, day DATE, place STRING) PARTITIONED BY (place, day)")
    session.write(SALES).mode("append").saveAsTable("t")
    rows = stored(session, "t")
    assert [(row["id"], row["day"], row["place"]) for row in rows] == [
        (1, date(2024, 1, 1), "here"),
        (2, None, None),
        (3, date(2024, 1, 2), "ä = /"),
    ]
    assert session.sql("DESCRIBE DETAIL t").collect()[0].numFiles == 3
    session.write(SALES.slice(0, 1)).mode("overwrite").saveAsTable("t")
    assert [row["id"] for row in stored(session, "t")] == [1]


def test_columns_are_found_by_name_or_by_position(session: Session) -> None:
    session.sql("CREATE TABLE t (id BIGINT, name STRING)")
    session.write(pl.DataFrame({"NAME": ["x"], "ID": [1]})).mode("append").saveAsTable("t")
    session.write(pl.DataFrame({"a": [2], "b": ["y"]})).insertInto("t")
    session.write(pl.DataFrame({"id": [3]})).mode("append").saveAsTable("t")
    assert stored(session, "t") == [{"id": 1, "name": "x"}, {"id": 2, "name": "y"}, {"id": 3, "name": None}]


def test_values_get_the_types_of_the_columns(session: Session) -> None:
    session.sql("SET spark.sql.session.timeZone = Europe/Vienna")
    session.sql("CREATE TABLE t (id TINYINT, d DECIMAL(10,2), f FLOAT, at TIMESTAMP, clock TIMESTAMP_NTZ, n DOUBLE)")
    moment = datetime(2024, 6, 1, 12)
    rows = pl.DataFrame({"id": [1], "d": [2], "f": [0.5], "at": [moment], "clock": [moment], "n": [None]})
    session.write(rows).mode("append").saveAsTable("t")
    (row,) = stored(session, "t")
    assert (row["id"], row["d"], row["f"], row["n"]) == (1, Decimal("2.00"), 0.5, None)
    assert row["at"] == datetime(2024, 6, 1, 10, tzinfo=timezone.utc)
    assert row["clock"] == moment


def test_nested_columns_and_column_mapping(session: Session) -> None:
    rows = pl.DataFrame({"id": [1], "tags": [["a", None]], "at": [{"x": 1, "y": "u"}]})
    session.write(rows).option("delta.enableDeletionVectors", True).saveAsTable("t")
    assert types(session, "t") == ["bigint", "array<string>", "struct<x:bigint,y:string>"]
    session.sql("CREATE TABLE m (id BIGINT, `a b` STRING) TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    session.write(pa.table({"id": [1], "a b": ["x"]})).mode("append").saveAsTable("m")
    assert session.sql("DESCRIBE HISTORY m").collect()[0].operationMetrics["numOutputRows"] == "1"


def test_a_transaction_takes_them(session: Session) -> None:
    session.write(SALES).saveAsTable("t")
    session.sql("BEGIN TRANSACTION")
    session.write(SALES).insertInto("t")
    session.write(SALES).insertInto("t")
    assert session.sql("COMMIT").version == 1
    assert len(stored(session, "t")) == 9


def test_modes_and_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    session = connect("warehouse")
    session.write(SALES).partitionBy("day").save("here")
    assert session.write(SALES).mode("ignore").save("here").version is None
    with pytest.raises(DeltaSqlError, match="DELTA_PATH_EXISTS"):
        session.write(SALES).save("here")
    with pytest.raises(DeltaSqlError, match="SCHEMA_MISMATCH"):
        session.write(SALES.append_column("more", pa.array([1, 2, 3]))).mode("append").save("here")
    assert deltalake.DeltaTable("here").version() == 0


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (pa.uint8(), "smallint"),
        (pa.uint16(), "int"),
        (pa.uint32(), "bigint"),
        (pa.uint64(), "decimal(20,0)"),
        (pa.float16(), "float"),
        (pa.large_string(), "string"),
        (pa.string_view(), "string"),
        (pa.large_binary(), "binary"),
        (pa.dictionary(pa.int8(), pa.large_string()), "string"),
        (pa.timestamp("ns"), "timestamp_ntz"),
        (pa.timestamp("s", "Europe/Vienna"), "timestamp"),
        (pa.date64(), "date"),
        (pa.decimal128(12, 3), "decimal(12,3)"),
        (pa.large_list(pa.int8()), "array<tinyint>"),
        (pa.map_(pa.string(), pa.uint8()), "map<string,smallint>"),
        (pa.struct([("a", pa.large_list(pa.large_string()))]), "struct<a:array<string>>"),
        (pa.null(), "void"),
    ],
    ids=str,
)
def test_type_of_a_column(kind: pa.DataType, expected: str) -> None:
    found = memory_rows(pa.table({"a": pa.array([], kind)}), "pyarrow.Table")
    assert type_text(found.schema.fields[0].type) == expected


def test_nanoseconds_are_cut() -> None:
    found = memory_rows(pa.table({"a": pa.array([1_999], pa.timestamp("ns"))}), "pyarrow.Table")
    assert found.table.column("a").to_pylist() == [datetime(1970, 1, 1, 0, 0, 0, 1)]


@pytest.mark.parametrize(
    ("rows", "named"),
    [
        (pa.table({"a": pa.array([1], pa.duration("s"))}), r"pyarrow\.Table.*column a .*duration\[s\]"),
        (pa.table({"a": pa.array([[1]], pa.list_(pa.time64("us")))}), r"pyarrow\.Table.*column a\.element .*time64"),
        (pd.DataFrame({"a": [1, "x"]}), r"pandas\.DataFrame.*column a"),
        (pl.Series([1]), r"polars\.Series"),
    ],
    ids=["duration", "time", "mixed", "series"],
)
def test_columns_that_no_table_has(session: Session, rows: Any, named: str) -> None:
    with pytest.raises(UnsupportedRowsError, match=named):
        session.write(rows)


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([{"a": 1}], r"not list\. .*pandas or polars, or an Arrow"),
        ("t", r"not str\."),
        (pl.LazyFrame({"a": [1]}), r"not polars\.LazyFrame\. Call its collect"),
        (pd.Series([1]), r"not pandas\.Series\. .*to_frame"),
        (pa.Table, r"not type\."),
    ],
    ids=["list", "name", "lazy", "series", "class"],
)
def test_what_is_no_dataframe(session: Session, rows: Any, told: str) -> None:
    with pytest.raises(NotADataFrameError, match=told):
        session.write(rows)
    with pytest.raises(NotADataFrameError, match=told):
        session.writeTo(rows, "t")
