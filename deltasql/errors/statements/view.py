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
    "DELTA_OPERATION_NOT_ALLOWED",
    "0AKDC",
    "Views are not kept in the catalog, which knows tables only. Write CREATE TEMPORARY VIEW {temporary} AS SELECT …, "
    "in every session that reads it, or CREATE TABLE {view} AS SELECT ….",
)
class PermanentViewError(DeltaSqlError):
    """CREATE VIEW that is not temporary."""

    view: str
    temporary: str


@condition(
    "TEMP_VIEW_NAME_TOO_MANY_NAME_PARTS",
    "428EK",
    "A temporary view belongs to no schema: its name has one part. Write {advice}.",
)
class TemporaryViewNameError(DeltaSqlError):
    """CREATE TEMPORARY VIEW s.v."""

    view: str
    advice: str


@condition(
    "RECURSIVE_VIEW",
    "42K0H",
    "View {view} would read itself: {cycle}. Give the new view another name, or name the tables that {view} reads.",
)
class RecursiveViewError(DeltaSqlError):
    """A view whose query names it, in itself or in the views that it names."""

    view: str
    cycle: str


@condition(
    "COLUMN_ALREADY_EXISTS",
    "42711",
    "View {view} would have two columns {column}. Give one of them another name, with AS or in a list behind the "
    "view's name.",
)
class DuplicateViewColumnError(DeltaSqlError):
    """CREATE VIEW v AS SELECT 1 AS a, 2 AS a."""

    view: str
    column: str


@condition(
    "CREATE_VIEW_COLUMN_ARITY_MISMATCH",
    "21S01",
    "View {view} names {named} columns, and its query gives {given}: {columns}. Name as many.",
)
class ViewArityError(DeltaSqlError):
    """CREATE VIEW v (a, b) AS SELECT 1."""

    view: str
    named: int
    given: int
    columns: tuple[str, ...]


@condition(
    "INCOMPATIBLE_VIEW_SCHEMA_CHANGE",
    "51024",
    "View {view} no longer fits its tables: {change}. Make it again: CREATE OR REPLACE TEMPORARY VIEW {view} AS …",
)
class ViewSchemaChangedError(DeltaSqlError):
    """A view whose tables have lost a column, or changed its type, since it was made."""

    view: str
    change: str


@condition(
    "EXPECT_PERMANENT_VIEW_NOT_TEMP",
    "42809",
    "ALTER VIEW {clause} is for views that a catalog keeps, and {view} is a temporary one. Write CREATE OR REPLACE "
    "TEMPORARY VIEW {view} AS ….",
)
class AlterTemporaryViewError(DeltaSqlError):
    """ALTER VIEW … SET TBLPROPERTIES of a temporary view."""

    view: str
    clause: str


@condition("TABLE_OR_VIEW_NOT_FOUND", "42P01", "There is no view {view}. SHOW VIEWS lists those of this session.")
class AlteredViewNotFoundError(ViewNotFoundError):
    """ALTER VIEW of an unknown name."""
