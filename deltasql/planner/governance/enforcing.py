"""Row filters and column masks that the session applies: which a table has, and their texts in SQL."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from deltasql.catalog.entries import sql_name
from deltasql.catalog.governance import Governance, Policy
from deltasql.errors.statements.governance import PolicyTableError, SecurableNotFoundError
from deltasql.log.replay.snapshot import Snapshot
from deltasql.plan.base import SqlText, TableName, quote
from deltasql.planner.context import Context
from deltasql.schema.text import sql_text
from deltasql.schema.types import StructType
from deltasql.settings.session_settings import GOVERNANCE_FILTERS
from deltasql.sql.tokens import tokenize


def enforced(location: str, context: Context) -> Governance | None:
    """The row filter and masks that apply to the rows at a location; None if there are none, or they do not apply.

    A path, and another name of the location, do not lead around them.
    """
    if not context.setting(GOVERNANCE_FILTERS):
        return None
    return context.catalog.policies_at(location)


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


def refuse_masked(texts: Iterable[SqlText | None], governance: Governance, table: str, context: Context) -> None:
    """Raises PolicyTableError for an expression of UPDATE, DELETE or MERGE over a masked column: it would see the value
    behind the mask."""
    masked = {column.lower() for column in governance.masks}
    for text in texts:
        for token in tokenize(text.text) if text is not None else ():
            if token.is_name and token.name.lower() in masked:
                assert text is not None
                advice = "Drop the mask, or SET deltasql.governance.filters = false."
                error = PolicyTableError(f"An expression over the masked column {quote(token.name)}", table, advice)
                raise error.at(context.caret(text.start + token.start, text.start + token.end))


def filtered_query(relation: str, schema: StructType, governance: Governance, context: Context) -> str:
    """The query over a relation that shows only rows that the filter lets through, with masked values."""
    masks = {column.lower(): policy for column, policy in governance.masks.items()}
    items = []
    for field in schema:
        column, mask = quote(field.name), masks.get(field.name.lower())
        if mask is not None:
            call = _call(mask, [column], "", context)
            items.append(f"CAST({call} AS {sql_text(field.type)}) AS {column}")
        else:
            items.append(column)
    condition = filter_condition(governance, "", context)
    return f"SELECT {', '.join(items)} FROM {relation}" + (f" WHERE {condition}" if condition else "")


def filter_condition(governance: Governance, qualifier: str, context: Context) -> str | None:
    """The condition of the row filter over columns with this qualifier; None without a filter."""
    policy = governance.row_filter
    return None if policy is None else _call(policy, [], qualifier, context)


def _call(policy: Policy, first: Sequence[str], qualifier: str, context: Context) -> str:
    """Raises SecurableNotFoundError for a function that was dropped."""
    if context.catalog.function(policy.function) is None:
        advice = "A row filter or a mask calls it: create it again, or run ALTER TABLE … DROP ROW FILTER, or DROP MASK."
        raise SecurableNotFoundError(f"FUNCTION {sql_name(policy.function)}", advice)
    name = ".".join(map(quote, policy.function))
    arguments = [f"{qualifier}{quote(item.text)}" if item.is_column else item.text for item in policy.arguments]
    return f"{name}({', '.join([*first, *arguments])})"
