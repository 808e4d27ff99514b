"""CREATE, REFRESH, ALTER and DROP of materialized views and streaming tables. Source: Databricks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.errors.statements.governance import PolicyTableError
from deltasql.base.errors.statements.refresh import AsynchronousRefreshError, StreamingQueryError, StreamInQueryError
from deltasql.base.errors.statements.refused import WrongObjectError
from deltasql.base.settings.session_settings import GOVERNANCE, GOVERNANCE_FILTERS
from deltasql.catalog.definitions import RefreshDefinition, Refreshed
from deltasql.catalog.entries import TableEntry
from deltasql.log.actions import actions
from deltasql.log.actions.actions import Metadata
from deltasql.plan.base import LogicalPlan, SqlText, TableName
from deltasql.plan.operators import SqlQuery
from deltasql.plan.way import make_note
from deltasql.planner import binding
from deltasql.planner.catalog_changes import Redefinition, Unregistration, View
from deltasql.planner.changes import REFRESHED, Answer, CopyLoad, Plan, RowChange, Stepwise
from deltasql.planner.context import Context, VisibleViews, plan
from deltasql.planner.governance.enforcing import refuse_enforced
from deltasql.schema.checks import HIDDEN_PREFIX
from deltasql.schema.types import StructType
from deltasql.sql.parser import parse
from deltasql.statements.metadata import RefreshState
from deltasql.statements.nodes.properties import CommentOnTable
from deltasql.statements.nodes.refresh import AlterRefreshed, CreateRefreshed, DropRefreshed, RefreshData, SetSchedule
from deltasql.statements.rules.data.redeclaring import redeclared, refuse_redeclared
from deltasql.statements.rules.data.refreshed_columns import checked_expectations, stored_rows
from deltasql.statements.rules.data.refreshing import Refresh, refresh_of, sources_of
from deltasql.statements.rules.data.streaming import has_star, has_stream, stream_of, stream_refresh, table_source
from deltasql.statements.rules.definitions.catalog_view import view_definition
from deltasql.statements.rules.definitions.table import created_from_rows
from deltasql.statements.target import policies_of_existing

_ALL_ROWS = f"{HIDDEN_PREFIX}all_rows"


@plan.register
def _(statement: CreateRefreshed, context: Context) -> Plan:
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
            raise _wrong(f"CREATE {statement.kind.value}", statement.kind, name, kind, context)
        if statement.mode != "create":
            _require_kind(f"CREATE OR {statement.mode.upper()} {statement.kind.value}", statement.kind, name, context)
    definition, query = _definition(statement, context)
    rows = stored_rows(statement, definition, query, context)
    if statement.kind is Refreshed.STREAMING_TABLE:
        return _streaming(statement, definition, rows, existing, context)
    planned = created_from_rows(statement.create, context, rows)
    assert isinstance(planned, RowChange)
    sources = sources_of(query, context)
    versions = {} if sources is None else {source.id: source.snapshot.version for source in sources.values()}
    change = RefreshState(definition.id, versions).recorded(_commented(planned, definition))
    if existing is None:
        return _registering(change, definition)
    return Stepwise("the rows, then the definition", iter((change, Redefinition(existing.parts, definition))))


def _refuse_external(statement: CreateRefreshed, context: Context) -> None:
    """Raises CatalogOperationError in an external catalog, which would store the rows and not the query."""
    name = statement.create.table
    if name.path is not None or len(name.parts) > 3:
        return
    external = context.catalog.external.store(context.catalog.full_name(name.parts)[0])
    if external is not None:
        error = external.refused(f"CREATE {statement.kind.value}")
        raise error.at(context.caret(name.start, name.end))


def _definition(statement: CreateRefreshed, context: Context) -> tuple[RefreshDefinition, SqlQuery]:
    """The definition of a new table, and the rows of its query. Raises StreamInQueryError, StreamingQueryError."""
    name, query = statement.create.table, statement.query
    caret = context.caret(query.start, query.end)
    if statement.kind is Refreshed.STREAMING_TABLE:
        try:
            text, reference = stream_of(query.text, str(name))
            if reference.arguments is None:
                table_source(TableName(reference.parts), str(name), context)
        except DeltaSqlError as error:
            raise error.at(caret) from None
    elif has_stream(query.text):
        raise StreamInQueryError("a source", "Leave STREAM out of the query of a materialized view.").at(caret)
    else:
        text = query.text
    parts = context.catalog.full_name(name.parts)
    view = view_definition(parts, name, SqlText(text, query.start), statement.columns, context)
    rows = binding.view_rows(context, binding.stored_view(view), name)
    if statement.kind is Refreshed.STREAMING_TABLE:
        view = replace(view, query=query.text.rstrip().rstrip(";").rstrip())
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
            yield from (plan(change, _later(context)) for change in changes)
            if policies is not None:
                yield policies
            yield Redefinition(existing.parts, definition)
        else:
            none = SqlQuery(f"SELECT * FROM {_ALL_ROWS} LIMIT 0", {_ALL_ROWS: rows}, "no rows")
            planned = created_from_rows(statement.create, context, none)
            assert isinstance(planned, RowChange)
            yield _registering(RefreshState(definition.id).recorded(_commented(planned, definition)), definition)
        yield plan(RefreshData(statement.kind, name, False, False), _later(context))

    if existing is not None and statement.mode == "create":
        created_from_rows(statement.create, context, rows)
    return Stepwise("the table, then its rows", steps())


def _later(context: Context) -> Context:
    """The context of a step after others."""
    return replace(context, catalog=context.catalog.looked_at_once(), _snapshots={})


def _refuse_filtered(statement: CreateRefreshed, existing: object, context: Context) -> None:
    """Raises PolicyTableError where the row filter or masks of a streaming table would hinder its first refresh."""
    create = statement.create
    words = f"{'CREATE' if statement.mode == 'create' else 'CREATE OR REFRESH'} STREAMING TABLE"
    if isinstance(existing, TableEntry):
        refuse_enforced(words, create.table, existing.location, context)
    applies = context.setting(GOVERNANCE) == "RECORD" and context.setting(GOVERNANCE_FILTERS)
    if applies and (create.row_filter is not None or any(column.mask for column in create.columns or ())):
        name = create.table
        raise PolicyTableError(words, str(name)).at(context.caret(name.start, name.end))


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
        error = StreamingQueryError(str(name), reason, "Give its columns these names, or drop the table first.")
        raise error.at(context.caret(name.start, name.end))


def _registering(change: RowChange, definition: RefreshDefinition) -> RowChange:
    register = change.commit.register
    assert register is not None
    return change.committing(register=replace(register, refreshed=definition))


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
def _(statement: RefreshData, context: Context) -> Plan:
    """No commit where nothing has changed; its result then says so."""
    name, words = statement.table, f"REFRESH {statement.kind.value}"
    if statement.asynchronous:
        raise AsynchronousRefreshError
    entry = _require_kind(words, statement.kind, name, context)
    _, snapshot = context.writable(name)
    # Rows that its own filter hides could be neither replaced nor removed.
    refuse_enforced(words, name, snapshot.location, context)
    if statement.kind is Refreshed.STREAMING_TABLE:
        streamed = stream_refresh(entry, snapshot, context, full=statement.full)
        return _refreshed(streamed.refresh, snapshot.version, context, streamed.load)
    return _refreshed(refresh_of(entry, snapshot, context, full=statement.full), snapshot.version, context)


def _refreshed(refresh: Refresh, version: int, context: Context, load: CopyLoad | None = None) -> Plan:
    if refresh.sql is None:
        return Answer(REFRESHED, ((refresh.mode, refresh.reason),))
    change = _planned(refresh.sql, refresh.views, context)
    if change.dynamic_overwrite:
        sql = refresh.sql.replace("INSERT OVERWRITE TABLE", "INSERT INTO").replace(
            "SELECT", "REPLACE WHERE true SELECT", 1
        )
        change = _planned(sql, refresh.views, context)
    parameters = {"mode": refresh.mode, "reason": refresh.reason}
    recorded = refresh.state.recorded(change, operation=actions.REFRESH, parameters=parameters)
    return replace(recorded, skip_if_empty=False, load=load)


def _planned(sql: str, views: Mapping[str, View], context: Context) -> RowChange:
    """The plan of a statement that calls rows by names."""
    inner = replace(context, sql=sql, views=VisibleViews({**context.views, **views}))
    change = plan(parse(sql), inner)
    assert isinstance(change, RowChange)
    return change


@plan.register
def _(statement: DropRefreshed, context: Context) -> Plan:
    name, words = statement.table, f"DROP {statement.kind.value}"
    if statement.if_exists and context.catalog.find(name.parts) is None:
        return Answer()
    _require_kind(words, statement.kind, name, context)
    return Unregistration(name.parts)


@plan.register
def _(statement: SetSchedule, context: Context) -> Plan:
    """A schedule is stored and shown; nothing runs by it."""
    entry = _require_kind(f"ALTER {statement.kind.value}", statement.kind, statement.table, context)
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
def _(statement: AlterRefreshed, context: Context) -> Plan:
    verb = "COMMENT ON" if isinstance(statement.change, CommentOnTable) else "ALTER"
    _require_kind(f"{verb} {statement.kind.value}", statement.kind, statement.table, context)
    return plan(statement.change, context)


def _require_kind(words: str, kind: Refreshed, name: TableName, context: Context) -> TableEntry:
    """The entry of a table of this kind. Raises TableNotFoundError, WrongObjectError, at the name."""
    context.refuse_version(name)
    context.refuse_information(name)
    if context.is_view(name):
        raise _wrong(words, kind, name, "view", context)
    entry = None if name.path is not None else context.catalog.resolve(name.parts)
    if entry is None:
        context.location(name)
        raise _wrong(words, kind, name, "table", context)
    if entry.refreshed is None or entry.refreshed.kind is not kind:
        found = "table" if entry.refreshed is None else entry.refreshed.kind.value.lower()
        raise _wrong(words, kind, name, found, context)
    return entry


def _wrong(words: str, kind: Refreshed, name: TableName, found: str, context: Context) -> WrongObjectError:
    verb = "COMMENT ON" if words.startswith("COMMENT ON") else words.split(maxsplit=1)[0]
    advice = f"{verb} {found.upper()} {name}" if verb != "REFRESH" else f"CREATE {kind.value} under another name"
    error = WrongObjectError(words, kind.value.lower(), str(name), found, advice)
    error.at(context.caret(name.start, name.end))
    return error
