"""Expressions at the edges of their types, with what Spark says of each: `python -m tests.sail.grid` keeps that.

Operators, casts, conditions, mixed types and calls; the answers stand in grid_answers.json, by expression. Those with a
date or a time are asked in a second time zone as well.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

ANSWERS = Path(__file__).with_name("grid_answers.json")
ZONES = ("UTC", "America/New_York")
_VALUES = (
    *("127Y", "-128Y", "32767S", "2147483647", "-2147483648", "0", "7", "9223372036854775807L", "FLOAT(1.5)"),
    *("FLOAT(3.4e38)", "1.5D", "DOUBLE('NaN')", "DOUBLE('Infinity')", "1.25", "99999999999999999999999999999999999999"),
    *("''", "' 12 '", "'1.5'", "'abc'", "'2024-02-30'", "'2024-02-29'", "'true'", "DATE'2024-02-29'"),
    *("TIMESTAMP'2024-02-29 23:59:59.999999'", "TIMESTAMP'1969-12-31 23:59:59.5'"),
    *("TIMESTAMP_NTZ'2024-02-29 12:00:00'", "true", "X'41FF'", "NULL", "array(3,1,NULL,2)", "map('a',1,'b',NULL)"),
    *("named_struct('x',1,'y','z')", "INTERVAL '1 02:03:04.5' DAY TO SECOND"),
)
_TYPES = (
    *("TINYINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(5,2)", "STRING", "DATE", "TIMESTAMP", "TIMESTAMP_NTZ"),
    *("BOOLEAN", "BINARY", "ARRAY<INT>", "INTERVAL DAY TO SECOND"),
)
_NUMBERS = (
    *("127Y", "3Y", "32767S", "2147483647", "-2147483648", "9223372036854775807L", "FLOAT(1.5)", "1.5D", "1.25"),
    *("'12'", "NULL"),
)
_KINDS = (
    *("7", "1.5D", "1.25", "'abc'", "'2'", "DATE'2024-02-29'", "true", "X'41FF'", "NULL", "array(3,1)"),
    "INTERVAL '1 02:03:04.5' DAY TO SECOND",
)


_OF_ZONES = re.compile(r"DATE|TIMESTAMP|\d-\d")


class Expression(NamedTuple):
    """A query, and the time zone of the session that it is asked in."""

    sql: str
    zone: str

    @property
    def key(self) -> str:
        """The key of its answer."""
        return self.sql if self.zone == ZONES[0] else f"{self.sql} in {self.zone}"


def expressions() -> list[Expression]:
    """All of the grid, in order."""
    queries = list(dict.fromkeys(f"SELECT {text}" for text in _texts()))
    elsewhere = filter(_OF_ZONES.search, queries)
    return [*(Expression(sql, ZONES[0]) for sql in queries), *(Expression(sql, ZONES[1]) for sql in elsewhere)]


def _texts() -> Iterator[str]:
    for value in _VALUES:
        yield value
        for kind in _TYPES:
            yield f"CAST({value} AS {kind})"
        yield from (f"-({value})", f"~({value})", f"CASE WHEN {value} THEN 1 ELSE 2 END", f"IF({value},1,2)")
        yield f"1 WHERE {value}"
    for left, operator, right in product(_NUMBERS, ("+", "-", "*", "/", "%", "div"), _NUMBERS):
        yield f"{left} {operator} {right}"
    for left, right in product(_KINDS, _KINDS):
        for operator in ("+", "||", "&"):
            yield f"{left} {operator} {right}"
        yield f"coalesce({left},{right})"
        yield f"CASE WHEN true THEN {left} ELSE {right} END"
        yield f"array({left},{right})"


def plain(rows: Iterable[Iterable[Any]]) -> list[list[Any]]:
    """Rows as JSON holds them."""
    return [[_plain(value) for value in row] for row in rows]


def _plain(value: Any) -> Any:
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return repr(value)
        case bytes() | bytearray():
            return "X" + bytes(value).hex()
        case dict():
            return {"map": sorted(([_plain(key), _plain(item)] for key, item in value.items()), key=str)}
        case tuple() if hasattr(value, "__fields__"):
            return {"struct": [[key, _plain(item)] for key, item in zip(value.__fields__, value, strict=True)]}
        case list() | tuple():
            return [_plain(item) for item in value]
    return f"{type(value).__name__}:{value}"


def answered(frame: Any) -> dict[str, Any]:
    """The types and the rows of a DataFrame."""
    return {"t": [field.dataType.simpleString() for field in frame.schema], "r": plain(frame.collect())}


def difference(kept: dict[str, Any], own: dict[str, Any]) -> str:
    """What another engine says otherwise without saying so; "" where it fails or says the same."""
    if "e" in own or kept == own:
        return ""
    return f"{kept.get('e') or kept} there, {own} here"


_ARRAY_OF_AN_ATOM = re.compile(r"SELECT CAST\((?!array|map|named_struct|NULL).* AS ARRAY<INT>\)")


def is_known(sql: str, kept: dict[str, Any]) -> bool:
    """Whether docs/sail.md says that this one differs: an atom as an array, a NULL's type."""
    void = re.search(r"NULL [-+*/%&] |[-+*/%&] NULL|WHEN NULL|WHERE NULL|IF\(NULL|(?:/ |^SELECT )NULL", sql)
    # A literal of 38 digits cannot be negated in Spark.
    longest = sql == f"SELECT -({'9' * 38})"
    return bool(_ARRAY_OF_AN_ATOM.match(sql) or void or longest)


def main() -> None:
    """Asks Spark all of it."""
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.master("local[2]").getOrCreate()
    answers = dict[str, Any]()
    for expression in expressions():
        spark.conf.set("spark.sql.session.timeZone", expression.zone)
        try:
            answers[expression.key] = answered(spark.sql(expression.sql))
        except PySparkException as error:
            answers[expression.key] = {"e": error.getCondition()}
        except (OverflowError, ValueError) as error:
            answers[expression.key] = {"e": type(error).__name__}
    lines = (f"{json.dumps(sql)}: {json.dumps(answer)}" for sql, answer in answers.items())
    ANSWERS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
