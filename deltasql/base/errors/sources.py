"""Refusals of files and tables of other formats, and of those that are to become Delta tables."""

from __future__ import annotations

from deltasql.base.errors.base import DeltaSqlError, condition


@condition(
    "DELTA_EMPTY_DIRECTORY",
    "42K03",
    "There is no data file in {location}. Files and folders whose names begin with '_' or '.' do not count.",
    remedy="Check the path; names that begin with '_' or '.' are ignored.",
)
class EmptySourceError(DeltaSqlError):
    """CONVERT TO DELTA or CLONE of a folder without data files."""

    location: str


@condition(
    "DELTA_FAILED_READ_FILE_FOOTER",
    "KD001",
    "{path} cannot be read as a Parquet file: {reason}. Nothing was written. Take the file away, give it a name that "
    "begins with '_', or restore it, and run the statement again.",
)
class SourceFileError(DeltaSqlError):
    """A file that is no Parquet file, or a damaged one; `path` is its absolute place."""

    path: str
    reason: str


@condition(
    "DELTA_UNSUPPORTED_DATA_TYPES",
    "0AKDC",
    "{path} has column {column} of type {type}, which tables of Delta cannot hold. Write the file with another type or "
    "without the column.",
)
class UnknownParquetTypeError(DeltaSqlError):
    """A type of Parquet that Spark does not read, or none of Delta's; `type` is in Parquet's words."""

    path: str
    column: str
    type: str


@condition(
    "DELTA_FAILED_MERGE_SCHEMA_FILE",
    "42KDA",
    "{path} does not go with the other files: its column {column} is {type}, and {others} in those before it. Write "
    "the file with the types of the others.",
)
class SourceSchemaError(DeltaSqlError):
    """A file whose columns have other types than those of the files before it."""

    path: str
    column: str
    type: str
    others: str


@condition(
    "DELTA_UNEXPECTED_NUM_PARTITION_COLUMNS_FROM_FILE_NAME",
    "KD009",
    "Expected are {expected_count} partition columns ({expected}), and the folders of {path} name {found_count} "
    "({found}). Write PARTITIONED BY with the columns of the folders, in their order and with their types.",
)
class PartitionCountError(DeltaSqlError):
    """CONVERT TO DELTA of a folder with more or fewer partition columns than PARTITIONED BY names."""

    path: str
    expected_count: int
    expected: str
    found_count: int
    found: str


@condition(
    "DELTA_UNEXPECTED_PARTITION_COLUMN_FROM_FILE_NAME",
    "KD009",
    "Expected is partition column {expected}, and the folders of {path} name {found} there. Write PARTITIONED BY with "
    "the columns of the folders, in their order.",
)
class PartitionNameError(DeltaSqlError):
    """CONVERT TO DELTA of a folder with other partition columns than PARTITIONED BY names."""

    path: str
    expected: str
    found: str


@condition(
    "DELTA_FAILED_CAST_PARTITION_VALUE",
    "22018",
    "The value '{value}' of partition column {column} is no {type}: {path}. Write another type in PARTITIONED BY, such "
    "as STRING, rename the folder, or take NULL for such values: SET "
    "spark.databricks.delta.convert.partitionValues.ignoreCastFailure = true.",
)
class SourcePartitionValueError(DeltaSqlError):
    """The name of a folder holds a value that is not of the partition column's type."""

    value: str
    column: str
    type: str
    path: str


@condition(
    "DELTA_CONVERSION_UNSUPPORTED_COLUMN_MAPPING",
    "0AKDC",
    "'spark.databricks.delta.properties.defaults.columnMapping.mode' cannot be '{mode}' for a table of Parquet files: "
    "they know their columns by name. Run: SET spark.databricks.delta.properties.defaults.columnMapping.mode = none; "
    "the table can map its columns afterwards.",
)
class MappedSourceError(DeltaSqlError):
    """CONVERT TO DELTA while the session's defaults give new tables a column mapping, alone or for Iceberg."""

    mode: str


@condition(
    "DELTA_CONVERT_TO_DELTA_ROW_TRACKING_WITHOUT_STATS",
    "22000",
    "{table} would track its rows, as the session's defaults say, and their number is unknown. Leave NO STATISTICS "
    "out, or run: SET spark.databricks.delta.properties.defaults.enableRowTracking = false.",
)
class UncountedRowsError(DeltaSqlError):
    """CONVERT TO DELTA … NO STATISTICS while new tables have row tracking."""

    table: str


@condition(
    "DELTA_CONVERT_NESTED_TABLE",
    "0AKDC",
    "{location} lies {relation} a table of Delta's: {table}. A file belongs to one table only. Name the folder of that "
    "table itself, or move the files to a separate folder.",
)
class NestedTableError(DeltaSqlError):
    """A folder above or below that of a table with a log; `relation` is "inside of" or "around"."""

    location: str
    relation: str
    table: str


@condition(
    "DELTA_TABLE_ONLY_OPERATION",
    "0AKDD",
    "{table} is a table of {format} files: {operation} is supported for Delta tables only. Copy its rows into one: "
    "CREATE TABLE … AS SELECT * FROM {table}.",
)
class DeltaOnlyError(DeltaSqlError):
    """A statement or clause that needs a Delta log, on a table of another format."""

    table: str
    format: str
    operation: str


@condition(
    "UNSUPPORTED_FEATURE.TABLE_OPERATION",
    "0A000",
    "{operation} is not supported for {table}, a table USING {format}: {advice}",
    remedy="Leave the clause out, or use a Delta table: CREATE TABLE … USING delta.",
)
class SourceOperationError(DeltaSqlError):
    """A clause or a statement that tables of this format do not have."""

    operation: str
    table: str
    format: str
    advice: str


@condition(
    "UNABLE_TO_INFER_SCHEMA",
    "42KD9",
    "The columns of {table} cannot be found in {format} files: {reason}. Write them: "
    "CREATE TABLE {table} (column type, …) USING {format} ….",
)
class UnknownColumnsError(DeltaSqlError):
    """CREATE TABLE of another format without columns, where no file says which there are."""

    table: str
    format: str
    reason: str


@condition(
    "DELTA_INVALID_FORMAT",
    "22000",
    "{location} is the folder of a Delta table, whose files are not read as {format}: some may be of other versions. "
    "Write USING delta in place of USING {format}, or read it by its path: SELECT … FROM delta.`{location}`.",
)
class DeltaLocationError(DeltaSqlError):
    """A table of another format in the folder of a Delta table."""

    location: str
    format: str


@condition(
    "SPECIFY_PARTITION_IS_NOT_ALLOWED",
    "42601",
    "{table} has PARTITIONED BY and no columns. Leave out PARTITIONED BY, and columns and partitions are found in the "
    "files; or write the columns: CREATE TABLE {table} (column type, …) ….",
)
class PartitionsWithoutColumnsError(DeltaSqlError):
    """CREATE TABLE of another format with PARTITIONED BY, and without the columns."""

    table: str


@condition(
    "CONFLICTING_PARTITION_COLUMN_NAMES",
    "KD009",
    "The folders of {location} name different partition columns: {first} in some, {second} in others. Name one folder "
    "in LOCATION below which all folders name the same columns.",
)
class PartitionFoldersError(DeltaSqlError):
    """Folders whose names give files different partition columns."""

    location: str
    first: str
    second: str


@condition(
    "TEXT_DATA_SOURCE_COLUMNS",
    "42KD9",
    "{table} is a table USING text, which has one column of type STRING besides those of its partitions, not "
    "({columns}). Write CREATE TABLE {table} (value STRING) USING text ….",
)
class TextColumnsError(DeltaSqlError):
    """A table of lines of text with other columns."""

    table: str
    columns: str


@condition(
    "DELTA_ICEBERG_TABLE_NOT_READABLE",
    "0AKDC",
    "The Iceberg table in {location} cannot be read: {reason}. Rewrite it with Iceberg, so that its newest snapshot "
    "does without.",
)
class IcebergReadError(DeltaSqlError):
    """A feature of an Iceberg table that is not supported when its rows are read."""

    location: str
    reason: str


@condition(
    "INVALID_PARAMETER_VALUE.READ_FILES",
    "22023",
    "The call of {function} has {argument}: {reason}",
    remedy="Write read_files('path', option => value, …) with constants.",
)
class FileArgumentError(DeltaSqlError):
    """An argument of read_files that is no constant, is missing, or has no meaning."""

    function: str
    argument: str
    reason: str


@condition(
    "CF_UNKNOWN_OPTION_KEYS_ERROR",
    "42000",
    "{format} files have no options {keys}. {advice}",
    remedy="Correct the names of the options, or add validateOptions => false.",
)
class UnknownFileOptionError(DeltaSqlError):
    """Options of read_files that no reader has. `format` in capitals."""

    format: str
    keys: tuple[str, ...]
    advice: str


@condition(
    "UNABLE_TO_INFER_FILE_FORMAT",
    "42KD9",
    "The format of the files at {location} cannot be told from their names: {reason}. "
    "Write read_files('path', format => 'csv').",
    remedy="Add the argument format.",
)
class UnknownFileFormatError(DeltaSqlError):
    """read_files without a format, of files whose names tell none or several."""

    location: str
    reason: str


@condition(
    "CF_EMPTY_DIR_FOR_SCHEMA_INFERENCE",
    "42000",
    "There is no file at {location} whose columns could be read. "
    "Write read_files('path', schema => 'a INT, b STRING').",
    remedy="Check the path, or add the argument schema.",
)
class NoFilesError(DeltaSqlError):
    """read_files without a schema, of a folder without matching files."""

    location: str


@condition(
    "DELTA_INCOMPATIBLE_FORMAT",
    "0AKDD",
    "{location} is a Delta table, whose files are no rows without its log. Write SELECT * FROM delta.`{location}`.",
)
class FilesOfTableError(DeltaSqlError):
    """read_files of the folder of a table."""

    location: str


@condition(
    "RESCUED_DATA_NOT_SUPPORTED",
    "0A000",
    "The column {column} cannot be filled from JSON files with multiLine => true and a schema. "
    "Leave the schema and schemaHints out, or write schemaEvolutionMode => 'none'.",
)
class RescuedLinesError(DeltaSqlError):
    """A rescued data column of JSON documents of several lines, whose columns were declared."""

    column: str
