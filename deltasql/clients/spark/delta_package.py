"""The package `delta` for jobs that import it: `from delta.tables import *`, where delta-spark is not installed."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from threading import Lock
from types import ModuleType
from typing import Any

from deltasql.base.errors.usage import DeltaPackagePresentError
from deltasql.base.version import __version__
from deltasql.clients import tables
from deltasql.clients.tables import table
from deltasql.clients.tables.table import DeltaTable

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
        raise DeltaPackagePresentError(str(place or "a module without a file"))


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
