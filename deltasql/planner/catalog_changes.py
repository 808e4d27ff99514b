"""Changes of the catalog and of the session's views, as values; `execution.catalog_effects` makes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from deltasql.catalog import (
    UNGOVERNED,
    DroppedTable,
    Entry,
    FunctionDefinition,
    FunctionEntry,
    Governance,
    RefreshDefinition,
    SchemaMode,
    Securable,
    Subject,
    TableSource,
    ViewDefinition,
)
from deltasql.plan import Operator
from deltasql.schema import StructType


@dataclass(frozen=True, slots=True)
class View:
    """A view: its query, with the names of its columns where these were given.

    `scope` is set for a common table expression: the views that its query may name. `creation` is set for a view of
    CREATE VIEW. `mode` says how its columns follow changes of the query's columns. A view of `rows` has no query.
    """

    query: str
    columns: tuple[str, ...] = ()
    scope: Mapping[str, View] | None = None
    creation: Creation | None = None
    mode: SchemaMode = SchemaMode.BINDING
    rows: Operator | None = None


@dataclass(frozen=True, slots=True)
class Creation:
    """Context in which a view was created, and under which its query is always read.

    `namespace` is the current catalog and schema, `views` are the keys of the views that the query names (any other
    name is a table's), `settings` those that change the meaning of SQL. `names` are the columns of the query, `schema`
    the view's own.
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
    """Adds a name for an existing table to the catalog, with the records on it.

    `source` describes a table of another format than Delta, `refreshed` defines one that refreshes fill.
    """

    parts: tuple[str, ...]
    location: str
    managed: bool
    source: TableSource | None = None
    if_not_exists: bool = False
    refreshed: RefreshDefinition | None = None
    governance: Governance = UNGOVERNED


@dataclass(frozen=True, slots=True)
class Redefinition(CatalogChange):
    """Sets the definition of a materialized view or streaming table."""

    parts: tuple[str, ...]
    refreshed: RefreshDefinition


@dataclass(frozen=True, slots=True)
class SourceDefining(CatalogChange):
    """Changes what the catalog stores of a table of another format: its properties, comment or columns."""

    parts: tuple[str, ...]
    change: Callable[[TableSource], TableSource]


@dataclass(frozen=True, slots=True)
class Unregistration(CatalogChange):
    """Removes a name from the catalog, and the files of a managed table, which UNDROP can bring back for `days`."""

    parts: tuple[str, ...]
    days: int = 0


@dataclass(frozen=True, slots=True)
class Undropping(CatalogChange):
    """Brings a dropped table back, under the name that it had."""

    table: DroppedTable


@dataclass(frozen=True, slots=True)
class RenameChange(CatalogChange):
    """Renames a table; its files stay where they are."""

    parts: tuple[str, ...]
    new_parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Relocation(CatalogChange):
    """Changes the location of a table name; the table is then external, and the old files stay."""

    parts: tuple[str, ...]
    location: str


@dataclass(frozen=True, slots=True)
class SchemaComment(CatalogChange):
    """Changes the comment of a schema; None removes it."""

    name: tuple[str, ...]
    comment: str | None


@dataclass(frozen=True, slots=True)
class SchemaCreation(CatalogChange):
    """Creates a schema. Its managed tables lie below `location`, or in the warehouse (None)."""

    name: tuple[str, ...]
    comment: str | None
    location: str | None
    if_not_exists: bool
    properties: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class SchemaProperties(CatalogChange):
    """Sets and removes properties of a schema."""

    name: tuple[str, ...]
    added: tuple[tuple[str, str], ...] = ()
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SchemaRemoval(CatalogChange):
    """Drops a schema; with `cascade` its tables too."""

    name: tuple[str, ...]
    cascade: bool
    if_exists: bool


@dataclass(frozen=True, slots=True)
class SchemaChoice(CatalogChange):
    """Changes the current schema, to which unqualified names belong."""

    name: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CatalogCreation(CatalogChange):
    """Creates a catalog with its default schema. Managed tables lie below `location`, or in the warehouse (None)."""

    name: str
    comment: str | None
    location: str | None
    if_not_exists: bool
    properties: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class CatalogProperties(CatalogChange):
    """Sets and removes properties of a catalog."""

    name: str
    added: tuple[tuple[str, str], ...] = ()
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CatalogRemoval(CatalogChange):
    """Drops a catalog; with `cascade` its schemas and tables too."""

    name: str
    cascade: bool
    if_exists: bool


@dataclass(frozen=True, slots=True)
class CatalogComment(CatalogChange):
    """Changes the comment of a catalog; None removes it."""

    name: str
    comment: str | None


@dataclass(frozen=True, slots=True)
class CatalogChoice(CatalogChange):
    """Changes the current catalog, to which unqualified names belong."""

    name: str


@dataclass(frozen=True, slots=True)
class ViewDefining(CatalogChange):
    """Creates or changes a view of the catalog; `define` maps the current entry of the name to the new definition."""

    parts: tuple[str, ...]
    define: Callable[[Entry | None], ViewDefinition]
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class ViewRemoval(CatalogChange):
    """Drops a view of the catalog."""

    parts: tuple[str, ...]
    if_exists: bool


@dataclass(frozen=True, slots=True)
class FunctionDefining(CatalogChange):
    """Changes a function or procedure of the catalog.

    `define` maps the current entry to the new definition, or to None to drop it. `script` is set for a new procedure:
    its statement, and the offset at which the script begins there.
    """

    parts: tuple[str, ...]
    define: Callable[[FunctionEntry | None], FunctionDefinition | None]
    if_not_exists: bool = False
    script: tuple[str, int] | None = None


@dataclass(frozen=True, slots=True)
class VolumeCreation(CatalogChange):
    """Creates a volume: a managed one if `location` is None."""

    parts: tuple[str, ...]
    comment: str | None
    location: str | None
    if_not_exists: bool


@dataclass(frozen=True, slots=True)
class GovernanceChange(CatalogChange):
    """Changes the records on an object."""

    subject: Subject
    change: Callable[[Governance], Governance]


@dataclass(frozen=True, slots=True)
class SecurableCreation(CatalogChange):
    """Adds a securable without data."""

    securable: Securable
    if_not_exists: bool


@dataclass(frozen=True, slots=True)
class VolumeRemoval(CatalogChange):
    """Drops a volume, and the files of a managed one."""

    parts: tuple[str, ...]
    if_exists: bool


@dataclass(frozen=True, slots=True)
class VolumeRenaming(CatalogChange):
    """Renames a volume in its schema; its files stay where they are."""

    parts: tuple[str, ...]
    new_name: str


@dataclass(frozen=True, slots=True)
class VolumeComment(CatalogChange):
    """Changes the comment of a volume; None removes it."""

    parts: tuple[str, ...]
    comment: str | None


@dataclass(frozen=True, slots=True)
class SecurableChange(CatalogChange):
    """Changes a securable without data; `change` gives None to drop it. With `if_exists` it may be missing."""

    kind: str
    name: str
    change: Callable[[Securable], Securable | None]
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class ViewChange:
    """Creates (`view`) or drops (None) a temporary view.

    `name` is its key: in lower case, `global_temp.` before the name of a global one. `renamed` is its previous key.
    """

    name: str
    view: View | None
    or_replace: bool = False
    if_exists: bool = False
    renamed: str | None = None


@dataclass(frozen=True, slots=True)
class FunctionChange:
    """Creates or drops (None) a temporary function of the session; `name` is in lower case."""

    name: str
    function: TemporaryFunction | None
