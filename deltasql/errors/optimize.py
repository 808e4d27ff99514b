"""Errors of OPTIMIZE, REORG and CLUSTER BY."""

from __future__ import annotations

from deltasql.errors.base import DeltaSqlError, condition


@condition(
    "DELTA_NON_PARTITION_COLUMN_REFERENCE",
    "42P10",
    "The predicate names {column}, which is no partition column of {table}: files are chosen by partition. "
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
    "DELTA_OPERATION_NOT_ALLOWED",
    "0AKDC",
    "{table} cannot be upgraded to UniForm with ICEBERG_COMPAT_VERSION = {version}: deltasql writes no Iceberg "
    "metadata. Run the statement with another engine; REORG TABLE {table} APPLY (PURGE) is supported.",
)
class UniformUpgradeError(DeltaSqlError):
    """REORG … APPLY (UPGRADE UNIFORM …)."""

    table: str
    version: int
