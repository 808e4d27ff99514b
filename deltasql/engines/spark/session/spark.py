"""The Spark session behind the engine: started on first use, tuned per statement, with its settings restored.

DataFrames are cached for later statements. Temporary views are tracked: SHOW TABLES asks for them each time that Spark
runs, and a query makes some. Optional features are probed once per session, since a Spark Connect server may be an
engine other than Spark.
"""

from __future__ import annotations

import hashlib
import os
import sys
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from deltasql.base import (
    CASE_SENSITIVE,
    COMPUTE,
    DEFAULTS,
    IO_MODE,
    TIME_ZONE,
    F,
    LeftToEngineError,
    Progress,
    SessionSettings,
    Watch,
    errors,
    preserve_literal_values,
)
from deltasql.engines.spark.added.registration import register_called
from deltasql.engines.spark.session.local import (
    COMMITTER,
    IN_PLACE,
    OF_EVERY_SESSION,
    STARTED_BY_DELTASQL,
    InPlaceCommit,
    active_session,
    can_reach,
    conceal_in_wire_log,
    configure,
    drop_views,
    has_other_keys,
    in_place_commit,
    is_configured_outside,
    is_connect,
    is_local_master,
    master_address,
    outside_settings,
    remote_session,
    session_settings,
    settings_of_server,
    start_local,
)
from deltasql.engines.spark.session.tuning import FACTORY, FOR_FEW_ROWS, SHUFFLES, Tuning, for_size
from deltasql.log import Stores, hadoop_location, hadoop_scheme, is_local
from deltasql.plan import ComputedBy, recorded_ways
from deltasql.schema import HIDDEN_PREFIX, StructType
from deltasql.schema import quote_name as quote

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True, slots=True)
class Capabilities:
    """Features of Spark that a session supports."""

    observe: bool = True
    """DataFrame.observe: rows are counted while they are written. Otherwise a separate query counts them."""
    metadata: bool = True
    """`_metadata` identifies the file and index of a row. Otherwise this process reads and writes all files."""
    repartition_by_id: bool = True
    """DataFrame.repartitionById: rows can be assigned to tasks by number."""
    ids_in_filters: bool = True
    """Filters may use monotonically_increasing_id()."""
    checks_types: bool = True
    """The analyser rejects conditions that are not BOOLEAN, and casts that do not exist."""
    functions: bool = True
    """CREATE TEMPORARY FUNCTION … RETURN."""
    subqueries: bool = True
    """IN and EXISTS sub-queries are allowed anywhere in an expression, with the meaning that they have in WHERE."""
    persists: bool = True
    """DataFrame.persist: rows can be cached for a second evaluation."""


SPARK = Capabilities()
"""All features: those of a session with its own JVM."""

_PROBED: weakref.WeakKeyDictionary[SparkSession, Capabilities] = weakref.WeakKeyDictionary()


def capabilities(session: SparkSession) -> Capabilities:
    """The capabilities of a Spark Connect session. The first call sends a few requests, but runs no job."""
    probed = _PROBED.get(session)
    if probed is None:
        probed = _PROBED[session] = _probed(session)
    return probed


def _probed(session: SparkSession) -> Capabilities:
    one = session.range(1)
    if _is_supported(lambda: one.observe("deltasql", F.count(F.lit(1)).alias("rows"))):
        # It is Spark.
        return SPARK
    return Capabilities(
        observe=False,
        metadata=_is_supported(
            lambda: session.read.schema("x INT").format("parquet").load().select("_metadata.row_index")
        ),
        repartition_by_id=_is_supported(lambda: one.repartitionById(1, F.lit(0))),
        ids_in_filters=False,
        checks_types=not _is_supported(lambda: one.select(F.expr("CASE WHEN id + 1 THEN 1 END"))),
        functions=False,
        subqueries=False,
        persists=False,
    )


def _is_supported(make: Callable[[], Any]) -> bool:
    from pyspark.errors import PySparkException

    try:
        make().schema  # noqa: B018 - Spark Connect looks only now
    except PySparkException:
        return False
    return True


MOST_FRAMES = 64
MOST_WEIGHT = 64 << 20
"""Total weight of the cached frames: see `CachedFrames.put`."""


class CachedFrames:
    """DataFrames by a key of all their inputs; safe for several threads."""

    def __init__(self, most: int = MOST_FRAMES, most_weight: int = MOST_WEIGHT) -> None:
        self._most, self._most_weight = most, most_weight
        self._frames: OrderedDict[Hashable, tuple[DataFrame, int]] = OrderedDict()
        self._weight = 0
        self._change = threading.Lock()

    def __len__(self) -> int:
        return len(self._frames)

    def find(self, key: Hashable) -> DataFrame | None:
        """The cached DataFrame of this key, if any."""
        with self._change:
            cached = self._frames.get(key)
            if cached is None:
                return None
            self._frames.move_to_end(key)
            return cached[0]

    def put(self, key: Hashable, frame: DataFrame, weight: int) -> None:
        """Keeps a DataFrame that holds about so many bytes of memory, in place of those that were used longest ago.

        One that is too heavy for all of the place is not kept.
        """
        if weight > self._most_weight:
            return
        with self._change:
            self._drop(key)
            self._frames[key] = frame, weight
            self._weight += weight
            while len(self._frames) > self._most or self._weight > self._most_weight:
                self._drop(next(iter(self._frames)))

    def clear(self) -> None:
        with self._change:
            self._frames.clear()
            self._weight = 0

    def _drop(self, key: Hashable) -> None:
        if key in self._frames:
            self._weight -= self._frames.pop(key)[1]


OF_FILES = ("spark.sql.parquet.", "spark.sql.files.", "spark.hadoop.", "parquet.")
_OF_RESULTS = ("spark.sql.execution.arrow.", "spark.sql.execution.pyspark.", "spark.sql.legacy.")
_EXCLUDED = "spark.sql.adaptive.optimizer.excludedRules"
_DROPS_EMPTY_STAGES = "org.apache.spark.sql.execution.adaptive.AQEPropagateEmptyRelation"


_TUNINGS: weakref.WeakKeyDictionary[SparkSession, Tuning] = weakref.WeakKeyDictionary()
_VARIABLE_LOCKS: weakref.WeakKeyDictionary[SparkSession, AbstractContextManager[object]] = weakref.WeakKeyDictionary()
_LOCK = threading.Lock()


class EmbeddedEngine(Protocol):
    """An engine with Spark's interface whose server runs within this process."""

    ignored: tuple[str, ...]
    """Beginnings of the settings that the engine lacks, which are left out where work depends on them."""

    def start(self, time_zone: str | None) -> SparkSession:
        """A new session in a time zone."""

    def settings_at_start(self, time_zone: str | None) -> Mapping[str, str]:
        """The settings of a new session in a time zone."""

    def parquet_frame(
        self, spark: SparkHandle, columns: StructType, paths: Sequence[str], size: int
    ) -> DataFrame | None:
        """See `SparkHandle.parquet_frame`."""


class SparkHandle:
    """A Spark session that starts on first use.

    `spark` is None (a new session of the local Spark that deltasql starts, one for the process), a SparkSession, or
    the address "sc://host:port" of a server, on which a new session begins. So settings, variables, temporary views and
    functions end with the session of deltasql. `settings` are those of that session: Spark is given them when it
    starts, and later changes by `set` and `unset`.
    """

    def __init__(
        self,
        spark: SparkSession | str | None,
        settings: SessionSettings | None = None,
        stores: Stores | None = None,
        watch: Watch | None = None,
        embedded: EmbeddedEngine | None = None,
    ) -> None:
        self.stores = Stores() if stores is None else stores
        """The stores of the tables."""
        self.watch = Watch(lambda: None) if watch is None else watch
        """Reports the progress of Spark's work to the session's listener."""
        self._requested, self._embedded = spark, embedded
        self._session: SparkSession | None = None if isinstance(spark, str) else spark
        self.settings = SessionSettings() if settings is None else settings
        """The settings of the session, which SET changes."""
        self._pending: dict[str, str] = {}
        """Settings that Spark has not been given yet."""
        self._reached: set[str] = set()
        self._answers: dict[str, str | None] = {}
        """Settings that an embedded engine has been asked for; nobody else changes them."""
        self._outside = frozenset(outside_settings(os.environ))
        """The keys of settings that the environment sets, which are not tuned."""
        self.views: set[str] = set()
        """Temporary views of queries on Spark Connect, which resolves them whenever a query runs."""
        self.cached_frames = CachedFrames()
        """A cache of DataFrames of scans for later statements."""
        self.is_ours = spark is None or isinstance(spark, str)
        """Whether deltasql started the session: if so, it is tuned for statements."""

    def of(self, frame: DataFrame) -> SparkHandle:
        """A handle of the session that a DataFrame belongs to: a stream has a copy, with its own settings."""
        handle = SparkHandle(frame.sparkSession, self.settings, self.stores, self.watch)
        handle.is_ours = handle.session.conf.get(STARTED_BY_DELTASQL, None) is not None
        return handle

    def with_settings(self, settings: SessionSettings) -> SparkHandle:
        """A handle of the same Spark session for the thread of a stream, which has its copy of the settings."""
        handle = copy(self)
        handle.settings = settings
        return handle

    def close(self) -> None:
        """Forgets cached rows, and drops the temporary views of queries on Spark Connect."""
        self.cached_frames.clear()
        if self.views and not self.is_in_process:
            drop_views(self.session, self.views)
        self.views.clear()

    @property
    def started(self) -> bool:
        """Whether the session has started. Does not start it."""
        return self._session is not None

    @property
    def has_others_tables(self) -> bool:
        """Whether Spark's catalog may contain tables: the session was passed in, or is on a server."""
        return not self.is_ours or isinstance(self._requested, str)

    @property
    def is_plain(self) -> bool:
        """Whether the session is, or will be, started by deltasql, without settings from outside. Does not start it."""
        if self._embedded is not None:
            return True
        if self.has_others_tables or is_configured_outside():
            # A server has settings of its own, too.
            return False
        if self.started or "pyspark" not in sys.modules:
            return True
        active = active_session()
        return active is None or active.conf.get(STARTED_BY_DELTASQL, None) is not None

    @property
    def remote(self) -> bool:
        """Whether the session is a Spark Connect session, which analyses queries only when they run."""
        return is_connect(self.session)

    @property
    def session(self) -> SparkSession:
        """The session, started on first use. Raises JavaMissingError where there is no Java for a local one."""
        if self._session is None:
            self._session = self._started()
            self._pending = dict(self.settings.changed())
        while self._pending:
            # Removed before it is set: a setting that Spark rejects raises once, not with every statement.
            key = next(iter(self._pending))
            self._session.conf.set(key, self._pending.pop(key))
        self._learn(self._session)
        return self._session

    def _learn(self, session: SparkSession) -> None:
        """Registers the functions that texts for the session call, which an embedded engine refuses by name."""
        if self._embedded is None:
            register_called(session)

    def _started(self) -> SparkSession:
        if self._embedded is not None:
            return self._embedded.start(self._zone_at_start)
        if isinstance(self._requested, str):
            with self.watch.over(lambda: Progress(f"Connecting to {self._requested}")):
                return self._on_server(self._requested)
        with self.watch.over(lambda: Progress(f"Starting Spark ({master_address()}), which computes the rows")):
            return self._local()

    def _on_server(self, address: str) -> SparkSession:
        session, usual = remote_session(address, {STARTED_BY_DELTASQL: "true", **OF_EVERY_SESSION})
        _TUNINGS.setdefault(session, Tuning(usual))
        return session

    def _local(self) -> SparkSession:
        """The active session of this process if it is the user's, or else one of deltasql's Spark."""
        active = active_session()
        if active is not None and active.conf.get(STARTED_BY_DELTASQL, None) is None:
            self.is_ours = False
            return active
        # Jars must be present at the start: for the stores of the tables that were used until now.
        alone = (self.session_value(IO_MODE.name) or "").upper() == "DRIVER"
        first = start_local(frozenset() if alone else self.stores.hadoop_schemes)
        # A new one has nothing of what statements of other sessions have left in theirs, and costs two milliseconds.
        session = first.newSession()
        if (zone := self._zone_at_start) is not None:
            with suppress(Exception):  # Java may not know the zone of this machine by the name that Python has.
                session.conf.set(TIME_ZONE.name, zone)
        return session

    @property
    def _zone_at_start(self) -> str | None:
        """The time zone of a new session on a Spark that deltasql starts; None where Spark's configuration names it."""
        return None if self._embedded is None and is_configured_outside() else self.settings.machine_zone

    def set(self, key: str, value: str) -> None:
        """Gives a Spark that has started a setting that SET changes."""
        self._answers.clear()
        self._pending.pop(key, None)
        self.session.conf.set(key, value)

    def unset(self, key: str) -> None:
        """Takes a setting that RESET forgets from a Spark that has started."""
        self._answers.clear()
        self._pending.pop(key, None)
        if not self._is_over:
            self.session.conf.unset(key)
            # Unset leaves Spark's default, which is 200 for shuffle partitions.
            if (began := self._began_with(key)) is not None:
                self.session.conf.set(key, began)

    def _began_with(self, key: str) -> str | None:
        """The value of a setting at the session's start, to which RESET returns; None if it was not set."""
        if self._embedded is not None:
            return self._embedded.settings_at_start(self._zone_at_start).get(key)
        if key == TIME_ZONE.name and self.is_ours and not self.remote:
            return self._zone_at_start
        usual: Mapping[str, str] = OF_EVERY_SESSION if self.remote else session_settings()
        if self.is_ours and key in usual:
            return usual[key]
        return None if self.remote else self.session.sparkContext._conf.get(key)

    @property
    def _is_over(self) -> bool:
        """Whether the session is on a Spark Connect server and was stopped, so that its settings are gone."""
        return self._session is not None and self.remote and bool(self.session.is_stopped)

    def setting(self, key: str) -> str | None:
        """The value of a setting, current or at the session's start; None if not set. Does not start the session."""
        return self.settings.stored(key) if self._session is None else self.current_value(key)

    def current_value(self, key: str) -> str | None:
        """The current value of a setting; None if not set. Starts the session. Each one is a request to a server."""
        if key in self._answers:
            return self._answers[key]
        value: str | None = self.session.conf.get(key, None)
        if self._embedded is not None:
            self._answers[key] = value
        return value

    def settings_now(self) -> str | None:
        """A hash of all settings of this session and of Spark, which changes when any of them does.

        None on a server, where settings are requested one by one, and where PySpark does not list them.
        """
        if self.remote:
            return None
        session: Any = self.session
        try:
            settings = str(session._jsparkSession.conf().getAllAsJava().toString())
        except Exception:
            # Not a public name of PySpark's: another version may lack it.
            return None
        return hashlib.sha256(f"{settings}{self.settings.changed()}".encode()).hexdigest()

    def session_value(self, key: str) -> str | None:
        """The value that SET gave to a setting in this session, which needs no call to Spark; None if it is not set.

        If the session was passed in, it is Spark's value, as it may have been set before.
        """
        return self.settings.stored(key) if self.is_ours else self.setting(key)

    def given_settings(self) -> Mapping[str, str]:
        """All settings of the session that was passed in; empty for an address, or for a Spark of deltasql's own."""
        given = self._requested
        return {} if given is None or isinstance(given, str) else self.session.conf.getAll

    def hadoop_settings(self) -> dict[str, str]:
        """Hadoop settings by key: of the session that was passed in, else of the environment."""
        settings = outside_settings(os.environ) if self._requested is None else self.session.conf.getAll
        return {
            key.removeprefix("spark.hadoop."): value
            for key, value in settings.items()
            if key.startswith(("spark.hadoop.", "fs."))
        }

    @property
    def capabilities(self) -> Capabilities:
        """The engine's optional features. Starts the session."""
        return capabilities(self.session) if self.remote else SPARK

    @property
    def reads_files(self) -> bool:
        """Whether the engine reads and writes data files by itself. Starts the session."""
        return self.capabilities.metadata

    def parquet_frame(self, columns: StructType, paths: Sequence[str], size: int) -> DataFrame | None:
        """Rows of Parquet files that the engine reads itself, although this process reads others for it; else None."""
        return None if self._embedded is None else self._embedded.parquet_frame(self, columns, paths, size)

    @property
    def shares_disk(self) -> bool:
        """Whether the executors are threads of this machine, so that they see its disk."""
        return not self.remote and is_local_master(str(self.session.sparkContext.master))

    @property
    def is_on_this_machine(self) -> bool:
        """As `shares_disk`, or as it will be once the session starts. Does not start it."""
        return self.shares_disk if self.started else self._requested is None and is_local_master(master_address())

    @property
    def is_in_process(self) -> bool:
        """Whether the engine runs inside this process (no JVM, no remote server) and so reads the local disk."""
        return self._embedded is not None

    @property
    def leaves_files_to_us(self) -> bool:
        """True if no setting configures Spark's Parquet reader or writer, so that this process may do the file I/O."""
        return self.is_plain and not any(key.startswith(OF_FILES) for key in self.settings.names())

    def require_engine(self) -> None:
        """Raises NeedsEngineError where the session's settings forbid an engine."""
        if (self.session_value(COMPUTE.name) or "").upper() == "LOCAL":
            reasons = [way.because for way in recorded_ways() if way.by is ComputedBy.ENGINE]
            raise errors.NeedsEngineError(
                reason=reasons[-1] if reasons else "it asks for more than tables and their logs"
            )

    def require_fetching(self) -> None:
        """Raises LeftToEngineError where only the engine may return a table's rows to the caller. Does not start it."""
        self._require_in_process()
        self._require_unset(lambda key: key.startswith(_OF_RESULTS))

    def require_computing(self) -> None:
        """Raises LeftToEngineError where settings may change the meaning of expressions, or reserve file I/O for the
        engine. Does not start it.
        """
        self._require_in_process()
        self._require_unset(lambda key: key == CASE_SENSITIVE.name or not preserve_literal_values([key]))

    def _require_in_process(self) -> None:
        if (self.session_value(COMPUTE.name) or DEFAULTS[COMPUTE.name]).upper() == "ENGINE":
            raise LeftToEngineError(f"{COMPUTE.name} is ENGINE")
        if (self.session_value(IO_MODE.name) or "").upper() == "EXECUTORS":
            raise LeftToEngineError(f"{IO_MODE.name} is EXECUTORS")
        if not self.is_ours:
            raise LeftToEngineError("the Spark session was passed in, and may have other settings")
        if not self.is_plain:
            raise LeftToEngineError("Spark has settings from outside of this session")
        self._require_unset(lambda key: key.startswith(OF_FILES))

    def _require_unset(self, matters: Callable[[str], bool]) -> None:
        key = next(filter(matters, self.settings.names()), None)
        if key is not None:
            raise LeftToEngineError(f"the session sets {key}")

    def reaches(self, location: str) -> bool:
        """Whether executors can access an object store with this session's credentials. Starts Spark."""
        return can_reach(self.session, hadoop_scheme(location)) and not self.has_other_keys(location)

    def has_other_keys(self, location: str) -> bool:
        """Whether Spark is configured with credentials for a store that differ from this session's.

        Spark keeps the first ones for as long as it runs: its connections are cached in the JVM, by bucket or account.
        """
        if self.stores.is_lent(location):
            # They go along with each reader and writer, which a server would log.
            return self.remote or hadoop_scheme(location) != "s3a"
        if _bucket(location) in self._reached:
            return False
        return has_other_keys(self.session, self.stores.hadoop_settings(location))

    def lent_options(self, location: str) -> dict[str, str]:
        """Options by which one reader or writer of a location uses credentials that are lent for it; else empty.

        It gets a connection of its own: Spark keeps others by bucket.
        """
        settings = self.stores.lent_settings(location)
        if not settings:
            return {}
        conceal_in_wire_log()
        return {**settings, f"fs.{hadoop_scheme(location)}.impl.disable.cache": "true"}

    def hadoop_location(self, location: str) -> str:
        """A location in Hadoop's spelling; sets the store's Hadoop settings in Spark on first use of its bucket."""
        bucket = _bucket(location)
        if bucket and bucket not in self._reached:
            configure(self.session, self.stores.hadoop_settings(location))
            self._reached.add(bucket)
        return hadoop_location(location)

    def committer(self, location: str) -> tuple[InPlaceCommit | None, Mapping[str, str | None]]:
        """The in-place committer for executors' writes to a location, or None for Spark's; and the settings for it.

        Spark's committer is used on a local disk, where a rename is cheap, and one that the user has set is kept.
        """
        if self.remote or self.session.conf.get(COMMITTER, None) not in {None, IN_PLACE}:
            return None, {}
        committer = None if is_local(location) else in_place_commit(self.session)
        return committer, {COMMITTER: None if committer is None else IN_PLACE}

    def interrupt(self) -> None:
        """Cancels the running jobs of this Spark session."""
        if self.started:
            self.session.interruptAll()

    def needing(self, *changes: Mapping[str, str | None]) -> AbstractContextManager[None]:
        """Context: settings that some work depends on (None: not set); they are restored at the end, even on errors."""
        ignored = () if self._embedded is None else self._embedded.ignored
        needed = {key: value for change in changes for key, value in change.items() if not key.startswith(ignored)}
        return self._tuning.needs(self.session, needed) if needed else nullcontext()

    def for_counts(self) -> Mapping[str, str]:
        """The settings with which observed counts of written rows are complete.

        Adaptive execution drops a stage that turns out to be empty, and with it the counts that were observed there.
        """
        rules = self.current_value(_EXCLUDED) or ""
        excluded = rules if _DROPS_EMPTY_STAGES in rules else f"{rules},{_DROPS_EMPTY_STAGES}".lstrip(",")
        return {_EXCLUDED: excluded}

    def sized(self, size_in_bytes: int) -> AbstractContextManager[None]:
        """Context: settings that speed up a statement over `size_in_bytes` of input.

        Settings of the user, and sessions that were passed in, are not changed.
        """
        session = self.session
        if not self.is_ours or self.capabilities is not SPARK:
            return nullcontext()
        fixed = self._outside.union(self.settings.names())
        settings = {key: value for key, value in for_size(size_in_bytes).items() if key not in fixed}
        if self.remote:
            # Each setting takes a few requests. This one decides the number of files, and how rows are numbered.
            settings = {key: value for key, value in settings.items() if key == SHUFFLES}
        return self._tuning.suits(session, settings)

    @property
    def writes_one_file(self) -> bool:
        """Whether there is one shuffle partition, so that rows are written as one file: see `FOR_SMALL_TABLES`."""
        return self.current_value(SHUFFLES) == "1"

    @property
    def joins_few_rows(self) -> bool:
        """Whether the statement has so few rows that one task should process them all: see `FOR_FEW_ROWS`."""
        few = self._embedded is None and self.is_ours and self.writes_one_file
        return bool(few and self.session.conf.get(FACTORY, None) == FOR_FEW_ROWS[FACTORY])

    @property
    def _tuning(self) -> Tuning:
        """The Tuning of the session, shared by all its handles, as threads may share a session."""
        if self.session not in _TUNINGS:
            _TUNINGS.setdefault(self.session, Tuning(session_settings() if self.is_ours and not self.remote else {}))
        return _TUNINGS[self.session]

    def variables_lock(self) -> AbstractContextManager[object]:
        """Held by a script while it has variables in a Spark session, which several sessions may have been given."""
        session = self.session
        with _LOCK:
            return _VARIABLE_LOCKS.setdefault(session, threading.RLock())

    def server_default(self, key: str) -> str | None:
        """The value of a setting at the start of a Spark Connect session; None if not set, and for other sessions."""
        return settings_of_server(self.session).get(key) if self.remote else None


def _bucket(location: str) -> str:
    """The bucket or container of a location, which determines the credentials; "" on a local disk."""
    return location.split("/", 3)[2] if "://" in location else ""


def temporary_views(spark: SparkHandle) -> list[str]:
    """The names of those that only this session has, without ours."""
    names = _listed(spark) if spark.remote else _view_names(spark)
    return [name for name in names if not name.startswith(HIDDEN_PREFIX)]


def drop_hidden(spark: SparkHandle, names: Iterable[str]) -> None:
    """Takes views of ours out of a session of this process.

    Spark's public way asks as well whether anything is cached that has the view's rows, to let go of it: that takes
    several times as long, and what it finds is the user's.
    """
    session: Any = spark.session
    try:
        catalog = session._jsparkSession.sessionState().catalog()
        for name in names:
            catalog.dropTempView(name)
    except Exception:
        # Not a public name of Spark's: another version may lack it.
        for name in names:
            session.catalog.dropTempView(name)


def _listed(spark: SparkHandle) -> list[str]:
    rows = spark.session.sql("SHOW VIEWS").collect()
    # Sail calls them tables.
    key = "viewName" if rows and "viewName" in rows[0] else "tableName"
    return [row[key] for row in rows if row["isTemporary"] and not row["namespace"]]


def _view_names(spark: SparkHandle) -> list[str]:
    """Asks Spark's catalog of the session: a statement and its rows take fifty times as long."""
    session: Any = spark.session
    try:
        names = str(session._jsparkSession.sessionState().catalog().getTempViewNames().mkString("\0"))
    except Exception:
        # Not a public name of Spark's: another version may lack it.
        return _listed(spark)
    return names.split("\0") if names else []


def sql_name(parts: Sequence[str]) -> str:
    """A name of some parts as SQL."""
    return ".".join(map(quote, parts))
