"""A result laid out as cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from deltasql.files.render.values import value_text
from deltasql.schema.types import DataType, DecimalType, PrimitiveType, StructType

_NUMBERS = frozenset({"byte", "short", "integer", "long", "float", "double"})


@dataclass(frozen=True)
class Grid:
    """Column names and rows of values with their types; `width` cuts the text of cells (0: no cut).

    `more`: the result that these rows are of has others besides.
    """

    schema: StructType
    rows: Sequence[Sequence[Any]]
    time_zone: str = ""
    width: int = 0
    more: bool = False

    @property
    def header(self) -> list[str]:
        return [_cut(name, self.width) for name in self.schema.names]

    @property
    def numeric(self) -> list[bool]:
        """Which columns hold numbers, and so stand to the right."""
        return [_is_number(item.type) for item in self.schema]

    def cells(self) -> list[list[str]]:
        """The text of each value, one list per row; NULL is `NULL`."""
        types = [item.type for item in self.schema]
        return [
            [_cut(value_text(value, kind, self.time_zone), self.width) for value, kind in zip(row, types, strict=True)]
            for row in self.rows
        ]


def _is_number(kind: DataType) -> bool:
    return isinstance(kind, DecimalType) or (isinstance(kind, PrimitiveType) and kind.name in _NUMBERS)


def _cut(text: str, width: int) -> str:
    if not width or len(text) <= width:
        return text
    return text[:width] if width < 4 else text[: width - 3] + "..."
