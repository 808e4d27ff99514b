"""Choice of the rebase of a change onto concurrent commits: row-level where possible, else file-level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from deltasql.base.settings.session_settings import (
    FOLLOW_ROWS,
    ROW_LEVEL_BYTES,
    ROW_LEVEL_FILES,
    ROW_LEVEL_SECONDS,
    STRICT_WRITE_SERIALIZABLE,
    TIME_ZONE,
    SessionSettings,
)
from deltasql.log.actions.deletion_vectors import MarkedFile, Marking
from deltasql.log.commit.moved_rows import TouchedRows
from deltasql.log.commit.rebase import Rebase
from deltasql.log.commit.row_rebase import Budget, Describe, FollowingRebase, RowRebase
from deltasql.log.properties.property_registry import DELETION_VECTORS
from deltasql.log.replay.snapshot import Snapshot
from deltasql.log.storage.locations import canonical
from deltasql.plan.reads import NO_ROWS
from deltasql.planner.changes import RowChange, TableChange
from deltasql.planner.door import Runtime, Stage


@dataclass(frozen=True, slots=True)
class RaceRules:
    """Settings of conflict detection, read before a statement stages files, since they may be invalid."""

    strict: bool
    follows: bool
    budget: Budget
    time_zone: str | None

    @staticmethod
    def of(settings: SessionSettings) -> RaceRules:
        """The rules of a session. Raises InvalidSettingError."""
        return RaceRules(
            settings[STRICT_WRITE_SERIALIZABLE],
            settings[FOLLOW_ROWS],
            Budget(settings[ROW_LEVEL_FILES], settings[ROW_LEVEL_BYTES], float(settings[ROW_LEVEL_SECONDS])),
            settings[TIME_ZONE],
        )

    def follow_rows_of(self, snapshot: Snapshot) -> bool:
        """Whether rows that concurrent commits move to other files are followed, so that a mere move is no conflict."""
        return self.follows and snapshot.properties[DELETION_VECTORS]


def rebase_of(
    change: TableChange | RowChange,
    rules: RaceRules,
    runtime: Runtime,
    stage: Stage | None = None,
    marked: Sequence[MarkedFile] = (),
    marking: Marking | None = None,
    describe: Describe | None = None,
) -> Rebase:
    """The rebase of a change onto concurrent commits. `marked` are files that stay, with their deleted row indexes, and
    `marking` has the actions of their deletion vectors without a concurrent commit. `describe` returns the metrics for
    the final deletion vectors."""
    snapshot = change.commit.snapshot
    rows = change.rows if isinstance(change, RowChange) else NO_ROWS
    if snapshot is None or not (rows.probe or rules.follow_rows_of(snapshot)):
        return Rebase(rules.strict, () if marking is None else marking.actions)
    root = change.commit.log.location
    reader = runtime.row_reader(snapshot, change.commit.reads, rows.probe, stage, rules.time_zone)
    files = {canonical(item.add.path, root): item for item in marked}
    touched = TouchedRows(change.commit.log.store, root, reader, files, marking)
    if rows.probe is None:
        return FollowingRebase(touched, rules.strict, describe)
    return RowRebase(touched, reader, rules.budget, rules.strict, describe)
