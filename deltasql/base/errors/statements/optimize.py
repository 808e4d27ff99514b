"""Errors of OPTIMIZE, REORG and CLUSTER BY."""

from __future__ import annotations

from deltasql.base.errors.base import DeltaSqlError, condition


@condition(
    "DELTA_NON_PARTITION_COLUMN_REFERENCE",
    "42P10",
    "The predicate names {column}, a non-partition column of {table}: files are chosen by partition. "
    "Partition columns: {partitions}. Leave out WHERE to take the whole table.",
)
class NonPartitionPredicateError(DeltaSqlError):
    """A column of the data in the WHERE of OPTIMIZE or REORG."""

    column: str
    table: str
    partitions: str


@condition(
    "DELTA_UNSUPPORTED_SUBQUERY_IN_PARTITION_PREDICATES",
    "0AKDC",
    "Files of {table} cannot be chosen by a sub-query or a random function: {predicate}. "
    "Compare partition columns with constants.",
)
class PartitionPredicateError(DeltaSqlError):
    """A sub-query, or a function whose value changes, in a partition predicate."""

    table: str
    predicate: str


@condition(
    "DELTA_ZORDERING_COLUMN_DOES_NOT_EXIST",
    "42703",
    "{table} has no column {column} to order by. Columns: {columns}.",
    remedy="Name a column that the message lists.",
)
class ZOrderColumnNotFoundError(DeltaSqlError):
    """ZORDER BY of an unknown column."""

    table: str
    column: str
    columns: tuple[str, ...]


@condition(
    "DELTA_ZORDERING_ON_PARTITION_COLUMN",
    "42P10",
    "{column} is a partition column: all rows of a file have the same value. Leave it out of ZORDER BY.",
)
class ZOrderPartitionColumnError(DeltaSqlError):
    """ZORDER BY of a partition column."""

    column: str


@condition(
    "DELTA_ZORDERING_ON_COLUMN_WITHOUT_STATS",
    "KD00D",
    "Files of {table} have no statistics of {columns}, so that ordering by it would let no query skip a file. Let them "
    "be collected: ALTER TABLE {table} SET TBLPROPERTIES ('delta.dataSkippingStatsColumns' = '…'), or order all the "
    "same: SET spark.databricks.delta.optimize.zorder.checkStatsCollection.enabled = false.",
)
class ZOrderWithoutStatsError(DeltaSqlError):
    """ZORDER BY of a column that is not indexed."""

    table: str
    columns: tuple[str, ...]


@condition(
    "DELTA_OPTIMIZE_FULL_NOT_SUPPORTED",
    "42601",
    "OPTIMIZE FULL orders all files of a clustered table anew, and {table} has no clustering columns. Leave out FULL, "
    "or name some first: ALTER TABLE {table} CLUSTER BY (…).",
)
class OptimizeFullError(DeltaSqlError):
    """FULL on a table that is not clustered."""

    table: str


@condition(
    "DELTA_CLUSTERING_WITH_PARTITION_PREDICATE",
    "0A000",
    "{table} is clustered and has no partitions to choose from: leave out WHERE {predicate}.",
    remedy="Leave WHERE out.",
)
class ClusteringWithPredicateError(DeltaSqlError):
    """OPTIMIZE … WHERE of a clustered table."""

    table: str
    predicate: str


@condition(
    "DELTA_CLUSTERING_WITH_ZORDER_BY",
    "42613",
    "{table} is ordered by its clustering columns ({columns}): leave out ZORDER BY, or choose other columns: "
    "ALTER TABLE {table} CLUSTER BY (…).",
    remedy="Leave ZORDER BY out, or change the clustering columns: ALTER TABLE t CLUSTER BY (…).",
)
class ClusteringWithZOrderError(DeltaSqlError):
    """OPTIMIZE … ZORDER BY of a clustered table."""

    table: str
    columns: tuple[str, ...]


@condition(
    "DELTA_CLUSTER_BY_INVALID_NUM_COLUMNS",
    "54000",
    "{table} can be clustered by {limit} columns at most, not by {number}. Name those that queries filter by most.",
)
class ClusteringColumnCountError(DeltaSqlError):
    """Too many columns in CLUSTER BY."""

    table: str
    limit: int
    number: int


@condition(
    "DELTA_CLUSTERING_COLUMNS_DATATYPE_NOT_SUPPORTED",
    "0A000",
    "Files cannot be skipped by {column}: statistics have no least and greatest value of type {type}. "
    "Cluster by columns of numbers, text, dates or times, or by such fields of a struct.",
)
class ClusteringTypeError(DeltaSqlError):
    """A clustering column without bounds in statistics."""

    column: str
    type: str


@condition(
    "DELTA_CLUSTERING_COLUMN_MISSING_STATS",
    "22000",
    "{table} is clustered by {columns}, of which files have no statistics. Statistics are kept of: {indexed}. Name the "
    "column in 'delta.dataSkippingStatsColumns', or raise 'delta.dataSkippingNumIndexedCols'.",
)
class ClusteringWithoutStatsError(DeltaSqlError):
    """A clustering column that is not indexed, or would no longer be."""

    table: str
    columns: tuple[str, ...]
    indexed: tuple[str, ...]


@condition(
    "DELTA_ALTER_TABLE_CLUSTER_BY_ON_PARTITIONED_TABLE_NOT_ALLOWED",
    "42000",
    "{table} is partitioned by {columns} and cannot be clustered. To cluster it, write it anew: "
    "CREATE TABLE … CLUSTER BY (…) AS SELECT * FROM {table}.",
    remedy="Run CREATE OR REPLACE TABLE … CLUSTER BY (…) AS SELECT * FROM the table.",
)
class ClusterPartitionedTableError(DeltaSqlError):
    """ALTER TABLE … CLUSTER BY of a partitioned table."""

    table: str
    columns: tuple[str, ...]


@condition(
    "DELTA_CLUSTERING_REPLACE_TABLE_WITH_PARTITIONED_TABLE",
    "42000",
    "{table} is clustered and cannot be replaced by a partitioned table. Leave out PARTITIONED BY, or drop the table "
    "first: DROP TABLE {table}.",
)
class ReplaceClusteredError(DeltaSqlError):
    """CREATE OR REPLACE of a clustered table with PARTITIONED BY."""

    table: str


@condition(
    "DELTA_CREATE_TABLE_WITH_DIFFERENT_CLUSTERING",
    "42KD7",
    "The table at {location} is clustered by ({existing}), not by ({declared}). Leave out CLUSTER BY.",
)
class CreatedClusteringDiffersError(DeltaSqlError):
    """CREATE over an existing table with other clustering columns."""

    location: str
    declared: str
    existing: str
