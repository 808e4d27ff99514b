"""UPDATE, DELETE and MERGE of a table whose row filter the session applies: other rows are not touched."""

from __future__ import annotations

from collections.abc import Iterable

from deltasql.plan.base import SqlText, TableName, quote
from deltasql.planner import binding
from deltasql.planner.context import Context
from deltasql.planner.governance.enforcing import enforced, filter_condition, refuse_masked
from deltasql.planner.rows.scope import Scope


def visible_rows(
    scope: Scope, location: str, name: TableName, texts: Iterable[SqlText | None], context: Context
) -> str | None:
    """The condition for the rows of the target that the statement may touch; None for all.

    Its functions are added to the relations of the scope. `texts` are the expressions of the statement. Raises
    PolicyTableError for one over a masked column.
    """
    governance = enforced(location, context)
    if governance is None:
        return None
    refuse_masked(texts, governance, str(name), context)
    condition = filter_condition(governance, f"{quote(scope.target.alias)}.", context)
    if condition is None:
        return None
    sql, relations = binding.bind_calls(context, condition)
    scope.relations.update(relations)
    return sql


def restricted(condition: str | None, visible: str | None) -> str | None:
    """Both conditions, of which each may be None."""
    if condition is None or visible is None:
        return condition or visible
    return f"({condition}) AND {visible}"
