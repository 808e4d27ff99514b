"""Changes of one commit to data files, classified by their effect on rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from deltasql.log.actions.actions import Json
from deltasql.log.actions.commit_file import CommitFile
from deltasql.log.storage.locations import canonical


@dataclass(frozen=True, slots=True)
class FileChanges:
    """File actions, as JSON, by canonical path.

    `restated` files are both removed and added (remove, add), mostly with another deletion vector. `removed` and `new`
    files change data. `moved` files are removed without a data change; their rows are in `outputs`.
    """

    restated: Mapping[str, tuple[Json, Json]] = field(default_factory=dict)
    removed: Mapping[str, Json] = field(default_factory=dict)
    new: Mapping[str, Json] = field(default_factory=dict)
    moved: Mapping[str, Json] = field(default_factory=dict)
    outputs: Mapping[str, Json] = field(default_factory=dict)

    @property
    def changes_rows(self) -> bool:
        """Whether a row was inserted, updated or deleted, and not only moved to another file."""
        return bool(self.restated or self.removed or self.new)

    @staticmethod
    def of(commit: CommitFile, table: str, root: str) -> FileChanges:
        """The changes of a commit to `table`, whose decoded location is `root`."""
        plain = commit.materialized(table)
        adds = {canonical(add["path"], root): add for add in plain.adds}
        removes = {canonical(remove["path"], root): remove for remove in plain.removes}
        removed, moved = _by_data_change(removes, adds.keys())
        new, outputs = _by_data_change(adds, removes.keys())
        restated = {path: (remove, adds[path]) for path, remove in removes.items() if path in adds}
        return FileChanges(restated, removed, new, moved, outputs)


def _by_data_change(actions: Mapping[str, Json], without: Collection[str]) -> tuple[dict[str, Json], dict[str, Json]]:
    """Actions by path except those in `without`: first those that change data, then those that only rearrange it."""
    changing: dict[str, Json] = {}
    arranging: dict[str, Json] = {}
    for path, action in actions.items():
        if path not in without:
            (changing if _changes_data(action) else arranging)[path] = action
    return changing, arranging


def _changes_data(action: Json) -> bool:
    return action.get("dataChange") is not False
