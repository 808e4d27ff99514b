"""The text of a commit, which is made anew for every version that a transaction tries for."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from deltasql.log.actions.actions import Action, CommitInfo, Metadata, RemoveFile
from deltasql.log.actions.commit_file import BIG, CommitFile, parse_commit
from deltasql.log.actions.commit_text import encode_actions
from deltasql.log.commit.commit_info import Provenance, build_commit_info
from deltasql.log.commit.commit_rules import check_commit, of_kind, split_adds
from deltasql.log.commit.conflict import Attempt, IsolationLevel
from deltasql.log.configuration.commit_timestamps import has_commit_timestamps, with_enablement
from deltasql.log.configuration.row_ids import BACKFILL, PRESERVED_TAG, UNBACKFILL, RowNumbering, still_to_number
from deltasql.log.protocol.protocol import Protocol
from deltasql.log.storage.paths import commit_path
from deltasql.schema.widening import with_table_version

if TYPE_CHECKING:
    from deltasql.log.replay.snapshot import Snapshot

STATING_ANEW = frozenset({BACKFILL, UNBACKFILL})
"""Operations that only say again which files there are, with or without row ids."""
UNDO = "ROLLBACK OPTIMIZE"


class CommitWriter:
    """What stays the same over the tries of one commit, and the text of each."""

    def __init__(
        self,
        read: Snapshot | None,
        provenance: Provenance,
        metadata: Metadata,
        attempt: Attempt,
        blind_append: bool | None,
        numbering: RowNumbering | None,
        protocol: Protocol,
        *,
        location: str,
        transaction_id: str,
        time_of: Callable[[CommitFile], int | None],
    ) -> None:
        self.attempt = attempt
        self._numbering = numbering
        self._protocol = protocol
        self._dates_type_changes = dates_type_changes(protocol)
        self._read = read
        self._time_of = time_of
        self._id = transaction_id
        self._root = location
        self._provenance = provenance
        self._metadata = metadata
        # A backfill looks at every file that it states anew, and no file of its is new.
        blind = attempt.is_blind_append and provenance.operation not in STATING_ANEW
        self._blind_append = blind if blind_append is None else blind_append

    def text(
        self,
        actions: Sequence[Action],
        version: int,
        winners: Sequence[CommitFile],
        metrics: Mapping[str, object] | None = None,
    ) -> tuple[list[Action], bytes]:
        """The actions as they are for `version`, and the commit's lines, with commitInfo first.

        `metrics` take the place of those of the operation.
        """
        provenance = self._told(winners)
        if metrics is not None:
            provenance = replace(provenance, metrics=metrics)
        info, own = self._info(provenance, actions, winners, self.attempt.level, self._id)
        final = list(actions)
        if self._provenance.operation in STATING_ANEW and winners:
            final = still_to_number(final, winners, self.attempt.table, self._root)
        if self._numbering is not None:
            final = self._numbering.numbered(final, version, winners)
        if own is not None and self._enables_timestamps:
            final = [
                with_enablement(action, version, own) if isinstance(action, Metadata) else action for action in final
            ]
        if self._dates_type_changes:
            final = [_dated(action, version) if isinstance(action, Metadata) else action for action in final]
        if winners:
            # Actions that follow from what others committed are new.
            self._check(actions)
        return final, encode_actions([info, *final])

    def _check(self, actions: Sequence[Action]) -> None:
        check_commit(actions, self._protocol, self._metadata, self.attempt.table, self._root)

    def undo(
        self, actions: Sequence[Action], version: int, winners: Sequence[CommitFile]
    ) -> tuple[list[Action], bytes]:
        """The same for the commit that takes a rearrangement of files back. It is not the transaction's own."""
        self._check(actions)
        info, _ = self._info(Provenance(UNDO, {}), actions, winners, IsolationLevel.SNAPSHOT, str(uuid.uuid4()))
        return list(actions), encode_actions([info, *actions])

    def _info(
        self,
        provenance: Provenance,
        actions: Sequence[Action],
        winners: Sequence[CommitFile],
        level: IsolationLevel,
        transaction_id: str,
    ) -> tuple[CommitInfo, int | None]:
        """The commitInfo, and the commit's own timestamp if it has one."""
        now = int(time.time() * 1000)
        own = self._next_timestamp(now, winners) if has_commit_timestamps(self._metadata) else None
        info = build_commit_info(
            provenance,
            actions,
            timestamp_ms=own or now,
            in_commit_timestamp=own,
            read_version=None if self._read is None else self._read.version,
            level=level,
            blind_append=self._blind_append and level is self.attempt.level,
            transaction_id=transaction_id,
        )
        return info, own

    def _told(self, winners: Sequence[CommitFile]) -> Provenance:
        """The provenance; rows that were moved before others could ask for their ids have not kept them."""
        late = any(winner.info is not None and winner.info.only_enables_row_tracking for winner in winners)
        if not (late and self.attempt.removes):
            return self._provenance
        return replace(self._provenance, tags={**(self._provenance.tags or {}), PRESERVED_TAG: "false"})

    @property
    def _enables_timestamps(self) -> bool:
        """True if the commit is the first of an existing table with a timestamp of its own."""
        if self._read is None or has_commit_timestamps(self._read.metadata):
            return False
        return has_commit_timestamps(self._metadata)

    def _next_timestamp(self, now: int, winners: Sequence[CommitFile]) -> int:
        """Later than the previous commit's, whatever the clock says."""
        previous = self._time_of(winners[-1]) if winners else None
        if previous is None and self._read is not None:
            previous = self._read.timestamp_ms
        return now if previous is None else max(now, previous + 1)


def dates_type_changes(protocol: Protocol) -> bool:
    """Whether type changes are recorded with their version, as the preview of type widening had it."""
    return "typeWidening-preview" in protocol.features and "typeWidening" not in protocol.features


def _dated(metadata: Metadata, version: int) -> Metadata:
    return replace(metadata, schema=with_table_version(metadata.schema, version))


def written_commit(version: int, data: bytes, actions: Sequence[Action], table: str) -> CommitFile:
    """The commit that `data` holds, commitInfo first. The many actions of a big one are not parsed."""
    path = commit_path(version)
    if len(data) < BIG:
        return parse_commit(data, version, path, table)
    from deltasql.log.actions.file_tables import ADD, REMOVE, from_files

    info = data[: data.index(b"\n") + 1]
    adds, others = split_adds(actions)
    small = encode_actions(action for action in others if not isinstance(action, RemoveFile))
    commit = parse_commit(info + small, version, path, table)
    commit.tables = (from_files(adds, ADD), from_files(of_kind(others, RemoveFile), REMOVE))
    return commit
