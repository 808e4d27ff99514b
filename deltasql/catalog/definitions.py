"""Stored definitions of views, functions, refreshed tables and tables of other formats, and their JSON.

Those of views and functions are the SQL text, and the context that determines its meaning. The text is parsed again at
each use, so it must not refer to temporary objects.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, TypeAlias

from deltasql.base.errors.schema import InvalidSchemaJsonError
from deltasql.schema.json import schema_from_json, type_to_json
from deltasql.schema.types import StructType


class Refreshed(Enum):
    """Kind of a table that is filled by refreshing it, by the words of its statements."""

    MATERIALIZED_VIEW = "MATERIALIZED VIEW"
    STREAMING_TABLE = "STREAMING TABLE"


Json: TypeAlias = dict[str, Any]


class SchemaMode(Enum):
    """How a view's columns follow changed columns of its query. Source: Spark's WITH SCHEMA."""

    BINDING = "BINDING"
    COMPENSATION = "COMPENSATION"
    TYPE_EVOLUTION = "TYPE EVOLUTION"
    EVOLUTION = "EVOLUTION"


@dataclass(frozen=True, slots=True)
class ViewDefinition:
    """A view: its query, and the context of its creation.

    `namespace` is the then current catalog and schema, `settings` are the session settings that affect the meaning of
    SQL. `names` are the columns of the query, `schema` the view's columns; `has_names`: the statement named these.
    """

    query: str
    namespace: tuple[str, str]
    settings: Mapping[str, str]
    names: tuple[str, ...]
    schema: StructType
    has_names: bool = False
    mode: SchemaMode = SchemaMode.COMPENSATION
    comment: str | None = None
    properties: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_json(cls, value: Json) -> ViewDefinition:
        """Raises KeyError, TypeError, ValueError, AttributeError for invalid JSON of a view."""
        return cls(
            read_text(value["query"]),
            _namespace(value["namespace"]),
            _texts(value["settings"]),
            tuple(map(read_text, value["names"])),
            _schema(value["schema"]),
            bool(value["has_names"]),
            SchemaMode(value["mode"]),
            None if value["comment"] is None else read_text(value["comment"]),
            _texts(value["properties"]),
        )

    def to_json(self) -> Json:
        return {
            "query": self.query,
            "namespace": list(self.namespace),
            "settings": dict(self.settings),
            "names": list(self.names),
            "schema": type_to_json(self.schema),
            "has_names": self.has_names,
            "mode": self.mode.value,
            "comment": self.comment,
            "properties": dict(self.properties),
        }


@dataclass(frozen=True, slots=True)
class StoredExpectation:
    """An expectation: `condition` is without its parentheses; `action` is FAIL UPDATE, DROP ROW or None."""

    name: str
    condition: str
    action: str | None

    @classmethod
    def from_json(cls, value: Json) -> StoredExpectation:
        """Raises KeyError, TypeError for invalid JSON of an expectation."""
        action = value["action"]
        return cls(read_text(value["name"]), read_text(value["condition"]), action and read_text(action))

    def to_json(self) -> Json:
        return {"name": self.name, "condition": self.condition, "action": self.action}


@dataclass(frozen=True, slots=True)
class RefreshDefinition:
    """A materialized view or streaming table: the view that its rows are taken from, its schedule as written, and the
    expectations of its rows."""

    kind: Refreshed
    view: ViewDefinition
    schedule: str | None = None
    expectations: tuple[StoredExpectation, ...] = ()

    @property
    def kept(self) -> tuple[str, ...]:
        """The conditions of the rows that are not dropped."""
        return tuple(item.condition for item in self.expectations if item.action == "DROP ROW")

    @property
    def id(self) -> str:
        """A text that differs for queries with another meaning."""
        meant = (self.view.query, self.view.namespace, sorted(self.view.settings.items()), *self.kept)
        return hashlib.sha256(json.dumps(meant).encode()).hexdigest()[:16]

    @classmethod
    def from_json(cls, value: Json) -> RefreshDefinition:
        """Raises KeyError, TypeError, ValueError, AttributeError for invalid JSON of a definition."""
        schedule = value["schedule"]
        return cls(
            Refreshed(value["kind"]),
            ViewDefinition.from_json(value["view"]),
            None if schedule is None else read_text(schedule),
            tuple(map(StoredExpectation.from_json, value.get("expectations", ()))),
        )

    def to_json(self) -> Json:
        value: Json = {"kind": self.kind.value, "view": self.view.to_json(), "schedule": self.schedule}
        if self.expectations:
            value["expectations"] = [item.to_json() for item in self.expectations]
        return value


@dataclass(frozen=True, slots=True)
class FunctionDefinition:
    """A SQL function: `text` is CREATE FUNCTION from after the name on. Other fields as in ViewDefinition."""

    text: str
    namespace: tuple[str, str]
    settings: Mapping[str, str]

    @classmethod
    def from_json(cls, value: Json) -> FunctionDefinition:
        """Raises KeyError, TypeError, ValueError, AttributeError for invalid JSON of a function."""
        return cls(read_text(value["text"]), _namespace(value["namespace"]), _texts(value["settings"]))

    def to_json(self) -> Json:
        return {"text": self.text, "namespace": list(self.namespace), "settings": dict(self.settings)}


@dataclass(frozen=True, slots=True)
class TableSource:
    """A table whose files are not Delta's: its data source, as CREATE TABLE … USING names it.

    `format` is the name in lower case, such as `csv`. `schema` has all columns, also those of the partitions, which
    are `partition_columns`; it is None where the files say it at each read. `options` are those of Spark's reader and
    writer, with keys as they were written.
    """

    format: str
    options: Mapping[str, str] = field(default_factory=dict)
    schema: StructType | None = None
    partition_columns: tuple[str, ...] = ()
    comment: str | None = None
    properties: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_json(cls, value: Json) -> TableSource:
        """Raises KeyError, TypeError, ValueError, AttributeError for invalid JSON of a source."""
        return cls(
            read_text(value["format"]),
            _texts(value["options"]),
            None if value["schema"] is None else _schema(value["schema"]),
            tuple(map(read_text, value["partition_columns"])),
            None if value["comment"] is None else read_text(value["comment"]),
            _texts(value["properties"]),
        )

    def to_json(self) -> Json:
        return {
            "format": self.format,
            "options": dict(self.options),
            "schema": None if self.schema is None else type_to_json(self.schema),
            "partition_columns": list(self.partition_columns),
            "comment": self.comment,
            "properties": dict(self.properties),
        }


def _schema(value: Any) -> StructType:
    try:
        return schema_from_json(value)
    except InvalidSchemaJsonError as error:
        raise ValueError(str(error)) from error


def _namespace(value: Any) -> tuple[str, str]:
    catalog, schema = value
    return read_text(catalog), read_text(schema)


def _texts(value: Any) -> dict[str, str]:
    return {read_text(key): read_text(text) for key, text in value.items()}


def read_text(value: Any) -> str:
    """`value`, a text. Raises TypeError."""
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value
