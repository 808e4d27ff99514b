"""Refusals that several of INSERT, UPDATE, DELETE and MERGE share: assignments, conditions, values of rows."""

from __future__ import annotations

from deltasql.base.errors.base import DeltaSqlError, condition
from deltasql.base.errors.suggestion import column_meant


@condition(
    "DELTA_UPDATE_SCHEMA_MISMATCH_EXPRESSION",
    "42846",
    "Cannot cast {source} to {target} for column {column}. All nested columns must match.{advice}",
    remedy="Give the struct all fields of the column, by name.",
)
class NestedColumnsMismatchError(DeltaSqlError):
    """A struct value whose fields are not those of its column."""

    source: str
    target: str
    column: str
    advice: str = ""


@condition(
    "DELTA_CONFLICT_SET_COLUMN",
    "42701",
    "{columns} are set in one clause, and one is the other or a part of it. Keep one of the assignments.",
)
class ConflictingAssignmentsError(DeltaSqlError):
    """One column, or a struct and its field, assigned twice."""

    columns: tuple[str, ...]


@condition(
    "DELTA_MISSING_SET_COLUMN",
    "42703",
    "SET column {column} is no column of {table}, which has {columns}.",
    remedy="Name a column that the message lists; WITH SCHEMA EVOLUTION is for MERGE.",
)
class MissingSetColumnError(DeltaSqlError):
    """UPDATE … SET of a column that does not exist."""

    column: str
    table: str
    columns: tuple[str, ...]

    @property
    def message(self) -> str:
        return super().message + column_meant(self.column, self.columns)


@condition(
    "DELTA_UNSUPPORTED_FIELD_UPDATE_NON_STRUCT",
    "0AKDC",
    "{column} cannot be set: {parent} is of type {type}, and only fields of structs can be set on their own. "
    "Assign a whole new value to {parent}.",
)
class FieldOfNonStructError(DeltaSqlError):
    """SET of a part of an array, a map or a scalar."""

    column: str
    parent: str
    type: str


@condition(
    "DELTA_INSERT_COLUMN_ARITY_MISMATCH",
    "42802",
    "Struct column {column} of {table} has {expected:fields}, and the query gives {given}. "
    "Give every field, or insert BY NAME WITH SCHEMA EVOLUTION.",
)
class NestedArityError(DeltaSqlError):
    """A struct value with another number of fields than its column."""

    column: str
    table: str
    expected: int
    given: int


@condition(
    "INCOMPATIBLE_DATA_FOR_TABLE.UNEXPECTED_COLUMN_NAME",
    "KD000",
    "Column {column} is {target}, and the value for it is {source}: by position the field {field} would be stored as "
    "{place}. Give the fields the column's names, or cast the value to its type.",
)
class NestedOrderError(DeltaSqlError):
    """A struct value that has some names of its column's fields, and has them in other places."""

    column: str
    field: str
    place: str
    source: str
    target: str


@condition(
    "DELTA_CANNOT_MODIFY_APPEND_ONLY",
    "42809",
    "{table} is append-only, so rows in it cannot be changed or deleted. "
    "Run: ALTER TABLE {table} SET TBLPROPERTIES ('delta.appendOnly' = 'false').",
)
class AppendOnlyError(DeltaSqlError):
    """DELETE, UPDATE, MERGE or OVERWRITE of a table with delta.appendOnly."""

    table: str


@condition(
    "DELTA_AGGREGATION_NOT_SUPPORTED",
    "42903",
    "Aggregates are not allowed in {clause}: {expression}. Aggregate in the source query and compare with its result.",
)
class AggregateInConditionError(DeltaSqlError):
    """An aggregate function in a condition."""

    clause: str
    expression: str


@condition(
    "DELTA_NON_DETERMINISTIC_FUNCTION_NOT_SUPPORTED",
    "0AKDC",
    "Non-deterministic functions are not allowed in {clause}: {expression}. "
    "Compute the value once, in the source query or a temporary view.",
)
class NonDeterministicConditionError(DeltaSqlError):
    """rand() and the like in a condition."""

    clause: str
    expression: str


@condition(
    "DELTA_UNSUPPORTED_SUBQUERY",
    "0AKDC",
    "Sub-queries are not allowed in {clause}: {expression}. Join them into the source query.",
)
class SubqueryInConditionError(DeltaSqlError):
    """A sub-query in a condition of MERGE or in REPLACE WHERE."""

    clause: str
    expression: str


@condition(
    "CANNOT_UP_CAST_DATATYPE",
    "42846",
    "Column {column} is {target}, and with spark.sql.storeAssignmentPolicy = STRICT a value of type {source} "
    "is not converted to it. Cast it yourself, or RESET spark.sql.storeAssignmentPolicy.",
)
class StrictAssignmentError(DeltaSqlError):
    """A cast that could lose something, under the STRICT policy."""

    column: str
    target: str
    source: str


@condition(
    "DELTA_COLUMN_STRUCT_TYPE_MISMATCH",
    "2200G",
    "Column {column} is {target}, and the value for it is {source}. Select the field that you mean.",
)
class StructTypeMismatchError(DeltaSqlError):
    """A struct where the column has another type, or the other way round."""

    column: str
    target: str
    source: str


@condition(
    "DELTA_EXCEED_CHAR_VARCHAR_LIMIT",
    "22001",
    "Column {column} takes {limit:characters}, and a row to write has more: {values}. Nothing was written; "
    "shorten the value: left({column}, {limit}).",
    remedy="Shorten the value with left(…), or make the column wider.",
)
class ExceedLengthError(DeltaSqlError):
    """A string that is too long for its CHAR or VARCHAR column."""

    column: str
    limit: int
    values: str


@condition(
    "DELTA_METADATA_MISMATCH.SCHEMA_MISMATCH",
    "42KDG",
    "Column {column} of {table} is VOID and holds only NULL, and the value for it is {source}. {advice}",
    remedy="Give the column a type first: ALTER TABLE t ALTER COLUMN a TYPE INT.",
)
class VoidColumnError(DeltaSqlError):
    """A value for a column that has no type yet."""

    column: str
    table: str
    source: str
    advice: str


@condition(
    "TASK_WRITE_FAILED",
    "58030",
    "A value of partition column {column} of {table} is too long for the name of a directory, holds the character \\0, "
    "or is no text in UTF-8, so nothing was written. Shorten the value, or partition by another column.",
)
class PartitionValueError(DeltaSqlError):
    """A partition value that no directory can be called after."""

    column: str
    table: str


@condition(
    "EMPTY_SCHEMA_NOT_SUPPORTED_FOR_DATASOURCE",
    "0A000",
    "The rows have no column for files to hold: {columns} is of type VOID. Give it a type, as CAST(NULL AS STRING) "
    "does, or add a column that has one: ALTER TABLE … ADD COLUMN a STRING.",
)
class NothingToHoldError(DeltaSqlError):
    """Rows for a table whose columns are all VOID, besides those that it is partitioned by."""

    columns: str


@condition(
    "DELTA_COMPLEX_TYPE_COLUMN_CONTAINS_NULL_TYPE",
    "22005",
    "{column} is of type VOID inside a struct, array or map, which files cannot hold. "
    "Give it a type, such as CAST(NULL AS STRING) or CAST(array() AS ARRAY<STRING>), or leave it out.",
)
class NestedVoidError(DeltaSqlError):
    """A VOID below the top level of rows to write."""

    column: str


@condition(
    "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES",
    "23001",
    "CHECK constraint {constraint} {expression} is violated by a row with values: {values}. "
    "Nothing was written; correct or filter such rows.",
)
class CheckViolationError(DeltaSqlError):
    """A written row breaks a CHECK constraint."""

    constraint: str
    expression: str
    values: str


@condition(
    "DELTA_NOT_NULL_CONSTRAINT_VIOLATED",
    "23502",
    "Column {column} of {table} is NOT NULL, and a row to write has NULL there. "
    "Nothing was written; give the column a value in every row.",
)
class NotNullViolationError(DeltaSqlError):
    """A NULL for a NOT NULL column."""

    column: str
    table: str


@condition(
    "CAST_OVERFLOW_IN_TABLE_INSERT",
    "22003",
    "A value of type {source} does not fit {column} of {table}, which is {target}: {value}. "
    "Nothing was written; cast it yourself with try_cast, or make the column wider.",
)
class InsertOverflowError(DeltaSqlError):
    """A number too big for its column in INSERT."""

    column: str
    table: str
    source: str
    target: str
    value: str


@condition(
    "DELTA_CAST_OVERFLOW_IN_TABLE_WRITE",
    "22003",
    "A value of type {source} does not fit {column} of {table}, which is {target}: {value}. "
    "Nothing was written; cast it yourself with try_cast, or make the column wider.",
)
class WriteOverflowError(DeltaSqlError):
    """A number too big for its column in UPDATE or MERGE."""

    column: str
    table: str
    source: str
    target: str
    value: str


@condition(
    "CAST_INVALID_INPUT",
    "22018",
    "The value {value} of type {source} is no {target}, which {column} of {table} is. "
    "Nothing was written; correct the value, or cast it yourself with try_cast to store NULL.",
)
class InvalidInputError(DeltaSqlError):
    """A text for a column of another type that cannot be read as a value of that type."""

    column: str
    table: str
    source: str
    target: str
    value: str


@condition(
    "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION",
    "42K09",
    "A value of type {source} cannot be stored in {column} of {table}, which is {target}: there is no such cast. "
    "{advice}",
    remedy="Select a value of another type, or convert it with a function.",
)
class NoCastError(DeltaSqlError):
    """A value for a column of a type that Spark never makes of it."""

    column: str
    table: str
    source: str
    target: str
    advice: str
