"""The hint file `_last_checkpoint`: where a checkpoint is, so that a reader need not list the whole log.

It is overwritten without atomicity, so whatever is wrong with it only means that there is no hint.
Source: Delta protocol, Last Checkpoint File and its JSON checksum.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from deltasql.errors.log import StorageError
from deltasql.log.actions.action_fields import Fields, check_fields
from deltasql.log.actions.actions import Json
from deltasql.log.storage.log_store import LogStore
from deltasql.log.storage.paths import LAST_CHECKPOINT, LOG

_FIELDS = Fields(
    dict.fromkeys(("version", "size", "parts", "sizeInBytes", "numOfAddFiles"), int), required=("version", "size")
)
_UNRESERVED = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")


@dataclass(frozen=True, slots=True)
class V2Hint:
    """A V2 checkpoint's top-level file, and its actions if they are few."""

    path: str
    size_in_bytes: int
    modified: int
    actions: tuple[Json, ...] | None = None
    sidecars: tuple[Json, ...] | None = None

    def to_json(self) -> Json:
        values: Json = {"path": self.path, "sizeInBytes": self.size_in_bytes, "modificationTime": self.modified}
        values |= {} if self.actions is None else {"nonFileActions": list(self.actions)}
        return values | ({} if self.sidecars is None else {"sidecarFiles": list(self.sidecars)})


@dataclass(frozen=True, slots=True)
class LastCheckpoint:
    """The hint to the last checkpoint: `size` counts actions, `files` add actions; `size_in_bytes` is of its files.

    `v2` is written, never read.
    """

    version: int
    size: int
    parts: int | None = None
    size_in_bytes: int | None = None
    files: int | None = None
    v2: V2Hint | None = None

    def to_bytes(self) -> bytes:
        values: dict[str, Any] = {"version": self.version, "size": self.size}
        optional = {"parts": self.parts, "sizeInBytes": self.size_in_bytes, "numOfAddFiles": self.files}
        values |= {key: value for key, value in optional.items() if value is not None}
        if self.v2 is not None:
            values["v2Checkpoint"] = self.v2.to_json()
        values["checksum"] = hint_checksum(json.dumps(values))
        return json.dumps(values, separators=(",", ":")).encode()


def read_last_checkpoint(store: LogStore) -> LastCheckpoint | None:
    """The hint, or None if there is none that can be trusted. A torn file is read once more."""
    return _read(store) or _read(store)


def write_last_checkpoint(store: LogStore, hint: LastCheckpoint) -> None:
    """Overwrites the hint, unless it points to a newer checkpoint already. Raises StorageError."""
    present = read_last_checkpoint(store)
    if present is not None and present.version > hint.version:
        return
    store.overwrite(LAST_CHECKPOINT, hint.to_bytes())
    # Hadoop's checksum file of the old hint would make Spark refuse the new one.
    store.delete([f"{LOG}/._last_checkpoint.crc"])


def hint_checksum(text: str) -> str:
    """MD5 in hex of the JSON object `text` in canonical form, its `checksum` left out.

    Raises ValueError for invalid JSON and for duplicate keys.
    """
    values = json.loads(text, parse_int=_Number, parse_float=_Number, object_pairs_hook=_unique)
    values.pop("checksum", None)
    pairs = sorted((key.encode(), value) for key, value in _leaves(values, ()))
    canonical = ",".join(f"{key.decode()}={value}" for key, value in pairs)
    return hashlib.md5(canonical.encode(), usedforsecurity=False).hexdigest()


class _Number(str):
    """A number as it was spelled: 1.0 and 1.00 differ."""

    __slots__ = ()


def _read(store: LogStore) -> LastCheckpoint | None:
    try:
        return _parse(store.read(LAST_CHECKPOINT).decode())
    except (FileNotFoundError, ValueError, KeyError, TypeError, AttributeError, RecursionError, StorageError):
        return None


def _parse(text: str) -> LastCheckpoint:
    values = json.loads(text)
    if "checksum" in values and values["checksum"] != hint_checksum(text):
        raise ValueError("checksum")
    check_fields("hint", values, _FIELDS)
    if values["version"] < 0:
        raise ValueError("version")
    return LastCheckpoint(
        values["version"],
        values["size"],
        values.get("parts"),
        values.get("sizeInBytes"),
        values.get("numOfAddFiles"),
    )


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        raise ValueError("duplicate key")
    return values


def _leaves(value: Any, path: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, (*path, f'"{_encode(key)}"'))
        return
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _leaves(item, (*path, str(index)))
        return
    yield "+".join(path), _leaf(value)


def _leaf(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return str(value) if isinstance(value, _Number) else f'"{_encode(value)}"'


def _encode(text: str) -> str:
    return "".join(chr(byte) if byte in _UNRESERVED else f"%{byte:02X}" for byte in text.encode())
