"""`deltasql.install(spark)`: a user's Spark session runs the SQL and writes the tables of deltasql.

The session's object gets a subclass, so that other sessions of its process and its server are unchanged. For DataFrames
the class itself is changed: `write`, `writeTo` and `writeStream` check the session of the DataFrame.

Jobs with `from delta.tables import *` get a package `delta`, where delta-spark is not installed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from threading import Lock
from types import ModuleType
from typing import TYPE_CHECKING, Any

from deltasql.base import __version__, errors
from deltasql.catalog import Catalogs
from deltasql.clients import tables
from deltasql.clients.spark.catalog import DeltaSqlCatalog, Home, copied
from deltasql.clients.tables import table
from deltasql.clients.tables.definition import HOME, INSTALLED, MergeIntoWriter
from deltasql.clients.tables.table import DeltaTable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from deltasql.session import Session


_LOCK = Lock()
_PROVIDED: dict[str, ModuleType] = {}
"""The modules that are in `sys.modules` while a session needs them."""
_USERS: set[int] = set()


def require_absent() -> None:
    """Raises DeltaPackagePresentError where another package delta is installed, or is imported."""
    with _LOCK:
        if not _PROVIDED:
            _refuse_other()


def provide(user: object) -> None:
    """Makes `import delta` work until `withdraw`. Call `require_absent` before."""
    with _LOCK:
        if not _PROVIDED:
            _PROVIDED.update(_modules())
            sys.modules.update(_PROVIDED)
        _USERS.add(id(user))


def withdraw(user: object) -> None:
    """Takes the package away when no session needs it any more."""
    with _LOCK:
        _USERS.discard(id(user))
        if _USERS:
            return
        for name, module in _PROVIDED.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]
        _PROVIDED.clear()


def configure_spark_with_delta_pip(spark_session_builder: Any, extra_packages: Iterable[str] | None = None) -> Any:
    """The builder itself: no jar is needed. `extra_packages` become its `spark.jars.packages`."""
    packages = ",".join(extra_packages or ())
    return spark_session_builder.config("spark.jars.packages", packages) if packages else spark_session_builder


def _refuse_other() -> None:
    found: Any = sys.modules.get("delta") or find_spec("delta")
    if found is not None:
        place = getattr(found, "__file__", None) or getattr(found, "origin", None)
        raise errors.DeltaPackagePresentError(str(place or "a module without a file"))


def _modules() -> dict[str, ModuleType]:
    pip_utils = {"configure_spark_with_delta_pip": configure_spark_with_delta_pip}
    root = {"DeltaTable": DeltaTable, "__version__": __version__, **pip_utils}
    builders = {name: getattr(tables, name) for name in tables.__all__}
    made = {
        "delta": _module("delta", root),
        "delta.tables": _module("delta.tables", {**builders, **_names_of_pyspark()}),
        "delta.exceptions": _module("delta.exceptions", {name: getattr(table, name) for name in table.__all__}),
        "delta.pip_utils": _module("delta.pip_utils", pip_utils),
        "delta.version": _module("delta.version", {"__version__": __version__}),
    }
    for name, module in made.items():
        if "." in name:
            setattr(made["delta"], name.partition(".")[2], module)
    made["delta"].__path__ = []
    return made


def _names_of_pyspark() -> dict[str, Any]:
    """Names of PySpark that `from delta.tables import *` also gives, since the module of delta-spark imports them."""
    from pyspark.sql import Column, DataFrame, SparkSession, functions, types

    names = {"Column": Column, "DataFrame": DataFrame, "SparkSession": SparkSession, "functions": functions}
    return {**names, **{name: getattr(types, name) for name in ("DataType", "StructField", "StructType")}}


def _module(name: str, values: Mapping[str, Any]) -> ModuleType:
    module = ModuleType(name, f"{name}, provided by deltasql")
    vars(module).update(values)
    vars(module)["__all__"] = [key for key in values if not key.startswith("__")]
    return module


_CHANGED: dict[type, tuple[int, dict[str, Any]]] = {}
"""Changed classes of DataFrames: the number of installed sessions, and the original methods."""


def install(
    spark: SparkSession,
    warehouse: str = "warehouse",
    *,
    storage_options: Mapping[str, str] | None = None,
    delta: bool = False,
    catalogs: Catalogs | None = None,
) -> Session:
    """Routes `spark.sql`, `table`, `read`, `readStream`, `catalog` and the writers of its DataFrames to deltasql.

    The tables are those of `warehouse`, a directory or the URL of a folder in an object store, as for
    `deltasql.connect`, and so are `catalogs`. Statements on tables that only Spark has, and formats other than Delta,
    stay Spark's. With `delta` jobs may import the package `delta` (`delta.tables`, `delta.exceptions`), which is
    `deltasql.clients.tables` then.
    Returns the session of deltasql; installing again switches to another warehouse. `uninstall` restores everything. So
    does the end of the session: `with install(spark, …):`.

    Raises DeltaPackagePresentError where `delta` is asked for, and delta-spark is installed.
    """
    if delta:
        require_absent()
    uninstall(spark)
    _route(Home(spark, warehouse, storage_options, catalogs, _closed), delta=delta)
    return home_of(spark).session


def installed(session: Session) -> SparkSession:
    """The Spark session of a session of deltasql, with its methods routed to that session; jobs may import `delta`.

    It is an object for the user alone, beside the one by which the session computes rows. `uninstall` ends the session.
    """
    spark = copied(session.spark)
    _route(Home(spark, session.catalog.warehouse, None, session=session), delta=find_spec("delta") is None)
    made: SparkSession = spark
    return made


def home_of(spark: SparkSession) -> Home:
    """The installation of a Spark session."""
    home: Home = vars(spark)[HOME]
    return home


def _route(home: Home, *, delta: bool) -> None:
    spark = home.spark
    if delta:
        provide(spark)
    _change(home.frames)
    vars(spark)[HOME] = home
    INSTALLED.append(home)
    spark.__class__ = type(home.kind.__name__, (_Installed, home.kind), {"__module__": home.kind.__module__})


def uninstall(spark: SparkSession, *, close: bool = True) -> None:
    """Restores the session as before `install`, and closes that of deltasql, unless `close` is False.

    Does nothing if nothing is installed.
    """
    home = vars(spark).pop(HOME, None)
    if home is None:
        return
    withdraw(spark)
    INSTALLED.remove(home)
    spark.__class__ = home.kind
    _restore(home.frames)
    if close:
        home.session.close()


def _closed(home: Home) -> None:
    """Uninstalls what has a closed session, by which the Spark session could do nothing any more."""
    if vars(home.spark).get(HOME) is home:
        uninstall(home.spark)


class _Installed:
    """Mixin that overrides methods of an installed session's class."""

    _deltasql_home: Home

    def sql(self, sqlQuery: str, args: Mapping[str, Any] | Sequence[Any] | None = None, **kwargs: Any) -> DataFrame:
        return self._deltasql_home.sql(sqlQuery, args, kwargs)

    def table(self, tableName: str) -> DataFrame:
        frame: DataFrame = self.read.table(tableName)
        return frame

    @property
    def read(self) -> Any:
        sparks: Any = super()
        return self._deltasql_home.reader(sparks.read)

    @property
    def readStream(self) -> Any:
        sparks: Any = super()
        return self._deltasql_home.stream_reader(sparks.readStream)

    @property
    def catalog(self) -> Any:
        return DeltaSqlCatalog(self._deltasql_home)

    def newSession(self) -> SparkSession:
        """Another session, without deltasql."""
        plain: SparkSession = self._deltasql_home.plain.newSession()
        return plain

    def cloneSession(self, *arguments: Any) -> SparkSession:
        plain: SparkSession = self._deltasql_home.plain.cloneSession(*arguments)
        return plain


def _change(frames: type) -> None:
    with _LOCK:
        count, before = _CHANGED.get(frames, (0, {}))
        if not count:
            before = {name: vars(frames)[name] for name in ("write", "writeStream", "writeTo", "mergeInto")}
            for name, replacement in _replacements(before).items():
                setattr(frames, name, replacement)
        _CHANGED[frames] = (count + 1, before)


def _restore(frames: type) -> None:
    with _LOCK:
        count, before = _CHANGED.pop(frames)
        if count > 1:
            _CHANGED[frames] = (count - 1, before)
            return
        for name, original in before.items():
            setattr(frames, name, original)


def _replacements(before: Mapping[str, Any]) -> dict[str, Any]:
    def write(frame: Any) -> Any:
        home, sparks = _home(frame), before["write"].fget(frame)
        return sparks if home is None else home.writer(frame, sparks)

    def write_stream(frame: Any) -> Any:
        home, sparks = _home(frame), before["writeStream"].fget(frame)
        return sparks if home is None else home.stream_writer(frame, sparks)

    def write_to(frame: Any, table: str) -> Any:
        home, sparks = _home(frame), before["writeTo"](frame, table)
        return sparks if home is None else home.writer_to(frame, table, sparks)

    def merge_into(frame: Any, table: str, condition: Any) -> Any:
        home = _home(frame)
        if home is None or home.is_foreign(table):
            return before["mergeInto"](frame, table, condition)
        return MergeIntoWriter(DeltaTable.forName(home.spark, table).merge(frame, condition))

    return {
        "write": property(write),
        "writeStream": property(write_stream),
        "writeTo": write_to,
        "mergeInto": merge_into,
    }


def _home(frame: Any) -> Home | None:
    home: Home | None = vars(frame.sparkSession).get(HOME)
    return home
