"""Session variables for an engine without variables, stored in this process."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.schema.text import sql_literal, sql_text
from deltasql.schema.types import (
    BINARY,
    BOOLEAN,
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VOID,
    DataType,
    DecimalType,
)

_AS_TEXT = frozenset({BYTE, SHORT, INTEGER, LONG, FLOAT, DOUBLE, DATE, TIMESTAMP_NTZ})


@dataclass(frozen=True, slots=True)
class SessionVariable:
    """A variable: the SQL of its value, None where there is no literal of its type, and of its default."""

    name: str
    type: DataType
    literal: str | None
    default: str


def typed_literal(value: Any, kind: DataType) -> str | None:
    """SQL of a value that Arrow has given, which has this type; None where there is none that is certain.

    Numbers are casts of texts, which no engine takes for the number of a column in GROUP BY.
    """
    if kind == VOID:
        return "NULL"
    has_literal = isinstance(kind, DecimalType) or kind in {*_AS_TEXT, BOOLEAN, STRING, BINARY, TIMESTAMP}
    if not has_literal:
        return None
    if value is None:
        return f"CAST(NULL AS {sql_text(kind)})"
    if kind in {BOOLEAN, BINARY}:
        return sql_literal(value)
    if kind == STRING:
        return f"({sql_literal(value)})"
    if kind == TIMESTAMP:
        if not isinstance(value, datetime) or value.tzinfo is None:
            return None
        text = value.astimezone(timezone.utc).isoformat(sep=" ")
        return f"TIMESTAMP'{text}'"
    text = f"{value:f}" if isinstance(kind, DecimalType) else str(value)
    return f"CAST('{text}' AS {sql_text(kind)})"


_VARIABLES: weakref.WeakKeyDictionary[SparkHandle, dict[str, SessionVariable]] = weakref.WeakKeyDictionary()


def variables_of(session: SparkHandle) -> dict[str, SessionVariable]:
    """The variables of a session whose engine has none, by name in capitals."""
    return _VARIABLES.setdefault(session, {})
