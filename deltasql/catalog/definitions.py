"""What the catalog keeps of a view and of a function, and its JSON: text, and all that the text's meaning hangs on.

The text is read again whenever the name is used, so that it never has a temporary object in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, TypeAlias

from deltasql.errors.schema import InvalidSchemaJsonError
from deltasql.schema.json import schema_from_json, type_to_json
from deltasql.schema.types import StructType

Json: TypeAlias = dict[str, Any]


class SchemaMode(Enum):
    """What becomes of a view's columns when those of its query have changed. Source: Spark's WITH SCHEMA."""

    BINDING = "BINDING"
    COMPENSATION = "COMPENSATION"
    TYPE_EVOLUTION = "TYPE EVOLUTION"
    EVOLUTION = "EVOLUTION"


@dataclass(frozen=True, slots=True)
class ViewDefinition:
    """A view: its query, and what was so when it was made.

    `namespace` is the catalog and schema that were current, `settings` are those that say what SQL means. `names` are
    the columns of the query, `schema` the view's own; `has_names` says whether these were given.
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
        """Raises KeyError, TypeError, ValueError, AttributeError for what is no view."""
        return cls(
            _text(value["query"]),
            _namespace(value["namespace"]),
            _texts(value["settings"]),
            tuple(map(_text, value["names"])),
            _schema(value["schema"]),
            bool(value["has_names"]),
            SchemaMode(value["mode"]),
            None if value["comment"] is None else _text(value["comment"]),
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
class FunctionDefinition:
    """A function of SQL: the `text` behind its name in CREATE FUNCTION. For the rest see ViewDefinition."""

    text: str
    namespace: tuple[str, str]
    settings: Mapping[str, str]

    @classmethod
    def from_json(cls, value: Json) -> FunctionDefinition:
        """Raises KeyError, TypeError, ValueError, AttributeError for what is no function."""
        return cls(_text(value["text"]), _namespace(value["namespace"]), _texts(value["settings"]))

    def to_json(self) -> Json:
        return {"text": self.text, "namespace": list(self.namespace), "settings": dict(self.settings)}


def _schema(value: Any) -> StructType:
    try:
        return schema_from_json(value)
    except InvalidSchemaJsonError as error:
        raise ValueError(str(error)) from error


def _namespace(value: Any) -> tuple[str, str]:
    catalog, schema = value
    return _text(catalog), _text(schema)


def _texts(value: Any) -> dict[str, str]:
    return {_text(key): _text(text) for key, text in value.items()}


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value
