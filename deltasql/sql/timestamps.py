"""TIMESTAMP AS OF: the point in time that an expression stands for."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timezone
from typing import Any

from deltasql.errors.log import TimestampInvalidError
from deltasql.schema.timezone import parse_timestamp, zone

_LITERAL = re.compile(r"^(?:TIMESTAMP\s*|DATE\s*)?'([^'\\]*)'$", re.IGNORECASE)
_SUFFIX = re.compile(r"^(\d{17})$")


def timestamp_of(text: str, time_zone: str | None, evaluate: Callable[[str], Any]) -> int:
    """Microseconds since the epoch, UTC, of a timestamp expression; a date is its midnight in `time_zone`.

    A string literal is read here; `evaluate` gives the value of any other expression. Raises TimestampInvalidError.
    """
    text = text.strip()
    literal = _LITERAL.match(text) or _SUFFIX.match(text)
    if literal is None:
        value = evaluate(f"CAST({text} AS TIMESTAMP)")
        if not isinstance(value, datetime):
            raise TimestampInvalidError(expression=text)
        return to_micros(value if value.tzinfo else value.astimezone())
    moment = parse_timestamp(literal[1].strip())
    if moment is None:
        raise TimestampInvalidError(expression=text)
    return to_micros(moment if moment.tzinfo else moment.replace(tzinfo=zone(time_zone)))


def to_micros(moment: datetime) -> int:
    """Microseconds since the epoch of an aware datetime, exactly."""
    delta = moment - datetime(1970, 1, 1, tzinfo=timezone.utc)
    return (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds
