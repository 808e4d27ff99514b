"""Names for completion: tables and views of the session with their columns, functions, versions.

A failed look-up (such as of a table just dropped) returns no names, never an error.
"""

from __future__ import annotations

import time
from contextlib import suppress
from datetime import datetime

from deltasql.base.errors.base import DeltaSqlError
from deltasql.catalog.entries import ViewEntry
from deltasql.plan.base import TableName, quote
from deltasql.schema.paths import child
from deltasql.schema.text import type_text
from deltasql.schema.types import ArrayType, DataType, MapType, StructType
from deltasql.session.session import Session
from deltasql.sql.functions.allowed import FUNCTIONS

_REMEMBERED_SECONDS = 5.0
_NEWEST = 20
Parts = tuple[str, ...]
Offered = tuple[str, str]
"""A word, and its kind."""


class Names:
    """The names of a session. Columns are cached for some seconds: each key press may need them."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._columns: dict[Parts, tuple[float, StructType]] = {}

    def relations(self, path: Parts = ()) -> list[Offered]:
        """Tables and views of the schema `path`, schemas of the catalog `path`; for () those that are current, and
        catalogs if there are several.
        """
        names = self._session.catalog
        try:
            catalogs = names.catalogs()
            if not path:
                several = [(quote(name), "catalog") for name in catalogs] if len(catalogs) > 1 else []
                views = [(quote(name), "view") for name in self._session.views]
                return [
                    *self._entries((names.current_schema,)),
                    *views,
                    *self._schemas(names.current_catalog),
                    *several,
                ]
            if len(path) == 1 and path[0].lower() in catalogs:
                return [*(self._entries(path) if names.has_schema(path) else ()), *self._schemas(path[0])]
            return self._entries(path)
        except DeltaSqlError:
            return []

    def _entries(self, schema: Parts) -> list[Offered]:
        found = self._session.catalog.entries(schema)
        return [(quote(entry.name), "view" if isinstance(entry, ViewEntry) else "table") for entry in found]

    def _schemas(self, catalog: str) -> list[Offered]:
        return [(quote(entry.name), "schema") for entry in self._session.catalog.schemas(catalog=catalog)]

    def functions(self) -> list[Offered]:
        """The user's functions, then Spark's in lower case."""
        temporary = [*self._session.functions]
        with suppress(DeltaSqlError):
            temporary += [entry.parts[-1] for entry in self._session.catalog.functions()]
        names = [*map(quote, temporary), *(name.lower() for name in sorted(FUNCTIONS))]
        return [(name, "function") for name in names]

    def is_relation(self, parts: Parts) -> bool:
        """Whether a table or a view has this name."""
        if parts[-1] in self._session.views and len(parts) == 1:
            return True
        try:
            return self._session.catalog.find(parts) is not None
        except DeltaSqlError:
            return False

    def schema(self, parts: Parts) -> StructType:
        """The columns of a table or a view."""
        read_at, schema = self._columns.get(parts, (0.0, StructType()))
        if time.monotonic() - read_at > _REMEMBERED_SECONDS or not read_at:
            schema = self._read(parts)
            self._columns[parts] = (time.monotonic(), schema)
        return schema

    def fields(self, schema: StructType, path: Parts) -> list[Offered]:
        """The fields of the column or field at `path`, with their types; all columns for ()."""
        kind: DataType = schema
        for name in path:
            field_type = child(kind, name, case_sensitive=False)
            if field_type is None:
                return []
            kind = field_type.type
        match kind:
            case StructType():
                return [(quote(field.name), outline(field.type)) for field in kind]
            case ArrayType():
                return [("element", "element")]
            case MapType():
                return [("key", "key"), ("value", "value")]
            case _:
                return []

    def versions(self, parts: Parts) -> list[tuple[int, datetime, str]]:
        """The newest versions of a table: number, time and operation of each."""
        try:
            entries = self._session.log(TableName(parts)).history(_NEWEST)
        except DeltaSqlError:
            return []
        return [
            (item.version, datetime.fromtimestamp(item.timestamp_ms / 1000), str(item.info.get("operation", "")))
            for item in entries
        ]

    def _read(self, parts: Parts) -> StructType:
        view = self._session.views.get(parts[-1]) if len(parts) == 1 else None
        try:
            if view is not None:
                return StructType() if view.creation is None else view.creation.schema
            entry = self._session.catalog.view(parts)
            if entry is not None:
                return entry.definition.schema
            table = self._session.catalog.resolve(parts)
            if table is not None and table.source is not None:
                return table.source.schema or StructType()
            return self._session.log(TableName(parts)).snapshot().schema
        except DeltaSqlError:
            return StructType()


def outline(data_type: DataType) -> str:
    """A type without the fields of structs: `int`, `struct`, `array<struct>`, `map<string,int>`."""
    match data_type:
        case StructType():
            return "struct"
        case ArrayType(element):
            return f"array<{outline(element)}>"
        case MapType(key, value):
            return f"map<{outline(key)},{outline(value)}>"
        case _:
            return type_text(data_type)
