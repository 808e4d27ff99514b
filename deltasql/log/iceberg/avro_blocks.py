"""Blocks of Avro files: written fast, and searched for paths without being parsed.

Source: Apache Avro specification, Object Container Files.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from pyiceberg.avro.encoder import BinaryEncoder
from pyiceberg.avro.file import AvroOutputFile

_Record = TypeVar("_Record")


class PathSearch:
    """A search for paths, of which all but a few lie below one root."""

    def __init__(self, paths: Iterable[str], root: str) -> None:
        self._root = f"{root}/".encode()
        encoded = [path.encode() for path in paths]
        self._below = {path[len(self._root) :] for path in encoded if path.startswith(self._root)}
        self._elsewhere = [path for path in encoded if not path.startswith(self._root)]
        self._lengths = {len(path) for path in self._below}

    def hits(self, block: bytes) -> bool:
        """Whether one of the paths is in the block."""
        starts = block.split(self._root)[1:] if self._below else ()
        if any(text[:length] in self._below for text in starts for length in self._lengths):
            return True
        return any(path in block for path in self._elsewhere)


def write_block(file: AvroOutputFile[_Record], records: Sequence[_Record]) -> None:
    """`file.write_block` with another encoder: twice as fast, since most of a record is small integers."""
    encoder = _BlockEncoder()
    for record in records:
        file.writer.write(encoder, record)
    deflate = zlib.compressobj(wbits=-15)
    file.encoder.write_int(len(records))
    file.encoder.write_bytes(deflate.compress(b"".join(encoder.parts)) + deflate.flush())
    file.encoder.write(file.sync_bytes)


class _BlockEncoder(BinaryEncoder):  # type: ignore[misc]
    """The parts of a block, in order."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.write = self.parts.append

    def write_int(self, integer: int) -> None:
        self.parts.append(_SMALL_INTEGERS[integer] if 0 <= integer < _FEW else _integer(integer))

    def write_bytes(self, b: bytes) -> None:
        self.write_int(len(b))
        self.parts.append(b)


def _integer(value: int) -> bytes:
    """Avro's zigzag varint."""
    rest, encoded = (value << 1) ^ (value >> 63), bytearray()
    while rest > 0x7F:
        encoded.append(rest & 0x7F | 0x80)
        rest >>= 7
    encoded.append(rest)
    return bytes(encoded)


_FEW = 1 << 12
_SMALL_INTEGERS = [_integer(number) for number in range(_FEW)]


def blocks(data: bytes) -> Iterator[bytes]:
    """The blocks of an Avro file, decompressed: what stands between its sync markers, which end the header too."""
    marker = data[-16:]
    compressed = b"deflate" in data[: data.find(marker)]
    for block in data.split(marker)[1:-1]:
        start = 0
        # The number of objects and of bytes come first.
        for _ in range(2):
            while block[start] & 0x80:
                start += 1
            start += 1
        yield zlib.decompress(block[start:], wbits=-15) if compressed else block[start:]
