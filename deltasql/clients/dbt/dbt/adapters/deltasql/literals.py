"""The values of a seed as plain literals of SQL, which deltasql writes without starting Spark."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from deltasql.schema import quote_text

_NUMBERS = re.compile(r"(tinyint|byte|smallint|short|int|integer|bigint|long|float|real|double|dec|decimal|numeric)\b")
_WHOLE = re.compile(r"(tinyint|byte|smallint|short|int|integer|bigint|long)\b")
_PLAIN = {
    "boolean": re.compile(r"true|false", re.IGNORECASE),
    "date": re.compile(r"\d{4}-\d\d-\d\d"),
}


def seed_literal(value: Any, kind: str | None = None) -> str:
    """A value of a CSV file as SQL. `kind` is the type that the user gave its column, whose values came as texts."""
    if value is None or kind is None or kind.lower() == "string":
        return literal(value)
    text, kind = str(value).strip(), kind.lower()
    digits = r"-?(0|[1-9]\d*)" if _WHOLE.match(kind) else r"-?(0|[1-9]\d*)(\.\d+)?"
    if _NUMBERS.match(kind) and re.fullmatch(digits, text):
        return text
    if kind in _PLAIN and _PLAIN[kind].fullmatch(text):
        return f"DATE {quote_text(text)}" if kind == "date" else text.upper()
    return f"CAST({literal(value)} AS {kind})"


def bound(sql: str, bindings: Sequence[Any] | None) -> str:
    """`sql` with a literal for each `%s`; without bindings as it is, for a LIKE may have one."""
    if bindings is None:
        return sql
    parts = sql.split("%s")
    if len(parts) != len(bindings) + 1:
        raise ValueError(f"{len(parts) - 1} places for {len(bindings)} values")
    return parts[0] + "".join(literal(value) + rest for value, rest in zip(bindings, parts[1:], strict=True))


def literal(value: Any) -> str:
    """A value of an agate table as SQL."""
    match value:
        case None:
            return "NULL"
        case bool():
            return str(value).upper()
        case int() | float():
            return repr(value)
        case Decimal():
            return f"{value:f}"
        case datetime():
            return f"TIMESTAMP {quote_text(value.isoformat(sep=' '))}"
        case date():
            return f"DATE {quote_text(value.isoformat())}"
        case _:
            return quote_text(str(value))
