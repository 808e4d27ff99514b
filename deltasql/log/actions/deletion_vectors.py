"""Deletion vectors: the deleted rows of a data file, read from the log or from files, and new ones written.

All vectors of a commit go into one file. Source: Delta protocol, Deletion Vector Format and Deletion Vector File
Storage.
"""

from __future__ import annotations

import json
import re
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID, uuid4

from deltasql.base import errors, np, pa, pc
from deltasql.log.actions.actions import Action, AddFile, DeletionVector
from deltasql.log.storage.listing import canonical, folder_and_name, is_absolute, is_local, open_regular
from deltasql.log.storage.log_store import LogStore

_Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
_Z85_VALUES = {char: value for value, char in enumerate(_Z85)}
_UUID_LENGTH = 20
"""Characters of a UUID in Z85."""
FILE_VERSION = 1
PORTABLE, _NATIVE = 1681511377, 1681511376
"""Magic numbers of the two layouts of a 64-bit Roaring bitmap."""


def marked_files(files: pa.Table) -> pa.ChunkedArray:
    """A mask of the files (rows of `Snapshot.files()`) that have a deletion vector."""
    return pc.is_valid(pc.struct_field(files.column("deletionVector"), "storageType"))


def deleted_rows(store: LogStore, vector: Mapping[str, Any]) -> np.ndarray[Any, Any]:
    """The positions of a file's deleted rows, from 0, sorted (uint64). `vector` is the descriptor as in the log.

    Raises InvalidDeletionVectorError when the vector is damaged, or not the one that the log describes, and
    DeletionVectorNotFoundError, which is one too, when its file is missing.
    """
    name = vector["pathOrInlineDv"]
    try:
        positions = _decode(_payload(store, vector), vector["cardinality"])
    except FileNotFoundError as error:
        raise errors.DeletionVectorNotFoundError(_vector_location(store, vector), "it is missing") from error
    except (OSError, ValueError, KeyError, OverflowError, struct.error) as error:
        raise errors.InvalidDeletionVectorError(name, str(error) or type(error).__name__) from error
    return positions


def rows_marked_in(store: LogStore, action: Mapping[str, Any]) -> np.ndarray[Any, Any]:
    """The positions of the deleted rows of a file, sorted (uint64). `action` is its add or remove action as in the log.

    None are deleted where it has no vector. Raises what `deleted_rows` raises.
    """
    vector = action.get("deletionVector")
    return np.empty(0, np.uint64) if vector is None else deleted_rows(store, vector)


def rows_by_id(store: LogStore, unique_id: str) -> np.ndarray[Any, Any] | None:
    """Deleted rows by a vector of which only `DeletionVector.unique_id` is known; None where that does not suffice, or
    where VACUUM has removed it.

    Raises InvalidDeletionVectorError.
    """
    name, at, offset = unique_id[1:].rpartition("@")
    if unique_id[:1] != "u" or not at or not offset.isdecimal():
        return None
    try:
        data = store.read(vector_path(name))
        (size,) = struct.unpack_from(">i", data, int(offset))
        return _decode(_checked(data, int(offset), size))
    except FileNotFoundError:
        return None
    except (ValueError, OverflowError, struct.error) as error:
        raise errors.InvalidDeletionVectorError(name, str(error) or type(error).__name__) from error


def vector_file(vector: Mapping[str, Any], root: str) -> str | None:
    """The canonical path of the file that a vector is in; None for one that stands in the log itself.

    `vector` is the descriptor as in the log, `root` the table's decoded location. None too for an unknown storage type.
    """
    match vector["storageType"]:
        case "u":
            return vector_path(vector["pathOrInlineDv"])
        case "p":
            return canonical(vector["pathOrInlineDv"], root)
    return None


def vector_path(name: str) -> str:
    """The path, relative to the table, of a vector of storage type `u`: an optional directory, then a UUID in Z85.

    Raises InvalidDeletionVectorError.
    """
    directory, encoded = name[:-_UUID_LENGTH], name[-_UUID_LENGTH:]
    try:
        file = f"deletion_vector_{UUID(bytes=z85_decode(encoded))}.bin"
    except ValueError as error:
        raise errors.InvalidDeletionVectorError(name, str(error)) from error
    return f"{directory}/{file}" if directory else file


def z85_decode(text: str) -> bytes:
    """The bytes of a Z85 text, four for each five characters. Raises ValueError."""
    if len(text) % 5:
        raise ValueError(f"{len(text)} characters are no Z85 text")
    groups = (text[start : start + 5] for start in range(0, len(text), 5))
    return b"".join(_group(group) for group in groups)


def z85_encode(data: bytes) -> str:
    """The Z85 text of `data`, whose length must be a multiple of four."""
    numbers = struct.unpack(f">{len(data) // 4}I", data)
    return "".join(_Z85[number // 85**power % 85] for number in numbers for power in (4, 3, 2, 1, 0))


def _group(text: str) -> bytes:
    number = 0
    for char in text:
        if char not in _Z85_VALUES:
            raise ValueError(f"{char!r} is no character of Z85")
        number = number * 85 + _Z85_VALUES[char]
    if number >= 1 << 32:
        raise ValueError(f"{text!r} is too big a number in Z85")
    return number.to_bytes(4, "big")


def _payload(store: LogStore, vector: Mapping[str, Any]) -> bytes:
    name, size = vector["pathOrInlineDv"], vector["sizeInBytes"]
    if vector["storageType"] == "i":
        return z85_decode(name)[:size]
    path = vector_file(vector, store.root)
    if path is None:
        raise ValueError(f"storage type {vector['storageType']!r} of {name} cannot be read here")
    if not is_absolute(path):
        data = store.read(path)
    elif is_local(path):
        with open_regular(path) as file:
            data = file.read()
    else:
        folder, file_name = folder_and_name(path)
        data = store.at(folder).read(file_name)
    return _checked(data, vector.get("offset") or 0, size)


def _vector_location(store: LogStore, vector: Mapping[str, Any]) -> str:
    name: str = vector["pathOrInlineDv"]
    return name if vector["storageType"] == "p" else store.url(vector_path(name))


def _checked(data: bytes, offset: int, size: int) -> bytes:
    """The payload at `offset` of a vector file, after its size and checksum were compared."""
    if not data or data[0] != FILE_VERSION:
        raise ValueError(f"the file begins with {data[:1].hex() or 'nothing'}, not with version {FILE_VERSION}")
    (stored,) = struct.unpack_from(">i", data, offset)
    if stored != size:
        raise ValueError(f"the file says {stored} bytes, the log {size}")
    payload = data[offset + 4 : offset + 4 + size]
    (checksum,) = struct.unpack_from(">I", data, offset + 4 + size)
    if zlib.crc32(payload) != checksum:
        raise ValueError("its checksum does not match its bytes")
    return payload


def _decode(payload: bytes, rows: int | None = None) -> np.ndarray[Any, Any]:
    """The positions in a vector. Raises ValueError where they are not as many as `rows`, before they are spelled out:
    few bytes may stand for any number of them."""
    from pyroaring import BitMap64

    (magic,) = struct.unpack_from("<i", payload, 0)
    if magic == PORTABLE:
        return _positions([BitMap64.deserialize(payload[4:])], rows)
    if magic == _NATIVE:
        return _positions(list(_native(payload)), rows)
    raise ValueError(f"unknown magic number {magic}")


def _positions(bitmaps: Sequence[Any], rows: int | None) -> np.ndarray[Any, Any]:
    """The numbers in bitmaps, of which bitmap n holds those from n · 2³² on."""
    count = sum(len(bitmap) for bitmap in bitmaps)
    if rows is not None and count != rows:
        raise ValueError(f"it holds {count} rows, and the log says {rows}")
    parts = [np.fromiter(bitmap, np.uint64) + np.uint64(high << 32) for high, bitmap in enumerate(bitmaps)]
    return np.concatenate(parts) if parts else np.empty(0, np.uint64)


def _native(payload: bytes) -> Iterator[Any]:
    """A count of 32-bit bitmaps, each behind its size."""
    from pyroaring import BitMap

    (bitmaps,) = struct.unpack_from("<i", payload, 4)
    at = 8
    for _ in range(bitmaps):
        (size,) = struct.unpack_from("<i", payload, at)
        yield BitMap.deserialize(payload[at + 4 : at + 4 + size])
        at += 4 + size


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
