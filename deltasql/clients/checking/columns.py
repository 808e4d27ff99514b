"""The columns of queries, which the planner leaves to an engine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from deltasql.base.errors.base import Caret, DeltaSqlError
from deltasql.base.errors.schema import UnresolvedColumnError
from deltasql.base.errors.suggestion import meant, similar_names
from deltasql.catalog.definitions import Refreshed
from deltasql.clients.checking.planning import PlanningSession
from deltasql.plan.base import ColumnPath, LogicalPlan, SqlText, TableName, quote
from deltasql.schema.types import StructType
from deltasql.session.reflection import described
from deltasql.sql.queries.relations import TableReference
from deltasql.sql.queries.unknown_columns import unknown_columns
from deltasql.statements.nodes.constraints import AddConstraint
from deltasql.statements.nodes.delete import Delete
from deltasql.statements.nodes.insert import Insert
from deltasql.statements.nodes.merge import InsertAction, Merge, MergeClause, UpdateAction
from deltasql.statements.nodes.query import Query
from deltasql.statements.nodes.refresh import CreateRefreshed
from deltasql.statements.nodes.table import CreateTable
from deltasql.statements.nodes.update import Update
from deltasql.statements.nodes.view import CreateView


def check_columns(node: LogicalPlan, sql: str, session: PlanningSession) -> None:
    """Raises UnresolvedColumnError for a column of the statement's query or conditions that none of its tables has."""
    for text, outer in _texts(node, sql, session):
        for name, columns in unknown_columns(text.text, lambda reference: _columns(reference, session), outer):
            close = similar_names(name.parts[-1], columns, most=3)
            advice = meant(map(quote, close)) if close else f"The tables have {', '.join(columns)}."
            caret = Caret(sql, text.start + name.start, text.start + name.end)
            raise UnresolvedColumnError(column=".".join(map(quote, name.parts)), advice=advice).at(caret)


def _texts(node: LogicalPlan, sql: str, session: PlanningSession) -> Iterator[tuple[SqlText, dict[str, StructType]]]:
    """The queries and conditions of a statement, each with the tables around it, by their aliases."""
    match node:
        case Query(query) | CreateView(query=query) | Insert(query=query, ctes=None):
            yield query, {}
        case CreateRefreshed(kind=Refreshed.MATERIALIZED_VIEW, query=query):
            yield query, {}
        case CreateTable(query=query) if query is not None:
            yield query, {}
        case Delete(ctes=None, table=table, alias=alias, condition=condition):
            yield from _conditions(session, {_called(table, alias): table}, condition)
        case Update(ctes=None, table=table, alias=alias, condition=condition, assignments=assignments):
            values = (assignment.value for assignment in assignments)
            yield from _conditions(session, {_called(table, alias): table}, condition, *values)
        case Merge(ctes=None):
            yield from _of_merge(node, sql, session)
        case AddConstraint(table=table, condition=condition):
            yield from _conditions(session, {_called(table, None): table}, condition)
        case _:
            pass


def _of_merge(node: Merge, sql: str, session: PlanningSession) -> Iterator[tuple[SqlText, dict[str, StructType]]]:
    """The source that is a query, and the conditions and values over one that is a table; the columns that change."""
    source, target = node.source_table, {_called(node.table, node.alias): node.table}
    if source is None:
        yield node.source, {}
    else:
        tables = {**target, _called(source, node.source_alias): source}
        yield from _conditions(session, tables, node.condition, *_of_clauses(node.clauses))
    if not node.schema_evolution:
        targets = (SqlText(sql[path.start : path.end], path.start) for path in _changed(node.clauses))
        yield from _conditions(session, target, *targets)


def _of_clauses(clauses: Iterable[MergeClause]) -> Iterator[SqlText | None]:
    """The conditions and new values of the clauses of a MERGE."""
    for clause in clauses:
        yield clause.condition
        if isinstance(clause.action, UpdateAction):
            yield from (assignment.value for assignment in clause.action.assignments)
        if isinstance(clause.action, InsertAction):
            yield from clause.action.values


def _changed(clauses: Iterable[MergeClause]) -> Iterator[ColumnPath]:
    """The columns that the clauses of a MERGE set or fill."""
    for clause in clauses:
        if isinstance(clause.action, UpdateAction):
            yield from (assignment.target for assignment in clause.action.assignments)
        if isinstance(clause.action, InsertAction):
            yield from clause.action.columns


def _conditions(
    session: PlanningSession, tables: Mapping[str, TableName], *conditions: SqlText | None
) -> Iterator[tuple[SqlText, dict[str, StructType]]]:
    """Each condition with the columns of the tables; nothing where those of one are not known."""
    known = {alias: _columns_of(table.parts, session) for alias, table in tables.items()}
    columns = {alias: found for alias, found in known.items() if found is not None}
    if len(columns) == len(tables):
        yield from ((condition, columns) for condition in conditions if condition is not None)


def _called(table: TableName, alias: str | None) -> str:
    return (alias or table.parts[-1]).lower()


def _columns(reference: TableReference, session: PlanningSession) -> StructType | None:
    if reference.arguments is not None or reference.temporal is not None:
        return None
    return _columns_of(reference.parts, session)


def _columns_of(parts: tuple[str, ...], session: PlanningSession) -> StructType | None:
    """The columns of a table or a view; None where they are not known."""
    view = session.views.get(parts[0].lower()) if len(parts) == 1 else None
    if view is not None:
        return None if view.creation is None else view.creation.schema
    try:
        return described(session, parts).columns
    except DeltaSqlError:
        return None
