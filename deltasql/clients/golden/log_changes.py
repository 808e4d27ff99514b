"""New commits in the logs of all tables of a warehouse, read from the files themselves, as deterministic text."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from deltasql.base import counted, shown_value
from deltasql.clients.golden.compare import GeneratedValues, generated_values, is_measure, unified

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
    for item in struct["fields"]:
        note = f"({'null' if item['nullable'] else 'not null'})"
        metadata = f" {_compact(item['metadata'])}" if item.get("metadata") else ""
        yield f"{indent}|-- {item['name']}: {_kind(item['type'])} {note}{metadata}"
        yield from _below(item["type"], indent + "|    ")


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


_COMMIT = re.compile(r"(\d{20})(?:\.[0-9a-f-]+)?\.json")


@dataclass(frozen=True, slots=True)
class NewCommits:
    """New commits of a table since the last look: (version, lines) each, and the diff of its schema.

    `generated` are the generated ids and clocks of each commit.
    """

    table: str
    commits: list[tuple[int, list[str]]]
    schema_change: list[str]
    generated: list[GeneratedValues]


@dataclass(slots=True)
class _Seen:
    version: int = -1
    stamp: tuple[int, int] = (0, 0)
    schema: tuple[str, ...] | None = None
    clock: int = 0


@dataclass(slots=True)
class LogWatch:
    """Reads the logs under `root` incrementally."""

    root: Path
    _seen: dict[str, _Seen] = field(default_factory=dict)

    def look(self) -> list[NewCommits]:
        """The commits since the last call, by table, sorted by path."""
        logs = sorted(_logs(str(self.root)))
        for gone in set(self._seen).difference(logs):
            del self._seen[gone]
        return [commits for log in logs if (commits := self._new_commits(log))]

    def _new_commits(self, log: str) -> NewCommits | None:
        files = _commits(log)
        seen = self._last_seen(log, files)
        new = {version: path for version, path in files.items() if version > seen.version}
        if not new:
            return None
        before = seen.schema
        commits = []
        new_commits = []
        for version, path in new.items():
            actions = [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines() if line.strip()]
            commits.append((version, list(commit_lines(actions))))
            seen.version, seen.stamp = version, _stamp(path)
            seen.clock = max(seen.stamp[1] // 1_000_000, seen.clock + 1)
            new_commits += [
                generated_values(actions),
                GeneratedValues(frozenset(), frozenset({seen.clock, seen.stamp[1] // 1_000_000})),
            ]
            seen.schema = _schema(actions) or seen.schema
        change = list(unified(before, seen.schema, 1)) if before and seen.schema else []
        return NewCommits(str(Path(log).parent.relative_to(self.root)), commits, change, new_commits)

    def _last_seen(self, log: str, files: dict[int, str]) -> _Seen:
        """The state of this log at the last look; a new one if another table has replaced it."""
        seen = self._seen.setdefault(log, _Seen())
        last = files.get(seen.version)
        if seen.version >= 0 and (last is None or _stamp(last) != seen.stamp):
            seen = self._seen[log] = _Seen()
        return seen


def _logs(folder: str) -> Iterator[str]:
    """All logs below a folder but those of dropped tables. Called after every statement: os.scandir takes a fifth of
    rglob's time."""
    for path in _folders(folder):
        if path.endswith("/_delta_log"):
            yield path
        elif not path.endswith(".dropped"):
            yield from _logs(path)


def _folders(folder: str) -> list[str]:
    with suppress(FileNotFoundError, NotADirectoryError), os.scandir(folder) as items:
        return [item.path for item in items if item.is_dir(follow_symlinks=False)]
    return []


def _commits(log: str) -> dict[int, str]:
    """The path of each commit by version, in order, including catalog-managed ones."""
    names = _listed(log)
    if "_staged_commits" in names:
        names |= _listed(names["_staged_commits"])
    commits: dict[int, str] = {}
    for name in sorted(names):
        if match := _COMMIT.fullmatch(name):
            # A staged commit may have been published since: both are one commit.
            commits.setdefault(int(match[1]), names[name])
    return commits


def _listed(folder: str) -> dict[str, str]:
    """Paths by name; none of a folder that is gone."""
    with suppress(FileNotFoundError), os.scandir(folder) as items:
        return {item.name: item.path for item in items}
    return {}


def _stamp(path: str) -> tuple[int, int]:
    status = os.stat(path)  # noqa: PTH116 - as above
    return status.st_ino, status.st_mtime_ns


def _schema(actions: list[dict[str, Any]]) -> tuple[str, ...] | None:
    texts = [action["metaData"]["schemaString"] for action in actions if "metaData" in action]
    return schema_lines(texts[-1]) if texts else None
