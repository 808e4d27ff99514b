"""What a commit did to data files, told apart by what became of their rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from deltasql.log.actions.actions import Json
from deltasql.log.actions.commit_file import CommitFile
from deltasql.log.storage.paths import canonical


@dataclass(frozen=True, slots=True)
class FileChanges:
    """File actions, as JSON, by canonical path.

    `restated` files stayed, most often with another deletion vector: what was removed, and what was added. `removed`
    left with their rows, and `new` came with rows. The rows of `moved` files are now in `outputs`.
    """

    restated: Mapping[str, tuple[Json, Json]] = field(default_factory=dict)
    removed: Mapping[str, Json] = field(default_factory=dict)
    new: Mapping[str, Json] = field(default_factory=dict)
    moved: Mapping[str, Json] = field(default_factory=dict)
    outputs: Mapping[str, Json] = field(default_factory=dict)

    @property
    def changes_rows(self) -> bool:
        """Whether some row is not what it was."""
        return bool(self.restated or self.removed or self.new)

    @staticmethod
    def of(commit: CommitFile, table: str, root: str) -> FileChanges:
        """The changes of a commit to `table`, whose decoded location is `root`."""
        plain = commit.materialized(table)
        adds = {canonical(add["path"], root): add for add in plain.adds}
        removes = {canonical(remove["path"], root): remove for remove in plain.removes}
        gone = {path: remove for path, remove in removes.items() if path not in adds}
        came = {path: add for path, add in adds.items() if path not in removes}
        return FileChanges(
            {path: (remove, adds[path]) for path, remove in removes.items() if path in adds},
            {path: remove for path, remove in gone.items() if _changes_data(remove)},
            {path: add for path, add in came.items() if _changes_data(add)},
            {path: remove for path, remove in gone.items() if not _changes_data(remove)},
            {path: add for path, add in came.items() if not _changes_data(add)},
        )


def _changes_data(action: Json) -> bool:
    return action.get("dataChange") is not False
