"""What a statement has of its rows within this process, for as long as it may ask for them."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

MOST_BYTES = 1 << 30
"""Of rows in memory that will be asked for once more; further files are read again."""


class Workspace:
    """Files on this machine's disk, and rows of data files that are needed twice. Threads may share it."""

    def __init__(self) -> None:
        self._kept: list[object] = []
        self._rows: dict[object, pa.Table] = {}
        self._lock = Lock()
        self._bytes = 0

    def keep(self, item: object) -> None:
        """Holds what goes when nothing refers to it, such as a folder."""
        self._kept.append(item)

    def rows(self, key: object, read: Callable[[], pa.Table], *, again: bool) -> pa.Table:
        """What `read` gives, or gave before under the same key. `again` says that it will be asked for once more."""
        with self._lock:
            known = self._rows.get(key) if again else self._rows.pop(key, None)
        if known is not None:
            return known
        found = read()
        with self._lock:
            if again and self._bytes + found.nbytes <= MOST_BYTES:
                self._rows[key] = found
                self._bytes += found.nbytes
        return found
