"""Credentials of object stores in Spark, whose JVM connects to each bucket or account with the first ones it gets."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from deltasql.engines.spark.session.remote import is_connect
from deltasql.log.storage.credentials import is_identity

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

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
