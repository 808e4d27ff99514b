"""Columns with the names that Spark has for types; dbt-spark's know those of Postgres alone."""

from __future__ import annotations

import re
from dataclasses import dataclass

from dbt.adapters.base.column import Column
from dbt.adapters.spark.column import SparkColumn

_INTEGERS = frozenset({"tinyint", "byte", "smallint", "short", "int", "integer", "bigint", "long"})
_FLOATS = frozenset({"float", "real", "double"})
_DECIMALS = frozenset({"decimal", "dec", "numeric"})
_STRINGS = frozenset({"string", "varchar", "char"})
_UNLIMITED = 2**31 - 1


@dataclass
class DeltaSqlColumn(SparkColumn):
    """A column of a relation. `string_size` is the most characters that it takes."""

    @property
    def _kind(self) -> str:
        """The name of the type without its parameters."""
        return re.split(r"\W", self.dtype.lower(), maxsplit=1)[0]

    def is_string(self) -> bool:
        return self._kind in _STRINGS

    def is_integer(self) -> bool:
        return self._kind in _INTEGERS

    def is_float(self) -> bool:
        return self._kind in _FLOATS

    def is_numeric(self) -> bool:
        return self._kind in _DECIMALS

    def string_size(self) -> int:
        limit = re.search(r"\((\d+)\)", self.dtype)
        return int(limit[1]) if limit else _UNLIMITED

    def can_expand_to(self, other_column: Column) -> bool:
        """Whether the other column takes longer strings."""
        both = self.is_string() and other_column.is_string()
        return both and bool(other_column.string_size() > self.string_size())

    @classmethod
    def string_type(cls, size: int | None) -> str:
        return "string" if size is None or size >= _UNLIMITED else f"varchar({size})"
