"""Columns of the rows that are missing from their table."""

from __future__ import annotations

from collections.abc import Iterator

from deltasql.schema.paths import Path
from deltasql.schema.types import ArrayType, DataType, MapType, StructType


def new_columns(source: DataType, table: DataType, path: Path = ()) -> Iterator[Path]:
    """The paths in `source` that are missing from `table`; of nested ones only the outermost."""
    match source, table:
        case StructType(), StructType():
            for field in source:
                existing = table.find(field.name)
                if existing is None:
                    yield (*path, field.name)
                    continue
                yield from new_columns(field.type, existing.type, (*path, existing.name))
        case ArrayType(), ArrayType():
            yield from new_columns(source.element, table.element, (*path, "element"))
        case MapType(), MapType():
            yield from new_columns(source.key, table.key, (*path, "key"))
            yield from new_columns(source.value, table.value, (*path, "value"))
        case _:
            return
