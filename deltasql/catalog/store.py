"""Interface of the stores of a warehouse's names, and the views of the information schema of each catalog.

Entries go into a store, and entries or typed conflicts come out.

The views of the information schema are built in and stored nowhere; the planner computes their rows. Source:
Databricks. The catalog `system` has an information schema about all catalogs, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from operator import attrgetter
from typing import Generic, Protocol, TypeAlias, TypeVar

from deltasql.catalog.commit_stores import CommitStore
from deltasql.catalog.entries import (
    Entry,
    FunctionEntry,
    SchemaMode,
    Securable,
    StoredCatalog,
    StoredSchema,
    TableEntry,
    ViewDefinition,
    ViewEntry,
    VolumeEntry,
)
from deltasql.schema import INTEGER, STRING, TIMESTAMP, DataType, StructField, StructType

_R = TypeVar("_R")

SchemaKey: TypeAlias = tuple[str, str]
"""Catalog and schema, in lower case."""

TableKey: TypeAlias = tuple[str, str, str]
"""Catalog, schema and table, view, function or volume, in lower case."""


class Kind(Enum):
    """Kind of object that has a name."""

    CATALOG = "catalog"
    SCHEMA = "schema"
    TABLE = "table"
    VIEW = "view"
    FUNCTION = "function"


class NameMissingError(Exception):
    """A name that a change needs does not exist; nothing was changed."""

    def __init__(self, kind: Kind) -> None:
        super().__init__(kind)
        self.kind = kind


class NameTakenError(Exception):
    """The name exists already; nothing was changed."""


class SchemaInUseError(Exception):
    """The schema holds `names`, of tables, views, functions and volumes, or the catalog schemas; nothing was
    changed."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(names)
        self.names = names


def of_kind(entry: Entry | None, kind: Kind) -> Entry:
    """`entry`, if it is of this kind. Raises NameMissingError."""
    if entry is None or isinstance(entry, ViewEntry) != (kind is Kind.VIEW):
        raise NameMissingError(kind)
    return entry


def required(kind: Kind, change: Callable[[_R], _R]) -> Callable[[_R | None], _R]:
    """The change of a record that must be there. Raises NameMissingError."""

    def changed(found: _R | None) -> _R:
        if found is None:
            raise NameMissingError(kind)
        return change(found)

    return changed


def added(record: _R) -> Callable[[_R | None], _R]:
    """The change that adds a record. Raises NameTakenError."""

    def changed(found: _R | None) -> _R:
        if found is not None:
            raise NameTakenError
        return record

    return changed


Key: TypeAlias = tuple[str, ...]
"""The parts of a full name, in lower case; of a securable, its kind and its name."""


@dataclass(frozen=True, slots=True)
class RecordGroup(Generic[_R]):
    """One group of records of a store. `key` is the key of a record."""

    name: str
    key: Callable[[_R], Key]


CATALOGS: RecordGroup[StoredCatalog] = RecordGroup("catalogs", attrgetter("key"))
SCHEMAS: RecordGroup[StoredSchema] = RecordGroup("schemas", attrgetter("key"))
RELATIONS: RecordGroup[Entry] = RecordGroup("tables", attrgetter("parts"))
"""Tables and views, which have one namespace."""
FUNCTIONS: RecordGroup[FunctionEntry] = RecordGroup("functions", attrgetter("parts"))
VOLUMES: RecordGroup[VolumeEntry] = RecordGroup("volumes", attrgetter("parts"))
SECURABLES: RecordGroup[Securable] = RecordGroup("securables", attrgetter("key"))


class CatalogStore(Protocol):
    """Store of the records of names: a SQLite file, objects beside the tables, or the server of a catalog.

    Names are passed in lower case and checked. Each change is atomic, and of concurrent changes for one name, in any
    process or machine, exactly one succeeds. The current schema, default locations and user errors are the Catalog's.

    Every method may raise a DeltaSqlError if the store cannot be read or written.
    """

    @property
    def commits(self) -> CommitStore:
        """Where the commits of managed tables are."""

    def get(self, group: RecordGroup[_R], key: Key) -> _R | None:
        """One record, or None."""

    def list(self, group: RecordGroup[_R], parent: Key = ()) -> Sequence[_R]:
        """The records in a catalog or schema, or all catalogs or securables, in no order.

        None for a missing parent, but for RELATIONS: raises NameMissingError where there is no such schema.
        """

    def edit(
        self, group: RecordGroup[_R], key: Key, change: Callable[[_R | None], _R | None], must_exist: Kind | None = None
    ) -> _R | None:
        """Replaces a record by the result of `change`, which is returned; None removes the record.

        `change` gets None for a missing record, and may be called again; if it raises, nothing is changed. A volume
        and a securable may get another name. A new catalog gets its default schema.

        Raises NameMissingError: of the kind `must_exist`, if there is no such record, else for a missing catalog or
        schema; NameTakenError for a new name.
        """

    def move(self, key: TableKey, new: TableKey) -> Entry:
        """Renames a table or view; returns the new entry. Raises NameMissingError for the old name, then for the new
        catalog or schema; NameTakenError."""

    def remove(self, key: Key, cascade: bool = False) -> Sequence[TableEntry]:
        """Removes a catalog that has no schemas, or a schema with its views, functions, tables and volumes.

        Tables and volumes are returned. Raises NameMissingError, SchemaInUseError for a catalog with schemas, and
        without `cascade` for a schema with anything in it.
        """

    def below(self, location: str) -> Sequence[TableEntry]:
        """All tables, of all schemas, whose location begins with this text, and possibly others."""

    def close(self) -> None:
        """Closes files and connections; a later call opens them again."""


INFORMATION_SCHEMA = "information_schema"
SYSTEM = "system"
SAMPLES = "samples"
"""The catalog with built-in tables."""

_TYPES: Mapping[str, DataType] = {"": STRING, "INT": INTEGER, "TIMESTAMP": TIMESTAMP}
_CHANGES = "created:TIMESTAMP created_by last_altered:TIMESTAMP last_altered_by"
_GRANT = "grantor grantee"
_TABLE = "table_catalog table_schema table_name"
_CONSTRAINT = "constraint_catalog constraint_schema constraint_name"
_ROUTINE = "specific_catalog specific_schema specific_name"
_TYPE = (
    "data_type full_data_type character_maximum_length:INT character_octet_length numeric_precision:INT "
    "numeric_precision_radix:INT numeric_scale:INT datetime_precision:INT interval_type interval_precision:INT "
    "maximum_cardinality:INT"
)
_DEFINITIONS: Mapping[str, tuple[str, str]] = {
    "catalog_privileges": (
        "Recorded privileges on the catalog",
        f"{_GRANT} catalog_name privilege_type is_grantable inherited_from",
    ),
    "catalog_tags": ("Tags of the catalog", "catalog_name tag_name tag_value"),
    "catalogs": ("The catalog", f"catalog_name catalog_owner comment {_CHANGES}"),
    "check_constraints": ("CHECK constraints of tables", f"{_CONSTRAINT} check_clause"),
    "column_masks": (
        "Recorded masks of columns",
        f"{_TABLE} column_name mask_catalog mask_schema mask_name using_columns",
    ),
    "column_tags": ("Tags of columns", "catalog_name schema_name table_name column_name tag_name tag_value"),
    "columns": (
        "Columns of tables and views",
        f"{_TABLE} column_name ordinal_position:INT column_default is_nullable full_data_type data_type "
        "character_maximum_length:INT character_octet_length numeric_precision:INT numeric_precision_radix:INT "
        "numeric_scale:INT datetime_precision:INT interval_type interval_precision:INT maximum_cardinality:INT "
        "is_identity identity_generation identity_start identity_increment identity_maximum identity_minimum "
        "identity_cycle is_generated generation_expression is_system_time_period_start is_system_time_period_end "
        "system_time_period_timestamp_generation is_updatable partition_ordinal_position:INT comment",
    ),
    "constraint_column_usage": ("Columns that constraints refer to", f"{_TABLE} column_name {_CONSTRAINT}"),
    "constraint_table_usage": ("Tables that constraints refer to", f"{_TABLE} {_CONSTRAINT}"),
    "information_schema_catalog_name": ("The name of the catalog", "catalog_name"),
    "key_column_usage": (
        "Columns of primary and foreign keys",
        f"{_CONSTRAINT} {_TABLE} column_name ordinal_position:INT position_in_unique_constraint:INT",
    ),
    "parameters": (
        "Parameters of functions and procedures",
        f"{_ROUTINE} ordinal_position:INT parameter_mode is_result as_locator parameter_name {_TYPE} "
        "parameter_default comment",
    ),
    "referential_constraints": (
        "Foreign keys, and the primary keys that they refer to",
        f"{_CONSTRAINT} unique_constraint_catalog unique_constraint_schema unique_constraint_name match_option "
        "update_rule delete_rule",
    ),
    "routine_columns": (
        "Columns of functions that return tables",
        f"{_ROUTINE} ordinal_position:INT column_name {_TYPE} comment",
    ),
    "routine_privileges": (
        "Recorded privileges on functions",
        f"{_GRANT} {_ROUTINE} routine_catalog routine_schema routine_name privilege_type is_grantable inherited_from",
    ),
    "routines": (
        "Functions and procedures",
        f"{_ROUTINE} routine_catalog routine_schema routine_name routine_owner routine_type {_TYPE} routine_body "
        "routine_definition external_name external_language parameter_style is_deterministic sql_data_access "
        f"is_null_call security_type as_locator comment {_CHANGES}",
    ),
    "row_filters": (
        "Recorded row filters",
        f"{_TABLE} filter_catalog filter_schema filter_name target_columns",
    ),
    "schema_privileges": (
        "Recorded privileges on schemas",
        f"{_GRANT} catalog_name schema_name privilege_type is_grantable inherited_from",
    ),
    "schema_tags": ("Tags of schemas", "catalog_name schema_name tag_name tag_value"),
    "schemata": ("Schemas", f"catalog_name schema_name schema_owner comment {_CHANGES}"),
    "table_constraints": (
        "Keys and CHECK constraints of tables",
        f"{_CONSTRAINT} {_TABLE} constraint_type is_deferrable initially_deferred enforced comment",
    ),
    "table_privileges": (
        "Recorded privileges on tables and views",
        f"{_GRANT} {_TABLE} privilege_type is_grantable inherited_from",
    ),
    "table_tags": ("Tags of tables and views", "catalog_name schema_name table_name tag_name tag_value"),
    "tables": (
        "Tables and views",
        f"{_TABLE} table_type is_insertable_into commit_action table_owner comment {_CHANGES} data_source_format "
        "storage_path",
    ),
    "volume_privileges": (
        "Recorded privileges on volumes",
        f"{_GRANT} volume_catalog volume_schema volume_name privilege_type is_grantable inherited_from",
    ),
    "volume_tags": ("Tags of volumes", "catalog_name schema_name volume_name tag_name tag_value"),
    "volumes": (
        "Volumes",
        f"volume_catalog volume_schema volume_name volume_type volume_owner comment {_CHANGES} storage_location",
    ),
    "views": (
        "Views",
        f"{_TABLE} view_definition check_option is_updatable is_insertable_into sql_path is_materialized",
    ),
}


def information_columns(view: str) -> StructType:
    """The columns of a view of the information schema. Raises KeyError."""
    _, text = _DEFINITIONS[view]
    pairs = (item.partition(":") for item in text.split())
    return StructType(tuple(StructField(name, _TYPES[kind]) for name, _, kind in pairs))


def information_views(catalog: str, created_at: int) -> Iterator[ViewEntry]:
    """The views of a catalog's information schema, by name."""
    for name in sorted(_DEFINITIONS):
        yield information_view(catalog, name, created_at)


def has_information_view(name: str) -> bool:
    """Whether the information schema has a view of this name."""
    return name in _DEFINITIONS


def information_view(catalog: str, name: str, created_at: int) -> ViewEntry:
    """One view of a catalog's information schema, whose definition has no query. Raises KeyError."""
    columns = information_columns(name)
    comment, _ = _DEFINITIONS[name]
    namespace = (catalog, INFORMATION_SCHEMA)
    definition = ViewDefinition("", namespace, {}, columns.names, columns, mode=SchemaMode.BINDING, comment=comment)
    return ViewEntry(catalog, INFORMATION_SCHEMA, name, definition, created_at)
