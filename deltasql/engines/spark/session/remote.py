"""Spark Connect sessions: one for each open session of deltasql.

The log of what PySpark sends to its JVM, which holds whole commands at the level DEBUG: without lent credentials.
"""

from __future__ import annotations

import logging
import threading
import weakref
from collections import deque
from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from deltasql.base.errors.secrets import without_concealed
from deltasql.base.lazy import pa
from deltasql.engines.spark.loading import load_pyspark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

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
