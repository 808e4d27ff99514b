"""Refusals of INSERT: its column list, PARTITION clause, REPLACE WHERE and rows."""

from __future__ import annotations

from deltasql.errors.base import DeltaSqlError, condition


@condition(
    "DELTA_OPERATION_NOT_ALLOWED",
    "0AKDC",
    "Some rows give {column} a value and some say DEFAULT, but its values come from the table. "
    "Say DEFAULT in every row, or leave the column out of the column list.",
)
class MixedDefaultsError(DeltaSqlError):
    column: str


@condition("DELTA_DUPLICATE_COLUMNS_ON_INSERT", "42701", "Column {column} {reason}.")
class DuplicateInsertColumnError(DeltaSqlError):
    """Two values for one column."""

    column: str
    reason: str = "stands twice in the column list of INSERT"


@condition(
    "INSERT_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS",
    "21S01",
    "{table} needs {expected} columns ({columns}), and the query gives {given}.{advice}",
)
class TooFewInsertColumnsError(DeltaSqlError):
    """Fewer values than columns."""

    table: str
    expected: int
    columns: tuple[str, ...]
    given: int
    advice: str = " Name the columns that you give: INSERT INTO … (a, b) …."


@condition(
    "INSERT_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS",
    "21S01",
    "{table} takes {expected} columns ({columns}), and the query gives {given}. "
    "Leave the others out, or add them to the table: INSERT WITH SCHEMA EVOLUTION INTO ….",
)
class TooManyInsertColumnsError(DeltaSqlError):
    """More values than columns."""

    table: str
    expected: int
    columns: tuple[str, ...]
    given: int


@condition(
    "DELTA_MISSING_COLUMN",
    "42703",
    "{column} is no column of {table}, which has {columns}.{advice}",
)
class UnknownInsertColumnError(DeltaSqlError):
    """A column list or a BY NAME query with a column that the table lacks."""

    column: str
    table: str
    columns: tuple[str, ...]
    advice: str = ""


@condition(
    "DELTA_MISSING_NOT_NULL_COLUMN_VALUE",
    "23502",
    "Column {column} of {table} is NOT NULL, and the statement gives no value for it. Add it to the columns.",
)
class MissingNotNullColumnError(DeltaSqlError):
    """A NOT NULL column that an INSERT leaves out."""

    column: str
    table: str


@condition(
    "NON_PARTITION_COLUMN",
    "42000",
    "PARTITION names {column}, which is no partition column of {table}; those are: {columns}.",
)
class NotPartitionColumnError(DeltaSqlError):
    """A PARTITION clause over another column."""

    column: str
    table: str
    columns: tuple[str, ...]

    @property
    def message(self) -> str:
        if self.columns:
            return super().message
        return f"PARTITION names {self.column}, and {self.table} is not partitioned. Leave out PARTITION."


@condition(
    "STATIC_PARTITION_COLUMN_IN_INSERT_COLUMN_LIST",
    "42713",
    "PARTITION gives {column} a constant, and the query gives it values as well. Leave {column} out of one of them.",
)
class StaticPartitionInListError(DeltaSqlError):
    """A partition column with a constant that the column list or a BY NAME query has, too."""

    column: str


@condition(
    "PARSE_SYNTAX_ERROR",
    "42601",
    "REPLACE WHERE says itself which rows make way, so {clause} cannot stand beside it. "
    "Write: INSERT INTO … REPLACE WHERE … SELECT ….",
)
class ReplaceWhereClauseError(DeltaSqlError):
    """INSERT OVERWRITE or PARTITION together with REPLACE WHERE."""

    clause: str


@condition(
    "DELTA_REPLACE_WHERE_MISMATCH",
    "44000",
    "A row to write does not satisfy REPLACE WHERE {predicate}, so nothing was written: {values}. "
    "Filter the query by the same predicate.",
)
class ReplaceWhereMismatchError(DeltaSqlError):
    """A row outside the range that INSERT … REPLACE WHERE replaces."""

    predicate: str
    values: str
