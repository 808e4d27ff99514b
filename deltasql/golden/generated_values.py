"""Generated values of a log: ids and clocks that come neither from statements nor from rows of users."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)

_FILES = ("add", "remove", "cdc", "sidecar")
_COLUMN_NAMES = re.compile(
    r"^delta\.rowTracking\.materialized(RowId|RowCommitVersion)ColumnName$", re.IGNORECASE
)  # Delta protocol, Row Tracking
_ENABLED_AT = "delta.inCommitTimestampEnablementTimestamp"
_PHYSICAL = "delta.columnMapping.physicalName"


@dataclass(frozen=True, slots=True)
class GeneratedValues:
    """Ids in lower case, and clocks in milliseconds UTC."""

    ids: frozenset[str]
    clocks: frozenset[int]


def generated_values(actions: Iterable[Mapping[str, Any]]) -> GeneratedValues:
    """The generated values of one commit: table and transaction ids, UUIDs in file and physical column names, times.

    Comments, properties and partition values are never included. Ids of applications are: one that a user has chosen
    also stands in the script, whose values are not hidden.
    """
    ids: set[str] = set()
    clocks: set[int] = set()
    for action in actions:
        for kind, value in action.items():
            if isinstance(value, Mapping):
                ids.update(uuid.lower() for text in _texts(kind, value) for uuid in UUID.findall(text))
                clocks.update(_clocks(kind, value))
    return GeneratedValues(frozenset(ids), frozenset(clocks))


def _texts(kind: str, action: Mapping[str, Any]) -> Iterator[str]:
    """The texts of an action that contain generated ids."""
    if kind in _FILES:
        yield file_name(str(action.get("path", "")))
    elif kind == "metaData":
        yield str(action.get("id", ""))
        yield from (str(value) for key, value in _configuration(action).items() if _COLUMN_NAMES.match(key))
        yield from _physical_names(json.loads(action.get("schemaString") or "{}"))
    elif kind == "commitInfo":
        yield str(action.get("txnId", ""))
    elif kind == "txn":
        yield str(action.get("appId", ""))


def file_name(path: str) -> str:
    """A path without its partition folders, whose values are the user's."""
    return "/".join(part for part in path.split("/") if "=" not in part)


def _physical_names(node: Any) -> Iterator[str]:
    """The physical names of columns at any depth of a schema."""
    if isinstance(node, list):
        for item in node:
            yield from _physical_names(item)
    if isinstance(node, Mapping):
        metadata = node.get("metadata")
        if isinstance(metadata, Mapping) and _PHYSICAL in metadata:
            yield str(metadata[_PHYSICAL])
        yield from (name for key, item in node.items() if key != "metadata" for name in _physical_names(item))


def _clocks(kind: str, action: Mapping[str, Any]) -> Iterator[int]:
    keys = {
        "commitInfo": ("timestamp", "inCommitTimestamp"),
        "metaData": ("createdTime",),
        "add": ("modificationTime",),
        "remove": ("deletionTimestamp",),
        "txn": ("lastUpdated",),
    }
    values = [action.get(key) for key in keys.get(kind, ())]
    if kind == "metaData":
        values.append(_configuration(action).get(_ENABLED_AT))
    yield from (int(value) for value in values if value is not None and str(value).isdecimal())


def _configuration(metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    return metadata.get("configuration") or {}
