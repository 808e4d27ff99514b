"""Comparisons of every pair of types over a grid: `python -m tests.sail.comparisons` asks Spark for the answers.

Each query compares all values of one type with all values of another one, in one time zone. The answers of Spark are in
comparison_answers.json: a letter for each result (T, F, N for NULL), or the condition of the error.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

ANSWERS = Path(__file__).with_name("comparison_answers.json")
ZONES = ("UTC", "America/New_York")
_WHOLE = ("0", "1", "-1", "16777217")
_NUMBERS: dict[str, tuple[str, ...]] = {
    "TINYINT": ("0", "1", "127", "-128"),
    "INT": (*_WHOLE, "2147483647", "-2147483648"),
    "BIGINT": (*_WHOLE, "9007199254740993", "9223372036854775807", "-9223372036854775808"),
    "FLOAT": ("0", "-0.0", "0.1", "1", "16777216", "3.4e38", "NaN", "Infinity"),
    "DOUBLE": (*_WHOLE, "-0.0", "0.1", "0.30000000000000004", "9007199254740992", "1e308", "NaN", "-Infinity"),
    "DECIMAL(5,2)": ("0", "0.10", "0.30", "1", "-999.99"),
    "DECIMAL(38,18)": (*_WHOLE, "0.1", "0.300000000000000040", "9007199254740993"),
}
_TIMES: dict[str, tuple[str, ...]] = {
    "DATE": ("0001-01-01", "1582-10-15", "1883-11-18", "1969-12-31", "2024-01-01", "2024-03-10", "9999-12-31"),
    "TIMESTAMP": (
        *("2024-01-01T00:00:00Z", "2024-01-01T05:00:00Z", "2024-03-10T07:00:00Z", "2024-03-10T07:30:00Z"),
        *("2024-11-03T05:30:00Z", "2024-11-03T06:30:00Z", "1883-11-18T17:00:00Z", "1969-12-31T23:59:59.999999Z"),
    ),
    "TIMESTAMP_NTZ": (
        *("2024-01-01T00:00:00", "2024-01-01T05:00:00", "2024-03-10T02:30:00", "2024-11-03T01:30:00"),
        *("1582-10-15T00:00:00", "1883-11-18T12:00:00", "1969-12-31T23:59:59.999999"),
    ),
}
_OTHERS: dict[str, tuple[str, ...]] = {"BOOLEAN": ("true", "false"), "BINARY": ("", "A", "AB", "é")}
TYPES: dict[str, tuple[str, ...]] = {**_NUMBERS, **_TIMES, **_OTHERS, "STRING": ("", "A", "a", " A", "é")}
_FORMS = (
    ("l = r", "l <=> r", "l <> r", "l < r", "l >= r"),
    ("l IN (r)", "l NOT IN (r, r)"),
    ("l BETWEEN r AND r",),
    ("CASE l WHEN r THEN true ELSE false END",),
    ("nullif(l, r) IS NULL",),
)


class Comparison(NamedTuple):
    """One query, the time zone of the session that it is asked in, and the key of its answer."""

    key: str
    zone: str
    sql: str


def comparisons() -> list[Comparison]:
    """All queries of the grid. Time zones count only where both types are times, or one is and the other is a text."""
    return list(_comparisons())


def _comparisons() -> Iterator[Comparison]:
    for left in TYPES:
        for right in TYPES:
            zones = ZONES if {left, right} & {*_TIMES} else ZONES[:1]
            relations = f"{_rows(left, right, 'a(i, l)')} CROSS JOIN {_rows(right, left, 'b(j, r)')}"
            for forms in _FORMS:
                sql = f"SELECT {', '.join(forms)} FROM {relations} ORDER BY i, j"
                yield from (Comparison(f"{left}, {right}, {zone}: {forms[0]}", zone, sql) for zone in zones)


def _rows(kind: str, other: str, name: str) -> str:
    """The values of a type, and NULL; those of STRING are texts that the other type can be made of."""
    values = TYPES[other] if kind == "STRING" else TYPES[kind]
    rows = [f"({at}, CAST('{value}' AS {kind}))" for at, value in enumerate(values)]
    return f"(VALUES {', '.join(rows)}, ({len(rows)}, CAST(NULL AS {kind}))) AS {name}"


def results(rows: Iterable[Iterable[Any]]) -> str:
    """A letter for each result, row by row."""
    return "".join({True: "T", False: "F", None: "N"}[value] for row in rows for value in row)


def main() -> None:
    """Asks Spark all of it."""
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    spark.conf.set("spark.sql.shuffle.partitions", "1")
    answers = dict[str, str]()
    for comparison in comparisons():
        spark.conf.set("spark.sql.session.timeZone", comparison.zone)
        try:
            answers[comparison.key] = results(spark.sql(comparison.sql).collect())
        except PySparkException as error:
            answers[comparison.key] = error.getCondition() or ""
    lines = (f"{json.dumps(key)}: {json.dumps(answer)}" for key, answer in answers.items())
    ANSWERS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
