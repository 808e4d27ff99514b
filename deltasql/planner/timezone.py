"""The session's time zone, in which timestamps without a zone are read."""

from __future__ import annotations

import os
from datetime import datetime, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo


def zone(name: str | None) -> tzinfo:
    """The zone of a name; without one the machine's own."""
    if name:
        return ZoneInfo(name)
    local = datetime.now().astimezone().tzinfo
    assert local is not None
    return local


def machine_zone_name() -> str | None:
    """The machine's zone as the JVM calls it, or None where it does not say."""
    named = os.environ.get("TZ", "").lstrip(":")
    if named and not named.startswith("/"):
        return named
    parts = Path("/etc/localtime").resolve().parts
    return "/".join(parts[parts.index("zoneinfo") + 1 :]) or None if "zoneinfo" in parts else None
