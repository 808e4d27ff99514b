"""Changes of the catalog and of the session's views, as values that know how to apply themselves."""

from __future__ import annotations

import shutil
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from deltasql.errors.view import ViewAlreadyExistsError, ViewNotFoundError
from deltasql.plan.base import quote

if TYPE_CHECKING:
    from deltasql.catalog import Catalog
    from deltasql.catalog.entries import TableEntry
    from deltasql.schema.types import StructType


@dataclass(frozen=True, slots=True)
class View:
    """A view: its query, with the names of its columns where these were given.

    A common table expression has `scope`, the views that its query may name; what CREATE VIEW made has `made`.
    """

    query: str
    columns: tuple[str, ...] = ()
    scope: Mapping[str, View] | None = None
    made: Creation | None = None


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


class CatalogChange(ABC):
    """A change of the catalog alone."""

    __slots__ = ()

    @abstractmethod
    def apply(self, catalog: Catalog) -> None:
        """Makes the change; what it raises has changed nothing."""


@dataclass(frozen=True, slots=True)
class Registration(CatalogChange):
    """A name for a table that is there."""

    parts: tuple[str, ...]
    location: str
    managed: bool

    def apply(self, catalog: Catalog) -> None:
        catalog.register(self.parts, self.location, self.managed)


@dataclass(frozen=True, slots=True)
class Unregistration(CatalogChange):
    """A name goes, and with a managed table its files."""

    parts: tuple[str, ...]

    def apply(self, catalog: Catalog) -> None:
        _remove_files(catalog.unregister(self.parts))


@dataclass(frozen=True, slots=True)
class Renaming(CatalogChange):
    """A table gets another name; its files stay where they are."""

    parts: tuple[str, ...]
    new_parts: tuple[str, ...]

    def apply(self, catalog: Catalog) -> None:
        catalog.rename(self.parts, self.new_parts)


@dataclass(frozen=True, slots=True)
class Relocation(CatalogChange):
    """A name stands for a table elsewhere from now on; it is external then, and the old files stay."""

    parts: tuple[str, ...]
    location: str

    def apply(self, catalog: Catalog) -> None:
        catalog.set_location(self.parts, self.location)


@dataclass(frozen=True, slots=True)
class SchemaComment(CatalogChange):
    """Another comment of a schema; None takes it away."""

    name: tuple[str, ...]
    comment: str | None

    def apply(self, catalog: Catalog) -> None:
        catalog.comment_on_schema(self.name, self.comment)


@dataclass(frozen=True, slots=True)
class SchemaCreation(CatalogChange):
    name: tuple[str, ...]
    comment: str | None
    location: str | None
    if_not_exists: bool
    properties: tuple[tuple[str, str], ...] = ()

    def apply(self, catalog: Catalog) -> None:
        catalog.create_schema(self.name, self.comment, self.location, self.if_not_exists, dict(self.properties))


@dataclass(frozen=True, slots=True)
class SchemaProperties(CatalogChange):
    """Properties of a schema that are set, and those that go."""

    name: tuple[str, ...]
    added: tuple[tuple[str, str], ...] = ()
    removed: tuple[str, ...] = ()

    def apply(self, catalog: Catalog) -> None:
        catalog.change_schema_properties(self.name, dict(self.added), self.removed)


@dataclass(frozen=True, slots=True)
class SchemaRemoval(CatalogChange):
    """A schema goes; with `cascade` its tables go with it."""

    name: tuple[str, ...]
    cascade: bool
    if_exists: bool

    def apply(self, catalog: Catalog) -> None:
        for entry in catalog.drop_schema(self.name, self.cascade, self.if_exists):
            _remove_files(entry)


@dataclass(frozen=True, slots=True)
class SchemaChoice(CatalogChange):
    """The schema that names without one belong to."""

    name: tuple[str, ...]

    def apply(self, catalog: Catalog) -> None:
        catalog.use(self.name)


@dataclass(frozen=True, slots=True)
class CatalogChoice(CatalogChange):
    """The catalog that names without one belong to."""

    name: str

    def apply(self, catalog: Catalog) -> None:
        catalog.use_catalog(self.name)


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

    def apply(self, views: dict[str, View]) -> None:
        """Raises ViewAlreadyExistsError, ViewNotFoundError."""
        if self.view is None:
            if views.pop(self.name, None) is None and not self.if_exists:
                raise ViewNotFoundError(view=quote(self.name))
            return
        if self.name in views and not self.or_replace:
            raise ViewAlreadyExistsError(view=quote(self.name))
        views[self.name] = self.view
        if self.renamed is not None:
            del views[self.renamed]


def _remove_files(entry: TableEntry) -> None:
    """The directory of a managed table; an external table's files stay."""
    if entry.managed:
        shutil.rmtree(entry.location, ignore_errors=True)
