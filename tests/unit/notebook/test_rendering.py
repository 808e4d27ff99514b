"""Results and errors as notebooks show them. No IPython is needed for that, and no JVM."""

from __future__ import annotations

import datetime as dt
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pytest

import deltasql
from deltasql.base.errors import TableNotFoundError
from deltasql.base.errors.base import MOST_LINES, Caret, DeltaSqlError
from deltasql.files.rendering.html import MOST_VERSIONS, diff_html
from deltasql.files.result import CommandRows, Result
from deltasql.schema import types as t

TEXTS = t.MapType(t.STRING, t.STRING)
HISTORY = t.StructType(
    (
        t.StructField("version", t.LONG),
        t.StructField("timestamp", t.TIMESTAMP),
        t.StructField("operation", t.STRING),
        t.StructField("operationMetrics", TEXTS),
        t.StructField("userMetadata", t.STRING),
    )
)


class Lazy(CommandRows):
    """Rows of a query that counts how often it runs."""

    runs = 0

    def head(self, n: int) -> Sequence[Sequence[Any]]:
        self.runs += 1
        return super().head(n)


class Query(Result):
    @property
    def is_query(self) -> bool:
        return True


def one(name: str, kind: t.DataType, *values: Any) -> Result:
    return Result.of(t.StructType((t.StructField(name, kind),)), [(value,) for value in values])


def html(result: Result) -> str:
    """The HTML, which is well-formed."""
    text = result._repr_html_()
    ET.fromstring(f"<body>{text}</body>")
    return text


def test_null_is_told_from_its_name_and_tags_are_text() -> None:
    text = html(one("<i>", t.STRING, None, "NULL", "<b>&"))
    assert text.count(">NULL</span></td>") == 1
    assert ">NULL</td>" in text
    assert "&lt;b&gt;&amp;" in text
    assert "&lt;i&gt;<div" in text
    assert ">string</div></th>" in text
    assert "3 rows</div>" in text


def test_numbers_stand_to_the_right() -> None:
    assert '<td style="text-align:right' in html(one("n", t.LONG, 1))
    assert '<td style="text-align:left' in html(one("s", t.STRING, "1"))


def test_nested_values_have_their_names() -> None:
    inner = t.StructType((t.StructField("x", t.DecimalType(3, 1)), t.StructField("y", t.STRING)))
    kind = t.MapType(t.STRING, t.ArrayType(inner))
    text = html(one("m", kind, {"<k>": [(Decimal("1.5"), None)]}, None))
    plain = "".join(ET.fromstring(f"<body>{text}</body>").itertext())
    assert "{<k> → [{x: 1.5, y: NULL}]}" in plain
    assert 'title="map&lt;string,array&lt;struct&lt;x:decimal(3,1),y:string&gt;&gt;&gt;"' in text


def test_long_values_are_cut() -> None:
    text = html(one("s", t.STRING, "é" * 1600))
    assert text.count("é") == 500
    assert "… 1,100 more characters" in text


def test_the_rest_is_counted_where_that_costs_nothing() -> None:
    result = one("n", t.LONG, *range(1234))
    assert "the first 50 of 1,234 rows, 1,184 more" in html(result)
    assert "there are more" not in html(one("n", t.LONG, *range(50)))
    source = Lazy(t.StructType((t.StructField("n", t.LONG),)), [(number,) for number in range(1234)])
    query = Query(source)
    query.most_shown = 2
    assert "the first 2 rows, there are more" in html(query)
    assert html(query)
    assert source.runs == 1


def test_a_terminal_gets_text() -> None:
    bundle = one("n", t.LONG, 1, None)._repr_mimebundle_(include=None, exclude=None)
    assert bundle["text/plain"].splitlines() == [
        "+------+",
        "|    n |",
        "+------+",
        "|    1 |",
        "| NULL |",
        "+------+",
        "2 rows",
    ]
    assert Result.of(version=3)._repr_mimebundle_()["text/plain"] == "version 3"
    assert "done" in html(Result.of())


def test_of_many_columns_those_without_values_are_only_named() -> None:
    schema = t.StructType(tuple(t.StructField(f"c{number}", t.LONG) for number in range(9)))
    text = html(Result.of(schema, [(1, *[None] * 8)]))
    assert "c1<div" not in text
    assert "1 row; NULL in every row: c1, c2" in text
    assert "c8<div" in html(Result.of(schema, [[None] * 9]))


def history(*versions: tuple[str, dict[str, str] | None]) -> Result:
    moment = dt.datetime(2024, 5, 1, 12, tzinfo=dt.timezone.utc)
    rows = [
        (number, moment + dt.timedelta(minutes=number), operation, metrics, None)
        for number, (operation, metrics) in enumerate(versions)
    ]
    return Result.of(HISTORY, rows[::-1], time_zone="UTC")


def test_history_is_drawn() -> None:
    merge = {
        "numTargetRowsInserted": "1",
        "numTargetRowsUpdated": "2",
        "numOutputRows": "9",
        "numTargetFilesAdded": "1",
    }
    text = html(
        history(
            ("CREATE TABLE", None),
            ("WRITE", {"numOutputRows": "1000", "numFiles": "2", "executionTimeMs": "x"}),
            ("MERGE", merge),
            ("DELETE", {"numDeletedRows": "3", "numRemovedFiles": "1", "numAddedFiles": "0"}),
            ("SET <T>", {}),
        )
    )
    assert text.count("<circle") == 5
    assert text.count('fill="none" stroke') == 2
    assert ">+1,000 rows, +2 files<" in text
    assert ">+1 ~2 rows, +1 file<" in text
    assert ">−3 rows, −1 file<" in text
    assert ">2024-05-01 12:01:00<" in text
    assert "SET &lt;T&gt;" in text
    # The longest bar, and one that is seen though it is a thousandth of that.
    assert 'width="200.0"' in text
    assert 'width="2.0"' in text


def test_a_long_history_is_drawn_in_part_and_none_is_not() -> None:
    assert html(history(*[("WRITE", None)] * 60)).count("<circle") == MOST_VERSIONS
    assert "<svg" not in html(Result.of(HISTORY))


def test_a_change_of_schema_is_marked() -> None:
    text = diff_html("schema <t>", ["root", " |-- a: int"], ["root", " |-- a: bigint", " |-- b: int"])
    assert text.count("<span") == 3
    assert "schema &lt;t&gt;" in text
    assert diff_html("same", ["root"], ["root"]) == ""


def test_a_session_says_where_and_in_which_state(tmp_path: Any) -> None:
    session = deltasql.connect(str(tmp_path))
    assert repr(session) == f"Session({str(tmp_path)!r}, Spark not started)"
    session.close()
    assert repr(session) == f"Session({str(tmp_path)!r}, closed)"


def shown(error: DeltaSqlError) -> list[str]:
    try:
        raise error
    except DeltaSqlError as raised:
        return raised._render_traceback_()


def test_an_error_is_its_place_and_its_text() -> None:
    sql = "SELECT *\nFROM nope"
    lines = shown(TableNotFoundError(table="nope", advice="").at(Caret(sql, 14, 18)))
    assert lines[0].endswith(": raise error")
    assert lines[0].startswith(f"{__file__}, line ")
    assert lines[1].startswith("[TABLE_OR_VIEW_NOT_FOUND] There is no table nope.")
    assert lines[-2:] == ["FROM nope", "     ^^^^"]


def test_a_long_error_keeps_its_caret(monkeypatch: pytest.MonkeyPatch) -> None:
    error = TableNotFoundError(table="nope", advice="\n" * 30).at(Caret("SELECT nope", 7, 11))
    lines = shown(error)
    assert len(lines) == MOST_LINES
    assert lines[-4:] == ["…", "== SQL (line 1, position 8) ==", "SELECT nope", "       ^^^^"]
