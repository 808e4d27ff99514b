"""What differs from run to run, replaced by what does not."""

from __future__ import annotations

import datetime as dt
import re
from typing import Any

from deltasql.schema.types import ArrayType, DataType, MapType, StructType

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_CLOCK = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?")
_MILLISECONDS = re.compile(r"\b\d{13}\b")
_NEAR = dt.timedelta(days=2)

_SIZES = re.compile(r"(bytes\w*|size\w*|(time|duration)(ms)?)$|^(time|duration)", re.IGNORECASE)
_PLACE = re.compile(r"^(engine_?info|user_?(id|name)|tags)$", re.IGNORECASE)
_DISTRIBUTION = frozenset({"min", "max", "avg"})


class Normalizer:
    """Placeholders for one file: equal uuids get equal numbers, so that one can still be told from another."""

    def __init__(self, warehouse: str) -> None:
        self._warehouse = re.compile(rf"(?:file:(?://)?)?{re.escape(warehouse)}")
        self._uuids: dict[str, int] = {}
        self._now = dt.datetime.now(dt.timezone.utc)

    def text(self, text: str) -> str:
        """`text` with `$WAREHOUSE`, `<uuid-1>`, `<time>` and `<ms>`: clocks count only when they are near now."""
        text = self._warehouse.sub("$WAREHOUSE", text)
        text = _UUID.sub(self._uuid, text)
        text = _CLOCK.sub(self._clock, text)
        return _MILLISECONDS.sub(self._milliseconds, text)

    def _uuid(self, match: re.Match[str]) -> str:
        return f"<uuid-{self._uuids.setdefault(match[0].lower(), len(self._uuids) + 1)}>"

    def _clock(self, match: re.Match[str]) -> str:
        text = re.sub(r"(\.\d{1,6})\d*", lambda part: part[1].ljust(7, "0"), match[0].replace("Z", "+00:00"))
        text = re.sub(r"([+-]\d\d)(\d\d)$", r"\1:\2", text)
        try:
            moment = dt.datetime.fromisoformat(text)
        except ValueError:
            return match[0]
        aware = moment if moment.tzinfo else moment.replace(tzinfo=dt.timezone.utc)
        return "<time>" if abs(aware - self._now) < _NEAR else match[0]

    def _milliseconds(self, match: re.Match[str]) -> str:
        distance = abs(int(match[0]) / 1000 - self._now.timestamp())
        return "<ms>" if distance < _NEAR.total_seconds() else match[0]


def is_measure(name: str) -> bool:
    """Whether a metric of this name counts bytes or time, which differ from machine to machine."""
    return _SIZES.search(name) is not None


def masked(value: Any, kind: DataType, name: str = "", parent: str = "") -> Any:
    """A value of a command's output with sizes, durations and the machine's own facts as a `<name>` placeholder.

    Only for commands: what a user's query returns is never hidden.
    """
    if value is None:
        return None
    if is_measure(name) or _PLACE.match(name) or (name in _DISTRIBUTION and parent.lower().startswith("files")):
        return f"<{name}>"
    match kind:
        case StructType():
            return [masked(item, part.type, part.name, name) for item, part in zip(value, kind, strict=True)]
        case MapType(value=inner):
            return {key: masked(item, inner, str(key), name) for key, item in value.items()}
        case ArrayType(element=element):
            return [masked(item, element, "", name) for item in value]
        case _:
            return value
