"""New deletion vectors: one file for all vectors of a commit. Source: Delta protocol, Deletion Vector File Storage."""

from __future__ import annotations

import json
import re
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

from deltasql.lazy import np
from deltasql.log.actions.actions import Action, AddFile, DeletionVector
from deltasql.log.actions.deletion_vectors import FILE_VERSION, PORTABLE, deleted_rows, vector_path, z85_encode
from deltasql.log.storage.log_store import LogStore

# Only the field of the statistics itself has this value: no column has a boolean as its bound.
_TIGHT = re.compile(r'"tightBounds"\s*:\s*(?:true|null|false)')


@dataclass(frozen=True, slots=True)
class MarkedFile:
    """A live file and the sorted positions of rows that a statement takes out of it.

    `num_rows` counts all rows of the file, deleted ones too.
    """

    add: AddFile
    rows: np.ndarray[Any, Any]
    num_rows: int


@dataclass(frozen=True, slots=True)
class Marking:
    """The actions that mark rows, the file that holds their vectors (None: no file keeps a row that needs one), and
    how many files got their first vector, had theirs replaced, or went as a whole (`removed_vectors` of these had one).
    """

    actions: tuple[Action, ...]
    vector_file: str | None
    added: int
    replaced: int
    removed_files: tuple[AddFile, ...]

    @property
    def removed_vectors(self) -> int:
        return sum(add.deletion_vector is not None for add in self.removed_files)


def mark_rows(store: LogStore, files: Sequence[MarkedFile], now_ms: int) -> Marking:
    """Writes the vectors of `files` and returns the actions that refer to them.

    Each file is removed and added again with its new vector; one without a live row left is only removed. Raises
    InvalidDeletionVectorError when a vector that a file has already cannot be read.
    """
    gone = {item.add.path: _all_deleted(store, item) for item in files}
    remaining = [item for item in files if len(gone[item.add.path]) < item.num_rows]
    vectors, path = write_vectors(store, {item.add.path: gone[item.add.path] for item in remaining})
    actions: list[Action] = [item.add.remove(now_ms) for item in files]
    actions += [_marked(item, vectors[item.add.path]) for item in remaining]
    return Marking(
        tuple(actions),
        path,
        sum(item.add.deletion_vector is None for item in remaining),
        sum(item.add.deletion_vector is not None for item in remaining),
        tuple(item.add for item in files if item.add.path not in vectors),
    )


def write_vectors(
    store: LogStore, rows: Mapping[str, np.ndarray[Any, Any]]
) -> tuple[dict[str, DeletionVector], str | None]:
    """One new file with a vector for each key of `rows`; the vectors by key, and the file's path below the table."""
    if not rows:
        return {}, None
    name = z85_encode(uuid4().bytes)
    data = bytearray([FILE_VERSION])
    vectors = {}
    for key, positions in rows.items():
        payload = encode_vector(positions)
        vectors[key] = DeletionVector("u", name, len(data), len(payload), len(positions))
        data += struct.pack(">i", len(payload)) + payload + struct.pack(">I", zlib.crc32(payload))
    path = vector_path(name)
    store.put_if_absent(path, bytes(data))
    return vectors, path


def inline_vector(positions: np.ndarray[Any, Any]) -> DeletionVector:
    """A vector that needs no file, of sorted positions. None is written to a log: it is for plans."""
    payload = encode_vector(positions)
    padded = payload + bytes(-len(payload) % 4)
    return DeletionVector("i", z85_encode(padded), None, len(payload), len(positions))


def encode_vector(positions: np.ndarray[Any, Any]) -> bytes:
    """Sorted row positions as a portable 64-bit Roaring bitmap behind its magic number."""
    from pyroaring import BitMap64

    bitmap = BitMap64(positions.tolist())
    bitmap.run_optimize()
    return struct.pack("<i", PORTABLE) + bytes(bitmap.serialize())


def loose_statistics(stats: str | None, num_rows: int) -> str:
    """Statistics of a file with a deletion vector: bounds still hold, and need not be met by a live row."""
    text = stats or "{}"
    added: dict[str, object] = {} if "numRecords" in json.loads(text) else {"numRecords": num_rows}
    # The text is edited, not written anew: a number keeps all its digits.
    text, replaced = _TIGHT.subn('"tightBounds":false', text)
    if not replaced:
        added["tightBounds"] = False
    new = json.dumps(added, separators=(",", ":"))[1:-1]
    rest = text.strip()[1:]
    return "{" + new + ("," if new and rest.strip() != "}" else "") + rest


def _all_deleted(store: LogStore, item: MarkedFile) -> np.ndarray[Any, Any]:
    if item.add.deletion_vector is None:
        return item.rows
    return np.union1d(deleted_rows(store, item.add.deletion_vector.to_json()), item.rows)


def _marked(item: MarkedFile, vector: DeletionVector) -> AddFile:
    return replace(
        item.add, data_change=True, stats=loose_statistics(item.add.stats, item.num_rows), deletion_vector=vector
    )
