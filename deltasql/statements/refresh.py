"""CREATE, REFRESH, ALTER and DROP of materialized views and streaming tables. Source: Databricks.

These are tables that are filled by refreshing them, with declared columns and expectations. CREATE OR REFRESH of a
streaming table that exists applies other declarations, or refuses them by name.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from deltasql.base import Caret, DeltaSqlError, errors, session_settings
from deltasql.catalog import RefreshDefinition, Refreshed, StoredExpectation, TableEntry, ViewDefinition
from deltasql.log import AUTO_PROPERTY, Metadata, Snapshot, clustering_columns, operations
from deltasql.plan import Alone, ColumnPath, LogicalPlan, SqlQuery, SqlText, TableName, make_note
from deltasql.planner import (
    REFRESHED,
    Alignment,
    Answer,
    Context,
    CopyLoad,
    Plan,
    Redefinition,
    RowChange,
    Stepwise,
    StructRule,
    TableChange,
    Unregistration,
    View,
    VisibleViews,
    binding,
    plan,
    refuse_enforced,
    settings_of_text,
    store_casts,
)
from deltasql.schema import BINARY_COLLATION, HIDDEN_PREFIX, StructType
from deltasql.schema import quote_name as quote
from deltasql.sql import Clause, Tree, builds, caret, collect, parse, sql_text
from deltasql.statements.columns import AlterColumns, ColumnChange, Commented
from deltasql.statements.constraints import (
    CheckConstraint,
    KeyConstraint,
    declared_constraints,
    inside,
)
from deltasql.statements.create_table import created_from_rows
from deltasql.statements.governance import SecurableName, SetMask, SetOwner, SetRowFilter
from deltasql.statements.idempotency import interval_seconds
from deltasql.statements.properties import (
    CommentOnTable,
    PredictiveOptimization,
    SetTableProperties,
    UnsetTableProperties,
)
from deltasql.statements.refreshing import (
    QUERY,
    FlowChanges,
    Refresh,
    expected,
    refresh_of,
    refuse_redeclared,
    sources_of,
    stream_refresh,
    tallied,
    text_of_stream,
    without_live,
)
from deltasql.statements.streamed import STREAMED, has_star, has_stream
from deltasql.statements.table import AlterClustering, ClusterBy, ColumnDefinition, CreateTable, RenameTable
from deltasql.statements.table_metadata import RefreshState
from deltasql.statements.tags import SetTags, Tagged, UnsetTags
from deltasql.statements.target import policies_of_existing, require_kind, wrong_object
from deltasql.statements.view import Expectation, ViewColumn, view_definition


@dataclass(frozen=True, slots=True)
class CreateRefreshed(LogicalPlan):
    """CREATE [OR {REPLACE | REFRESH}] [PRIVATE] {MATERIALIZED VIEW | STREAMING TABLE} [IF NOT EXISTS] t [(columns)] …
    [AS query | FLOW AUTO CDC …]

    `create` has the name, the constraints and the clauses of CREATE TABLE, and the columns if they have types;
    `columns` are their names and comments. `mode` is create, replace or refresh. A streaming table without a query gets
    its rows by flows.
    """

    alone: ClassVar[tuple[str, Alone] | None] = ("CREATE MATERIALIZED VIEW or STREAMING TABLE", Alone.MAKES)

    kind: Refreshed
    mode: str
    if_not_exists: bool
    create: CreateTable
    query: SqlText | None
    columns: tuple[ViewColumn, ...] = ()
    schedule: str | None = None
    expectations: tuple[Expectation, ...] = ()
    changes: FlowChanges | None = None
    is_private: bool = False


@dataclass(frozen=True, slots=True)
class ApplyChanges(LogicalPlan):
    """{AUTO CDC | APPLY CHANGES} INTO t FROM source KEYS (…) …"""

    alone: ClassVar[tuple[str, Alone] | None] = ("AUTO CDC", Alone.REFRESHES)

    table: TableName
    changes: FlowChanges


@dataclass(frozen=True, slots=True)
class RefreshData(LogicalPlan):
    """REFRESH {MATERIALIZED VIEW | STREAMING TABLE} t [FULL] [SYNC | ASYNC]"""

    alone: ClassVar[tuple[str, Alone] | None] = ("REFRESH", Alone.REFRESHES)

    kind: Refreshed
    table: TableName
    full: bool
    asynchronous: bool


@dataclass(frozen=True, slots=True)
class DropRefreshed(LogicalPlan):
    """DROP {MATERIALIZED VIEW | STREAMING TABLE} [IF EXISTS] t"""

    kind: Refreshed
    if_exists: bool
    table: TableName


@dataclass(frozen=True, slots=True)
class SetSchedule(LogicalPlan):
    """ALTER {MATERIALIZED VIEW | STREAMING TABLE} t {{ADD | ALTER | SET} SCHEDULE … | DROP SCHEDULE}"""

    kind: Refreshed
    table: TableName
    schedule: str | None


@dataclass(frozen=True, slots=True)
class AlterRefreshed(LogicalPlan):
    """ALTER {MATERIALIZED VIEW | STREAMING TABLE} t {[UN]SET TBLPROPERTIES (…) | RENAME TO u}

    and the other changes that ALTER TABLE has: comments, tags and masks of columns, tags, CLUSTER BY, ROW FILTER, OWNER
    TO; COMMENT ON {MATERIALIZED VIEW | STREAMING TABLE} t IS text.

    `change` is the same statement about a table.
    """

    kind: Refreshed
    table: TableName
    change: LogicalPlan


_MOST_PERIODS = {"hour": 72, "day": 31, "week": 8}


@builds("materialized_view", "streaming_table")
def _kind(children: list[Any], tree: Tree, text: str) -> Refreshed:
    return Refreshed(tree.name.replace("_", " ").upper())


@builds("refreshed_element_list")
def _elements(children: list[Any], tree: Tree, text: str) -> tuple[Any, ...]:
    return tuple(children)


@builds("refreshed_column")
def _column(children: list[Any], tree: Tree, text: str) -> ViewColumn:
    name, comment = children
    return ViewColumn(name, comment)


@builds("fail_update", "drop_row")
def _violation(children: list[Any], tree: Tree, text: str) -> str:
    return tree.name.replace("_", " ").upper()


@builds("expectation")
def _expectation(children: list[Any], tree: Tree, text: str) -> Expectation:
    return Expectation(*children)


@builds("trigger_interval")
def _interval(children: list[Any], tree: Tree, text: str) -> None:
    """Raises ParseSyntaxError for an interval below a minute, and for what is no interval."""
    seconds = interval_seconds(" ".join(map(str, children)))
    if seconds is None:
        reason = "Write a number and a unit, as in INTERVAL 1 HOUR."
    elif seconds < 60:
        reason = "The interval of AT MOST EVERY is one minute or more."
    else:
        return
    raise errors.ParseSyntaxError(reason, text[tree.start : tree.end]).at(caret(tree, text))


def _check_every(number: int, unit: str, tree: Tree, text: str) -> None:
    """Raises ParseSyntaxError for a period that no schedule has. Source: Databricks."""
    most = _MOST_PERIODS.get(unit.lower().removesuffix("s"))
    if most is None or not 1 <= number <= most:
        reason = "A schedule is EVERY 1 to 72 HOURS, 1 to 31 DAYS, or 1 to 8 WEEKS. CRON has all other times."
        raise errors.ParseSyntaxError(reason, f"EVERY {number} {unit}").at(caret(tree, text))


@builds("schedule_clause")
def _schedule(children: list[Any], tree: Tree, text: str) -> Clause:
    if children and isinstance(children[0], int):
        _check_every(children[0], children[1], tree, text)
    # Without comments, which could hide what follows them on one line.
    return Clause("schedule", " ".join(token.text for token in sql_text(tree, text).tokens))


@builds("refresh_policy")
def _refresh_policy(children: list[Any], tree: Tree, text: str) -> Clause:
    """Rows are the same by each policy, and a refresh chooses by itself how to compute them."""
    return Clause("refresh_policy", text[tree.start : tree.end])


@builds("create_refreshed")
def _create(children: list[Any], tree: Tree, text: str) -> CreateRefreshed:
    (mode, is_private), kind, if_not_exists, table, elements, *clauses, source = children
    mode = _checked_mode(mode, kind, source, if_not_exists, tree, text)
    query, changes = (source, None) if isinstance(source, SqlText) else (None, source)
    table = without_live(table)
    values = collect(clauses, tree.children[5:-1], text)
    _refuse(values, kind, tree, text)
    columns, declared = _columns(elements or (), tree, text)
    expectations = tuple(item for item in elements or () if isinstance(item, Expectation))
    create = CreateTable(
        "create_or_replace" if mode == "replace" else "create",
        False,
        False,
        table,
        declared,
        None,
        values.get("partitioned_by", ()),
        values.get("cluster_by"),
        None,
        values.get("comment"),
        values.get("properties", ()),
        query,
        tuple(_constraints(elements or ())),
        (),
        values.get("row_filter"),
    )
    return CreateRefreshed(
        kind, mode, if_not_exists, create, query, columns, values.get("schedule"), expectations, changes, is_private
    )


def _checked_mode(mode: str, kind: Refreshed, source: object, if_not_exists: bool, tree: Tree, text: str) -> str:
    """The mode: a materialized view is replaced, a streaming table refreshed. Raises ParseSyntaxError."""
    if mode != "create":
        # The rows of a view are computed again, in the columns of the query.
        mode = "replace" if kind is Refreshed.MATERIALIZED_VIEW else "refresh"
    if if_not_exists and mode == "replace":
        reason = "A view is created IF NOT EXISTS or replaced, not both. Leave out one of them."
        raise errors.ParseSyntaxError(reason, "IF NOT EXISTS").at(caret(tree.children[2], text))
    if kind is Refreshed.MATERIALIZED_VIEW and not isinstance(source, SqlText):
        reason = "A materialized view has a query: CREATE MATERIALIZED VIEW name AS SELECT …."
        raise errors.ParseSyntaxError(reason, "").at(caret(tree.children[3], text))
    return mode


def _columns(
    elements: tuple[Any, ...], tree: Tree, text: str
) -> tuple[tuple[ViewColumn, ...], tuple[ColumnDefinition, ...] | None]:
    """The columns of a list by name and comment, and as they are declared: None where they have no types.

    Raises ParseSyntaxError for a list that has both, and for clauses that define values.
    """
    declared = tuple(item for item in elements if isinstance(item, ColumnDefinition))
    bare = tuple(item for item in elements if isinstance(item, ViewColumn))
    if declared and bare:
        reason = f"Either all columns have a type here, or none has. Give {quote(bare[0].name)} a type."
        raise errors.ParseSyntaxError(reason, bare[0].name).at(caret(tree.children[4], text))
    if not declared:
        _refuse_keys(elements, text)
    for column in declared:
        _refuse_values(column, text)
    return bare or tuple(ViewColumn(item.name, item.comment) for item in declared), declared or None


def _refuse_keys(elements: tuple[Any, ...], text: str) -> None:
    for key in elements:
        if isinstance(key, KeyConstraint) and key.references is None and not key.is_unique:
            reason = "Columns of a primary key are NOT NULL. Give all columns types, as in (id INT NOT NULL, …)."
            raise errors.ParseSyntaxError(reason, "PRIMARY KEY").at(Caret(text, key.start, key.end))


def _refuse_values(column: ColumnDefinition, text: str) -> None:
    for word, value in (("DEFAULT", column.default), ("GENERATED", column.generated or column.identity)):
        if value is not None:
            reason = f"The values of {quote(column.name)} come from the query. Leave {word} out."
            raise errors.ParseSyntaxError(reason, word).at(Caret(text, column.start, column.end))


def _constraints(elements: tuple[Any, ...]) -> Iterator[CheckConstraint | KeyConstraint]:
    """Those of the list and of its columns, and those that expectations with FAIL UPDATE are."""
    for item in elements:
        if isinstance(item, ColumnDefinition):
            yield from item.constraints
        elif isinstance(item, CheckConstraint | KeyConstraint):
            yield item
        elif isinstance(item, Expectation) and item.action == "FAIL UPDATE":
            yield CheckConstraint(item.name, item.condition)


def _refuse(values: dict[str, Any], kind: Refreshed, tree: Tree, text: str) -> None:
    """Raises ParseSyntaxError for clauses that only tables have."""
    for field, word in (("location", "LOCATION"), ("options", "OPTIONS")):
        if field in values:
            reason = f"The files of a {kind.value.lower()} lie below its schema. Leave {word} out."
            raise errors.ParseSyntaxError(reason, word).at(caret(tree.children[3], text))
    if "refresh_policy" in values and kind is Refreshed.STREAMING_TABLE:
        reason = "A streaming table reads new rows only. Leave REFRESH POLICY out."
        raise errors.ParseSyntaxError(reason, "REFRESH POLICY").at(caret(tree.children[3], text))
    collation = values.get("collation", BINARY_COLLATION)
    if collation != BINARY_COLLATION:
        raise errors.DefaultCollationError(collation).at(caret(tree.children[3], text))
    if str(values.get("provider") or "delta").lower() != "delta":
        raise errors.ParseSyntaxError(f"A {kind.value.lower()} is a Delta table. Leave USING out.", "USING").at(
            caret(tree.children[3], text)
        )


@builds("set_schedule")
def _set_schedule(children: list[Any], tree: Tree, text: str) -> SetSchedule:
    kind, table, schedule = children
    return SetSchedule(kind, table, None if schedule is None else schedule.value)


@builds("set_refreshed_properties")
def _set_properties(children: list[Any], tree: Tree, text: str) -> AlterRefreshed:
    kind, table, properties = children
    return AlterRefreshed(kind, table, SetTableProperties(table, properties))


@builds("unset_refreshed_properties")
def _unset_properties(children: list[Any], tree: Tree, text: str) -> AlterRefreshed:
    kind, table, if_exists, keys = children
    return AlterRefreshed(kind, table, UnsetTableProperties(table, if_exists, keys))


@builds("rename_refreshed")
def _rename(children: list[Any], tree: Tree, text: str) -> AlterRefreshed:
    kind, table, name = children
    return AlterRefreshed(kind, table, RenameTable(table, name))


@builds("cluster_refreshed")
def _cluster(children: list[Any], tree: Tree, text: str) -> AlterRefreshed:
    kind, table, cluster_by = children
    return AlterRefreshed(kind, table, AlterClustering(table, cluster_by))


@builds("comment_refreshed_column")
def _comment(children: list[Any], tree: Tree, text: str) -> AlterRefreshed:
    kind, table, column, comment = children
    return AlterRefreshed(kind, table, AlterColumns(table, (ColumnChange(column, (Commented(comment),)),)))


@builds("set_refreshed_mask", "drop_refreshed_mask")
def _mask(children: list[Any], tree: Tree, text: str) -> AlterRefreshed:
    kind, table, column, *mask = children
    return AlterRefreshed(kind, table, SetMask(table, column, mask[0] if mask else None))


@builds("set_refreshed_filter", "drop_refreshed_filter")
def _row_filter(children: list[Any], tree: Tree, text: str) -> AlterRefreshed:
    kind, table, *row_filter = children
    return AlterRefreshed(kind, table, SetRowFilter(table, row_filter[0] if row_filter else None))


@builds("set_refreshed_tags", "unset_refreshed_tags", "set_refreshed_column_tags", "unset_refreshed_column_tags")
def _tags(children: list[Any], tree: Tree, text: str) -> AlterRefreshed:
    kind, table, *column, tags = children
    change = SetTags if tree.name.startswith("set") else UnsetTags
    tagged = Tagged.COLUMN if column else Tagged.TABLE
    return AlterRefreshed(kind, table, change(tagged, table, column[0] if column else None, tags, False))


@builds("comment_on_refreshed")
def _comment_on(children: list[Any], tree: Tree, text: str) -> AlterRefreshed:
    kind, table, comment = children
    return AlterRefreshed(kind, table, CommentOnTable(table, comment))


@builds("refreshed_optimization")
def _optimization(children: list[Any], tree: Tree, text: str) -> AlterRefreshed:
    kind, table, mode = children
    return AlterRefreshed(kind, table, PredictiveOptimization("TABLE", table, mode))


@builds("set_refreshed_owner")
def _owner(children: list[Any], tree: Tree, text: str) -> AlterRefreshed:
    kind, table, principal = children
    return AlterRefreshed(kind, table, SetOwner(SecurableName("TABLE", table, table.start, table.end), principal))


def redeclared(statement: CreateRefreshed, snapshot: Snapshot) -> Iterator[LogicalPlan]:
    """The statements that change what the rows do not follow: clustering, comments and properties that are named."""
    create = statement.create
    if create.cluster_by is not None and _is_clustered_otherwise(create, snapshot):
        yield AlterClustering(create.table, create.cluster_by)
    if create.comment is not None and create.comment != snapshot.metadata.description:
        yield CommentOnTable(create.table, create.comment)
    if any(snapshot.configuration.get(key) != value for key, value in create.properties):
        yield SetTableProperties(create.table, create.properties)
    comments = []
    for column in statement.columns:
        field = snapshot.schema.find(column.name)
        if column.comment is not None and field is not None and field.comment != column.comment:
            comments.append(ColumnChange(ColumnPath((column.name,), 0, 0), (Commented(column.comment),)))
    if comments:
        yield AlterColumns(create.table, tuple(comments))


def _is_clustered_otherwise(create: CreateTable, snapshot: Snapshot) -> bool:
    wanted = create.cluster_by
    assert wanted is not None
    is_auto = snapshot.configuration.get(AUTO_PROPERTY) == "true"
    if wanted.auto or is_auto:
        return wanted.auto != is_auto
    existing = [tuple(part.lower() for part in path) for path in clustering_columns(snapshot)]
    return existing != [tuple(part.lower() for part in column.parts) for column in wanted.columns]


def _stored(statement: CreateRefreshed) -> tuple[StoredExpectation, ...]:
    items = statement.expectations
    return tuple(StoredExpectation(item.name, inside(item.condition).text, item.action) for item in items)


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
    return _stored(statement)


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


_ALL_ROWS = f"{HIDDEN_PREFIX}all_rows"


@plan.register
def plan_create_refreshed(statement: CreateRefreshed, context: Context) -> Plan:
    """A materialized view gets its rows in the commit that creates it, a streaming table by its first refresh."""
    name = statement.create.table
    context.refuse_version(name)
    context.refuse_information(name)
    _refuse_external(statement, context)
    existing = context.catalog.find(name.parts)
    if existing is not None:
        if statement.if_not_exists:
            return Answer()
        if not isinstance(existing, TableEntry) or existing.refreshed is None:
            kind = "table" if isinstance(existing, TableEntry) else "view"
            raise wrong_object(f"CREATE {statement.kind.value}", statement.kind, name, kind, context)
        if statement.mode != "create":
            require_kind(f"CREATE OR {statement.mode.upper()} {statement.kind.value}", statement.kind, name, context)
    if statement.query is None:
        return _without_rows(statement, existing, context)
    definition, query = _definition(statement, context)
    rows = stored_rows(statement, definition, query, context)
    if statement.kind is Refreshed.STREAMING_TABLE:
        return _streaming(statement, definition, rows, existing, context)
    planned = _counted(statement, definition, query, rows, context)
    sources = sources_of(query, context)
    versions = {} if sources is None else {source.id: source.snapshot.version for source in sources.values()}
    change = RefreshState(definition.id, versions).recorded(_commented(planned, definition))
    if existing is None:
        return _registering(change, definition)
    return Stepwise("the rows, then the definition", iter((change, Redefinition(existing.parts, definition))))


def _counted(
    statement: CreateRefreshed, definition: RefreshDefinition, query: SqlQuery, rows: SqlQuery, context: Context
) -> RowChange:
    """The table with its rows, of which each expectation is counted."""
    every = SqlQuery(f"SELECT * FROM {QUERY}", {QUERY: query}, "the rows of the query")
    has_counts = definition.expectations and statement.create.columns is None
    planned = created_from_rows(statement.create, context, every if has_counts else rows)
    assert isinstance(planned, RowChange)
    # Without counts there is nothing to drop either.
    return (tallied(planned, definition) if has_counts else planned) or planned


def _without_rows(statement: CreateRefreshed, existing: object, context: Context) -> Plan:
    """A streaming table whose rows come by flows, and the flow that stands in its definition."""
    name = statement.create.table
    catalog = context.catalog
    namespace = (catalog.current_catalog, catalog.current_schema)
    create, properties = statement.create, dict[str, str]()
    if create.columns is None and create.cluster_by is not None and create.cluster_by.columns:
        # The columns come with the first flow.
        properties[CLUSTERED] = json.dumps([column.parts for column in create.cluster_by.columns])
        create = replace(create, cluster_by=None)
    view = ViewDefinition("", namespace, settings_of_text(context), (), StructType(), properties=properties)
    definition = RefreshDefinition(statement.kind, view, _noted(statement.schedule), _stored(statement))

    def steps() -> Iterator[Plan]:
        if existing is None:
            yield _registering(plan(create, context), definition)
        elif isinstance(existing, TableEntry) and existing.refreshed is not None:
            yield Redefinition(existing.parts, replace(existing.refreshed, expectations=definition.expectations))
        if statement.changes is not None:
            yield plan(ApplyChanges(name, statement.changes), context.later())

    if existing is not None and statement.mode == "create":
        return plan(statement.create, context)
    return Stepwise("the table, then its rows", steps())


CLUSTERED = "clustered"
"""The property of a definition without a query whose table is clustered by columns that its first flow brings."""


def clustered_later(definition: RefreshDefinition, table: TableName, context: Context) -> Iterator[Plan]:
    """The clustering of a table that was created without columns, once its first flow has brought them."""
    written = definition.view.properties.get(CLUSTERED)
    if written is not None:
        columns = tuple(ColumnPath(tuple(parts), table.start, table.end) for parts in json.loads(written))
        yield plan(AlterClustering(table, ClusterBy(columns)), context.later())


def _refuse_external(statement: CreateRefreshed, context: Context) -> None:
    """Raises CatalogOperationError in an external catalog, which would store the rows and not the query."""
    name = statement.create.table
    if statement.is_private:
        make_note(f"{name} is visible to all statements: only a service keeps a table private.", is_warning=False)
    if name.path is not None or len(name.parts) > 3:
        return
    external = context.catalog.external.store(context.catalog.full_name(name.parts)[0])
    if external is not None:
        error = external.refused(f"CREATE {statement.kind.value}")
        raise error.at(context.caret(name.start, name.end))


def _definition(statement: CreateRefreshed, context: Context) -> tuple[RefreshDefinition, SqlQuery]:
    """The definition of a new table, and the rows of its query. Raises StreamInQueryError, StreamingQueryError."""
    name, query = statement.create.table, statement.query
    assert query is not None
    caret = context.caret(query.start, query.end)
    is_whole = False
    if statement.kind is Refreshed.STREAMING_TABLE:
        try:
            text, is_whole = text_of_stream(query.text, name, context)
        except DeltaSqlError as error:
            raise error.at(caret) from None
    elif has_stream(query.text):
        raise errors.StreamInQueryError("a source", "Leave STREAM out of the query of a materialized view.").at(caret)
    else:
        text = query.text
    parts = context.catalog.full_name(name.parts)
    view = view_definition(parts, name, SqlText(text, query.start), statement.columns, context)
    rows = binding.view_rows(context, binding.stored_view(view), name)
    if statement.kind is Refreshed.STREAMING_TABLE:
        written = query.text.rstrip().rstrip(";").rstrip()
        view = replace(view, properties={STREAMED: written}) if is_whole else replace(view, query=written)
    expectations = checked_expectations(statement, view.schema, context)
    return RefreshDefinition(statement.kind, view, _noted(statement.schedule), expectations), rows


def _streaming(
    statement: CreateRefreshed,
    definition: RefreshDefinition,
    rows: SqlQuery,
    existing: object,
    context: Context,
) -> Plan:
    """Creates the table without rows, or sets its query, then refreshes it."""
    name = statement.create.table
    _refuse_filtered(statement, existing, context)
    changes: Sequence[LogicalPlan] = ()
    policies = None
    if isinstance(existing, TableEntry) and statement.mode != "create":
        _require_names(name, definition, context)
        snapshot = context.snapshot(name)
        refuse_redeclared(statement.create, snapshot, context)
        changes = tuple(redeclared(statement, snapshot))
        policies = policies_of_existing(statement.create, existing, context)

    def steps() -> Iterator[Plan]:
        if isinstance(existing, TableEntry):
            yield from (plan(change, context.later()) for change in changes)
            if policies is not None:
                yield policies
            yield Redefinition(existing.parts, definition)
        else:
            none = SqlQuery(f"SELECT * FROM {_ALL_ROWS} LIMIT 0", {_ALL_ROWS: rows}, "no rows")
            planned = created_from_rows(statement.create, context, none)
            assert isinstance(planned, RowChange)
            yield _registering(RefreshState(definition.id).recorded(_commented(planned, definition)), definition)
        yield plan(RefreshData(statement.kind, name, False, False), context.later())

    if existing is not None and statement.mode == "create":
        created_from_rows(statement.create, context, rows)
    return Stepwise("the table, then its rows", steps())


def _refuse_filtered(statement: CreateRefreshed, existing: object, context: Context) -> None:
    """Raises PolicyTableError where the row filter or masks of a streaming table would hinder its first refresh."""
    create = statement.create
    words = f"{'CREATE' if statement.mode == 'create' else 'CREATE OR REFRESH'} STREAMING TABLE"
    if isinstance(existing, TableEntry):
        refuse_enforced(words, create.table, existing.location, context)
    applies = context.setting(session_settings.GOVERNANCE) == "RECORD" and context.setting(
        session_settings.GOVERNANCE_FILTERS
    )
    if applies and (create.row_filter is not None or any(column.mask for column in create.columns or ())):
        name = create.table
        raise errors.PolicyTableError(words, str(name)).at(context.caret(name.start, name.end))


def _require_names(name: TableName, definition: RefreshDefinition, context: Context) -> None:
    """Raises StreamingQueryError for a new query with other columns than those of its table."""
    _, snapshot = context.writable(name)
    there, wanted = snapshot.schema.names, definition.view.schema.names
    new = set(map(str.lower, wanted)) - set(map(str.lower, there))
    if has_star(definition.view.query) and not definition.view.has_names:
        # The refresh that follows adds them to the table.
        wanted = tuple(name for name in wanted if name.lower() not in new)
    if sorted(map(str.lower, there)) != sorted(map(str.lower, wanted)):
        reason = f"it has the columns {', '.join(wanted)}, and the table has {', '.join(there)}"
        error = errors.StreamingQueryError(str(name), reason, "Give its columns these names, or drop the table first.")
        raise error.at(context.caret(name.start, name.end))


def _registering(change: Plan, definition: RefreshDefinition) -> Plan:
    """The plan that makes a table, which is then refreshed by this definition."""
    assert isinstance(change, (RowChange, TableChange))
    register = change.commit.register
    assert register is not None
    new = replace(register, refreshed=definition)
    if isinstance(change, RowChange):
        return change.committing(register=new)
    return replace(change, commit=replace(change.commit, register=new))


def _commented(change: RowChange, definition: RefreshDefinition) -> RowChange:
    """The new table with the comments of the definition's columns."""
    pairs = zip(change.metadata.schema, definition.view.schema, strict=True)
    fields = [
        replace(field, metadata={**field.metadata, "comment": wanted.comment}) if wanted.comment is not None else field
        for field, wanted in pairs
    ]
    schema = StructType(tuple(fields))
    if schema == change.metadata.schema:
        return change
    metadata = replace(change.metadata, schema=schema)
    others = tuple(action for action in change.commit.actions if not isinstance(action, Metadata))
    return replace(change, metadata=metadata).committing(actions=(*others, metadata))


@plan.register
def plan_refresh_data(statement: RefreshData, context: Context) -> Plan:
    """No commit where nothing has changed; its result then says so."""
    name, words = statement.table, f"REFRESH {statement.kind.value}"
    if statement.asynchronous:
        raise errors.AsynchronousRefreshError
    entry = require_kind(words, statement.kind, name, context)
    _, snapshot = context.writable(name)
    # Rows that its own filter hides could be neither replaced nor removed.
    refuse_enforced(words, name, snapshot.location, context)
    assert entry.refreshed is not None
    query = entry.refreshed.view.query
    if not query:
        return Answer(REFRESHED, (("NONE", "it has no flow: CREATE FLOW gives it rows"),))
    if has_stream(query):
        if entry.refreshed.flows:
            return Stepwise("flow by flow", _flows(statement, entry, context))
        streamed = stream_refresh(entry, snapshot, context, full=statement.full)
        return _refreshed(streamed.refresh, entry.refreshed, context, streamed.load)
    return _refreshed(refresh_of(entry, snapshot, context, full=statement.full), entry.refreshed, context)


def _flows(statement: RefreshData, entry: TableEntry, context: Context) -> Iterator[Plan]:
    """The refresh of each flow. FULL replaces all rows by those of the first flow; the others add theirs."""
    definition = entry.refreshed
    assert definition is not None
    for number, view in enumerate((definition.view, *definition.flows)):
        inner = context.later()
        _, snapshot = inner.writable(statement.table)
        flow = replace(entry, refreshed=replace(definition, view=view, flows=()))
        streamed = stream_refresh(flow, snapshot, inner, full=statement.full and number == 0)
        yield _refreshed(streamed.refresh, definition, inner, streamed.load)


def _refreshed(refresh: Refresh, definition: RefreshDefinition, context: Context, load: CopyLoad | None = None) -> Plan:
    if refresh.sql is None:
        return Answer(REFRESHED, ((refresh.mode, refresh.reason),))
    kept = expected(definition)
    every = _inserting(refresh.sql.removesuffix(kept), refresh, context)
    change = tallied(every, definition)
    if change is None:
        change = _inserting(refresh.sql, refresh, context) if kept else every
    parameters = {"mode": refresh.mode, "reason": refresh.reason}
    recorded = refresh.state.recorded(change, operation=operations.REFRESH, parameters=parameters)
    return replace(recorded, skip_if_empty=False, load=load)


def _inserting(sql: str, refresh: Refresh, context: Context) -> RowChange:
    """The plan of a refresh. Partitions without new rows lose theirs as well."""
    change = _planned(sql, refresh.views, context)
    if change.dynamic_overwrite:
        sql = sql.replace("INSERT OVERWRITE TABLE", "INSERT INTO").replace("SELECT", "REPLACE WHERE true SELECT", 1)
        change = _planned(sql, refresh.views, context)
    return change


def _planned(sql: str, views: Mapping[str, View], context: Context) -> RowChange:
    """The plan of a statement that calls rows by names."""
    inner = replace(context, sql=sql, views=VisibleViews({**context.views, **views}))
    change = plan(parse(sql), inner)
    assert isinstance(change, RowChange)
    return change


@plan.register
def plan_drop_refreshed(statement: DropRefreshed, context: Context) -> Plan:
    name, words = statement.table, f"DROP {statement.kind.value}"
    if statement.if_exists and context.catalog.find(name.parts) is None:
        return Answer()
    require_kind(words, statement.kind, name, context)
    return Unregistration(name.parts, context.setting(session_settings.DROPPED_DAYS))


@plan.register
def plan_set_schedule(statement: SetSchedule, context: Context) -> Plan:
    """A schedule is stored and shown; nothing runs by it."""
    entry = require_kind(f"ALTER {statement.kind.value}", statement.kind, statement.table, context)
    assert entry.refreshed is not None
    return Redefinition(entry.parts, replace(entry.refreshed, schedule=_noted(statement.schedule)))


def _noted(schedule: str | None) -> str | None:
    """`schedule`, of which a note says that nothing runs by it."""
    if schedule is not None:
        make_note(
            f"{schedule}: recorded in the catalog. There is no scheduler; run REFRESH yourself.", is_warning=False
        )
    return schedule


@plan.register
def plan_alter_refreshed(statement: AlterRefreshed, context: Context) -> Plan:
    verb = "COMMENT ON" if isinstance(statement.change, CommentOnTable) else "ALTER"
    require_kind(f"{verb} {statement.kind.value}", statement.kind, statement.table, context)
    return plan(statement.change, context)
