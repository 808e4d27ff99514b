"""Data files of other writers, read by executors and by the driver, into Spark and as Arrow."""

from __future__ import annotations

import io
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltasql import DeltaSqlError, Session
from deltasql.log import operations
from deltasql.log.actions.actions import AddFile
from deltasql.log.commit.transaction import Transaction
from tests.ways.compare import MODES, Both, moved_by

pytestmark = pytest.mark.spark


class Foreign(NamedTuple):
    """A data file of another writer's: the table's columns, the file's, and how pyarrow writes them."""

    columns: str
    table: pa.Table
    options: Mapping[str, Any] = {}


def table(**columns: pa.Array) -> pa.Table:
    return pa.table(columns)


def moments(*texts: str | None, kind: pa.DataType) -> pa.Array:
    return pa.array(
        [None if text is None else datetime.fromisoformat(text) for text in texts], pa.timestamp("us")
    ).cast(kind)


OLD = moments("1969-12-31T23:59:59.999999", "2024-01-31T10:20:30.123456", None, kind=pa.timestamp("us"))
STRUCTS = pa.array([{"B": 1, "x": [{"C": 2}]}, None, {"B": None, "x": None}])
FOREIGN = {
    "INT96": Foreign("a TIMESTAMP", table(a=OLD), {"use_deprecated_int96_timestamps": True}),
    "INT96 in structs": Foreign(
        "s STRUCT<a: TIMESTAMP>, l ARRAY<TIMESTAMP>",
        table(s=pa.StructArray.from_arrays([OLD], ["a"]), l=pa.array([OLD.to_pylist(), None, []])),
        {"use_deprecated_int96_timestamps": True},
    ),
    "milliseconds": Foreign(
        "a TIMESTAMP", table(a=OLD.cast(pa.timestamp("ms", "UTC"), safe=False)), {"version": "2.6"}
    ),
    "local times": Foreign("a TIMESTAMP_NTZ", table(a=OLD), {"version": "2.6"}),
    "letter case": Foreign(
        "A INT, s STRUCT<b: INT, X: ARRAY<STRUCT<c: INT>>>",
        table(
            a=pa.array([1, 2, 3], pa.int32()),
            s=STRUCTS.cast(pa.struct([("B", pa.int32()), ("x", pa.list_(pa.struct([("C", pa.int32())])))])),
        ),
    ),
    "many row groups": Foreign(
        "a BIGINT, b STRING",
        table(a=pa.array(range(50)), b=pa.array([None, "x"] * 25)),
        {"row_group_size": 7, "compression": "zstd", "data_page_version": "2.0"},
    ),
    "dictionaries": Foreign(
        "a STRING, b BINARY",
        table(
            a=pa.array(["x", "y", None, "x"]).dictionary_encode(),
            b=pa.array([b"x", None, b"", b"x"]).dictionary_encode(),
        ),
    ),
    "large texts and views": Foreign(
        "a STRING, b ARRAY<STRING>",
        table(a=pa.array(["x", None], pa.large_string()), b=pa.array([["x"], None], pa.large_list(pa.large_string()))),
    ),
    "other columns, another order": Foreign(
        "a INT, b STRING, c STRUCT<d: INT, e: STRING>, f ARRAY<INT>",
        table(x=pa.array([1, 2]), b=pa.array(["b", None]), c=pa.array([{"e": "e", "y": 1}, None])),
    ),
    "none of the columns": Foreign("a INT, b STRUCT<c: INT>", table(x=pa.array([1, 2]))),
    "decimals as bytes": Foreign(
        "a DECIMAL(9,2), b DECIMAL(38,3)",
        table(
            a=pa.array([Decimal("1.25"), None], pa.decimal128(9, 2)),
            b=pa.array([Decimal("-1.253"), None], pa.decimal128(38, 3)),
        ),
    ),
    "not null": Foreign(
        "a INT, s STRUCT<b: INT>",
        pa.table(
            [
                pa.array([1, 2], pa.int32()),
                pa.array([{"b": 1}, {"b": 2}], pa.struct([pa.field("b", pa.int32(), nullable=False)])),
            ],
            schema=pa.schema(
                [
                    pa.field("a", pa.int32(), nullable=False),
                    pa.field("s", pa.struct([pa.field("b", pa.int32(), nullable=False)]), nullable=False),
                ]
            ),
        ),
    ),
    "no rows": Foreign("a INT", table(a=pa.array([], pa.int32()))),
    "short CHAR": Foreign(
        "a CHAR(4), s STRUCT<b: ARRAY<CHAR(3)>>, m MAP<CHAR(2), CHAR(2)>",
        table(
            a=pa.array(["x", None, "xyzw"]),
            s=pa.array([{"b": ["y", None]}, None, {"b": []}]),
            m=pa.array([[("k", "v")], None, []], pa.map_(pa.string(), pa.string())),
        ),
    ),
    "texts without a mark": Foreign("a STRING", table(a=pa.array([b"x", None, b"\xc3\xbc"]))),
    "another type": Foreign("a INT", table(a=pa.array(["1", "x"]))),
    "a wider type": Foreign("a INT", table(a=pa.array([1 << 40]))),
    "a narrower decimal": Foreign("a DECIMAL(9,1)", table(a=pa.array([Decimal("1.25")], pa.decimal128(9, 2)))),
    "a number for a struct": Foreign("a STRUCT<b: INT>", table(a=pa.array([1]))),
    "a struct for a list": Foreign("a ARRAY<INT>", table(a=pa.array([{"b": 1}]))),
    "unsigned": Foreign(
        "a BIGINT, b INT, c SMALLINT",
        table(a=pa.array([1 << 31], pa.uint32()), b=pa.array([1 << 15], pa.uint16()), c=pa.array([255], pa.uint8())),
    ),
    "times of day": Foreign("a BIGINT", table(a=pa.array([1], pa.time64("us")))),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_files_of_others(both: Both, name: str) -> None:
    columns, rows, options = FOREIGN[name]
    sink = io.BytesIO()
    pq.write_table(rows, sink, **{"store_schema": False, **options})
    for session in both.sessions.values():
        session.sql(f"CREATE TABLE t ({columns}) TBLPROPERTIES ('delta.feature.timestampNtz' = 'supported')")
        log = session.log("t")
        log.store.overwrite("other.parquet", sink.getvalue())
        add = AddFile("other.parquet", {}, len(sink.getvalue()), 1, True)
        Transaction(log, log.snapshot()).commit(operations.WRITE, {}, [add])
    both.run("SELECT * FROM t", "INSERT INTO t SELECT * FROM t", "SELECT * FROM t", fails=True)
    first, second = (fetched(both.sessions[mode], mode) for mode in MODES)
    assert first == second


def fetched(session: Session, mode: str) -> Any:
    """The types and rows that come as Arrow, or the condition, whose last part says what each reader had expected."""
    with moved_by(session, mode):
        try:
            found = session.sql("SELECT * FROM t").to_arrow()
            return found.schema, sorted(map(repr, found.to_pylist()))
        except DeltaSqlError as error:
            return error.condition.partition(".")[0]


NAN = float("nan")
MORE = "d > 1.5D", "NOT d <= 1.5D", "d >= CAST('NaN' AS DOUBLE)", "s.x > 1.5F", "d > 1.5D AND a = 1"


def test_nan_is_greater_than_the_bounds_that_arrow_writes(session: Session, tmp_path: Path) -> None:
    rows = pa.table(
        {
            "a": pa.array([1, 2], pa.int32()),
            "d": [NAN, 1.0],
            "s": pa.array([{"x": NAN}, {"x": 1.0}], pa.struct([("x", pa.float32())])),
        }
    )
    for name in ("theirs", "files"):
        (tmp_path / name).mkdir()
        pq.write_table(rows, tmp_path / name / "x.parquet")
    session.sql(f"CONVERT TO DELTA parquet.`{tmp_path}/theirs`")
    session.sql(f"CREATE TABLE ours AS SELECT * FROM delta.`{tmp_path}/theirs`")
    session.sql("CREATE TABLE sparks (a INT, d DOUBLE, s STRUCT<x: FLOAT>)")
    with moved_by(session, "EXECUTORS"):
        session.sql("INSERT INTO sparks SELECT a * abs(1), d, s FROM ours")
        for number, condition in enumerate(MORE):
            session.sql(f"CREATE TABLE copied{number} (a INT, d DOUBLE, s STRUCT<x: FLOAT>)")
            chosen = f"SELECT * FROM '{tmp_path}/files' WHERE {condition}"
            session.sql(f"COPY INTO copied{number} FROM ({chosen}) FILEFORMAT = PARQUET")
            for table in ("ours", "sparks", f"copied{number}", f"delta.`{tmp_path}/theirs`"):
                found = session.sql(f"SELECT a FROM {table} WHERE {condition} AND abs(a) > 0").collect()
                assert found == [(1,)], (table, condition)
