"""The Spark session behind the engine: started only when rows are needed, tuned per statement, left as it was found."""

from __future__ import annotations

import atexit
import logging
import os
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from deltasql.errors.engine import JavaMissingError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

START_LOCK = threading.Lock()

OWN_MARK = "spark.deltasql.own"
"""A setting of the sessions that deltasql started itself: these it may tune for a statement."""

OWN_SESSION = {
    OWN_MARK: "true",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "4",
    "spark.default.parallelism": "4",
    "spark.driver.memory": "4g",
    "spark.log.level": "OFF",
    "spark.sql.legacy.createHiveTableByDefault": "false",
    # Tables are in our catalog. Hive's would put its files into the working directory.
    "spark.sql.catalogImplementation": "in-memory",
}

FOR_FEW_ROWS = {
    # Planning and code generation cost more than the rows: measured 0.50 s → 0.22 s for a join and a write of two rows.
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}

FOR_SMALL_TABLES = {
    # What fits into one file is written as one.
    "spark.sql.shuffle.partitions": "1",
}

FOR_SCANS = {
    # Explicit file lists need no listing job: 5,000 paths plan in 0.5 s instead of 14 s.
    "spark.sql.sources.parallelPartitionDiscovery.threshold": "1000000",
}

FOR_WRITES = {
    # INT96, the default, has no statistics in the footer.
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
}


_EXCLUDED = "spark.sql.adaptive.optimizer.excludedRules"
_DROPS_EMPTY_STAGES = "org.apache.spark.sql.execution.adaptive.AQEPropagateEmptyRelation"

SHREDDING = "spark.sql.variant.writeShredding.enabled"
"""Spark by default takes variants apart into columns of their own, for which a table must have the feature."""


def for_writes(shredding: bool) -> Mapping[str, str]:
    """The settings for new data files; with `shredding` variants may be taken apart."""
    return {**FOR_WRITES, SHREDDING: str(shredding).lower()}


class SparkHandle:
    """A Spark session that starts when it is first asked for.

    `spark` is None (a local session of our own, shared by the process), a SparkSession, or an "sc://host:port" address.
    `settings` are set on the session when it starts; later changes go through `set` and `unset`.
    """

    def __init__(self, spark: SparkSession | str | None, settings: Mapping[str, str] | None = None) -> None:
        self._given = spark
        self._session: SparkSession | None = None if isinstance(spark, str) else spark
        self._pending = dict(settings or {})
        self.own = spark is None

    @staticmethod
    def of(frame: DataFrame) -> SparkHandle:
        """The session that a DataFrame belongs to."""
        handle = SparkHandle(frame.sparkSession)
        handle.own = handle.session.conf.get(OWN_MARK, None) is not None
        return handle

    @property
    def started(self) -> bool:
        """Whether a session is there; asking does not start one."""
        return self._session is not None

    @property
    def is_plain(self) -> bool:
        """Whether the session is one of ours, or will be, with no settings but ours; asking does not start it."""
        if not self.own or _is_configured_outside():
            return False
        if self.started or "pyspark" not in sys.modules:
            return True
        active = _active_session()
        return active is None or active.conf.get(OWN_MARK, None) is not None

    @property
    def remote(self) -> bool:
        """Whether the session speaks Spark Connect, which analyses nothing before it runs."""
        return type(self.session).__module__.startswith("pyspark.sql.connect")

    @property
    def session(self) -> SparkSession:
        """The session, started on first use. Raises JavaMissingError where there is no Java for a local one."""
        if self._session is None:
            self._session = _connect(self._given) if isinstance(self._given, str) else self._local()
        while self._pending:
            # Each goes whatever comes of it: one that Spark refuses is told once, and not with every statement.
            key = next(iter(self._pending))
            self._session.conf.set(key, self._pending.pop(key))
        return self._session

    def _local(self) -> SparkSession:
        """The session that is active in this process, which then is somebody else's, or our own."""
        active = _active_session()
        if active is None:
            return _start_local()
        self.own = active.conf.get(OWN_MARK, None) is not None
        return active

    def set(self, key: str, value: str) -> None:
        """Sets a Spark setting now, or when the session starts."""
        if self._session is None:
            self._pending[key] = value
            return
        self._session.conf.set(key, value)

    def unset(self, key: str) -> None:
        self._pending.pop(key, None)
        if self._session is not None:
            self._session.conf.unset(key)

    def interrupt(self) -> None:
        """Cancels the running jobs: of this session with Spark Connect, of the process otherwise."""
        if not self.started:
            return
        if self.remote:
            self.session.interruptAll()
            return
        self.session.sparkContext.cancelAllJobs()

    @contextmanager
    def tuned(self, *changes: Mapping[str, str | None]) -> Iterator[SparkSession]:
        """The session with some settings changed for a while (None: not set); they are put back even on failure."""
        session = self.session
        wanted = {key: value for change in changes for key, value in change.items()}
        before = {key: session.conf.get(key, None) for key in wanted}
        changed = {key: value for key, value in wanted.items() if before[key] != value}
        try:
            for key, value in changed.items():
                _restore(session, key, value)
            yield session
        finally:
            for key in changed:
                _restore(session, key, before[key])

    def for_counts(self) -> Mapping[str, str]:
        """The settings under which rows are counted on their way to a file, whatever becomes of them.

        Adaptive execution drops a stage that turned out to write nothing, and with it all that was counted there.
        """
        rules = self.session.conf.get(_EXCLUDED, None)
        return {_EXCLUDED: f"{rules},{_DROPS_EMPTY_STAGES}" if rules else _DROPS_EMPTY_STAGES}

    def for_size(self, size_in_bytes: int) -> Mapping[str, str]:
        """The settings that suit a statement over so many bytes of input. A session of the user's keeps its own."""
        if not self.own or size_in_bytes >= FEW_BYTES:
            return {}
        return FOR_FEW_ROWS if size_in_bytes < TINY_BYTES else FOR_SMALL_TABLES


TINY_BYTES = 1 << 20
"""Below, planning costs more than rows; 3 MB of Parquet are 300,000 rows already, which want generated code."""

FEW_BYTES = 8 << 20
"""Below, a table is rewritten in one pass rather than searched first."""


def _restore(session: SparkSession, key: str, value: str | None) -> None:
    if value is None:
        session.conf.unset(key)
        return
    session.conf.set(key, value)


def _connect(address: str) -> SparkSession:
    from pyspark.sql import SparkSession

    return SparkSession.builder.remote(address).getOrCreate()


def _start_local() -> SparkSession:
    """The process's own local session. Workers must run this interpreter: another one lacks our packages."""
    from pyspark.sql import SparkSession

    with START_LOCK:
        if "JAVA_HOME" not in os.environ and shutil.which("java") is None:
            raise JavaMissingError()
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        builder = SparkSession.builder.master(os.environ.get("DELTASQL_MASTER", "local[*]")).appName("deltasql")
        for key, value in OWN_SESSION.items():
            builder = builder.config(key, value)
        builder = builder.config("spark.sql.warehouse.dir", _unused_warehouse())
        # PySpark logs each failed analysis as JSON on stderr; the error itself says it better.
        logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)
        # A cancelled query is reported by whoever cancelled it; py4j would print two stacks on top.
        logging.getLogger().addFilter(_is_no_cancellation)
        with _quiet_stderr(), _same_interrupts():
            return builder.getOrCreate()


def _unused_warehouse() -> str:
    """A directory for Spark's own catalog, which makes one, in the working directory if it is not told another."""
    place = tempfile.mkdtemp(prefix="deltasql-spark-")
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    return place


def _is_configured_outside() -> bool:
    """Whether a Spark that we start finds settings in the environment: of its own, or a time zone of Java's."""
    options = " ".join(os.environ.get(name, "") for name in ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"))
    own = any(name in os.environ for name in ("SPARK_CONF_DIR", "PYSPARK_SUBMIT_ARGS"))
    home = os.environ.get("SPARK_HOME")
    defaults = home is not None and Path(home, "conf", "spark-defaults.conf").exists()
    return own or defaults or "-Duser.timezone" in options or "-Dspark." in options


def _is_no_cancellation(record: logging.LogRecord) -> bool:
    return not record.getMessage().startswith("KeyboardInterrupt while sending command")


@contextmanager
def _same_interrupts() -> Iterator[None]:
    """Keeps Ctrl-C as it was: PySpark calls the JVM amid another call, which fails and cancels nothing."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        # Only the main thread may, and only its start of Spark sets a handler. None: one that Python did not set.
        if threading.current_thread() is threading.main_thread() and before is not None:
            signal.signal(signal.SIGINT, before)


def _active_session() -> SparkSession | None:
    from pyspark.sql import SparkSession

    return SparkSession.getActiveSession()


@contextmanager
def _quiet_stderr() -> Iterator[None]:
    """Keeps the JVM's start-up chatter off the user's terminal; what Python raises is not affected."""
    if os.environ.get("DELTASQL_SPARK_LOG"):
        yield
        return
    sys.stderr.flush()
    saved, null = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(null, 2)
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)
        os.close(null)
