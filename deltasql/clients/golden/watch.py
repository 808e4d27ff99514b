"""Watches the logs of all tables of a warehouse for new commits, which are read from the files themselves."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deltasql.clients.golden.actions import commit_lines, schema_lines
from deltasql.clients.golden.compare import GeneratedValues, generated_values, unified

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
    """All logs below a folder. Called after every statement: os.scandir takes a fifth of rglob's time."""
    for path in _folders(folder):
        if path.endswith("/_delta_log"):
            yield path
        else:
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
