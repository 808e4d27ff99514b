"""The position in CREATE TABLE of the clause that an error is about."""

from __future__ import annotations

from collections.abc import Iterable

from deltasql.errors.base import Caret, DeltaSqlError
from deltasql.errors.log import UnsupportedLocationError
from deltasql.errors.schema import DuplicateColumnsError, PartitionColumnNotFoundError
from deltasql.errors.statements.table import NotADeltaProviderError
from deltasql.plan.statements.table import CreateTable
from deltasql.planner.context import Context
from deltasql.sql.queries.outline import find, outline

_CLAUSES: dict[type[DeltaSqlError], str] = {
    NotADeltaProviderError: "CREATE|REPLACE … USING < part >",
    UnsupportedLocationError: "CREATE|REPLACE … LOCATION < string >",
}


def position_in_create(error: DeltaSqlError, statement: CreateTable, context: Context) -> Caret:
    """The clause or column that `error` is about, else the name of the table."""
    extent = _column(error, statement) or _clause(error, context.sql) or (statement.table.start, statement.table.end)
    return context.caret(*extent)


def _column(error: DeltaSqlError, statement: CreateTable) -> tuple[int, int] | None:
    if isinstance(error, PartitionColumnNotFoundError):
        named = [column for column in statement.partitioned_by if column.name.lower() == error.column.lower()]
        return (named[0].start, named[0].end) if named else None
    return _second(error.columns, statement) if isinstance(error, DuplicateColumnsError) else None


def _second(columns: Iterable[str], statement: CreateTable) -> tuple[int, int] | None:
    """The second place where one of some columns is declared."""
    names = {name.lower() for name in columns}
    declared = [(item.name, item.start, item.end) for item in statement.columns or ()]
    declared += [(item.name, item.start, item.end) for item in statement.partitioned_by]
    extents = [(start, end) for name, start, end in declared if name.lower() in names]
    return extents[1] if len(extents) > 1 else None


def _clause(error: DeltaSqlError, sql: str) -> tuple[int, int] | None:
    pattern = _CLAUSES.get(type(error))
    return find(pattern, outline(sql)) if pattern and sql else None
