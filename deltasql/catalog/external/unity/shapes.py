"""JSON of the Delta API: columns, protocols, and the updates that go with a commit."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from deltasql.catalog.external.mirror import TableFacts

_DERIVED = ("delta.feature.", "delta.minReaderVersion", "delta.minWriterVersion", "delta.clusteringColumns")
_DERIVED_NAMES = {"delta.rowTracking.rowIdHighWaterMark", "delta.lastUpdateVersion", "delta.lastCommitTimestamp"}
"""Properties that the server derives, and that no client sends."""
_NAMES = {
    "elementType": "element-type",
    "containsNull": "contains-null",
    "keyType": "key-type",
    "valueType": "value-type",
    "valueContainsNull": "value-contains-null",
}
"""The API's names of the parts of a type, by those in a schema of the log."""
_DOMAINS = {"delta.clustering": "clusteringColumns", "delta.rowTracking": "rowIdHighWaterMark"}
"""The domains that the API has a shape for, with the one entry of each."""
_PROTOCOL = {
    "minReaderVersion": "min-reader-version",
    "minWriterVersion": "min-writer-version",
    "readerFeatures": "reader-features",
    "writerFeatures": "writer-features",
}


def columns(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of a table, of the JSON of its schema in the log."""
    converted = _type(schema)
    assert isinstance(converted, dict)
    return converted


def _type(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    if value.get("type") == "struct":
        return {"type": "struct", "fields": [_field(field) for field in value["fields"]]}
    return {_NAMES.get(name, name): _type(part) for name, part in value.items()}


def _field(field: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": field["name"],
        "type": _type(field["type"]),
        "nullable": field.get("nullable", True),
        "metadata": dict(field.get("metadata") or {}),
    }


def protocol(action: Mapping[str, Any]) -> dict[str, Any]:
    """A protocol action of the log, in the API's names."""
    return {_PROTOCOL[name]: value for name, value in action.items() if name in _PROTOCOL and value is not None}


def creation(name: str, location: str, facts: TableFacts, *, managed: bool) -> dict[str, Any]:
    """The request that registers a table."""
    domains = {domain: _domain(domain, value) for domain, value in facts.domains.items() if domain in _DOMAINS}
    return {
        "name": name,
        "location": location,
        "table-type": "MANAGED" if managed else "EXTERNAL",
        "columns": columns(facts.schema),
        "partition-columns": list(facts.partition_columns),
        "protocol": protocol(facts.protocol),
        "properties": dict(facts.properties),
        "last-commit-timestamp-ms": facts.timestamp,
        **({"comment": facts.comment} if facts.comment else {}),
        **({"domain-metadata": domains} if domains else {}),
    }


@dataclass(frozen=True, slots=True)
class CommitLines:
    """The actions of a commit that the server wants to know: its time, and changes of what it has of the table."""

    timestamp: int
    metadata: Mapping[str, Any] | None
    protocol: Mapping[str, Any] | None
    domains: Sequence[Mapping[str, Any]]


def read_commit(data: bytes) -> CommitLines:
    """The lines of a commit, of which file actions are not parsed. Raises KeyError, ValueError, TypeError."""
    first, _, rest = data.partition(b"\n")
    found: dict[str, list[Mapping[str, Any]]] = {"metaData": [], "protocol": [], "domainMetadata": []}
    for line in rest.splitlines():
        # The action's name is the first word of its line.
        name = line[:20].partition(b'"')[2].partition(b'"')[0].decode("ascii", "replace")
        if name in found:
            found[name].append(json.loads(line)[name])
    info = json.loads(first)["commitInfo"]
    return CommitLines(
        int(info.get("inCommitTimestamp") or info["timestamp"]),
        found["metaData"][-1] if found["metaData"] else None,
        found["protocol"][-1] if found["protocol"] else None,
        found["domainMetadata"],
    )


def updates(lines: CommitLines, known: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The updates that go with a commit; `known` is the table as the server last described it."""
    if lines.metadata is not None:
        yield from _metadata_updates(lines.metadata, known)
    if lines.protocol is not None:
        yield {"action": "set-protocol", "protocol": protocol(lines.protocol)}
    domains = [item for item in lines.domains if item["domain"] in _DOMAINS]
    kept = {
        item["domain"]: _domain(item["domain"], json.loads(item["configuration"]))
        for item in domains
        if not item.get("removed")
    }
    if kept:
        yield {"action": "set-domain-metadata", "updates": kept}
    removed = [item["domain"] for item in domains if item.get("removed")]
    if removed:
        yield {"action": "remove-domain-metadata", "domains": removed}


def _domain(name: str, configuration: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in configuration.items() if key == _DOMAINS[name]}


def _metadata_updates(metadata: Mapping[str, Any], known: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    new = columns(json.loads(metadata["schemaString"]))
    if new != known.get("columns"):
        yield {"action": "set-columns", "columns": new}
    yield from _property_updates(_own(known.get("properties")), _own(metadata.get("configuration")))
    partitions = list(metadata.get("partitionColumns") or ())
    if partitions != list(known.get("partition-columns") or ()):
        yield {"action": "set-partition-columns", "partition-columns": partitions}
    if (comment := metadata.get("description")) is not None:
        yield {"action": "set-table-comment", "comment": comment}


def _property_updates(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    if changed := {key: value for key, value in after.items() if before.get(key) != value}:
        yield {"action": "set-properties", "updates": changed}
    if removals := [key for key in before if key not in after]:
        yield {"action": "remove-properties", "removals": removals}


def _own(properties: Mapping[str, str] | None) -> dict[str, str]:
    """The properties without those that the server derives."""
    return {key: value for key, value in (properties or {}).items() if not _is_derived(key)}


def _is_derived(key: str) -> bool:
    return key.startswith(_DERIVED) or key in _DERIVED_NAMES


def column_infos(facts: TableFacts) -> list[dict[str, Any]]:
    """The columns of a table for the API of older servers."""
    return [
        {
            "name": field["name"],
            "type_text": _text(field["type"]),
            "type_json": json.dumps(field),
            "type_name": _type_name(field["type"]),
            "position": position,
            "nullable": field.get("nullable", True),
            **_decimal(field["type"]),
            **({"comment": comment} if (comment := (field.get("metadata") or {}).get("comment")) else {}),
            **_partition(facts.partition_columns, field["name"]),
        }
        for position, field in enumerate(facts.schema["fields"])
    ]


_SIMPLE = {
    "byte": ("tinyint", "BYTE"),
    "short": ("smallint", "SHORT"),
    "integer": ("int", "INT"),
    "long": ("bigint", "LONG"),
}


def _type_name(kind: Any) -> str:
    if isinstance(kind, Mapping):
        return str(kind["type"]).upper()
    name = str(kind).partition("(")[0]
    return _SIMPLE[name][1] if name in _SIMPLE else name.upper()


def _text(kind: Any) -> str:
    """A type as SQL writes it."""
    if not isinstance(kind, Mapping):
        return _SIMPLE[kind][0] if kind in _SIMPLE else str(kind)
    match kind["type"]:
        case "array":
            return f"array<{_text(kind['elementType'])}>"
        case "map":
            return f"map<{_text(kind['keyType'])},{_text(kind['valueType'])}>"
        case _:
            fields = ",".join(f"{field['name']}:{_text(field['type'])}" for field in kind["fields"])
            return f"struct<{fields}>"


def _decimal(kind: Any) -> dict[str, int]:
    if not isinstance(kind, str) or not kind.startswith("decimal("):
        return {}
    precision, _, scale = kind.removeprefix("decimal(").rstrip(")").partition(",")
    return {"type_precision": int(precision), "type_scale": int(scale or 0)}


def _partition(partition_columns: Sequence[str], name: str) -> dict[str, int]:
    return {"partition_index": list(partition_columns).index(name)} if name in partition_columns else {}
