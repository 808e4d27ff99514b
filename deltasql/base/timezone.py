"""Timestamps as text, and the session's time zone, in which those without a zone are read."""

from __future__ import annotations

import os
import re
from datetime import datetime, timedelta, timezone, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from deltasql.base import errors

_OFFSET = re.compile(r"(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::?(\d{1,2}))?(?::?(\d{2}))?")
_MOST_SECONDS = 18 * 3600
_ONLY_OF_PYTHON = re.compile(r"(?:posix|right)/.*|localtime|posixrules|Factory")
_SHORT_NAMES = {
    "Z": "UTC",
    "UT": "UTC",
    "ACT": "Australia/Darwin",
    "AET": "Australia/Sydney",
    "ART": "Africa/Cairo",
    "AGT": "America/Argentina/Buenos_Aires",
    "AST": "America/Anchorage",
    "BET": "America/Sao_Paulo",
    "BST": "Asia/Dhaka",
    "CAT": "Africa/Harare",
    "CNT": "America/St_Johns",
    "CST": "America/Chicago",
    "CTT": "Asia/Shanghai",
    "EAT": "Africa/Addis_Ababa",
    "ECT": "Europe/Paris",
    "IST": "Asia/Kolkata",
    "IET": "America/Indiana/Indianapolis",
    "JST": "Asia/Tokyo",
    "MIT": "Pacific/Apia",
    "NET": "Asia/Yerevan",
    "NST": "Pacific/Auckland",
    "PLT": "Asia/Karachi",
    "PNT": "America/Phoenix",
    "PRT": "America/Puerto_Rico",
    "PST": "America/Los_Angeles",
    "SST": "Pacific/Guadalcanal",
    "VST": "Asia/Ho_Chi_Minh",
}
"""Java's abbreviations, which Spark accepts; those that Python reads in the same way are left out."""
_COMPACT = re.compile(r"\d{17}")
_FRACTION = re.compile(r"\.(\d{1,9})")


def zone(name: str | None) -> tzinfo:
    """The zone of a name or of an offset (`+09:00`, `UTC-3`); without one the machine's own.

    Raises InvalidSettingError for a name that is no zone.
    """
    if name:
        return _offset(name) or _named(name)
    local = datetime.now().astimezone().tzinfo
    assert local is not None
    return local


def is_zone(name: str) -> bool:
    """Whether a name or an offset is a time zone."""
    try:
        zone(name)
    except errors.InvalidSettingError:
        return False
    return bool(name)


def _named(name: str) -> tzinfo:
    try:
        if _ONLY_OF_PYTHON.fullmatch(name):
            raise ValueError(name)
        return ZoneInfo(_SHORT_NAMES.get(name, name))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        expected = "the name of a zone such as Europe/Paris, or an offset such as +01:00"
        raise errors.InvalidSettingError(key="spark.sql.session.timeZone", value=name, expected=expected) from None


def _offset(name: str) -> tzinfo | None:
    match = _OFFSET.fullmatch(name)
    if match is None:
        return None
    sign, hours, minutes, seconds = match.groups()
    length = timedelta(hours=int(hours), minutes=int(minutes or 0), seconds=int(seconds or 0))
    if length.total_seconds() > _MOST_SECONDS:
        return None
    return timezone(-length if sign == "-" else length)


def offset_name(seconds: int) -> str | None:
    """The name of a zone with a fixed offset in seconds, such as `-08:30`, as Java writes it; None beyond 18 hours."""
    if abs(seconds) > _MOST_SECONDS:
        return None
    if seconds == 0:
        return "Z"
    hours, rest = divmod(abs(seconds), 3600)
    name = f"{'-' if seconds < 0 else '+'}{hours:02d}:{rest // 60:02d}"
    return f"{name}:{rest % 60:02d}" if rest % 60 else name


def machine_zone_name() -> str | None:
    """The machine's zone as the JVM calls it, or None where it does not say."""
    named = os.environ.get("TZ", "").lstrip(":")
    if named and not named.startswith("/"):
        return named
    parts = Path("/etc/localtime").resolve().parts
    return "/".join(parts[parts.index("zoneinfo") + 1 :]) or None if "zoneinfo" in parts else None


def parse_timestamp(text: str) -> datetime | None:
    """A timestamp or date as Spark and Delta write it, aware if the text names a zone; None if it is none."""
    if _COMPACT.fullmatch(text):
        return datetime.strptime(text + "000", "%Y%m%d%H%M%S%f")
    # fromisoformat of Python 3.10 reads three or six digits of a second only, and no Z.
    text = _FRACTION.sub(lambda match: "." + match[1][:6].ljust(6, "0"), text)
    text = re.sub(r"(?<!\s)\s*(?:Z|UTC|GMT)$", "+00:00", text)
    text = re.sub(r"^(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?(?=$|[ T])", _full_date, text)
    text = re.sub(r"^(\S{10})[ T](\d{1,2}):(\d{1,2})(?=$|[.+\-:])", r"\1 \2:\3", text)
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _full_date(match: re.Match[str]) -> str:
    return f"{match[1]}-{int(match[2] or 1):02d}-{int(match[3] or 1):02d}"
