"""Views of the catalog: their creation and their redefinition."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from deltasql.base.errors.statements.view import (
    AlteredViewNotFoundError,
    CatalogNameTakenError,
    RecursiveViewError,
    UnnamedViewColumnError,
    ViewInPlaceError,
)
from deltasql.catalog.definitions import SchemaMode, ViewDefinition
from deltasql.catalog.entries import Entry, TableEntry, ViewEntry, sql_name
from deltasql.plan.base import SqlText, TableName
from deltasql.planner import binding
from deltasql.planner.catalog_changes import ViewDefining
from deltasql.planner.changes import Answer, Plan
from deltasql.planner.context import Context
from deltasql.planner.tables.persisted_sql import (
    refuse_parameters,
    refuse_temporary,
    refuse_variables,
    settings_of_text,
)
from deltasql.schema.edits import set_comment
from deltasql.schema.types import StructType
from deltasql.sql.constants import unquote
from deltasql.sql.queries.relations import table_references
from deltasql.sql.tokens import Token, tokenize
from deltasql.statements.column_definitions import query_columns, view_schema
from deltasql.statements.nodes.view import AlterView, CreateView, ViewColumn


def created(statement: CreateView, context: Context) -> Plan:
    """CREATE VIEW that is not temporary. Raises what is wrong with its name, its query and its columns."""
    name = statement.view
    context.refuse_version(name)
    context.refuse_information(name)
    parts = context.catalog.full_name(name.parts)
    entry = context.catalog.find(parts)
    if entry is None:
        context.catalog.schema(parts[:2])
    elif statement.if_not_exists:
        return Answer()
    else:
        _refuse_taken(entry, name, or_replace=statement.or_replace)
    definition = view_definition(parts, name, statement.query, statement.columns, context)
    mode = SchemaMode.COMPENSATION if statement.mode is None else SchemaMode(statement.mode)
    definition = replace(definition, mode=mode, comment=statement.comment, properties=dict(statement.properties))

    def define(existing: Entry | None) -> ViewDefinition:
        if existing is not None:
            _refuse_taken(existing, name, or_replace=statement.or_replace)
        return definition

    return ViewDefining(parts, define, if_not_exists=statement.if_not_exists)


def _refuse_taken(existing: Entry, name: TableName, *, or_replace: bool) -> None:
    """Raises CatalogNameTakenError, ViewInPlaceError."""
    if not or_replace:
        raise CatalogNameTakenError(view=str(name), kind="view" if isinstance(existing, ViewEntry) else "table")
    if isinstance(existing, TableEntry):
        raise ViewInPlaceError(table=str(name))


def altered(entry: ViewEntry, statement: AlterView, context: Context) -> ViewDefining:
    """ALTER VIEW … AS: another query, whose columns have the names that it gives them."""
    new = view_definition(entry.parts, statement.view, statement.query, (), context)

    def change(old: ViewDefinition) -> ViewDefinition:
        return replace(new, mode=old.mode, comment=old.comment, properties=old.properties)

    return _changing(entry, change)


def with_properties(entry: ViewEntry, added: Mapping[str, str], removed: Sequence[str]) -> ViewDefining:
    """Properties that are set, and those that go."""
    return with_changed(entry, lambda old: {**{key: old[key] for key in old if key not in removed}, **added})


def with_changed(entry: ViewEntry, change: Callable[[Mapping[str, str]], Mapping[str, str]]) -> ViewDefining:
    """The properties that `change` makes of those that the view has then."""
    return _changing(entry, lambda old: replace(old, properties=dict(change(old.properties))))


def with_mode(entry: ViewEntry, mode: str) -> ViewDefining:
    """Another way with columns that have changed."""
    return _changing(entry, lambda old: replace(old, mode=SchemaMode(mode)))


def with_comment(entry: ViewEntry, comment: str | None) -> ViewDefining:
    """Another comment, or none."""
    return _changing(entry, lambda old: replace(old, comment=comment))


def with_column_comment(entry: ViewEntry, column: tuple[str, ...], comment: str | None) -> ViewDefining:
    """Another comment of a column, or none. Raises what says that there is no such column."""
    where = sql_name(entry.parts)

    def change(old: ViewDefinition) -> ViewDefinition:
        return replace(old, schema=set_comment(old.schema, column, comment, where=where))

    change(entry.definition)
    return _changing(entry, change)


def _changing(entry: ViewEntry, change: Callable[[ViewDefinition], ViewDefinition]) -> ViewDefining:
    def define(existing: Entry | None) -> ViewDefinition:
        if not isinstance(existing, ViewEntry):
            raise AlteredViewNotFoundError(view=sql_name(entry.parts))
        return change(existing.definition)

    return ViewDefining(entry.parts, define)


def view_definition(
    parts: tuple[str, str, str], name: TableName, query: SqlText, columns: tuple[ViewColumn, ...], context: Context
) -> ViewDefinition:
    """The definition of a view by its query, which is analysed."""
    refuse_parameters(str(name), query, context)
    refuse_temporary(str(name), query, context)
    _refuse_cycle(parts, query, context)
    schema = query_columns(query, context)
    refuse_variables(str(name), query, binding.query(context, query), context)
    if not columns:
        _refuse_unnamed(name, query.text, schema)
    catalog = context.catalog
    return ViewDefinition(
        query.text.rstrip().rstrip(";").rstrip(),
        (catalog.current_catalog, catalog.current_schema),
        settings_of_text(context),
        schema.names,
        view_schema(name, schema, columns),
        has_names=bool(columns),
    )


_NAME = re.compile(r"[^\W\d]\w*")


def _refuse_unnamed(name: TableName, query: str, schema: StructType) -> None:
    """Raises UnnamedViewColumnError for a column whose name is the text of its expression.

    A constant by itself has a name in Spark: CREATE VIEW v AS SELECT 1.
    """
    tokens = tokenize(query)
    written = {token.name.lower() for token in tokens if token.is_name} | _constants(tokens)
    stars = any(token.key == "*" for token in tokens)
    for column in schema.names:
        # What a star brings has the name that it has in its table.
        if _NAME.fullmatch(column) is None and column.lower() not in written and not stars:
            raise UnnamedViewColumnError(view=str(name), expression=column)


def _constants(tokens: Sequence[Token]) -> set[str]:
    """How numbers and texts are called as columns."""
    numbers = {token.text.lower().rstrip("lsydfb") for token in tokens if token.kind == "number"}
    return {*numbers, *(f"-{number}" for number in numbers)} | {
        unquote(token.text).lower() for token in tokens if token.kind == "string"
    }


def _refuse_cycle(parts: tuple[str, str, str], query: SqlText, context: Context) -> None:
    """Raises RecursiveViewError where the query reads the view that is to have it, itself or by other views."""
    paths = [(parts, other) for other in _read_by(query.text, context)]
    seen = set[tuple[str, str, str]]()
    while paths:
        path = paths.pop()
        last = path[-1]
        if last == parts:
            raise RecursiveViewError(view=sql_name(parts), cycle=" → ".join(map(sql_name, path)))
        entry = context.catalog.view(last)
        if last in seen or entry is None:
            continue
        seen.add(last)
        catalog = context.catalog.within(*entry.definition.namespace)
        inner = replace(context, catalog=catalog, views=context.views.called(()))
        paths += [(*path, other) for other in _read_by(entry.definition.query, inner)]  # type: ignore[misc]


def _read_by(query: str, context: Context) -> Iterator[tuple[str, str, str]]:
    """The full names of what a query reads of the catalog."""
    for reference in table_references(query):
        if reference.arguments is None and len(reference.parts) <= 3:
            yield context.catalog.full_name(reference.parts)
