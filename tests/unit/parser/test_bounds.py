"""Big and deep texts: an answer or a typed error, in time that grows with the text and not with its square."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

import pytest

from deltasql.base.errors import ParseSyntaxError, TooComplexError
from deltasql.base.errors.base import Caret, DeltaSqlError
from deltasql.sql.parser import parse, split


def nested(opening: str, depth: int) -> str:
    return f"CREATE TABLE t (c {opening * depth}INT{'>' * depth})"


@pytest.mark.parametrize("opening", ["STRUCT<a:", "ARRAY<", "MAP<INT,"])
def test_types_are_nested_a_hundred_deep(opening: str) -> None:
    parse(nested(opening, 100))


@pytest.mark.parametrize("opening", ["STRUCT<a:", "ARRAY<", "MAP<INT,", "STRUCT<a ARRAY<"])
@pytest.mark.parametrize("depth", [500, 5000])
def test_deeper_is_an_error_with_its_place(opening: str, depth: int) -> None:
    with pytest.raises(TooComplexError) as caught:
        parse(nested(opening, depth))
    assert (caught.value.condition, caught.value.sqlstate) == ("FAILED_TO_PARSE_TOO_COMPLEX", "54001")
    assert caught.value.caret is not None


TEXTS: dict[str, Callable[[int], str]] = {
    "properties": lambda n: f"ALTER TABLE t SET TBLPROPERTIES ({', '.join(f'k{i} = 1' for i in range(n))})",
    "columns": lambda n: f"CREATE TABLE t ({', '.join(f'c{i} INT' for i in range(n))})",
    "clauses": lambda n: "MERGE INTO t USING s ON a = b" + " WHEN MATCHED AND c = 1 THEN DELETE" * n,
    "assignments": lambda n: f"UPDATE t SET {', '.join(f'c{i} = {i}' for i in range(n))}",
    "words": lambda n: "DELETE FROM t WHERE " + "a " * n,
    "terms": lambda n: "DELETE FROM t WHERE " + " AND ".join(["a = 1"] * n),
    "comments": lambda n: "DELETE FROM t WHERE a" + " /* x */" * n,
    "rows": lambda n: "INSERT INTO t VALUES " + ", ".join(["(1, 'x')"] * n),
    "brackets": lambda n: "DELETE FROM t WHERE " + "(" * n + "a" + ")" * n,
    "names": lambda n: f"INSERT INTO t ({', '.join(f'c{i}' for i in range(n))}) SELECT 1",
}


@pytest.mark.parametrize("kind", TEXTS)
def test_time_does_not_grow_with_the_square(kind: str) -> None:
    """Eight times the text takes about eight times as long; with a square it would be 64 times.

    The least of several runs, without the collector of garbage: what else the machine does must not decide.
    """

    def seconds(size: int) -> float:
        text = TEXTS[kind](size)
        started = time.process_time()
        parse(text)
        return time.process_time() - started

    parse(TEXTS[kind](10))
    gc.collect()
    gc.disable()
    try:
        small = max(min(seconds(800) for _ in range(5)), 0.001)
        large = min(seconds(6400) for _ in range(3))
    finally:
        gc.enable()
    assert large < 30 * small


def test_lists_that_are_read_in_two_ways_stay_apart() -> None:
    statement = parse("ALTER TABLE t SET TBLPROPERTIES (a.b = 'x', 'c' = 'y', d = 3)")
    assert len(statement.properties) == 3  # type: ignore[attr-defined]


def test_a_script_of_many_statements() -> None:
    assert len(list(split("SELECT 1; -- two\n" * 10_000))) == 10_000


def test_a_statement_of_five_megabytes() -> None:
    parse(f"INSERT INTO t VALUES ('{'x' * (5 << 20)}')")
    with pytest.raises(DeltaSqlError) as caught:
        parse("SELECT '" + "x" * (5 << 20))
    assert len(str(caught.value)) < 2000


def test_an_error_quotes_no_megabytes() -> None:
    with pytest.raises(ParseSyntaxError) as caught:
        parse("ALTER TABLE t 'x" + "y" * (1 << 20) + "'")
    assert len(str(caught.value)) < 3000


@pytest.mark.parametrize("place", [0, 5, 5000, 9_990])
def test_the_caret_of_a_long_line_stands_below_its_place(place: int) -> None:
    sql = "a" * place + "HERE" + "b" * (10_000 - place)
    _, line, carets = Caret(sql, place, place + 4).draw().split("\n")
    assert line[carets.index("^") : len(carets)] == "HERE"
    assert len(line) < 1100
