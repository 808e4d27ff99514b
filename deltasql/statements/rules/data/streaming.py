"""Refreshes of streaming tables: the rows that their source got since the last one, each exactly once.

Of a table the versions that were read are part of the commit with the rows, of files their record, as for COPY INTO.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from deltasql.base.errors.statements.refresh import ChangedStreamSourceError, StreamingQueryError
from deltasql.catalog.definitions import SchemaMode
from deltasql.catalog.entries import TableEntry, sql_name
from deltasql.log.reading.change_feed import version_changes
from deltasql.log.reading.copy_log import LoadedFiles, loaded_files
from deltasql.log.replay.snapshot import Snapshot
from deltasql.plan.base import TableName, quote
from deltasql.plan.operators import FileColumns, SourceFiles
from deltasql.planner import binding
from deltasql.planner.catalog_changes import View
from deltasql.planner.change_feed import rows_of_changes
from deltasql.planner.changes import CopyLoad
from deltasql.planner.context import Context, VisibleViews
from deltasql.planner.governance.enforcing import refuse_enforced
from deltasql.planner.read_files import file_call, found_files, rows_of_call
from deltasql.planner.selected_files import location_of
from deltasql.schema.checks import CHANGE_DATA_COLUMNS
from deltasql.schema.types import StructType
from deltasql.sql.queries.relations import FILE_FUNCTIONS, TableReference, table_references
from deltasql.sql.queries.row_counts import calls_by_schema, misplaced
from deltasql.sql.references import AGGREGATES
from deltasql.sql.tokens import TokenCursor, calls, tokenize
from deltasql.statements.metadata import RefreshState
from deltasql.statements.rules.data.refreshing import (
    QUERY,
    ROWS,
    Refresh,
    all_columns,
    expected,
    full_name,
    is_append,
    over,
    over_rows,
    reads_metadata,
    require_committed,
)

_NEEDS_STATE = frozenset(
    {"GROUP", "DISTINCT", "OVER", "LIMIT", "ORDER", "UNION", "EXCEPT", "INTERSECT", "MINUS", "SETMINUS", "PIVOT"}
)
_MATERIALIZED = "Write CREATE MATERIALIZED VIEW, which computes it again."


@dataclass(frozen=True, slots=True)
class StreamRefresh:
    """A refresh, and the files that it loads where its source is files."""

    refresh: Refresh
    load: CopyLoad | None = None


def stream_of(query: str, table: str) -> tuple[str, TableReference]:
    """The query without its word STREAM, and what that stood before. Raises StreamingQueryError."""
    tokens = tokenize(query)
    words = [index for index in range(len(tokens)) if _is_stream(TokenCursor(tokens, index))]
    if len(words) != 1:
        reason = "it reads several streams" if words else "it reads no stream"
        raise StreamingQueryError(table, reason, "Write FROM STREAM(source), or FROM STREAM read_files('path').")
    needed = _needed_state(query)
    if needed is not None:
        raise StreamingQueryError(table, f"{needed}, which needs rows that were read before", _MATERIALIZED)
    word = tokens[words[0]]
    text = f"{query[: word.start]}{' ' * len(word.text)}{query[word.end :]}"
    reference = next((item for item in table_references(text) if item.start > word.start), None)
    if reference is None:
        raise StreamingQueryError(table, "it reads no table and no files by STREAM", _MATERIALIZED)
    _require_continuable(text, reference, table)
    return text, reference


def _require_continuable(text: str, reference: TableReference, table: str) -> None:
    """Raises StreamingQueryError for a source, or a place of it in the query, whose rows are not just added up."""
    if reference.temporal is not None:
        raise StreamingQueryError(table, "it reads one version of a table", "Leave the version out.")
    if reference.arguments is not None and reference.parts[-1].lower() not in FILE_FUNCTIONS:
        raise StreamingQueryError(
            table, f"it reads {reference.parts[-1]} by STREAM", "Read the table itself by STREAM."
        )
    wrong = misplaced(over(text, reference), ROWS)
    if wrong is not None:
        raise StreamingQueryError(table, f"{wrong}, which needs rows that were read before", _MATERIALIZED)
    if reference.arguments is None:
        _require_columns(text, reference, table)


def _require_columns(query: str, reference: TableReference, table: str) -> None:
    """Raises StreamingQueryError for names of columns that the new rows of a table do not have."""
    if reads_metadata(query):
        raise StreamingQueryError(table, "it reads _metadata, which new rows of a table lack", "Leave _metadata out.")
    if reference.alias is None and calls_by_schema(query, reference.parts[-1]):
        reason = "it calls columns by the schema of their table"
        raise StreamingQueryError(table, reason, "Write the name of the table, or an alias, in front of the columns.")


def has_star(query: str) -> bool:
    """Whether a query may show all columns of its source, whatever these are. A product counts as well."""
    return any(token.key == "*" for token in tokenize(query))


def has_stream(query: str) -> bool:
    """Whether a query reads anything by STREAM."""
    tokens = tokenize(query)
    return any(_is_stream(TokenCursor(tokens, index)) for index in range(len(tokens)))


def _is_stream(at: TokenCursor) -> bool:
    """Whether the next token is the word STREAM in front of a source."""
    if at.key != "STREAM" or at.peek(-1) not in {"FROM", "JOIN", ",", "("}:
        return False
    return at.peek(1) == "(" or (at.is_name_at(1) and at.peek(1) not in {"AS", "WHERE", "JOIN", "ON"})


def _needed_state(query: str) -> str | None:
    """A part of a query that depends on rows which were read before; None where there is none."""
    tokens = tokenize(query)
    at = [TokenCursor(tokens, index) for index, token in enumerate(tokens) if token.key in _NEEDS_STATE]
    used = sorted({cursor.key for cursor in at if not _is_harmless(cursor)})
    if used:
        return f"it has {used[0]}"
    return "it aggregates" if calls(query, AGGREGATES) else None


def _is_harmless(at: TokenCursor) -> bool:
    """Whether the next token belongs to IS [NOT] DISTINCT FROM, or to a star without some columns: * EXCEPT (a)."""
    if at.key == "DISTINCT":
        return at.peek(-1) in {"IS", "NOT"} and at.peek(1) == "FROM"
    return at.key == "EXCEPT" and at.peek(-1) == "*" and at.peek(1) == "("


def stream_refresh(entry: TableEntry, snapshot: Snapshot, context: Context, *, full: bool) -> StreamRefresh:
    """The refresh of a streaming table."""
    definition = entry.refreshed
    assert definition is not None
    text, reference = stream_of(definition.view.query, sql_name(entry.parts))
    inner = replace(context, catalog=context.catalog.within(*definition.view.namespace))
    rows = _FileRows if reference.arguments is not None else _TableRows
    return rows(entry, snapshot, inner, text, reference, full).refresh()


@dataclass(frozen=True, slots=True)
class _Rows:
    """The new rows of one source; `text` is the query without STREAM."""

    entry: TableEntry
    snapshot: Snapshot
    context: Context
    text: str
    reference: TableReference
    full: bool

    @property
    def definition_id(self) -> str:
        assert self.entry.refreshed is not None
        return self.entry.refreshed.id

    def loading(self, rows: View, state: RefreshState, reason: str) -> Refresh:
        """The refresh that adds, or with FULL puts in place of all others, the query's rows over these."""
        definition = self.entry.refreshed
        assert definition is not None
        verb = "INSERT OVERWRITE TABLE" if self.full else "INSERT INTO"
        query = self._with_new_columns(over_rows(definition, self.text, self.reference), rows)
        assert query.creation is not None
        mode = "FULL" if self.full else "APPEND"
        sql = f"{verb} {full_name(self.entry)} {all_columns(self.snapshot, definition)}"
        names = query.creation.schema.names
        if sorted(map(str.lower, names)) != sorted(map(str.lower, self.snapshot.schema.names)):
            replaced = "REPLACE WHERE true " if self.full else ""
            rows_of_query = f"SELECT {', '.join(map(quote, names))} FROM {QUERY}{expected(definition)}"
            into = f"INSERT WITH SCHEMA EVOLUTION INTO {full_name(self.entry)} BY NAME"
            sql = f"{into} {replaced}{rows_of_query}"
        views = {QUERY: query, ROWS: rows}
        return Refresh(mode, "FULL was written" if self.full else reason, replace(state, mode=mode), sql, views)

    def _with_new_columns(self, query: View, rows: View) -> View:
        """A query with a star has the columns that its source has got since, behind those that the table began with."""
        creation, definition = query.creation, self.entry.refreshed
        assert creation is not None
        assert definition is not None
        if definition.view.has_names or not has_star(self.text):
            return query
        inner = replace(self.context, views=VisibleViews({**self.context.views, ROWS: rows}))
        fresh = binding.view_rows(inner, replace(query, mode=SchemaMode.EVOLUTION), TableName(self.entry.parts))
        # New rows of a table are read with the columns of its change data feed, which it can have no others of.
        feed = set(CHANGE_DATA_COLUMNS) if self.reference.arguments is None else set()
        known = {name.lower() for name in creation.schema.names} | feed
        new = tuple(field for field in self.context.analyst.schema(fresh) if field.name.lower() not in known)
        names = (*creation.names, *(field.name for field in new))
        return replace(query, creation=replace(creation, names=names, schema=StructType((*creation.schema, *new))))

    def nothing(self, reason: str) -> StreamRefresh:
        return StreamRefresh(Refresh("NONE", reason, RefreshState(self.definition_id)))


def table_source(name: TableName, table: str, context: Context) -> str:
    """The location of the table that a stream reads. Raises StreamingQueryError for what is no Delta table."""
    location = None if context.is_view(name) else location_of(context, name)
    if location is None or context.foreign(name) is not None:
        raise StreamingQueryError(table, f"{name} is no table of Delta", _MATERIALIZED)
    return location


class _TableRows(_Rows):
    """The new rows of a table."""

    __slots__ = ()

    def refresh(self) -> StreamRefresh:
        """Raises ChangedStreamSourceError, and what is wrong with the table."""
        name = TableName(self.reference.parts)
        location = table_source(name, sql_name(self.entry.parts), self.context)
        log = self.context.logs(location, str(name))
        require_committed(log)
        source = self.context.snapshot(name, location)
        refuse_enforced("A stream", name, location, self.context)
        before = None if self.full else RefreshState.of(self.snapshot)
        read = {} if before is None else dict(before.sources)
        after = RefreshState(self.definition_id, {**read, source.metadata.id: source.version})
        start = read.get(source.metadata.id)
        if start is None:
            rows = binding.scan(self.context, source)
            return StreamRefresh(self.loading(View("", rows=rows), after, "all rows are new"))
        if start == source.version:
            return self.nothing("the source has no new version")
        versions = list(version_changes(log, start + 1, source.version))
        for item in versions:
            if not is_append(item):
                raise ChangedStreamSourceError(str(name), item.version, sql_name(self.entry.parts))
        new = [item for item in versions if item.inserted]
        if not new:
            return self.nothing("the source has no new row")
        rows_of_versions = rows_of_changes(log, source, new)
        return StreamRefresh(
            self.loading(View("", rows=rows_of_versions), after, f"versions from {start + 1} on are new")
        )


class _FileRows(_Rows):
    """The rows of new files."""

    __slots__ = ()

    def refresh(self) -> StreamRefresh:
        """Raises what `found_files` and `rows_of_call` raise."""
        call = file_call(self.reference, self.context)
        log = self.context.logs(self.entry.location, sql_name(self.entry.parts))
        earlier = LoadedFiles() if self.full else loaded_files(log.store, self.snapshot)
        found = found_files(call, self.context)
        new = tuple(file for file in found.files if file.path not in earlier.paths)
        if not new and not self.full:
            return self.nothing("there are no new files")
        rows = rows_of_call(call, replace(found, files=new))
        if rows.columns is not None and rows.columns.declared is None and len(new) < len(found.files):
            rows = replace(rows, columns=self._of_all_files(rows.columns, rows_of_call(call, found)))
        refresh = self.loading(View("", rows=rows), RefreshState(self.definition_id), f"{len(new)} files are new")
        return StreamRefresh(refresh, CopyLoad(new, earlier, 0, forced=self.full))

    def _of_all_files(self, columns: FileColumns, rows: SourceFiles) -> FileColumns:
        """The columns that all files have, so that one without some of them has NULL there."""
        schema = self.context.analyst.schema(rows)
        kept = tuple(field for field in schema if field.name != columns.rescued)
        return replace(columns, declared=StructType(kept))
