"""What a planner rule may ask for: the statement's text, snapshots, the catalog, and the types of expressions.

One Context serves one statement: each table is read at one version, however often the statement names it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol
from uuid import uuid4

from deltasql.catalog import Catalog
from deltasql.errors.base import Caret, DeltaSqlError
from deltasql.errors.table import ReadTableWithoutColumnsError
from deltasql.errors.view import TimeTravelViewError, WriteIntoViewError
from deltasql.log.configuration.row_ids import row_id_columns
from deltasql.log.replay.table import DeltaLog
from deltasql.plan.base import SqlText, TableName, quote
from deltasql.plan.hidden import VIEW, hidden
from deltasql.plan.operators import (
    METADATA,
    READ_COLUMNS,
    ROW_ID_COLUMNS,
    SCAN_COLUMNS,
    Operator,
    Query,
    Scan,
    Supplied,
    ViewColumns,
)
from deltasql.plan.parameters import UNBOUND, BoundStatement
from deltasql.planner.catalog_changes import Creation, View
from deltasql.schema.timezone import machine_zone_name
from deltasql.schema.types import DataType, StructType
from deltasql.settings.session_settings import MEANING, TIME_ZONE, Settings, as_boolean, as_choice, says_meaning

if TYPE_CHECKING:
    import pyarrow as pa

    from deltasql.log.replay.snapshot import Snapshot
    from deltasql.sql.relations import TableReference


EMPTY: Mapping[str, Operator] = MappingProxyType({})
GLOBAL = "global_temp"
"""The schema of the views that all sessions of the process share."""


@dataclass(frozen=True, slots=True)
class Reader:
    """For the query of a view: who reads it. `settings` are those that the view has otherwise (None: not set)."""

    settings: Mapping[str, str | None]
    namespace: tuple[str, str]


class Analyst(Protocol):
    """The engine's answers to questions that only Spark's analyser can answer. Most start Spark."""

    @property
    def started(self) -> bool:
        """Whether Spark is up, so that it may know names that the catalog does not."""

    @property
    def is_plain(self) -> bool:
        """Whether rows are computed by a Spark of our own, with no settings but those of SET."""

    def knows(self, parts: Sequence[str]) -> bool:
        """Whether Spark has a table or view of this name; a Spark of our own has no tables. Asks only a running one."""

    def knows_view(self, parts: Sequence[str]) -> bool:
        """Whether Spark has a temporary view of this name, as a DataFrame makes one. Asks only a running Spark."""

    def temporary_views(self) -> list[str]:
        """The names of Spark's own temporary views, if it is running."""

    def schema(self, operator: Operator) -> StructType:
        """The columns of an operator's rows."""

    def types(
        self,
        scope: Sequence[tuple[Operator, str]],
        expressions: Sequence[str],
        relations: Mapping[str, Operator] = EMPTY,
    ) -> list[DataType]:
        """The types of expressions over the joined rows of some operators, each under its alias."""

    def setting(self, key: str) -> str | None:
        """A Spark setting, if Spark is running and has it."""

    def value(self, expression: str, relations: Mapping[str, Operator] = EMPTY) -> Any:
        """The value of a constant expression, or of a sub-query over `relations`."""

    def reads_below(self, rows: Supplied, location: str) -> bool:
        """Whether a DataFrame of the caller's reads files of the table at `location`."""

    def foreign_columns(self, files: pa.Table, schema: StructType) -> list[bool]:
        """Of which data files the footer names a column that `schema` has not. Needs no Spark."""


@dataclass(slots=True)
class Context:
    """See the module. `logs` outlives the statement, so that unchanged tables need not be read again.

    `bound` knows the parameters whose values stand in `sql`.
    """

    sql: str
    catalog: Catalog
    settings: Settings
    analyst: Analyst
    views: Mapping[str, View]
    logs: Callable[[str, str], DeltaLog]
    reader: Reader | None = None
    bound: BoundStatement = UNBOUND
    depth: int = 0
    """How many EXECUTE IMMEDIATE the statement stands in."""
    _snapshots: dict[tuple[str, int | None], Snapshot] = field(default_factory=dict)

    def caret(self, start: int, end: int) -> Caret:
        return Caret(self.sql, start, end)

    def told(self, part: SqlText) -> str:
        """A part of the statement as the history keeps it: with its parameters, not their values."""
        return self.bound.told(part)

    @property
    def time_zone(self) -> str | None:
        """The name of the session's time zone, None where nobody says.

        A running Spark's comes first: it reads the rows, and SET TIME ZONE is told to it alone. Then SET, the machine.
        """
        if self.reader is not None and TIME_ZONE in self.reader.settings:
            return self.reader.settings[TIME_ZONE] or machine_zone_name()
        return self.analyst.setting(TIME_ZONE) or self.settings.get(TIME_ZONE) or machine_zone_name()

    @property
    def meaning(self) -> dict[str, str]:
        """The settings in force that say what SQL means, as far as they are set."""
        given = {key: value for key, value in self.settings.changed() if says_meaning(key)}
        asked = ((key, self.analyst.setting(key)) for key in MEANING if key not in given)
        return {**given, **{key: value for key, value in asked if value is not None}}

    def setting(self, key: str) -> str | None:
        """What SET says, else what a Spark session that was handed in says, else the default."""
        own = self.settings.own(key)
        return own if own is not None else self.analyst.setting(key) or self.settings.get(key)

    def is_on(self, key: str) -> bool:
        """A boolean setting. Raises InvalidSettingError when its value is neither true nor false."""
        return as_boolean(key, self.setting(key))

    def choice(self, key: str) -> str:
        """A setting with a few values, in upper case. Raises InvalidSettingError for any other."""
        return as_choice(key, self.setting(key))

    def location(self, name: TableName) -> str:
        """Where the table lies. Raises TableNotFoundError with the closest names."""
        if name.path is not None:
            return name.path
        try:
            return self.catalog.require(name.parts).location
        except DeltaSqlError as error:
            raise error.at(self.caret(name.start, name.end)) from None

    def log(self, name: TableName) -> DeltaLog:
        """The log of a table that must be known, though it may turn out to have none."""
        return self.logs(self.location(name), str(name))

    def snapshot(self, name: TableName) -> Snapshot:
        """The version that the statement reads: the one its time travel asks for, else the latest.

        Raises TableNotFoundError, or what is wrong with the table's log or the version.
        """
        log = self.log(name)
        try:
            return self._pinned(log, self._version(log, name))
        except DeltaSqlError as error:
            # A name in a query is placed by `bind`, which knows the user's text.
            raise error.at(self.caret(name.start, name.end) if name.end else None) from None

    def writable(self, name: TableName) -> tuple[DeltaLog, Snapshot]:
        """The log and latest snapshot of a table that a statement is about to change.

        Raises what `snapshot` raises, and UnsupportedFeaturesForWriteError.
        """
        self.refuse_version(name)
        if self.is_view(name):
            raise WriteIntoViewError(view=str(name)).at(self.caret(name.start, name.end))
        # One look into the catalog: another could find another table of this name.
        log = self.log(name)
        try:
            snapshot = self._pinned(log, None)
            snapshot.protocol.check_writable(snapshot.table, snapshot.schema, snapshot.configuration)
        except DeltaSqlError as error:
            raise error.at(self.caret(name.start, name.end)) from None
        return log, snapshot

    def is_sparks(self, name: TableName) -> bool:
        """Whether a name that is no table of ours is one that Spark knows."""
        known = name.path is not None or self.catalog.resolve(name.parts) is not None
        return not known and self.analyst.knows(name.parts)

    def knows(self, name: TableName) -> bool:
        """Whether there is a table or view of this name, ours or Spark's."""
        ours = name.path is not None or self.is_view(name) or self.catalog.resolve(name.parts) is not None
        return ours or self.analyst.knows(name.parts)

    def columns_of(self, view: TableName) -> StructType:
        """The columns of a view. Asks Spark, which then starts, for those of a view that is Spark's."""
        key = self.view_key(view.parts)
        made = None if key is None else self.views[key].made
        if made is not None and not self.analyst.knows_view(view.parts):
            return made.schema
        try:
            sql, relations = self.bind(f"SELECT * FROM {view}")
        except DeltaSqlError as error:
            raise error.at(self.caret(view.start, view.end)) from None
        return self.analyst.schema(Query(sql, relations, "query"))

    def is_view(self, name: TableName) -> bool:
        """Whether a temporary view hides the tables of this name."""
        return self.view_key(name.parts) is not None

    def view_key(self, parts: Sequence[str]) -> str | None:
        """The key of the view of this name in `views`: v, session.v, global_temp.v; None where there is none."""
        *schema, name = (part.lower() for part in parts)
        if schema == [GLOBAL]:
            name = f"{GLOBAL}.{name}"
        elif schema not in ([], ["session"], ["system", "session"]):
            return None
        return name if name in self.views else None

    def refuse_version(self, name: TableName) -> None:
        """Raises TimeTravelViewError for `t@v1` where a table is meant, not one of its versions."""
        if name.temporal is not None:
            raise TimeTravelViewError(view=str(name)).at(self.caret(name.start, name.end))

    def _version(self, log: DeltaLog, name: TableName) -> int | None:
        from deltasql.sql.timetravel import timestamp_of

        if name.temporal is None:
            return None
        if name.temporal.version is not None:
            return name.temporal.version
        assert name.temporal.timestamp is not None
        return log.version_at(timestamp_of(name.temporal.timestamp.text, self))

    def _pinned(self, log: DeltaLog, version: int | None) -> Snapshot:
        key = (log.location, version)
        if key not in self._snapshots:
            snapshot = log.snapshot(version)
            # Features that only readers of rows need are checked where rows are read: metadata stays in reach.
            self._snapshots[key] = snapshot
        return self._snapshots[key]

    def scan(
        self,
        snapshot: Snapshot,
        predicate: str | None = None,
        alias: str | None = None,
        *,
        columns: Sequence[str] = SCAN_COLUMNS,
        may_be_empty: bool = False,
        with_ids: bool = False,
    ) -> Scan:
        """The rows of a snapshot: of those files that may hold a row for which `predicate` is TRUE.

        `with_ids` asks for the ids of the rows, if the table tracks them.
        Raises ReadTableWithoutColumnsError for a table without columns, unless it `may_be_empty`.
        """

        if not len(snapshot.schema) and not may_be_empty:
            raise ReadTableWithoutColumnsError(table=snapshot.table)
        snapshot.protocol.check_readable(snapshot.table, snapshot.schema, snapshot.configuration)
        row_ids = row_id_columns(snapshot.protocol, snapshot.metadata) if with_ids else None
        columns = columns if row_ids is None else (*columns, *ROW_ID_COLUMNS)
        files, total = self._files(snapshot, predicate, alias, columns)
        return Scan(
            table=snapshot.table,
            location=snapshot.location,
            version=snapshot.version,
            schema=snapshot.schema,
            partition_columns=snapshot.partition_columns,
            files=files,
            total_files=total,
            row_ids=row_ids,
            predicate=predicate,
            alias=alias,
        )

    def _files(
        self, snapshot: Snapshot, predicate: str | None, alias: str | None, columns: Sequence[str]
    ) -> tuple[pa.Table, int]:
        """The files that may hold a row for which `predicate` is TRUE, and how many there are in all."""
        if predicate is None:
            files = snapshot.files(columns)
            return files, files.num_rows
        from deltasql.skipping.predicates import condition
        from deltasql.skipping.pruning import skip_files

        zone = self.time_zone
        asked = condition(predicate, snapshot.schema, snapshot.partition_columns, alias, zone)
        return snapshot.read_files(lambda files: skip_files(files, asked, columns, zone))

    def query(self, text: SqlText, ctes: SqlText | None = None, label: str = "query") -> Query:
        """A query of the user's, its tables bound to snapshots."""
        pieces: tuple[SqlText, ...] = (ctes, SqlText("\n", 0), text) if ctes else (text,)
        if ctes and text.text.lstrip("( \n").upper().startswith("WITH"):
            # A query has one WITH: the inner one goes into brackets.
            pieces = (ctes, SqlText("\nSELECT * FROM (\n", 0), text, SqlText("\n)", 0))
        sql, relations = self.bind("".join(piece.text for piece in pieces), place=place_in(pieces))
        return Query(sql, relations, label)

    def bind(
        self,
        sql: str,
        qualifiers: Mapping[tuple[str, ...], str] | None = None,
        place: Callable[[int], int] | None = None,
    ) -> tuple[str, dict[str, Operator]]:
        """`sql` with view names in place of the tables that we know, and the rows behind each view.

        Names that are none of ours stay: Spark may know them. `qualifiers` are longer names by which columns of
        other tables in scope may be called, with the alias that replaces them. `place` turns an offset in `sql` into
        one in the statement, for the carets of errors; None where `sql` is no part of it.
        """
        from deltasql.sql.current_names import current_names
        from deltasql.sql.metadata_column import NamedMetadata
        from deltasql.sql.query_filters import scan_filters
        from deltasql.sql.references import table_references
        from deltasql.sql.text_edits import bind

        bound: dict[int, str] = {}
        relations: dict[str, Operator] = {}
        filters = cache(lambda: scan_filters(sql))
        references = table_references(sql)
        metadata, described = NamedMetadata(sql, references), set[int]()
        for index, reference in enumerate(references):
            try:
                operator = self._referred(reference, filters, described=index in metadata.references)
                if isinstance(operator, Scan) and operator.described:
                    described.add(index)
            except DeltaSqlError as error:
                caret = self.caret(place(reference.start), place(reference.end - 1) + 1) if place else None
                raise error.at(caret) from None
            if operator is None:
                continue
            view = hidden(uuid4().hex)
            bound[index] = view
            relations[view] = operator
        others = (*metadata.hidden_from_stars(described), *current_names(sql, self.current))
        return bind(sql, bound, qualifiers or {}, others).sql, relations

    def _referred(
        self, reference: TableReference, filters: Callable[[], Mapping[int, str]], described: bool
    ) -> Operator | None:
        """The rows that a name in a query stands for; `filters` say by its place which of them the query uses."""
        if reference.arguments is not None:
            from deltasql.planner.change_feed import changes

            return changes(reference, self)
        name = TableName(reference.parts, reference.start, reference.end, reference.temporal)
        key = self.view_key(name.parts)
        if key is not None:
            # A DataFrame has taken the name since: CREATE VIEW would have taken it from the DataFrame.
            taken = self.views[key].made is not None and self.analyst.knows_view(name.parts)
            return None if taken else self._view(key, name)
        if name.path is None and (len(name.parts) > 3 or self.catalog.resolve(name.parts) is None):
            if _is_files(name) or self.analyst.knows(name.parts):
                return None
            self.catalog.require(name.parts)
        snapshot = self.snapshot(replace(name, start=0, end=0))
        # A column of the table's own comes first.
        described = described and snapshot.schema.find(METADATA) is None
        predicate, alias = filters().get(reference.start), reference.alias or reference.parts[-1]
        scan = self.scan(snapshot, predicate, alias, columns=READ_COLUMNS, with_ids=described)
        return replace(scan, described=True) if described else scan

    def _view(self, key: str, name: TableName) -> Query:
        view = self.views[key]
        if name.temporal is not None:
            raise TimeTravelViewError(view=str(name))
        if view.made is not None:
            return self._made_view(view.query, view.made, str(name))
        sql, relations = replace(self, views=view.scope or {}).bind(view.query)
        if view.columns:
            names = ", ".join(quote(column) for column in view.columns)
            sql = f"SELECT * FROM (\n{sql}\n) AS {VIEW}({names})"
        return Query(sql, relations, f"view {name}")

    def _made_view(self, query: str, made: Creation, name: str) -> Query:
        """The query of a view as it was meant when the view was made, over the tables as they are."""
        now = self.meaning
        changed = {key: made.settings.get(key) for key in {**now, **made.settings}}
        settings = {key: value for key, value in changed.items() if value != now.get(key)}
        inner = replace(
            self,
            catalog=self.catalog.within(*made.namespace),
            views={key: view for key, view in self.views.items() if key in made.views},
            reader=Reader(settings, self.current),
        )
        sql, relations = inner.bind(query)
        return Query(sql, relations, f"view {name}", settings, ViewColumns(name, made.names, made.schema))

    @property
    def current(self) -> tuple[str, str]:
        """The current catalog and schema of the session, inside of views as well."""
        if self.reader is not None:
            return self.reader.namespace
        return self.catalog.current_catalog, self.catalog.current_schema


def place_in(pieces: Sequence[SqlText]) -> Callable[[int], int]:
    """Offsets in the joined text of `pieces` → offsets in the statement, where each piece has its `start`."""

    def place(offset: int) -> int:
        for piece in pieces[:-1]:
            if offset < len(piece.text):
                return piece.start + offset
            offset -= len(piece.text)
        return pieces[-1].start + offset

    return place


def _is_files(name: TableName) -> bool:
    """Whether a name stands for files, as `` parquet.`/path` `` does: Spark reads them."""
    return len(name.parts) == 2 and name.parts[0].lower() in FILE_FORMATS


FILE_FORMATS = frozenset({"parquet", "csv", "json", "orc", "text", "avro", "binaryfile", "xml"})
