"""CREATE FLOW, AUTO CDC INTO and APPLY CHANGES INTO: the rows of streaming tables. Source: Databricks.

AUTO CDC gives a table the newest row of each key (SCD type 1), or each row with the moments from which and until which
it held (SCD type 2). REPLACE USING gives it all rows of each key that have the key's highest sequence. The rows are a
query over all events of the source, so that late events, events in another order and repeated refreshes give the same
table. A refresh runs the query again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

from deltasql.base import DeltaSqlError, errors
from deltasql.catalog import Refreshed, TableEntry, ViewDefinition, sql_name
from deltasql.plan import Alone, ColumnPath, LogicalPlan, SqlText, TableName
from deltasql.planner import Context, Plan, Redefinition, Stepwise, plan
from deltasql.schema import HIDDEN_PREFIX
from deltasql.schema import quote_name as quote
from deltasql.sql import Clause, Tree, builds, caret, collect, splice
from deltasql.statements.insert import Insert
from deltasql.statements.refresh import ApplyChanges, RefreshData, clustered_later
from deltasql.statements.refreshing import (
    FLOW,
    AutoCdc,
    FlowChanges,
    Listed,
    ReplacedKeys,
    require_limits,
    stream_rules,
    without_live,
    without_live_names,
)
from deltasql.statements.streamed import STREAMED, has_stream, stream_of, stream_words
from deltasql.statements.table_metadata import query_columns
from deltasql.statements.target import require_kind
from deltasql.statements.view import CreateView, Expectation, ViewColumn, ViewScope, view_definition

_SEQUENCE, _DELETED, _LIFE, _NEW, _GROUP, _FIRST, _LAST, _END = (
    HIDDEN_PREFIX + name for name in ("sequence", "deleted", "life", "new", "group", "first", "last", "end")
)
START_AT, END_AT = "__START_AT", "__END_AT"
_NEWEST = f"{HIDDEN_PREFIX}newest"


@dataclass(frozen=True, slots=True)
class CreateFlow(LogicalPlan):
    """CREATE FLOW [IF NOT EXISTS] name [COMMENT text] AS
    {INSERT INTO [ONCE] t BY NAME [REPLACE USING (keys) SEQUENCE BY column] query | AUTO CDC [ONCE] INTO t FROM …}

    `rows` are a query or changes; with `once` they are read now, and not by later refreshes.
    """

    alone: ClassVar[tuple[str, Alone] | None] = ("CREATE FLOW", Alone.REFRESHES)

    name: str
    table: TableName
    once: bool
    rows: SqlText | FlowChanges


@builds("named_kind")
def _named_kind(children: list[Any], tree: Tree, text: str) -> Refreshed:
    kind: Refreshed = children[0]
    return kind


class RefreshedMode(NamedTuple):
    """`word` is create, replace or refresh."""

    word: str
    is_private: bool = False


@builds("plain_mode")
def _plain_mode(children: list[Any], tree: Tree, text: str) -> RefreshedMode:
    mode, scope = children
    if mode == "replace" or scope is ViewScope.GLOBAL:
        reason = "Write CREATE, CREATE OR REPLACE or CREATE OR REFRESH."
        raise errors.ParseSyntaxError(reason, text[tree.start : tree.end]).at(caret(tree, text))
    return RefreshedMode(mode.removeprefix("create_or_"), scope is ViewScope.TEMPORARY)


@builds("private_mode")
def _private_mode(children: list[Any], tree: Tree, text: str) -> RefreshedMode:
    return RefreshedMode(children[0].removeprefix("create_or_"), is_private=True)


@builds("refresh_mode")
def _refresh_mode(children: list[Any], tree: Tree, text: str) -> RefreshedMode:
    return RefreshedMode("refresh", children[0])


@builds("query_source")
def _query_source(children: list[Any], tree: Tree, text: str) -> SqlText:
    return without_live_names(children[0])


@builds("changes_source")
def _changes_source(children: list[Any], tree: Tree, text: str) -> FlowChanges:
    changes: FlowChanges = children[-1]
    return changes


@builds("create_flow")
def _create_flow(children: list[Any], tree: Tree, text: str) -> CreateFlow:
    _, name, _, (once, table, rows) = children
    return CreateFlow(name, without_live(table), once, rows)


@builds("flow_query")
def _flow_query(children: list[Any], tree: Tree, text: str) -> tuple[bool, TableName, SqlText]:
    once, table, query = children
    return once, table, without_live_names(query)


@builds("flow_keys")
def _flow_keys(children: list[Any], tree: Tree, text: str) -> tuple[Sequence[ColumnPath], ColumnPath]:
    keys, sequence = children
    return tuple(keys), sequence


@builds("flow_replaced")
def _flow_replaced(children: list[Any], tree: Tree, text: str) -> tuple[bool, TableName, ReplacedKeys]:
    once, table, keys, query = children
    return once, table, _replacing(keys, query)


@builds("replaced_source")
def _replaced_source(children: list[Any], tree: Tree, text: str) -> ReplacedKeys:
    return _replacing(*children)


def _replacing(chosen: tuple[tuple[ColumnPath, ...], ColumnPath], query: SqlText) -> ReplacedKeys:
    """The changes of a flow REPLACE USING."""
    keys, sequence = chosen
    source, order = without_live_names(query), ".".join(map(quote, sequence.parts))
    listed = ", ".join(quote(key.parts[0]) for key in keys)
    written = f"REPLACE USING ({listed}) SEQUENCE BY {order} BY NAME {query.text}"
    return ReplacedKeys(written, source, keys, SqlText(order, sequence.start))


@builds("flow_changes")
def _flow_changes(children: list[Any], tree: Tree, text: str) -> tuple[bool, TableName, AutoCdc]:
    once, table, changes = children[-3:]
    return once, table, changes


@builds("apply_changes")
def _apply_changes(children: list[Any], tree: Tree, text: str) -> ApplyChanges:
    table, changes = children[-2:]
    return ApplyChanges(without_live(table), changes)


@builds("create_live_view", "refresh_view")
def _live_view(children: list[Any], tree: Tree, text: str) -> CreateView:
    """A view of a pipeline, which is temporary."""
    _, _, name, elements, *clauses, query = children
    values = collect(clauses, tree.children[4:-1], text)
    columns = tuple(item for item in elements or () if isinstance(item, ViewColumn))
    query, name = without_live_names(query), without_live(name)
    expectations = tuple(item for item in elements or () if isinstance(item, Expectation))
    return CreateView(True, ViewScope.TEMPORARY, False, name, columns, query, expectations=expectations, **values)


_CLAUSES = {
    "cdc_keys": "keys",
    "cdc_where": "where",
    "cdc_ignore_null_updates": "ignores_nulls",
    "cdc_delete": "delete",
    "cdc_truncate": "truncate",
    "cdc_sequence": "sequence",
    "cdc_columns_clause": "columns",
    "cdc_type": "scd_type",
    "cdc_track": "track",
}


@builds(*_CLAUSES)
def _cdc_clause(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause(_CLAUSES[tree.name], children[-1] if children else True)


@builds("cdc_listed", "cdc_except")
def _cdc_columns(children: list[Any], tree: Tree, text: str) -> Listed:
    return Listed(tuple(children[-1]), tree.name == "cdc_except")


@builds("auto_cdc_changes")
def _changes(children: list[Any], tree: Tree, text: str) -> AutoCdc:
    """Raises ParseSyntaxError without KEYS or SEQUENCE BY, and for clauses that the type of the history lacks."""
    source, *clauses = children
    values = collect(clauses, tree.children[1:], text)
    for field, words in (("keys", "KEYS (column, …)"), ("sequence", "SEQUENCE BY expression")):
        if field not in values:
            raise errors.ParseSyntaxError(f"AUTO CDC needs {words}.", "").at(caret(tree, text))
    changes = AutoCdc(text[tree.start : tree.end], without_live_names(source), **values)
    wrong = None
    if changes.scd_type not in {1, 2}:
        wrong = "The type is STORED AS SCD TYPE 1 or 2."
    elif changes.scd_type == 2 and changes.truncate is not None:
        wrong = "APPLY AS TRUNCATE is for SCD type 1."
    elif changes.scd_type == 1 and changes.track is not None:
        wrong = "TRACK HISTORY is for SCD type 2."
    if wrong is not None:
        raise errors.ParseSyntaxError(wrong, "").at(caret(tree, text))
    return changes


@plan.register
def plan_create_flow(statement: CreateFlow, context: Context) -> Plan:
    """The flow fills its table at once, as on a SQL warehouse; REFRESH STREAMING TABLE goes on with it."""
    entry = require_kind("CREATE FLOW", Refreshed.STREAMING_TABLE, statement.table, context)
    assert entry.refreshed is not None
    if isinstance(statement.rows, FlowChanges):
        return plan(ApplyChanges(statement.table, statement.rows), context)
    if statement.once:
        return _inserted(statement, statement.rows, context)
    view = _stream_view(entry, statement, statement.rows, context)
    known = definition = entry.refreshed
    if not definition.view.query:
        definition = replace(definition, view=view)
    elif not has_stream(definition.view.query):
        reason = "its query computes all its rows"
        raise errors.StreamingQueryError(str(statement.table), reason, "Give the flow a table of its own.").at(
            context.caret(statement.table.start, statement.table.end)
        )
    elif view.query not in {definition.view.query, *(flow.query for flow in definition.flows)}:
        definition = replace(definition, flows=(*definition.flows, view))

    def steps() -> Iterator[Plan]:
        yield Redefinition(entry.parts, definition)
        yield plan(RefreshData(Refreshed.STREAMING_TABLE, statement.table, False, False), context.later())
        yield from clustered_later(known, statement.table, context)

    return Stepwise("the flow, then its rows", steps())


def _inserted(statement: CreateFlow, query: SqlText, context: Context) -> Plan:
    """The rows of a flow that runs once: those that its source has now."""
    text = query.text
    if has_stream(text):
        table = str(statement.table)
        try:
            text = stream_of(text, table)[0]
            require_limits(query.text, table, context)
        except DeltaSqlError as error:
            raise error.at(context.caret(query.start, query.end)) from None
    rows = replace(query, text=text)
    return plan(Insert(None, True, False, statement.table, None, (), None, True, None, rows), context)


def _stream_view(entry: TableEntry, statement: CreateFlow, query: SqlText, context: Context) -> ViewDefinition:
    """The rows of a flow. Raises StreamingQueryError where its source is one that another flow of the table reads."""
    table = sql_name(entry.parts)
    try:
        text, reference = stream_of(query.text, table)
        stream_rules(query.text, table, context)
        for other in _streams(entry):
            read = stream_of(other, table)[1]
            if other != query.text and (read.parts, read.arguments) == (reference.parts, reference.arguments):
                reason = f"two of its flows read {'.'.join(read.parts)}"
                raise errors.StreamingQueryError(table, reason, "Read it by one flow, and join its parts by UNION ALL.")
    except DeltaSqlError as error:
        raise error.at(context.caret(query.start, query.end)) from None
    view = view_definition(entry.parts, statement.table, SqlText(text, query.start), (), context)
    return replace(view, query=query.text.rstrip().rstrip(";").rstrip())


def _streams(entry: TableEntry) -> Iterator[str]:
    assert entry.refreshed is not None
    for view in (entry.refreshed.view, *entry.refreshed.flows):
        if has_stream(view.query):
            yield view.query


@plan.register
def plan_apply_changes(statement: ApplyChanges, context: Context) -> Plan:
    """The table's rows become those of the changes, now and with each refresh."""
    entry = require_kind("AUTO CDC", Refreshed.STREAMING_TABLE, statement.table, context)
    assert entry.refreshed is not None
    view = entry.refreshed.view
    if entry.refreshed.flows or has_stream(view.query) or STREAMED in view.properties:
        reason = "it has rows of other flows"
        raise errors.StreamingQueryError(
            sql_name(entry.parts), reason, "Give AUTO CDC a streaming table of its own."
        ).at(context.caret(statement.table.start, statement.table.end))
    changes = statement.changes
    source = changes.source.text if isinstance(changes, ReplacedKeys) else f"FROM {changes.source.text}"
    try:
        require_limits(source, sql_name(entry.parts), context)
    except DeltaSqlError as error:
        raise error.at(context.caret(changes.source.start, changes.source.end)) from None
    query = SqlText(changes_query(changes, sql_name(entry.parts), context), changes.source.start)
    view = view_definition(entry.parts, statement.table, query, (), context)
    known = entry.refreshed
    definition = replace(known, view=replace(view, properties={FLOW: changes.text}))

    def steps() -> Iterator[Plan]:
        yield Redefinition(entry.parts, definition)
        yield plan(RefreshData(Refreshed.STREAMING_TABLE, statement.table, True, False), context.later())
        yield from clustered_later(known, statement.table, context)

    return Stepwise("the changes, then the rows", steps())


def changes_query(changes: FlowChanges, table: str, context: Context) -> str:
    """The query that gives the rows of a table from all events of its source.

    Events without a sequence are left out. Of several events of one key with one sequence the one with the greatest
    values counts, so that each refresh gives the same rows. Raises UnresolvedColumnError for a column that the source
    lacks, at its place.
    """
    source = _source(changes, table, context)
    columns = query_columns(SqlText(f"SELECT * FROM {source}", changes.source.start), context).names
    _require_columns(changes, columns, context)
    keys = ", ".join(quote(key.parts[0]) for key in changes.keys)
    if isinstance(changes, AutoCdc):
        return _rows_of_changes(changes, source, keys, columns)
    newest = f"rank() OVER (PARTITION BY {keys} ORDER BY {changes.sequence.text} DESC)"
    rows = f"SELECT *, {newest} AS {_NEWEST} FROM {source} WHERE {changes.sequence.text} IS NOT NULL"
    return f"SELECT * EXCEPT ({_NEWEST}) FROM ({rows}) WHERE {_NEWEST} = 1"


def _rows_of_changes(changes: AutoCdc, source: str, keys: str, columns: Sequence[str]) -> str:
    """The query of AUTO CDC over its source, whose columns these are."""
    events = _events(changes, source, keys, columns)
    if changes.ignores_nulls:
        events = _without_nulls(events, keys, [name for name in columns if name.lower() not in _lowered(changes.keys)])
    shown = [name for name in columns if _is_listed(name, changes.columns)]
    if changes.scd_type == 1:
        last = f"row_number() OVER (PARTITION BY {keys} ORDER BY {_SEQUENCE} DESC)"
        listed = ", ".join(map(quote, shown))
        numbered = f"SELECT *, {last} AS {_LAST} FROM ({events})"
        return f"SELECT {listed} FROM ({numbered}) WHERE {_LAST} = 1 AND NOT {_DELETED}"
    tracked = [name for name in shown if _is_listed(name, changes.track) and name.lower() not in _lowered(changes.keys)]
    return _history(events, keys, shown, tracked)


def _events(changes: AutoCdc, source: str, keys: str, columns: Sequence[str]) -> str:
    """The events behind the last truncation, one for each sequence of a key, with their sequence and _DELETED."""
    where = "" if changes.where is None else f" AND ({changes.where.text}\n)"
    deleted = "false" if changes.delete is None else f"coalesce(({changes.delete.text}\n), false)"
    events = (
        f"SELECT *, ({changes.sequence.text}\n) AS {_SEQUENCE}, {deleted} AS {_DELETED} FROM {source}"
        f" WHERE ({changes.sequence.text}\n) IS NOT NULL{where}"
    )
    if changes.truncate is not None:
        truncated = f"CASE WHEN {changes.truncate.text}\nTHEN {_SEQUENCE} END"
        lasts = f"SELECT *, max({truncated}) OVER () AS {_LAST} FROM ({events})"
        events = f"SELECT * EXCEPT ({_LAST}) FROM ({lasts}) WHERE {_LAST} IS NULL OR {_SEQUENCE} > {_LAST}"
    everything = f"to_json(struct({', '.join(map(quote, columns))}))"
    newest = f"row_number() OVER (PARTITION BY {keys}, {_SEQUENCE} ORDER BY {_DELETED} DESC, {everything} DESC)"
    return f"SELECT * EXCEPT ({_NEWEST}) FROM (SELECT *, {newest} AS {_NEWEST} FROM ({events})) WHERE {_NEWEST} = 1"


def _source(changes: FlowChanges, table: str, context: Context) -> str:
    """The source without its word STREAM and options. Raises StreamingQueryError for a query that reads no stream."""
    if isinstance(changes, ReplacedKeys):
        try:
            return f"({stream_of(changes.source.text, table)[0].rstrip().rstrip(';')}\n)"
        except DeltaSqlError as error:
            raise error.at(context.caret(changes.source.start, changes.source.end)) from None
    text = f"FROM {changes.source.text}"
    return splice(text, [(start, end, "") for start, end in stream_words(text)]).sql.removeprefix("FROM").strip()


def _lowered(paths: Sequence[ColumnPath]) -> set[str]:
    return {path.parts[0].lower() for path in paths}


def _is_listed(name: str, listed: Listed | None) -> bool:
    return listed is None or (name.lower() in _lowered(listed.columns)) != listed.but


def _require_columns(changes: FlowChanges, columns: Sequence[str], context: Context) -> None:
    """Raises UnresolvedColumnError for a name in KEYS, COLUMNS or TRACK HISTORY that is no column of the source."""
    known = {name.lower() for name in columns}
    chosen = (changes.columns, changes.track) if isinstance(changes, AutoCdc) else ()
    lists = [item.columns for item in chosen if item is not None]
    for path in (*changes.keys, *(path for paths in lists for path in paths)):
        if path.parts[0].lower() not in known:
            advice = f"The source has {', '.join(columns)}."
            error = errors.UnresolvedColumnError(column=quote(path.parts[0]), advice=advice)
            raise error.at(context.caret(path.start, path.end))


def _without_nulls(events: str, keys: str, columns: Sequence[str]) -> str:
    """Events with the last value of each column that was not NULL since the key was deleted (IGNORE NULL UPDATES)."""
    order = f"PARTITION BY {keys} ORDER BY {_SEQUENCE} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING"
    lives = f"SELECT *, count_if({_DELETED}) OVER ({order}) AS {_LIFE} FROM ({events})"
    within = f"PARTITION BY {keys}, {_LIFE} ORDER BY {_SEQUENCE} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
    values = [f"last_value({quote(name)}, true) OVER ({within}) AS {quote(name)}" for name in columns]
    return f"SELECT {', '.join((keys, *values, _SEQUENCE, _DELETED))} FROM ({lives})"


def _history(events: str, keys: str, shown: Sequence[str], tracked: Sequence[str]) -> str:
    """The rows of SCD type 2. Events in a row with the same tracked values are one, with the last of their others."""
    order = f"PARTITION BY {keys} ORDER BY {_SEQUENCE}"
    values = f"struct({', '.join(map(quote, tracked)) or 'true'}, {_DELETED})"
    same = f"coalesce(lag({values}) OVER ({order}) <=> {values}, false)"
    marked = f"SELECT *, NOT {same} AS {_NEW} FROM ({events})"
    grouped = f"SELECT *, count_if({_NEW}) OVER ({order}) AS {_GROUP} FROM ({marked})"
    within = f"PARTITION BY {keys}, {_GROUP}"
    spans = (
        f"SELECT *, min({_SEQUENCE}) OVER ({within}) AS {_FIRST},"
        f" row_number() OVER ({within} ORDER BY {_SEQUENCE} DESC) AS {_LAST} FROM ({grouped})"
    )
    following = f"lead({_FIRST}) OVER (PARTITION BY {keys} ORDER BY {_GROUP})"
    ends = f"SELECT *, {following} AS {_END} FROM ({spans}) WHERE {_LAST} = 1"
    listed = ", ".join(map(quote, shown))
    return f"SELECT {listed}, {_FIRST} AS {START_AT}, {_END} AS {END_AT} FROM ({ends}) WHERE NOT {_DELETED}"
