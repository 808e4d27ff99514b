"""The context of a planner rule, with its text, snapshots, catalog and types, and the open set of planner rules.

One Context serves one statement: each table is read at one version, however often the statement names it. There is one
rule per statement, found by the type of its node.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import singledispatch
from typing import TypeVar

from deltasql.base import (
    Caret,
    DeltaSqlError,
    SessionSettings,
    Setting,
    Token,
    changes_query_meaning,
    errors,
    session_settings,
    tokenize,
)
from deltasql.catalog import Catalog, TableEntry, ViewEntry
from deltasql.log import DeltaLog, Snapshot
from deltasql.plan import LogicalPlan, SqlText, TableName
from deltasql.planner.catalog_changes import TemporaryFunction, View
from deltasql.planner.changes import Plan
from deltasql.planner.door import Analyst
from deltasql.sql import UNBOUND, BoundStatement, SessionUser, statement_words, timestamp_of

T = TypeVar("T")

GLOBAL = "global_temp"
"""The schema of the views that all sessions of the process share."""


@dataclass(frozen=True, slots=True)
class TextReader:
    """The reader of a view's or function's text. `settings` are those that differ in the text (None: not set).

    `namespace` is the reader's. `inside` are the full names of the views and functions whose text is read, the
    outermost first.
    """

    settings: Mapping[str, str | None]
    namespace: tuple[str, str]
    inside: tuple[tuple[str, str, str], ...] = ()


class VisibleViews(Mapping[str, View]):
    """The views that a text may name, by their keys: `visible`, or all views of the session.

    The text of a view sees other views than the text that reads the view; `called` chooses both from the session's.
    """

    def __init__(self, of_session: Mapping[str, View], visible: Mapping[str, View] | None = None) -> None:
        self._of_session = of_session
        self._visible = of_session if visible is None else visible

    def called(self, keys: Collection[str]) -> VisibleViews:
        """The views of the session with these keys, and no others."""
        return self.showing({key: view for key, view in self._of_session.items() if key in keys})

    def showing(self, views: Mapping[str, View]) -> VisibleViews:
        """`views` in place of the visible ones."""
        return VisibleViews(self._of_session, views)

    def __getitem__(self, key: str) -> View:
        return self._visible[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._visible)

    def __len__(self) -> int:
        return len(self._visible)


@dataclass(slots=True)
class Context:
    """See the module. `logs` outlives the statement, so that unchanged tables need not be read again.

    `bound` has the parameters whose values stand in `sql`.
    """

    sql: str
    catalog: Catalog
    settings: SessionSettings
    analyst: Analyst
    views: VisibleViews
    logs: Callable[[str, str], DeltaLog]
    reader: TextReader | None = None
    bound: BoundStatement = UNBOUND
    depth: int = 0
    """Nesting depth of EXECUTE IMMEDIATE."""
    functions: Mapping[str, TemporaryFunction] = field(default_factory=dict)
    """The temporary functions of the session, by their names in lower case."""
    _snapshots: dict[tuple[str, int | None], Snapshot] = field(default_factory=dict)

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The tokens of the statement."""
        return tokenize(self.sql)

    def caret(self, start: int, end: int) -> Caret:
        return Caret(self.sql, start, end)

    def later(self) -> Context:
        """The context of a step after others, which may have changed tables and names."""
        return replace(self, catalog=self.catalog.looked_at_once(), _snapshots={})

    def text_with_markers(self, part: SqlText) -> str:
        """A part of the statement for the history: with its parameters, not their values."""
        return self.bound.text_with_markers(part)

    @property
    def time_zone(self) -> str | None:
        """The name of the session's time zone, None where it is unknown.

        Inside of a view it is that of the view's text, which its creation has stored.
        """
        if self.reader is not None and session_settings.TIME_ZONE.name in self.reader.settings:
            return self.reader.settings[session_settings.TIME_ZONE.name] or self.settings.machine_zone
        return self.session_zone

    @property
    def session_zone(self) -> str | None:
        """The time zone of the session itself, inside of views as well."""
        # A Spark session that was handed in, or is on a server, has a zone of its own, which may change there.
        return self.analyst.setting(session_settings.TIME_ZONE.name) or self.settings.time_zone

    @property
    def meaning(self) -> dict[str, str]:
        """The settings in force that say what SQL means, as far as they are set."""
        settings = {key: value for key, value in self.settings.changed() if changes_query_meaning(key)}
        of_engine = ((key, self.analyst.setting(key)) for key in session_settings.MEANING if key not in settings)
        return {**settings, **{key: value for key, value in of_engine if value is not None}}

    def setting(self, entry: Setting[T]) -> T:
        """The value by SET, else by a Spark session that was handed in, else the default.

        Raises InvalidSettingError for a text that is no value of the setting.
        """
        stored = self.settings.stored(entry.name)
        return entry.value(
            stored if stored is not None else self.analyst.setting(entry.name) or self.settings.get(entry.name)
        )

    def location(self, name: TableName) -> str:
        """Where the Delta table lies. Raises TableNotFoundError with the closest names, DeltaOnlyError."""
        if name.path is not None:
            return self.catalog.located(name.path)
        try:
            if self.catalog_view(name.parts) is not None:
                raise errors.ViewInPlaceOfTableError(view=str(name))
            entry = self.catalog.require(name.parts)
            if entry.source is not None:
                raise self.delta_only(name, entry)
            return entry.location
        except DeltaSqlError as error:
            raise error.at(self.caret(name.start, name.end)) from None

    def foreign(self, name: TableName) -> TableEntry | None:
        """The table of another format than Delta that has this name; None for any other object."""
        if name.path is not None or len(name.parts) > 3 or self.view_key(name.parts) is not None:
            return None
        entry = self.catalog.resolve(name.parts)
        return None if entry is None or entry.source is None else entry

    def delta_only(self, name: TableName, entry: TableEntry, operation: str = "") -> DeltaSqlError:
        """The error of an operation, by default the statement, that the table of another format does not have."""
        assert entry.source is not None
        operation = operation or statement_words(self.sql, name.start, name.end) or "this statement"
        return errors.DeltaOnlyError(str(name), entry.source.format.upper(), operation)

    def log(self, name: TableName) -> DeltaLog:
        """The log of a table with a known location, though it may turn out to have none."""
        return self.logs(self.location(name), str(name))

    def snapshot(self, name: TableName, location: str | None = None) -> Snapshot:
        """The version that the statement reads: the one its time travel asks for, else the latest.

        A given `location` saves a request to the catalog. Raises TableNotFoundError, or what is wrong with the table's
        log or the version.
        """
        log = self.log(name) if location is None else self.logs(location, str(name))
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
        self.refuse_information(name)
        if self.is_view(name):
            raise errors.WriteIntoViewError(view=str(name)).at(self.caret(name.start, name.end))
        # One look into the catalog: another could find another table of this name.
        log = self.log(name)
        try:
            snapshot = self._pinned(log, None)
            snapshot.check_writable()
        except DeltaSqlError as error:
            raise error.at(self.caret(name.start, name.end)) from None
        return log, snapshot

    def is_sparks(self, name: TableName) -> bool:
        """Whether the name is unknown to the catalog, but known to Spark."""
        is_ours = name.path is not None or self.catalog.resolve(name.parts) is not None
        return not is_ours and self.analyst.knows(name.parts)

    def knows(self, name: TableName) -> bool:
        """Whether a table or view has this name, in the catalog or in Spark."""
        ours = name.path is not None or self.is_view(name) or self.catalog.resolve(name.parts) is not None
        return ours or self.analyst.knows(name.parts)

    def is_view(self, name: TableName) -> bool:
        """Whether a view has this name: one of the catalog, or a temporary one, which hides the tables of this name."""
        if self.view_key(name.parts) is not None:
            return True
        return name.path is None and self.catalog_view(name.parts) is not None

    def is_temporary_view(self, name: TableName) -> bool:
        """Whether a temporary view hides the tables of this name."""
        return self.view_key(name.parts) is not None

    def catalog_view(self, parts: Sequence[str]) -> ViewEntry | None:
        """The view that the catalog keeps under this name; None where there is none, or a temporary one hides it."""
        if len(parts) > 3 or self.view_key(parts) is not None:
            return None
        return self.catalog.view(parts)

    def view_key(self, parts: Sequence[str]) -> str | None:
        """The key of the view of this name in `views`: v, session.v, global_temp.v; None where there is none."""
        *schema, name = (part.lower() for part in parts)
        if schema == [GLOBAL]:
            name = f"{GLOBAL}.{name}"
        elif schema not in ([], ["session"], ["system", "session"]):
            return None
        return name if name in self.views else None

    def is_temporary_table(self, name: TableName) -> bool:
        """Whether a temporary table of the session has this name."""
        is_one = name.path is None and len(name.parts) == 1 and name.parts[0].lower() in self.catalog.temporary
        return is_one and self.view_key(name.parts) is None

    def temporary_key(self, parts: Sequence[str]) -> str | None:
        """The key of the temporary view or the temporary table of this name; None where there is neither."""
        key = self.view_key(parts)
        if key is None and self.is_temporary_table(TableName(tuple(parts))):
            return parts[0].lower()
        return key

    def temporary_function(self, parts: Sequence[str]) -> TemporaryFunction | None:
        """The function of this name that the session keeps: f, session.f."""
        *schema, name = (part.lower() for part in parts)
        return self.functions.get(name) if schema in ([], ["session"], ["system", "session"]) else None

    @property
    def inside(self) -> tuple[tuple[str, str, str], ...]:
        """See `TextReader.inside`."""
        return () if self.reader is None else self.reader.inside

    def refuse_version(self, name: TableName) -> None:
        """Raises TimeTravelViewError for `t@v1` where a table is meant, not one of its versions."""
        if name.temporal is not None:
            raise errors.TimeTravelViewError(view=str(name)).at(self.caret(name.start, name.end))

    def refuse_information(self, name: TableName) -> None:
        """Raises InformationSchemaReadOnlyError, at the name, for an object in an information schema."""
        if name.path is not None or len(name.parts) > 3 or self.view_key(name.parts) is not None:
            return
        try:
            self.catalog.refuse_information(name.parts)
        except DeltaSqlError as error:
            raise error.at(self.caret(name.start, name.end)) from None

    def refuse_maintenance(self, log: DeltaLog, operation: str) -> None:
        """Raises CatalogOperationError for a table whose files an external catalog arranges and removes itself."""
        manager = self.catalog.external.manager(log.location)
        if manager is not None:
            raise manager.refused(f"{operation} of a managed table, whose files it arranges and removes itself")

    def require_catalog(self, name: TableName) -> str:
        """The name of a catalog that exists. Raises CatalogNotFoundError, at the name."""
        existing = self.catalog.catalogs()
        if len(name.parts) > 1 or name.parts[0].lower() not in existing:
            error = errors.CatalogNotFoundError(catalog=str(name), known=tuple(existing))
            raise error.at(self.caret(name.start, name.end))
        return name.parts[0]

    def _version(self, log: DeltaLog, name: TableName) -> int | None:
        if name.temporal is None:
            return None
        if self.is_temporary_table(name):
            raise errors.TemporaryTableError(str(name), "Time travel", "Name no version of it.")
        if name.temporal.version is not None:
            return name.temporal.version
        assert name.temporal.timestamp is not None
        return log.version_at(timestamp_of(name.temporal.timestamp.text, self.time_zone, self.analyst.value))

    def _pinned(self, log: DeltaLog, version: int | None) -> Snapshot:
        key = (log.location, version)
        if key not in self._snapshots:
            snapshot = log.snapshot(version)
            # Features that only readers of rows need are checked where rows are read: metadata stays in reach.
            self._snapshots[key] = snapshot
        return self._snapshots[key]

    @property
    def current(self) -> tuple[str, str]:
        """The current catalog and schema of the session, inside of views as well."""
        if self.reader is not None:
            return self.reader.namespace
        return self.catalog.current_catalog, self.catalog.current_schema

    @property
    def identity(self) -> SessionUser:
        """The user of the session and its groups, inside of views as well."""
        groups: tuple[str, ...] | None = self.settings[session_settings.GROUPS]
        return SessionUser(self.settings[session_settings.USER], groups or ())


@singledispatch
def plan(statement: LogicalPlan, context: Context) -> Plan:
    """The plan of `statement` on the current tables. Changes nothing."""
    raise TypeError(f"no planner rule for {type(statement).__name__}")
