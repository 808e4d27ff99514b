"""Values of both engines in one plain form that JSON can hold and that compares."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

import pyarrow as pa


def plain_row(row: Iterable[Any]) -> list[Any]:
    """The values of a row in plain form."""
    return [plain(value) for value in tuple(row)]


def plain(value: Any) -> Any:
    """Numbers, text and NULL as they are; lists for rows, arrays and maps (pairs, by key); text for all else."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return repr(value)
        case Decimal():
            return f"{value:f}"
        case bytes() | bytearray():
            return f"0x{bytes(value).hex()}"
        case dt.datetime():
            return _instant(value)
        case dt.date() | dt.timedelta():
            return str(value)
        case Mapping():
            return sorted(([plain(key), plain(item)] for key, item in value.items()), key=repr)
        case list() | tuple():
            return [plain(item) for item in value]
    return str(value)


def _instant(value: dt.datetime) -> str:
    """A time of this machine's zone without its zone: as classic PySpark gives timestamps."""
    return (value if value.tzinfo is None else value.astimezone().replace(tzinfo=None)).isoformat(sep=" ")


def in_order(rows: list[Any]) -> list[Any]:
    """Rows in an order that does not depend on the engine."""
    return sorted(rows, key=repr)


def arrow_rows(table: pa.Table) -> list[list[Any]]:
    """The rows of an Arrow table in plain form and in order; structs are lists of values, as rows are."""
    columns = [
        [_arrow(value, field.type) for value in table.column(i).to_pylist()] for i, field in enumerate(table.schema)
    ]
    return in_order([list(row) for row in zip(*columns, strict=True)])


def _arrow(value: Any, kind: pa.DataType) -> Any:
    if value is None:
        return None
    if pa.types.is_struct(kind):
        return [_arrow(value[field.name], field.type) for field in kind]
    if pa.types.is_map(kind):
        pairs = value.items() if isinstance(value, Mapping) else value
        return sorted(([_arrow(k, kind.key_type), _arrow(v, kind.item_type)] for k, v in pairs), key=repr)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return [_arrow(item, kind.value_type) for item in value]
    return plain(value)
