"""Never a file too few: random files and predicates against every row."""

from __future__ import annotations

import math
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from deltasql.files.statistics.of_footers import _prefix, _shortest_single, _upper_prefix, stats_json
from deltasql.log.skipping.pruning import matches_partition, prune
from deltasql.schema.types import (
    DATE,
    FLOAT,
    INTEGER,
    STRING,
    TIMESTAMP,
    DecimalType,
)
from deltasql.sql.constants import single
from tests.samples import examples
from tests.unit.skipping.file_lists import struct, table

DAY, MS = timedelta(days=1), timedelta(milliseconds=1)
START = datetime(2020, 1, 1, tzinfo=timezone.utc)
SCHEMA = struct(i=INTEGER, s=STRING, d=DATE, t=TIMESTAMP, f=FLOAT, x=DecimalType(6, 2), p=INTEGER, q=STRING)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "i": st.integers(-4, 4),
    "s": st.sampled_from(
        ["", "a", "ab", "b", "é", "😀", "a" * 31, "a" * 32, "a" * 33, "a" * 32 + "z", "a" * 31 + "😀b"]
    ),
    "d": st.integers(0, 4).map(lambda days: date(2020, 1, 1) + days * DAY),
    "t": st.integers(0, 3000).map(lambda micros: START + timedelta(microseconds=micros)),
    "f": st.sampled_from([0.1, -0.1, 1.0, 2.5, -0.0, math.inf, -math.inf, math.nan]).map(single),
    "x": st.integers(-250, 250).map(lambda cents: Decimal(cents).scaleb(-2)),
}
PARTITIONS: dict[str, st.SearchStrategy[Any]] = {"p": st.integers(-2, 2), "q": st.sampled_from(["a", "ab", "%", "é"])}
CONSTANTS = {
    **VALUES,
    **PARTITIONS,
    "i": VALUES["i"] | st.sampled_from([Decimal("0.5"), Decimal("-1.5"), Decimal(10) ** 20]),
    "f": st.sampled_from([Decimal("0.1"), Decimal(1), Decimal("2.5"), Decimal(-3)]),
    "x": VALUES["x"] | st.sampled_from([Decimal("0.005"), Decimal("-1.255"), Decimal(10) ** 12]),
}


def sql(value: Any) -> str:
    match value:
        case None:
            return "NULL"
        case datetime():
            return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
        case date():
            return f"DATE '{value}'"
        case str():
            return f"'{value}'"
        case Decimal():
            return f"{value:f}"
    return str(value)


Expr = tuple[Any, ...]


def leaf(column: str) -> st.SearchStrategy[Expr]:
    constant = CONSTANTS[column] | st.none()
    options = [
        st.tuples(st.sampled_from(["=", "<>", "<", "<=", ">", ">=", "<=>"]), st.just(column), constant, st.booleans()),
        st.tuples(st.just("in"), st.just(column), st.lists(constant, min_size=1, max_size=20)),
        st.tuples(st.just("between"), st.just(column), constant, constant),
        st.tuples(st.just("null"), st.just(column)),
    ]
    if column in "sq":
        pattern = st.sampled_from(["a%", "%", "a_", "ab", "é%", "a" * 32 + "%", "%b", "a" * 33])
        options.append(st.tuples(st.just("like"), st.just(column), pattern))
    return st.one_of(options)


LEAVES = st.sampled_from(sorted(CONSTANTS)).flatmap(leaf)
EXPRESSIONS = st.recursive(
    LEAVES | st.just(("opaque",)),
    lambda inner: st.tuples(st.sampled_from(["and", "or"]), inner, inner) | st.tuples(st.just("not"), inner),
    max_leaves=5,
)


def text(expr: Expr) -> str:
    match expr:
        case ("and" | "or" as word, left, right):
            return f"({text(left)} {word} {text(right)})"
        case ("not", ("in" | "between" | "null" | "like", *_) as inner):
            return special(inner, "NOT ")
        case ("not", inner):
            return f"NOT ({text(inner)})"
        case ("in" | "between" | "null" | "like", *_):
            return special(expr, "")
        case ("opaque",):
            return "length(s) >= 0"
        case (op, column, value, flipped):
            mirror = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}.get(op, op)
            return f"{sql(value)} {mirror} {column}" if flipped else f"{column} {op} {sql(value)}"
    raise AssertionError(expr)


def special(expr: Expr, negation: str) -> str:
    match expr:
        case ("in", column, values):
            return f"{column} {negation}IN ({', '.join(sql(value) for value in values)})"
        case ("between", column, low, high):
            return f"{column} {negation}BETWEEN {sql(low)} AND {sql(high)}"
        case ("null", column):
            return f"{column} IS {negation}NULL"
        case (_, column, pattern):
            return f"{column} {negation}LIKE '{pattern}'"
    raise AssertionError(expr)


def order(value: Any) -> Any:
    if isinstance(value, float):
        return (1, 0.0) if math.isnan(value) else (0, value)
    return value.encode() if isinstance(value, str) else value


def compare(left: Any, op: str, right: Any) -> bool | None:
    if op == "<=>" and (left is None or right is None):
        return left is right
    if left is None or right is None:
        return None
    if isinstance(left, float) or isinstance(right, float):
        left, right = float(left), float(right)
    one, other = order(left), order(right)
    outcomes: dict[str, bool] = {
        "=": one == other, "<=>": one == other, "<>": one != other, "<": one < other,
        "<=": one <= other, ">": one > other, ">=": one >= other,
    }  # fmt: skip
    return outcomes[op]


def both(left: bool | None, right: bool | None) -> bool | None:
    if left is False or right is False:
        return False
    return None if left is None or right is None else True


def negate(value: bool | None) -> bool | None:
    return None if value is None else not value


def evaluate(expr: Expr, row: dict[str, Any]) -> bool | None:
    match expr:
        case ("and", left, right):
            return both(evaluate(left, row), evaluate(right, row))
        case ("or", left, right):
            return negate(both(negate(evaluate(left, row)), negate(evaluate(right, row))))
        case ("not", inner):
            return negate(evaluate(inner, row))
        case ("in", column, values):
            found = [compare(row[column], "=", value) for value in values]
            return True if True in found else None if None in found else False
        case ("between", column, low, high):
            return both(compare(row[column], ">=", low), compare(row[column], "<=", high))
        case ("null", column):
            return row[column] is None
        case ("like", column, pattern):
            return None if row[column] is None else _like(row[column], pattern)
        case ("opaque",):
            return None if row["s"] is None else True
        case (op, column, value, _):
            return compare(row[column], op, value)
    raise AssertionError(expr)


def _like(value: str, pattern: str) -> bool:
    if not pattern:
        return not value
    if pattern[0] == "%":
        return any(_like(value[start:], pattern[1:]) for start in range(len(value) + 1))
    return bool(value) and pattern[0] in {"_", value[0]} and _like(value[1:], pattern[1:])


def statistics(rows: list[dict[str, Any]]) -> str:
    low, high, nulls = {}, {}, {}
    for column in VALUES:
        values = sorted((row[column] for row in rows if row[column] is not None), key=order)
        nulls[column] = len(rows) - len(values)
        if values:
            low[column], high[column] = json_value(values[0], True), json_value(values[-1], False)
    both_sides = {
        name: {k: v for k, v in side.items() if v is not None}
        for name, side in (("minValues", low), ("maxValues", high))
    }
    return stats_json({"numRecords": len(rows), **both_sides, "nullCount": nulls})


def json_value(value: Any, is_low: bool) -> Any:
    match value:
        case datetime():
            return value.isoformat(timespec="milliseconds")
        case date():
            return value.isoformat()
        case str():
            return _prefix(value, 32) if is_low else _upper_prefix(value, 32)
        case float() if not math.isfinite(value):
            return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        case float():
            return _shortest_single(value)
    return value


ROWS = st.lists(
    st.fixed_dictionaries({name: values | st.none() for name, values in VALUES.items()}), min_size=1, max_size=3
)
FILES = st.lists(st.tuples(st.fixed_dictionaries({k: v | st.none() for k, v in PARTITIONS.items()}), ROWS), max_size=5)


@examples(max_examples=400)
@given(FILES, EXPRESSIONS)
def test_no_file_with_a_true_row_is_dropped(
    content: list[tuple[dict[str, Any], list[dict[str, Any]]]], expr: Expr
) -> None:
    partitions = {name: [None if p[name] is None else str(p[name]) for p, _ in content] for name in PARTITIONS}
    files = table([statistics(rows) for _, rows in content], **partitions)
    found = set(prune(files, text(expr), SCHEMA, list(PARTITIONS))["path"].to_pylist())
    true = {
        str(index)
        for index, (partition, rows) in enumerate(content)
        if any(evaluate(expr, {**row, **partition}) for row in rows)
    }
    assert true <= found, text(expr)


@examples(max_examples=300)
@given(st.lists(st.fixed_dictionaries({k: v | st.none() for k, v in PARTITIONS.items()}), max_size=6), st.recursive(
    st.sampled_from(sorted(PARTITIONS)).flatmap(leaf),
    lambda inner: st.tuples(st.sampled_from(["and", "or"]), inner, inner) | st.tuples(st.just("not"), inner),
    max_leaves=5,
))  # fmt: skip
def test_partitions_are_matched_exactly(content: list[dict[str, Any]], expr: Expr) -> None:
    partitions = {name: [None if p[name] is None else str(p[name]) for p in content] for name in PARTITIONS}
    found = matches_partition(table([None] * len(content), **partitions), text(expr), SCHEMA, list(PARTITIONS))
    assert found is not None
    true = [str(index) for index, partition in enumerate(content) if evaluate(expr, partition)]
    assert found["path"].to_pylist() == true, text(expr)
