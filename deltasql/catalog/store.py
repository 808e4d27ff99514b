"""Interface of the stores of a warehouse's names: entries in, entries and typed conflicts out.

The information schema that each catalog has: the names and columns of its views. Source: Databricks.

The views are built in and stored nowhere; the planner computes their rows. The catalog `system` has an information
schema about all catalogs, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from enum import Enum
from typing import Protocol, TypeAlias

from deltasql.catalog.commit_stores import CommitStore
from deltasql.catalog.entries import (
    Entry,
    FunctionEntry,
    Governance,
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

SchemaKey: TypeAlias = tuple[str, str]
"""Catalog and schema, in lower case."""

TableKey: TypeAlias = tuple[str, str, str]
"""Catalog, schema and table, view, function or volume, in lower case."""

Volumes: TypeAlias = Mapping[str, VolumeEntry]
"""The volumes of one schema, by name."""


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


class CatalogStore(Protocol):
    """Store of names: a SQLite file, objects beside the tables, or the server of a catalog.

    Names are passed in lower case and checked. Each change is atomic, and of concurrent changes for one name, in any
    process or machine, exactly one succeeds. The current schema, default locations and user errors are the Catalog's.

    Every method may raise a DeltaSqlError if the store cannot be read or written.
    """

    @property
    def commits(self) -> CommitStore:
        """Where the commits of managed tables are."""

    def catalogs(self) -> Collection[str]:
        """Names of all catalogs, in no order."""

    def catalog(self, name: str) -> StoredCatalog | None:
        """One catalog, or None."""

    def add_catalog(self, catalog: StoredCatalog, default: StoredSchema) -> None:
        """Adds a catalog with its default schema. Raises NameTakenError."""

    def change_catalog(self, name: str, change: Callable[[StoredCatalog], StoredCatalog]) -> None:
        """Replaces a catalog by the result of `change`, which may be called again. Raises NameMissingError."""

    def remove_catalog(self, name: str) -> None:
        """Removes a catalog that has no schemas. Raises NameMissingError, SchemaInUseError with its schemas."""

    def schemas(self, catalog: str) -> Sequence[StoredSchema]:
        """The schemas of a catalog, in no order; none if there is no such catalog."""

    def schema(self, key: SchemaKey) -> StoredSchema | None:
        """One schema, or None."""

    def add_schema(self, schema: StoredSchema) -> None:
        """Adds a schema. Raises NameTakenError, NameMissingError for its catalog."""

    def change_schema(self, key: SchemaKey, change: Callable[[StoredSchema], StoredSchema]) -> None:
        """Replaces a schema by the result of `change`, which may be called again. Raises NameMissingError."""

    def drop_schema(self, key: SchemaKey, cascade: bool) -> Sequence[TableEntry]:
        """Removes a schema with its tables and volumes, which are returned, views and functions. Raises
        NameMissingError, and without `cascade` SchemaInUseError."""

    def entries(self, schema: SchemaKey) -> Sequence[Entry]:
        """Tables and views of a schema, in no order. Raises NameMissingError where there is no such schema."""

    def tables_below(self, location: str) -> Sequence[TableEntry]:
        """All tables, of all schemas, whose location begins with this text, and possibly others."""

    def entry(self, key: TableKey) -> Entry | None:
        """One table or view, or None."""

    def add_table(self, entry: TableEntry) -> None:
        """Adds a table. Raises NameTakenError, NameMissingError for its catalog or schema."""

    def remove(self, key: TableKey, kind: Kind) -> Entry:
        """Removes a table or a view, by `kind`; returns its old entry. Raises NameMissingError."""

    def rename(self, key: TableKey, new: TableKey) -> Entry:
        """Renames a table or view; returns the new entry. Raises NameMissingError for the old name, then for the new
        catalog or schema; NameTakenError."""

    def change_table(self, key: TableKey, change: Callable[[TableEntry], TableEntry]) -> TableEntry:
        """Replaces a table by the result of `change`, which may be called again; returns it. Raises
        NameMissingError."""

    def change_view(self, key: TableKey, change: Callable[[Entry | None], ViewEntry]) -> None:
        """Sets the entry of a name to the view that `change` returns for the current entry, None if there is none.
        `change` may be called again; if it raises, nothing is changed. Raises NameMissingError for the catalog or
        schema."""

    def change_governance(self, key: TableKey, change: Callable[[Governance], Governance]) -> None:
        """Replaces the records on a table or view by the result of `change`, which may be called again. Raises
        NameMissingError."""

    def functions(self, schema: SchemaKey) -> Sequence[FunctionEntry]:
        """The functions of a schema, in no order; none if there is no such schema."""

    def function(self, key: TableKey) -> FunctionEntry | None:
        """One function, or None."""

    def change_function(self, key: TableKey, change: Callable[[FunctionEntry | None], FunctionEntry | None]) -> None:
        """Like `change_view` for a function, which is removed if `change` returns None."""

    def volumes(self, schema: SchemaKey) -> Volumes:
        """The volumes of a schema; none if there is no such schema."""

    def change_volumes(self, schema: SchemaKey, change: Callable[[Volumes], Volumes]) -> None:
        """Replaces the volumes of a schema by the result of `change`, which may be called again; if it raises, nothing
        is changed. Raises NameMissingError for the catalog or schema."""

    def securables(self) -> Sequence[Securable]:
        """All securables without data, in no order."""

    def change_securable(self, key: tuple[str, str], change: Callable[[Securable | None], Securable | None]) -> None:
        """Replaces a securable, by kind and name, by the result of `change`, which may be called again; None removes
        it. The result may have another name. Raises NameTakenError for that."""

    def close(self) -> None:
        """Closes files and connections; a later call opens them again."""


INFORMATION_SCHEMA = "information_schema"
SYSTEM = "system"

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
        "Parameters of functions",
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
        "Functions",
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
