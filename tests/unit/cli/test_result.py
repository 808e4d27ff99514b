"""Row and Result, without Spark."""

from __future__ import annotations

import datetime as dt
import io
import pickle
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest

from deltasql.files.result import Result, Row
from deltasql.schema import types as t

SCHEMA = t.StructType(
    (
        t.StructField("id", t.LONG),
        t.StructField("s", t.StructType((t.StructField("a", t.INTEGER),))),
        t.StructField("m", t.MapType(t.STRING, t.ArrayType(t.INTEGER))),
    )
)


class LazyRows:
    """A query's rows as the engine gives them."""

    schema = t.StructType((t.StructField("n", t.LONG),))

    @property
    def df(self) -> Any:
        return self

    def collect(self) -> Sequence[Sequence[Any]]:
        return [(n,) for n in range(30)]

    def head(self, n: int) -> Sequence[Sequence[Any]]:
        return self.collect()[:n]

    def count(self) -> int:
        return 30

    def to_arrow(self) -> pa.Table:
        return pa.table({"n": list(range(30))})

    def to_pandas(self) -> str:
        return "Spark's frame"


def test_row() -> None:
    row = Row(("a", "b c", "count"), (1, None, 3))
    assert (row.a, row["b c"], row[2], row[1:], len(row)) == (1, None, 3, (None, 3), 3)
    assert tuple(row) == (1, None, 3)
    assert repr(row) == "Row(a=1, b c=None, count=3)"
    assert row.asDict() == {"a": 1, "b c": None, "count": 3}
    assert "a" in row
    assert 1 not in row
    copy = pickle.loads(pickle.dumps(row))
    assert (copy, copy.a) == (row, 1)
    with pytest.raises(KeyError):
        row["x"]
    with pytest.raises(AttributeError, match="no column 'x'"):
        _ = row.x
    with pytest.raises(IndexError):
        row[3]


def test_nested_values_become_rows_lists_and_dicts() -> None:
    result = Result.of(SCHEMA, [(1, {"a": 2}, [("k", (1, 2))]), (2, None, None)])
    first, second = result.collect()
    assert first.s.a == 2
    assert first.m == {"k": [1, 2]}
    assert second.s is None
    assert first.asDict(recursive=True) == {"id": 1, "s": {"a": 2}, "m": {"k": [1, 2]}}
    assert result.count() == 2
    assert list(result) == result.collect()
    assert not result.is_query


def test_arrow_and_pandas_of_a_command() -> None:
    moment = dt.datetime(2024, 1, 1, tzinfo=dt.timezone.utc)
    schema = t.StructType((*SCHEMA, t.StructField("at", t.TIMESTAMP), t.StructField("d", t.DecimalType(5, 2))))
    table = Result.of(schema, [(1, (2,), {"k": [1]}, moment, None)]).toArrow()
    assert table.to_pylist() == [{"id": 1, "s": {"a": 2}, "m": [("k", [1])], "at": moment, "d": None}]
    assert table.schema.field("at").type == pa.timestamp("us", "UTC")
    assert list(Result.of(SCHEMA, [(1, None, None)]).toPandas()["id"]) == [1]


def test_a_command_without_output() -> None:
    result = Result.of(version=3, metrics={"numFiles": 1}, attempts=1)
    assert (result.columns, result.collect(), result.to_arrow().num_columns) == ([], [], 0)
    assert (result.version, result.metrics, result.attempts) == (3, {"numFiles": 1}, 1)
    assert repr(result) == "Result(no columns; version 3)"


def test_the_dataframe_of_a_command_comes_from_the_engine() -> None:
    with pytest.raises(RuntimeError, match="to_arrow"):
        _ = Result.of(SCHEMA, []).df
    assert Result.of(SCHEMA, [], make_df=lambda rows: rows.schema).df == SCHEMA


def test_a_query_goes_to_its_source() -> None:
    result = Result(LazyRows())
    assert result.is_query
    assert (result.columns, result.count(), result.head(1)) == (["n"], 30, [(0,)])
    assert result.toPandas() == "Spark's frame"
    assert result.to_arrow().num_rows == 30


def test_other_programs_take_the_rows_as_arrow() -> None:
    import duckdb

    schema = t.StructType((t.StructField("id", t.LONG), t.StructField("text of it", t.STRING)))
    result = Result.of(schema, [(1, "a"), (2, None)])
    table = pa.table(result)
    assert table.column_names == ["id", "text of it"]
    assert pa.RecordBatchReader.from_stream(result).read_all() == table
    found = duckdb.sql("SELECT * FROM result ORDER BY id DESC")
    assert found.columns == ["id", "text of it"]
    assert found.fetchall() == [(2, None), (1, "a")]


def test_show_of_a_statement_without_rows(capsys: pytest.CaptureFixture[str]) -> None:
    Result.of(version=3).show()
    Result.of().show()
    assert capsys.readouterr().out == "version 3\ndone\n"


def test_show(capsys: pytest.CaptureFixture[str]) -> None:
    Result(LazyRows()).show(2)
    assert capsys.readouterr().out == "+---+\n| n |\n+---+\n| 0 |\n| 1 |\n+---+\nonly showing top 2 rows\n"
    schema = t.StructType((t.StructField("x", t.STRING),))
    stream = io.StringIO()
    Result.of(schema, [("a" * 30,)]).show(file=stream)
    assert f"| {'a' * 17}... |" in stream.getvalue()
    stream = io.StringIO()
    Result.of(schema, [("a" * 30,)]).show(truncate=False, file=stream)
    assert "a" * 30 in stream.getvalue()
