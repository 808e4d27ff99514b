"""Errors of views."""

from __future__ import annotations

from deltasql.errors.base import DeltaSqlError, condition


@condition(
    "TEMP_TABLE_OR_VIEW_ALREADY_EXISTS",
    "42P07",
    "There is a temporary view {view} already. Write CREATE OR REPLACE TEMPORARY VIEW {view}, or drop it first.",
)
class ViewAlreadyExistsError(DeltaSqlError):
    """CREATE TEMPORARY VIEW of a name that is taken."""

    view: str


@condition(
    "TABLE_OR_VIEW_NOT_FOUND", "42P01", "There is no view {view}. Write DROP VIEW IF EXISTS {view} to allow that."
)
class ViewNotFoundError(DeltaSqlError):
    """DROP VIEW of an unknown name."""

    view: str


@condition(
    "DELTA_UNSUPPORTED_TIME_TRAVEL_VIEWS",
    "0AKDC",
    "{view} has no versions to travel to here: VERSION and TIMESTAMP AS OF are for tables that are read.",
)
class TimeTravelViewError(DeltaSqlError):
    """Time travel of a view, or of the target of a change."""

    view: str


@condition(
    "DELTA_CANNOT_WRITE_INTO_VIEW",
    "0A000",
    "{view} is a view, and rows are changed in tables only. Name the table that the view reads.",
)
class WriteIntoViewError(DeltaSqlError):
    """DML on a view."""

    view: str


@condition(
    "EXPECT_PERMANENT_VIEW_NOT_TEMP",
    "42809",
    "SHOW CREATE TABLE is for what the catalog keeps, and {view} is a temporary view of this session.",
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
    "DELTA_TIMESTAMP_INVALID",
    "42816",
    "{expression} is no timestamp. Write one like TIMESTAMP AS OF '2024-01-31 12:00:00'.",
)
class TimestampInvalidError(DeltaSqlError):
    """A time-travel expression that does not give a timestamp."""

    expression: str


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
    "DELTA_OPERATION_NOT_ALLOWED",
    "0AKDC",
    "Only temporary views can be made of tables here: Spark's own catalog would keep the view, and it does not know "
    "the tables. Write CREATE TEMPORARY VIEW v AS SELECT …, without TBLPROPERTIES.",
)
class PermanentViewError(DeltaSqlError):
    """A permanent or global view over our tables."""
