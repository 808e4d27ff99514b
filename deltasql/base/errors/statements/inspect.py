"""Refusals of SHOW, DESCRIBE and EXPLAIN."""

from __future__ import annotations

from deltasql.base.errors.base import DeltaSqlError, condition


@condition(
    "DELTA_SHOW_PARTITION_IN_NON_PARTITIONED_TABLE",
    "42809",
    "{table} is not partitioned, so there are no partitions to show.",
    remedy="Use DESCRIBE DETAIL, which shows partition columns and files.",
)
class ShowPartitionsUnpartitionedError(DeltaSqlError):
    """SHOW PARTITIONS of a table without partition columns."""

    table: str


@condition(
    "UNSUPPORTED_SHOW_CREATE_TABLE.WITH_UNSUPPORTED_FEATURE",
    "0A000",
    "No statement creates {view}: the views of an information schema are built in. Its columns: DESCRIBE {view}.",
)
class ShowCreateBuiltInViewError(DeltaSqlError):
    """SHOW CREATE TABLE of a view of an information schema."""

    view: str


@condition(
    "EXPECT_PERMANENT_VIEW_NOT_TEMP",
    "42809",
    "SHOW CREATE TABLE is for what the catalog keeps, and {view} is a temporary view of this session.",
    remedy="Store the view in the catalog: CREATE VIEW without TEMPORARY.",
)
class ShowCreateViewError(DeltaSqlError):
    """SHOW CREATE TABLE of a temporary view."""

    view: str


@condition(
    "EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE",
    "42809",
    "{view} is a view, and views have no partitions. Name the table that it reads.",
)
class ShowPartitionsOfViewError(DeltaSqlError):
    """SHOW PARTITIONS of a view."""

    view: str


@condition(
    "DELTA_UNSUPPORTED_DESCRIBE_DETAIL_VIEW",
    "42809",
    "{view} is a view, which has no details. Run DESCRIBE DETAIL of the table that it reads.",
)
class DescribeViewDetailError(DeltaSqlError):
    """DESCRIBE DETAIL of a view."""

    view: str


@condition(
    "DELTA_CANNOT_DESCRIBE_VIEW_HISTORY",
    "42809",
    "{view} is a view, which has no history. Run DESCRIBE HISTORY of the table that it reads.",
)
class DescribeViewHistoryError(DeltaSqlError):
    """DESCRIBE HISTORY of a view."""

    view: str


@condition(
    "DELTA_SHOW_PARTITION_IN_NON_PARTITIONED_COLUMN",
    "42P10",
    "{column} is no partition column of {table}; these are {columns}.",
    remedy="Name a partition column that the message lists.",
)
class NotAPartitionColumnError(DeltaSqlError):
    """PARTITION (column = value) of another column, in SHOW or DESCRIBE."""

    column: str
    table: str
    columns: str


@condition(
    "INVALID_SQL_SYNTAX.EMPTY_PARTITION_VALUE",
    "42000",
    "PARTITION names {column} and no value. Write {column} = value.",
)
class PartitionWithoutValueError(DeltaSqlError):
    """PARTITION (column) in SHOW or DESCRIBE."""

    column: str


@condition(
    "PARTITIONS_NOT_FOUND",
    "428FT",
    "{table} has no partition {partition}: one is there with its first row. SHOW PARTITIONS {table} lists them.",
    remedy="Run SHOW PARTITIONS t.",
)
class PartitionNotFoundError(DeltaSqlError):
    """DESCRIBE or SHOW TABLE EXTENDED of a partition that no file is in."""

    table: str
    partition: str


@condition(
    "DESCRIBE_JSON_NOT_EXTENDED",
    "0A000",
    "AS JSON tells all of a table. Write DESCRIBE EXTENDED {table} AS JSON.",
)
class JsonNotExtendedError(DeltaSqlError):
    """DESCRIBE t AS JSON without EXTENDED."""

    table: str


@condition(
    "UNSUPPORTED_FEATURE.DESC_TABLE_COLUMN_JSON",
    "0A000",
    "AS JSON tells all columns of a table. Write DESCRIBE EXTENDED {table} AS JSON, and pick {column} there.",
)
class JsonOfColumnError(DeltaSqlError):
    """DESCRIBE t column AS JSON."""

    table: str
    column: str


@condition(
    "DELTA_OPERATION_NOT_ALLOWED",
    "0AKDC",
    "({statement}) in place of a table is not supported: its rows are not known before it runs.",
    remedy="Run it as a separate statement, and read its rows in Python: session.sql(…).collect().",
)
class StatementAsTableError(DeltaSqlError):
    """A SHOW or DESCRIBE that only the engine answers, in place of a table."""

    statement: str
