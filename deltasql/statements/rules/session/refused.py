"""Statements that are parsed and refused, if their table exists."""

from __future__ import annotations

from deltasql.base.errors.base import Caret
from deltasql.base.errors.sources import SourceOperationError
from deltasql.base.errors.statements.refused import HiveStatementError, TruncatePartitionError
from deltasql.catalog.definitions import TableSource
from deltasql.planner.changes import Answer, Plan
from deltasql.planner.context import Context, plan
from deltasql.statements.nodes.refused import Refused

_REPAIRS = frozenset({"MSCK REPAIR TABLE", "ALTER TABLE RECOVER PARTITIONS"})
_FOLDERS = "Its partitions are the folders below its location, as they are when it is read. Write or remove files."
_STORED = "Drop it, which leaves the files of an external table, and create it with other clauses."


@plan.register
def _(statement: Refused, context: Context) -> Plan:
    """Raises HiveStatementError, TruncatePartitionError; first what is wrong with the table's name."""
    caret = context.caret(statement.table.start, statement.table.end)
    foreign = context.foreign(statement.table)
    if foreign is not None and foreign.source is not None:
        return _of_files(statement, foreign.source, caret)
    context.location(statement.table)
    if statement.operation == "TRUNCATE TABLE PARTITION":
        raise TruncatePartitionError(str(statement.table), statement.advice).at(caret)
    raise HiveStatementError(statement.operation, str(statement.table), statement.advice).at(caret)


def _of_files(statement: Refused, source: TableSource, caret: Caret) -> Answer:
    """A table of another format: there is nothing to repair, since folders are listed when it is read."""
    if statement.operation in _REPAIRS:
        return Answer()
    advice = _FOLDERS if "PARTITION" in statement.operation else _STORED
    raise SourceOperationError(statement.operation, str(statement.table), source.format, advice).at(caret)
