"""The rows of a table as its row filter and masks show them."""

from __future__ import annotations

from collections.abc import Callable

from deltasql.catalog.governance import Policies
from deltasql.errors.statements.governance import PolicyTableError
from deltasql.plan.base import TableName
from deltasql.plan.hidden import hidden_view
from deltasql.plan.operators import METADATA, Operator, Scan, SqlQuery
from deltasql.planner.context import Context
from deltasql.planner.governance.enforcing import filtered_query


def shown_rows(
    context: Context,
    rows: Scan,
    policies: Policies,
    name: TableName,
    bind_calls: Callable[[str], tuple[str, dict[str, Operator]]],
    *,
    described: bool,
) -> SqlQuery:
    """The rows that the filter lets through, with masked values. `bind_calls` binds the functions of a text.

    The conditions of the query choose no files: those on a masked column are about other values than the files have.
    Raises PolicyTableError for an old version, and for `_metadata`, and LostPolicyColumnError.
    """
    if name.temporal is not None:
        raise PolicyTableError("Time travel", str(name))
    if described and rows.schema.find(METADATA) is None:
        raise PolicyTableError(f"The column {METADATA}", str(name))
    relation = hidden_view()
    sql, functions = bind_calls(filtered_query(relation, rows.schema, policies, str(name), context))
    return SqlQuery(sql, {relation: rows, **functions}, f"shown rows of {name}")
