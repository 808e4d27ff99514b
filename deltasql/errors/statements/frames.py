"""Errors of DataFrame writes and reads: their options, and frames that do not fit their table."""

from __future__ import annotations

from deltasql.errors.base import DeltaSqlError, condition
from deltasql.errors.usage import UsageError


@condition(
    "DELTA_METADATA_MISMATCH.SCHEMA_MISMATCH",
    "42KDG",
    "{table} has no column {columns}, and the DataFrame does. {advice}",
)
class FrameSchemaMismatchError(DeltaSqlError):
    """A DataFrame with columns that the table lacks, and no option that lets the table have them."""

    table: str
    columns: tuple[str, ...]
    advice: str


@condition(
    "DELTA_METADATA_MISMATCH.PARTITIONING_MISMATCH",
    "42KDG",
    "{table} is partitioned by ({existing}), and the write says partitionBy({given}). Leave partitionBy away, or "
    "replace the table's layout: mode('overwrite').option('overwriteSchema', True).",
)
class FramePartitioningMismatchError(DeltaSqlError):
    table: str
    existing: tuple[str, ...]
    given: tuple[str, ...]


@condition("DELTA_PATH_EXISTS", "42K04", "{path} holds a table already. Say mode('append'), 'overwrite' or 'ignore'.")
class PathExistsError(DeltaSqlError):
    """`save` in the mode that makes new tables only."""

    path: str


@condition("DELTA_ILLEGAL_OPTION", "42616", "The option {option} cannot be {value}: it must be {expected}.")
class IllegalOptionError(DeltaSqlError):
    option: str
    value: str
    expected: str


@condition(
    "DELTA_INVALID_IDEMPOTENT_WRITES_OPTIONS",
    "42616",
    "An idempotent write needs both {app_id} and {version}: {reason}.",
)
class InvalidIdempotentWriteError(DeltaSqlError):
    app_id: str
    version: str
    reason: str


@condition(
    "DELTA_OVERWRITE_SCHEMA_WITH_DYNAMIC_PARTITION_OVERWRITE",
    "42613",
    "overwriteSchema replaces the whole table, and partitionOverwriteMode 'dynamic' only some of its partitions. "
    "Leave one of the two away.",
)
class OverwriteSchemaDynamicError(DeltaSqlError):
    pass


@condition(
    "DELTA_REPLACE_WHERE_WITH_DYNAMIC_PARTITION_OVERWRITE",
    "42613",
    "replaceWhere and partitionOverwriteMode 'dynamic' both say which rows make way. Leave one of the two away.",
)
class ReplaceWhereDynamicError(DeltaSqlError):
    pass


@condition(
    "DELTA_INCOMPATIBLE_DATAFRAME_OPTIONS",
    "42613",
    "The options {first} and {second} exclude each other. Leave one of the two away.",
)
class IncompatibleOptionsError(DeltaSqlError):
    first: str
    second: str


@condition(
    "DELTA_OVERWRITE_BY_FILTER_INCOMPATIBLE_REPLACE_ON_OR_USING",
    "42613",
    "A condition already says which rows make way, and so does the option {option}. Leave one of the two away.",
)
class ReplaceByFilterError(DeltaSqlError):
    """replaceWhere, or overwrite(condition), together with replaceOn or replaceUsing."""

    option: str


@condition(
    "DELTA_DYNAMIC_PARTITION_OVERWRITE_INCOMPATIBLE_REPLACE_ON_OR_USING",
    "42613",
    "A dynamic overwrite replaces whole partitions, and the option {option} says which rows. Leave one away.",
)
class ReplaceDynamicError(DeltaSqlError):
    option: str


@condition(
    "DELTA_DFV2_CREATE_REPLACE_INCOMPATIBLE_REPLACE_ON_OR_USING",
    "42000",
    "create(), replace() and createOrReplace() make a table with these rows alone, so the option {option} has no rows "
    "to replace. Leave it away, or write with mode('overwrite').",
)
class ReplaceByDefinitionError(DeltaSqlError):
    option: str


@condition(
    "DELTA_PATH_DOES_NOT_EXIST",
    "42K03",
    "There is no table {table} in which rows could be replaced. Leave the options replaceUsing and replaceOn away.",
)
class ReplaceInNothingError(DeltaSqlError):
    table: str


@condition(
    "DELTA_DATA_CHANGE_FALSE",
    "0AKDE",
    "A write with dataChange = false only moves rows, so it cannot change the schema of {table}. "
    "Leave the option away, or change the schema first.",
)
class DataChangeFalseError(DeltaSqlError):
    table: str


@condition(
    "DELTA_REPLACE_WHERE_WITH_FILTER_DATA_CHANGE_UNSET",
    "42613",
    "replaceWhere {predicate} deletes rows by their values, which changes data; dataChange = false says otherwise. "
    "Leave the option away, or name partition columns only.",
)
class ReplaceWhereDataChangeError(DeltaSqlError):
    predicate: str


@condition("DELTA_OPERATION_NOT_ALLOWED", "0AKDC", "{what} is not supported for Delta tables. {advice}")
class UnsupportedWriteError(DeltaSqlError):
    """Something that PySpark's writers have and a Delta table has not."""

    what: str
    advice: str


@condition("UNSUPPORTED_ARROWTYPE", "0A000", "The rows of the {given} cannot be written: {reason}.")
class UnsupportedRowsError(DeltaSqlError):
    """Rows in memory with a column that no table can have. `given` is the name of their type."""

    given: str
    reason: str


@condition("NOT_A_DATAFRAME", "42K09", "A DataFrame or a result of sql() is needed here, not {given}. {advice}")
class NotADataFrameError(UsageError):
    """`given` is the name of its type; `advice` says how such an object becomes a DataFrame."""

    given: str
    advice: str


@condition("INVALID_SAVE_MODE", "42000", "There is no save mode {mode}. Modes are: append, overwrite, error, ignore.")
class InvalidSaveModeError(DeltaSqlError):
    mode: str


@condition(
    "DELTA_UNSUPPORTED_OUTPUT_MODE",
    "0AKDC",
    "A stream writes into a table in the mode append or complete, not {mode}. For updates: foreachBatch and MERGE.",
)
class OutputModeError(DeltaSqlError):
    mode: str


@condition(
    "DELTA_NULL_SCHEMA_IN_STREAMING_WRITE",
    "42P18",
    "The column {column} of the stream is of type VOID. Give it a type: CAST({column} AS STRING).",
)
class VoidInStreamError(DeltaSqlError):
    column: str


@condition(
    "DELTA_TIME_TRAVEL_INVALID_BEGIN_VALUE",
    "42604",
    "versionAsOf is {value}, and a version is a whole number from 0 on.",
)
class InvalidVersionOptionError(DeltaSqlError):
    value: str


@condition("DELTA_ONEOF_IN_TIMETRAVEL", "42601", "The options {first} and {second} both say what is read. Keep one.")
class ReadOptionsError(DeltaSqlError):
    first: str
    second: str


@condition(
    "DELTA_MULTIPLE_CDC_BOUNDARY",
    "42614",
    "The options {first} and {second} both say where the changes {verb}. Keep one.",
)
class ChangeBoundariesError(DeltaSqlError):
    first: str
    second: str
    verb: str


@condition(
    "DELTA_NO_START_FOR_CDC_READ",
    "42601",
    "Changes are read from somewhere on: give the option startingVersion or startingTimestamp.",
)
class MissingStartError(DeltaSqlError):
    """readChangeFeed without a start."""


@condition(
    "DELTA_UNSUPPORTED_SCHEMA_DURING_READ",
    "0AKDC",
    "A table knows its columns, so that schema() has nothing to say. Leave it away, and select and cast afterwards.",
)
class UnsupportedReadSchemaError(DeltaSqlError):
    """`.schema(…)` before a read."""


@condition("DELTA_MISSING_PATH", "42601", "load() needs a path: load(path), or table(name).")
class MissingPathError(DeltaSqlError):
    """`load()` of nothing."""
