"""Errors of INSERT, UPDATE, DELETE and MERGE."""

from __future__ import annotations

from deltasql.errors.base import DeltaSqlError, condition
from deltasql.errors.suggestion import did_you_mean


@condition(
    "DELTA_MERGE_UNRESOLVED_EXPRESSION",
    "42601",
    "Cannot resolve {expression} in {clause}: the columns in reach there are {columns}.{advice}",
)
class MergeUnresolvedError(DeltaSqlError):
    """A name in a MERGE clause that is no column of the table that the clause may look at."""

    expression: str
    clause: str
    columns: tuple[str, ...]
    advice: str = ""

    @property
    def message(self) -> str:
        return super().message + ("" if self.advice else did_you_mean(self.expression, self.columns))


@condition(
    "DELTA_MERGE_INTO_EMPTY_SCHEMA_TARGET",
    "428GU",
    "{table} has no columns, so nothing can be merged into it. "
    "Add columns first, or let the MERGE bring them: MERGE WITH SCHEMA EVOLUTION INTO {table} ….",
)
class MergeIntoEmptySchemaError(DeltaSqlError):
    """MERGE into a table without columns, evolution off."""

    table: str


@condition(
    "DELTA_UPDATE_SCHEMA_MISMATCH_EXPRESSION",
    "42846",
    "Cannot cast {source} to {target} for column {column}. All nested columns must match.{advice}",
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
)
class MissingSetColumnError(DeltaSqlError):
    """UPDATE … SET of a column that does not exist."""

    column: str
    table: str
    columns: tuple[str, ...]

    @property
    def message(self) -> str:
        return super().message + did_you_mean(self.column, self.columns)


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
    "DELTA_UNSUPPORTED_NESTED_FIELD_IN_OPERATION",
    "0AKDC",
    "{column} is a nested field, and the column list of INSERT names whole columns only. "
    "Insert the struct: named_struct(…).",
)
class NestedInsertColumnError(DeltaSqlError):
    """A nested field in the column list of an INSERT clause."""

    column: str


@condition("DELTA_DUPLICATE_COLUMNS_ON_INSERT", "42701", "Column {column} {reason}.")
class DuplicateInsertColumnError(DeltaSqlError):
    """Two values for one column."""

    column: str
    reason: str = "stands twice in the column list of INSERT"


@condition(
    "INSERT_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS",
    "21S01",
    "{table} needs {expected} columns ({columns}), and the query gives {given}.{advice}",
)
class TooFewInsertColumnsError(DeltaSqlError):
    """Fewer values than columns."""

    table: str
    expected: int
    columns: tuple[str, ...]
    given: int
    advice: str = " Name the columns that you give: INSERT INTO … (a, b) …."


@condition(
    "INSERT_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS",
    "21S01",
    "{table} takes {expected} columns ({columns}), and the query gives {given}. "
    "Leave the others out, or add them to the table: INSERT WITH SCHEMA EVOLUTION INTO ….",
)
class TooManyInsertColumnsError(DeltaSqlError):
    """More values than columns."""

    table: str
    expected: int
    columns: tuple[str, ...]
    given: int


@condition(
    "DELTA_INSERT_COLUMN_ARITY_MISMATCH",
    "42802",
    "Struct column {column} of {table} has {expected} fields, and the query gives {given}. "
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
    "ASSIGNMENT_ARITY_MISMATCH",
    "42802",
    "The INSERT clause names {columns} columns and gives {values} values. Give one value for each column.",
)
class InsertClauseArityError(DeltaSqlError):
    """Columns and VALUES of a MERGE's INSERT clause differ in number."""

    columns: int
    values: int


@condition(
    "DELTA_MISSING_COLUMN",
    "42703",
    "{column} is no column of {table}, which has {columns}.{advice}",
)
class UnknownInsertColumnError(DeltaSqlError):
    """A column list or a BY NAME query with a column that the table lacks."""

    column: str
    table: str
    columns: tuple[str, ...]
    advice: str = ""


@condition(
    "DELTA_MISSING_NOT_NULL_COLUMN_VALUE",
    "23502",
    "Column {column} of {table} is NOT NULL, and the statement gives no value for it. Add it to the columns.",
)
class MissingNotNullColumnError(DeltaSqlError):
    """A NOT NULL column that an INSERT leaves out."""

    column: str
    table: str


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
    "NON_LAST_MATCHED_CLAUSE_OMIT_CONDITION",
    "42613",
    "Only the last WHEN MATCHED clause may lack a condition: the ones after it would never apply.",
)
class UnconditionalMatchedError(DeltaSqlError):
    """A WHEN MATCHED clause without a condition before another one."""


@condition(
    "NON_LAST_NOT_MATCHED_BY_TARGET_CLAUSE_OMIT_CONDITION",
    "42613",
    "Only the last WHEN NOT MATCHED clause may lack a condition: the ones after it would never apply.",
)
class UnconditionalNotMatchedError(DeltaSqlError):
    """A WHEN NOT MATCHED clause without a condition before another one."""


@condition(
    "NON_LAST_NOT_MATCHED_BY_SOURCE_CLAUSE_OMIT_CONDITION",
    "42613",
    "Only the last WHEN NOT MATCHED BY SOURCE clause may lack a condition: the ones after it would never apply.",
)
class UnconditionalBySourceError(DeltaSqlError):
    """A WHEN NOT MATCHED BY SOURCE clause without a condition before another one."""


@condition("MERGE_WITHOUT_WHEN", "42601", "MERGE needs at least one WHEN clause that says what to do.")
class MergeWithoutWhenError(DeltaSqlError):
    """MERGE without a clause."""


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
    "NON_PARTITION_COLUMN",
    "42000",
    "PARTITION names {column}, which is no partition column of {table}; those are: {columns}.",
)
class NotPartitionColumnError(DeltaSqlError):
    """A PARTITION clause over another column."""

    column: str
    table: str
    columns: tuple[str, ...]

    @property
    def message(self) -> str:
        if self.columns:
            return super().message
        return f"PARTITION names {self.column}, and {self.table} is not partitioned. Leave out PARTITION."


@condition(
    "STATIC_PARTITION_COLUMN_IN_INSERT_COLUMN_LIST",
    "42713",
    "PARTITION gives {column} a constant, and the query gives it values as well. Leave {column} out of one of them.",
)
class StaticPartitionInListError(DeltaSqlError):
    """A partition column with a constant that the column list or a BY NAME query has, too."""

    column: str


@condition(
    "PARSE_SYNTAX_ERROR",
    "42601",
    "REPLACE WHERE says itself which rows make way, so {clause} cannot stand beside it. "
    "Write: INSERT INTO … REPLACE WHERE … SELECT ….",
)
class ReplaceWhereClauseError(DeltaSqlError):
    """INSERT OVERWRITE or PARTITION together with REPLACE WHERE."""

    clause: str


@condition(
    "DELTA_REPLACE_WHERE_MISMATCH",
    "44000",
    "A row to write does not satisfy REPLACE WHERE {predicate}, so nothing was written: {values}. "
    "Filter the query by the same predicate.",
)
class ReplaceWhereMismatchError(DeltaSqlError):
    """A row outside the range that INSERT … REPLACE WHERE replaces."""

    predicate: str
    values: str


@condition(
    "DELTA_EXCEED_CHAR_VARCHAR_LIMIT",
    "22001",
    "Column {column} takes {limit} characters, and a row to write has more: {values}. Nothing was written; "
    "shorten the value: left({column}, {limit}).",
)
class ExceedLengthError(DeltaSqlError):
    """A string that is too long for its CHAR or VARCHAR column."""

    column: str
    limit: str
    values: str


@condition(
    "DELTA_METADATA_MISMATCH.SCHEMA_MISMATCH",
    "42KDG",
    "Column {column} of {table} is VOID and holds only NULL, and the value for it is {source}. {advice}",
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
    "A value of partition column {column} of {table} is too long for the name of a directory, or holds the character "
    "\\0, so nothing was written. Shorten the value, or partition by another column.",
)
class PartitionValueError(DeltaSqlError):
    """A partition value that no directory can be called after."""

    column: str
    table: str


@condition(
    "DELTA_COMPLEX_TYPE_COLUMN_CONTAINS_NULL_TYPE",
    "22005",
    "{column} is of type VOID inside a struct, array or map, which files cannot hold. "
    "Give it a type, such as CAST(NULL AS STRING) or CAST(array() AS ARRAY<STRING>), or leave it out.",
)
class NestedVoidError(DeltaSqlError):
    """A VOID below the top level of rows to write."""

    column: str
