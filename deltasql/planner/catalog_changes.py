"""Changes of the catalog and of the session's views, as values; `execution.catalog_effects` makes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from deltasql.catalog.definitions import FunctionDefinition, SchemaMode, ViewDefinition

if TYPE_CHECKING:
    from deltasql.catalog.entries import Entry, FunctionEntry
    from deltasql.schema.types import StructType


@dataclass(frozen=True, slots=True)
class View:
    """A view: its query, with the names of its columns where these were given.

    A common table expression has `scope`, the views that its query may name; what CREATE VIEW made has `made`. `mode`
    is what becomes of its columns when those of its query have changed.
    """

    query: str
    columns: tuple[str, ...] = ()
    scope: Mapping[str, View] | None = None
    made: Creation | None = None
    mode: SchemaMode = SchemaMode.BINDING


@dataclass(frozen=True, slots=True)
class Creation:
    """What was so when a view was created, and holds for its query ever after.

    `namespace` is the current catalog and schema, `views` are the keys of the views that the query names (any other
    name is a table's), `settings` those that say what SQL means. `names` are the columns of the query, `schema` the
    view's own.
    """

    namespace: tuple[str, str]
    views: frozenset[str]
    settings: Mapping[str, str]
    names: tuple[str, ...]
    schema: StructType


@dataclass(frozen=True, slots=True)
class TemporaryFunction:
    """A function of the session that reads tables; `views` are the keys of the temporary views that its text names."""

    name: str
    definition: FunctionDefinition
    views: frozenset[str]


class CatalogChange:
    """A change of the catalog alone: one of the classes below."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Registration(CatalogChange):
    """A name for a table that is there."""

    parts: tuple[str, ...]
    location: str
    managed: bool


@dataclass(frozen=True, slots=True)
class Unregistration(CatalogChange):
    """A name goes, and with a managed table its files."""

    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RenameChange(CatalogChange):
    """A table gets another name; its files stay where they are."""

    parts: tuple[str, ...]
    new_parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Relocation(CatalogChange):
    """A name stands for a table elsewhere from now on; it is external then, and the old files stay."""

    parts: tuple[str, ...]
    location: str


@dataclass(frozen=True, slots=True)
class SchemaComment(CatalogChange):
    """Another comment of a schema; None takes it away."""

    name: tuple[str, ...]
    comment: str | None


@dataclass(frozen=True, slots=True)
class SchemaCreation(CatalogChange):
    """A new schema. Its managed tables lie below `location`, or in the warehouse (None)."""

    name: tuple[str, ...]
    comment: str | None
    location: str | None
    if_not_exists: bool
    properties: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class SchemaProperties(CatalogChange):
    """Properties of a schema that are set, and those that go."""

    name: tuple[str, ...]
    added: tuple[tuple[str, str], ...] = ()
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SchemaRemoval(CatalogChange):
    """A schema goes; with `cascade` its tables go with it."""

    name: tuple[str, ...]
    cascade: bool
    if_exists: bool


@dataclass(frozen=True, slots=True)
class SchemaChoice(CatalogChange):
    """The schema that names without one belong to."""

    name: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CatalogChoice(CatalogChange):
    """The catalog that names without one belong to."""

    name: str


@dataclass(frozen=True, slots=True)
class ViewDefining(CatalogChange):
    """A view of the catalog, new or not, gets the definition that `define` makes of what has its name by then."""

    parts: tuple[str, ...]
    define: Callable[[Entry | None], ViewDefinition]
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class ViewRemoval(CatalogChange):
    """A view of the catalog goes."""

    parts: tuple[str, ...]
    if_exists: bool


@dataclass(frozen=True, slots=True)
class FunctionDefining(CatalogChange):
    """A function of the catalog gets the definition that `define` makes of the one that is there, or goes (None)."""

    parts: tuple[str, ...]
    define: Callable[[FunctionEntry | None], FunctionDefinition | None]
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class ViewChange:
    """A temporary view comes (`view`) or goes (None).

    `name` is its key: in lower case, `global_temp.` before the name of a global one.
    `renamed` is the key under which the view was until now.
    """

    name: str
    view: View | None
    or_replace: bool = False
    if_exists: bool = False
    renamed: str | None = None


@dataclass(frozen=True, slots=True)
class FunctionChange:
    """A temporary function that the session keeps comes, or goes (None); `name` is in lower case."""

    name: str
    function: TemporaryFunction | None
