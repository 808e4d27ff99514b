"""Checks whether a file is complete, by its header and footer, or by decompressing it.

Source: the definitions of Parquet, ORC and Avro; RFC 1952 for gzip.

An object of a storage as a file that can be read from any place.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable

from deltasql.log.storage.log_store import LogStore
from deltasql.log.storage.row_groups import parse_footer

_STEP = 8 << 20
_ORC = b"ORC"
_AVRO = b"Obj\x01"
_PARQUET = b"PAR1"
_TAIL = 8


def whole_check(file_format: str) -> Callable[[LogStore, str], bool]:
    """The check whether a file of this format (`csv`, `parquet`, …) is complete, as far as known without its rows.

    The check takes a store and a path. It raises FileNotFoundError, StorageError.
    """
    return _CHECKS.get(file_format, _text)


def _parquet(store: LogStore, path: str) -> bool:
    size = store.head(path).size
    tail = store.read_range(path, max(size - _TAIL, 0), _TAIL) if size else b""
    length = int.from_bytes(tail[:4], "little")
    if len(tail) < _TAIL or tail[4:] != _PARQUET or length > size - _TAIL:
        return False
    try:
        parse_footer(store.read_range(path, size - _TAIL - length, length))
    except ValueError:
        return False
    return True


def _orc(store: LogStore, path: str) -> bool:
    """The magic is at the beginning and in the postscript at the end, whose length is the last byte."""
    size = store.head(path).size
    if size < len(_ORC) + 1:
        return False
    tail = store.read_range(path, max(size - 256, 0), 256)
    return store.read_range(path, 0, len(_ORC)) == _ORC and _ORC in tail[-1 - tail[-1] :]


def _avro(store: LogStore, path: str) -> bool:
    return store.head(path).size >= len(_AVRO) and store.read_range(path, 0, len(_AVRO)) == _AVRO


def _text(store: LogStore, path: str) -> bool:
    """Text may consist of any bytes; a `.gz` file must decompress to its end."""
    if not path.endswith(".gz"):
        return True
    size, at = store.head(path).size, 0
    unpack, ended = zlib.decompressobj(31), size == 0
    while at < size:
        piece = store.read_range(path, at, min(_STEP, size - at))
        at += len(piece)
        try:
            while piece:
                unpack.decompress(piece)
                # A file may hold several streams, one behind the other.
                ended, piece = unpack.eof, unpack.unused_data
                unpack = zlib.decompressobj(31) if unpack.eof else unpack
        except zlib.error:
            return False
    return ended


_CHECKS: dict[str, Callable[[LogStore, str], bool]] = {"parquet": _parquet, "orc": _orc, "avro": _avro}
