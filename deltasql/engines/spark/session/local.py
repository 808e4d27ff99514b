"""The Spark session that deltasql starts for the process: its master, its initial settings, and its start."""

from __future__ import annotations

import atexit
import logging
import os
import re
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from deltasql.engines.memory import available_memory
from deltasql.engines.running import RUNNING
from deltasql.engines.spark.loading import load_pyspark
from deltasql.engines.spark.session.connectors import PACKAGES, announce_downloads, connector_settings
from deltasql.engines.spark.session.environment import JAVA_OPTIONS, defaults_file, outside_settings
from deltasql.engines.spark.session.jvm_names import cache_names
from deltasql.engines.spark.session.remote import START_LOCK
from deltasql.engines.spark.session.tuning import SHUFFLES
from deltasql.errors.engine import EnginesMixedError, JavaMissingError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_MOST_HEAP, _HEAP_SHARE = 4 << 30, 0.4
STARTED_BY_DELTASQL = "spark.deltasql.own"
"""A setting that marks sessions started by deltasql: only these are tuned for a statement."""


OF_EVERY_SESSION = {
    # Otherwise `${env:HOME}` in a name or a text, which may come from a table, is replaced by the variable's value.
    "spark.sql.variable.substitute": "false",
}


def session_settings() -> dict[str, str]:
    """The initial settings of a session that deltasql starts, except those that the environment sets."""
    defaults = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        # PySpark records the call site of each call with six JVM commands; it would be a line of deltasql. Measured on
        # a MERGE of two rows: 540 commands to the JVM → 300.
        "spark.python.sql.dataFrameDebugging.enabled": "false",
        # What plans look like in the UI, which is off: the shortest.
        "spark.sql.ui.explainMode": "simple",
        "spark.sql.legacy.createHiveTableByDefault": "false",
        # Tables are in our catalog. Hive's would put its files into the working directory.
        "spark.sql.catalogImplementation": "in-memory",
        **OF_EVERY_SESSION,
        **(_sizes(_cores(master_address())) if is_local_master(master_address()) else {}),
    }
    outside = outside_settings(os.environ)
    return {STARTED_BY_DELTASQL: "true", **{key: value for key, value in defaults.items() if key not in outside}}


def _sizes(cores: int) -> dict[str, str]:
    """Settings for a local Spark on `cores` cores; a cluster has its own."""
    return {
        # Spark's own, 200, is for clusters; these are enough for every core, and the same on all small machines.
        SHUFFLES: str(max(4, 2 * cores)),
        "spark.default.parallelism": str(max(4, cores)),
        "spark.driver.memory": f"{_heap_of(available_memory()) >> 20}m",
    }


def _heap_of(available: int) -> int:
    """Bytes of the JVM's heap. A JVM takes more memory than its heap, and this process needs some as well."""
    return min(_MOST_HEAP, int(_HEAP_SHARE * available))


def master_address() -> str:
    return os.environ.get("DELTASQL_MASTER", "local[*]")


def is_local_master(master: str) -> bool:
    """Whether executors are threads of the driver's JVM, or processes that it starts on this machine."""
    return master.startswith("local")


def _cores(master: str) -> int:
    """The number of tasks that a local master runs in parallel."""
    match = re.match(r"local\[(\d+)", master)
    return int(match[1]) if match else os.cpu_count() or 1


_STARTED: list[SparkSession] = []
"""The sessions that `start_local` has started, of which at most one still runs."""


def start_local(connectors: frozenset[str] = frozenset()) -> SparkSession:
    """The process's first session, started on first use with the jars of the connectors for some URI schemes.

    It is local unless the environment sets another master. Raises EnginesMixedError, JavaMissingError.
    """
    load_pyspark()
    with START_LOCK:
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession

        if RUNNING:
            raise EnginesMixedError(running=RUNNING[0], engine="Spark")
        if running := [session for session in _STARTED if session.sparkContext._jsc is not None]:
            # PySpark's builder would set the settings of a running session anew, and of its latest one.
            return running[-1]
        if "JAVA_HOME" not in os.environ and shutil.which("java") is None:
            raise JavaMissingError()
        if is_local_master(master_address()):
            # Workers must run this interpreter: another one lacks our packages. On other machines there is none such,
            # and executors there call the driver at its address, which must not be the one that means themselves.
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
            os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        builder = SparkSession.builder.master(master_address()).appName("deltasql")
        for key, value in session_settings().items():
            builder = builder.config(key, value)
        builder = builder.config("spark.sql.warehouse.dir", _unused_warehouse())
        # A cancelled query is reported by whoever cancelled it; py4j would print two stacks on top.
        logging.getLogger().addFilter(_is_no_cancellation)
        with _same_interrupts():
            if settings := _with_jars(connectors):
                announce_downloads(settings)
                try:
                    return _begun(builder.config(map=settings))
                except PySparkException:
                    # No way to the jars: the driver moves the files.
                    builder = builder.config(map=dict.fromkeys(settings, ""))
            return _begun(builder)


def _begun(builder: SparkSession.Builder) -> SparkSession:
    """The session that a builder makes."""
    with _quiet_stderr():
        session = builder.getOrCreate()
    cache_names(session.sparkContext._jvm)
    _STARTED[:] = [session]
    return session


def _with_jars(connectors: frozenset[str]) -> dict[str, str]:
    """The settings that load the jars of connectors; none where the environment sets the packages."""
    if PACKAGES in outside_settings(os.environ):
        return {}
    return {key: value for connector in connectors for key, value in connector_settings(connector).items()}


def _unused_warehouse() -> str:
    """A temporary directory for Spark's catalog, which otherwise creates one in the working directory."""
    directory = tempfile.mkdtemp(prefix="deltasql-spark-")
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    return directory


def is_configured_outside() -> bool:
    """Whether the environment configures Spark, or Java's time zone."""
    options = " ".join(os.environ.get(name, "") for name in JAVA_OPTIONS)
    by_environment = any(name in os.environ for name in ("SPARK_CONF_DIR", "PYSPARK_SUBMIT_ARGS"))
    defaults = defaults_file(os.environ) is not None
    return by_environment or defaults or "-Duser.timezone" in options or "-Dspark." in options


def _is_no_cancellation(record: logging.LogRecord) -> bool:
    return not record.getMessage().startswith("KeyboardInterrupt while sending command")


@contextmanager
def _same_interrupts() -> Iterator[None]:
    """Context: restores the SIGINT handler. PySpark's calls the JVM amid another call, fails and cancels nothing."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        # Only the main thread may, and only its start of Spark sets a handler. None: one that Python did not set.
        if threading.current_thread() is threading.main_thread() and before is not None:
            signal.signal(signal.SIGINT, before)


def active_session() -> SparkSession | None:
    """The active Spark session of this process, started by deltasql or by the user; None if there is none."""
    load_pyspark()
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    if active is None and SparkContext._active_spark_context is not None:
        # A new thread has no active session.
        return SparkSession.builder.getOrCreate()
    return active


@contextmanager
def _quiet_stderr() -> Iterator[None]:
    """Context: discards the JVM's start-up output on stderr, unless DELTASQL_SPARK_LOG is set."""
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
