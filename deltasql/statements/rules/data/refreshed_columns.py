"""The columns and expectations that CREATE MATERIALIZED VIEW and CREATE STREAMING TABLE declare."""

from __future__ import annotations

from collections.abc import Iterator

from deltasql.base.errors.base import DeltaSqlError
from deltasql.catalog.definitions import RefreshDefinition, StoredExpectation
from deltasql.plan.base import quote
from deltasql.plan.operators import SqlQuery
from deltasql.plan.way import make_note
from deltasql.planner.context import Context
from deltasql.planner.values.alignment import Alignment, StructRule, store_casts
from deltasql.schema.types import StructType
from deltasql.statements.nodes.refresh import CreateRefreshed
from deltasql.statements.nodes.table import CheckConstraint
from deltasql.statements.rules.data.refreshing import QUERY, expected
from deltasql.statements.rules.definitions.constraints import declared_constraints, inside


def checked_expectations(
    statement: CreateRefreshed, schema: StructType, context: Context
) -> tuple[StoredExpectation, ...]:
    """The expectations of a statement, whose conditions are about the columns `schema` of its query.

    Raises what `declared_constraints` raises.
    """
    written = statement.expectations
    if not written:
        return ()
    others = [CheckConstraint(item.name, item.condition) for item in written if item.action != "FAIL UPDATE"]
    declared_constraints((*statement.create.constraints, *others), schema, str(statement.create.table), context)
    for item in written:
        if item.action is None:
            make_note(f"EXPECT {quote(item.name)}: rows that violate it stay, and are not counted.", is_warning=False)
    return tuple(StoredExpectation(item.name, inside(item.condition).text, item.action) for item in written)


def stored_rows(
    statement: CreateRefreshed, definition: RefreshDefinition, query: SqlQuery, context: Context
) -> SqlQuery:
    """The rows of a query that no expectation drops, in the types that the statement declares.

    Raises what is wrong with a value as INSERT does.
    """
    if statement.create.columns is None and not definition.kept:
        return query
    values = ", ".join(_values(statement, definition.view.schema, context)) or "*"
    return SqlQuery(f"SELECT {values} FROM {QUERY}{expected(definition)}", {QUERY: query}, "the rows of the query")


def _values(statement: CreateRefreshed, given: StructType, context: Context) -> Iterator[str]:
    align = Alignment(StructRule.BY_NAME_OR_POSITION, str(statement.create.table), store_casts(context))
    for column, field in zip(statement.create.columns or (), given, strict=False):
        name = quote(column.name)
        try:
            value = align.value(name, field.type, column.type, column.name)
        except DeltaSqlError as error:
            raise error.at(context.caret(column.start, column.end)) from None
        yield f"{value} AS {name}"
