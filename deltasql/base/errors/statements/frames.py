"""Errors of DataFrame writes and reads: their options, and frames that do not fit their table."""

from __future__ import annotations

from deltasql.base.errors.base import DeltaSqlError, condition
from deltasql.base.errors.usage import UsageError


@condition(
    "DELTA_METADATA_MISMATCH.SCHEMA_MISMATCH",
    "42KDG",
    "{table} has no column {columns}, and the DataFrame does. {advice}",
    remedy="Set option('mergeSchema', True), or drop the columns from the DataFrame.",
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
    """partitionBy with other columns than the table's."""

    table: str
    existing: tuple[str, ...]
    given: tuple[str, ...]


@condition("DELTA_PATH_EXISTS", "42K04", "{path} holds a table already. Say mode('append'), 'overwrite' or 'ignore'.")
class PathExistsError(DeltaSqlError):
    """`save` in the mode that makes new tables only."""

    path: str


@condition(
    "DELTA_ILLEGAL_OPTION",
    "42616",
    "The option {option} cannot be {value}: it must be {expected}.",
    remedy="Give the option a value that the message names.",
)
class IllegalOptionError(DeltaSqlError):
    """An option of a DataFrame with a value that it cannot have."""

    option: str
    value: str
    expected: str


@condition(
    "DELTA_INVALID_IDEMPOTENT_WRITES_OPTIONS",
    "42616",
    "An idempotent write needs both {app_id} and {version}: {reason}.",
    remedy="Give both options; the version is a whole number.",
)
class InvalidIdempotentWriteError(DeltaSqlError):
    """txnAppId without txnVersion, or the reverse, or a version that is no number."""

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
    """overwriteSchema together with a dynamic partition overwrite."""


@condition(
    "DELTA_REPLACE_WHERE_WITH_DYNAMIC_PARTITION_OVERWRITE",
    "42613",
    "replaceWhere and partitionOverwriteMode 'dynamic' both say which rows are replaced. Leave one of the two away.",
)
class ReplaceWhereDynamicError(DeltaSqlError):
    """replaceWhere together with a dynamic partition overwrite."""


@condition(
    "DELTA_INCOMPATIBLE_DATAFRAME_OPTIONS",
    "42613",
    "The options {first} and {second} exclude each other. Leave one of the two away.",
)
class IncompatibleOptionsError(DeltaSqlError):
    """Two options of a DataFrame that exclude each other."""

    first: str
    second: str


@condition(
    "DELTA_OVERWRITE_BY_FILTER_INCOMPATIBLE_REPLACE_ON_OR_USING",
    "42613",
    "A condition already says which rows are replaced, and so does the option {option}. Leave one of the two away.",
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
    """A dynamic partition overwrite together with replaceUsing or replaceOn."""

    option: str


@condition(
    "DELTA_DFV2_CREATE_REPLACE_INCOMPATIBLE_REPLACE_ON_OR_USING",
    "42000",
    "create(), replace() and createOrReplace() make a table with these rows alone, so the option {option} has no rows "
    "to replace. Leave it away, or write with mode('overwrite').",
)
class ReplaceByDefinitionError(DeltaSqlError):
    """create(), replace() or createOrReplace() with replaceWhere, replaceUsing or replaceOn."""

    option: str


@condition(
    "DELTA_PATH_DOES_NOT_EXIST",
    "42K03",
    "There is no table {table} in which rows could be replaced. Leave the options replaceUsing and replaceOn away.",
)
class ReplaceInNothingError(DeltaSqlError):
    """replaceUsing or replaceOn for a table that does not exist."""

    table: str


@condition(
    "DELTA_DATA_CHANGE_FALSE",
    "0AKDE",
    "A write with dataChange = false only moves rows, so it cannot change the schema of {table}. "
    "Leave the option away, or change the schema first.",
)
class DataChangeFalseError(DeltaSqlError):
    """A write with dataChange = false that changes the schema."""

    table: str


@condition(
    "DELTA_REPLACE_WHERE_WITH_FILTER_DATA_CHANGE_UNSET",
    "42613",
    "replaceWhere {predicate} deletes rows by their values, which changes data; dataChange = false says otherwise. "
    "Leave the option away, or name partition columns only.",
)
class ReplaceWhereDataChangeError(DeltaSqlError):
    """replaceWhere over data columns together with dataChange = false."""

    predicate: str


@condition(
    "DELTA_OPERATION_NOT_ALLOWED",
    "0AKDC",
    "{what} is not supported for Delta tables. {advice}",
    remedy="Use the alternative that the message names.",
)
class UnsupportedWriteError(DeltaSqlError):
    """A method of PySpark's writers that has no meaning for a Delta table."""

    what: str
    advice: str


@condition(
    "UNSUPPORTED_ARROWTYPE",
    "0A000",
    "The rows of the {given} cannot be written: {reason}.",
    remedy="Convert the columns that the message names to types of Arrow that Delta has.",
)
class UnsupportedRowsError(DeltaSqlError):
    """Rows in memory with a column that no table can have. `given` is the name of their type."""

    given: str
    reason: str


@condition(
    "NOT_A_DATAFRAME",
    "42K09",
    "A DataFrame or a result of sql() is needed here, not {given}. {advice}",
    remedy="Pass a DataFrame, an Arrow table, or a result of sql().",
)
class NotADataFrameError(UsageError):
    """session.write, or another call, with an object that holds no rows.

    `given` is the name of its type; `advice` says how such an object becomes a DataFrame.
    """

    given: str
    advice: str


@condition(
    "INVALID_SAVE_MODE",
    "42000",
    "There is no save mode {mode}. Modes are: append, overwrite, error, ignore.",
    remedy="Use append, overwrite, error or ignore.",
)
class InvalidSaveModeError(DeltaSqlError):
    """mode(…) with an unknown name."""

    mode: str


@condition(
    "DELTA_UNSUPPORTED_OUTPUT_MODE",
    "0AKDC",
    "A stream writes into a table in the mode append or complete, not {mode}. For updates: foreachBatch and MERGE.",
    remedy="Use append or complete, or foreachBatch with MERGE.",
)
class OutputModeError(DeltaSqlError):
    """A stream in the output mode update."""

    mode: str


@condition(
    "DELTA_NULL_SCHEMA_IN_STREAMING_WRITE",
    "42P18",
    "The column {column} of the stream is of type VOID. Give it a type: CAST({column} AS STRING).",
)
class VoidInStreamError(DeltaSqlError):
    """A stream with a column of type VOID."""

    column: str


@condition(
    "DELTA_TIME_TRAVEL_INVALID_BEGIN_VALUE",
    "42604",
    "versionAsOf is {value}, and a version is a whole number from 0 on.",
    remedy="Give a whole number from 0 on.",
)
class InvalidVersionOptionError(DeltaSqlError):
    """versionAsOf with a value that is no version."""

    value: str


@condition("DELTA_ONEOF_IN_TIMETRAVEL", "42601", "The options {first} and {second} both say what is read. Keep one.")
class ReadOptionsError(DeltaSqlError):
    """Two options of a read that both name the version or the changes."""

    first: str
    second: str


@condition(
    "DELTA_MULTIPLE_CDC_BOUNDARY",
    "42614",
    "The options {first} and {second} both say where the changes {verb}. Keep one.",
)
class ChangeBoundariesError(DeltaSqlError):
    """A read of changes with two options for the same boundary."""

    first: str
    second: str
    verb: str


@condition(
    "DELTA_NO_START_FOR_CDC_READ",
    "42601",
    "Changes are read from somewhere on: give the option startingVersion or startingTimestamp.",
    remedy="Set startingVersion or startingTimestamp.",
)
class MissingStartError(DeltaSqlError):
    """readChangeFeed without a start."""


@condition(
    "DELTA_UNSUPPORTED_SCHEMA_DURING_READ",
    "0AKDC",
    "A table knows its columns, so that schema() has nothing to say. Leave it away, and select and cast afterwards.",
)
class UnsupportedReadSchemaError(DeltaSqlError):
    """A read of a table with .schema(…)."""


@condition(
    "DELTA_MISSING_PATH",
    "42601",
    "load() needs a path: load(path), or table(name).",
    remedy="Write load(path) or table(name).",
)
class MissingPathError(DeltaSqlError):
    """The call load() without a path."""


@condition(
    "UNSUPPORTED_COLUMN",
    "0A000",
    "The Column {column} cannot become SQL: {reason}. Give the expression as text.",
)
class UnsupportedColumnError(DeltaSqlError):
    """A Column of Spark that deltasql cannot write as an expression with the same meaning."""

    column: str
    reason: str


@condition(
    "CANNOT_RESOLVE_DATAFRAME_COLUMN",
    "42704",
    "The Column {column} belongs to {frame} of the statement. Name it by an alias: col('source.{column}').",
)
class ForeignColumnError(DeltaSqlError):
    """A Column such as `frame.id` of a DataFrame that is not one side of the statement, or that is both."""

    column: str
    frame: str
