"""Refusals that come from schemas: column paths, schema edits, schema evolution, checks of new schemas."""

from __future__ import annotations

from collections.abc import Collection

from deltasql.errors.base import DeltaSqlError, condition


@condition(
    "DELTA_SCHEMA_NOT_SET",
    "KD008",
    "The schema in the table's log cannot be read: {reason}. The log is damaged; restore it from a copy.",
)
class InvalidSchemaJsonError(DeltaSqlError):
    reason: str


@condition(
    "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA",
    "42703",
    "There is no column {column} in {where}.{hint} Columns: {candidates}.",
)
class ColumnNotFoundError(DeltaSqlError):
    column: str
    where: str
    hint: str
    candidates: Collection[str]


@condition(
    "FIELD_NOT_FOUND",
    "42704",
    "There is no field {field} in the struct {struct}.{hint} Fields: {candidates}.",
)
class FieldNotFoundError(DeltaSqlError):
    field: str
    struct: str
    hint: str
    candidates: Collection[str]


@condition(
    "DELTA_INCORRECT_ARRAY_ACCESS_BY_NAME",
    "KD003",
    "{column} is an array: its elements have no field {field} of that name. Write {advice} instead.",
)
class ArrayAccessByNameError(DeltaSqlError):
    column: str
    field: str
    advice: str


@condition(
    "DELTA_FOUND_MAP_TYPE_COLUMN",
    "KD003",
    "{column} is a map and has no field {field}. Name its key or its value: {key} or {value}.",
)
class MapAccessByNameError(DeltaSqlError):
    column: str
    field: str
    key: str
    value: str


@condition(
    "DELTA_ADD_COLUMN_PARENT_NOT_STRUCT",
    "42KD3",
    "Cannot add {column}: {parent} is of type {type}, and only a struct can have fields. Add the column elsewhere.",
)
class AddColumnParentNotStructError(DeltaSqlError):
    column: str
    parent: str
    type: str


@condition(
    "DELTA_ADD_COLUMN_STRUCT_NOT_FOUND",
    "42KD3",
    "Cannot add {column}: there is no struct {parent}.{hint} Add the struct first.",
)
class AddColumnStructNotFoundError(DeltaSqlError):
    column: str
    parent: str
    hint: str


@condition(
    "FIELD_ALREADY_EXISTS",
    "42710",
    "Cannot {operation} {column}: {where} has a column {existing} already. Choose another name.",
)
class FieldAlreadyExistsError(DeltaSqlError):
    operation: str
    column: str
    where: str
    existing: str


@condition(
    "DELTA_ADDING_COLUMN_WITH_INTERNAL_NAME_FAILED",
    "42000",
    "Cannot add column {column}: the name is reserved for Delta's own use. Choose another name.",
)
class InternalColumnNameError(DeltaSqlError):
    column: str


@condition(
    "DELTA_OPERATION_NOT_ALLOWED",
    "0AKDC",
    "NOT NULL is not allowed for {column} in ALTER TABLE ADD COLUMNS: existing rows would hold NULL. "
    "Add the column without it, fill it, then run ALTER COLUMN … SET NOT NULL.",
)
class AddNotNullColumnError(DeltaSqlError):
    column: str


@condition(
    "WRONG_COLUMN_DEFAULTS_FOR_DELTA_ALTER_TABLE_ADD_COLUMN_NOT_SUPPORTED",
    "0AKDC",
    "DEFAULT is not allowed for {column} in ALTER TABLE ADD COLUMNS: existing rows would have to be rewritten. "
    "Add the column without it, then run ALTER COLUMN {column} SET DEFAULT ….",
)
class AddColumnDefaultError(DeltaSqlError):
    column: str


@condition(
    "DELTA_NOT_NULL_NESTED_FIELD",
    "0A000",
    "The nested field {column} cannot be NOT NULL: its parent {parent} can be null. Make the parent NOT NULL as well.",
)
class NotNullNestedFieldError(DeltaSqlError):
    column: str
    parent: str


@condition(
    "DELTA_NESTED_NOT_NULL_CONSTRAINT",
    "0AKDC",
    "NOT NULL inside the {kind} {column} is not supported: it could not be enforced. Remove it.",
)
class NestedNotNullError(DeltaSqlError):
    kind: str
    column: str


@condition(
    "DELTA_UNSUPPORTED_DROP_NESTED_COLUMN_FROM_NON_STRUCT_TYPE",
    "0AKDC",
    "Cannot drop {column}: {parent} is of type {type}, and only fields of a struct can be dropped.",
)
class DropFromNonStructError(DeltaSqlError):
    column: str
    parent: str
    type: str


@condition(
    "DELTA_DROP_COLUMN_ON_SINGLE_FIELD_SCHEMA",
    "0AKDC",
    "Cannot drop {column}: it is the only column of {parent}. Drop the parent, or add another column first.",
)
class DropOnlyColumnError(DeltaSqlError):
    column: str
    parent: str


@condition(
    "DELTA_UNSUPPORTED_COMMENT_MAP_ARRAY",
    "0AKDC",
    "A comment is not supported on {column}: an array's element and a map's key and value have none. "
    "Comment on the column that holds them.",
)
class CommentOnElementError(DeltaSqlError):
    column: str


@condition(
    "DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP",
    "0AKDC",
    "Cannot change {column} {old} to {new}: {reason}.",
)
class ChangeColumnError(DeltaSqlError):
    column: str
    old: str
    new: str
    reason: str


@condition(
    "DELTA_UNSUPPORTED_ALTER_TABLE_REPLACE_COL_OP",
    "0AKDC",
    "Unsupported ALTER TABLE REPLACE COLUMNS: {reason}.",
)
class ReplaceColumnsError(DeltaSqlError):
    reason: str


@condition(
    "DELTA_AMBIGUOUS_DATA_TYPE_CHANGE",
    "429BQ",
    "Cannot replace {column}: fields would be both added ({added}) and dropped ({dropped}), which could be a rename. "
    "Rename, add and drop in statements of their own.",
)
class AmbiguousChangeError(DeltaSqlError):
    column: str
    added: Collection[str]
    dropped: Collection[str]


@condition(
    "DELTA_CANNOT_UPDATE_STRUCT_FIELD",
    "429BQ",
    "Cannot change the struct {column} as a whole. Add, change or drop its fields by name: {column}.<field>.",
)
class CannotUpdateStructError(DeltaSqlError):
    column: str


@condition(
    "DELTA_CANNOT_UPDATE_ARRAY_FIELD",
    "429BQ",
    "Cannot change the array {column} as a whole. Change its element: {column}.element.",
)
class CannotUpdateArrayError(DeltaSqlError):
    column: str


@condition(
    "DELTA_CANNOT_UPDATE_MAP_FIELD",
    "429BQ",
    "Cannot change the map {column} as a whole. Change its key or value: {column}.key or {column}.value.",
)
class CannotUpdateMapError(DeltaSqlError):
    column: str


@condition(
    "DELTA_FAILED_TO_MERGE_FIELDS",
    "22005",
    "Cannot merge column {column}: {reason} Cast the new data to {table_type}, or write it to another column.",
)
class MergeFieldsError(DeltaSqlError):
    """`__cause__` is the MergeTypesError or MergeDecimalsError of the innermost pair of types."""

    column: str
    table_type: str
    data_type: str
    reason: str


@condition(
    "DELTA_MERGE_INCOMPATIBLE_DATATYPE",
    "42K09",
    "The table's type {table_type} and the new data's type {data_type} have no common type.",
)
class MergeTypesError(DeltaSqlError):
    table_type: str
    data_type: str


@condition(
    "DELTA_MERGE_INCOMPATIBLE_DECIMAL_TYPE",
    "42806",
    "The table's type {table_type} and the new data's type {data_type} differ in {difference}.",
)
class MergeDecimalsError(DeltaSqlError):
    table_type: str
    data_type: str
    difference: str


@condition(
    "DELTA_DUPLICATE_COLUMNS_FOUND",
    "42711",
    "Duplicate columns in {where}: {columns}. Names that differ only in case are the same; rename one.",
)
class DuplicateColumnsError(DeltaSqlError):
    """One subclass per place where the duplicates stood; the condition ends in its name."""

    where: str
    columns: Collection[str]


def _place(name: str) -> type[DuplicateColumnsError]:
    parent = DuplicateColumnsError
    body = {"condition": f"{parent.condition}.{name}", "__module__": __name__, "__doc__": f"Duplicates: {name}."}
    title = "".join(word.capitalize() for word in name.split("_"))
    return type(f"Duplicate{title}Error", (parent,), body)


DUPLICATE_COLUMNS = {
    place: _place(place)
    for place in (
        "ADDING_COLUMNS",
        "CLUSTER_BY",
        "CONVERT_TO_DELTA",
        "DATA",
        "EXISTING_SCHEMA",
        "METADATA_UPDATE",
        "PARTITION_COLUMNS",
        "PARTITION_SCHEMA",
        "READ_SCHEMA",
        "REPLACING_COLUMNS",
        "SPECIFIED_COLUMNS",
        "TABLE_SCHEMA",
    )
}
"""Delta's subclass of the condition → the error class."""

# Other processes find a pickled error's class by its name in the module.
globals().update({found.__name__: found for found in DUPLICATE_COLUMNS.values()})


@condition(
    "DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES",
    "42K05",
    "Column names of {where} hold characters that a Delta table without column mapping cannot have "
    "(one of ' ,;{{}}()\\n\\t='): {columns}. Rename the columns.",
)
class InvalidColumnNameError(DeltaSqlError):
    where: str
    columns: Collection[str]


@condition(
    "DELTA_INVALID_PARTITION_COLUMN_NAME",
    "42996",
    "Partition column names of {where} have invalid characters (one of ' ,;{{}}()\\n\\t='): {columns}. Rename them.",
)
class InvalidPartitionColumnNameError(DeltaSqlError):
    where: str
    columns: Collection[str]


@condition(
    "DELTA_UNSUPPORTED_DATA_TYPES",
    "0AKDC",
    "{where} has columns of types that Delta cannot store: {columns}. Choose other types.",
)
class UnsupportedTypesError(DeltaSqlError):
    where: str
    columns: Collection[str]


@condition(
    "DELTA_UNSUPPORTED_DATA_TYPES",
    "0AKDC",
    "{table} has columns of types that Delta does not define: {columns}. Its log was written by something else, or "
    "changed: DESCRIBE HISTORY says who wrote it. An earlier version may be read: {table} VERSION AS OF n.",
)
class UnknownTypesError(DeltaSqlError):
    """In a log, not in a statement."""

    table: str
    columns: Collection[str]


@condition(
    "DELTA_UNSUPPORTED_DATA_TYPES",
    "0AKDC",
    "{name} is no name of a type.",
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
    key: str
    column: str
    table: str
    value: str
    wanted: str


@condition(
    "DELTA_CANNOT_USE_INTERNAL_COLUMN_NAME",
    "42000",
    "Column {column} of {table} cannot be used: names that begin with {prefix} are columns of deltasql's own.",
)
class HiddenColumnNameError(DeltaSqlError):
    column: str
    table: str
    prefix: str


@condition(
    "DELTA_PARTITION_COLUMN_NOT_FOUND",
    "42703",
    "There is no column {column} to partition {where} by.{hint} Columns: {candidates}.",
)
class PartitionColumnNotFoundError(DeltaSqlError):
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
    where: str
    column: str
    type: str


@condition(
    "DELTA_CANNOT_USE_ALL_COLUMNS_FOR_PARTITION",
    "428FT",
    "{where} cannot be partitioned by all of its columns ({columns}). Leave at least one data column.",
)
class AllColumnsPartitionError(DeltaSqlError):
    where: str
    columns: Collection[str]


@condition(
    "DELTA_IDENTITY_COLUMNS_PARTITION_NOT_SUPPORTED",
    "42601",
    "{where} cannot be partitioned by the identity column {column}. Choose another column.",
)
class IdentityPartitionError(DeltaSqlError):
    where: str
    column: str


@condition(
    "DELTA_TABLE_ALREADY_CONTAINS_CDC_COLUMNS",
    "42711",
    "The change data feed cannot be enabled on {where}: it has the columns {columns}, which the feed needs for itself. "
    "Rename them.",
)
class ChangeDataColumnsError(DeltaSqlError):
    where: str
    columns: Collection[str]


@condition(
    "INVALID_FIELD_NAME",
    "42000",
    "There is no field {field} in {column}: it is of type {type}, not a struct.",
)
class NotAStructError(DeltaSqlError):
    field: str
    column: str
    type: str


@condition(
    "DELTA_CANNOT_CHANGE_DATA_TYPE",
    "429BQ",
    "Cannot change column {column} from {old} to {new}. Add a new column of that type and copy the values.",
)
class CannotChangeTypeError(DeltaSqlError):
    column: str
    old: str
    new: str


@condition(
    "DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE",
    "0AKDC",
    "The column mapping mode of {table} cannot be changed from '{before}' to '{after}'. "
    "An existing table can only go from 'none' to 'name'; for another mode copy it: CREATE TABLE … AS SELECT ….",
)
class ColumnMappingModeError(DeltaSqlError):
    """A change of delta.columnMapping.mode that would need other data files."""

    table: str
    before: str
    after: str


@condition(
    "DELTA_UNSUPPORTED_RENAME_COLUMN",
    "0AKDC",
    "RENAME COLUMN is not supported for {table}: its column mapping mode is 'none'. "
    "Run: ALTER TABLE {table} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name').",
)
class RenameColumnNeedsMappingError(DeltaSqlError):
    """RENAME COLUMN of a table whose files are read by the names of its columns."""

    table: str


@condition(
    "DELTA_UNSUPPORTED_DROP_COLUMN",
    "0AKDC",
    "DROP COLUMN is not supported for {table}: its column mapping mode is 'none'. "
    "Run: ALTER TABLE {table} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name').",
)
class DropColumnNeedsMappingError(DeltaSqlError):
    """DROP COLUMN of a table whose files are read by the names of its columns."""

    table: str


@condition(
    "DELTA_UNSUPPORTED_DROP_PARTITION_COLUMN",
    "0AKDC",
    "{column} cannot be dropped: {table} is partitioned by it. Rewrite the table with other partitions: "
    "CREATE OR REPLACE TABLE {table} PARTITIONED BY (…) AS SELECT ….",
)
class DropPartitionColumnError(DeltaSqlError):
    """DROP COLUMN of a partition column."""

    column: str
    table: str
