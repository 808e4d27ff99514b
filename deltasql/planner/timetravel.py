"""TIMESTAMP AS OF: the point in time that an expression stands for."""

from __future__ import annotations

import re
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from deltasql.errors.view import TimestampInvalidError
from deltasql.planner.timezone import zone

if TYPE_CHECKING:
    from deltasql.planner.context import Context

_LITERAL = re.compile(r"^(?:TIMESTAMP\s*|DATE\s*)?'([^'\\]*)'$", re.IGNORECASE)
_SUFFIX = re.compile(r"^(\d{17})$")
_FRACTION = re.compile(r"\.(\d{1,9})")


def timestamp_of(text: str, context: Context) -> int:
    """Microseconds since the epoch, UTC, of a timestamp expression; a date is its midnight in the session's zone.

    A string literal is read here; any other expression is computed by Spark. Raises TimestampInvalidError.
    """
    text = text.strip()
    literal = _LITERAL.match(text) or _SUFFIX.match(text)
    if literal is None:
        value = context.analyst.value(f"CAST({text} AS TIMESTAMP)")
        if not isinstance(value, datetime):
            raise TimestampInvalidError(expression=text)
        return to_micros(value if value.tzinfo else value.astimezone())
    moment = _parse(literal[1].strip())
    if moment is None:
        raise TimestampInvalidError(expression=text)
    return to_micros(moment if moment.tzinfo else moment.replace(tzinfo=zone(context.time_zone)))


def to_micros(moment: datetime) -> int:
    """Microseconds since the epoch of an aware datetime, exactly."""
    delta = moment - datetime(1970, 1, 1, tzinfo=timezone.utc)
    return (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds


def _parse(text: str) -> datetime | None:
    if _SUFFIX.match(text):
        return datetime.strptime(text + "000", "%Y%m%d%H%M%S%f")
    # fromisoformat of Python 3.10 reads three or six digits of a second only, and no Z.
    text = _FRACTION.sub(lambda match: "." + match[1][:6].ljust(6, "0"), text)
    text = re.sub(r"\s*(?:Z|UTC|GMT)$", "+00:00", text)
    text = re.sub(r"^(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?(?=$|[ T])", _full_date, text)
    text = re.sub(r"^(\S{10})[ T](\d{1,2}):(\d{1,2})(?=$|[.+\-:])", r"\1 \2:\3", text)
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _full_date(match: re.Match[str]) -> str:
    return f"{match[1]}-{int(match[2] or 1):02d}-{int(match[3] or 1):02d}"
