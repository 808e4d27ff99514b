"""Spark sessions in use: sessions of deltasql that are open at the same time have one each, of the same JVM."""

from __future__ import annotations

import threading
import weakref
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LOCK = threading.Lock()
_CLAIMED: weakref.WeakSet[SparkSession] = weakref.WeakSet()
_VARIABLES: weakref.WeakKeyDictionary[SparkSession, AbstractContextManager[object]] = weakref.WeakKeyDictionary()


def claim(first: SparkSession) -> SparkSession:
    """The `first` Spark session, or a new one beside it while that is in use; it is in use from now on.

    Settings, variables, temporary views and temporary functions belong to one Spark session.
    """
    with _LOCK:
        claimed = first.newSession() if first in _CLAIMED else first
        _CLAIMED.add(claimed)
        return claimed


def release(session: SparkSession) -> None:
    """Ends the use of a Spark session, which has its initial settings again."""
    with _LOCK:
        _CLAIMED.discard(session)


def variables_lock(session: SparkSession) -> AbstractContextManager[object]:
    """Held by a script while it has variables in a Spark session, which several sessions may have been given."""
    with _LOCK:
        return _VARIABLES.setdefault(session, threading.RLock())
