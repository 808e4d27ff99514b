"""Row filters and column masks that the session applies: which a table has, and their texts in SQL.

The rows of a table as its row filter and masks show them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from deltasql.base.errors.statements.governance import LostPolicyColumnError, PolicyTableError, SecurableNotFoundError
from deltasql.base.settings.session_settings import GOVERNANCE_FILTERS
from deltasql.catalog.entries import sql_name
from deltasql.catalog.governance import Policies, Policy
from deltasql.log.replay.snapshot import Snapshot
from deltasql.plan.base import TableName, hidden_view, quote
from deltasql.plan.operators import METADATA, Operator, Scan, SqlQuery
from deltasql.planner.context import Context
from deltasql.schema.text import sql_text
from deltasql.schema.types import StructType


def enforced(location: str, context: Context) -> Policies | None:
    """The row filters and masks that apply to the rows at a location; None if there are none, or they do not apply.

    A path, and another name of the location, do not lead around them.
    """
    if not context.setting(GOVERNANCE_FILTERS):
        return None
    return Policies.of(entry.governance for entry in context.catalog.governed_at(location))


def refuse_enforced(operation: str, name: TableName, location: str, context: Context) -> None:
    """Raises PolicyTableError for a statement that cannot honour the policies of a table."""
    if enforced(location, context) is not None:
        error = PolicyTableError(operation, str(name))
        raise error.at(context.caret(name.start, name.end) if name.end else None)


def unrestricted(operation: str, name: TableName, context: Context) -> Snapshot:
    """The snapshot of a table whose rows are all read. Raises PolicyTableError for one with policies that apply."""
    context.refuse_version(name)
    snapshot = context.snapshot(name)
    refuse_enforced(operation, name, snapshot.location, context)
    return snapshot


def filtered_query(relation: str, schema: StructType, policies: Policies, table: str, context: Context) -> str:
    """The query over a relation that shows only rows that the filters let through, with masked values.

    Raises LostPolicyColumnError where the table lacks a column that a filter or a mask needs.
    """
    require_columns(schema, policies, table)
    items = []
    for field in schema:
        column, masks = quote(field.name), policies.masks.get(field.name.lower(), ())
        shown = column
        for mask in masks:
            shown = f"CAST({_call(mask, [shown], '', context)} AS {sql_text(field.type)})"
        items.append(f"{shown} AS {column}" if masks else column)
    condition = filter_condition(policies, "", context)
    return f"SELECT {', '.join(items)} FROM {relation}" + (f" WHERE {condition}" if condition else "")


def require_columns(schema: StructType, policies: Policies, table: str) -> None:
    """Raises LostPolicyColumnError where a table lacks a column that one of its filters or masks needs."""
    masks = [mask for masks in policies.masks.values() for mask in masks]
    needed = [*policies.masks, *(column for policy in (*policies.filters, *masks) for column in policy.columns)]
    for column in needed:
        if schema.find(column) is None:
            raise LostPolicyColumnError(quote(column), table)


def filter_condition(policies: Policies, qualifier: str, context: Context) -> str | None:
    """The condition of the row filters over columns with this qualifier; None without a filter."""
    return " AND ".join(_call(policy, [], qualifier, context) for policy in policies.filters) or None


def _call(policy: Policy, first: Sequence[str], qualifier: str, context: Context) -> str:
    """Raises SecurableNotFoundError for a function that was dropped."""
    if context.catalog.function(policy.function) is None:
        advice = "A row filter or a mask calls it: create it again, or run ALTER TABLE … DROP ROW FILTER, or DROP MASK."
        raise SecurableNotFoundError(f"FUNCTION {sql_name(policy.function)}", advice)
    name = ".".join(map(quote, policy.function))
    arguments = [f"{qualifier}{quote(item.text)}" if item.is_column else item.text for item in policy.arguments]
    return f"{name}({', '.join([*first, *arguments])})"


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
