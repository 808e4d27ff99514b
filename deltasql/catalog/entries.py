"""Entries of the catalog, rules of names, and stored definitions and records of governance with their JSON.

The definitions of views and functions are the SQL text, and the context that determines its meaning. The text is parsed
again at each use, so it must not refer to temporary objects.

Owners, privileges, row filters, column masks and securables without data are recorded. The catalog enforces none of
them. Source: the statements of Unity Catalog that say so.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, TypeAlias, Union

from deltasql.base import errors
from deltasql.schema import StructType, schema_from_json, type_to_json
from deltasql.schema import quote_name as quote


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
    metrics: str | None = None
    """The YAML of a metric view, whose `query` gives its dimensions."""

    @property
    def text(self) -> str:
        """The text of the view as its statement had it."""
        return self.query if self.metrics is None else self.metrics

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
            read_text(value["metrics"]) if "metrics" in value else None,
        )

    def to_json(self) -> Json:
        return {
            **({} if self.metrics is None else {"metrics": self.metrics}),
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


PIPELINE_ID, EVENT_LOG = "pipelines.pipelineId", "pipelines.eventLog"
"""Keys, in the properties of a stored query, of the pipeline that made it and of the table with its events."""


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
    expectations of its rows. `flows` are further streams of a streaming table; without any its query is empty."""

    kind: Refreshed
    view: ViewDefinition
    schedule: str | None = None
    expectations: tuple[StoredExpectation, ...] = ()
    flows: tuple[ViewDefinition, ...] = ()

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
            tuple(map(ViewDefinition.from_json, value.get("flows", ()))),
        )

    def to_json(self) -> Json:
        value: Json = {"kind": self.kind.value, "view": self.view.to_json(), "schedule": self.schedule}
        if self.expectations:
            value["expectations"] = [item.to_json() for item in self.expectations]
        if self.flows:
            value["flows"] = [item.to_json() for item in self.flows]
        return value


@dataclass(frozen=True, slots=True)
class FunctionDefinition:
    """A SQL function or a procedure: `text` is the CREATE statement from after the name on.

    Other fields are as in ViewDefinition.
    """

    text: str
    namespace: tuple[str, str]
    settings: Mapping[str, str]
    is_procedure: bool = False

    @classmethod
    def from_json(cls, value: Json) -> FunctionDefinition:
        """Raises KeyError, TypeError, ValueError, AttributeError for invalid JSON of a function."""
        namespace, settings = _namespace(value["namespace"]), _texts(value["settings"])
        return cls(read_text(value["text"]), namespace, settings, bool(value.get("procedure", False)))

    def to_json(self) -> Json:
        value: Json = {"text": self.text, "namespace": list(self.namespace), "settings": dict(self.settings)}
        return {**value, "procedure": True} if self.is_procedure else value


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
    except errors.InvalidSchemaJsonError as error:
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


Privileges: TypeAlias = Mapping[str, tuple[str, ...]]
"""Privileges, sorted, by principal."""


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a filter's or a mask's function: a column of the table by name, or a constant as SQL text."""

    text: str
    is_column: bool

    @classmethod
    def from_json(cls, value: Json) -> Argument:
        return cls(read_text(value["text"]), bool(value["column"]))

    def to_json(self) -> Json:
        return {"text": self.text, "column": self.is_column}


@dataclass(frozen=True, slots=True)
class Policy:
    """A row filter, or the mask of a column: the full name of its function, and its arguments.

    The arguments of a mask follow the masked column, which is the first one of its function.
    """

    function: tuple[str, str, str]
    arguments: tuple[Argument, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns among the arguments."""
        return tuple(item.text for item in self.arguments if item.is_column)

    @classmethod
    def from_json(cls, value: Json) -> Policy:
        catalog, schema, name = map(read_text, value["function"])
        return cls((catalog, schema, name), tuple(map(Argument.from_json, value["arguments"])))

    def to_json(self) -> Json:
        return {"function": list(self.function), "arguments": [item.to_json() for item in self.arguments]}


@dataclass(frozen=True, slots=True)
class Governance:
    """The records on one object. `masks` are by column, as the column is spelt in the table. `policies` are the clauses
    of policies, by name in lower case; `tags` are those of a volume. The files of a `shallow_clone`
    are those of the table that it was cloned from."""

    owner: str | None = None
    grants: Privileges = field(default_factory=dict)
    denials: Privileges = field(default_factory=dict)
    row_filter: Policy | None = None
    masks: Mapping[str, Policy] = field(default_factory=dict)
    policies: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    shallow_clone: bool = False

    @property
    def is_empty(self) -> bool:
        return self == UNGOVERNED

    @property
    def has_policies(self) -> bool:
        """Whether the object has a row filter or a column mask."""
        return self.row_filter is not None or bool(self.masks)

    def granted(self, principal: str, privileges: Iterable[str]) -> Governance:
        """With these privileges, which are no longer denied."""
        denials = _without(self.denials, principal, privileges)
        return replace(self, grants=_with(self.grants, principal, privileges), denials=denials)

    def denied(self, principal: str, privileges: Iterable[str]) -> Governance:
        """With these privileges denied, and no longer granted."""
        grants = _without(self.grants, principal, privileges)
        return replace(self, denials=_with(self.denials, principal, privileges), grants=grants)

    def revoked(self, principal: str, privileges: Iterable[str]) -> Governance:
        """Without these privileges, whether granted or denied."""
        grants, denials = (_without(kept, principal, privileges) for kept in (self.grants, self.denials))
        return replace(self, grants=grants, denials=denials)

    def masked(self, column: str, mask: Policy | None) -> Governance:
        """With another mask of a column, or without one (None)."""
        others = {name: kept for name, kept in self.masks.items() if name.lower() != column.lower()}
        return replace(self, masks=others if mask is None else {**others, column: mask})

    @classmethod
    def from_json(cls, value: Json | None) -> Governance:
        """Raises KeyError, TypeError, ValueError, AttributeError for invalid JSON of records."""
        if not value:
            return UNGOVERNED
        owner, row_filter = value.get("owner"), value.get("row_filter")
        return cls(
            None if owner is None else read_text(owner),
            _privileges(value.get("grants", {})),
            _privileges(value.get("denials", {})),
            None if row_filter is None else Policy.from_json(row_filter),
            {read_text(column): Policy.from_json(mask) for column, mask in value.get("masks", {}).items()},
            {read_text(name): _texts(clauses) for name, clauses in value.get("policies", {}).items()},
            _texts(value.get("tags", {})),
            bool(value.get("shallow_clone")),
        )

    def to_json(self) -> Json:
        """Without what is empty."""
        found: Json = {
            "owner": self.owner,
            "grants": {name: list(kept) for name, kept in self.grants.items()},
            "denials": {name: list(kept) for name, kept in self.denials.items()},
            "row_filter": None if self.row_filter is None else self.row_filter.to_json(),
            "masks": {column: mask.to_json() for column, mask in self.masks.items()},
            "policies": {name: dict(clauses) for name, clauses in self.policies.items()},
            "tags": dict(self.tags),
            "shallow_clone": self.shallow_clone,
        }
        return {key: value for key, value in found.items() if value}


UNGOVERNED = Governance()
"""No records."""


@dataclass(frozen=True, slots=True)
class Policies:
    """The row filters and masks of a table, of all its names. `masks` are by column in lower case; where two names of
    the table mask one column, the second mask gets the result of the first."""

    filters: tuple[Policy, ...]
    masks: Mapping[str, tuple[Policy, ...]]

    @classmethod
    def of(cls, records: Iterable[Governance]) -> Policies | None:
        """Those of the records on the names of one table; None without any."""
        found = [item for item in records if item.has_policies]
        if not found:
            return None
        filters = (item.row_filter for item in found if item.row_filter is not None)
        masks: dict[str, tuple[Policy, ...]] = {}
        for column, mask in (pair for item in found for pair in item.masks.items()):
            masks[column.lower()] = _each_once((*masks.get(column.lower(), ()), mask))
        return cls(_each_once(filters), masks)


def _each_once(policies: Iterable[Policy]) -> tuple[Policy, ...]:
    return tuple(dict.fromkeys(policies))


@dataclass(frozen=True, slots=True)
class Securable:
    """An object of Unity Catalog that has no data in a warehouse: a connection, a share, a group ….

    `facts` are its clauses by name, without secrets; `members` the tables of a share, or the members of a group.
    """

    kind: str
    name: str
    created_at: int
    comment: str | None = None
    facts: Mapping[str, str] = field(default_factory=dict)
    members: tuple[str, ...] = ()
    governance: Governance = UNGOVERNED

    @property
    def key(self) -> tuple[str, str]:
        return self.kind, self.name

    @classmethod
    def from_json(cls, value: Json) -> Securable:
        """Raises KeyError, TypeError, ValueError, AttributeError for invalid JSON of a securable."""
        comment = value.get("comment")
        return cls(
            read_text(value["kind"]),
            read_text(value["name"]),
            int(value["created_at"]),
            None if comment is None else read_text(comment),
            {read_text(key): read_text(text) for key, text in value.get("facts", {}).items()},
            tuple(map(read_text, value.get("members", ()))),
            Governance.from_json(value.get("governance")),
        )

    def to_json(self) -> Json:
        return {
            "kind": self.kind,
            "name": self.name,
            "created_at": self.created_at,
            "comment": self.comment,
            "facts": dict(self.facts),
            "members": list(self.members),
            "governance": self.governance.to_json(),
        }


def _privileges(value: Json) -> Privileges:
    return {read_text(name): tuple(map(read_text, kept)) for name, kept in value.items()}


def _with(kept: Privileges, principal: str, added: Iterable[str]) -> Privileges:
    return dict(sorted({**kept, principal: tuple(sorted({*kept.get(principal, ()), *added}))}.items()))


def _without(kept: Privileges, principal: str, removed: Iterable[str]) -> Privileges:
    """ALL PRIVILEGES stands for all of them."""
    gone = set(removed)
    left = [item for item in kept.get(principal, ()) if item not in gone and "ALL PRIVILEGES" not in gone]
    return dict(_changed(kept, principal, tuple(left)))


def _changed(kept: Privileges, principal: str, left: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name, privileges in kept.items():
        if name != principal:
            yield name, privileges
        elif left:
            yield name, left


def arguments_text(policy: Policy) -> str:
    """The arguments of a policy's function, as SQL has them."""
    return ", ".join(quote(item.text) if item.is_column else item.text for item in policy.arguments)


DEFAULT_CATALOG = "spark_catalog"
DEFAULT_SCHEMA = "default"


@dataclass(frozen=True, slots=True)
class StoredCatalog:
    """One catalog as stored: `location` is None for the default location below the warehouse."""

    name: str
    comment: str | None
    location: str | None
    created_at: int
    properties: Mapping[str, str] = field(default_factory=dict)
    governance: Governance = UNGOVERNED

    @property
    def key(self) -> tuple[str]:
        return (self.name,)


@dataclass(frozen=True, slots=True)
class CatalogEntry:
    """One catalog. `location` is the parent of its schemas; `created_at` is milliseconds since the epoch."""

    name: str
    comment: str | None
    location: str
    created_at: int
    properties: Mapping[str, str] = field(default_factory=dict)
    governance: Governance = UNGOVERNED


@dataclass(frozen=True, slots=True)
class StoredSchema:
    """One schema as stored: `location` is None for the default location below the warehouse."""

    catalog: str
    name: str
    comment: str | None
    location: str | None
    created_at: int
    properties: Mapping[str, str] = field(default_factory=dict)
    governance: Governance = UNGOVERNED

    @property
    def key(self) -> tuple[str, str]:
        return (self.catalog, self.name)


@dataclass(frozen=True, slots=True)
class SchemaEntry:
    """One schema. `location` is the parent of its managed tables; `created_at` is milliseconds since the epoch."""

    catalog: str
    name: str
    comment: str | None
    location: str
    created_at: int
    properties: Mapping[str, str] = field(default_factory=dict)
    governance: Governance = UNGOVERNED


@dataclass(frozen=True, slots=True)
class TableEntry:
    """One table. `location` is an absolute path or a URL; `created_at` is milliseconds since the epoch.

    `source` describes a table whose files are of another format than Delta; None is a Delta table.
    `refreshed` is set for a materialized view or a streaming table.
    """

    catalog: str
    schema: str
    name: str
    location: str
    managed: bool
    created_at: int
    source: TableSource | None = None
    refreshed: RefreshDefinition | None = None
    governance: Governance = UNGOVERNED

    @property
    def parts(self) -> tuple[str, str, str]:
        return (self.catalog, self.schema, self.name)

    def renamed(self, parts: tuple[str, str, str]) -> TableEntry:
        """This table under another name."""
        catalog, schema, name = parts
        return replace(self, catalog=catalog, schema=schema, name=name)

    @property
    def full_name(self) -> str:
        """`spark_catalog.default.t`, unquoted, as DESCRIBE DETAIL writes it."""
        return ".".join(self.parts)


@dataclass(frozen=True, slots=True)
class ViewEntry:
    """One view, which shares the namespace of tables; `created_at` is milliseconds since the epoch."""

    catalog: str
    schema: str
    name: str
    definition: ViewDefinition
    created_at: int
    governance: Governance = UNGOVERNED

    @property
    def parts(self) -> tuple[str, str, str]:
        return (self.catalog, self.schema, self.name)

    @property
    def is_built_in(self) -> bool:
        """Whether the view is one of an information schema or of `samples`; such a view has no query."""
        return not self.definition.query

    def renamed(self, parts: tuple[str, str, str]) -> ViewEntry:
        """This view under another name."""
        catalog, schema, name = parts
        return replace(self, catalog=catalog, schema=schema, name=name)

    def defined(self, definition: ViewDefinition) -> ViewEntry:
        """This view with another definition."""
        return replace(self, definition=definition)


Entry: TypeAlias = Union[TableEntry, ViewEntry]
"""An entry of the namespace that tables and views share."""


@dataclass(frozen=True, slots=True)
class FunctionEntry:
    """One function or procedure; both share a namespace. `created_at` is milliseconds since the epoch."""

    catalog: str
    schema: str
    name: str
    definition: FunctionDefinition
    created_at: int
    governance: Governance = UNGOVERNED

    @property
    def parts(self) -> tuple[str, str, str]:
        return (self.catalog, self.schema, self.name)


@dataclass(frozen=True, slots=True)
class VolumeEntry:
    """One volume, a folder for files that are no tables; volumes have a separate namespace.

    `created_at` is milliseconds since the epoch. The files of a `managed` volume are removed with it.
    """

    catalog: str
    schema: str
    name: str
    location: str
    managed: bool
    created_at: int
    comment: str | None = None
    governance: Governance = UNGOVERNED

    @property
    def parts(self) -> tuple[str, str, str]:
        return (self.catalog, self.schema, self.name)

    @property
    def path(self) -> str:
        """The path that stands for the volume's folder in statements."""
        return f"/Volumes/{'/'.join(self.parts)}"

    @property
    def as_table(self) -> TableEntry:
        """The location, as that of a table whose files are removed with its schema."""
        return TableEntry(*self.parts, self.location, self.managed, self.created_at)


def now() -> int:
    """Milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


def checked(name: str) -> str:
    """`name` in lower case. Forbidden characters are those of Unity Catalog.

    Raises InvalidNameError.
    """
    if not name or re.search(r"[\x00-\x20./\x7f]", name):
        raise errors.InvalidNameError(name=quote(name))
    return name.lower()


def sql_name(parts: Iterable[str]) -> str:
    """`parts` as one SQL name, quoted where needed; the default catalog is left out."""
    shown = tuple(parts)
    if len(shown) > 2 and shown[0] == DEFAULT_CATALOG:
        shown = shown[1:]
    return ".".join(quote(part) for part in shown)


def matching(names: Iterable[str], pattern: str | None) -> list[str]:
    """Those of `names` that a SHOW … LIKE pattern selects, sorted.

    As in Spark: `*` is any text, `|` separates alternatives, the rest is a case-insensitive regular expression, and an
    invalid alternative selects nothing.
    """
    ordered = sorted(names)
    if pattern is None:
        return ordered
    expressions = [_expression(item) for item in pattern.strip().split("|")]
    return [name for name in ordered if any(item is not None and item.fullmatch(name) for item in expressions)]


def _expression(alternative: str) -> re.Pattern[str] | None:
    try:
        return re.compile(alternative.replace("*", ".*"), re.IGNORECASE)
    except re.error:
        return None


def table_kind(entry: TableEntry | None) -> str:
    """The type of a table, as DESCRIBE and the information schema call it."""
    if entry is not None and entry.refreshed is not None:
        return entry.refreshed.kind.value.replace(" ", "_")
    return "MANAGED" if entry is not None and entry.managed else "EXTERNAL"


def table_type(entry: TableEntry) -> str:
    """The type of a table in the information schema, where a shallow clone has one of its own."""
    return table_kind(entry) + ("_SHALLOW_CLONE" if entry.governance.shallow_clone else "")


def marks_of(entry: Entry) -> Mapping[str, str]:
    """The properties of the stored query of a view, a materialized view or a streaming table; none of other tables."""
    if isinstance(entry, ViewEntry):
        return entry.definition.properties
    return {} if entry.refreshed is None else entry.refreshed.view.properties
