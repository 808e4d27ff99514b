"""Net change of consecutive commits to the files of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from deltasql.log.actions.actions import Json
from deltasql.log.actions.commit_file import CommitFile
from deltasql.log.storage.paths import canonical


@dataclass(slots=True)
class NetChange:
    """Files by canonical path: `added` are live after the commits, `removed` were live before them.

    A path in both was restated. `only_layout` is true if no commit changed rows.
    """

    added: dict[str, Json] = field(default_factory=dict)
    removed: set[str] = field(default_factory=set)
    only_layout: bool = True


def net_change(commits: Sequence[CommitFile], root: str, table: str) -> NetChange:
    """The net change of consecutive commits, in version order. Raises InvalidLogJsonError."""
    change = NetChange()
    fresh: set[str] = set()
    for commit in commits:
        plain = commit.materialized(table)
        for remove in plain.removes:
            path = canonical(remove["path"], root)
            change.added.pop(path, None)
            change.only_layout &= remove.get("dataChange") is False
            if path not in fresh:
                change.removed.add(path)
            fresh.discard(path)
        for add in plain.adds:
            path = canonical(add["path"], root)
            change.added[path] = add
            change.only_layout &= add.get("dataChange") is False
            if path not in change.removed:
                fresh.add(path)
    return change
