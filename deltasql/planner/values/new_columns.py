"""Columns of the rows that are missing from their table."""

from __future__ import annotations

from collections.abc import Iterator

from deltasql.schema.paths import Path
from deltasql.schema.types import ArrayType, DataType, MapType, StructType


def new_columns(given: DataType, table: DataType, path: Path = ()) -> Iterator[Path]:
    """The paths in `given` that are missing from `table`; of nested ones only the outermost."""
    match given, table:
        case StructType(), StructType():
            for field in given:
                own = table.find(field.name)
                if own is None:
                    yield (*path, field.name)
                    continue
                yield from new_columns(field.type, own.type, (*path, own.name))
        case ArrayType(), ArrayType():
            yield from new_columns(given.element, table.element, (*path, "element"))
        case MapType(), MapType():
            yield from new_columns(given.key, table.key, (*path, "key"))
            yield from new_columns(given.value, table.value, (*path, "value"))
        case _:
            return
