"""Spark's tasks write files where they stay: what commits a job of theirs without a rename, which a store has not.

Spark's own committer writes elsewhere and renames, and S3 renames by a copy. Ours is `InPlaceCommit.java`, a
FileCommitProtocol, Spark's own way to say how a job is committed. Janino, which compiles the code of Spark's queries,
compiles it too, so that it fits the release that runs; where anything of that is not to be had, Spark's stays.
"""

from __future__ import annotations

import atexit
import logging
import shutil
import tempfile
import weakref
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

COMMITTER = "spark.sql.sources.commitProtocolClass"
"""Spark's setting that names what commits files."""
IN_PLACE = "deltasql.InPlaceCommit"

_SOURCE = Path(__file__).with_name("InPlaceCommit.java")
_LOCK = Lock()
_MADE: weakref.WeakKeyDictionary[SparkContext, InPlaceCommit | None] = weakref.WeakKeyDictionary()
_LOGGER = logging.getLogger(__name__)


class InPlaceCommit:
    """The class within a JVM, where it is loaded."""

    def __init__(self, session: SparkSession, loaded: Any) -> None:
        """`loaded` is the Java class."""
        gateway: Any = session.sparkContext._gateway
        self._thread, self._loader = gateway.jvm.java.lang.Thread, loaded.getClassLoader()
        types = gateway.new_array(gateway.jvm.java.lang.Class, 1)
        types[0] = gateway.jvm.java.lang.Class.forName("java.lang.String")
        self._taken, self._gateway = loaded.getMethod("taken", types), gateway

    @contextmanager
    def known(self) -> Iterator[None]:
        """Context: this thread's calls of the JVM find the class. Spark looks for it where its thread does."""
        thread = self._thread.currentThread()
        before = thread.getContextClassLoader()
        thread.setContextClassLoader(self._loader)
        try:
            yield
        finally:
            thread.setContextClassLoader(before)

    def taken(self, directory: str) -> frozenset[str] | None:
        """The files that the job which wrote to a directory has committed, by their paths below it. Told once.

        None for a job that something else has committed.
        """
        names = self._gateway.new_array(self._gateway.jvm.java.lang.Object, 1)
        names[0] = directory
        files = self._taken.invoke(None, names)
        return None if files is None else frozenset(files)


def in_place_commit(session: SparkSession) -> InPlaceCommit | None:
    """What commits the writes of a session with a JVM of its own in place; None where it cannot be had."""
    with _LOCK:
        context = session.sparkContext
        if context not in _MADE:
            _MADE[context] = _made(session)
        return _MADE[context]


def _made(session: SparkSession) -> InPlaceCommit | None:
    try:
        jvm: Any = session.sparkContext._gateway.jvm
        compiler = jvm.org.codehaus.janino.SimpleCompiler()
        compiler.cook(_SOURCE.read_text(encoding="utf-8"))
        jar = _jar({name: bytes(code) for name, code in compiler.getBytecodes().items()})
        session.sql(f"ADD JAR '{jar}'")
        loader: Any = session._jsparkSession.sharedState().jarClassLoader()
        made = InPlaceCommit(session, loader.loadClass(IN_PLACE))
        with made.known():
            jvm.org.apache.spark.internal.io.FileCommitProtocol.instantiate(IN_PLACE, "0", "file:/", False)
    except Exception as error:
        # Py4J's errors and Spark's have no class in common, and neither must fail a write that can do without.
        _LOGGER.info("Spark's own committer writes the files, for ours cannot be had: %s", error)
        return None
    return made


def _jar(classes: dict[str, bytes]) -> str:
    """A jar of some classes, by name, for as long as this process runs."""
    folder = tempfile.mkdtemp(prefix="deltasql-jar-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = Path(folder, "deltasql.jar")
    with zipfile.ZipFile(path, "w") as jar:
        for name, code in classes.items():
            jar.writestr(f"{name.replace('.', '/')}.class", code)
    return str(path)
