"""Which session of deltasql uses which Spark session: those that are open at the same time share none."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LOCK = threading.Lock()
_CLAIMED: weakref.WeakSet[SparkSession] = weakref.WeakSet()


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
