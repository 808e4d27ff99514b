"""The statements that may be run again after a lost race with another writer.

Nothing of the first run was committed, so the second is equivalent; but a user may have seen the values of clock or
random functions of the first run.
"""

from __future__ import annotations

from deltasql.plan.texts import evaluated_texts
from deltasql.planner.changes import LayoutChange, Plan, RowChange, TableChange
from deltasql.sql.references import is_deterministic


def may_repeat(change: Plan, statements: str) -> bool:
    """Whether a change may be planned and run again; `statements` are DETERMINISTIC ones, ALL or NONE."""
    match change:
        case TableChange() | RowChange() | LayoutChange() if change.commit.operation.may_repeat:
            if not isinstance(change, RowChange) or statements != "DETERMINISTIC":
                return statements != "NONE"
            return all(map(is_deterministic, evaluated_texts(change.operator)))
    return False
