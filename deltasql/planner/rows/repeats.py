"""The statements that may be run again after a lost race with another writer.

Nothing of the first run was committed, so the second is equivalent; but a user may have seen the values of clock or
random functions of the first run.
"""

from __future__ import annotations

from collections.abc import Iterator

from deltasql.plan.operators import Operator, Project, Rewrite, SqlFunction, SqlQuery, children
from deltasql.planner.changes import LayoutChange, Plan, RowChange, TableChange
from deltasql.sql.references import is_deterministic


def may_repeat(change: Plan, statements: str) -> bool:
    """Whether a change may be planned and run again; `statements` are DETERMINISTIC ones, ALL or NONE."""
    match change:
        case TableChange() | RowChange() | LayoutChange() if change.commit.operation.may_repeat:
            if not isinstance(change, RowChange) or statements != "DETERMINISTIC":
                return statements != "NONE"
            return all(map(is_deterministic, _texts(change.operator)))
    return False


def _texts(operator: Operator) -> Iterator[str]:
    """The SQL that an operator and those below it evaluate."""
    match operator:
        case SqlQuery():
            yield operator.sql
        case SqlFunction():
            yield operator.text
        case Project():
            yield from (sql for _, sql in operator.columns)
        case Rewrite():
            yield from (sql for action in operator.actions for sql in action.values)
            yield from (action.condition for action in operator.actions if action.condition is not None)
    for child in children(operator):
        yield from _texts(child)
