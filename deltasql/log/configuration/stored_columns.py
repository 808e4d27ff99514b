"""Column references in stored properties, which stay valid when other engines rename the columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from deltasql.schema.column_mapping import is_mapped, physical_name
from deltasql.schema.paths import find_path, walk
from deltasql.schema.types import StructType

Path = tuple[str, ...]


def stored_column(path: Path, schema: StructType) -> dict[str, Any]:
    """A column as a property keeps it: its name, and that of its files where it differs."""
    physical = _physical(path, schema)
    return {"column": list(path)} | ({} if physical == path else {"physical": list(physical)})


def current_column(stored: Mapping[str, Any], schema: StructType) -> Path | None:
    """The column of `schema` that was stored, as it is called now; None where it is gone.

    It goes by the names of files, which a rename leaves alone; by its own where the table maps no columns any more.
    """
    name = _parts(stored.get("column"))
    physical = (_parts(stored.get("physical")) or name) if is_mapped(schema) else name
    return next((path for path, _ in walk(schema) if physical and _physical(path, schema) == physical), None)


def _parts(value: object) -> Path:
    return tuple(map(str, value)) if isinstance(value, list) else ()


def _physical(path: Path, schema: StructType) -> Path:
    return tuple(_physical_names(path, schema))


def _physical_names(path: Path, schema: StructType) -> Iterator[str]:
    """The physical name of each struct field on the way; `element`, `key` and `value` stay."""
    for length in range(1, len(path) + 1):
        column_path = find_path(schema, path[:length])
        yield path[length - 1] if column_path is None else physical_name(column_path.field)
