"""From log files to the files of a version: the newest action of every file wins.

Commits are few and their keys go into a dict; the rows of a checkpoint, which may be millions, are only probed against
it. Source: Delta protocol, Action Reconciliation.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from deltasql.base.lazy import np, pa, pc
from deltasql.log.actions.actions import Json
from deltasql.log.actions.commit_file import CommitFile, action_key
from deltasql.log.replay.checkpoint import Checkpoint
from deltasql.log.storage.locations import canonical


@dataclass(slots=True)
class LogTail:
    """The commits after a checkpoint, reconciled.

    `live` maps each live file's key to (number in `commits`, number of its add there), in log order; `removed` maps the
    keys of removed files to (number in `commits`, number of the remove). A key in either hides the checkpoint's row.
    """

    commits: list[CommitFile] = field(default_factory=list)
    live: dict[str, tuple[int, int]] = field(default_factory=dict)
    removed: dict[str, tuple[int, int]] = field(default_factory=dict)

    def add(self, key: str, table: str) -> Json:
        """The add action of a live file."""
        number, row = self.live[key]
        commit = self.commits[number]
        if not commit.is_big:
            return commit.adds[row]
        action: Json = commit.file_tables(table)[0].slice(row, 1).to_pylist(maps_as_pydicts="lossy")[0]
        return action


def replay(commits: Sequence[CommitFile], root: str, table: str, base: LogTail | None = None) -> LogTail:
    """The file actions of `commits`, in version order, reconciled on top of `base`. Raises InvalidLogJsonError."""
    base = base or LogTail()
    first = len(base.commits)
    newer = [commit for commit in commits if commit.has_files]
    if not newer and first:
        return base
    tail = LogTail([*base.commits, *newer], dict(base.live), dict(base.removed))
    for number, commit in enumerate(newer, first):
        adds, removes = _keys(commit, root, table)
        for row, key in enumerate(removes):
            tail.live.pop(key, None)
            tail.removed[key] = (number, row)
        for row, key in enumerate(adds):
            # Not just replaced: the file moves to the place of its newest action.
            tail.live.pop(key, None)
            tail.live[key] = (number, row)
            tail.removed.pop(key, None)
    return tail


def tail_adds(tail: LogTail, table: str) -> pa.Table:
    """The live add actions of the tail in log order, as `file_tables.ADD`."""
    from deltasql.log.actions.file_tables import ADD

    return _rows(tail.commits, tail.live.values(), 0, ADD, table)


def tail_removes(tail: LogTail, table: str) -> pa.Table:
    """The tombstones of the tail, as `file_tables.REMOVE`."""
    from deltasql.log.actions.file_tables import REMOVE

    return _rows(tail.commits, tail.removed.values(), 1, REMOVE, table)


def hidden_rows(checkpoint: Checkpoint, tail: LogTail, root: str) -> np.ndarray:
    """The numbers of the checkpoint's add rows that a newer action replaces or removes, sorted."""
    from deltasql.log.actions.file_tables import action_keys

    if not tail.live and not tail.removed:
        return np.empty(0, dtype=np.int64)
    paths = {key.partition("\0")[0] for key in (*tail.live, *tail.removed)} | _spellings(tail)
    rows = rows_of_paths(checkpoint, paths, root)
    if len(rows) == 0:
        return rows
    keys = action_keys(checkpoint.adds_at(rows, ("path", "deletionVector")), root)
    hidden: np.ndarray = rows[np.array([key in tail.live or key in tail.removed for key in keys], dtype=bool)]
    return hidden


def rows_of_paths(checkpoint: Checkpoint, paths: Collection[str], root: str | None = None) -> np.ndarray:
    """The numbers of the checkpoint's add rows with these paths, sorted.

    With `root`, rows count as well whose path is written in another way but comes to the same.
    """
    from deltasql.schema.arrow_values import indexes_of, strings

    options = pc.SetLookupOptions(strings(sorted(paths)))
    chunks, start = [np.empty(0, dtype=np.int64)], 0
    for batch in checkpoint.batches(("path",)):
        for chunk in batch["path"].chunks:
            rows = indexes_of(pc.is_in(chunk, options=options))
            if root is not None:
                rows = np.union1d(rows, _oddly_spelled(chunk, paths, root))
            chunks.append(rows + start)
            start += len(chunk)
    return np.concatenate(chunks)


def _spellings(tail: LogTail) -> set[str]:
    """The paths of the tail as they are written, for those that are written otherwise than canonically."""
    spellings: set[str] = set()
    for commit in tail.commits:
        if commit.is_big:
            for table in commit.tables or ():
                spellings.update(table["path"].to_pylist())
            continue
        spellings.update(action["path"] for action in (*commit.adds, *commit.removes))
    return spellings


def _oddly_spelled(paths: pa.Array, requested: Collection[str], root: str) -> np.ndarray:
    """The places of paths that are spelled otherwise than canonically, where the canonical one is wanted."""
    from deltasql.log.actions.file_tables import is_oddly_spelled
    from deltasql.schema.arrow_values import indexes_of, integers

    if not is_oddly_spelled(paths):
        return np.empty(0, dtype=np.int64)
    odd = indexes_of(pc.match_substring_regex(paths, "[%:]|^/"))
    spelled = paths.take(integers(odd)).to_pylist()
    matches: np.ndarray = odd[np.array([canonical(path, root) in requested for path in spelled], dtype=bool)]
    return matches


def _keys(commit: CommitFile, root: str, table: str) -> tuple[list[str], list[str]]:
    if commit.is_big:
        from deltasql.log.actions.file_tables import action_keys

        adds, removes = commit.file_tables(table)
        return action_keys(adds, root), action_keys(removes, root)
    return [action_key(item, root) for item in commit.adds], [action_key(item, root) for item in commit.removes]


def _rows(
    commits: Sequence[CommitFile], positions: Iterable[tuple[int, int]], kind: int, schema: pa.Schema, table: str
) -> pa.Table:
    from deltasql.log.actions.file_tables import from_actions

    chosen: dict[int, list[int]] = {}
    for number, row in positions:
        chosen.setdefault(number, []).append(row)
    pieces = []
    small: list[Any] = []
    for number in sorted(chosen):
        commit = commits[number]
        if not commit.is_big:
            actions = (commit.adds, commit.removes)[kind]
            small.extend(actions[row] for row in chosen[number])
            continue
        if small:
            pieces.append(from_actions(small, schema))
            small = []
        whole = commit.file_tables(table)[kind]
        pieces.append(whole if len(chosen[number]) == len(whole) else whole.take(pa.array(chosen[number])))
    pieces.append(from_actions(small, schema))
    return pa.concat_tables(pieces)
