"""ROW FILTER and MASK in ALTER TABLE."""

from __future__ import annotations

from dataclasses import replace

from deltasql.base.errors.base import Caret, DeltaSqlError
from deltasql.planner.catalog_changes import GovernanceChange
from deltasql.planner.changes import Plan
from deltasql.planner.context import Context, plan
from deltasql.schema.paths import resolve
from deltasql.statements.nodes.governance import ColumnMask, RowFilterClause, SetMask, SetRowFilter
from deltasql.statements.policies import filter_policy, mask_policy
from deltasql.statements.subjects import POLICY, governed, note_recorded, table_subject


@plan.register
def _(statement: SetRowFilter, context: Context) -> Plan:
    """Records the row filter of a table, or removes it; DROP of none is no error."""
    operation = f"ALTER TABLE … {'DROP' if statement.row_filter is None else 'SET'} ROW FILTER"

    def record() -> Plan:
        table, written = statement.table, statement.row_filter
        subject = table_subject(table, context)
        snapshot = context.snapshot(table)
        policy = None if written is None else filter_policy(written, snapshot.schema, str(table), context)
        note_recorded(operation, POLICY)
        return GovernanceChange(subject, lambda found: replace(found, row_filter=policy))

    return governed(operation, _caret(statement.row_filter, statement.table.end, context), context, record)


@plan.register
def _(statement: SetMask, context: Context) -> Plan:
    """Records the mask of a column, or removes it; DROP of none is no error. Nested fields have no masks."""
    operation = f"ALTER TABLE … ALTER COLUMN … {'DROP' if statement.mask is None else 'SET'} MASK"

    def record() -> Plan:
        table, column = statement.table, statement.column
        subject = table_subject(table, context)
        snapshot = context.snapshot(table)
        try:
            field = resolve(snapshot.schema, column.parts[:1], where=str(table)).field
            if len(column.parts) > 1:
                resolve(snapshot.schema, (".".join(column.parts),), where=str(table))
        except DeltaSqlError as error:
            raise error.at(context.caret(column.start, column.end)) from None
        mask = statement.mask
        policy = None if mask is None else mask_policy(mask, field, snapshot.schema, str(table), context)
        note_recorded(operation, POLICY)
        return GovernanceChange(subject, lambda found: found.masked(field.name, policy))

    return governed(operation, _caret(statement.mask, statement.column.end, context), context, record)


def _caret(policy: RowFilterClause | ColumnMask | None, name_end: int, context: Context) -> Caret:
    """The place of a policy, or of the DROP of one, which is all behind the name."""
    if policy is not None:
        return context.caret(policy.start, policy.end)
    return context.caret(name_end + 1, len(context.sql.rstrip("; \n")))
