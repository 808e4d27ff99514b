"""A job committer for object stores: Spark's tasks write files to their final paths, without a rename.

Spark's own committer writes to a temporary path and renames, and S3 renames by copying. This one is
`InPlaceCommit.java`, an implementation of Spark's FileCommitProtocol. Janino, which compiles the code of Spark's
queries, compiles it, so that it fits the running release; where that fails, Spark's committer is used.
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
"""Spark's setting for the class of the job committer."""
IN_PLACE = "deltasql.InPlaceCommit"

_SOURCE = Path(__file__).with_name("InPlaceCommit.java")
_LOCK = Lock()
_COMMITTERS: weakref.WeakKeyDictionary[SparkContext, InPlaceCommit | None] = weakref.WeakKeyDictionary()
_LOGGER = logging.getLogger(__name__)


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
