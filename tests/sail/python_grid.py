"""Functions of Python by the types of their arguments and results: `python -m tests.sail.python_grid` asks Spark."""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import deltasql
from tests.sail.grid import answered

ANSWERS = Path(__file__).with_name("python_answers.json")
VALUES = {
    "BOOLEAN": ("true", "false"),
    "TINYINT": ("-128", "7"),
    "SMALLINT": ("-32768", "7"),
    "INT": ("-2147483648", "7"),
    "BIGINT": ("-9223372036854775808", "7"),
    "FLOAT": ("1.1F", "'NaN'", "'-Infinity'", "-0.0F"),
    "DOUBLE": ("1.1D", "'NaN'", "'Infinity'", "1e300D", "-0.0D"),
    "DECIMAL(10,2)": ("1.5BD", "-99999999.99BD", "0"),
    "DECIMAL(38,18)": ("12345678901234567890.123456789012345678BD", "0"),
    "DECIMAL(5,0)": ("12", "-99999"),
    "STRING": ("'a'", "''", "'ä 😀'", r"'it\'s'"),
    "BINARY": ("X'00ff'", "X''"),
    "DATE": ("DATE'2024-02-29'", "DATE'1500-01-01'", "DATE'9999-12-31'"),
    "TIMESTAMP": ("TIMESTAMP'2024-01-02 03:04:05.678901'", "TIMESTAMP'1969-12-31 23:59:59.5'", "TIMESTAMP'2024-07-01'"),
    "TIMESTAMP_NTZ": ("TIMESTAMP_NTZ'2024-01-02 03:04:05.678901'", "TIMESTAMP_NTZ'1969-12-31 23:59:59.5'"),
    "ARRAY<INT>": ("array(1, NULL, 3)", "array()"),
    "ARRAY<STRING>": ("array('a', NULL)",),
    "ARRAY<DOUBLE>": ("array(1.5D, NULL)",),
    "ARRAY<DECIMAL(10,2)>": ("array(1.5BD, NULL)",),
    "ARRAY<DATE>": ("array(DATE'2024-02-29', NULL)",),
    "ARRAY<TIMESTAMP>": ("array(TIMESTAMP'2024-01-02 03:04:05', NULL)",),
    "ARRAY<BINARY>": ("array(X'00ff', NULL)",),
    "ARRAY<ARRAY<INT>>": ("array(array(1), array(2, 3))",),
    "MAP<STRING, INT>": ("map('k', 1)", "map('l', 2)"),
    "MAP<INT, STRING>": ("map(2, 'b')",),
    "MAP<STRING, ARRAY<INT>>": ("map('k', array(1))",),
    "STRUCT<x: INT, y: STRING>": ("named_struct('x', 1, 'y', 'a')", "named_struct('x', NULL, 'y', NULL)"),
    "STRUCT<d: DATE, n: DECIMAL(10,2)>": ("named_struct('d', DATE'2024-02-29', 'n', 1.5BD)",),
    "STRUCT<s: STRUCT<z: INT>, a: ARRAY<INT>>": ("named_struct('s', named_struct('z', 1), 'a', array(1, 2))",),
    "ARRAY<STRUCT<x: INT>>": ("array(named_struct('x', 1), NULL)",),
    "MAP<STRING, STRUCT<x: INT>>": ("map('k', named_struct('x', 1))",),
    "INTERVAL DAY TO SECOND": ("INTERVAL '1 02:03:04.5' DAY TO SECOND",),
    "INTERVAL YEAR TO MONTH": ("INTERVAL '1-2' YEAR TO MONTH",),
    "VARIANT": ("parse_json('{\"a\": 1}')",),
    "CHAR(3)": ("'a'",),
    "VARCHAR(3)": ("'a'",),
}
"""Types with values of them, each beside NULL."""
RESULTS = (
    *("None", "1", "True", "300", "2**70", "1.5", "float('nan')", "'7'", "'a'", "b'x'", "bytearray(b'x')"),
    *("Decimal('1.25')", "Decimal('1.255')", "Decimal('1e20')", "date(2024, 1, 2)", "datetime(2024, 1, 2, 3, 4, 5, 6)"),
    *("datetime(2024, 1, 2, 3, tzinfo=timezone.utc)", "timedelta(hours=1)", "[1, None]", "(1, 'a')", "['a']", "[1.5]"),
    *("{'k': 1}", "{'x': 1, 'y': 'a'}", "{'y': 'a'}", "{1: 'a'}", "range(2)", "complex(1, 2)"),
)
"""Values of Python that a function returns."""
RETURNED = (
    *(
        "BOOLEAN",
        "TINYINT",
        "INT",
        "BIGINT",
        "FLOAT",
        "DOUBLE",
        "DECIMAL(10,2)",
        "STRING",
        "BINARY",
        "DATE",
        "TIMESTAMP",
    ),
    *("TIMESTAMP_NTZ", "ARRAY<INT>", "MAP<STRING, INT>", "STRUCT<x: INT, y: STRING>"),
)
TABLES = (
    *("BOOLEAN", "TINYINT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(10,2)", "STRING", "BINARY", "DATE", "TIMESTAMP"),
    *("TIMESTAMP_NTZ", "ARRAY<INT>", "MAP<STRING, INT>", "STRUCT<x: INT, y: STRING>", "ARRAY<STRUCT<x: INT>>"),
)
"""Types of parameters and columns of table functions."""
_IMPORTS = "from datetime import date, datetime, timedelta, timezone\nfrom decimal import Decimal\n"
ZONES = ("UTC", "America/New_York")


class Call(NamedTuple):
    """A function and a query that calls it."""

    function: str
    query: str
    zone: str = ZONES[0]

    @property
    def key(self) -> str:
        returned = self.function.replace(_IMPORTS, "").replace(f"[{', '.join(RESULTS)}]", "VALUES")
        return f"{returned} | {self.query} | {self.zone}"


def calls() -> Iterator[Call]:
    """All of the grid."""
    for kind, values in VALUES.items():
        zones = ZONES if "TIMESTAMP" in kind else ZONES[:1]
        rows = ", ".join(f"({number}, CAST({value} AS {kind}))" for number, value in enumerate(("NULL", *values)))
        for zone in zones:
            for returns, body in (("STRING", 'f"{type(x).__name__} {x!r}"'), (kind, "x")):
                code = f"(x {kind}) RETURNS {returns} LANGUAGE PYTHON AS $$ return {body} $$"
                yield Call(code, f"SELECT n, f(v) AS r FROM VALUES {rows} AS t(n, v) ORDER BY n", zone)
    for kind in RETURNED:
        listed = f"[{', '.join(RESULTS)}]"
        code = f"(i INT) RETURNS {kind} LANGUAGE PYTHON AS $$\n{_IMPORTS}return {listed}[i]\n$$"
        for number, value in enumerate(RESULTS):
            yield Call(code, f"SELECT f({number}) AS r -- {value}")
    for kind in TABLES:
        code = (
            f"(x {kind}, n INT) RETURNS TABLE (r {kind}, n INT) LANGUAGE PYTHON HANDLER 'F' AS $$\nclass F:\n"
            "    def eval(self, x, n):\n        for number in range(n):\n            yield x, number\n$$"
        )
        for value in ("NULL", *VALUES[kind]):
            yield Call(code, f"SELECT * FROM f(CAST({value} AS {kind}), 2) ORDER BY n")
        first, last = VALUES[kind][0], VALUES[kind][-1]
        rows = f"VALUES (1, CAST({first} AS {kind})), (0, NULL), (2, CAST({last} AS {kind})) AS t(k, v)"
        yield Call(code, f"SELECT k, q.r, q.n FROM {rows}, LATERAL f(v, k) AS q ORDER BY k, n")


_CREATED = list[tuple[str, str]]()


def answer(session: deltasql.Session, call: Call) -> dict[str, Any]:
    """The result of a call of a function."""
    try:
        if _CREATED[-1:] != [(call.function, call.zone)]:
            session.sql(f"SET spark.sql.session.timeZone = {call.zone}")
            session.sql(f"CREATE OR REPLACE FUNCTION f{call.function}")
            _CREATED.append((call.function, call.zone))
        return answered(session.sql(call.query).df)
    except deltasql.DeltaSqlError as error:
        return {"e": error.condition}
    except Exception as error:
        return {"e": type(error).__name__}


def main() -> None:
    """Asks Spark all of it."""
    os.environ["TZ"] = "UTC"
    time.tzset()
    with tempfile.TemporaryDirectory() as place, deltasql.connect(place) as session:
        answers = {call.key: answer(session, call) for call in calls()}
    lines = (f"{json.dumps(key)}: {json.dumps(value)}" for key, value in answers.items())
    ANSWERS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
