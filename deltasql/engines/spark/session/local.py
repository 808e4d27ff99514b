"""The Spark session that deltasql starts, or opens on a Spark Connect server: settings, connectors and committer.

Settings from the environment are the user's, and a started session keeps them. Each open session of deltasql has one
Spark Connect session. The JVM connects to each bucket or account with the first credentials that it gets. PySpark is
loaded by one thread at a time. The log of PySpark's commands to its JVM, which has whole commands at the level DEBUG,
shows no lent credentials.

A job committer for object stores lets Spark's tasks write files to their final paths. Spark's committer writes to a
temporary path and renames, and S3 renames by copying. `InPlaceCommit.java` implements Spark's FileCommitProtocol.
Janino, which compiles the code of Spark's queries, compiles it, so that it fits the running release; where that fails,
Spark's committer is used.

PySpark names a class or a method of the JVM by an attribute, and py4j asks the JVM for it each time: one command for
the class, for which every jar is searched, and one for the method, before the third that calls it. Stored as attributes
of these objects, they are found without a command. Measured on a MERGE of two rows: 300 commands to the JVM → 210. The
class of an exception is tested a dozen times, and each test resolves three names that are in no jar: of 4,400
statements, of which one in twelve failed, that took a twelfth of the time.
"""

from __future__ import annotations

import atexit
import logging
import os
import re
import shlex
import shutil
import signal
import sys
import tempfile
import threading
import weakref
import zipfile
from collections import deque
from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deltasql.base import errors, pa, without_concealed
from deltasql.engines.spark.loading import load_pyspark
from deltasql.engines.spark.session.tuning import SHUFFLES
from deltasql.files import RUNNING, available_memory
from deltasql.log import is_identity

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import DataFrame, SparkSession


_LOCK = threading.Lock()
START_LOCK = threading.Lock()
"""Held while a session starts."""

_THREADS = 8
_ENDED: deque[Any] = deque()
"""Clients of sessions that nothing refers to any more: released when the next one begins."""
_USUAL: weakref.WeakKeyDictionary[SparkSession, dict[str, str]] = weakref.WeakKeyDictionary()


def remote_session(address: str, settings: Mapping[str, str]) -> tuple[SparkSession, Mapping[str, str]]:
    """A new session on a Spark Connect server with these `settings`, and all the settings that it has at its start.

    PySpark itself would return its latest session, of any server. The server forgets the session once nothing refers
    to it.
    """
    load_pyspark()
    with START_LOCK:
        from pyspark.sql import SparkSession

        release_ended()
        session = SparkSession.builder.remote(address).config(map=dict(settings)).create()
        _USUAL[session] = dict(session.conf.getAll)
        release_at_end(session)
        return session, _USUAL[session]


def release_at_end(session: SparkSession) -> None:
    """Has the server forget a session that nothing refers to any more, when `release_ended` is called."""
    # The collector may run amid a request, when the client cannot make another one.
    weakref.finalize(session, _ENDED.append, session.client).atexit = False


def release_ended() -> None:
    """Releases the sessions that nothing refers to any more."""
    while _ENDED:
        client = _ENDED.popleft()
        with suppress(Exception):
            client.set_retry_policies([])
            client.release_session()
            client.close()


def settings_of_server(session: SparkSession) -> Mapping[str, str]:
    """The settings at the start of a session of `remote_session`; empty for any other session."""
    return _USUAL.get(session, {})


def is_connect(item: SparkSession | DataFrame) -> bool:
    """Whether a session, or the session of a DataFrame, is one of Spark Connect."""
    return type(item).__module__.startswith("pyspark.sql.connect")


def streamed(rows: DataFrame) -> Iterator[pa.Table]:
    """The rows of a Spark Connect DataFrame as they arrive, with the types that `DataFrame.toArrow` gives them."""
    from pyspark.sql.pandas.types import to_arrow_schema

    schema = to_arrow_schema(rows.schema, error_on_duplicated_field_names_in_struct=True, timezone="UTC")
    connected: Any = rows
    client, plan = connected.sparkSession.client, connected._plan
    for item in client.to_table_as_iterator(plan.to_proto(client), plan.observations):
        # The first item is the schema.
        if isinstance(item, pa.Table):
            yield item.cast(schema)


def drop_views(session: SparkSession, names: Collection[str]) -> None:
    """Drops temporary views of a session, without retries; ignored if its server is gone."""
    if session.is_stopped:
        return
    client = session.client
    patience = client.get_retry_policies()
    # A server that is gone would be asked for minutes.
    client.set_retry_policies([])
    try:
        # What has failed has no class in common, and a session that ends needs no views.
        with suppress(Exception), ThreadPoolExecutor(_THREADS) as threads:
            list(threads.map(session.catalog.dropTempView, names))
    finally:
        client.set_retry_policies(patience)


_LOGGERS = ("py4j.clientserver", "py4j.java_gateway")


def conceal_in_wire_log() -> None:
    """Has secrets of `errors.secrets.conceal` removed from that log from now on. Idempotent."""
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(_without_secrets)


def _without_secrets(record: logging.LogRecord) -> bool:
    record.msg, record.args = without_concealed(record.getMessage()), ()
    return True


PACKAGES = "spark.jars.packages"
EXCLUDES = "spark.jars.excludes"

_SDK = {"3.5.0": "2.35.4"}
"""The release of Amazon's SDK that a release of hadoop-aws was built with."""
_SDK_MODULES = ("s3", "s3-transfer-manager", "sts", "apache-client")
"""The parts of the SDK that S3A uses: 19 MB with what they need, where the bundle has 659."""

_REACHABLE: weakref.WeakKeyDictionary[SparkSession, dict[str, bool]] = weakref.WeakKeyDictionary()
_LOGGER = logging.getLogger(__name__)


def can_reach(session: SparkSession, scheme: str) -> bool:
    """Whether Spark has a file system for a scheme of Hadoop's, such as `s3a`."""
    schemes = _REACHABLE.setdefault(session, {})
    if scheme not in schemes:
        schemes[scheme] = _has_file_system(session, scheme)
    return schemes[scheme]


def _has_file_system(session: SparkSession, scheme: str) -> bool:
    # There is no such place, and its file system says so before it asks anybody: one that is missing cannot.
    try:
        session.read.schema("value STRING").text(f"{scheme}:///").schema  # noqa: B018 - Spark Connect looks only now
    except Exception as error:
        # What Spark throws here has no class of PySpark's.
        return not re.search(r"ClassNotFoundException|No FileSystem for scheme", str(error))
    return True


def connector_settings(scheme: str) -> dict[str, str]:
    """The settings of a new session of ours with which it can reach a scheme; none where no jars are known for it."""
    version = _hadoop_version()
    if scheme != "s3a" or version is None:
        return {}
    hadoop = f"org.apache.hadoop:hadoop-aws:{version}"
    if version not in _SDK:
        return {PACKAGES: hadoop}
    modules = (f"software.amazon.awssdk:{module}:{_SDK[version]}" for module in _SDK_MODULES)
    return {PACKAGES: ",".join((hadoop, *modules)), EXCLUDES: "software.amazon.awssdk:bundle"}


def announce_downloads(settings: dict[str, str]) -> None:
    """Tells the user that jars are on their way, since this takes its time once."""
    first = settings[PACKAGES].partition(",")[0]
    group, name, version = first.split(":")
    if not any(Path.home().glob(f".ivy2*/jars/{group}_{name}-{version}.jar")):
        _LOGGER.warning("Spark fetches its connector for S3, %s and 51 jars that it needs (19 MB), once", first)


@cache
def _hadoop_version() -> str | None:
    """The release of Hadoop that PySpark brings; None for a Spark that was installed in another way."""
    import pyspark

    jars = Path(pyspark.__file__).parent.glob("jars/hadoop-client-api-*.jar")
    return next((jar.stem.removeprefix("hadoop-client-api-") for jar in jars), None)


_FIRST: weakref.WeakKeyDictionary[Any, dict[str, str]] = weakref.WeakKeyDictionary()
"""Hadoop's settings of stores by the SparkContext, which several sessions share, or by the session on a server."""


def has_other_keys(session: SparkSession, settings: Mapping[str, str]) -> bool:
    """Whether Spark is configured with credentials for a store that differ from these `settings` of Hadoop."""
    first = _FIRST.get(_shared(session), {})
    keys = {key: value for key, value in settings.items() if is_identity(key)}
    return any({first.get(key, value), session.conf.get(key, value)} != {value} for key, value in keys.items())


def configure(session: SparkSession, settings: Mapping[str, str]) -> None:
    """Sets those of Hadoop's `settings` of a store that a session does not have yet."""
    first = _FIRST.setdefault(_shared(session), {})
    for key, value in settings.items():
        if session.conf.get(key, None) is None:
            session.conf.set(key, value)
        first.setdefault(key, str(session.conf.get(key)))


def _shared(session: SparkSession) -> Any:
    return session if is_connect(session) else session.sparkContext


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
        # The type TIME and its functions, which Spark 4.2 has and leaves off.
        "spark.sql.timeType.enabled": "true",
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
            raise errors.EnginesMixedError(running=RUNNING[0], engine="Spark")
        if running := [session for session in _STARTED if session.sparkContext._jsc is not None]:
            # PySpark's builder would set the settings of a running session anew, and of its latest one.
            return running[-1]
        if "JAVA_HOME" not in os.environ and shutil.which("java") is None:
            raise errors.JavaMissingError()
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


_USED = {
    "org.apache.spark.sql.functions": ("col", "expr", "lit"),
    "org.apache.spark.sql.classic.SparkSession": ("getActiveSession", "getDefaultSession", "setActiveSession"),
    "org.apache.spark.sql.api.python.PythonSQLUtils": (),
    "org.apache.spark.sql.Observation": (),
    "org.apache.spark.sql.internal.SQLConf": ("get",),
    "org.apache.spark.util.Utils": ("exceptionString",),
    "functions": ("col",),
    "PythonErrorUtils": (),
    "PythonSQLUtils": ("readArrowStreamFromFile", "toDataFrame"),
    "PythonUtils": ("toSeq", "toList", "toArray"),
}
_ERROR_KINDS = ("py4j", "reflection", "TypeUtil", "isInstanceOf")
"""Parts of the qualified name of the function by which PySpark tests the class of an error."""


def cache_names(jvm: Any) -> None:
    """Looks up the classes and methods in py4j's view of a JVM, and stores them as attributes of the view.

    Raises Py4JError if a class of this Spark release lacks a method.
    """
    for name, members in _USED.items():
        # py4j takes an unknown name for a package, which has attributes of any name.
        package = getattr(jvm, name)
        for member in members:
            setattr(package, member, getattr(package, member))
        setattr(jvm, name, package)
    part = jvm
    for name in _ERROR_KINDS:
        package = getattr(part, name)
        setattr(part, name, package)
        part = package


JAVA_OPTIONS = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")
_SHORT = {"--driver-memory": "spark.driver.memory", "--name": "spark.app.name", "--master": "spark.master"}


def outside_settings(environment: Mapping[str, str]) -> dict[str, str]:
    """Spark settings from spark-defaults.conf, PYSPARK_SUBMIT_ARGS and Java options, in ascending precedence."""
    settings = dict(_defaults(environment))
    settings.update(_submitted(environment.get("PYSPARK_SUBMIT_ARGS", "")))
    options = " ".join(environment.get(name, "") for name in JAVA_OPTIONS)
    return settings | dict(re.findall(r"-D(spark\.[^\s=]+)=(\S*)", options))


def defaults_file(environment: Mapping[str, str]) -> Path | None:
    """The spark-defaults.conf that Spark will read, if there is one."""
    folder = environment.get("SPARK_CONF_DIR") or None
    if folder is None and "SPARK_HOME" in environment:
        folder = str(Path(environment["SPARK_HOME"], "conf"))
    path = None if folder is None else Path(folder, "spark-defaults.conf")
    return path if path is not None and path.is_file() else None


def _defaults(environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    path = defaults_file(environment)
    if path is not None:
        yield from _properties(path)


def _properties(path: Path) -> Iterator[tuple[str, str]]:
    """The lines `key value`, `key=value` and `key: value` of a file."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return
    for line in map(str.strip, lines):
        match = re.match(r"([^\s=:#!][^\s=:]*)\s*[\s=:]\s*(.*)", line)
        if match is not None:
            yield match[1], match[2]


def _submitted(text: str) -> Iterator[tuple[str, str]]:
    """Spark settings from a string of spark-submit arguments."""
    try:
        words = shlex.split(text)
    except ValueError:
        return
    words = [part for word in words for part in (word.split("=", 1) if re.match(r"--[a-z-]+=", word) else [word])]
    for option, value in pairwise(words):
        if option in {"--conf", "-c"} and "=" in value:
            key, _, setting = value.partition("=")
            yield key, setting
        elif option in _SHORT:
            yield _SHORT[option], value
        elif option == "--properties-file":
            yield from _properties(Path(value))


COMMITTER = "spark.sql.sources.commitProtocolClass"
"""Spark's setting for the class of the job committer."""
IN_PLACE = "deltasql.InPlaceCommit"

_SOURCE = Path(__file__).with_name("InPlaceCommit.java")
_COMMITTERS: weakref.WeakKeyDictionary[SparkContext, InPlaceCommit | None] = weakref.WeakKeyDictionary()


class InPlaceCommit:
    """Handle of the committer class, loaded into a session's JVM."""

    def __init__(self, session: SparkSession, loaded: Any) -> None:
        """`loaded` is the Java class."""
        gateway: Any = session.sparkContext._gateway
        self._thread, self._loader = gateway.jvm.java.lang.Thread, loaded.getClassLoader()
        types = gateway.new_array(gateway.jvm.java.lang.Class, 1)
        types[0] = gateway.jvm.java.lang.Class.forName("java.lang.String")
        self._taken, self._gateway = loaded.getMethod("taken", types), gateway

    @contextmanager
    def on_class_path(self) -> Iterator[None]:
        """Context: the class is on the context class loader of this thread's JVM calls, where Spark looks it up."""
        thread = self._thread.currentThread()
        before = thread.getContextClassLoader()
        thread.setContextClassLoader(self._loader)
        try:
            yield
        finally:
            thread.setContextClassLoader(before)

    def taken(self, directory: str) -> frozenset[str] | None:
        """Removes and returns the committed files of the job that wrote to a directory, by paths below it.

        None for a job with another committer.
        """
        names = self._gateway.new_array(self._gateway.jvm.java.lang.Object, 1)
        names[0] = directory
        files = self._taken.invoke(None, names)
        return None if files is None else frozenset(files)


def in_place_commit(session: SparkSession) -> InPlaceCommit | None:
    """The in-place committer for a session with its own JVM, loaded on first use; None if it cannot be loaded."""
    with _LOCK:
        context = session.sparkContext
        if context not in _COMMITTERS:
            _COMMITTERS[context] = _loaded(session)
        return _COMMITTERS[context]


def _loaded(session: SparkSession) -> InPlaceCommit | None:
    try:
        jvm: Any = session.sparkContext._gateway.jvm
        compiler = jvm.org.codehaus.janino.SimpleCompiler()
        compiler.cook(_SOURCE.read_text(encoding="utf-8"))
        jar = _jar({name: bytes(code) for name, code in compiler.getBytecodes().items()})
        session.sql(f"ADD JAR '{jar}'")
        loader: Any = session._jsparkSession.sharedState().jarClassLoader()
        committer = InPlaceCommit(session, loader.loadClass(IN_PLACE))
        with committer.on_class_path():
            jvm.org.apache.spark.internal.io.FileCommitProtocol.instantiate(IN_PLACE, "0", "file:/", False)
    except Exception as error:
        # Py4J's errors and Spark's have no class in common, and neither must fail a write that can do without.
        _LOGGER.info("Spark's own committer writes the files, for ours cannot be had: %s", error)
        return None
    return committer


def _jar(classes: dict[str, bytes]) -> str:
    """Path of a new jar with some classes (bytecode by name); deleted when this process ends."""
    folder = tempfile.mkdtemp(prefix="deltasql-jar-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = Path(folder, "deltasql.jar")
    with zipfile.ZipFile(path, "w") as jar:
        for name, code in classes.items():
            jar.writestr(f"{name.replace('.', '/')}.class", code)
    return str(path)
