"""The refresh that a materialized view or streaming table needs, and the statement that does it.

A full refresh runs the query again. Parts of the result are computed again where `sql.queries.incremental` shows that
no other part can change; new rows alone are added where the sources only got new rows.

A streaming table gets the rows that were added to its source since the last refresh, each exactly once. For a table as
source the versions that were read are part of the commit with the rows; for files it is their record, as for COPY INTO.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from deltasql.base import DeltaSqlError, Token, closing, comma_separated, did_you_mean, errors
from deltasql.catalog import RefreshDefinition, SchemaMode, TableEntry, sql_name
from deltasql.files import stream_options
from deltasql.log import (
    DeltaLog,
    LoadedFiles,
    Metadata,
    Snapshot,
    StreamRules,
    StreamSource,
    VersionChanges,
    canonical,
    keys_of,
    loaded_files,
    located,
    version_changes,
    with_keys,
)
from deltasql.plan import (
    ColumnPath,
    FileColumns,
    Operator,
    RowTally,
    Scan,
    SourceFiles,
    SqlFunction,
    SqlQuery,
    SqlText,
    TableName,
    Write,
    children,
    with_tally,
)
from deltasql.planner import (
    Context,
    CopyLoad,
    RowChange,
    View,
    VisibleViews,
    binding,
    enforced,
    file_call,
    found_files,
    location_of,
    refuse_enforced,
    rows_of_call,
    rows_of_changes,
)
from deltasql.schema import CHANGE_DATA_COLUMNS, StructType
from deltasql.schema import quote_name as quote
from deltasql.sql import (
    Incremental,
    NotIncrementalError,
    TableReference,
    incremental,
    is_stable,
    splice,
    table_references,
    unquote,
)
from deltasql.statements.constraints import CheckConstraint, inside, with_declared_keys
from deltasql.statements.streamed import (
    MATERIALIZED,
    ROWS,
    has_star,
    options_of_stream,
    over,
    reads_metadata,
    stream_of,
    text_of_all_rows,
)
from deltasql.statements.table import CreateTable
from deltasql.statements.table_metadata import RefreshState, declared_keys, declared_schema

QUERY = "deltasql_refreshed_query"
"""The name by which the statement of a refresh calls the rows of the definition's query."""
_CHANGED = "deltasql_changed_rows_"
_GONE = "deltasql_is_key"
_MOST_FILES = 500
"""Files that are looked for before a refresh; where more have changed, the query is run again."""


@dataclass(frozen=True, slots=True)
class Refresh:
    """How to refresh: the mode and its reason, the statement (None: there is nothing to do), and the state afterwards.

    `views` are the rows that the statement calls by names.
    """

    mode: str
    reason: str
    state: RefreshState
    sql: str | None = None
    views: Mapping[str, View] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Source:
    """A table that the query of a definition reads."""

    log: DeltaLog
    snapshot: Snapshot

    @property
    def id(self) -> str:
        return self.snapshot.metadata.id


@dataclass(frozen=True, slots=True)
class Listed:
    """Columns of AUTO CDC: these, or all `but` these."""

    columns: tuple[ColumnPath, ...]
    but: bool


@dataclass(frozen=True, slots=True)
class FlowChanges:
    """The changes by which a flow gives a table its rows: `text` is all of it as it is written, and `source` has its
    word STREAM.
    """

    text: str
    source: SqlText
    keys: tuple[ColumnPath, ...]
    sequence: SqlText


@dataclass(frozen=True, slots=True)
class ReplacedKeys(FlowChanges):
    """REPLACE USING (keys) SEQUENCE BY column BY NAME query: the source is a query."""


@dataclass(frozen=True, slots=True)
class AutoCdc(FlowChanges):
    """FROM source KEYS (…) [WHERE …] [IGNORE NULL UPDATES] [APPLY AS {DELETE | TRUNCATE} WHEN …] SEQUENCE BY …
    [COLUMNS …] [STORED AS SCD TYPE n] [TRACK HISTORY ON …]
    """

    where: SqlText | None = None
    delete: SqlText | None = None
    truncate: SqlText | None = None
    ignores_nulls: bool = False
    columns: Listed | None = None
    scd_type: int = 1
    track: Listed | None = None


def without_live(name: TableName) -> TableName:
    """The name without the schema LIVE, by which the first form of pipelines calls its tables."""
    has_live = len(name.parts) == 2 and name.parts[0].lower() == "live"
    return replace(name, parts=name.parts[1:]) if has_live else name


def without_live_names(query: SqlText) -> SqlText:
    """The query of a pipeline with blanks in place of the schema LIVE, and without cloud_files."""
    tokens = query.tokens
    spans = [
        (token.start, dot.end)
        for before, token, dot in zip((None, *tokens), tokens, tokens[1:], strict=False)
        if token.key == "LIVE" and dot.key == "." and (before is None or before.key in _BEFORE_TABLE)
    ]
    edits = [(start, end, " " * (end - start)) for start, end in spans]
    edits += (edit for at in range(len(tokens)) for edit in _of_cloud_files(query.text, tokens, at))
    return replace(query, text=splice(query.text, edits).sql) if edits else query


def _of_cloud_files(text: str, tokens: Sequence[Token], at: int) -> Iterator[tuple[int, int, str]]:
    """`cloud_files(path, format, map(key, value, …))` at a token as STREAM read_files with these options."""
    if tokens[at].key != "CLOUD_FILES" or at + 1 == len(tokens) or tokens[at + 1].key != "(":
        return
    end = closing(tokens, at + 1)
    if end == len(tokens):
        return
    arguments = [part for part in comma_separated(tokens[at + 2 : end]) if part]
    place = [text[part[0].start : part[-1].end] for part in arguments[:1]]
    listed = ", ".join([*place, *_file_options(text, arguments[1:])])
    before = {token.key for token in tokens[max(0, at - 2) : at]}
    stream = "" if "STREAM" in before else "STREAM "
    yield tokens[at].start, tokens[end].end, f"{stream}read_files({listed})"


def _file_options(text: str, arguments: Sequence[Sequence[Token]]) -> Iterator[str]:
    """The format and the map of options of cloud_files as named arguments."""
    for tokens in arguments[:1]:
        yield f"format => {text[tokens[0].start : tokens[-1].end]}"
    for tokens in arguments[1:]:
        values = [part for part in comma_separated(tokens[2:-1]) if part]
        for key, value in zip(values[::2], values[1::2], strict=False):
            yield f"{unquote(key[0].text).removeprefix('cloudFiles.')} => {text[value[0].start : value[-1].end]}"


FLOW = "flow"
"""The key, in the properties of a view, of the text of AUTO CDC that its query was made of."""
_BEFORE_TABLE = frozenset({"FROM", "JOIN", ",", "(", "STREAM", "TABLE"})


def full_name(entry: TableEntry) -> str:
    """The name of a table with all its parts, as SQL."""
    return ".".join(map(quote, entry.parts))


def all_columns(snapshot: Snapshot, definition: RefreshDefinition) -> str:
    """The query for the rows of QUERY as the table has its columns: by their names, whatever their order."""
    return f"SELECT {', '.join(map(quote, snapshot.schema.names))} FROM {QUERY}{expected(definition)}"


def expected(definition: RefreshDefinition) -> str:
    """The condition that leaves out rows which violate expectations with DROP ROW, with its WHERE; "" without one."""
    conditions = " AND ".join(f"coalesce(({condition}\n), false)" for condition in definition.kept)
    return f" WHERE {conditions}" if conditions else ""


def tallied(change: RowChange, definition: RefreshDefinition) -> RowChange | None:
    """The change, which counts the rows of each expectation, and drops those that it shall.

    None where no expectation lets rows pass that violate it, or where the change also needs rows of the table.
    """
    if all(item.action == "FAIL UPDATE" for item in definition.expectations):
        return None
    conditions = {item.name: item.condition for item in definition.expectations}
    drops = frozenset(item.name for item in definition.expectations if item.action == "DROP ROW")
    operator = with_tally(change.operator, RowTally(conditions, drops))
    return None if operator is None else replace(change, operator=cast("Write", operator))


def refresh_of(entry: TableEntry, snapshot: Snapshot, context: Context, *, full: bool) -> Refresh:
    """The refresh of a materialized view."""
    definition = entry.refreshed
    assert definition is not None
    query = binding.view_rows(context, binding.stored_view(definition.view), TableName(entry.parts))
    sources = sources_of(query, context)
    versions = {} if sources is None else {source.id: source.snapshot.version for source in sources.values()}
    again = _Refreshing(entry, snapshot, definition, query, sources or {}, RefreshState(definition.id, versions))
    before = RefreshState.of(snapshot)
    try:
        if full:
            raise NotIncrementalError("FULL was written")
        if before is None or before.definition != definition.id:
            raise NotIncrementalError("the query was not run before")
        again.require_repeatable(context, is_of_tables=sources is not None)
        if len(versions) < len(sources or ()):
            raise NotIncrementalError("two of its sources are copies of one table, with the same id")
        if before.sources == versions:
            return Refresh("NONE", "no source has changed", before)
        return again.partly(before, context)
    except NotIncrementalError as error:
        return again.fully(error.reason)


def sources_of(query: SqlQuery, context: Context) -> dict[str, Source] | None:
    """The tables that a bound query reads, by location; None if it reads anything else, or two versions of one."""
    found: dict[str, Source] = {}
    for operator in _all(query):
        if isinstance(operator, Scan):
            table = operator.table
            log = context.logs(table.location, table.name)
            require_committed(log)
            try:
                source = found.setdefault(table.location, Source(log, log.snapshot(table.version)))
            except errors.NotADeltaTableError:
                # The files of another format.
                return None
            if source.snapshot.version != table.version:
                return None
        elif isinstance(operator, SqlQuery):
            named = {name.lower() for name in operator.relations}
            others = (reference.parts[-1].lower() for reference in table_references(operator.sql))
            if any(name not in named for name in others):
                return None
        else:
            return None
    return found


def require_committed(log: DeltaLog) -> None:
    """Raises NotInTransactionError for a source with changes of this transaction: they have no version yet."""
    if log.settled is not log:
        reason = f"{log.table} has changes that are not committed, so a refresh could not record what it has read."
        raise errors.NotInTransactionError("A refresh", reason)


def _all(operator: Operator) -> Iterator[Operator]:
    yield operator
    for child in children(operator):
        yield from _all(child)


@dataclass(frozen=True, slots=True)
class _Refreshing:
    """One refresh: the view's table, and the tables by location that its query reads as they are now."""

    entry: TableEntry
    snapshot: Snapshot
    definition: RefreshDefinition
    query: SqlQuery
    sources: Mapping[str, Source]
    after: RefreshState

    @property
    def columns(self) -> Sequence[str]:
        return self.snapshot.schema.names

    @property
    def views(self) -> dict[str, View]:
        return {QUERY: binding.stored_view(self.definition.view)}

    def fully(self, reason: str) -> Refresh:
        """The query is run again, and its rows replace all others; columns that the table lacks are added to it."""
        names = self.definition.view.schema.names
        if not {name.lower() for name in names} <= {name.lower() for name in self.columns}:
            rows = f"SELECT {', '.join(map(quote, names))} FROM {QUERY}{expected(self.definition)}"
            into = f"INSERT WITH SCHEMA EVOLUTION INTO {full_name(self.entry)} BY NAME REPLACE WHERE true"
            return Refresh("FULL", reason, self.after, f"{into} {rows}", self.views)
        sql = f"INSERT OVERWRITE TABLE {full_name(self.entry)} {all_columns(self.snapshot, self.definition)}"
        return Refresh("FULL", reason, self.after, sql, self.views)

    def require_repeatable(self, context: Context, *, is_of_tables: bool) -> None:
        """Raises NotIncrementalError for a query that may give other rows although no table has changed."""
        if any(isinstance(operator, SqlFunction) for operator in _all(self.query)):
            raise NotIncrementalError("its query calls a function of the catalog")
        if not is_of_tables:
            raise NotIncrementalError("its query reads more than tables of Delta")
        texts = [operator.sql for operator in _all(self.query) if isinstance(operator, SqlQuery)]
        if not all(map(is_stable, texts)) or binding.calls_session_functions(context, self.definition.view.query):
            raise NotIncrementalError("its query may give other rows each time")

    def partly(self, before: RefreshState, context: Context) -> Refresh:
        """The refresh that starts from the rows that are there. Raises NotIncrementalError."""
        # The state has versions by table id, so that a table which was dropped and created again is another one.
        if before.sources.keys() != self.after.sources.keys():
            raise NotIncrementalError("a source is another table by now")
        references, named = self._references()
        changed = self._changed(before, context)
        if not changed:
            return Refresh("NONE", "no row of a source has changed", before)
        schemas = {alias: source.snapshot.schema for alias, source in named.items()}
        view = self.definition.view
        shape = incremental(view.query, schemas, [None if view.has_names else name for name in view.schema.names])
        first, *others = changed.items()
        # With new rows in two joined sources, the new rows of each joined with all rows of the other would give
        # the pairs of new rows twice.
        if shape.per_row and not others and all(map(is_append, first[1])):
            reference = next(item for item in references if _at(named[alias_of(item)]) == first[0])
            return self._added(reference, self.sources[first[0]], first[1])
        if not shape.keys:
            raise NotIncrementalError("rows were changed or deleted, and its result has no column of its sources")
        return self._by_keys(shape, named, changed)

    def _changed(self, before: RefreshState, context: Context) -> dict[str, list[VersionChanges]]:
        """The versions since the last refresh, by source, with changed rows. Raises NotIncrementalError."""
        found = {}
        for location, source in self.sources.items():
            start = before.sources[source.id]
            versions = [] if source.snapshot.version == start else _changes(source, start, context)
            if versions:
                found[location] = versions
        return found

    def _references(self) -> tuple[list[TableReference], dict[str, Source]]:
        """The tables as the query names them, and by their aliases. Raises NotIncrementalError."""
        references = table_references(self.definition.view.query)
        if reads_metadata(self.definition.view.query):
            raise NotIncrementalError("its query reads _metadata, which also changes with the files of a source")
        scans = [item for item in self.query.relations.values() if isinstance(item, Scan)]
        if len(scans) != len(references) or len(self.query.relations) != len(scans):
            raise NotIncrementalError("its query reads views")
        if any(reference.temporal for reference in references):
            raise NotIncrementalError("its query reads a version of a table")
        named = {}
        for reference, scan in zip(references, scans, strict=True):
            named[alias_of(reference)] = self.sources[scan.table.location]
        if len(named) != len(self.sources) or len(named) != len(references):
            raise NotIncrementalError("it reads other sources than tables, or one of them twice")
        return references, named

    def _added(self, reference: TableReference, source: Source, versions: Sequence[VersionChanges]) -> Refresh:
        """The rows of the query over the new rows of one source."""
        rows = rows_of_changes(source.log, source.snapshot, versions)
        sql = f"INSERT INTO {full_name(self.entry)} {all_columns(self.snapshot, self.definition)}"
        views = {QUERY: over_rows(self.definition, self.definition.view.query, reference), ROWS: View("", rows=rows)}
        return Refresh("APPEND", "the source has new rows alone", replace(self.after, mode="APPEND"), sql, views)

    def _by_keys(
        self, shape: Incremental, sources: Mapping[str, Source], changed: Mapping[str, Sequence[VersionChanges]]
    ) -> Refresh:
        """The rows with keys that changed rows have are replaced."""
        self._require_same_types(shape.keys)
        rows = f"(SELECT * FROM {QUERY}{expected(self.definition)})"
        keys = [quote(self.columns[index]) for index in shape.keys]
        views, selects = self.views, []
        for number, (alias, source) in enumerate(sources.items()):
            if _at(source) not in changed:
                continue
            changes = rows_of_changes(source.log, source.snapshot, changed[_at(source)])
            views[f"{_CHANGED}{number}"] = View("", rows=changes)
            listed = ", ".join(f"{quote(name)} AS {key}" for name, key in zip(shape.sources[alias], keys, strict=True))
            selects.append(f"SELECT {listed} FROM {_CHANGED}{number}")
        found = "\nUNION ".join(selects) if len(selects) > 1 else selects[0].replace("SELECT", "SELECT DISTINCT", 1)
        names = [quote(name) for name in self.columns]
        key_row = ", ".join(f"k.{name}" if name in keys else f"NULL AS {name}" for name in names)
        same = " AND ".join(f"q.{key} <=> k.{key}" for key in keys)
        # Rows with the flag are keys, and delete all old rows that have them. The computed rows never match, so that
        # each is inserted, equal ones too. As one MERGE both are one commit; with <=> NULL is a key like any other.
        sql = (
            f"MERGE INTO {full_name(self.entry)} AS t USING (\n"
            f"SELECT true AS {_GONE}, {key_row} FROM (\n{found}\n) AS k\nUNION ALL\n"
            f"SELECT false, q.* FROM {rows} AS q LEFT SEMI JOIN (\n{found}\n) AS k ON {same}\n"
            f") AS s ON s.{_GONE} AND {' AND '.join(f't.{key} <=> s.{key}' for key in keys)}\n"
            f"WHEN MATCHED THEN DELETE\n"
            f"WHEN NOT MATCHED AND NOT s.{_GONE} THEN INSERT ({', '.join(names)}) "
            f"VALUES ({', '.join(f's.{name}' for name in names)})"
        )
        reason = f"rows with the changed values of {', '.join(keys)} are computed again"
        return Refresh("INCREMENTAL", reason, replace(self.after, mode="INCREMENTAL"), sql, views)

    def _require_same_types(self, keys: Sequence[int]) -> None:
        """Raises NotIncrementalError for a key that the table stores in another type than the query gives."""
        # A cast to the stored type may change a key, or make two keys one, so that rows would not be found by it.
        for name in (self.columns[index] for index in keys):
            given, stored = (schema.find(name) for schema in (self.definition.view.schema, self.snapshot.schema))
            if given is None or stored is None or given.type != stored.type:
                raise NotIncrementalError(f"{quote(name)} has another type than in the query")


def _at(source: Source) -> str:
    return source.snapshot.location


def alias_of(reference: TableReference) -> str:
    """The name by which a query calls the columns of a table, in lower case."""
    return (reference.alias or reference.parts[-1]).lower()


def over_rows(definition: RefreshDefinition, text: str, reference: TableReference) -> View:
    """The view of a definition's query, spelled as `text`, that reads ROWS in place of one of its tables."""
    view = binding.stored_view(definition.view)
    assert view.creation is not None
    return replace(view, query=over(text, reference), creation=replace(view.creation, views=frozenset({ROWS})))


def is_append(changed: VersionChanges) -> bool:
    """Whether a version only has new rows."""
    return not (changed.changes or changed.deleted or changed.marked or changed.unmarked)


def _changes(source: Source, start: int, context: Context) -> list[VersionChanges]:
    """The versions behind `start` in which rows have changed. Raises NotIncrementalError where not all can be read."""
    if source.snapshot.version < start:
        raise NotIncrementalError("a source is older than before")
    if enforced(source.snapshot.location, context) is not None:
        raise NotIncrementalError("a source has a row filter or masks")
    try:
        found = list(version_changes(source.log, start + 1, source.snapshot.version))
    except (DeltaSqlError, FileNotFoundError):
        raise NotIncrementalError("a source does not have all versions since then") from None
    metadata = [Metadata.from_json(item.metadata) for item in found if item.metadata is not None]
    if not all(_same_columns(item, source.snapshot) for item in (*metadata, *_before(source, start, metadata))):
        raise NotIncrementalError("a source has other columns by now")
    # Versions that only move rows, such as those of OPTIMIZE, or change metadata, need no refresh.
    kept = [item for item in found if item.inserted or not is_append(item)]
    _require_files(source, kept, context)
    return kept


def _before(source: Source, start: int, later: Sequence[Metadata]) -> Iterator[Metadata]:
    """The metadata at the last refresh, if it is not the one of today. Raises NotIncrementalError where it is lost."""
    if later:
        try:
            yield source.log.snapshot(start).metadata
        except (DeltaSqlError, FileNotFoundError):
            raise NotIncrementalError("a source does not have all versions since then") from None


def _same_columns(metadata: Metadata, snapshot: Snapshot) -> bool:
    return metadata.schema == snapshot.schema and tuple(metadata.partition_columns) == tuple(snapshot.partition_columns)


def _require_files(source: Source, versions: Sequence[VersionChanges], context: Context) -> None:
    """Raises NotIncrementalError for files that VACUUM has removed, and for very many."""
    paths = {
        located(canonical(str(action["path"]), source.log.location), source.log.location)
        for item in versions
        for action in (*item.changes, *item.inserted, *item.deleted, *(m.file for m in (*item.marked, *item.unmarked)))
    }
    if len(paths) > _MOST_FILES:
        raise NotIncrementalError(f"more than {_MOST_FILES} files of a source have changed")
    # VACUUM may have removed files of earlier versions. Looked up before the statement runs, this still leads to a full
    # refresh; later it would be an error.
    for path in paths:
        store, name = context.analyst.stores.of_file(path)
        if store.find(name) is None:
            raise NotIncrementalError("changed files of a source were removed")


@dataclass(frozen=True, slots=True)
class StreamRefresh:
    """A refresh, and the files that it loads where its source is files."""

    refresh: Refresh
    load: CopyLoad | None = None


def stream_refresh(entry: TableEntry, snapshot: Snapshot, context: Context, *, full: bool) -> StreamRefresh:
    """The refresh of a streaming table."""
    definition = entry.refreshed
    assert definition is not None
    text, reference = stream_of(definition.view.query, sql_name(entry.parts))
    inner = replace(context, catalog=context.catalog.within(*definition.view.namespace))
    if reference.arguments is not None:
        return _FileRows(entry, snapshot, inner, text, reference, full).refresh()
    rules = stream_rules(definition.view.query, sql_name(entry.parts), context)
    return _TableRows(entry, snapshot, inner, text, reference, full, rules).refresh()


_STREAM_OPTIONS = (
    *("skipChangeCommits", "ignoreDeletes", "startingVersion", "startingTimestamp"),
    *("maxFilesPerTrigger", "maxBytesPerTrigger"),
)
"""Options of STREAM … WITH. The last two bound the batches of a stream; a refresh reads all in one."""


def stream_rules(query: str, table: str, context: Context) -> StreamRules:
    """The options of the source that a query reads by STREAM.

    Raises UnsupportedStreamOptionError for an unknown one, IllegalOptionError, StreamStartsError,
    TimestampInvalidError, and what `options_of_stream` raises.
    """
    texts = options_of_stream(query, table)
    known = {name.lower(): name for name in _STREAM_OPTIONS}
    for name in texts:
        if name.lower() not in known:
            advice = f"STREAM … WITH takes {', '.join(_STREAM_OPTIONS)}.{did_you_mean(name, _STREAM_OPTIONS)}"
            raise errors.UnsupportedStreamOptionError(name, advice)
    lowered = {name.lower(): text for name, text in texts.items()}
    rules = stream_options({**lowered, "deltasql.timezone": context.time_zone or ""}).rules
    if rules.from_latest:
        raise errors.IllegalOptionError("startingVersion", "latest", "a whole number from 0 on")
    return rules


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
        raise errors.StreamingQueryError(table, f"{name} is no table of Delta", MATERIALIZED)
    return location


def text_of_stream(query: str, table: TableName, context: Context) -> tuple[str, bool]:
    """The query of a streaming table without STREAM, and whether each refresh computes all its rows.

    Raises StreamingQueryError.
    """
    whole = text_of_all_rows(query)
    if whole is not None:
        require_limits(query, str(table), context)
        return whole, True
    text, reference = stream_of(query, str(table))
    stream_rules(query, str(table), context)
    if reference.arguments is None:
        table_source(TableName(reference.parts), str(table), context)
    return text, False


def require_limits(query: str, table: str, context: Context) -> None:
    """Raises StreamingQueryError for options that choose rows, where all rows of the sources are read.

    For wrong options the errors of `stream_rules`.
    """
    stream_rules(query, table, context)
    for name in options_of_stream(query, table):
        if name.lower() not in {"maxfilespertrigger", "maxbytespertrigger"}:
            reason = f"it has {name} for a source whose rows are all read, as they are now"
            raise errors.StreamingQueryError(table, reason, "Choose the rows of one stream in a table of their own.")


@dataclass(frozen=True, slots=True)
class _TableRows(_Rows):
    """The new rows of a table, by the options of its stream."""

    rules: StreamRules

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
        # Versions of other sources stay recorded: a later query that reads one of them again goes on from there.
        after = RefreshState(self.definition_id, {**read, source.metadata.id: source.version})
        start = read.get(source.metadata.id)
        if start is None and self.rules.starting_version is None and self.rules.starting_micros is None:
            rows = binding.scan(self.context, source)
            return StreamRefresh(self.loading(View("", rows=rows), after, "all rows are new"))
        if start is None:
            start = StreamSource(log, self.rules, source.schema).first().version - 1
        if start == source.version:
            return self.nothing("the source has no new version")
        versions = version_changes(log, start + 1, source.version)
        new = [item for item in versions if self._is_read(item, log) and item.inserted]
        if not new:
            return self.nothing("the source has no new row")
        rows_of_versions = rows_of_changes(log, source, new)
        return StreamRefresh(
            self.loading(View("", rows=rows_of_versions), after, f"versions from {start + 1} on are new")
        )

    def _is_read(self, changed: VersionChanges, log: DeltaLog) -> bool:
        """Whether the rows of a version are read; False for one that is left out by an option.

        Raises ChangedStreamSourceError.
        """
        if is_append(changed):
            return True
        adds = log.reader.commit(changed.version).materialized(log.table).adds if self.rules.ignore_deletes else ()
        only_deletes = self.rules.ignore_deletes and not any(item.get("dataChange") is not False for item in adds)
        if self.rules.skip_change_commits or only_deletes:
            return False
        source = str(TableName(self.reference.parts))
        raise errors.ChangedStreamSourceError(source, changed.version, sql_name(self.entry.parts))


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


def refuse_redeclared(create: CreateTable, snapshot: Snapshot, context: Context) -> None:
    """Raises RedeclaredTableError for what the rows that are there would have to follow."""
    part = next(_other_parts(create, snapshot, context), None)
    if part is not None:
        error = errors.RedeclaredTableError(part, str(create.table))
        raise error.at(context.caret(create.table.start, create.table.end))


def _other_parts(create: CreateTable, snapshot: Snapshot, context: Context) -> Iterator[str]:
    partitions = [column.name.lower() for column in create.partitioned_by]
    if partitions and partitions != [name.lower() for name in snapshot.partition_columns]:
        yield "PARTITIONED BY"
    if create.columns is not None and _is_retyped(create, snapshot, context):
        yield "the types and NOT NULL of the columns"
    if any(_is_new(item, snapshot) for item in create.constraints):
        yield "CHECK constraints"
    if _has_other_keys(create, snapshot, context):
        yield "keys"


def _is_retyped(create: CreateTable, snapshot: Snapshot, context: Context) -> bool:
    for wanted in declared_schema(create, context):
        field = snapshot.schema.find(wanted.name)
        if field is not None and (field.type, field.nullable) != (wanted.type, wanted.nullable):
            return True
    return False


def _is_new(item: object, snapshot: Snapshot) -> bool:
    if not isinstance(item, CheckConstraint):
        return False
    existing, condition = snapshot.properties.constraints, inside(item.condition).text
    return condition not in existing.values() if item.name is None else existing.get(item.name.lower()) != condition


def _has_other_keys(create: CreateTable, snapshot: Snapshot, context: Context) -> bool:
    keys = declared_keys(create)
    if not keys:
        return False
    wanted = with_declared_keys(with_keys(snapshot.metadata, ()), keys, create.table, context, creating=True)
    return keys_of(wanted) != keys_of(snapshot.metadata)
