"""Statements that are parsed and refused, if their table exists."""

from __future__ import annotations

from deltasql.errors.statements.refused import HiveStatementError, TruncatePartitionError
from deltasql.plan.statements.refused import Refused
from deltasql.planner.changes import Plan
from deltasql.planner.context import Context
from deltasql.planner.rule import plan


@plan.register
def _(statement: Refused, context: Context) -> Plan:
    """Raises HiveStatementError, TruncatePartitionError; first what is wrong with the table's name."""
    context.location(statement.table)
    caret = context.caret(statement.table.start, statement.table.end)
    if statement.operation == "TRUNCATE TABLE PARTITION":
        raise TruncatePartitionError(str(statement.table), statement.advice).at(caret)
    raise HiveStatementError(statement.operation, str(statement.table), statement.advice).at(caret)
