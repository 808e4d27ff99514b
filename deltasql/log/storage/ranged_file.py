"""An object of a storage as a file that can be read from any place."""

from __future__ import annotations

import io
from collections.abc import Callable

FOOTER = 1 << 16
"""Bytes at the end of an object that are fetched together."""


class RangedFile(io.RawIOBase):
    """One object of `size` bytes as a file. Every read fetches just its range, unless `whole` is the object already.

    `read_range` gives so many bytes (the second number) from a place on.
    """

    def __init__(self, read_range: Callable[[int, int], bytes], size: int, whole: bytes = b"") -> None:
        self._read_range = read_range
        self._size = size
        self._position = 0
        self._tail = whole

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}[whence]
        self._position = base + offset
        return self._position

    def read(self, size: int = -1) -> bytes:
        left = max(self._size - self._position, 0)
        length = left if size < 0 else min(size, left)
        data = self._range(length, left) if length else b""
        self._position += len(data)
        return data

    def _range(self, length: int, left: int) -> bytes:
        """Bytes from the position on. A footer, which is read in small pieces, is fetched once with all behind it."""
        if left > FOOTER:
            return self._read_range(self._position, length)
        if len(self._tail) < left:
            self._tail = self._read_range(self._position, left)
        start = len(self._tail) - left
        return self._tail[start : start + length]
