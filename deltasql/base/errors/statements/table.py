"""Errors of CREATE, REPLACE and DROP."""

from __future__ import annotations

from deltasql.base.errors.base import DeltaSqlError, condition


@condition(
    "DELTA_CANNOT_REPLACE_MISSING_TABLE",
    "42P01",
    "Cannot replace {table}: the table cannot be found. Run: CREATE OR REPLACE TABLE {table} ….",
)
class CannotReplaceMissingTableError(DeltaSqlError):
    """REPLACE TABLE of a table that does not exist."""

    table: str


@condition(
    "DELTA_SCHEMA_NOT_PROVIDED",
    "42908",
    "{table} cannot be replaced without columns. Give a column list, or AS SELECT ….",
)
class SchemaNotProvidedError(DeltaSqlError):
    """REPLACE without columns and without a query."""

    table: str


@condition(
    "DELTA_EMPTY_DATA",
    "428GU",
    "The query for {table} gives no columns, and a table from a query takes its.",
    remedy="Select at least one column.",
)
class EmptyQuerySchemaError(DeltaSqlError):
    """CREATE TABLE AS SELECT with a query of zero columns."""

    table: str


@condition(
    "UNSUPPORTED_FEATURE.CTAS_WITH_COLUMN_LIST",
    "0A000",
    "{table} takes its columns from the query, so a column list is not allowed beside AS SELECT. "
    "Name and cast the columns in the query, or create the table first and INSERT into it.",
)
class ColumnListWithQueryError(DeltaSqlError):
    """A column list in CREATE TABLE AS SELECT."""

    table: str


@condition(
    "DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION",
    "42601",
    "A table cannot be created at {location}: the place is not empty. Choose another LOCATION, or, if a Delta table "
    "lies there, name the place in LOCATION and leave out the query.",
)
class NonEmptyLocationError(DeltaSqlError):
    """The location of a new table is not empty."""

    location: str


@condition(
    "DELTA_CREATE_EXTERNAL_TABLE_WITHOUT_SCHEMA",
    "42601",
    "There is nothing at {location} to take columns from. Give a column list or AS SELECT.",
)
class ExternalTableWithoutSchemaError(DeltaSqlError):
    """LOCATION of an empty place, without columns."""

    location: str


@condition(
    "DELTA_CREATE_EXTERNAL_TABLE_WITHOUT_TXN_LOG",
    "42K03",
    "There are files at {location}, but no _delta_log, so it is no Delta table. "
    "Give the LOCATION of a Delta table, or an empty place with a column list.",
)
class ExternalTableWithoutLogError(DeltaSqlError):
    """LOCATION of a place with files that are no Delta table."""

    location: str


@condition(
    "DELTA_CREATE_TABLE_SCHEME_MISMATCH",
    "42KD7",
    "The table at {location} has other columns than the statement declares. Leave out the column list to take them "
    "as they are.\n== Differences ==\n{differences}",
)
class CreatedColumnsDifferError(DeltaSqlError):
    """CREATE over an existing table with other columns."""

    location: str
    differences: str


@condition(
    "DELTA_CREATE_TABLE_WITH_DIFFERENT_PARTITIONING",
    "42KD7",
    "The table at {location} is partitioned by ({existing}), not by ({declared}). Leave out PARTITIONED BY.",
)
class CreatedPartitioningDiffersError(DeltaSqlError):
    """CREATE over an existing table with other partition columns."""

    location: str
    declared: tuple[str, ...]
    existing: tuple[str, ...]


@condition(
    "DELTA_CREATE_TABLE_WITH_DIFFERENT_PROPERTY",
    "42KD7",
    "The table at {location} has {key} = {existing}, and the statement declares {declared}. "
    "Leave out TBLPROPERTIES, and change them afterwards with ALTER TABLE.",
)
class CreatedPropertiesDifferError(DeltaSqlError):
    """CREATE over an existing table with other properties."""

    location: str
    key: str
    declared: str
    existing: str


@condition(
    "DELTA_TABLE_LOCATION_MISMATCH",
    "42613",
    "{table} lies at {existing}, and LOCATION names another place: {location}. Leave out LOCATION, or drop the table "
    "first.",
)
class LocationMismatchError(DeltaSqlError):
    """REPLACE of a table with a LOCATION elsewhere."""

    table: str
    location: str
    existing: str


@condition(
    "DELTA_SET_LOCATION_SCHEMA_MISMATCH",
    "42KD7",
    "{table} cannot be moved to {location}: the table there has other columns or partitions. To move it anyway, "
    "run: SET spark.databricks.delta.alterLocation.bypassSchemaCheck = true.\n"
    "== {table} ==\n{current}\n== {location} ==\n{found}",
    remedy="Choose the table's copy, or switch the check off with the setting in the message.",
)
class SetLocationSchemaError(DeltaSqlError):
    """SET LOCATION to a location of a table with another schema."""

    table: str
    location: str
    current: str
    found: str


@condition(
    "DELTA_CANNOT_SET_LOCATION_ON_PATH_IDENTIFIER",
    "42613",
    "{table} is a place, and a place has no other one. Name a table of the catalog.",
)
class SetLocationOfPathError(DeltaSqlError):
    """SET LOCATION of a path table."""

    table: str


@condition(
    "DELTA_CREATE_TABLE_IDENTIFIER_LOCATION_MISMATCH",
    "0AKDC",
    "{table} names its place, and LOCATION names another: {location}. Leave out LOCATION.",
)
class AmbiguousLocationError(DeltaSqlError):
    """A path table with a LOCATION elsewhere."""

    table: str
    location: str


@condition(
    "DELTA_TABLE_ONLY_OPERATION",
    "0AKDD",
    "{table} cannot be created USING {provider}. Write USING delta, or leave it out, for a Delta table; a table of "
    "files is USING csv, json, parquet, orc, avro, text or iceberg.",
)
class NotADeltaProviderError(DeltaSqlError):
    """CREATE TABLE of a format that tables cannot have."""

    provider: str
    table: str


@condition(
    "DELTA_READ_TABLE_WITHOUT_COLUMNS",
    "428GU",
    "{table} has no columns, so there is nothing to read. Add some: ALTER TABLE {table} ADD COLUMNS (…), "
    "or let a write bring them: INSERT WITH SCHEMA EVOLUTION INTO {table} BY NAME ….",
)
class ReadTableWithoutColumnsError(DeltaSqlError):
    """SELECT from a table that was created without columns."""

    table: str


@condition(
    "CREATE_TABLE_EXTERNAL_WITHOUT_LOCATION",
    "42601",
    "{table} is to be EXTERNAL, and there is no LOCATION. Say where it lies: CREATE EXTERNAL TABLE {table} … "
    "LOCATION '/path', or leave out EXTERNAL.",
)
class ExternalWithoutLocationError(DeltaSqlError):
    """CREATE EXTERNAL TABLE without LOCATION: as a managed table it would lose its files when it is dropped."""

    table: str


@condition(
    "DELTA_CLUSTER_BY_WITH_PARTITIONED_BY",
    "42613",
    "{table} cannot be both partitioned and clustered. Leave out PARTITIONED BY or CLUSTER BY.",
)
class ClusterAndPartitionError(DeltaSqlError):
    """CREATE TABLE with both clauses."""

    table: str
