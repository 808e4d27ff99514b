"""The text of one value, as Spark shows it, and its JSON.

Conditions of errors as text: their causes, messages and remedies, out of the classes of errors.
"""

from __future__ import annotations

import base64
import datetime as dt
import json
import math
import struct
from collections import defaultdict
from decimal import Decimal
from functools import cache
from importlib import import_module
from pkgutil import walk_packages
from typing import Any
from zoneinfo import ZoneInfo

import deltasql.base.errors
from deltasql.base.errors.base import DeltaSqlError, help_text
from deltasql.base.errors.suggestion import did_you_mean
from deltasql.base.errors.usage import UnknownConditionError
from deltasql.schema.types import TIMESTAMP, ArrayType, DataType, MapType, PrimitiveType, StructType

_FLOAT = PrimitiveType("float")


def value_text(value: Any, kind: DataType, time_zone: str = "") -> str:
    """`{1, a}` for structs, `[1, 2]` for arrays, `{k -> v}` for maps, `NULL` at any depth, `[0A FF]` for bytes.

    A TIMESTAMP is told in `time_zone` (a zone name; "" is the machine's own); a naive one is a clock of this machine.
    A TIMESTAMP_NTZ stands as it is.
    """
    if value is None:
        return "NULL"
    match kind:
        case StructType():
            parts = (value_text(item, part.type, time_zone) for item, part in zip(value, kind, strict=True))
            return "{" + ", ".join(parts) + "}"
        case ArrayType(element=element):
            return "[" + ", ".join(value_text(item, element, time_zone) for item in value) + "]"
        case MapType(key=key, value=item):
            pairs = (
                f"{value_text(left, key, time_zone)} -> {value_text(right, item, time_zone)}"
                for left, right in value.items()
            )
            return "{" + ", ".join(pairs) + "}"
        case _:
            return _scalar(_placed(value, kind), kind == _FLOAT, time_zone)


def _placed(value: Any, kind: DataType) -> Any:
    """PySpark gives a TIMESTAMP as a naive local time of this process, which gets that zone."""
    if kind == TIMESTAMP and isinstance(value, dt.datetime) and value.tzinfo is None:
        return value.astimezone()
    return value


def _scalar(value: Any, single: bool, time_zone: str) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case float():
            return float_text(value, single)
        case Decimal():
            return format(value, "f")
        case bytes() | bytearray() | memoryview():
            return "[" + " ".join(f"{byte:02X}" for byte in bytes(value)) + "]"
        case dt.datetime():
            return _clock(value, time_zone, " ")
        case dt.timedelta():
            return _interval(value)
        case _:
            return str(value)


def float_text(value: float, single: bool = False) -> str:
    """As Java writes it: `1.0`, `1.0E10`, `1.0E-4`, `NaN`, `Infinity`; the shortest text that reads back the same."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return "-0.0" if math.copysign(1, value) < 0 else "0.0"
    sign, digits, exponent = Decimal(_shortest(value) if single else repr(value)).normalize().as_tuple()
    text = "".join(map(str, digits))
    point = len(text) + int(exponent)
    minus = "-" if sign else ""
    if 1e-3 <= abs(value) < 1e7:
        whole, part = (
            (text[:point].ljust(point, "0"), text[max(point, 0) :]) if point > 0 else ("0", "0" * -point + text)
        )
        return f"{minus}{whole}.{part or '0'}"
    return f"{minus}{text[0]}.{text[1:] or '0'}E{point - 1}"


def _shortest(value: float) -> str:
    """The fewest digits that give back the same 32-bit number."""
    packed = struct.pack("f", value)
    texts = (f"{value:.{digits}g}" for digits in range(1, 10))
    return next((text for text in texts if struct.pack("f", float(text)) == packed), repr(value))


def _clock(value: dt.datetime, time_zone: str, separator: str) -> str:
    if value.tzinfo is not None:
        value = _local(value, time_zone).replace(tzinfo=None)
    text = value.replace(microsecond=0).isoformat(separator)
    return f"{text}.{value.microsecond:06d}".rstrip("0") if value.microsecond else text


def _local(value: dt.datetime, time_zone: str) -> dt.datetime:
    return value.astimezone(zone_of(time_zone) if time_zone else None)


def zone_of(name: str) -> dt.tzinfo:
    """The time zone of a name or an offset. Raises ZoneInfoNotFoundError, which is a KeyError, and ValueError."""
    if name.upper() in {"UTC", "Z", "GMT"}:
        return dt.timezone.utc
    return _offset(name) or ZoneInfo(name)


def _offset(time_zone: str) -> dt.timezone | None:
    """`+02:00` and `GMT+2` are offsets, not names that the zone database knows."""
    text = time_zone.upper().removeprefix("GMT").removeprefix("UTC")
    if text[:1] not in {"+", "-"}:
        return None
    hours, _, minutes = text[1:].partition(":")
    length = dt.timedelta(hours=int(hours), minutes=int(minutes or 0))
    return dt.timezone(-length if text[0] == "-" else length)


def _interval(value: dt.timedelta) -> str:
    sign = "-" if value < dt.timedelta() else ""
    value = abs(value)
    minutes, seconds = divmod(value.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    part = f".{value.microseconds:06d}".rstrip("0") if value.microseconds else ""
    return f"INTERVAL '{sign}{value.days} {hours:02d}:{minutes:02d}:{seconds:02d}{part}' DAY TO SECOND"


def value_json(value: Any, kind: DataType, time_zone: str = "") -> str:
    """JSON of one value: structs and maps are objects, bytes base64, decimals numbers with all their digits,
    times ISO 8601 text, NaN and the infinities text; a variant is the JSON that it stands for."""
    if value is None:
        return "null"
    match kind:
        case PrimitiveType("variant"):
            return str(value)
        case StructType():
            pairs = (
                (part.name, value_json(item, part.type, time_zone)) for item, part in zip(value, kind, strict=True)
            )
        case MapType(key=key, value=item):
            pairs = (
                (value_text(left, key, time_zone), value_json(right, item, time_zone)) for left, right in value.items()
            )
        case ArrayType(element=element):
            return "[" + ", ".join(value_json(item, element, time_zone) for item in value) + "]"
        case _:
            return _scalar_json(_placed(value, kind), kind == _FLOAT, time_zone)
    return "{" + ", ".join(f"{_quoted(name)}: {text}" for name, text in pairs) + "}"


def _scalar_json(value: Any, single: bool, time_zone: str) -> str:
    match value:
        case bool() | int():
            return json.dumps(value)
        case float():
            if not math.isfinite(value):
                return _quoted(float_text(value))
            return _shortest(value) if single else repr(value)
        case Decimal():
            return format(value, "f") if value.is_finite() else _quoted(str(value))
        case bytes() | bytearray() | memoryview():
            return _quoted(base64.b64encode(bytes(value)).decode())
        case dt.datetime():
            return _quoted(value.isoformat() if value.tzinfo is None else _local(value, time_zone).isoformat())
        case _:
            return _quoted(_scalar(value, single, time_zone))


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


@cache
def error_classes() -> dict[str, tuple[type[DeltaSqlError], ...]]:
    """The classes of errors by their condition, both in alphabetical order."""
    for module in walk_packages(deltasql.base.errors.__path__, "deltasql.base.errors."):
        import_module(module.name)
    found: dict[str, set[type[DeltaSqlError]]] = defaultdict(set)
    todo: list[type[DeltaSqlError]] = [DeltaSqlError]
    while todo:
        error = todo.pop()
        todo += error.__subclasses__()
        if error.template and error.__module__.startswith("deltasql.base.errors"):
            found[error.condition].add(error)
    return {name: tuple(sorted(found[name], key=lambda error: error.__name__)) for name in sorted(found)}


def help_on(condition: str) -> str:
    """Cause, message and remedy of a condition, and of its sub-conditions. Raises UnknownConditionError."""
    wanted = condition.strip("[]").upper()
    known = error_classes()
    names = [name for name in known if name == wanted or name.startswith(f"{wanted}.")]
    if not names:
        raise UnknownConditionError(name=condition, hint=did_you_mean(wanted, known))
    return "\n\n".join(help_text(error) for name in names for error in known[name])
