"""Managed tables of the test server: staging, registration, and commits, as the specification has them."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

FEATURES = ["catalogManaged", "deletionVectors", "inCommitTimestamp", "v2Checkpoint", "vacuumProtocolCheck"]
READER = [name for name in FEATURES if name != "inCommitTimestamp"]
MOST_UNPUBLISHED = 10


@dataclass
class ManagedTable:
    id: str
    location: str
    columns: Any = None
    properties: dict[str, str] = field(default_factory=dict)
    protocol: Any = None
    partition_columns: list[str] = field(default_factory=list)
    comment: str | None = None
    domains: dict[str, Any] = field(default_factory=dict)
    latest: int = -1
    published: int = 0
    commits: dict[int, dict[str, Any]] = field(default_factory=dict)
    etag: int = 0
    conflicts: int = 0

    @property
    def required(self) -> dict[str, str]:
        return {
            "delta.checkpointPolicy": "v2",
            "delta.enableDeletionVectors": "true",
            "delta.enableInCommitTimestamps": "true",
            "delta.checkpoint.writeStatsAsStruct": "true",
            "delta.checkpoint.writeStatsAsJson": "true",
            "io.unitycatalog.tableId": self.id,
        }

    def staging_answer(self) -> dict[str, Any]:
        return {
            "table-id": self.id,
            "table-type": "MANAGED",
            "location": self.location,
            "storage-credentials": [],
            "required-protocol": {
                "min-reader-version": 3,
                "min-writer-version": 7,
                "reader-features": READER,
                "writer-features": FEATURES,
            },
            "required-properties": self.required,
            "suggested-protocol": {"reader-features": ["columnMapping"], "writer-features": ["columnMapping"]},
            "suggested-properties": {"delta.columnMapping.maxColumnId": None},
        }

    def answer(self) -> dict[str, Any]:
        unpublished = [self.commits[version] for version in sorted(self.commits, reverse=True)]
        return {
            "metadata": {
                "etag": str(self.etag),
                "table-type": "MANAGED",
                "table-uuid": self.id,
                "location": self.location,
                "created-time": 1700000000000,
                "updated-time": time.time_ns() // 1_000_000,
                "columns": self.columns,
                "partition-columns": self.partition_columns,
                "properties": {**self.properties, "delta.minReaderVersion": "3", "delta.lastUpdateVersion": "0"},
            },
            "commits": [item for item in unpublished if item["version"] > self.published],
            "latest-table-version": self.latest,
        }


def staged(root: str) -> ManagedTable:
    """A table that has a place and no name yet."""
    identity = str(uuid.uuid4())
    return ManagedTable(identity, f"{root}/__unitystorage/tables/{identity}")


def created(table: ManagedTable, body: Mapping[str, Any]) -> str | None:
    """Registers a staged table; what is wrong with the request, or None."""
    missing = [
        name for name in ("name", "columns", "protocol", "properties", "last-commit-timestamp-ms") if name not in body
    ]
    missing += [name for name, value in table.required.items() if body["properties"].get(name) != value]
    missing += [name for name in FEATURES if name not in body["protocol"].get("writer-features", ())]
    missing += [name for name in READER if name not in body["protocol"].get("reader-features", ())]
    if missing:
        return f"the request lacks {', '.join(missing)}"
    if not _is_written(table, "00000000000000000000.json"):
        return "there is no 0.json"
    table.columns, table.protocol = body["columns"], body["protocol"]
    table.properties = dict(body["properties"])
    table.partition_columns = list(body.get("partition-columns") or ())
    table.domains = dict(body.get("domain-metadata") or {})
    table.latest = 0
    return None


def _is_written(table: ManagedTable, name: str) -> bool:
    """Whether a file of the log exists, where this process can see it."""
    place = urlsplit(table.location)
    return place.scheme not in {"", "file"} or (Path(place.path) / "_delta_log" / name).is_file()


def updated(table: ManagedTable, body: Mapping[str, Any]) -> tuple[int, str, str] | None:
    """Applies an update, all of it or nothing; status, type and message of an error, or None."""
    required = {item["type"]: item for item in body["requirements"]}
    if required.get("assert-table-uuid", {}).get("uuid") != table.id:
        return 409, "UpdateRequirementConflictException", "another table"
    changes = {item["action"]: item for item in body["updates"]}
    if not changes or len(changes) != len(body["updates"]):
        return 400, "BadRequestException", "one action of each type"
    if lost := _lost_properties(table, changes):
        return 400, "InvalidParameterValueException", f"a managed table must have {', '.join(lost)}"
    if added := changes.get("add-commit"):
        commit = added["commit"]
        known = table.commits.get(commit["version"])
        if known is not None and known["file-name"] == commit["file-name"]:
            return None
        if commit["version"] != table.latest + 1:
            table.conflicts += 1
            return 409, "CommitVersionConflictException", f"version {commit['version']}, latest is {table.latest}"
        wrong = _wrong_commit(table, commit)
        if wrong is not None:
            return wrong
        table.commits[commit["version"]] = dict(commit)
        table.latest = commit["version"]
    if published := changes.get("set-latest-backfilled-version"):
        version = published["latest-published-version"]
        if version > table.latest:
            return 400, "InvalidParameterValueException", "a version that does not exist"
        if not _is_written(table, f"{version:020d}.json"):
            return 400, "InvalidParameterValueException", "a version that is not published"
        table.published = max(table.published, version)
    _change(table, changes)
    return None


def _lost_properties(table: ManagedTable, changes: Mapping[str, Any]) -> list[str]:
    """The required properties that the table would no longer have."""
    after = {**table.properties, **changes.get("set-properties", {}).get("updates", {})}
    removed = changes.get("remove-properties", {}).get("removals", ())
    return [name for name, value in table.required.items() if name in removed or after.get(name) != value]


def _wrong_commit(table: ManagedTable, commit: Mapping[str, Any]) -> tuple[int, str, str] | None:
    if commit["file-size"] <= 0 or commit["timestamp"] <= 0:
        return 400, "InvalidParameterValueException", "size and time must be positive"
    if not _is_written(table, f"_staged_commits/{commit['file-name']}"):
        return 400, "InvalidParameterValueException", "the staged file does not exist"
    if table.latest - table.published >= MOST_UNPUBLISHED:
        return 429, "ResourceExhaustedException", "too many unpublished commits"
    return None


def _change(table: ManagedTable, changes: Mapping[str, Any]) -> None:
    if "set-columns" in changes:
        table.columns = changes["set-columns"]["columns"]
    if "set-properties" in changes:
        table.properties |= changes["set-properties"]["updates"]
    for key in changes.get("remove-properties", {}).get("removals", ()):
        table.properties.pop(key, None)
    if "set-protocol" in changes:
        table.protocol = changes["set-protocol"]["protocol"]
    if "set-table-comment" in changes:
        table.comment = changes["set-table-comment"]["comment"]
    if "set-domain-metadata" in changes:
        table.domains |= changes["set-domain-metadata"]["updates"]
    table.etag += 1


def protocol_of(location: str) -> Any:
    """The protocol in the first commit of a table on this machine."""
    text = (Path(urlsplit(location).path) / "_delta_log/00000000000000000000.json").read_text()
    return next(json.loads(line)["protocol"] for line in text.splitlines() if line.startswith('{"protocol"'))
