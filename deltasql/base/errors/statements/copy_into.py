"""Refusals of COPY INTO: its source, its options, and its record of loaded files."""

from __future__ import annotations

from deltasql.base.errors.base import DeltaSqlError, condition
from deltasql.base.errors.log import UnsupportedLocationError


@condition(
    "COPY_INTO_SOURCE_FILE_FORMAT_NOT_SUPPORTED",
    "0A000",
    "COPY INTO reads no files of the format {format}. FILEFORMAT is one of {formats}.{advice}",
    remedy="Use a FILEFORMAT that the message lists.",
)
class SourceFormatError(DeltaSqlError):
    """COPY INTO with a FILEFORMAT that it does not read. `format` in capitals."""

    format: str
    formats: tuple[str, ...]
    advice: str = ""


@condition(
    "COPY_INTO_SOURCE_FILE_FORMAT_NOT_SUPPORTED",
    "0A000",
    "{location} is a Delta table: its files would be loaded again whenever OPTIMIZE has written them anew. "
    "Write INSERT INTO {table} SELECT * FROM delta.`{location}`.",
)
class DeltaSourceError(DeltaSqlError):
    """The source is the folder of a table."""

    location: str
    table: str


@condition(
    "COPY_INTO_SCHEMA_MISMATCH_WITH_TARGET_TABLE",
    "42KDG",
    "{table} has no {columns}, which COPY INTO would fill. {advice}",
    remedy="Set COPY_OPTIONS ('mergeSchema' = 'true'), or select the columns of the table.",
)
class CopySchemaMismatchError(DeltaSqlError):
    """The files have columns, or fields of structs, that the table lacks; or the list of columns does."""

    table: str
    columns: tuple[str, ...]
    advice: str


@condition(
    "COPY_INTO_COLUMN_ARITY_MISMATCH",
    "21S01",
    "COPY INTO {table} fills {expected:columns} by position ({columns}), and the files have {given}.",
    remedy="List the columns that the files fill: COPY INTO t (a, b) ….",
)
class CopyArityError(DeltaSqlError):
    """BY POSITION, or a list of columns, and files with another number of columns."""

    table: str
    expected: int
    columns: tuple[str, ...]
    given: int


@condition(
    "COPY_INTO_FEATURE_INCOMPATIBLE_SETTING",
    "42613",
    "{clause} is for CSV files without a header, whose columns have no names. {advice}",
    remedy="Leave BY POSITION or the column list out, or load CSV files without a header.",
)
class ByPositionError(DeltaSqlError):
    """COPY INTO … BY POSITION of files whose columns have names."""

    clause: str
    advice: str


@condition(
    "COPY_INTO_FEATURE_INCOMPATIBLE_SETTING",
    "42613",
    "COPY INTO cannot fill {column} from a file: the table computes it. Leave it out of the list of columns.",
)
class CopyOwnColumnError(DeltaSqlError):
    """A generated or identity column in the list of columns."""

    column: str


@condition(
    "COPY_INTO_CREDENTIALS_NOT_ALLOWED_ON",
    "0A000",
    "{scheme} takes no credential {keys}. {advice}",
    remedy="Use the keys of the scheme that the message lists.",
)
class CopyCredentialError(DeltaSqlError):
    """Keys of WITH (CREDENTIAL (…)) that are none, or that are those of another storage."""

    scheme: str
    keys: tuple[str, ...]
    advice: str


@condition(
    "COPY_INTO_CREDENTIALS_NOT_ALLOWED_ON",
    "0A000",
    "There is no credential called {name}: no catalog here keeps them. Write the keys themselves in "
    "brackets (AWS_ACCESS_KEY, AWS_SECRET_KEY and AWS_SESSION_TOKEN, or AZURE_SAS_TOKEN), or give them to the session "
    "as storage_options.",
)
class NamedCredentialError(DeltaSqlError):
    """WITH (CREDENTIAL name): a credential of Unity Catalog."""

    name: str


@condition(
    "COPY_INTO_ENCRYPTION_NOT_ALLOWED_ON",
    "0A000",
    "COPY INTO reads no files that are encrypted with a key of the client. Leave out ENCRYPTION.",
)
class CopyEncryptionError(DeltaSqlError):
    """WITH (… ENCRYPTION (…))."""


@condition(
    "COPY_INTO_STATE_INTERNAL_ERROR",
    "55019",
    "It is not known which files COPY INTO has loaded into {table}: {reason}. To load all files of a source, whether "
    "they were loaded before or not, and to begin anew: COPY_OPTIONS ('force' = 'true').",
    remedy="Load all files again: COPY_OPTIONS ('force' = 'true').",
)
class CopyStateError(DeltaSqlError):
    """A record of loaded files that is missing or damaged."""

    table: str
    reason: str


@condition(
    "PATH_NOT_FOUND",
    "42K03",
    "There is nothing to load at {location}: {reason}.",
    remedy="Check the path and the pattern.",
)
class SourceNotFoundError(DeltaSqlError):
    """The source, or a file of FILES, is not there."""

    location: str
    reason: str


@condition(
    "DELTA_UNSUPPORTED_LOCATION",
    "0AKDC",
    "Files at {location} cannot be read: {reason}.",
    remedy="Check the path, the credentials and the rights.",
)
class SourceLocationError(UnsupportedLocationError):
    """A source that no storage opens."""


@condition(
    "INVALID_PARAMETER_VALUE.PATTERN",
    "22023",
    "{glob} is no pattern: {reason}. Patterns are of ?, *, [a-z], [^a-z] and {{one,other}}.",
    remedy="Correct the pattern: ?, *, [a-z], [^a-z] and {one,other} are supported.",
)
class GlobError(DeltaSqlError):
    """PATTERN = 'glob' that cannot be read."""

    glob: str
    reason: str


@condition(
    "INVALID_PARAMETER_VALUE.COPY_OPTION",
    "22023",
    "{key} = {value} is no option of COPY INTO. {advice}",
    remedy="Use an option that the message lists.",
)
class CopyOptionError(DeltaSqlError):
    """A key or a value of COPY_OPTIONS, or an option that deltasql reads itself."""

    key: str
    value: str
    advice: str


@condition(
    "FAILED_TO_LOAD_AVRO",
    "0A000",
    "This Spark has no reader of Avro. Start it with org.apache.spark:spark-avro in spark.jars.packages, for example "
    "PYSPARK_SUBMIT_ARGS='--packages org.apache.spark:spark-avro_2.13:{version} pyspark-shell'.",
)
class AvroReaderMissingError(DeltaSqlError):
    """FILEFORMAT = AVRO without the jar that reads it. `version` is Spark's."""

    version: str


@condition(
    "COPY_INTO_SOURCE_SCHEMA_INFERENCE_FAILED",
    "42KD9",
    "The CSV files begin with different names of columns, and would not be read by them. To read each file by its own: "
    "FORMAT_OPTIONS ('header' = 'true', 'mergeSchema' = 'true').",
    remedy="Set FORMAT_OPTIONS ('header' = 'true', 'mergeSchema' = 'true').",
)
class CsvHeaderError(DeltaSqlError):
    """Files of one load whose headers differ, in names or in their order."""
