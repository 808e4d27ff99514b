"""The change data feed of a transaction: its commit must tell what changed from the version before, row by row.

A commit that has change files is told by these alone. So as soon as one statement has written some, the changes of the
others, which would be derived from data files, are written as well. Source: Delta protocol, Reading Change Data Files.
"""

from __future__ import annotations

from dataclasses import replace

from deltasql.engines.door import Stage
from deltasql.errors.statements.transaction import FeedInTransactionError
from deltasql.execution.commit import Contribution, discarded_on_error
from deltasql.log.actions.actions import AddCDCFile, AddFile, Metadata, RemoveFile
from deltasql.log.pending.net_actions import NetActions, now_ms
from deltasql.log.pending.pinned_log import PinnedLog, pending_commit
from deltasql.log.properties.property_registry import CHANGE_DATA_FEED
from deltasql.log.reading.change_feed import changes_of
from deltasql.planner.change_feed import derived_changes

_TWICE = "it changes rows, or copies some, which the transaction has changed before."
_SWITCHED = "rows have changed before the feed was switched on or off."


def with_feed(given: Contribution, before: NetActions, log: PinnedLog) -> tuple[Contribution, NetActions]:
    """A statement and those before it, with the change files that their commit needs.

    Raises FeedInTransactionError where the changes of both are not those of one commit: of a row that both have
    changed, the feed would tell what nobody has ever seen.
    """
    has_feed = log.snapshot().properties[CHANGE_DATA_FEED]
    if not before.changes_files:
        return given, before
    if _feed_after(given, has_feed) != has_feed:
        raise _error(given, log, _SWITCHED)
    if not has_feed or not (given.marked or _has(given, (AddFile, RemoveFile))):
        return given, before
    writes = _has(given, (AddCDCFile,))
    if not writes and not before.changes:
        return given, before
    if before.touches_added(given.actions, given.marked):
        raise _error(given, log, _TWICE)
    if writes and not before.changes:
        return given, before.recording(_recorded(given, _stage_of(given, log), before, log))
    if not writes:
        stage = _stage_of(given, log)
        own = NetActions(log.location).after(given.actions, now_ms(), given.marked, given.marking)
        with discarded_on_error(stage):
            changes = _recorded(given, stage, own, log)
        given = replace(given, stage=stage, actions=(*given.actions, *changes))
    return given, before


def _has(given: Contribution, kinds: tuple[type, ...]) -> bool:
    return any(isinstance(action, kinds) for action in given.actions)


def _feed_after(given: Contribution, before: bool) -> bool:
    """Whether the table has a feed once the statement is done."""
    stated = [action.properties[CHANGE_DATA_FEED] for action in given.actions if isinstance(action, Metadata)]
    return stated[-1] if stated else before


def _stage_of(given: Contribution, log: PinnedLog) -> Stage:
    """Where the statement's files are; a place for some where it has written none so far."""
    if given.stage is not None:
        return given.stage
    metadata = log.snapshot().metadata
    return given.runtime.stage(log.location, metadata.partition_columns, metadata.configuration)


def _recorded(given: Contribution, stage: Stage, net: NetActions, log: PinnedLog) -> tuple[AddCDCFile, ...]:
    """Change files for what follows from the data files of `net`, written by the engine of a statement."""
    snapshot = log.snapshot()
    commit = pending_commit(net, snapshot.version, now_ms())
    return given.runtime.record(derived_changes(changes_of(log, commit), snapshot), snapshot.schema, stage)


def _error(given: Contribution, log: PinnedLog, reason: str) -> FeedInTransactionError:
    return FeedInTransactionError(operation=str(given.change.commit.operation), table=log.table, reason=reason)
