"""CREATE, ALTER and DROP of views, which are stored as text with its context at creation.

The tables of a view are read at the version current at the query.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from deltasql.base import Caret, DeltaSqlError, Token, errors
from deltasql.catalog import Entry, SchemaMode, TableEntry, ViewDefinition, ViewEntry, sql_name
from deltasql.plan import LogicalPlan, SqlQuery, SqlText, TableName
from deltasql.planner import (
    GLOBAL,
    Answer,
    Context,
    Creation,
    Plan,
    RenameChange,
    SparkCommand,
    View,
    ViewChange,
    ViewDefining,
    ViewRemoval,
    binding,
    plan,
    refuse_parameters,
    refuse_temporary,
    refuse_variables,
    settings_of_text,
)
from deltasql.schema import StructField, StructType, set_comment, text_sql
from deltasql.schema import quote_name as quote
from deltasql.sql import Clause, Tree, builds, caret, collect, metric_view, sql_text, table_references, unquote
from deltasql.statements.query import SparkStatement
from deltasql.statements.table_metadata import query_columns


class ViewScope(Enum):
    """The visibility of a view: a session, all sessions of the process on one warehouse, or the catalog."""

    TEMPORARY = "TEMPORARY"
    GLOBAL = "GLOBAL TEMPORARY"
    PERMANENT = "PERMANENT"


@dataclass(frozen=True, slots=True)
class ViewColumn:
    """name [COMMENT 'text']; `typed` says that a type follows the name, which only a view USING a format has."""

    name: str
    comment: str | None = None
    typed: bool = False


@dataclass(frozen=True, slots=True)
class Expectation:
    """CONSTRAINT name EXPECT (condition) [ON VIOLATION {FAIL UPDATE | DROP ROW}]

    `condition` has its parentheses; `action` is FAIL UPDATE, DROP ROW, or None where rows that violate it stay.
    """

    name: str
    condition: SqlText
    action: str | None


@dataclass(frozen=True, slots=True)
class CreateView(LogicalPlan):
    """CREATE [OR REPLACE] [[GLOBAL] TEMPORARY] VIEW [IF NOT EXISTS] v [(column [COMMENT 'text'], …)] [COMMENT 'text']
    [TBLPROPERTIES (…)] [WITH SCHEMA {BINDING | COMPENSATION | [TYPE] EVOLUTION}] AS query

    The list of a temporary view may have expectations.
    """

    or_replace: bool
    scope: ViewScope
    if_not_exists: bool
    view: TableName
    columns: tuple[ViewColumn, ...]
    query: SqlText
    comment: str | None = None
    properties: tuple[tuple[str, str], ...] = ()
    mode: str | None = None
    expectations: tuple[Expectation, ...] = ()

    def created(self) -> TableName | None:
        return self.view if self.scope is ViewScope.PERMANENT else None


@dataclass(frozen=True, slots=True)
class CreateMetricView(LogicalPlan):
    """CREATE [OR REPLACE] VIEW [IF NOT EXISTS] v [(column [COMMENT 'text'], …)] [COMMENT 'text'] [TBLPROPERTIES (…)]
    WITH METRICS [LANGUAGE YAML] AS $$ yaml $$
    """

    or_replace: bool
    if_not_exists: bool
    view: TableName
    columns: tuple[ViewColumn, ...]
    yaml: SqlText
    comment: str | None = None
    properties: tuple[tuple[str, str], ...] = ()

    def created(self) -> TableName | None:
        return self.view


@dataclass(frozen=True, slots=True)
class AlterMetricView(LogicalPlan):
    """ALTER VIEW v AS $$ yaml $$"""

    view: TableName
    yaml: SqlText


@dataclass(frozen=True, slots=True)
class DropView(LogicalPlan):
    """DROP VIEW [IF EXISTS] v"""

    if_exists: bool
    view: TableName


@dataclass(frozen=True, slots=True)
class AlterView(LogicalPlan):
    """ALTER VIEW v [AS] query"""

    view: TableName
    query: SqlText


@dataclass(frozen=True, slots=True)
class RenameView(LogicalPlan):
    """ALTER VIEW v RENAME TO w"""

    view: TableName
    new_name: TableName


@dataclass(frozen=True, slots=True)
class SetViewProperties(LogicalPlan):
    """ALTER VIEW v SET TBLPROPERTIES (key = value, …)"""

    view: TableName
    properties: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class UnsetViewProperties(LogicalPlan):
    """ALTER VIEW v UNSET TBLPROPERTIES [IF EXISTS] (key, …)"""

    view: TableName
    if_exists: bool
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SetViewMode(LogicalPlan):
    """ALTER VIEW v WITH SCHEMA {BINDING | COMPENSATION | [TYPE] EVOLUTION}"""

    view: TableName
    mode: str


@builds("global_view", "temporary_view", "permanent_view")
def _scope(children: list[Any], tree: Tree, text: str) -> ViewScope:
    return {
        "global_view": ViewScope.GLOBAL,
        "temporary_view": ViewScope.TEMPORARY,
        "permanent_view": ViewScope.PERMANENT,
    }[tree.name]


@builds("view_column")
def _column(children: list[Any], tree: Tree, text: str) -> ViewColumn:
    name, *kind, comment = children
    return ViewColumn(name, comment, typed=bool(kind))


@builds("view_comment")
def _comment(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("comment", children[0])


@builds("view_properties")
def _properties(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("properties", children[0])


@builds("view_mode")
def _mode(children: list[Any], tree: Tree, text: str) -> str:
    """BINDING, COMPENSATION, TYPE EVOLUTION or EVOLUTION."""
    return " ".join(word.upper() for word in children[2:])


@builds("view_mode_clause")
def _mode_clause(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("mode", children[0])


@builds("view_metrics")
def _metrics_clause(children: list[Any], tree: Tree, text: str) -> Clause:
    """WITH METRICS. Raises MetricViewStatementError for another language than YAML."""
    language = children[0]
    if language is not None and language.upper() != "YAML":
        reason = f"The language of a metric view is YAML, and not {language}."
        raise errors.MetricViewStatementError(reason).at(caret(tree.children[0], text))
    return Clause("metrics", True)


@builds("create_metric_view")
def _create_metric_view(children: list[Any], tree: Tree, text: str) -> CreateMetricView:
    mode, scope, if_not_exists, view, elements, *clauses, yaml = children
    columns, _ = _elements(elements, False, tree, text)
    _refuse_mode(mode, scope, if_not_exists, tree, text)
    values = collect(clauses, tree.children[5:-1], text)
    if not values.pop("metrics", False):
        reason = "Behind AS stands YAML, which only a metric view has."
        raise errors.MetricViewStatementError(reason).at(caret(tree.children[-1], text))
    if scope is not ViewScope.PERMANENT or "mode" in values:
        reason = "A metric view is one of the catalog, without TEMPORARY and WITH SCHEMA."
        raise errors.MetricViewStatementError(reason).at(caret(tree.children[3], text))
    return CreateMetricView(mode != "create", if_not_exists, view, columns, _inside(yaml, text), **values)


@builds("alter_metric_view")
def _alter_metric_view(children: list[Any], tree: Tree, text: str) -> AlterMetricView:
    view, yaml = children
    return AlterMetricView(view, _inside(yaml, text))


def _inside(dollars: SqlText, text: str) -> SqlText:
    """The text between `$$`, without what a comment adds behind it. Raises ParseSyntaxError for more behind it."""
    (body, *more) = dollars.tokens
    if more:
        reason = f"Found {more[0].text!r}, but expected the end of the statement."
        start = dollars.start + more[0].start
        raise errors.ParseSyntaxError(reason, more[0].text).at(Caret(text, start, start + len(more[0].text)))
    return SqlText(body.text[2:-2], dollars.start + 2)


@builds("create_view")
def _create_view(children: list[Any], tree: Tree, text: str) -> CreateView:
    mode, scope, if_not_exists, view, elements, *clauses, query = children
    columns, expectations = _elements(elements, scope is ViewScope.TEMPORARY, tree, text)
    _refuse_mode(mode, scope, if_not_exists, tree, text)
    values = collect(clauses, tree.children[5:-1], text)
    if "metrics" in values:
        reason = "A metric view has no query."
        raise errors.MetricViewStatementError(reason).at(caret(tree.children[-1], text))
    values.pop("collation", None)
    for index, column in enumerate(columns):
        if column.typed:
            reason = f"The columns of a view have the types that its query gives them. Write ({column.name}, …)."
            raise errors.ParseSyntaxError(reason, column.name).at(caret(tree.children[4].children[index], text))
    return CreateView(mode != "create", scope, if_not_exists, view, columns, query, expectations=expectations, **values)


def _elements(
    elements: Sequence[ViewColumn | Expectation] | None, expects: bool, tree: Tree, text: str
) -> tuple[tuple[ViewColumn, ...], tuple[Expectation, ...]]:
    """The columns and the expectations of a list, where a view may have these. Raises ParseSyntaxError."""
    found = tuple(item for item in elements or () if isinstance(item, Expectation))
    if found and not expects:
        reason = (
            "Temporary views, materialized views and streaming tables have expectations. Write CREATE TEMPORARY VIEW."
        )
        raise errors.ParseSyntaxError(reason, "EXPECT").at(caret(tree.children[4], text))
    return tuple(item for item in elements or () if isinstance(item, ViewColumn)), found


def expected_rows(query: str, view: CreateView) -> str:
    """The query of the rows that the expectations of a view let pass, with its names of columns.

    Its evaluation fails for a row that violates one with FAIL UPDATE.
    """
    name = view.view.parts[-1]
    names = f" ({', '.join(quote(column.name) for column in view.columns)})" if view.columns else ""
    conditions = list[str]()
    for item in sorted(view.expectations, key=lambda item: item.action != "FAIL UPDATE"):
        message = text_sql(f"The expectation {item.name} of the view {name} is violated.")
        if item.action == "FAIL UPDATE":
            conditions.append(f"CASE WHEN {item.condition.text} THEN TRUE ELSE raise_error({message}) END")
        elif item.action is not None:
            conditions.append(f"coalesce({item.condition.text}, FALSE)")
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    return f"SELECT * FROM ({query}\n) AS {quote(name)}{names}{where}"


def _refuse_mode(mode: str, scope: ViewScope, if_not_exists: bool, tree: Tree, text: str) -> None:
    if mode == "replace":
        reason = "Views are replaced by CREATE OR REPLACE VIEW."
        raise errors.ParseSyntaxError(reason, "REPLACE").at(caret(tree.children[0], text))
    if if_not_exists and scope is not ViewScope.PERMANENT:
        reason = "IF NOT EXISTS is not for temporary views. Write CREATE OR REPLACE TEMPORARY VIEW."
        raise errors.ParseSyntaxError(reason, "IF NOT EXISTS").at(caret(tree.children[2], text))
    if if_not_exists and mode != "create":
        raise errors.IfNotExistsAndReplaceError().at(caret(tree.children[2], text))


@builds("create_source_view")
def _create_source_view(children: list[Any], tree: Tree, text: str) -> SparkStatement:
    """A view of files of another format is Spark's, as long as it is temporary."""
    mode, scope, if_not_exists, view, *_ = children
    if scope is ViewScope.PERMANENT:
        reason = f"Files of a format have temporary views only. Write CREATE VIEW {view} AS SELECT * FROM csv.`/path`."
        raise errors.ParseSyntaxError(reason, "USING").at(caret(tree.children[-1], text))
    _refuse_mode(mode, scope, if_not_exists, tree, text)
    return SparkStatement(sql_text(tree, text))


def view_schema(name: TableName, schema: StructType, columns: tuple[ViewColumn, ...]) -> StructType:
    """The columns of the view, with the names and comments that were given.

    Raises ViewArityError, DuplicateViewColumnError.
    """
    if columns and len(columns) != len(schema):
        raise errors.ViewArityError(view=str(name), named=len(columns), given=len(schema), columns=schema.names)
    fields = list(schema)
    if columns:
        fields = [
            StructField(column.name, field.type, metadata={"comment": column.comment} if column.comment else {})
            for column, field in zip(columns, schema, strict=True)
        ]
    seen = set[str]()
    for field in fields:
        if field.name.lower() in seen:
            raise errors.DuplicateViewColumnError(view=str(name), column=quote(field.name))
        seen.add(field.name.lower())
    return StructType(tuple(fields))


def _new_parts(statement: CreateView | CreateMetricView, context: Context) -> tuple[str, str, str] | None:
    """The full name of a view that is created or replaced; None where it exists, and IF NOT EXISTS is written.

    Raises what is wrong with the name, or with what has it.
    """
    name = statement.view
    context.refuse_version(name)
    context.refuse_information(name)
    parts = context.catalog.full_name(name.parts)
    entry = context.catalog.find(parts)
    if entry is None:
        context.catalog.schema(parts[:2])
    elif statement.if_not_exists:
        return None
    else:
        _refuse_taken(entry, name, or_replace=statement.or_replace)
    return parts


def created(statement: CreateView, context: Context) -> Plan:
    """CREATE VIEW that is not temporary. Raises what is wrong with its name, its query and its columns."""
    name = statement.view
    parts = _new_parts(statement, context)
    if parts is None:
        return Answer()
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
        raise errors.CatalogNameTakenError(view=str(name), kind="view" if isinstance(existing, ViewEntry) else "table")
    if isinstance(existing, TableEntry):
        raise errors.ViewInPlaceError(table=str(name))


def altered(entry: ViewEntry, statement: AlterView, context: Context) -> ViewDefining:
    """ALTER VIEW … AS: another query, whose columns have the names that it gives them."""
    _refuse_metrics(entry, statement.view)
    new = view_definition(entry.parts, statement.view, statement.query, (), context)

    def change(old: ViewDefinition) -> ViewDefinition:
        return replace(new, mode=old.mode, comment=old.comment, properties=old.properties)

    return _changing(entry, change)


def _refuse_metrics(entry: ViewEntry, name: TableName) -> None:
    """Raises MetricViewStatementError for a metric view."""
    if entry.definition.metrics is not None:
        raise errors.MetricViewStatementError(f"{name} is a metric view, which has YAML in place of a query.")


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
            raise errors.AlteredViewNotFoundError(view=sql_name(entry.parts))
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
        _refuse_unnamed(name, query, schema)
    catalog = context.catalog
    return ViewDefinition(
        query.text.rstrip().rstrip(";").rstrip(),
        (catalog.current_catalog, catalog.current_schema),
        settings_of_text(context),
        schema.names,
        view_schema(name, schema, columns),
        has_names=bool(columns),
    )


def metric_definition(
    parts: tuple[str, str, str], name: TableName, yaml: SqlText, columns: tuple[ViewColumn, ...], context: Context
) -> ViewDefinition:
    """The definition of a metric view by its YAML, whose expressions are analysed. Raises MetricViewError."""
    try:
        metrics = metric_view(yaml.text)
    except DeltaSqlError as error:
        raise error.moved(yaml.text, context.sql, yaml.start) from None
    plain = SqlText(metrics.rows(measured=False), yaml.start)
    refuse_temporary(str(name), plain, replace(context, sql=plain.text))
    _refuse_cycle(parts, plain, context)
    items = (*metrics.dimensions, *metrics.measures)
    alias = "m"
    shown = [f"{alias}.{quote(item.name)}" for item in metrics.dimensions]
    shown += [f"{metrics.aggregate(item, alias, has_columns=False)} AS {quote(item.name)}" for item in metrics.measures]
    query = f"SELECT {', '.join(shown)} FROM (\n{metrics.rows(measured=True)}\n) AS {alias} GROUP BY ALL"
    sql, relations = binding.bind(context, query)
    schema = context.analyst.schema(SqlQuery(sql, relations, "query"))
    facts = {item.name: {"comment": item.comment} for item in items if item.comment}
    own = StructType(tuple(StructField(field.name, field.type, metadata=facts.get(field.name, {})) for field in schema))
    named = view_schema(name, own, columns) if columns else own
    if named.names != schema.names:
        raise errors.MetricViewStatementError("The columns of a metric view have the names of its YAML.")
    catalog = context.catalog
    namespace = (catalog.current_catalog, catalog.current_schema)
    settings = settings_of_text(context)
    return ViewDefinition(
        plain.text, namespace, settings, schema.names, named, comment=metrics.comment, metrics=yaml.text
    )


@plan.register
def plan_create_metric_view(statement: CreateMetricView, context: Context) -> Plan:
    """The expressions of the YAML are analysed at once."""
    name = statement.view
    try:
        parts = _new_parts(statement, context)
        if parts is None:
            return Answer()
        definition = metric_definition(parts, name, statement.yaml, statement.columns, context)
    except DeltaSqlError as error:
        raise error.at(context.caret(name.start, name.end)) from None
    comment = definition.comment if statement.comment is None else statement.comment
    definition = replace(definition, comment=comment, properties=dict(statement.properties))

    def define(existing: Entry | None) -> ViewDefinition:
        if existing is not None:
            _refuse_taken(existing, name, or_replace=statement.or_replace)
        return definition

    return ViewDefining(parts, define, if_not_exists=statement.if_not_exists)


@plan.register
def plan_alter_metric_view(statement: AlterMetricView, context: Context) -> Plan:
    """Other YAML for a metric view."""
    name = statement.view
    entry = _lasting(name, "ALTER VIEW … AS", context)
    try:
        if entry.definition.metrics is None:
            raise errors.MetricViewStatementError(f"{name} is no metric view.")
        new = metric_definition(entry.parts, name, statement.yaml, (), context)
    except DeltaSqlError as error:
        raise error.at(context.caret(name.start, name.end)) from None
    return _changing(entry, lambda old: replace(new, comment=new.comment or old.comment, properties=old.properties))


_NAME = re.compile(r"[^\W\d]\w*")


def _refuse_unnamed(name: TableName, query: SqlText, schema: StructType) -> None:
    """Raises UnnamedViewColumnError for a column whose name is the text of its expression.

    A constant by itself has a name in Spark: CREATE VIEW v AS SELECT 1.
    """
    tokens = query.tokens
    written = {token.name.lower() for token in tokens if token.is_name} | _constants(tokens)
    stars = any(token.key == "*" for token in tokens)
    for column in schema.names:
        # What a star brings has the name that it has in its table.
        if _NAME.fullmatch(column) is None and column.lower() not in written and not stars:
            raise errors.UnnamedViewColumnError(view=str(name), expression=column)


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
            raise errors.RecursiveViewError(view=sql_name(parts), cycle=" → ".join(map(sql_name, path)))
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


@plan.register
def plan_create_view(statement: CreateView, context: Context) -> Plan:
    """Creates a view of this session, of all sessions of the process, or of the catalog.

    Its query is analysed at once, so that an invalid one is refused.
    """
    try:
        if statement.scope is ViewScope.PERMANENT:
            return created(statement, context)
        return _created(statement, context)
    except DeltaSqlError as error:
        raise error.at(context.caret(statement.view.start, statement.view.end)) from None


def _created(statement: CreateView, context: Context) -> ViewChange:
    name = statement.view
    if len(name.parts) > 1 or name.temporal is not None:
        raise errors.TemporaryViewNameError(view=str(name), advice=f"CREATE TEMPORARY VIEW {quote(name.parts[-1])}")
    if statement.mode is not None:
        raise errors.AlterTemporaryViewError(view=str(name), clause="WITH SCHEMA")
    key = name.parts[0].lower()
    key = f"{GLOBAL}.{key}" if statement.scope is ViewScope.GLOBAL else key
    if not statement.or_replace and (key in context.views or context.analyst.knows_view(key.split("."))):
        raise errors.ViewAlreadyExistsError(view=quote(name.parts[0]))
    if statement.scope is ViewScope.TEMPORARY and context.is_temporary_table(name):
        raise errors.TableAlreadyExistsError(table=str(name))
    view = _view(key, name, statement.query, statement.columns, context)
    if statement.expectations:
        view = replace(view, query=expected_rows(view.query, statement))
        try:
            query_columns(SqlText(view.query, 0), context)
        except DeltaSqlError as error:
            # Its place is one in a text that nobody has written.
            error.caret = None
            raise
    return ViewChange(key, view, or_replace=statement.or_replace)


def _view(key: str, name: TableName, query: SqlText, columns: tuple[ViewColumn, ...], context: Context) -> View:
    """The view of a query. Raises the errors of the query and its columns, and RecursiveViewError."""
    named = frozenset(_named(query.text, context))
    _view_refuse_cycle(key, named, context)
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
    """The keys of the temporary views and temporary tables that a query names."""
    for reference in table_references(query):
        key = context.temporary_key(reference.parts)
        if key is not None and reference.arguments is None:
            yield key


def _view_refuse_cycle(key: str, named: frozenset[str], context: Context) -> None:
    """Raises RecursiveViewError where one of the views `named` reads the view that is to come."""
    paths: list[tuple[str, ...]] = [(key, other) for other in sorted(named)]
    seen = set[str]()
    while paths:
        path = paths.pop()
        if path[-1] == key:
            raise errors.RecursiveViewError(view=_shown(key), cycle=" → ".join(_shown(step) for step in path))
        view = context.views.get(path[-1])
        if path[-1] in seen or view is None or view.creation is None:
            continue
        seen.add(path[-1])
        paths += [(*path, other) for other in sorted(view.creation.views)]


def _shown(key: str) -> str:
    prefix = f"{GLOBAL}."
    return prefix + quote(key.removeprefix(prefix)) if key.startswith(prefix) else quote(key)


@plan.register
def plan_alter_view(statement: AlterView, context: Context) -> Plan:
    """Changes the query of an existing view."""
    name = statement.view
    try:
        existing = _existing(name, "ALTER VIEW … AS", context)
        if isinstance(existing, ViewEntry):
            return altered(existing, statement, context)
        view = _view(existing, name, statement.query, (), context)
    except DeltaSqlError as error:
        raise error.at(context.caret(name.start, name.end)) from None
    return ViewChange(existing, view, or_replace=True)


@plan.register
def plan_rename_view(statement: RenameView, context: Context) -> Plan:
    """Renames a view. References to it by the old name fail from then on."""
    name, new = statement.view, statement.new_name
    try:
        key = _existing(name, "ALTER VIEW … RENAME TO", context)
        if isinstance(key, ViewEntry):
            context.refuse_version(new)
            return RenameChange(key.parts, new.parts)
        if len(new.parts) > 1:
            raise errors.TemporaryViewNameError(
                view=str(new), advice=f"ALTER VIEW {name} RENAME TO {quote(new.parts[-1])}"
            )
        new_key = f"{GLOBAL}." * key.startswith(f"{GLOBAL}.") + new.parts[0].lower()
        if new_key in context.views or context.analyst.knows_view(new_key.split(".")):
            raise errors.ViewAlreadyExistsError(view=quote(new.parts[0]))
    except DeltaSqlError as error:
        raise error.at(context.caret(name.start, name.end)) from None
    view = context.views.get(key)
    return (
        SparkCommand(f"ALTER VIEW {name} RENAME TO {new}", {})
        if view is None
        else ViewChange(new_key, view, renamed=key)
    )


@plan.register
def plan_set_view_properties(statement: SetViewProperties, context: Context) -> Plan:
    """Sets properties, which have no effect on the view."""
    entry = _lasting(statement.view, "ALTER VIEW … SET TBLPROPERTIES", context)
    return with_properties(entry, dict(statement.properties), ())


@plan.register
def plan_unset_view_properties(statement: UnsetViewProperties, context: Context) -> Plan:
    """A key that is not set is ignored, as in Spark."""
    entry = _lasting(statement.view, "ALTER VIEW … UNSET TBLPROPERTIES", context)
    return with_properties(entry, {}, statement.keys)


@plan.register
def plan_set_view_mode(statement: SetViewMode, context: Context) -> Plan:
    """Sets how the view's columns follow changes of its query's columns."""
    entry = _lasting(statement.view, "ALTER VIEW … WITH SCHEMA", context)
    _refuse_metrics(entry, statement.view)
    return with_mode(entry, statement.mode)


def _lasting(name: TableName, statement: str, context: Context) -> ViewEntry:
    """The catalog's view of a name. Raises what `_existing` raises, AlterTemporaryViewError."""
    try:
        existing = _existing(name, statement, context)
        if not isinstance(existing, ViewEntry):
            raise errors.AlterTemporaryViewError(view=str(name), clause=statement)
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
        raise errors.AlterViewOfTableError(statement, str(name), kind, f"ALTER {kind.upper()} {name}")
    raise errors.AlteredViewNotFoundError(view=str(name))


def _is_table(name: TableName, context: Context) -> bool:
    return name.path is not None or (len(name.parts) <= 3 and context.catalog.resolve(name.parts) is not None)


def _table_words(name: TableName, context: Context) -> str:
    """The kind of a table that is no view: one that is filled by refreshing it has its own statements."""
    entry = None if name.path is not None else context.catalog.resolve(name.parts)
    return "table" if entry is None or entry.refreshed is None else entry.refreshed.kind.value.lower()


@plan.register
def plan_drop_view(statement: DropView, context: Context) -> Plan:
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
            raise errors.WrongObjectError("DROP VIEW", "view", str(name), kind, f"DROP {kind.upper()} {name}")
        if not statement.if_exists:
            raise errors.ViewNotFoundError(view=str(name))
    except DeltaSqlError as error:
        raise error.at(context.caret(name.start, name.end)) from None
    return ViewChange(".".join(part.lower() for part in name.parts), None, if_exists=True)
