"""A small LRU cache of a session's DataFrames for later statements.

The temporary views of a Spark session: SHOW TABLES asks for them each time that Spark runs, a query makes some.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MOST_FRAMES = 64
MOST_WEIGHT = 64 << 20
"""Total weight of the cached frames: see `CachedFrames.put`."""


class CachedFrames:
    """DataFrames by a key of all their inputs; safe for several threads."""

    def __init__(self, most: int = MOST_FRAMES, most_weight: int = MOST_WEIGHT) -> None:
        self._most, self._most_weight = most, most_weight
        self._frames: OrderedDict[Hashable, tuple[DataFrame, int]] = OrderedDict()
        self._weight = 0
        self._change = threading.Lock()

    def __len__(self) -> int:
        return len(self._frames)

    def find(self, key: Hashable) -> DataFrame | None:
        """The cached DataFrame of this key, if any."""
        with self._change:
            cached = self._frames.get(key)
            if cached is None:
                return None
            self._frames.move_to_end(key)
            return cached[0]

    def put(self, key: Hashable, frame: DataFrame, weight: int) -> None:
        """Keeps a DataFrame that holds about so many bytes of memory, in place of those that were used longest ago.

        One that is too heavy for all of the place is not kept.
        """
        if weight > self._most_weight:
            return
        with self._change:
            self._drop(key)
            self._frames[key] = frame, weight
            self._weight += weight
            while len(self._frames) > self._most or self._weight > self._most_weight:
                self._drop(next(iter(self._frames)))

    def clear(self) -> None:
        with self._change:
            self._frames.clear()
            self._weight = 0

    def _drop(self, key: Hashable) -> None:
        if key in self._frames:
            self._weight -= self._frames.pop(key)[1]
