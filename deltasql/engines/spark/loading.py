"""PySpark is loaded by one thread at a time."""

from __future__ import annotations

import threading

_LOCK = threading.Lock()


def load_pyspark() -> None:
    """Imports PySpark; a second thread waits until it is whole.

    Its packages import each other: of two threads that begin with `from pyspark.errors import …` and `from pyspark.sql
    import …`, each holds the module that the other one waits for, and Python then shows one of them half a module.
    """
    with _LOCK:
        import pyspark.errors
        import pyspark.sql.functions
        import pyspark.sql.pandas.types  # noqa: F401
