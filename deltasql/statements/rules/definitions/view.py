"""Views: stored as text with its context at creation. Their tables are read at the version current at the query."""

from __future__ import annotations

from collections.abc import Iterator

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.errors.statements.refused import WrongObjectError
from deltasql.base.errors.statements.view import (
    AlteredViewNotFoundError,
    AlterTemporaryViewError,
    AlterViewOfTableError,
    RecursiveViewError,
    TemporaryViewNameError,
    ViewAlreadyExistsError,
    ViewNotFoundError,
)
from deltasql.catalog.entries import ViewEntry
from deltasql.plan.base import SqlText, TableName, quote
from deltasql.planner.catalog_changes import Creation, RenameChange, View, ViewChange, ViewRemoval
from deltasql.planner.changes import Plan, SparkCommand
from deltasql.planner.context import GLOBAL, Context, plan
from deltasql.sql.queries.relations import table_references
from deltasql.statements.column_definitions import query_columns, view_schema
from deltasql.statements.nodes.view import (
    AlterView,
    CreateView,
    DropView,
    RenameView,
    SetViewMode,
    SetViewProperties,
    UnsetViewProperties,
    ViewColumn,
    ViewScope,
)
from deltasql.statements.rules.definitions import catalog_view


@plan.register
def _(statement: CreateView, context: Context) -> Plan:
    """Creates a view of this session, of all sessions of the process, or of the catalog.

    Its query is analysed at once, so that an invalid one is refused.
    """
    try:
        if statement.scope is ViewScope.PERMANENT:
            return catalog_view.created(statement, context)
        return _created(statement, context)
    except DeltaSqlError as error:
        raise error.at(context.caret(statement.view.start, statement.view.end)) from None


def _created(statement: CreateView, context: Context) -> ViewChange:
    name = statement.view
    if len(name.parts) > 1 or name.temporal is not None:
        raise TemporaryViewNameError(view=str(name), advice=f"CREATE TEMPORARY VIEW {quote(name.parts[-1])}")
    if statement.mode is not None:
        raise AlterTemporaryViewError(view=str(name), clause="WITH SCHEMA")
    key = name.parts[0].lower()
    key = f"{GLOBAL}.{key}" if statement.scope is ViewScope.GLOBAL else key
    if not statement.or_replace and (key in context.views or context.analyst.knows_view(key.split("."))):
        raise ViewAlreadyExistsError(view=quote(name.parts[0]))
    view = _view(key, name, statement.query, statement.columns, context)
    return ViewChange(key, view, or_replace=statement.or_replace)


def _view(key: str, name: TableName, query: SqlText, columns: tuple[ViewColumn, ...], context: Context) -> View:
    """The view of a query. Raises the errors of the query and its columns, and RecursiveViewError."""
    named = frozenset(_named(query.text, context))
    _refuse_cycle(key, named, context)
    schema = query_columns(query, context)
    catalog = context.catalog
    creation = Creation(
        (catalog.current_catalog, catalog.current_schema),
        named,
        context.meaning,
        schema.names,
        view_schema(name, schema, columns),
    )
    return View(query.text.rstrip().rstrip(";"), creation.schema.names if columns else (), None, creation)


def _named(query: str, context: Context) -> Iterator[str]:
    """The keys of the views that a query names."""
    for reference in table_references(query):
        key = context.view_key(reference.parts)
        if key is not None and reference.arguments is None:
            yield key


def _refuse_cycle(key: str, named: frozenset[str], context: Context) -> None:
    """Raises RecursiveViewError where one of the views `named` reads the view that is to come."""
    paths: list[tuple[str, ...]] = [(key, other) for other in sorted(named)]
    seen = set[str]()
    while paths:
        path = paths.pop()
        if path[-1] == key:
            raise RecursiveViewError(view=_shown(key), cycle=" → ".join(_shown(step) for step in path))
        view = context.views.get(path[-1])
        if path[-1] in seen or view is None or view.creation is None:
            continue
        seen.add(path[-1])
        paths += [(*path, other) for other in sorted(view.creation.views)]


def _shown(key: str) -> str:
    prefix = f"{GLOBAL}."
    return prefix + quote(key.removeprefix(prefix)) if key.startswith(prefix) else quote(key)


@plan.register
def _(statement: AlterView, context: Context) -> Plan:
    """Changes the query of an existing view."""
    name = statement.view
    try:
        existing = _existing(name, "ALTER VIEW … AS", context)
        if isinstance(existing, ViewEntry):
            return catalog_view.altered(existing, statement, context)
        view = _view(existing, name, statement.query, (), context)
    except DeltaSqlError as error:
        raise error.at(context.caret(name.start, name.end)) from None
    return ViewChange(existing, view, or_replace=True)


@plan.register
def _(statement: RenameView, context: Context) -> Plan:
    """Renames a view. References to it by the old name fail from then on."""
    name, new = statement.view, statement.new_name
    try:
        key = _existing(name, "ALTER VIEW … RENAME TO", context)
        if isinstance(key, ViewEntry):
            context.refuse_version(new)
            return RenameChange(key.parts, new.parts)
        if len(new.parts) > 1:
            raise TemporaryViewNameError(view=str(new), advice=f"ALTER VIEW {name} RENAME TO {quote(new.parts[-1])}")
        new_key = f"{GLOBAL}." * key.startswith(f"{GLOBAL}.") + new.parts[0].lower()
        if new_key in context.views or context.analyst.knows_view(new_key.split(".")):
            raise ViewAlreadyExistsError(view=quote(new.parts[0]))
    except DeltaSqlError as error:
        raise error.at(context.caret(name.start, name.end)) from None
    view = context.views.get(key)
    return (
        SparkCommand(f"ALTER VIEW {name} RENAME TO {new}", {})
        if view is None
        else ViewChange(new_key, view, renamed=key)
    )


@plan.register
def _(statement: SetViewProperties, context: Context) -> Plan:
    """Sets properties, which have no effect on the view."""
    entry = _lasting(statement.view, "ALTER VIEW … SET TBLPROPERTIES", context)
    return catalog_view.with_properties(entry, dict(statement.properties), ())


@plan.register
def _(statement: UnsetViewProperties, context: Context) -> Plan:
    """A key that is not set is ignored, as in Spark."""
    entry = _lasting(statement.view, "ALTER VIEW … UNSET TBLPROPERTIES", context)
    return catalog_view.with_properties(entry, {}, statement.keys)


@plan.register
def _(statement: SetViewMode, context: Context) -> Plan:
    """Sets how the view's columns follow changes of its query's columns."""
    entry = _lasting(statement.view, "ALTER VIEW … WITH SCHEMA", context)
    return catalog_view.with_mode(entry, statement.mode)


def _lasting(name: TableName, statement: str, context: Context) -> ViewEntry:
    """The catalog's view of a name. Raises what `_existing` raises, AlterTemporaryViewError."""
    try:
        existing = _existing(name, statement, context)
        if not isinstance(existing, ViewEntry):
            raise AlterTemporaryViewError(view=str(name), clause=statement)
    except DeltaSqlError as error:
        raise error.at(context.caret(name.start, name.end)) from None
    return existing


def _existing(name: TableName, statement: str, context: Context) -> str | ViewEntry:
    """An existing view: the key of a temporary one, or the catalog's entry.

    Raises AlterViewOfTableError, AlteredViewNotFoundError.
    """
    context.refuse_version(name)
    context.refuse_information(name)
    key = context.view_key(name.parts)
    if key is not None:
        return key
    if context.analyst.knows_view(name.parts):
        return ".".join(part.lower() for part in name.parts)
    entry = context.catalog_view(name.parts) if name.path is None else None
    if entry is not None:
        return entry
    if _is_table(name, context):
        kind = _table_words(name, context)
        raise AlterViewOfTableError(statement, str(name), kind, f"ALTER {kind.upper()} {name}")
    raise AlteredViewNotFoundError(view=str(name))


def _is_table(name: TableName, context: Context) -> bool:
    return name.path is not None or (len(name.parts) <= 3 and context.catalog.resolve(name.parts) is not None)


def _table_words(name: TableName, context: Context) -> str:
    """The kind of a table that is no view: one that is filled by refreshing it has its own statements."""
    entry = None if name.path is not None else context.catalog.resolve(name.parts)
    return "table" if entry is None or entry.refreshed is None else entry.refreshed.kind.value.lower()


@plan.register
def _(statement: DropView, context: Context) -> Plan:
    """Drops a view, also one that only Spark knows. A table is an error even with IF EXISTS."""
    name = statement.view
    try:
        context.refuse_version(name)
        context.refuse_information(name)
        key = context.view_key(name.parts)
        if key is not None:
            return ViewChange(key, None, if_exists=statement.if_exists)
        if context.analyst.knows_view(name.parts):
            return SparkCommand(f"DROP VIEW {name}", {})
        if name.path is None and context.catalog_view(name.parts) is not None:
            return ViewRemoval(context.catalog.full_name(name.parts), statement.if_exists)
        if _is_table(name, context):
            kind = _table_words(name, context)
            raise WrongObjectError("DROP VIEW", "view", str(name), kind, f"DROP {kind.upper()} {name}")
        if not statement.if_exists:
            raise ViewNotFoundError(view=str(name))
    except DeltaSqlError as error:
        raise error.at(context.caret(name.start, name.end)) from None
    return ViewChange(".".join(part.lower() for part in name.parts), None, if_exists=True)
