"""Refusals of column paths, and of ALTER TABLE … ADD, ALTER, DROP, RENAME and REPLACE COLUMNS."""

from __future__ import annotations

from collections.abc import Collection

from deltasql.base.errors.base import DeltaSqlError, condition


@condition(
    "DELTA_OPERATION_NOT_ALLOWED",
    "0AKDC",
    "{column} is a field of a struct, and only whole columns have defaults. "
    "Run: ALTER COLUMN {owner} SET DEFAULT named_struct(…).",
)
class NestedDefaultError(DeltaSqlError):
    """DEFAULT for a field of a struct."""

    column: str
    owner: str


@condition(
    "DELTA_OPERATION_NOT_ALLOWED",
    "0AKDC",
    "{clause} is not allowed for {column} in ALTER TABLE {statement}. {advice}",
    remedy="Leave the clause out, or declare the column in CREATE TABLE.",
)
class ColumnClauseError(DeltaSqlError):
    """A clause that only CREATE TABLE takes."""

    clause: str
    column: str
    statement: str
    advice: str


@condition(
    "DELTA_IDENTITY_COLUMNS_REPLACE_COLUMN_NOT_SUPPORTED",
    "429BQ",
    "REPLACE COLUMNS is not supported for {table}, which has identity columns. "
    "Change its columns one by one: ALTER TABLE {table} {{ADD | ALTER | RENAME}} COLUMN ….",
)
class ReplaceIdentityColumnsError(DeltaSqlError):
    """REPLACE COLUMNS of a table with identity columns."""

    table: str


@condition(
    "DELTA_NEW_NOT_NULL_VIOLATION",
    "23512",
    "{column} of {table} cannot become NOT NULL: there are rows that have NULL in it. "
    "Give them a value first: UPDATE {table} SET {column} = … WHERE {column} IS NULL.",
)
class NewNotNullViolationError(DeltaSqlError):
    """SET NOT NULL of a column with NULLs."""

    column: str
    table: str


@condition(
    "DELTA_UNSUPPORTED_DROP_CLUSTERING_COLUMN",
    "0AKDC",
    "{column} cannot be dropped from {table}: the table is clustered by it. Choose other columns first: "
    "ALTER TABLE {table} CLUSTER BY {{(…) | NONE}}.",
)
class DropClusteringColumnError(DeltaSqlError):
    """DROP COLUMN of a clustering column, or of a struct that contains one."""

    column: str
    table: str


@condition(
    "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA",
    "42703",
    "There is no column {column} in {where}.{hint} Columns: {candidates}.",
    remedy="Name a column that the message lists.",
)
class ColumnNotFoundError(DeltaSqlError):
    """A path whose first part is no column of a table or view; `where` is its name, `hint` a suggestion or empty."""

    column: str
    where: str
    hint: str
    candidates: Collection[str]


@condition(
    "FIELD_NOT_FOUND",
    "42704",
    "There is no field {field} in the struct {struct}.{hint} Fields: {candidates}.",
    remedy="Name a field that the message lists.",
)
class FieldNotFoundError(DeltaSqlError):
    """A path whose later part is no field of the struct before it; `hint` is a suggestion or empty."""

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
    """A path names a field of an array, without `element`."""

    column: str
    field: str
    advice: str


@condition(
    "DELTA_FOUND_MAP_TYPE_COLUMN",
    "KD003",
    "{column} is a map and has no field {field}. Name its key or its value: {key} or {value}.",
)
class MapAccessByNameError(DeltaSqlError):
    """A path names a field of a map, without `key` or `value`."""

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
    """ADD COLUMNS of a field below a column that is no struct."""

    column: str
    parent: str
    type: str


@condition(
    "DELTA_ADD_COLUMN_STRUCT_NOT_FOUND",
    "42KD3",
    "Cannot add {column}: there is no struct {parent}.{hint} Add the struct first.",
)
class AddColumnStructNotFoundError(DeltaSqlError):
    """ADD COLUMNS of a field below a struct that the table does not have."""

    column: str
    parent: str
    hint: str


@condition(
    "FIELD_ALREADY_EXISTS",
    "42710",
    "Cannot {operation} {column}: {where} has a column {existing} already. Choose another name.",
)
class FieldAlreadyExistsError(DeltaSqlError):
    """ADD or RENAME COLUMN to a name that a sibling has, whatever its case; `operation` is the verb."""

    operation: str
    column: str
    where: str
    existing: str


@condition(
    "DELTA_OPERATION_NOT_ALLOWED",
    "0AKDC",
    "NOT NULL is not allowed for {column} in ALTER TABLE ADD COLUMNS: existing rows would hold NULL. "
    "Add the column without it, fill it, then run ALTER COLUMN … SET NOT NULL.",
)
class AddNotNullColumnError(DeltaSqlError):
    """ADD COLUMNS with NOT NULL."""

    column: str


@condition(
    "WRONG_COLUMN_DEFAULTS_FOR_DELTA_ALTER_TABLE_ADD_COLUMN_NOT_SUPPORTED",
    "0AKDC",
    "DEFAULT is not allowed for {column} in ALTER TABLE ADD COLUMNS: existing rows would have to be rewritten. "
    "Add the column without it, then run ALTER COLUMN {column} SET DEFAULT ….",
)
class AddColumnDefaultError(DeltaSqlError):
    """ADD COLUMNS with DEFAULT."""

    column: str


@condition(
    "DELTA_UNSUPPORTED_DROP_NESTED_COLUMN_FROM_NON_STRUCT_TYPE",
    "0AKDC",
    "Cannot drop {column}: {parent} is of type {type}, and only fields of a struct can be dropped.",
    remedy="Drop the whole column, or name a field of a struct.",
)
class DropFromNonStructError(DeltaSqlError):
    """DROP COLUMN of a part of a column that is no struct."""

    column: str
    parent: str
    type: str


@condition(
    "DELTA_DROP_COLUMN_ON_SINGLE_FIELD_SCHEMA",
    "0AKDC",
    "Cannot drop {column}: it is the only column of {parent}. Drop the parent, or add another column first.",
)
class DropOnlyColumnError(DeltaSqlError):
    """DROP COLUMN of the only column of a table or struct."""

    column: str
    parent: str


@condition(
    "DELTA_UNSUPPORTED_COMMENT_MAP_ARRAY",
    "0AKDC",
    "A comment is not supported on {column}: an array's element and a map's key and value have none. "
    "Comment on the column that holds them.",
)
class CommentOnElementError(DeltaSqlError):
    """COMMENT on the element of an array, or on the key or value of a map."""

    column: str


@condition(
    "DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP",
    "0AKDC",
    "Cannot change {column} {old} to {new}: {reason}.",
    remedy="Write a wider type, or add a new column and copy the values.",
)
class ChangeColumnError(DeltaSqlError):
    """ALTER or CHANGE COLUMN to a type or length that stored values may not fit, or to another name."""

    column: str
    old: str
    new: str
    reason: str


@condition(
    "DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP",
    "0AKDC",
    "Cannot {change} {column}: only its type can be changed, because it is not a field of a struct.",
    remedy="Change only its type; create the column again for other changes.",
)
class ChangeElementError(DeltaSqlError):
    """Another name, place, default or nullability for an array's element, or a map's key or value."""

    column: str
    change: str


@condition(
    "DELTA_UNSUPPORTED_ALTER_TABLE_REPLACE_COL_OP",
    "0AKDC",
    "Unsupported ALTER TABLE REPLACE COLUMNS: {reason}.",
    remedy="Enable column mapping, or use ADD, ALTER and DROP COLUMN one by one.",
)
class ReplaceColumnsError(DeltaSqlError):
    """REPLACE COLUMNS that would drop columns without column mapping, or make one NOT NULL."""

    reason: str


@condition(
    "DELTA_AMBIGUOUS_DATA_TYPE_CHANGE",
    "429BQ",
    "Cannot replace {column}: fields would be both added ({added}) and dropped ({dropped}), which could be a rename. "
    "Rename, add and drop in separate statements.",
)
class AmbiguousChangeError(DeltaSqlError):
    """REPLACE COLUMNS that adds and drops fields of one struct."""

    column: str
    added: Collection[str]
    dropped: Collection[str]


@condition(
    "DELTA_CANNOT_UPDATE_STRUCT_FIELD",
    "429BQ",
    "Cannot change the struct {column} as a whole. Add, change or drop its fields by name: {column}.<field>.",
)
class CannotUpdateStructError(DeltaSqlError):
    """ALTER COLUMN gives a struct another type as a whole."""

    column: str


@condition(
    "DELTA_CANNOT_UPDATE_ARRAY_FIELD",
    "429BQ",
    "Cannot change the array {column} as a whole. Change its element: {column}.element.",
)
class CannotUpdateArrayError(DeltaSqlError):
    """ALTER COLUMN gives an array another type as a whole."""

    column: str


@condition(
    "DELTA_CANNOT_UPDATE_MAP_FIELD",
    "429BQ",
    "Cannot change the map {column} as a whole. Change its key or value: {column}.key or {column}.value.",
)
class CannotUpdateMapError(DeltaSqlError):
    """ALTER COLUMN gives a map another type as a whole."""

    column: str


@condition(
    "INVALID_FIELD_NAME",
    "42000",
    "There is no field {field} in {column}: it is of type {type}, not a struct.",
    remedy="Name the column itself, or a field of another column.",
)
class NotAStructError(DeltaSqlError):
    """A path that goes on below a column of a plain type."""

    field: str
    column: str
    type: str


@condition(
    "DELTA_CANNOT_CHANGE_DATA_TYPE",
    "429BQ",
    "Cannot change column {column} from {old} to {new}. Add a new column of that type and copy the values.",
)
class CannotChangeTypeError(DeltaSqlError):
    """REPLACE COLUMNS with another type for a column, where the old one does not widen to it."""

    column: str
    old: str
    new: str


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
