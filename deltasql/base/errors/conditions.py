"""Classes of errors from the rows of `conditions.json`."""

from __future__ import annotations

import json
from ast import literal_eval
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from threading import RLock
from typing import Any, TypeAlias

from deltasql.base.errors.base import DeltaSqlError, condition

Row: TypeAlias = Mapping[str, Any]
"""`condition`, `sqlState`, `message`, `cause`; optional `remedy`, `fields` (name → type, or type = default), `base`."""
_TABLE = Path(__file__).with_name("conditions.json")
_PACKAGE = "deltasql.base.errors"
_WRITTEN = f"{_PACKAGE}.written"
_made: dict[str, type[DeltaSqlError]] = {"DeltaSqlError": DeltaSqlError}
_lock = RLock()


@cache
def rows() -> dict[str, Row]:
    """The rows of all families, by the names of their classes."""
    families: dict[str, dict[str, Row]] = json.loads(_TABLE.read_text(encoding="utf-8"))
    return {name: row for family in families.values() for name, row in family.items()}


def names() -> list[str]:
    """The names of all classes of errors."""
    written = vars(import_module(_WRITTEN)).values()
    return [*rows(), *(kind.__name__ for kind in written if isinstance(kind, type) and kind.__module__ == _WRITTEN)]


def error_class(name: str) -> type[DeltaSqlError]:
    """The class of a row, made once, or one that is written out. Raises AttributeError for all other names."""
    # Two threads must not make two classes, of which an except clause would know one.
    with _lock:
        if name not in _made:
            _made[name] = _of_row(name, rows()[name]) if name in rows() else _written(name)
        return _made[name]


def _written(name: str) -> type[DeltaSqlError]:
    found = vars(import_module(_WRITTEN)).get(name)
    if not isinstance(found, type) or found.__module__ != _WRITTEN:
        raise AttributeError(f"there is no class of errors {name!r}")
    return found


def _of_row(name: str, row: Row) -> type[DeltaSqlError]:
    declared = {field: text.partition(" = ") for field, text in row.get("fields", {}).items()}
    body = {
        "__doc__": row["cause"],
        "__module__": _PACKAGE,
        "__qualname__": name,
        "__annotations__": {field: kind for field, (kind, _, _) in declared.items()},
        **{field: literal_eval(default) for field, (_, equals, default) in declared.items() if equals},
    }
    made = type(name, (error_class(row.get("base", "DeltaSqlError")),), body)
    return condition(row["condition"], row["sqlState"], row["message"], row.get("remedy", ""))(made)
