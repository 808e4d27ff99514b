"""Row filters and column masks as a statement declares them: their functions and columns are checked, and recorded.

Owners, row filters and column masks in DESCRIBE and SHOW CREATE TABLE.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from deltasql.base.errors.base import DeltaSqlError, counted
from deltasql.base.errors.statements.governance import PolicyColumnError, PolicyFunctionError
from deltasql.catalog.entries import sql_name
from deltasql.catalog.governance import UNGOVERNED, Argument, Governance, Policy, arguments_text
from deltasql.plan.base import TableName, quote
from deltasql.planner.context import Context
from deltasql.schema.paths import resolve
from deltasql.schema.types import StructField, StructType
from deltasql.sql.stored_expressions import FunctionText, function_text
from deltasql.statements.nodes.governance import ColumnMask, PolicyArgument, RowFilterClause, SecurableName
from deltasql.statements.subjects import POLICY, is_recorded, note_recorded, subject_of


@dataclass(frozen=True, slots=True)
class _Declared:
    """A row filter or a mask and its table, for messages. `given` counts the arguments before the written ones."""

    policy: str
    table: str
    given: int


def filter_policy(row_filter: RowFilterClause, schema: StructType, table: str, context: Context) -> Policy:
    """The row filter of a table. Raises ColumnNotFoundError, SecurableNotFoundError, PolicyFunctionError."""
    declared = _Declared("row filter", table, 0)
    policy, text = _policy(row_filter, schema, declared, context)
    if text.returns is not None and text.returns.upper() != "BOOLEAN":
        reason = f"it returns {text.returns.upper()}"
        raise _refused(row_filter, declared, reason, "A row filter returns BOOLEAN.", context)
    return policy


def mask_policy(mask: ColumnMask, field: StructField, schema: StructType, table: str, context: Context) -> Policy:
    """The mask of a column. Raises what `filter_policy` raises."""
    return _policy(mask, schema, _Declared(f"mask of {quote(field.name)}", table, 1), context)[0]


def _policy(
    written: RowFilterClause | ColumnMask, schema: StructType, declared: _Declared, context: Context
) -> tuple[Policy, FunctionText]:
    name = written.function
    subject, _ = subject_of(SecurableName("FUNCTION", name, name.start, name.end), context)
    catalog, schema_name, function = subject.parts
    entry = context.catalog.function(subject.parts)
    assert entry is not None
    text = function_text(entry.definition.text)
    arguments = tuple(_argument(item, schema, declared, context) for item in written.arguments)
    count = len(arguments) + declared.given
    least = sum(parameter.default is None for parameter in text.parameters)
    if text.is_table:
        raise _refused(written, declared, "it returns a table", "Write RETURNS BOOLEAN or a type.", context)
    if text.language not in {None, "SQL"}:
        advice = f"Call it in a function of SQL: CREATE FUNCTION … RETURN {name}(…)."
        raise _refused(written, declared, f"it is a function of {str(text.language).capitalize()}", advice, context)
    if not least <= count <= len(text.parameters):
        columns = "ON (…)" if declared.given == 0 else "USING COLUMNS (…)"
        reason = f"it has {counted(len(text.parameters), 'parameters')}, and gets {counted(count, 'arguments')}"
        raise _refused(written, declared, reason, f"Name a column for each parameter in {columns}.", context)
    return Policy((catalog, schema_name, function), arguments), text


def _argument(item: PolicyArgument, schema: StructType, declared: _Declared, context: Context) -> Argument:
    if not item.is_column:
        return Argument(item.text, is_column=False)
    try:
        return Argument(resolve(schema, (item.text,), where=declared.table).field.name, is_column=True)
    except DeltaSqlError as error:
        raise error.at(context.caret(item.start, item.end)) from None


def _refused(
    written: RowFilterClause | ColumnMask, declared: _Declared, reason: str, advice: str, context: Context
) -> DeltaSqlError:
    name = written.function
    error = PolicyFunctionError(str(name), declared.policy, declared.table, reason, advice)
    return error.at(context.caret(name.start, name.end))


def declared_policies(
    row_filter: RowFilterClause | None,
    masks: Sequence[tuple[str, ColumnMask]],
    schema: StructType,
    table: TableName,
    context: Context,
) -> Governance:
    """The records for the clauses of CREATE TABLE; `masks` are by column. None of them, if clauses are ignored."""
    found, name = UNGOVERNED, str(table)
    if row_filter is not None and is_recorded("ROW FILTER", context.caret(row_filter.start, row_filter.end), context):
        found = replace(found, row_filter=filter_policy(row_filter, schema, name, context))
        note_recorded("ROW FILTER", POLICY)
    for column, mask in masks:
        if is_recorded("MASK", context.caret(mask.start, mask.end), context):
            field = resolve(schema, (column,), where=name).field
            found = found.masked(field.name, mask_policy(mask, field, schema, name, context))
            note_recorded("MASK", POLICY)
    return found


def refuse_policy_change(path: Sequence[str], change: str, table: TableName, location: str, context: Context) -> None:
    """Raises PolicyColumnError for a column that a row filter or a mask uses, or that is masked, whichever name of the
    table at this location has it.

    `change` is a participle: dropped, renamed, retyped.
    """
    for used in _used(location, context):
        if used.column.lower() == path[0].lower():
            raise used.refused(table, change)


def refuse_lost_columns(schema: StructType, table: TableName, location: str, context: Context) -> None:
    """Raises PolicyColumnError where a replaced table lacks a column that its row filter or a mask uses."""
    for used in _used(location, context):
        if schema.find(used.column) is None:
            raise used.refused(table, "left out")


@dataclass(frozen=True, slots=True)
class _Used:
    """A column of a policy, with the policy, and the statement that drops that."""

    column: str
    policy: str
    drop: str

    def refused(self, table: TableName, change: str) -> PolicyColumnError:
        return PolicyColumnError(quote(self.column), str(table), change, self.policy, self.drop)


def _used(location: str, context: Context) -> Iterator[_Used]:
    """The columns that policies on the names of a table use."""
    for entry in context.catalog.governed_at(location):
        governance, name = entry.governance, sql_name(entry.parts)
        if governance.row_filter is not None:
            policy = f"the row filter {sql_name(governance.row_filter.function)}"
            for column in governance.row_filter.columns:
                yield _Used(column, policy, f"ALTER TABLE {name} DROP ROW FILTER")
        for masked, mask in governance.masks.items():
            policy, drop = f"the mask {sql_name(mask.function)}", f"ALTER COLUMN {quote(masked)} DROP MASK"
            for column in (masked, *mask.columns):
                yield _Used(column, policy, f"ALTER TABLE {name} {drop}")


def filter_clause(governance: Governance) -> Iterator[str]:
    """The clause of CREATE TABLE for the row filter, if there is one."""
    policy = governance.row_filter
    if policy is not None:
        yield f"WITH ROW FILTER {_function(policy)} ON ({arguments_text(policy)})"


def mask_clause(governance: Governance, column: str) -> str:
    """The clause of a column for its mask, with a blank before it; "" without one."""
    policy = next((mask for name, mask in governance.masks.items() if name.lower() == column.lower()), None)
    if policy is None:
        return ""
    using = f" USING COLUMNS ({arguments_text(policy)})" if policy.arguments else ""
    return f" MASK {_function(policy)}{using}"


def policy_rows(governance: Governance) -> Iterator[tuple[str, str, str]]:
    """The rows that DESCRIBE EXTENDED has for a row filter and for masks."""
    policy = governance.row_filter
    if policy is not None:
        yield "", "", ""
        yield "# Row Filter", "", ""
        yield _function(policy), arguments_text(policy), ""
    if governance.masks:
        yield "", "", ""
        yield "# Column Masks", "", ""
        for column, mask in governance.masks.items():
            yield column, _function(mask), arguments_text(mask)


def owner_rows(governance: Governance) -> Iterator[tuple[str, str, str]]:
    """The row of the owner, if one is recorded."""
    if governance.owner is not None:
        yield "Owner", governance.owner, ""


def _function(policy: Policy) -> str:
    return sql_name(policy.function)
