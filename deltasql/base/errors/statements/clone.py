"""Errors of CREATE and REPLACE TABLE … CLONE."""

from __future__ import annotations

from deltasql.base.errors.base import DeltaSqlError, condition


@condition(
    "DELTA_CLONE_UNSUPPORTED_SOURCE",
    "0AKDC",
    "{source} cannot be cloned: it is {kind}, and only Delta tables, folders of Parquet files and tables of Iceberg "
    "are. Its rows can be copied: CREATE TABLE … AS SELECT * FROM {source}.",
    remedy="Copy its rows: CREATE TABLE … AS SELECT * FROM source.",
)
class CloneUnsupportedSourceError(DeltaSqlError):
    """CLONE of a relation that is no table of files; `kind` is its kind."""

    source: str
    kind: str


@condition(
    "DELTA_CLONE_UNSUPPORTED_SOURCE",
    "0AKDC",
    "{source} is the folder of a Delta table, whose log says which of the files count. Write CLONE {table}.",
)
class CloneOfDeltaFolderError(DeltaSqlError):
    """CLONE parquet.`…` of a place that has a Delta log; `table` is how to name that."""

    source: str
    table: str


@condition(
    "DELTA_UNEXPECTED_NUM_PARTITION_COLUMNS_FROM_FILE_NAME",
    "KD009",
    "The folders of {source} name partition columns ({columns}), whose types are not declared: a folder of Parquet "
    "files is cloned without partitions only. Make it a Delta table: CONVERT TO DELTA {source} PARTITIONED BY (…); "
    "then clone that.",
)
class ClonePartitionsError(DeltaSqlError):
    """CLONE of a folder of Parquet files with name=value folders."""

    source: str
    columns: str


@condition(
    "UNSUPPORTED_FEATURE.TIME_TRAVEL",
    "0A000",
    "{source} is cloned as it is: versions are those of Delta tables. Leave out VERSION AS OF and TIMESTAMP AS OF.",
)
class CloneVersionError(DeltaSqlError):
    """A version of a table that is none of Delta's."""

    source: str


@condition(
    "DELTA_UNSUPPORTED_CLONE_REPLACE_SAME_TABLE",
    "0AKDC",
    "{table} cannot be replaced by a clone of itself. Name another target; to go back to an older version, run: "
    "RESTORE TABLE {table} TO VERSION AS OF ….",
)
class CloneSameTableError(DeltaSqlError):
    """Source and target lie at the same place."""

    table: str


@condition(
    "DELTA_CLONE_AMBIGUOUS_TARGET",
    "42613",
    "There are two places for the clone: the path {table}, and LOCATION {location}. Leave out one of them.",
)
class CloneAmbiguousTargetError(DeltaSqlError):
    """LOCATION beside a path as the target."""

    table: str
    location: str


@condition(
    "DELTA_INVALID_CLONE_PATH",
    "22KD1",
    "A clone cannot be made at {path}, which is relative. Write the whole path, as /data/t or s3://bucket/t, or leave "
    "out LOCATION.",
)
class InvalidClonePathError(DeltaSqlError):
    """A relative path for the clone."""

    path: str


@condition(
    "DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE",
    "0AKDC",
    "The clone of {source} has its column mapping mode, '{before}', since it has its files; it cannot be '{after}'. "
    "Leave out delta.columnMapping.mode, or copy the rows: CREATE TABLE … AS SELECT * FROM {source}.",
)
class CloneColumnMappingError(DeltaSqlError):
    """Properties of the statement that ask for another column mapping mode than the source's."""

    source: str
    before: str
    after: str


@condition(
    "DELTA_CLONE_WITH_ROW_TRACKING_WITHOUT_STATS",
    "22000",
    "{source} cannot be cloned into a table that gives its rows ids: the log does not say how many rows {path} has. "
    "Rewrite it first: OPTIMIZE {source}.",
)
class CloneWithoutStatisticsError(DeltaSqlError):
    """A file without a count of rows would need row ids."""

    source: str
    path: str
