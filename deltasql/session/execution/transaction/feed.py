"""The change data feed of a transaction: its commit must tell what changed from the version before, row by row.

A commit that has change files is told by these alone. So as soon as one statement has written some, the changes of the
others, which would be derived from data files, are written as well. Source: Delta protocol, Reading Change Data Files.
"""

from __future__ import annotations

from dataclasses import replace

from deltasql.base.errors.statements.transaction import FeedInTransactionError
from deltasql.log.actions.actions import AddCDCFile, AddFile, Metadata, RemoveFile
from deltasql.log.pending.net_actions import NetActions, now_ms
from deltasql.log.pending.pinned_log import PinnedLog, pending_commit
from deltasql.log.properties.property_registry import CHANGE_DATA_FEED
from deltasql.log.reading.change_feed import changes_of
from deltasql.planner.change_feed import derived_changes
from deltasql.planner.door import Stage
from deltasql.session.execution.commit import Contribution, discarded_on_error

_TWICE = "it changes rows, or copies some, which the transaction has changed before."
_SWITCHED = "rows have changed before the feed was switched on or off."


def with_feed(contribution: Contribution, before: NetActions, log: PinnedLog) -> tuple[Contribution, NetActions]:
    """A statement and those before it, with the change files that their commit needs.

    Raises FeedInTransactionError where the changes of both are not those of one commit: of a row that both have
    changed, the feed would tell what nobody has ever seen.
    """
    has_feed = log.snapshot().properties[CHANGE_DATA_FEED]
    if not before.changes_files:
        return contribution, before
    if _feed_after(contribution, has_feed) != has_feed:
        raise _error(contribution, log, _SWITCHED)
    if not has_feed or not (contribution.marked or _has(contribution, (AddFile, RemoveFile))):
        return contribution, before
    writes = _has(contribution, (AddCDCFile,))
    if not writes and not before.changes:
        return contribution, before
    if before.touches_added(contribution.actions, contribution.marked):
        raise _error(contribution, log, _TWICE)
    if writes and not before.changes:
        return contribution, before.recording(_recorded(contribution, _stage_of(contribution, log), before, log))
    if not writes:
        stage = _stage_of(contribution, log)
        net = NetActions(log.location).after(contribution.actions, now_ms(), contribution.marked, contribution.marking)
        with discarded_on_error(stage):
            changes = _recorded(contribution, stage, net, log)
        contribution = replace(contribution, stage=stage, actions=(*contribution.actions, *changes))
    return contribution, before


def _has(contribution: Contribution, kinds: tuple[type, ...]) -> bool:
    return any(isinstance(action, kinds) for action in contribution.actions)


def _feed_after(contribution: Contribution, before: bool) -> bool:
    """Whether the table has a feed once the statement is done."""
    stated = [action.properties[CHANGE_DATA_FEED] for action in contribution.actions if isinstance(action, Metadata)]
    return stated[-1] if stated else before


def _stage_of(contribution: Contribution, log: PinnedLog) -> Stage:
    """Where the statement's files are; a place for some where it has written none so far."""
    if contribution.stage is not None:
        return contribution.stage
    metadata = log.snapshot().metadata
    return contribution.runtime.stage(log.location, metadata.partition_columns, metadata.configuration)


def _recorded(contribution: Contribution, stage: Stage, net: NetActions, log: PinnedLog) -> tuple[AddCDCFile, ...]:
    """Change files for what follows from the data files of `net`, written by the engine of a statement."""
    snapshot = log.snapshot()
    commit = pending_commit(net, snapshot.version, now_ms())
    return contribution.runtime.record(derived_changes(changes_of(log, commit), snapshot), snapshot.schema, stage)


def _error(contribution: Contribution, log: PinnedLog, reason: str) -> FeedInTransactionError:
    return FeedInTransactionError(operation=str(contribution.change.commit.operation), table=log.table, reason=reason)
