"""Values of GEOMETRY and GEOGRAPHY as texts: `SRID=4326;POINT(1 2)`, without the number of a system that is 0.

Spark gives them as objects with the attributes `srid` and `wkb`, and in Arrow as structs of these. The bytes are
well-known binary: the order of bytes, the kind of the shape, and its coordinates, of each part the same again.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from typing import Any

from deltasql.schema import ArrayType, DataType, MapType, StructType, is_shape

_NAMES = ("POINT", "LINESTRING", "POLYGON", "MULTIPOINT", "MULTILINESTRING", "MULTIPOLYGON", "GEOMETRYCOLLECTION")
_COLLECTION = 7
_AXES = ("", " Z ", " M ", " ZM ")
"""The words behind the name, by the thousands of the kind."""
_COORDINATES = (2, 3, 3, 4)


def shape_text(value: Any) -> str:
    """The text of a shape. Bytes that are no shape stand as hexadecimal digits."""
    srid, wkb = (value["srid"], value["wkb"]) if isinstance(value, Mapping) else (value.srid, bytes(value.wkb))
    try:
        text = _Reader(bytes(wkb)).shape()
    except (struct.error, IndexError):
        text = bytes(wkb).hex().upper()
    return f"SRID={srid};{text}" if srid else text


def shown_shapes(value: Any, kind: DataType) -> Any:
    """A value of Arrow's with texts in place of the shapes in it."""
    if value is None:
        return None
    match kind:
        case StructType():
            return {item.name: shown_shapes(value[item.name], item.type) for item in kind}
        case ArrayType(element):
            return [shown_shapes(item, element) for item in value]
        case MapType(_, item):
            return [(key, shown_shapes(part, item)) for key, part in value]
        case _:
            return shape_text(value) if is_shape(kind) else value


class _Reader:
    """Reads bytes from their beginning to their end."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at, self._order = data, 0, "<"

    def shape(self, *, bare: bool = False) -> str:
        """The text of the shape that begins here; `bare` without its name, as a part of a shape of one kind."""
        self._order = "<" if self._data[self._at] else ">"
        self._at += 1
        axes, kind = divmod(self._number(), 1000)
        text = self._body(kind, _COORDINATES[axes])
        if bare:
            return text
        space = _AXES[axes] or (" " if text == "EMPTY" else "")
        return f"{_NAMES[kind - 1]}{space}{text}"

    def _body(self, kind: int, width: int) -> str:
        match kind:
            case 1:
                values = self._doubles(width)
                return "EMPTY" if all(map(math.isnan, values)) else f"({_point(values)})"
            case 2:
                return self._line(width)
            case 3:
                return _parts([self._line(width) for _ in range(self._number())])
            case _:
                return _parts([self.shape(bare=kind != _COLLECTION) for _ in range(self._number())])

    def _line(self, width: int) -> str:
        return _parts([_point(self._doubles(width)) for _ in range(self._number())])

    def _number(self) -> int:
        self._at += 4
        return int(struct.unpack_from(f"{self._order}I", self._data, self._at - 4)[0])

    def _doubles(self, count: int) -> tuple[float, ...]:
        self._at += 8 * count
        return struct.unpack_from(f"{self._order}{count}d", self._data, self._at - 8 * count)


def _parts(texts: list[str]) -> str:
    return f"({','.join(texts)})" if texts else "EMPTY"


def _point(values: tuple[float, ...]) -> str:
    return " ".join(repr(value).removesuffix(".0") for value in values)
