"""How what is kept in properties names columns, so that it finds them after other engines have renamed them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from deltasql.schema.column_mapping import physical_name
from deltasql.schema.paths import find_path, resolve, walk
from deltasql.schema.types import StructType

Path = tuple[str, ...]


def stored_column(path: Path, schema: StructType) -> dict[str, Any]:
    """A column as a property keeps it: its name, and that of its files where it differs."""
    physical = _physical(path, schema)
    return {"column": list(path)} | ({} if physical == path else {"physical": list(physical)})


def found_column(stored: Mapping[str, Any], schema: StructType) -> Path | None:
    """The column of `schema` that was stored, as it is called now; None where it is gone.

    It goes by the names of files, which a rename leaves alone, and where none has that by the column's own name: the
    table does not map columns any more, or it is a copy of the one where this was stored.
    """
    name, physical = _parts(stored.get("column")), _parts(stored.get("physical"))
    for wanted in (physical or name, name):
        for path, _ in walk(schema) if wanted else ():
            if _physical(path, schema) == wanted:
                return path
    return resolve(schema, name).path if name and find_path(schema, name) is not None else None


def _parts(value: object) -> Path:
    return tuple(map(str, value)) if isinstance(value, list) else ()


def _physical(path: Path, schema: StructType) -> Path:
    return tuple(_physical_names(path, schema))


def _physical_names(path: Path, schema: StructType) -> Iterator[str]:
    """The physical name of each struct field on the way; `element`, `key` and `value` stay."""
    for length in range(1, len(path) + 1):
        found = find_path(schema, path[:length])
        yield path[length - 1] if found is None else physical_name(found.field)
