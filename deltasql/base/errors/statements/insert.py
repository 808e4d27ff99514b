"""Refusals of INSERT: its column list, PARTITION clause, REPLACE WHERE and rows."""

from __future__ import annotations

from deltasql.base.errors.base import DeltaSqlError, condition


@condition(
    "DELTA_OPERATION_NOT_ALLOWED",
    "0AKDC",
    "Some rows give {column} a value and some say DEFAULT, but its values come from the table. "
    "Say DEFAULT in every row, or leave the column out of the column list.",
)
class MixedDefaultsError(DeltaSqlError):
    """INSERT … VALUES with DEFAULT in some rows, for an identity or generated column."""

    column: str


@condition(
    "DELTA_DUPLICATE_COLUMNS_ON_INSERT",
    "42701",
    "Column {column} {reason}.",
    remedy="Name each column once.",
)
class DuplicateInsertColumnError(DeltaSqlError):
    """Two values for one column."""

    column: str
    reason: str = "stands twice in the column list of INSERT"


@condition(
    "INSERT_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS",
    "21S01",
    "{table} needs {expected:columns} ({columns}), and the query gives {given}.{advice}",
    remedy="List the columns that the query gives: INSERT INTO t (a, b) ….",
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
    "{table} takes {expected:columns} ({columns}), and the query gives {given}. "
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
    remedy="Name a column of the table, or add WITH SCHEMA EVOLUTION.",
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
    remedy="Name partition columns only, and give other columns in the query.",
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
    "{replaces} says itself which rows are replaced, so {clause} cannot stand beside it. "
    "Write: INSERT INTO … {replaces} … SELECT ….",
)
class ReplaceClauseError(DeltaSqlError):
    """INSERT OVERWRITE or PARTITION together with REPLACE WHERE, USING or ON."""

    replaces: str
    clause: str


@condition(
    "INSERT_REPLACE_WHERE_TABLE_ALIAS_NOT_ALLOWED",
    "42000",
    "REPLACE WHERE looks at the table alone, which needs no alias {alias} there. Leave the alias out; to compare rows "
    "with those of the query write REPLACE ON.",
)
class ReplaceWhereAliasError(DeltaSqlError):
    """INSERT … REPLACE WHERE with an alias."""

    alias: str


@condition(
    "UNRESOLVED_INSERT_REPLACE_USING_COLUMN",
    "42703",
    "REPLACE USING names {column}, which the {where} does not have; its columns are: {columns}.",
    remedy="Name a column that the message lists.",
)
class UnresolvedReplaceUsingError(DeltaSqlError):
    """REPLACE USING with a column that the table or the query does not have.

    `where` is the query, or the table with its name.
    """

    column: str
    where: str
    columns: tuple[str, ...]

    @property
    def message(self) -> str:
        advice = f" Give one that name: SELECT … AS {self.column}, or a column list." if self.where == "query" else ""
        return super().message + advice


@condition(
    "INSERT_REPLACE_USING_DISALLOW_MISALIGNED_COLUMNS",
    "42802",
    "REPLACE USING names {column}, and the query has it at another place than the table, where columns go by "
    "position. Write INSERT INTO … BY NAME REPLACE USING …, or put the query's columns into the order of the table's.",
)
class MisalignedReplaceUsingError(DeltaSqlError):
    """INSERT … REPLACE USING by position, with the column at another position in the query."""

    column: str


@condition(
    "DELTA_INSERT_REPLACE_ON_AMBIGUOUS_COLUMNS_IN_CONDITION",
    "42702",
    "{column} in the condition of REPLACE ON may be the table's or the query's. Say which: {example}, or give the "
    "query a name: REPLACE ON … (SELECT …) AS s.",
)
class AmbiguousReplaceOnError(DeltaSqlError):
    """A column in REPLACE ON that both the table and the query have."""

    column: str
    example: str


@condition(
    "DELTA_INSERT_REPLACE_ON_UNRESOLVED_COLUMNS_IN_CONDITION",
    "42703",
    "{column} in the condition of REPLACE ON is no column of the table or of the query. Columns are: {columns}.",
    remedy="Name a column that the message lists.",
)
class UnresolvedReplaceOnError(DeltaSqlError):
    """REPLACE ON with a column that neither the table nor the query has."""

    column: str
    columns: tuple[str, ...]


@condition(
    "DELTA_REPLACE_ON_OR_USING_TABLE_CONSTRAINT_VIOLATION",
    "44000",
    "A row to write with REPLACE ON or USING {clause} breaks a rule of the table, so nothing was written. {violation}",
    remedy="Correct the row that the message shows, or filter it out.",
)
class ReplaceViolationError(DeltaSqlError):
    """A row of INSERT … REPLACE USING or ON breaks a constraint of the table.

    `violation` says which rule, as it is said of any write.
    """

    clause: str
    violation: str


@condition(
    "DELTA_REPLACE_WHERE_MISMATCH",
    "44000",
    "A row to write does not satisfy REPLACE WHERE {predicate}, so nothing was written: {values}. "
    "Filter the query by the same predicate.",
    remedy="Filter the query by the predicate of REPLACE WHERE.",
)
class ReplaceWhereMismatchError(DeltaSqlError):
    """A row outside the range that INSERT … REPLACE WHERE replaces."""

    predicate: str
    values: str
