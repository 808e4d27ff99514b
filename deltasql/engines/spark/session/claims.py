"""Which session of deltasql uses which Spark session: those that are open at the same time share none."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LOCK = threading.Lock()
_CLAIMED: weakref.WeakSet[SparkSession] = weakref.WeakSet()
_VARIABLES: weakref.WeakKeyDictionary[SparkSession, AbstractContextManager[object]] = weakref.WeakKeyDictionary()


def claim(existing: Iterable[SparkSession], new: Callable[[], SparkSession]) -> SparkSession:
    """The first of the `existing` Spark sessions that nobody has claimed, or else a new one; it is claimed now.

    Settings, variables, temporary views and temporary functions are those of one Spark session.
    """
    with _LOCK:
        free = (session for session in existing if session not in _CLAIMED)
        claimed = next(free, None) or new()
        _CLAIMED.add(claimed)
        return claimed


def release(session: SparkSession) -> None:
    """Lets a later session of deltasql claim a Spark session, which has its initial settings again."""
    with _LOCK:
        _CLAIMED.discard(session)


def variables_lock(session: SparkSession) -> AbstractContextManager[object]:
    """Held by a script while it has variables in a Spark session, which several sessions may have been given."""
    with _LOCK:
        return _VARIABLES.setdefault(session, threading.RLock())
