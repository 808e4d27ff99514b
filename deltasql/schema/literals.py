"""Python values as SQL that Spark parses."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any

from deltasql.schema.text import text_sql
from deltasql.schema.type_lattice import fits
from deltasql.schema.types import INTEGER, LONG


def sql_literal(value: Any) -> str:
    """SQL of a value. Raises TypeError for one that has no literal."""
    match value:
        case None:
            return "NULL"
        case bool():
            return "TRUE" if value else "FALSE"
        case int():
            return _integer(value)
        case float():
            # NaN and the infinities have no literal of their own.
            return f"{value!r}D" if value - value == 0 else f"CAST('{value}' AS DOUBLE)"
        case Decimal():
            return f"{value:f}BD"
        case str():
            return text_sql(value)
        case bytes():
            return f"X'{value.hex()}'"
        case datetime():
            return f"TIMESTAMP{'' if value.tzinfo else '_NTZ'} '{value.isoformat(sep=' ')}'"
        case date():
            return f"DATE '{value.isoformat()}'"
        case list() | tuple():
            return f"array({', '.join(sql_literal(item) for item in value)})"
        case dict():
            return f"map({', '.join(sql_literal(item) for pair in value.items() for item in pair)})"
        case _:
            raise TypeError(type(value).__name__)


def _integer(value: int) -> str:
    """As short a type as Spark gives the number itself: INT, BIGINT, then DECIMAL."""
    if fits(value, INTEGER):
        return str(value)
    return f"{value}L" if fits(value, LONG) else f"{value}BD"
