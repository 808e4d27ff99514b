"""Each output format, on values of each type."""

from __future__ import annotations

import datetime as dt
import io
import time
from decimal import Decimal
from typing import Any

import pytest

from deltasql.files.rendering import FORMATS
from deltasql.files.rendering.values import (
    Grid,
    display_width,
    float_text,
    render,
    value_json,
    value_text,
    write_markdown,
    write_screen,
    write_table,
)
from deltasql.files.result import Result
from deltasql.schema import types as t

NESTED = t.StructType(
    (
        t.StructField("id", t.LONG),
        t.StructField("name", t.STRING),
        t.StructField("s", t.StructType((t.StructField("a", t.INTEGER), t.StructField("b", t.STRING)))),
        t.StructField("l", t.ArrayType(t.INTEGER)),
        t.StructField("m", t.MapType(t.STRING, t.DOUBLE)),
    )
)
ROWS = [(1, "a,b", (1, "x"), [1, None], {"k": 0.5}), (20, None, None, [], {}), (3, "", {"a": 2, "b": None}, None, None)]


def text(style: str, schema: t.StructType = NESTED, rows: Any = ROWS) -> str:
    stream = io.StringIO()
    render(Result.of(schema, rows).grid(), style, stream)
    return stream.getvalue()


def test_table() -> None:
    assert (
        text("table")
        == """\
+----+------+-----------+-----------+------------+
| id | name | s         | l         | m          |
+----+------+-----------+-----------+------------+
|  1 | a,b  | {1, x}    | [1, NULL] | {k -> 0.5} |
| 20 | NULL | NULL      | []        | {}         |
|  3 |      | {2, NULL} | NULL      | NULL       |
+----+------+-----------+-----------+------------+
"""
    )


def test_vertical() -> None:
    schema = t.StructType((t.StructField("id", t.LONG), t.StructField("name", t.STRING)))
    assert text("vertical", schema, [(1, "x")]) == "-[ row 1 ]------\nid   | 1\nname | x\n"


def test_csv_tells_null_from_empty() -> None:
    assert text("csv").splitlines()[1:] == [
        '1,"a,b","{1, x}","[1, NULL]",{k -> 0.5}',
        "20,,,[],{}",
        '3,"","{2, NULL}",,',
    ]
    assert text("tsv").splitlines()[1] == "1\ta,b\t{1, x}\t[1, NULL]\t{k -> 0.5}"


def test_json() -> None:
    first = '{"id": 1, "name": "a,b", "s": {"a": 1, "b": "x"}, "l": [1, null], "m": {"k": 0.5}}'
    assert text("jsonl").splitlines()[0] == first
    assert text("json").startswith(f"[\n  {first},\n")
    assert text("json", rows=[]) == "[]\n"
    assert text("jsonl", rows=[]) == ""


def test_markdown() -> None:
    schema = t.StructType((t.StructField("id", t.LONG), t.StructField("a|b", t.STRING)))
    assert text("markdown", schema, [(1, "x\ny")]) == "| id | a\\|b |\n| ---: | --- |\n| 1 | x<br>y |\n"


def test_a_command_without_columns_writes_nothing() -> None:
    for style in FORMATS:
        stream = io.StringIO()
        render(Result.of().grid(), style, stream)
        assert stream.getvalue() == ""


def test_limit_and_unknown_format() -> None:
    stream = io.StringIO()
    first = Result.of(NESTED, ROWS).grid(limit=2)
    render(first, "jsonl", stream)
    assert first.more
    assert stream.getvalue().count("\n") == 2
    assert not Result.of(NESTED, ROWS).grid(limit=3).more
    with pytest.raises(ValueError, match="vertical"):
        render(first, "xml", stream)


def test_a_line_break_keeps_the_table_straight_and_wide_characters_count_double() -> None:
    stream = io.StringIO()
    schema = t.StructType((t.StructField("x", t.STRING),))
    write_table(Grid(schema, [("a\nb",), ("漢字",), ("é",)]), stream)
    lines = stream.getvalue().splitlines()
    assert lines[3:6] == ["| a\\nb |", "| 漢字 |", "| é    |"]
    assert display_width("e\u0301漢") == 3


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_the_coloured_table() -> None:
    screen = Screen()
    write_screen(Grid(NESTED, ROWS), screen)
    assert "a,b" in screen.getvalue()
    assert "╭" in screen.getvalue()


@pytest.mark.parametrize(("columns", "is_table"), [(5, True), (6, False)])
def test_a_window_too_narrow_for_the_columns_gets_lines(
    monkeypatch: pytest.MonkeyPatch, columns: int, is_table: bool
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    screen = Screen()
    schema = t.StructType(tuple(t.StructField(f"c{number}", t.STRING) for number in range(columns)))
    write_screen(Grid(schema, [("long enough to be cut",) * columns]), screen)
    assert ("╭" in screen.getvalue()) is is_table
    assert ("-[ row 1 ]-" in screen.getvalue()) is not is_table


WIDE = t.StructType(tuple(t.StructField(name, t.STRING) for name in ("version", "user", "operation")))
WIDE_ROWS = [("1", None, "x" * 240), ("0", None, "a\nb\n")]


def test_a_table_too_wide_for_a_file_becomes_blocks_without_empty_columns() -> None:
    assert text("auto", WIDE, WIDE_ROWS) == (
        f"-[ row 1 ]-----------\nversion   | 1\noperation | {'x' * 240}\n"
        "-[ row 2 ]-----------\nversion   | 0\noperation | a\n          | b\n"
        "NULL in every row: user\n"
    )


def test_a_table_that_was_asked_for_stays_one_and_complete() -> None:
    for style in ("table", "vertical", "csv", "json"):
        assert "user" in text(style, WIDE, WIDE_ROWS)
    assert text("table", WIDE, WIDE_ROWS).startswith("+---")
    assert text("auto", WIDE, [("1", None, "x")]).startswith("+---")
    one = t.StructType((t.StructField("plan", t.STRING),))
    assert text("auto", one, [("x" * 300,)]).startswith("+---")
    nothing = text("auto", t.StructType((t.StructField("a" * 300, t.LONG), *WIDE.fields)), [(None,) * 4])
    assert nothing.count("| NULL") == 4


def test_a_line_break_at_the_end_of_a_value_is_no_line() -> None:
    schema = t.StructType((t.StructField("sql", t.STRING),))
    assert text("table", schema, [("CREATE\nx\n",)]).splitlines()[3:] == ["| CREATE |", "| x      |", "+--------+"]


def test_a_plan_takes_several_lines() -> None:
    stream = io.StringIO()
    schema = t.StructType((t.StructField("n", t.LONG), t.StructField("plan", t.STRING)))
    write_screen(Grid(schema, [(1, "Write\n  Scan"), (2, "")]), stream)
    assert stream.getvalue().splitlines()[3:6] == ["| 1 | Write  |", "|   |   Scan |", "| 2 |        |"]


def test_markdown_of_no_rows() -> None:
    stream = io.StringIO()
    write_markdown(Grid(NESTED, []), stream)
    assert stream.getvalue().count("\n") == 2


@pytest.mark.parametrize(
    ("value", "kind", "shown", "as_json"),
    [
        (True, t.BOOLEAN, "true", "true"),
        (1, t.BYTE, "1", "1"),
        (Decimal("1E+2"), t.DecimalType(5, 0), "100", "100"),
        (Decimal("1.50"), t.DecimalType(5, 2), "1.50", "1.50"),
        (b"\x01\xff", t.BINARY, "[01 FF]", '"Af8="'),
        (dt.date(2024, 1, 2), t.DATE, "2024-01-02", '"2024-01-02"'),
        (dt.datetime(2024, 1, 2, 3, 4, 5, 120000), t.TIMESTAMP_NTZ, "2024-01-02 03:04:05.12",
         '"2024-01-02T03:04:05.120000"'),
        (
            dt.datetime(2024, 1, 2, 3, tzinfo=dt.timezone.utc),
            t.TIMESTAMP,
            "2024-01-02 05:00:00",
            '"2024-01-02T05:00:00+02:00"',
        ),
        (dt.timedelta(days=-1, hours=-2, microseconds=-5), t.PrimitiveType("interval day to second"),
         "INTERVAL '-1 02:00:00.000005' DAY TO SECOND", "\"INTERVAL '-1 02:00:00.000005' DAY TO SECOND\""),
        (float("nan"), t.DOUBLE, "NaN", '"NaN"'),
        (0.1, t.FLOAT, "0.1", "0.1"),
        ("ä\"", t.STRING, 'ä"', '"ä\\""'),
        ({"a": [1.0]}, t.MapType(t.STRING, t.ArrayType(t.DOUBLE)), "{a -> [1.0]}", '{"a": [1.0]}'),
    ],
)  # fmt: skip
def test_values(value: Any, kind: t.DataType, shown: str, as_json: str) -> None:
    assert value_text(value, kind, "+02:00") == shown
    assert value_json(value, kind, "Africa/Cairo" if "+02" in as_json else "UTC") == as_json


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (0.0, "0.0"), (-0.0, "-0.0"), (1.0, "1.0"), (-12.5, "-12.5"), (1e7, "1.0E7"), (9999999.0, "9999999.0"),
        (0.001, "0.001"), (0.0001, "1.0E-4"), (1.25e-10, "1.25E-10"), (123456789.125, "1.23456789125E8"),
        (100.0, "100.0"), (float("inf"), "Infinity"), (float("-inf"), "-Infinity"),
    ],
)  # fmt: skip
def test_floats_read_as_in_java(number: float, shown: str) -> None:
    assert float_text(number) == shown


def test_a_timestamp_of_pyspark_is_a_clock_of_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    try:
        noon = dt.datetime(2024, 1, 1, 12)
        assert value_text(noon, t.TIMESTAMP, "UTC") == "2024-01-01 17:00:00"
        assert value_text(noon, t.TIMESTAMP) == "2024-01-01 12:00:00"
        assert value_text(noon, t.TIMESTAMP_NTZ, "UTC") == "2024-01-01 12:00:00"
        assert value_json(noon, t.TIMESTAMP, "GMT+1") == '"2024-01-01T18:00:00+01:00"'
    finally:
        monkeypatch.undo()
        time.tzset()
