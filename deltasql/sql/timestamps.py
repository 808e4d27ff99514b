"""TIMESTAMP AS OF: the point in time of an expression.

Reads one literal, or the 17 digits of a name's suffix; any other expression is evaluated by Spark.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

from deltasql.errors.versions import TimestampInvalidError
from deltasql.schema.timezone import parse_timestamp, zone
from deltasql.sql.constants import micros_of, unquote
from deltasql.sql.tokens import tokenize

_SUFFIX = re.compile(r"\d{17}")


def timestamp_of(text: str, time_zone: str | None, evaluate: Callable[[str], Any]) -> int:
    """Microseconds since the epoch, UTC, of a timestamp expression; a date is its midnight in `time_zone`.

    A string literal is read here; `evaluate` gives the value of any other expression. Raises TimestampInvalidError.
    """
    text = text.strip()
    written = text if _SUFFIX.fullmatch(text) else written_moment(text)
    if written is None:
        value = evaluate(f"CAST({text} AS TIMESTAMP)")
        if not isinstance(value, datetime):
            raise TimestampInvalidError(expression=text)
        return micros_of(value if value.tzinfo else value.astimezone())
    moment = parse_timestamp(written.strip())
    if moment is None:
        raise TimestampInvalidError(expression=text)
    return micros_of(moment if moment.tzinfo else moment.replace(tzinfo=zone(time_zone)))


def written_moment(expression: str) -> str | None:
    """The text in `[TIMESTAMP | DATE] 'text'`; None for any other expression, and for a text with escapes."""
    tokens = tokenize(expression)
    if len(tokens) == 2 and tokens[0].key in {"TIMESTAMP", "DATE"}:
        tokens = tokens[1:]
    is_text = len(tokens) == 1 and tokens[0].kind == "string" and "\\" not in tokens[0].text
    return unquote(tokens[0].text) if is_text else None
