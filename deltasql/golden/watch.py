"""What a statement left in the logs of all tables of a warehouse, read from the files themselves."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deltasql.golden.actions import commit_lines, schema_lines
from deltasql.golden.compare import unified

_COMMIT = re.compile(r"(\d{20})(?:\.[0-9a-f-]+)?\.json")


@dataclass(frozen=True, slots=True)
class NewCommits:
    """Commits that a table got since the last look: (version, lines) each, and how its schema changed."""

    table: str
    commits: list[tuple[int, list[str]]]
    schema_change: list[str]


@dataclass(slots=True)
class _Seen:
    version: int = -1
    stamp: tuple[int, int] = (0, 0)
    schema: list[str] | None = None


@dataclass(slots=True)
class LogWatch:
    """Remembers how far each log under `root` has been read."""

    root: Path
    _seen: dict[Path, _Seen] = field(default_factory=dict)

    def look(self) -> list[NewCommits]:
        """What is new since the last look, tables by path."""
        logs = sorted(path for path in self.root.rglob("_delta_log") if path.is_dir())
        for gone in set(self._seen).difference(logs):
            del self._seen[gone]
        found = (self._new_commits(log) for log in logs)
        return [item for item in found if item.commits]

    def _new_commits(self, log: Path) -> NewCommits:
        seen = self._known(log)
        before = seen.schema
        commits = []
        for version, path in _commits(log):
            if version <= seen.version:
                continue
            actions = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
            commits.append((version, list(commit_lines(actions))))
            seen.version, seen.stamp = version, _stamp(path)
            seen.schema = _schema(actions) or seen.schema
        change = list(unified(before, seen.schema, 1)) if before and seen.schema else []
        return NewCommits(str(log.parent.relative_to(self.root)), commits, change)

    def _known(self, log: Path) -> _Seen:
        """What was seen of this log; nothing when another table took its place."""
        seen = self._seen.setdefault(log, _Seen())
        last = next((path for version, path in _commits(log) if version == seen.version), None)
        if seen.version >= 0 and (last is None or _stamp(last) != seen.stamp):
            seen = self._seen[log] = _Seen()
        return seen


def _commits(log: Path) -> Iterator[tuple[int, Path]]:
    for path in sorted([*log.glob("*.json"), *log.glob("_staged_commits/*.json")], key=lambda path: path.name):
        match = _COMMIT.fullmatch(path.name)
        if match:
            yield int(match[1]), path


def _stamp(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_ino, status.st_mtime_ns


def _schema(actions: list[dict[str, Any]]) -> list[str] | None:
    texts = [action["metaData"]["schemaString"] for action in actions if "metaData" in action]
    return schema_lines(json.loads(texts[-1])) if texts else None
