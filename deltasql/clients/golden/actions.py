"""Commits of a table as deterministic text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from deltasql.base.errors.base import counted
from deltasql.base.errors.secrets import shown_value
from deltasql.clients.golden.compare import is_measure

LoggedAction = Mapping[str, Any]

# One encoder for all: json.dumps creates one for every call with non-default options.
_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(", ", ": "), sort_keys=True)


def commit_lines(actions: Iterable[LoggedAction]) -> Iterator[str]:
    """The lines of one commit: operation, protocol, metadata and other actions; files last, sorted."""
    merged = list(actions)
    for kind in ("commitInfo", "protocol", "metaData", "txn", "domainMetadata"):
        for action in merged:
            if kind in action:
                yield from _WRITERS[kind](action[kind])
    names = {*_WRITERS, "add", "remove", "cdc"}
    yield from sorted(f"{kind} {_compact(action[kind])}" for action in merged for kind in action if kind not in names)
    files = (_file(kind, action[kind]) for action in merged for kind in ("add", "remove", "cdc") if kind in action)
    yield from _counted(sorted(files))


@lru_cache(maxsize=64)
def schema_lines(schema: str) -> tuple[str, ...]:
    """The schema JSON as a tree, with the metadata of each field behind it. Cached: few commits change the schema."""
    return "root", *_fields(json.loads(schema), " ")


def _commit_info(info: Mapping[str, Any]) -> Iterator[str]:
    yield f"operation {info.get('operation')}"
    for key, value in (info.get("operationParameters") or {}).items():
        yield f"  {key}: {value if isinstance(value, str) else _compact(value)}"
    metrics = info.get("operationMetrics") or {}
    shown = [f"{key}={metrics[key]}" for key in sorted(metrics) if not is_measure(key)]
    if shown:
        yield f"  metrics: {', '.join(shown)}"


def _protocol(protocol: Mapping[str, Any]) -> Iterator[str]:
    yield f"protocol reader {protocol['minReaderVersion']}, writer {protocol['minWriterVersion']}"
    for key in ("readerFeatures", "writerFeatures"):
        if protocol.get(key) is not None:
            yield f"  {key}: {', '.join(sorted(protocol[key]))}"


def _metadata(metadata: Mapping[str, Any]) -> Iterator[str]:
    yield f"metaData {metadata['id']}"
    for key in ("name", "description"):
        if metadata.get(key) is not None:
            yield f"  {key}: {metadata[key]}"
    yield from (f"  {line}" for line in schema_lines(metadata["schemaString"]))
    if metadata.get("partitionColumns"):
        yield f"  partitionColumns: {', '.join(metadata['partitionColumns'])}"
    for key, value in sorted((metadata.get("configuration") or {}).items()):
        yield f"  {key} = {shown_value(key, value)}"


def _txn(txn: Mapping[str, Any]) -> Iterator[str]:
    yield f"txn {txn['appId']} {txn['version']}"


def _domain(domain: Mapping[str, Any]) -> Iterator[str]:
    state = "removed" if domain.get("removed") else domain.get("configuration", "")
    yield f"domainMetadata {domain['domain']}: {state}"


_WRITERS = {
    "commitInfo": _commit_info,
    "protocol": _protocol,
    "metaData": _metadata,
    "txn": _txn,
    "domainMetadata": _domain,
}


def _file(kind: str, action: Mapping[str, Any]) -> str:
    values = sorted((action.get("partitionValues") or {}).items())
    parts = [f"{key}={'NULL' if value is None else value}" for key, value in values]
    stats = action.get("stats")
    records = json.loads(stats).get("numRecords") if isinstance(stats, str) and stats else None
    if records is not None:
        parts.append(counted(records, "records"))
    parts += _marks(kind, action)
    return f"{kind} {', '.join(parts)}".rstrip()


def _marks(kind: str, action: Mapping[str, Any]) -> Iterator[str]:
    """Further facts of a file action: deletion vector, row ids, no data change, clustering provider."""
    vector = action.get("deletionVector")
    if vector:
        yield f"deletion vector of {vector['cardinality']}"
    if kind == "add" and action.get("baseRowId") is not None:
        yield f"row ids from {action['baseRowId']} of version {action.get('defaultRowCommitVersion')}"
    if action.get("dataChange") is False and kind != "cdc":
        yield "no data change"
    if action.get("clusteringProvider"):
        yield f"clustered by {action['clusteringProvider']}"


def _counted(lines: list[str]) -> Iterator[str]:
    """Each distinct line once, with the number of its occurrences."""
    for line in dict.fromkeys(lines):
        number = lines.count(line)
        yield line if number == 1 else f"{line} (×{number})"


def _fields(struct: Mapping[str, Any], indent: str) -> Iterator[str]:
    for field in struct["fields"]:
        note = f"({'null' if field['nullable'] else 'not null'})"
        metadata = f" {_compact(field['metadata'])}" if field.get("metadata") else ""
        yield f"{indent}|-- {field['name']}: {_kind(field['type'])} {note}{metadata}"
        yield from _below(field["type"], indent + "|    ")


def _below(kind: Any, indent: str) -> Iterator[str]:
    if not isinstance(kind, Mapping):
        return
    if kind["type"] == "struct":
        yield from _fields(kind, indent)
        return
    parts = {"array": (("element", "elementType"),), "map": (("key", "keyType"), ("value", "valueType"))}
    for name, key in parts.get(kind["type"], ()):
        yield f"{indent}|-- {name}: {_kind(kind[key])}"
        yield from _below(kind[key], indent + "|    ")


def _kind(kind: Any) -> str:
    return str(kind["type"] if isinstance(kind, Mapping) else kind)


def _compact(value: Any) -> str:
    return _COMPACT.encode(value)
