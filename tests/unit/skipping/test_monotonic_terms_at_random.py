"""Random rows, statistics made by the rules, random predicates over monotonic terms: against DuckDB."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltasql.log.skipping.pruning import prune
from deltasql.schema.types import (
    DATE,
    DOUBLE,
    INTEGER,
    STRING,
    TIMESTAMP,
    StructField,
    StructType,
)
from tests.samples import examples
from tests.unit.skipping.file_lists import table

# Against DuckDB: random rows, statistics made by the rules, random predicates

SCHEMA = StructType(
    tuple(
        StructField(name, kind)
        for name, kind in (("i", INTEGER), ("s", STRING), ("d", DATE), ("t", TIMESTAMP), ("x", DOUBLE))
    )
)
ROW = st.fixed_dictionaries(
    {
        "i": st.none() | st.integers(-6, 6) | st.sampled_from([2**31 - 1, -(2**31)]),
        "s": st.none() | st.text("ab%_é", max_size=4),
        "d": st.none()
        | st.dates(date(2019, 12, 1), date(2021, 2, 1))
        | st.sampled_from([date(1, 1, 1), date(9999, 12, 31)]),
        "t": st.none() | st.datetimes(datetime(2019, 12, 30), datetime(2020, 1, 3)),
        "x": st.none() | st.floats(-3, 3) | st.sampled_from([math.nan, math.inf, -math.inf]),
    }
)
TERMS = {
    "i": ["i", "i + 2", "1 + i", "i - 1", "3 - i", "coalesce(i, 2)"],
    "s": ["s", "left(s, 1)", "left(s, 2)", "substring(s, 1, 2)", "substring(s, 2, 1)"],
    "d": [
        "d",
        "CAST(d AS DATE)",
        "date_add(d, 2)",
        "trunc(d, 'MM')",
        "trunc(d, 'YEAR')",
        "date_format(d, 'yyyy-MM-dd')",
    ],
    "t": [
        "CAST(t AS DATE)",
        "to_date(t)",
        "date_format(t, 'yyyy-MM-dd')",
        "date_trunc('DAY', t)",
        "date_trunc('HOUR', t)",
    ],
    "y": ["year(d)", "year(t)"],
    "x": ["x", "CAST(x AS DOUBLE)"],
}
CONSTANTS: dict[str, st.SearchStrategy[str]] = {
    "i": st.integers(-8, 8).map(str),
    "s": st.text("ab%_é", max_size=3).map(lambda text: f"'{text}'"),
    "d": st.dates(date(2019, 12, 1), date(2021, 2, 1)).map(lambda day: f"'{day}'"),
    "t": st.dates(date(2019, 12, 30), date(2020, 1, 3)).map(lambda day: f"'{day}'"),
    "y": st.integers(2018, 2022).map(str),
    "x": st.sampled_from(["-1.5D", "0.0D", "2.25D"]),
}
DUCK = {
    "date_add(d, 2)": "(d + 2)",
    "trunc(d, 'MM')": "CAST(date_trunc('month', d) AS DATE)",
    "trunc(d, 'YEAR')": "CAST(date_trunc('year', d) AS DATE)",
    "date_format(d, 'yyyy-MM-dd')": "strftime(d, '%Y-%m-%d')",
    "date_format(t, 'yyyy-MM-dd')": "strftime(t, '%Y-%m-%d')",
    "to_date(t)": "CAST(t AS DATE)",
    **{
        f"{term}": f"CAST({term.replace('i', 'CAST(i AS BIGINT)', 1)} AS BIGINT)"
        for term in ("i + 2", "1 + i", "i - 1", "3 - i")
    },
}


@st.composite
def comparisons(draw: st.DrawFn) -> tuple[str, str]:
    """A predicate for us and the same for DuckDB."""
    kind = draw(st.sampled_from(sorted(TERMS)))
    term = draw(st.sampled_from(TERMS[kind]))
    first, second = draw(CONSTANTS[kind]), draw(CONSTANTS[kind])
    shape = draw(
        st.sampled_from(
            ["{t} {op} {a}", "{a} {op} {t}", "{t} BETWEEN {a} AND {b}", "{t} IN ({a}, {b})", "{t} NOT IN ({a}, {b})"]
        )
    )
    op = draw(st.sampled_from(["=", "<>", "<", "<=", ">", ">="]))
    theirs = [text.replace("D", "") if kind == "x" else text for text in (first, second)]
    return (
        shape.format(t=term, op=op, a=first, b=second),
        shape.format(t=DUCK.get(term, term), op=op, a=theirs[0], b=theirs[1]),
    )


def joined(inner: st.SearchStrategy[tuple[str, str]]) -> st.SearchStrategy[tuple[str, str]]:
    pairs = st.tuples(st.sampled_from(["({} AND {})", "({} OR {})"]), inner, inner)
    both = pairs.map(lambda item: (item[0].format(item[1][0], item[2][0]), item[0].format(item[1][1], item[2][1])))
    return both | inner.map(lambda item: (f"NOT ({item[0]})", f"NOT ({item[1]})"))


PREDICATES = st.recursive(comparisons(), joined, max_leaves=4)


def statistics(rows: Sequence[dict[str, Any]]) -> str:
    low, high, nulls = {}, {}, {}
    for name in rows[0]:
        values = [row[name] for row in rows if row[name] is not None]
        nulls[name] = len(rows) - len(values)
        if values:
            key = (lambda item: (math.isnan(item), item if not math.isnan(item) else 0)) if name == "x" else None
            low[name], high[name] = json_value(min(values, key=key)), json_value(max(values, key=key))
    return json.dumps({"numRecords": len(rows), "minValues": low, "maxValues": high, "nullCount": nulls})


def json_value(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat(timespec="milliseconds") + "Z"
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value.isoformat() if isinstance(value, date) else value


def duckdb_files(connection: Any, content: Sequence[Sequence[dict[str, Any]]], predicate: str) -> set[str]:
    """The files that hold a row for which the predicate is TRUE."""
    kinds = pa.schema(
        [
            ("f", pa.string()),
            ("i", pa.int32()),
            ("s", pa.string()),
            ("d", pa.date32()),
            ("t", pa.timestamp("us")),
            ("x", pa.float64()),
        ]
    )
    rows = [{"f": str(number), **row} for number, group in enumerate(content) for row in group]
    connection.register("rows", pa.Table.from_pylist(rows, kinds))
    return {name for (name,) in connection.sql(f"SELECT DISTINCT f FROM rows WHERE {predicate}").fetchall()}


@pytest.fixture(scope="module")
def connection() -> Any:
    with duckdb.connect() as opened:
        yield opened


@examples(max_examples=400)
@given(content=st.lists(st.lists(ROW, min_size=1, max_size=3), min_size=1, max_size=4), pair=PREDICATES)
def test_no_file_with_a_row_is_dropped(connection: Any, content: Any, pair: tuple[str, str]) -> None:
    ours, theirs = pair
    files = table([statistics(rows) for rows in content])
    found = set(prune(files, ours, SCHEMA, (), timezone="UTC")["path"].to_pylist())
    assert duckdb_files(connection, content, theirs) <= found, ours
