"""Sail, an engine in Rust that speaks Spark Connect: a server of it within this process, and no JVM at all."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

from deltasql.base.errors.engine import EnginesMixedError, SailMissingError
from deltasql.base.errors.statements.settings import InvalidSettingError
from deltasql.base.timezone import zone
from deltasql.engines.spark.loading import load_pyspark
from deltasql.engines.spark.session.remote import release_at_end, release_ended
from deltasql.files.facts import RUNNING
from deltasql.files.memory import available_memory

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LOCK = threading.Lock()
_SERVERS: list[Any] = []
"""The process's own server, once it runs. It ends with the process."""

_SETTINGS = {
    # Its log would go to the user's terminal.
    "RUST_LOG": "off",
    # A session that rests for some minutes would lose its settings and views without a word.
    "SAIL_SPARK__SESSION_TIMEOUT_SECS": str(366 * 24 * 3600),
}
_OF_CLIENT = ("pandas", "grpc", "grpc_status", "google.rpc.error_details_pb2", "zstandard")
"""Modules that PySpark's client imports, one after another, and misses with an error of its own."""
_MEMORY_SHARE = 0.4
_HOST = "127.0.0.1"
_UTC = frozenset({"UTC", "Etc/UTC", "GMT", "Etc/GMT"})


def sail_session(time_zone: str | None) -> SparkSession:
    """A new session on the server of this process, which listens on this machine only.

    It ends when nothing refers to it. Raises SailMissingError, EnginesMixedError.
    """
    try:
        for package in _OF_CLIENT:
            import_module(package)
        from pysail.spark import SparkConnectServer
    except ImportError as error:
        raise SailMissingError(package=error.name or "pysail") from error
    load_pyspark()
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    if SparkContext._active_spark_context is not None:
        raise EnginesMixedError(running="Spark", engine="Sail")
    with _LOCK:
        if not _SERVERS:
            for key, value in (_SETTINGS | _memory_settings()).items():
                os.environ.setdefault(key, value)
            server = SparkConnectServer(ip=_HOST, port=0)
            server.start(background=True)
            _SERVERS.append(server)
            RUNNING.append("Sail")
        release_ended()
        _, port = _SERVERS[0].listening_address
        session = SparkSession.builder.remote(f"sc://{_HOST}:{port}").create()
    for key, value in settings_at_start(time_zone).items():
        session.conf.set(key, value)
    # No answer is lost on the way to this process.
    session.client.disable_reattachable_execute()
    release_at_end(session)
    return session


def _memory_settings() -> dict[str, str]:
    """Settings of Sail's runtime, which else takes any memory: beyond a part of it, operators write to disk or fail."""
    kind = os.environ.get("SAIL_RUNTIME__MEMORY_POOL__TYPE", "fair")
    size = str(int(_MEMORY_SHARE * available_memory()))
    return {"SAIL_RUNTIME__MEMORY_POOL__TYPE": kind, f"SAIL_RUNTIME__MEMORY_POOL__{kind.upper()}__MAX_SIZE": size}


def settings_at_start(time_zone: str | None) -> dict[str, str]:
    """Settings of a new session, by key: the time zone of the machine, as on Spark. Sail itself begins in UTC."""
    with suppress(InvalidSettingError):
        if time_zone and str(zone(time_zone)) not in _UTC:
            return {"spark.sql.session.timeZone": time_zone}
    return {}
