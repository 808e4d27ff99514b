"""The SQL dialect of Delta Lake on stock Apache Spark.

`connect` opens a Session over a directory of tables, `Session.sql` runs a statement and gives a Result, and what goes
wrong is a DeltaSqlError: its `condition` and `sqlstate` say what, `deltasql.errors` has a class for each condition.
`Session.table`, `read`, `write`, `writeTo` and the two for streams speak PySpark's words. `Session.begin` gives a
Pending: a statement whose commit waits. `install` puts deltasql into a Spark session of yours, `uninstall` takes it
out again. `connect(progress=…)` is told, as Progress, how far Spark is. `deltasql.dbapi` is PEP 249,
`deltasql.databricks` the surface of its SQL connector, `deltasql.tables` the builders of Delta's Python package.

>>> import deltasql
>>> session = deltasql.connect(warehouse="warehouse")
>>> session.sql("CREATE TABLE t (id INT)").columns
[]
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

from deltasql.base import __version__

if TYPE_CHECKING:
    from deltasql import databricks, dbapi, errors, tables
    from deltasql.base import DeltaSqlError, Progress
    from deltasql.clients.spark.install import install, uninstall
    from deltasql.files import Result, Row
    from deltasql.session import Pending, Session, connect

__all__ = [
    "DeltaSqlError",
    "Pending",
    "Progress",
    "Result",
    "Row",
    "Session",
    "__version__",
    "connect",
    "databricks",
    "dbapi",
    "errors",
    "install",
    "tables",
    "uninstall",
]

if "pyarrow" not in sys.modules:
    # Of Arrow's allocators this one takes least: it opens 100,000 files in 152 MiB, where Arrow's own choice needs 180,
    # and with 0.15 s of CPU less. Only builds for the C library of GNU have it; what is set already stays.
    with suppress(AttributeError, ValueError, OSError):
        if os.confstr("CS_GNU_LIBC_VERSION"):
            os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "jemalloc")

# Imported when first asked for: `deltasql --version` and whoever wants one submodule need no session.
_HOMES = {
    "DeltaSqlError": "deltasql.base.errors",
    "Pending": "deltasql.session.execution.run",
    "Progress": "deltasql.base.progress",
    "Result": "deltasql.files.result",
    "Row": "deltasql.files.result",
    "Session": "deltasql.session.session",
    "connect": "deltasql.session.opening",
    # What IPython calls for %load_ext deltasql and %unload_ext.
    "load_ipython_extension": "deltasql.clients.notebook",
    "unload_ipython_extension": "deltasql.clients.notebook",
    "install": "deltasql.clients.spark.install",
    "uninstall": "deltasql.clients.spark.install",
}
_MODULES = frozenset({"databricks", "dbapi", "errors", "tables"})


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"deltasql.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
