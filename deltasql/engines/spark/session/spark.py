"""The Spark session behind the engine: started only when rows are needed, tuned per statement, left as it was found."""

from __future__ import annotations

import hashlib
import os
import sys
import weakref
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from deltasql.engines.spark.failures.spark_errors import Understood
from deltasql.engines.spark.session.capabilities import SPARK, Capabilities, capabilities
from deltasql.engines.spark.session.connectors import can_reach
from deltasql.engines.spark.session.environment import outside_settings
from deltasql.engines.spark.session.in_place import COMMITTER, IN_PLACE, InPlaceCommit, in_place_commit
from deltasql.engines.spark.session.kept_frames import KeptFrames
from deltasql.engines.spark.session.local import (
    OF_EVERY_SESSION,
    OWN_MARK,
    active_session,
    is_configured_outside,
    is_local_master,
    master_address,
    own_session,
    own_tuning,
    start_local,
)
from deltasql.engines.spark.session.remote import drop_views, remote_session, settings_of_server
from deltasql.engines.spark.session.tuning import FACTORY, FOR_FEW_ROWS, SHUFFLES, Tuning, for_size
from deltasql.errors.engine import NeedsEngineError
from deltasql.log.storage.credentials import is_identity
from deltasql.log.storage.locations import hadoop_location, hadoop_scheme, is_local
from deltasql.log.storage.stores import Stores
from deltasql.plan.base import quote
from deltasql.plan.way import ComputedBy, recorded_ways
from deltasql.progress import Progress, Watch
from deltasql.settings.session_settings import CASE_SENSITIVE, COMPUTE, DEFAULTS, IO_MODE, leave_literals
from deltasql.sql.cursor import LeftToEngineError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_OF_FILES = ("spark.sql.parquet.", "spark.sql.files.", "spark.hadoop.", "parquet.")
_OF_RESULTS = ("spark.sql.execution.arrow.", "spark.sql.execution.pyspark.", "spark.sql.legacy.")
_EXCLUDED = "spark.sql.adaptive.optimizer.excludedRules"
_DROPS_EMPTY_STAGES = "org.apache.spark.sql.execution.adaptive.AQEPropagateEmptyRelation"


_TUNINGS: weakref.WeakKeyDictionary[SparkSession, Tuning] = weakref.WeakKeyDictionary()


class SparkHandle:
    """A Spark session that starts when it is first asked for.

    `spark` is None (a local session of our own, shared by the process), a SparkSession, or an "sc://host:port" address.
    `settings` are set on the session when it starts; later changes go through `set` and `unset`.
    """

    def __init__(
        self,
        spark: SparkSession | str | None,
        settings: Mapping[str, str] | None = None,
        stores: Stores | None = None,
        watch: Watch | None = None,
    ) -> None:
        self.stores = Stores() if stores is None else stores
        """Where tables lie, for whoever reads and writes their files."""
        self.watch = Watch(lambda: None) if watch is None else watch
        """Who is told how far Spark is."""
        self._given = spark
        self._session: SparkSession | None = None if isinstance(spark, str) else spark
        self._pending = dict(settings or {})
        self._told = dict(self._pending)
        self._kept = {*self._pending, *outside_settings(os.environ)}
        self._stream_tuning: Tuning | None = None
        self._reached: set[str] = set()
        self.functions: set[str] = set()
        """The temporary functions that statements have made here, which Spark keeps."""
        self.views: set[str] = set()
        """The views of queries on Spark Connect, which looks for them whenever the query runs."""
        self.understood: Understood | None = None
        """The meaning of errors without a condition: see `failures.spark_errors.retold`."""
        self.kept = KeptFrames()
        """What statements leave to the next ones."""
        self.own = spark is None or isinstance(spark, str)
        """Whether deltasql began the session: it is tuned for a statement, and reset when a session of ours ends."""

    def of(self, frame: DataFrame) -> SparkHandle:
        """The session that a DataFrame belongs to: a stream's is a copy, with settings of its own."""
        handle = SparkHandle(frame.sparkSession, stores=self.stores, watch=self.watch)
        handle.own = handle.session.conf.get(OWN_MARK, None) is not None
        handle._kept, handle._told, handle.understood = self._kept, self._told, self.understood
        if handle.own and not (self.started and handle.session is self.session):
            handle._stream_tuning = Tuning(own_session())
        return handle

    def drop_what_was_made(self) -> None:
        """Takes what statements have made out of a session that others use: functions, views on Spark Connect."""
        self.kept.clear()
        if self.own:
            for name in () if self._is_over else self.functions:
                self.session.sql(f"DROP TEMPORARY FUNCTION IF EXISTS {quote(name)}")
            self.functions.clear()
        if self.views and not self.is_in_process:
            drop_views(self.session, self.views)
        self.views.clear()

    @property
    def started(self) -> bool:
        """Whether a session is there; asking does not start one."""
        return self._session is not None

    @property
    def has_others_tables(self) -> bool:
        """Whether Spark's catalog may hold tables of somebody else's: of a session that was handed in, of a server."""
        return not self.own or isinstance(self._given, str)

    @property
    def is_plain(self) -> bool:
        """Whether the session is one of ours, or will be, with no settings but ours; asking does not start it."""
        if self.has_others_tables or is_configured_outside():
            # A server has settings of its own, too.
            return False
        if self.started or "pyspark" not in sys.modules:
            return True
        active = active_session()
        return active is None or active.conf.get(OWN_MARK, None) is not None

    @property
    def remote(self) -> bool:
        """Whether the session speaks Spark Connect, which analyses nothing before it runs."""
        return type(self.session).__module__.startswith("pyspark.sql.connect")

    @property
    def session(self) -> SparkSession:
        """The session, started on first use. Raises JavaMissingError where there is no Java for a local one."""
        if self._session is None:
            self._session = self._started()
        while self._pending:
            # Each goes whatever comes of it: one that Spark refuses is told once, and not with every statement.
            key = next(iter(self._pending))
            self._session.conf.set(key, self._pending.pop(key))
        return self._session

    def _started(self) -> SparkSession:
        if isinstance(self._given, str):
            with self.watch.over(lambda: Progress(f"Connecting to {self._given}")):
                return self._on_server(self._given)
        with self.watch.over(lambda: Progress(f"Starting Spark ({master_address()}), which computes the rows")):
            return self._local()

    @staticmethod
    def _on_server(address: str) -> SparkSession:
        session, usual = remote_session(address, {OWN_MARK: "true", **OF_EVERY_SESSION})
        _TUNINGS.setdefault(session, Tuning(usual))
        return session

    def _local(self) -> SparkSession:
        """The session that is active in this process, which then is somebody else's, or our own."""
        active = active_session()
        if active is None:
            # Jars must be there from the start: for the stores that hold tables which were asked for until now.
            alone = (self.told(IO_MODE.name) or "").upper() == "DRIVER"
            return start_local(frozenset() if alone else self.stores.hadoop_schemes)
        self.own = active.conf.get(OWN_MARK, None) is not None
        return active

    def set(self, key: str, value: str) -> None:
        """Sets a Spark setting now, or when the session starts."""
        self._kept.add(key)
        self._told[key] = value
        if self._session is None:
            self._pending[key] = value
            return
        self._session.conf.set(key, value)

    def unset(self, key: str) -> None:
        self._pending.pop(key, None)
        self._told.pop(key, None)
        self._kept -= {key} - outside_settings(os.environ).keys()
        if self._session is not None and not self._is_over:
            self._session.conf.unset(key)
            # That leaves Spark's own default, which for shuffles is 200.
            if (began := self._began_with(key)) is not None:
                self._session.conf.set(key, began)

    def _began_with(self, key: str) -> str | None:
        """What a setting was when the session began, which RESET means; None where nobody has said."""
        usual: Mapping[str, str] = OF_EVERY_SESSION if self.remote else own_session()
        if self.own and key in usual:
            return usual[key]
        return None if self.remote else self.session.sparkContext._conf.get(key)

    @property
    def _is_over(self) -> bool:
        """Whether the session on a Spark Connect server was stopped, and with it all that was set there."""
        return self._session is not None and self.remote and bool(self.session.is_stopped)

    def setting(self, key: str) -> str | None:
        """What a setting is, or will be when the session starts; asking does not start it."""
        return self._pending.get(key) if self._session is None else self.now(key)

    def now(self, key: str) -> str | None:
        """What a setting is in the session, which is started."""
        value: str | None = self.session.conf.get(key, None)
        return value

    def settings_now(self) -> str | None:
        """What all settings are, in this session and in Spark: a text that is the same for as long as they are.

        None where settings are asked of a server, one by one.
        """
        if self.remote:
            return None
        session: Any = self.session
        try:
            settings = str(session._jsparkSession.conf().getAllAsJava().toString())
        except Exception:
            # Not a public name of PySpark's: another version may lack it.
            return None
        return hashlib.sha256(f"{settings}{sorted(self._told.items())}".encode()).hexdigest()

    def told(self, key: str) -> str | None:
        """What SET of this session has made of a setting of ours: a Spark of our own has other sessions' too.

        A Spark that was handed in may have been told it before.
        """
        return self._told.get(key) if self.own else self.setting(key)

    def hadoop_settings(self) -> dict[str, str]:
        """What the session that was handed in, or the environment of one of ours, tells Hadoop, by Hadoop's keys."""
        given = outside_settings(os.environ) if self._given is None else self.session.conf.getAll
        return {
            key.removeprefix("spark.hadoop."): value
            for key, value in given.items()
            if key.startswith(("spark.hadoop.", "fs."))
        }

    @property
    def capabilities(self) -> Capabilities:
        """What the engine behind the session can do. Asking starts it."""
        return capabilities(self.session) if self.remote else SPARK

    @property
    def reads_files(self) -> bool:
        """Whether the engine reads and writes data files by itself. Asking starts it."""
        return self.capabilities.metadata

    @property
    def shares_disk(self) -> bool:
        """Whether the executors are threads of this machine, so that they see its disk."""
        return not self.remote and is_local_master(str(self.session.sparkContext.master))

    @property
    def is_on_this_machine(self) -> bool:
        """As `shares_disk`, of a session that need not have begun."""
        return self.shares_disk if self.started else self._given is None and is_local_master(master_address())

    @property
    def is_in_process(self) -> bool:
        """Whether the engine is no JVM and no server elsewhere, but a part of this process, which reads this disk."""
        return False

    @property
    def leaves_files_to_us(self) -> bool:
        """Whether nothing is set that says how Spark reads and writes Parquet files, so that we may do so."""
        return self.is_plain and not any(key.startswith(_OF_FILES) for key in self._told)

    def require_engine(self) -> None:
        """Raises NeedsEngineError where the session lets no engine start."""
        if (self.told(COMPUTE.name) or "").upper() == "LOCAL":
            reasons = [way.because for way in recorded_ways() if way.by is ComputedBy.ENGINE]
            raise NeedsEngineError(reason=reasons[-1] if reasons else "it asks for more than tables and their logs")

    def require_fetching(self) -> None:
        """Raises LeftToEngineError where rows of a table may not come to the caller without the engine.

        Asking does not start it.
        """
        self._require_own_rows()
        self._require_unset(key.startswith(_OF_RESULTS) for key in self._told)

    def require_computing(self) -> None:
        """Raises LeftToEngineError where expressions may mean something else than by default, or files are the engine's
        to move. Asking does not start it.
        """
        self._require_own_rows()
        self._require_unset(key == CASE_SENSITIVE.name or not leave_literals([key]) for key in self._told)

    def _require_own_rows(self) -> None:
        if (self.told(COMPUTE.name) or DEFAULTS[COMPUTE.name]).upper() == "ENGINE":
            raise LeftToEngineError(f"{COMPUTE.name} is ENGINE")
        if (self.told(IO_MODE.name) or "").upper() == "EXECUTORS":
            raise LeftToEngineError(f"{IO_MODE.name} is EXECUTORS")
        if not self.own:
            raise LeftToEngineError("the Spark session was passed in, and may have settings of its own")
        if not self.is_plain:
            raise LeftToEngineError("Spark has settings from outside of this session")
        self._require_unset(key.startswith(_OF_FILES) for key in self._told)

    def _require_unset(self, are_set: Iterable[bool]) -> None:
        key = next((key for key, is_set in zip(self._told, are_set, strict=True) if is_set), None)
        if key is not None:
            raise LeftToEngineError(f"the session sets {key}")

    def reaches(self, location: str) -> bool:
        """Whether executors can read and write an object store as this session. The first question starts Spark."""
        return can_reach(self.session, hadoop_scheme(location)) and not self.has_other_keys(location)

    def has_other_keys(self, location: str) -> bool:
        """Whether Spark was told other keys of a store than this session's: it keeps the first for as long as it runs.

        Its connections are those of the JVM, by bucket or account.
        """
        if _bucket(location) in self._reached:
            return False
        own = self.stores.hadoop_settings(location)
        return any(self.session.conf.get(key, value) != value for key, value in own.items() if is_identity(key))

    def hadoop_location(self, location: str) -> str:
        """A place in a store as Spark is told it, which from now on has the settings that lead there."""
        bucket = _bucket(location)
        if bucket and bucket not in self._reached:
            for key, value in self.stores.hadoop_settings(location).items():
                if self.session.conf.get(key, None) is None:
                    self.session.conf.set(key, value)
            self._reached.add(bucket)
        return hadoop_location(location)

    def committer(self, location: str) -> tuple[InPlaceCommit | None, Mapping[str, str | None]]:
        """What commits files that executors write to a location, None for what Spark has; and the settings for it.

        On a disk Spark's own does: a rename costs nothing there. So does one that the user has chosen.
        """
        if self.remote or self.session.conf.get(COMMITTER, None) not in {None, IN_PLACE}:
            return None, {}
        own = None if is_local(location) else in_place_commit(self.session)
        return own, {COMMITTER: None if own is None else IN_PLACE}

    def interrupt(self) -> None:
        """Cancels the running jobs: of this session with Spark Connect, of the process otherwise."""
        if not self.started:
            return
        if self.remote:
            self.session.interruptAll()
            return
        self.session.sparkContext.cancelAllJobs()

    def needing(self, *changes: Mapping[str, str | None]) -> AbstractContextManager[None]:
        """Context: settings that some work depends on (None: not set); they are put back even when it fails."""
        return self._tuning.needs(self.session, {key: value for change in changes for key, value in change.items()})

    def for_counts(self) -> Mapping[str, str]:
        """The settings under which rows are counted on their way to a file, whatever becomes of them.

        Adaptive execution drops a stage that turned out to write nothing, and with it all that was counted there.
        """
        rules = self.now(_EXCLUDED) or ""
        excluded = rules if _DROPS_EMPTY_STAGES in rules else f"{rules},{_DROPS_EMPTY_STAGES}".lstrip(",")
        return {_EXCLUDED: excluded}

    def sized(self, size_in_bytes: int) -> AbstractContextManager[None]:
        """Context: settings that make a statement over so many bytes of input fast.

        What the user has set stays, and so does a session of the user's.
        """
        session = self.session
        if not self.own or self.capabilities is not SPARK:
            return nullcontext()
        wanted = {key: value for key, value in for_size(size_in_bytes).items() if key not in self._kept}
        if self.remote:
            # Each setting is a few requests. This one decides how many files there are, and how rows are numbered.
            wanted = {key: value for key, value in wanted.items() if key == SHUFFLES}
        return self._tuning.suits(session, wanted)

    @property
    def writes_one_file(self) -> bool:
        """Whether what is written now fits into one file: see `FOR_SMALL_TABLES`."""
        return self.now(SHUFFLES) == "1"

    @property
    def joins_few_rows(self) -> bool:
        """Whether one task is done with all rows before a second one would begin: see `FOR_FEW_ROWS`."""
        few = self.own and self.writes_one_file
        return bool(few and self.session.conf.get(FACTORY, None) == FOR_FEW_ROWS[FACTORY])

    @property
    def _tuning(self) -> Tuning:
        """One for all handles of a session, for threads may share it."""
        if self._stream_tuning is not None:
            return self._stream_tuning
        session = self.session
        if self.own and not self.remote:
            return own_tuning()
        return _TUNINGS.setdefault(session, Tuning({}))

    def given_by_server(self, key: str) -> str | None:
        """What a setting was in the session on a Spark Connect server when it began; None in any other session."""
        return settings_of_server(self.session).get(key) if self.remote else None


def _bucket(location: str) -> str:
    """Whose keys lead to a location: its bucket or container; "" on a disk."""
    return location.split("/", 3)[2] if "://" in location else ""
