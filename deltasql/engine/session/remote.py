"""Sessions on servers that speak Spark Connect: one of this process for each server."""

from __future__ import annotations

import threading
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

START_LOCK = threading.Lock()
"""Held while a session starts."""

_THREADS = 8
_REMOTE: dict[str, SparkSession] = {}


def remote_session(address: str) -> SparkSession:
    """The process's session on a Spark Connect server. PySpark would hand out its last one, of whichever server."""
    from pyspark.sql import SparkSession

    with START_LOCK:
        known = _REMOTE.get(address)
        if known is None or known.is_stopped:
            known = _REMOTE[address] = SparkSession.builder.remote(address).create()
        return known


def drop_views(session: SparkSession, names: Collection[str]) -> None:
    """Takes temporary views out of a session, unless its server is gone."""
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
