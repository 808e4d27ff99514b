"""Refusals of tables that Iceberg reads as well."""

from __future__ import annotations

from deltasql.base.errors.base import DeltaSqlError, condition

_STATE = "KD00E"


@condition(
    "DELTA_ICEBERG_COMPAT_VIOLATION.VERSION_MUTUAL_EXCLUSIVE",
    _STATE,
    "{table} can have one version of Iceberg compatibility only, and {keys} are true. Set the others to 'false'.",
)
class IcebergVersionsError(DeltaSqlError):
    """Two versions of Iceberg compatibility at once."""

    table: str
    keys: str


@condition(
    "DELTA_ICEBERG_COMPAT_VIOLATION.WRONG_REQUIRED_TABLE_PROPERTY",
    _STATE,
    "{table} cannot have {version}: it needs 'delta.columnMapping.mode' = 'name' or 'id', not '{mode}'. "
    "Set that property first.",
)
class IcebergMappingError(DeltaSqlError):
    """Iceberg compatibility without column mapping: Iceberg finds columns by their ids."""

    table: str
    version: str
    mode: str


@condition(
    "DELTA_ICEBERG_COMPAT_VIOLATION.DELETION_VECTORS_SHOULD_BE_DISABLED",
    _STATE,
    "{table} cannot have {version} together with deletion vectors. Set 'delta.enableDeletionVectors' = 'false' and run "
    "REORG TABLE {table} APPLY (PURGE) first.",
)
class IcebergVectorsError(DeltaSqlError):
    """Iceberg compatibility with deletion vectors, which Iceberg does not read."""

    table: str
    version: str


@condition(
    "DELTA_ICEBERG_COMPAT_VIOLATION.UNSUPPORTED_DATA_TYPE",
    _STATE,
    "{table} cannot have {version} with column {column} of type {type}: {reason}. "
    "Leave the column out, or switch the compatibility off: ALTER TABLE {table} SET TBLPROPERTIES ('{key}' = 'false').",
)
class IcebergTypeError(DeltaSqlError):
    """A type that Iceberg lacks, or that cannot be written as Iceberg requires."""

    table: str
    version: str
    column: str
    type: str
    reason: str
    key: str


@condition(
    "DELTA_ICEBERG_COMPAT_VIOLATION.UNSUPPORTED_TYPE_WIDENING",
    _STATE,
    "{table} cannot have {version}: the type of {column} changes from {old} to {new}, which Iceberg does not know. "
    "Keep the type, or write the table anew: CREATE OR REPLACE TABLE {table} AS SELECT * FROM {table}.",
)
class IcebergWideningError(DeltaSqlError):
    """A type change that Iceberg does not support in old files of the table."""

    table: str
    version: str
    column: str
    old: str
    new: str


@condition(
    "DELTA_ICEBERG_COMPAT_VIOLATION.FILES_NOT_ICEBERG_COMPAT",
    _STATE,
    "{count} of the files of {table} were not written for IcebergCompatV{version}: Iceberg would not find all columns "
    "in them. Run: REORG TABLE {table} APPLY (UPGRADE UNIFORM (ICEBERG_COMPAT_VERSION = {version})).",
)
class IcebergFilesError(DeltaSqlError):
    """Files older than the compatibility: they may lack field ids or the partition columns."""

    count: int
    table: str
    version: str


@condition(
    "DELTA_ICEBERG_COMPAT_VIOLATION.COMPAT_VERSION_NOT_SUPPORTED",
    _STATE,
    "ICEBERG_COMPAT_VERSION = {version} is not supported: write 1, or 2, which allows arrays and maps.",
    remedy="Write ICEBERG_COMPAT_VERSION = 1 or 2.",
)
class IcebergVersionError(DeltaSqlError):
    """REORG … APPLY (UPGRADE UNIFORM …) to a version that does not exist."""

    version: int


@condition(
    "DELTA_UNIVERSAL_FORMAT_VIOLATION",
    _STATE,
    "{table} cannot have '{formats}' = 'iceberg' without Iceberg compatibility. "
    "Set 'delta.enableIcebergCompatV2' = 'true' with it; for a table that has files, run: "
    "REORG TABLE {table} APPLY (UPGRADE UNIFORM (ICEBERG_COMPAT_VERSION = 2)).",
)
class UniversalFormatError(DeltaSqlError):
    """The format is enabled without the Iceberg compatibility that it requires."""

    table: str
    formats: str = "delta.universalFormat.enabledFormats"


@condition(
    "DELTA_ICEBERG_COMPAT_VIOLATION.REPLACE_TABLE_CHANGE_PARTITION_NAMES",
    _STATE,
    "{table} has {version} and cannot be replaced by a table with other partition columns: "
    "({old}) would become ({new}). Drop the table and create it anew.",
)
class IcebergPartitionsError(DeltaSqlError):
    """REPLACE TABLE with other partition columns."""

    table: str
    version: str
    old: str
    new: str


@condition(
    "DELTA_ICEBERG_COMPAT_VIOLATION.MISSING_STATISTICS",
    _STATE,
    "{path} cannot be added to {table}, which has {version}: its statistics have no numRecords, which Iceberg needs.",
    remedy="Write the file with statistics, or drop the Iceberg compatibility of the table.",
)
class IcebergStatisticsError(DeltaSqlError):
    """A file without a row count."""

    path: str
    table: str
    version: str


@condition(
    "DELTA_ICEBERG_COMPAT_VIOLATION.MISSING_REQUIRED_TABLE_FEATURE",
    _STATE,
    "{table} has no field id for {column}, by which Iceberg finds it. "
    "Run: REORG TABLE {table} APPLY (UPGRADE UNIFORM (ICEBERG_COMPAT_VERSION = 2)).",
)
class IcebergIdError(DeltaSqlError):
    """A column without a field id, or with elements without ids."""

    table: str
    column: str


@condition(
    "DELTA_UNIVERSAL_FORMAT_CONVERSION_FAILED",
    _STATE,
    "Version {version} of {table} is committed, and its {format} metadata is not written: {reason}. "
    "The next commit writes it.",
    remedy="Nothing is lost: the next commit writes the metadata. Correct the cause that the message names.",
)
class ConversionError(DeltaSqlError):
    """Logged after a commit whose metadata of another format cannot be written."""

    table: str
    version: int
    format: str
    reason: str


@condition(
    "DELTA_UNIVERSAL_FORMAT_CONVERSION_FAILED",
    _STATE,
    "Other writers of {table} were faster with its iceberg metadata {attempts:times}.",
    remedy="The commit is done; the next commit writes the metadata of Iceberg.",
)
class IcebergWritersError(DeltaSqlError):
    """The race for the Iceberg metadata was lost at every attempt."""

    table: str
    attempts: int


@condition(
    "DELTA_MISSING_ICEBERG_CLASS",
    "56038",
    "{table} is to have Iceberg metadata, which PyIceberg writes, and that is not installed. "
    "Run: pip install 'deltasql[uniform]'",
)
class MissingIcebergLibraryError(DeltaSqlError):
    """The optional dependency PyIceberg is not installed."""

    table: str


@condition(
    "DELTA_MISSING_ICEBERG_CLASS",
    "56038",
    "{table} is a table of Iceberg's, which PyIceberg reads, and that is not installed. "
    "Run: pip install 'deltasql[iceberg]'",
)
class MissingIcebergReaderError(MissingIcebergLibraryError):
    """The optional dependency PyIceberg is not installed, and a source requires it."""


@condition(
    "DELTA_CLONE_INCOMPATIBLE_SOURCE",
    "0AKDC",
    "The table of Iceberg's in {location} cannot become one of Delta's as it is: {reason}. Its rows can be written "
    "anew: session.write(df) of a DataFrame that Iceberg's reader gives.",
    remedy="Read its rows with a reader of Iceberg, and write them with session.write(df).",
)
class IcebergSourceError(DeltaSqlError):
    """A property of an Iceberg table that a Delta log cannot represent."""

    location: str
    reason: str


@condition(
    "DELTA_MISSING_ICEBERG_TABLE",
    "42P01",
    "There is no table of Iceberg's in {location}: {reason}. Name the folder in which 'metadata' lies.",
)
class NoIcebergTableError(DeltaSqlError):
    """CONVERT TO DELTA or CLONE of a folder without Iceberg metadata."""

    location: str
    reason: str
