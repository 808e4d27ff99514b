"""Totals kept up to date commit by commit, so that a checksum costs no look at the whole table.

A commit may name files that are live already, or that are gone: these are not counted twice. What the commits since the
checkpoint did is known exactly. A file of the checkpoint is told by its age: whatever is younger cannot be in it.
"""

from __future__ import annotations

from collections.abc import Sequence

from deltasql.lazy import pc
from deltasql.log.actions.actions import Json
from deltasql.log.actions.commit_file import CommitFile, action_key
from deltasql.log.replay.file_totals import FileTotals
from deltasql.log.replay.log_segment import CheckpointFiles
from deltasql.log.replay.reconciliation import LogTail, replay

# Clocks of writers differ; who says that rows are only arranged anew is believed to name old files.
_SKEW_MS = 3_600_000


def count_commits(
    totals: FileTotals,
    commits: Sequence[CommitFile],
    before: LogTail,
    checkpoint: CheckpointFiles | None,
    root: str,
    table: str,
) -> FileTotals | None:
    """The totals once `commits` are on top of the checkpoint and of `before`.

    None if that takes a look at the checkpoint, or if the totals cannot be right: a count would be below zero.
    """
    for number, commit in enumerate(commits, 1):
        if not commit.has_files:
            continue
        counted = count_commit(totals, commit, before, checkpoint, root, table)
        if counted is None:
            return None
        totals = counted
        if number < len(commits):
            before = replay([commit], root, table, before)
    return totals if totals.is_plausible else None


def count_commit(
    totals: FileTotals, commit: CommitFile, before: LogTail, checkpoint: CheckpointFiles | None, root: str, table: str
) -> FileTotals | None:
    """The totals once `commit` is on top of the checkpoint and of `before`.

    None if that takes a look at the checkpoint: its size is missing, or a file may be live already.
    """
    if commit.is_big and _only_news(commit, before, checkpoint, root, table):
        from deltasql.log.replay.columnar_totals import totals_after

        return totals_after(totals, *commit.file_tables(table))
    plain = commit.materialized(table)
    leaving: list[Json] = []
    for action in plain.removes:
        key = action_key(action, root)
        if key in before.live:
            leaving.append(before.add(key, table))
        elif checkpoint is not None and key not in before.removed:
            leaving.append(action)
    for action in plain.adds:
        key = action_key(action, root)
        if key in before.live:
            leaving.append(before.add(key, table))
        elif key not in before.removed and _may_be_old(action, checkpoint):
            return None
    return totals.after(plain.adds, leaving)


def _only_news(commit: CommitFile, before: LogTail, checkpoint: CheckpointFiles | None, root: str, table: str) -> bool:
    """True if the commit's adds are new files for sure, and its removes come from the checkpoint."""
    from deltasql.log.actions.file_tables import action_keys

    adds, removes = commit.file_tables(table)
    if (before.live or before.removed) and not all(
        paths.isdisjoint(keys)
        for keys in (action_keys(adds, root), action_keys(removes, root))
        for paths in (before.live.keys(), before.removed.keys())
    ):
        return False
    if checkpoint is None:
        return bool(removes.num_rows == 0)
    skew = 0 if pc.all(adds["dataChange"]).as_py() is not False else _SKEW_MS
    oldest = pc.min(adds["modificationTime"]).as_py()
    return oldest is None or oldest > _age(checkpoint) + skew


def _may_be_old(action: Json, checkpoint: CheckpointFiles | None) -> bool:
    if checkpoint is None:
        return False
    skew = _SKEW_MS if action.get("dataChange") is False else 0
    return bool(action["modificationTime"] <= _age(checkpoint) + skew)


def _age(checkpoint: CheckpointFiles) -> int:
    return max(part.modified for part in checkpoint.parts)
