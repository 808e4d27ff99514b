"""Types that are known without Spark, against Spark: every operator and function over columns of every type."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest

from deltasql import DeltaSqlError, Session
from deltasql.engines.engine import InProcessFirst
from deltasql.plan.hidden_names import NULL_ROW
from deltasql.planner.computed_columns import null_row
from deltasql.schema.types import DataType, StructField, StructType
from deltasql.sql.expression_types import FUNCTIONS, derived_type
from deltasql.sql.parser import parse
from deltasql.statements.table import CreateTable

pytestmark = pytest.mark.spark

COLUMNS = (
    "CREATE TABLE t (ti TINYINT, sm SMALLINT, i INT, l BIGINT, f FLOAT, d DOUBLE, small DECIMAL(5,3), "
    "big DECIMAL(30,2), s STRING, bin BINARY, t BOOLEAN, da DATE, ts TIMESTAMP, tn TIMESTAMP_NTZ, "
    "st STRUCT<x: INT, y: ARRAY<STRING>>, "
    "ar ARRAY<INT>, ma MAP<STRING, DATE>)"
)
BATCH = 500
LITERALS = (
    "1",
    "-1",
    "-9223372036854775808",
    "'a' 'b'",
    "3000000000",
    "1.50",
    ".05",
    "1e3",
    "2L",
    "2.5D",
    "1.5BD",
    "'x'",
    "TRUE",
    "NULL",
    "DATE '2024-01-31'",
)
BINARY = ("+", "-", "*", "/", "%", "DIV", "||", "=", "<", "<=>", "<>", "AND", "OR", "LIKE", "RLIKE")
SQL_TYPES = (
    *("BOOLEAN", "TINYINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL", "DECIMAL(12,4)", "STRING", "BINARY", "DATE"),
    *("TIMESTAMP", "TIMESTAMP_NTZ"),
)
SHAPES = (
    *("-{}", "NOT {}", "{} IS NULL", "{} IS NOT TRUE", "({})", "int({})", "date({})", "{}::string", "-{}::double"),
    *("EXTRACT(YEAR FROM {})", "EXTRACT(minute FROM {})"),
)
PAIRS = (
    *(
        "{} BETWEEN {} AND NULL",
        "{} NOT IN ({}, 1)",
        "CASE WHEN {} > 1 THEN {} ELSE 1 END",
        "CASE {} WHEN {} THEN 1 END",
    ),
    *("{} < {} = TRUE", "({} = {}) IS NULL", "{}[{}]", "IF(t, {}, {})", "coalesce(NULL, {}, {})"),
)


def schema() -> StructType:
    node = parse(COLUMNS)
    assert isinstance(node, CreateTable)
    return StructType(tuple(StructField(column.name, column.type) for column in node.columns or ()))


def expressions() -> Iterator[str]:
    operands = (*schema().names, *LITERALS, "st.x", "st.y")
    for shape, one in product(SHAPES, operands):
        yield shape.format(one)
    for one, kind in product(operands, SQL_TYPES):
        yield f"CAST({one} AS {kind})"
    for one, other in product(operands, operands):
        yield from (f"{one} {operator} {other}" for operator in BINARY)
        yield from (shape.format(one, other) for shape in PAIRS)
    for name in FUNCTIONS:
        yield from (f"{name}({one})" for one in operands)
        yield from (
            f"{name}({one}, {other})" for one, other in product(operands, ("1", "2L", "'x'", "s", "i", "d", "ts"))
        )
        yield from (f"{name}({one}, 1, 'x')" for one in operands)
        yield from (f"{name}({one}, {one}, {one})" for one in operands)
    yield from (f"date_trunc('DAY', {one})" for one in operands)
    yield from (f"concat_ws('-', {one}, {one})" for one in operands)


# Without ANSI a sample will do: the types that depend on it are not known here at all.
@pytest.mark.parametrize(("ansi", "step"), [("true", 1), ("false", 7)])
def test_known_types_are_sparks(session: Session, ansi: str, step: int) -> None:
    columns = schema()
    known = {sql: kind for sql in dict.fromkeys(expressions()) if (kind := derived_type(sql, columns)) is not None}
    assert len(known) > 5_000
    session.sql(f"SET spark.sql.ansi.enabled = {ansi}")
    engine = session._engine.statement("")
    found = sparks_types(engine, columns, list(known)[::step])
    wrong = [f"{sql}: {kind} here, {found[sql]} in Spark" for sql in found if (kind := known[sql]) != found[sql]]
    assert not wrong, f"{len(wrong)} of {len(known)}\n" + "\n".join(wrong[:200])


def sparks_types(engine: InProcessFirst, columns: StructType, asked: list[str]) -> dict[str, DataType | str]:
    """The types that Spark gives, or what it says against an expression. Asks for many at once, which is faster."""
    if len(asked) > BATCH:
        halves = [asked[start : start + BATCH] for start in range(0, len(asked), BATCH)]
        return {sql: kind for part in halves for sql, kind in sparks_types(engine, columns, part).items()}
    try:
        return dict(zip(asked, engine.types([(null_row(columns), NULL_ROW)], asked), strict=True))
    except DeltaSqlError as error:
        if len(asked) == 1:
            return {asked[0]: str(error)[:150]}
        middle = len(asked) // 2
        first = sparks_types(engine, columns, asked[:middle])
        return first | sparks_types(engine, columns, asked[middle:])
