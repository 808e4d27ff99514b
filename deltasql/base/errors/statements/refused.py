"""Errors of statements that Delta tables have no use for."""

from __future__ import annotations

from deltasql.base.errors.base import DeltaSqlError, condition


@condition(
    "DELTA_OPERATION_NOT_ALLOWED",
    "0AKDC",
    "{operation} is not for Delta tables. {advice}",
    remedy="Use the alternative that the message names.",
)
class HiveStatementError(DeltaSqlError):
    """A statement of Hive tables, by name."""

    operation: str
    table: str
    advice: str


@condition(
    "DELTA_OPERATION_NOT_ALLOWED",
    "0AKDC",
    "{operation} is not supported. {advice}",
    remedy="Use the alternative that the message names, if there is one.",
)
class UnsupportedStatementError(DeltaSqlError):
    """A statement or clause of the dialect that deltasql does not have, by name."""

    operation: str
    advice: str


@condition(
    "UNSUPPORTED_FEATURE.INSERT_PARTITION_SPEC_IF_NOT_EXISTS",
    "0A000",
    "{operation} is for tables of Hive. {advice}",
    remedy="Write INSERT INTO … SELECT … WHERE NOT EXISTS (…).",
)
class PartitionIfNotExistsError(DeltaSqlError):
    """INSERT OVERWRITE … PARTITION (…) IF NOT EXISTS."""

    operation: str
    advice: str


@condition(
    "INVALID_STATEMENT_OR_CLAUSE",
    "42601",
    "{operation} is no clause of INSERT INTO. {advice}",
    remedy="Leave the clause out.",
)
class InsertIfNotExistsError(DeltaSqlError):
    """IF NOT EXISTS behind the table of INSERT INTO."""

    operation: str
    advice: str


@condition(
    "DELTA_TRUNCATE_TABLE_PARTITION_NOT_SUPPORTED",
    "0AKDC",
    "TRUNCATE TABLE empties all of {table}. {advice}",
    remedy="Write DELETE FROM t WHERE p = 1.",
)
class TruncatePartitionError(DeltaSqlError):
    """TRUNCATE TABLE … PARTITION."""

    table: str
    advice: str


@condition(
    "DELTA_OPERATION_NOT_ALLOWED",
    "0AKDC",
    "Partitioning by expressions is not supported: {expression}. {advice}",
    remedy="Partition by a generated column, or use CLUSTER BY.",
)
class PartitionExpressionError(DeltaSqlError):
    """PARTITIONED BY (year(d))."""

    expression: str
    advice: str = "Partition by a generated column, such as y INT GENERATED ALWAYS AS (year(d)), or use CLUSTER BY."


@condition(
    "DELTA_OPERATION_NOT_ALLOWED_DETAIL",
    "0AKDC",
    "Bucketing is not supported for Delta tables: {clause}. Leave it out; CLUSTER BY orders rows in files.",
)
class BucketingError(DeltaSqlError):
    """CLUSTERED BY … INTO n BUCKETS."""

    clause: str


@condition(
    "DELTA_UNSUPPORTED_DATA_TYPES",
    "0AKDC",
    "DEFAULT COLLATION {collation} is not supported. Write STRING COLLATE {collation} as the type of each column.",
)
class DefaultCollationError(DeltaSqlError):
    """DEFAULT COLLATION with anything but UTF8_BINARY."""

    collation: str


@condition(
    "WRONG_COMMAND_FOR_OBJECT_TYPE",
    "42809",
    "{statement} is for a {wanted}, and {name} is a {found}. Write {advice}.",
)
class WrongObjectError(DeltaSqlError):
    """DROP TABLE of a view, DROP VIEW of a table."""

    statement: str
    wanted: str
    name: str
    found: str
    advice: str


@condition(
    "UNSUPPORTED_FEATURE.EXPLAIN_ANALYZE",
    "0A000",
    "EXPLAIN ANALYZE runs queries, and statements that change rows up to their commit; this one has no rows to run. "
    "EXPLAIN tells what it would do.",
    remedy="Use EXPLAIN without ANALYZE.",
)
class NothingToAnalyzeError(DeltaSqlError):
    """EXPLAIN ANALYZE of a statement that is answered by the log, the catalog or Spark alone."""
