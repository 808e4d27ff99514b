"""Errors of views."""

from __future__ import annotations

from deltasql.base.errors.base import DeltaSqlError, condition


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
    remedy="Name the table behind the view.",
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
    """INSERT, UPDATE, DELETE or MERGE of a view."""

    view: str


@condition(
    "EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE",
    "42809",
    "{view} is a view, and this statement is about a table. Name the table that the view reads.",
)
class ViewInPlaceOfTableError(DeltaSqlError):
    """A view where a table is required."""

    view: str


@condition(
    "INVALID_TEMP_OBJ_REFERENCE",
    "42K0F",
    "{name} would last, and the {kind} {reference}, which it names, is of this session alone. {advice}",
    remedy="Create the view or function that it names in the catalog, or make this one temporary.",
)
class TemporaryReferenceError(DeltaSqlError):
    """A view or function of the catalog whose text names a temporary view or function, or a variable."""

    name: str
    kind: str
    reference: str
    advice: str


@condition(
    "UNSUPPORTED_FEATURE.PARAMETER_MARKER_IN_UNEXPECTED_STATEMENT",
    "0A000",
    "The text of {name} is kept, and a parameter has a value in this statement only: {marker}. Write the value.",
)
class StoredParameterError(DeltaSqlError):
    """CREATE VIEW v AS SELECT :a."""

    name: str
    marker: str


@condition(
    "CREATE_PERMANENT_VIEW_WITHOUT_ALIAS",
    "0A000",
    "The columns of a lasting view {view} have names, and {expression} has none. Write {expression} AS name, or a list "
    "of names behind {view}.",
)
class UnnamedViewColumnError(DeltaSqlError):
    """CREATE VIEW v AS SELECT 1 + 2."""

    view: str
    expression: str


@condition(
    "EXPECT_VIEW_NOT_TABLE.NO_ALTERNATIVE",
    "42809",
    "{table} is a table, and a view does not take its place. Give the view another name, or drop the table first.",
)
class ViewInPlaceError(DeltaSqlError):
    """CREATE OR REPLACE VIEW of the name of a table."""

    table: str


@condition(
    "TABLE_OR_VIEW_ALREADY_EXISTS",
    "42P07",
    "{view} is the name of a {kind} already. Write CREATE VIEW IF NOT EXISTS, CREATE OR REPLACE VIEW for another view, "
    "or choose another name.",
)
class CatalogNameTakenError(DeltaSqlError):
    """CREATE VIEW of a name that the catalog has."""

    view: str
    kind: str


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
    "View {view} names {named:columns}, and its query gives {given}: {columns}. Name as many.",
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
    "View {view} no longer fits its tables: {change}. Make it again: {statement}",
)
class ViewSchemaChangedError(DeltaSqlError):
    """A view whose tables have lost a column, or changed its type, since it was made."""

    view: str
    change: str
    statement: str


@condition(
    "EXPECT_PERMANENT_VIEW_NOT_TEMP",
    "42809",
    "{clause} is for views that the catalog keeps, and {view} is a temporary one. Write CREATE OR REPLACE TEMPORARY "
    "VIEW {view} AS ….",
)
class AlterTemporaryViewError(DeltaSqlError):
    """ALTER VIEW … SET TBLPROPERTIES of a temporary view."""

    view: str
    clause: str


@condition(
    "TABLE_OR_VIEW_NOT_FOUND",
    "42P01",
    "There is no view {view}. SHOW VIEWS lists all of them.",
    remedy="Check the spelling with SHOW VIEWS.",
)
class AlteredViewNotFoundError(ViewNotFoundError):
    """ALTER VIEW of an unknown name."""


@condition(
    "CREATE_VIEW_WITH_IF_NOT_EXISTS_AND_REPLACE",
    "42601",
    "OR REPLACE and IF NOT EXISTS say two things about a view that is there. Leave one of them out.",
)
class IfNotExistsAndReplaceError(DeltaSqlError):
    """CREATE OR REPLACE VIEW IF NOT EXISTS."""


@condition(
    "EXPECT_VIEW_NOT_TABLE.USE_ALTER_TABLE",
    "42809",
    "{statement} is for views, and {table} is a {kind}. Write {advice}.",
)
class AlterViewOfTableError(DeltaSqlError):
    """ALTER VIEW t of a table."""

    statement: str
    table: str
    kind: str
    advice: str


@condition(
    "DELTA_UNSUPPORTED_SOURCE",
    "0AKDD",
    "{operation} changes rows of a table, and {view} is a query of more than its columns. A temporary view can stand "
    "for a table where it is SELECT columns FROM table; else name the table.",
    remedy="Name the table itself.",
)
class UnwritableViewError(DeltaSqlError):
    """DML on a temporary view that joins, groups, sorts …"""

    operation: str
    view: str


@condition(
    "DELTA_UNEXPECTED_PARTIAL_SCAN",
    "KD00A",
    "{view} has a WHERE, and rows are changed in whole tables only. Name the table, and put the condition into the "
    "statement.",
)
class PartialViewError(DeltaSqlError):
    """DML on a temporary view with a filter."""

    view: str


@condition(
    "DELTA_CANNOT_RESOLVE_COLUMN",
    "42703",
    "{view} gives columns of its table other names or values, so that it does not tell which to change. Name the "
    "table.",
)
class RenamingViewError(DeltaSqlError):
    """DML on a temporary view with a AS b, or expressions."""

    view: str


@condition(
    "DELTA_FAILED_SCAN_WITH_HISTORICAL_VERSION",
    "KD002",
    "{view} reads a version of its table, and only the newest one can be changed. Name the table.",
)
class VersionViewError(DeltaSqlError):
    """DML on a temporary view of t VERSION AS OF 1."""

    view: str


@condition(
    "DELTA_OPERATION_ON_TEMP_VIEW_WITH_GENERATED_COLS_NOT_SUPPORTED",
    "0A000",
    "{operation} cannot go by the view {view}: its table has generated columns. Write {operation} {table}.",
)
class GeneratedBehindViewError(DeltaSqlError):
    """UPDATE of a temporary view of a table with generated columns."""

    operation: str
    view: str
    table: str


@condition(
    "DELTA_SCHEMA_CHANGE_SINCE_ANALYSIS",
    "KD007",
    "{view} and its table do not have the same columns: {columns}. Make the view again, or name the table.",
)
class ViewColumnsChangedError(DeltaSqlError):
    """DML on a temporary view whose table has lost a column; MERGE of one that does not show all columns."""

    view: str
    columns: tuple[str, ...]


@condition(
    "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION",
    "42703",
    "The view {view} does not show the column {column}. Name the table.",
)
class HiddenColumnError(DeltaSqlError):
    """DML on a temporary view, with a column that only its table has."""

    column: str
    view: str
