"""Statistics of files as Arrow structs, as checkpoints may hold them beside or instead of their JSON."""

from __future__ import annotations

import json
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa


def stats_to_json(stats: pa.StructArray) -> pa.Array:
    """Each struct as the JSON text of an add action; null where the struct is null or empty."""
    return pa.array([_text(value) for value in stats.to_pylist()], pa.string())


def _text(stats: dict[str, Any] | None) -> str | None:
    pruned = _pruned(stats) if stats is not None else None
    return _dumps(pruned) if pruned else None


def _pruned(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    items = ((key, _pruned(item)) for key, item in value.items())
    return {key: item for key, item in items if item is not None}


def _dumps(value: Any) -> str:
    """JSON in which a decimal keeps its digits, which no float does."""
    match value:
        case dict():
            return "{" + ",".join(f"{json.dumps(key)}:{_dumps(item)}" for key, item in value.items()) + "}"
        case Decimal():
            return format(value, "f")
        case datetime():
            text = value.isoformat(timespec="milliseconds")
            return json.dumps(text.replace("+00:00", "Z"))
        case date():
            return json.dumps(value.isoformat())
        case float() if value != value or value in (float("inf"), float("-inf")):
            return json.dumps({"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(value)])
        case _:
            return json.dumps(value)
