"""Refusals of schemas: their JSON, the check of a table's new schema, and two schemas that do not merge."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, TypeAlias

from deltasql.base.errors.base import DeltaSqlError, condition

DuplicatePlace: TypeAlias = Literal[
    "ADDING_COLUMNS",
    "CLUSTER_BY",
    "METADATA_UPDATE",
    "PARTITION_COLUMNS",
    "READ_SCHEMA",
    "REPLACING_COLUMNS",
    "TABLE_SCHEMA",
]
"""Delta's subclasses of DELTA_DUPLICATE_COLUMNS_FOUND that something here raises."""


@condition(
    "DELTA_SCHEMA_NOT_SET",
    "KD008",
    "The schema in the table's log cannot be read: {reason}. The log is damaged; restore it from a copy.",
)
class InvalidSchemaJsonError(DeltaSqlError):
    """The schemaString of a metadata action that is no JSON, or no schema."""

    reason: str


@condition(
    "DELTA_ADDING_COLUMN_WITH_INTERNAL_NAME_FAILED",
    "42000",
    "Cannot add column {column}: the name is reserved for Delta's own use. Choose another name.",
)
class InternalColumnNameError(DeltaSqlError):
    """A new column with a name that Delta reserves."""

    column: str


@condition(
    "DELTA_NOT_NULL_NESTED_FIELD",
    "0A000",
    "The nested field {column} cannot be NOT NULL: its parent {parent} can be null. Make the parent NOT NULL as well.",
)
class NotNullNestedFieldError(DeltaSqlError):
    """NOT NULL for a field of a struct that may be NULL."""

    column: str
    parent: str


@condition(
    "DELTA_NESTED_NOT_NULL_CONSTRAINT",
    "0AKDC",
    "NOT NULL inside the {kind} {column} is not supported: it could not be enforced. Remove it.",
)
class NestedNotNullError(DeltaSqlError):
    """NOT NULL for a field inside an array or a map."""

    kind: str
    column: str


@condition(
    "DELTA_FAILED_TO_MERGE_FIELDS",
    "22005",
    "Cannot merge column {column}: {reason} Cast the new data to {table_type}, or write it to another column.",
    remedy="Cast the new data to the column's type, or write it to another column.",
)
class MergeFieldsError(DeltaSqlError):
    """Schema evolution of a column whose old and new types have no common type.

    `__cause__` is the MergeTypesError or MergeDecimalsError of the innermost pair of types.
    """

    column: str
    table_type: str
    data_type: str
    reason: str


@condition(
    "DELTA_MERGE_INCOMPATIBLE_DATATYPE",
    "42K09",
    "The table's type {table_type} and the new data's type {data_type} have no common type.",
    remedy="Cast the new data to the column's type.",
)
class MergeTypesError(DeltaSqlError):
    """The cause of a MergeFieldsError: two types, such as INT and STRING, without a common type."""

    table_type: str
    data_type: str


@condition(
    "DELTA_MERGE_INCOMPATIBLE_DECIMAL_TYPE",
    "42806",
    "The table's type {table_type} and the new data's type {data_type} differ in {difference}.",
    remedy="Cast the new data to the column's type.",
)
class MergeDecimalsError(DeltaSqlError):
    """The cause of a MergeFieldsError: two DECIMALs that no one DECIMAL can hold."""

    table_type: str
    data_type: str
    difference: str


@condition(
    "DELTA_DUPLICATE_COLUMNS_FOUND",
    "42711",
    "Duplicate columns in {where}: {columns}. Names that differ only in case are the same; rename one.",
    remedy="Rename or leave out one of the columns.",
)
class DuplicateColumnsError(DeltaSqlError):
    """Two columns of one struct, or two names in one list of columns, that are equal when case is ignored.

    `place` is where they stand, Delta's name for it: `condition` ends in it.
    """

    place: DuplicatePlace
    where: str
    columns: Collection[str]

    def __post_init__(self) -> None:
        super().__post_init__()
        self.condition = f"{type(self).condition}.{self.place}"  # type: ignore[misc]


@condition(
    "DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES",
    "42K05",
    "Column names of {where} hold characters that a Delta table without column mapping cannot have "
    "(one of ' ,;{{}}()\\n\\t='): {columns}. Rename the columns.",
)
class InvalidColumnNameError(DeltaSqlError):
    """Column names with spaces or ,;{}()= in a table without column mapping."""

    where: str
    columns: Collection[str]


@condition(
    "DELTA_INVALID_PARTITION_COLUMN_NAME",
    "42996",
    "Partition column names of {where} have invalid characters (one of ' ,;{{}}()\\n\\t='): {columns}. Rename them.",
)
class InvalidPartitionColumnNameError(DeltaSqlError):
    """Partition columns with spaces or ,;{}()= in their names."""

    where: str
    columns: Collection[str]


@condition(
    "DELTA_UNSUPPORTED_DATA_TYPES",
    "0AKDC",
    "{where} has columns of types that Delta cannot store: {columns}. Choose other types.",
)
class UnsupportedTypesError(DeltaSqlError):
    """CREATE, ADD COLUMNS or a write with columns of intervals and other types that no file can hold."""

    where: str
    columns: Collection[str]


@condition(
    "DELTA_UNSUPPORTED_DATA_TYPES",
    "0AKDC",
    "{table} has columns of types that Delta does not define: {columns}. Its log was written by something else, or "
    "changed: DESCRIBE HISTORY says who wrote it. An earlier version may be read: {table} VERSION AS OF n.",
    remedy="Find the writer with DESCRIBE HISTORY, and read an earlier version: t VERSION AS OF n.",
)
class UnknownTypesError(DeltaSqlError):
    """A table whose log has columns of types that the Delta protocol does not define."""

    table: str
    columns: Collection[str]


@condition(
    "DELTA_UNSUPPORTED_DATA_TYPES",
    "0AKDC",
    "{name} is no name of a type.",
    remedy="Write a type of SQL, such as INT or STRUCT<a: INT>.",
)
class UnknownTypeNameError(DeltaSqlError):
    """A type that must not come into SQL."""

    name: str


@condition(
    "DELTA_INVALID_LOG_JSON",
    "KD00D",
    "The metadata of column {column} of {table} cannot be read: {key} is {value}, and must be {wanted}. The log is "
    "damaged; read an earlier version, or restore it from a copy.",
)
class ColumnMetadataError(DeltaSqlError):
    """A field in a log whose metadata, such as delta.columnMapping.id, has a value of another type."""

    key: str
    column: str
    table: str
    value: str
    wanted: str


@condition(
    "DELTA_CANNOT_USE_INTERNAL_COLUMN_NAME",
    "42000",
    "Column {column} of {table} cannot be used: names that begin with {prefix} are columns of deltasql's own.",
    remedy="Rename the column.",
)
class HiddenColumnNameError(DeltaSqlError):
    """A column, in a statement or a log, named like the columns that deltasql adds to its own queries."""

    column: str
    table: str
    prefix: str


@condition(
    "DELTA_PARTITION_COLUMN_NOT_FOUND",
    "42703",
    "There is no column {column} to partition {where} by.{hint} Columns: {candidates}.",
    remedy="Name a column that the message lists.",
)
class PartitionColumnNotFoundError(DeltaSqlError):
    """PARTITIONED BY a column that the table does not have."""

    column: str
    where: str
    hint: str
    candidates: Collection[str]


@condition(
    "DELTA_INVALID_PARTITION_COLUMN_TYPE",
    "42996",
    "{where} cannot be partitioned by {column}: its type {type} cannot be a partition value. Choose another column.",
)
class InvalidPartitionColumnTypeError(DeltaSqlError):
    """PARTITIONED BY a struct, array, map or another type without partition values."""

    where: str
    column: str
    type: str


@condition(
    "DELTA_CANNOT_USE_ALL_COLUMNS_FOR_PARTITION",
    "428FT",
    "{where} cannot be partitioned by all of its columns ({columns}). Leave at least one data column.",
)
class AllColumnsPartitionError(DeltaSqlError):
    """PARTITIONED BY all columns of the table."""

    where: str
    columns: Collection[str]


@condition(
    "DELTA_IDENTITY_COLUMNS_PARTITION_NOT_SUPPORTED",
    "42601",
    "{where} cannot be partitioned by the identity column {column}. Choose another column.",
)
class IdentityPartitionError(DeltaSqlError):
    """PARTITIONED BY an identity column."""

    where: str
    column: str


@condition(
    "DELTA_TABLE_ALREADY_CONTAINS_CDC_COLUMNS",
    "42711",
    "The change data feed cannot be enabled on {where}: it has the columns {columns}, which the feed needs for itself. "
    "Rename them.",
)
class ChangeDataColumnsError(DeltaSqlError):
    """The change data feed, for a table with columns such as _change_type."""

    where: str
    columns: Collection[str]


@condition(
    "UNRESOLVED_COLUMN.WITH_SUGGESTION",
    "42703",
    "There is no column {column} in the tables of the query. {advice}",
    remedy="Check the spelling with DESCRIBE TABLE.",
)
class UnresolvedColumnError(DeltaSqlError):
    """A query that is checked without an engine names a column that none of its tables has."""

    column: str
    advice: str
