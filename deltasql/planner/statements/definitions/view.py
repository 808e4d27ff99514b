"""Views: kept as text, with what it meant when they were made. They see their tables as these are when read."""

from __future__ import annotations

from collections.abc import Iterator

from deltasql.errors.base import DeltaSqlError
from deltasql.errors.statements.refused import WrongObjectError
from deltasql.errors.statements.view import (
    AlteredViewNotFoundError,
    AlterTemporaryViewError,
    DuplicateViewColumnError,
    PermanentViewError,
    RecursiveViewError,
    TemporaryViewNameError,
    ViewAlreadyExistsError,
    ViewArityError,
    ViewNotFoundError,
)
from deltasql.plan.base import SqlText, TableName, quote
from deltasql.plan.statements.view import (
    AlterView,
    AlterViewOptions,
    CreateView,
    DropView,
    RenameView,
    ViewColumn,
    ViewScope,
)
from deltasql.planner import binding
from deltasql.planner.catalog_changes import Creation, View, ViewChange
from deltasql.planner.changes import Plan, SparkCommand
from deltasql.planner.context import GLOBAL, Context
from deltasql.planner.rule import plan
from deltasql.schema.types import StructField, StructType
from deltasql.settings.session_settings import TIME_ZONE
from deltasql.sql.query_columns import known_columns
from deltasql.sql.relations import table_references


@plan.register
def _(statement: CreateView, context: Context) -> Plan:
    """A view of this session, or of all sessions. Its query is analysed at once, so that nonsense is refused."""
    try:
        return _created(statement, context)
    except DeltaSqlError as error:
        raise error.at(context.caret(statement.view.start, statement.view.end)) from None


def _created(statement: CreateView, context: Context) -> ViewChange:
    name = statement.view
    if statement.scope is ViewScope.PERMANENT:
        raise PermanentViewError(view=str(name), temporary=quote(name.parts[-1]))
    if len(name.parts) > 1 or name.temporal is not None:
        raise TemporaryViewNameError(view=str(name), advice=f"CREATE TEMPORARY VIEW {quote(name.parts[-1])}")
    key = name.parts[0].lower()
    key = f"{GLOBAL}.{key}" if statement.scope is ViewScope.GLOBAL else key
    if not statement.or_replace and (key in context.views or context.analyst.knows_view(key.split("."))):
        raise ViewAlreadyExistsError(view=quote(name.parts[0]))
    view = _view(key, name, statement.query, statement.columns, context)
    return ViewChange(key, view, or_replace=statement.or_replace)


def _view(key: str, name: TableName, query: SqlText, columns: tuple[ViewColumn, ...], context: Context) -> View:
    """The view of a query. Raises what is wrong with the query, RecursiveViewError and errors of its columns."""
    named = frozenset(_named(query.text, context))
    _refuse_cycle(key, named, context)
    bound = binding.query(context, query)
    # The time zone changes no type.
    plain = context.analyst.is_plain and set(context.meaning) <= {TIME_ZONE.name}
    schema = known_columns(query.text, bound) if plain and not context.analyst.started else None
    if schema is None:
        schema = context.analyst.schema(bound)
    catalog = context.catalog
    made = Creation(
        (catalog.current_catalog, catalog.current_schema),
        named,
        context.meaning,
        schema.names,
        _own_columns(name, schema, columns),
    )
    return View(query.text.rstrip().rstrip(";"), made.schema.names if columns else (), None, made)


def _own_columns(name: TableName, schema: StructType, columns: tuple[ViewColumn, ...]) -> StructType:
    """The columns of the view: those of its query, with the names and comments that were given."""
    if columns and len(columns) != len(schema):
        raise ViewArityError(view=str(name), named=len(columns), given=len(schema), columns=schema.names)
    fields = list(schema)
    if columns:
        fields = [
            StructField(column.name, field.type, metadata={"comment": column.comment} if column.comment else {})
            for column, field in zip(columns, schema, strict=True)
        ]
    seen = set[str]()
    for field in fields:
        if field.name.lower() in seen:
            raise DuplicateViewColumnError(view=str(name), column=quote(field.name))
        seen.add(field.name.lower())
    return StructType(tuple(fields))


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
        if path[-1] in seen or view is None or view.made is None:
            continue
        seen.add(path[-1])
        paths += [(*path, other) for other in sorted(view.made.views)]


def _shown(key: str) -> str:
    prefix = f"{GLOBAL}."
    return prefix + quote(key.removeprefix(prefix)) if key.startswith(prefix) else quote(key)


@plan.register
def _(statement: AlterView, context: Context) -> Plan:
    """Another query for a temporary view that is there."""
    name = statement.view
    try:
        key = _existing(name, "ALTER VIEW", context)
        view = _view(key, name, statement.query, (), context)
    except DeltaSqlError as error:
        raise error.at(context.caret(name.start, name.end)) from None
    return ViewChange(key, view, or_replace=True)


@plan.register
def _(statement: RenameView, context: Context) -> Plan:
    """Another name for a temporary view. What names it by the old one does not find it any more."""
    name, new = statement.view, statement.new_name
    try:
        key = _existing(name, "ALTER VIEW", context)
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
def _(statement: AlterViewOptions, context: Context) -> Plan:
    name = statement.view
    caret = context.caret(name.start, name.end)
    try:
        _existing(name, "ALTER VIEW", context)
    except DeltaSqlError as error:
        raise error.at(caret) from None
    raise AlterTemporaryViewError(view=str(name), clause=statement.clause).at(caret)


def _existing(name: TableName, statement: str, context: Context) -> str:
    """The key of a view that is there. Raises WrongObjectError for a table, AlteredViewNotFoundError."""
    key = context.view_key(name.parts)
    if key is not None:
        return key
    if context.analyst.knows_view(name.parts):
        return ".".join(part.lower() for part in name.parts)
    _refuse_table(name, statement, "ALTER TABLE", context)
    raise AlteredViewNotFoundError(view=str(name))


def _refuse_table(name: TableName, statement: str, advice: str, context: Context) -> None:
    if name.path is not None or context.catalog.resolve(name.parts) is not None:
        raise WrongObjectError(statement, "view", str(name), "table", f"{advice} {name}")


@plan.register
def _(statement: DropView, context: Context) -> Plan:
    """A temporary view goes, one that Spark alone knows too. IF EXISTS is no leave to name a table."""
    name = statement.view
    try:
        key = context.view_key(name.parts)
        if key is not None:
            return ViewChange(key, None, if_exists=statement.if_exists)
        if context.analyst.knows_view(name.parts):
            return SparkCommand(f"DROP VIEW {name}", {})
        _refuse_table(name, "DROP VIEW", "DROP TABLE", context)
        if not statement.if_exists:
            raise ViewNotFoundError(view=str(name))
    except DeltaSqlError as error:
        raise error.at(context.caret(name.start, name.end)) from None
    return ViewChange(".".join(part.lower() for part in name.parts), None, if_exists=True)
