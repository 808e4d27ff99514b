"""ALTER TABLE … DROP FEATURE: the table stops using the feature, then its protocol forgets it.

A feature that readers must know stays in older versions of the table. Either these are guarded: checkpoints that need
no such reader stand before the versions without the feature, and `checkpointProtection` keeps who does not know it
from cleaning them up. Or, with TRUNCATE HISTORY, they go: the statement is run twice, a day apart.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.errors.statements.features import (
    DependentFeaturesError,
    FeatureInUseError,
    FeatureIsPropertyError,
    FeatureNotPresentError,
    FeatureNotRemovableError,
    HistoricalVersionsError,
    ProtectedVersionsError,
    ProtectionNeedsTruncationError,
    TruncationNotAllowedError,
    UnknownFeaturesError,
    UnknownFeatureToDropError,
    WaitForRetentionError,
)
from deltasql.log.actions import actions as operations
from deltasql.log.properties.property_registry import DROP_FEATURE_RETENTION, PROTECTED_BEFORE
from deltasql.log.protocol.protocol import (
    CATALOG_MANAGED,
    FEATURES,
    TableFeature,
    final_feature,
    find_feature,
    requested_features,
)
from deltasql.log.reading.change_feed import earliest_version, has_traces
from deltasql.log.replay.delta_log import DeltaLog
from deltasql.log.replay.snapshot import Snapshot
from deltasql.planner.changes import CommitSpec, Plan, Stepwise, TableChange
from deltasql.planner.context import Context, plan
from deltasql.statements.downgrade import downgrade, final_actions, leftover_keys, vector_tombstones
from deltasql.statements.nodes.features import DropFeature

PROTECTION = "checkpointProtection"
BARRIERS = 3
"""Checkpoints between the last version that uses a feature and the first without it: as many as Delta writes."""


@plan.register
def _(statement: DropFeature, context: Context) -> Plan:
    log, snapshot = context.writable(statement.table)
    try:
        feature = _dropped(statement, snapshot)
        steps = _steps(feature, statement.truncate_history, log, context)
        # What forbids the first step is said before anything is done.
        first = next(steps)
    except DeltaSqlError as error:
        raise error.at(context.caret(statement.feature.start, statement.feature.end)) from None
    return Stepwise(f"what uses {feature.name}, then the protocol", _chained(first, steps))


def _chained(first: Plan, rest: Iterator[Plan]) -> Iterator[Plan]:
    yield first
    yield from rest


def _dropped(statement: DropFeature, snapshot: Snapshot) -> TableFeature:
    """The feature, if it can be dropped. Raises what forbids it."""
    table, feature = snapshot.table, _named(statement.feature.text, snapshot.table)
    present = snapshot.protocol.features
    if feature.name not in present:
        raise FeatureNotPresentError(table, feature.name, ", ".join(sorted(present)) or "none")
    if not feature.removable:
        removable = sorted(item for item in present if item in FEATURES and FEATURES[item].removable)
        raise FeatureNotRemovableError(table, feature.name, ", ".join(removable) or "none")
    _check_truncation(feature, statement.truncate_history, table)
    dependents = sorted(item for item in present if item in FEATURES and feature.name in FEATURES[item].requires)
    if dependents:
        raise DependentFeaturesError(table, feature.name, " and ".join(dependents))
    return feature


def _named(name: str, table: str) -> TableFeature:
    """The feature of that name. Raises FeatureIsPropertyError, UnknownFeatureToDropError."""
    if name.lower().startswith("delta."):
        raise FeatureIsPropertyError(table, name)
    try:
        return find_feature(name)
    except UnknownFeaturesError as error:
        raise UnknownFeatureToDropError(table, name, f" {error.hint}" if "Did you mean" in error.hint else "") from None


def _check_truncation(feature: TableFeature, truncate: bool, table: str) -> None:
    if feature.name == PROTECTION and not truncate:
        raise ProtectionNeedsTruncationError(table)
    if truncate and not feature.reader_writer and feature.name != PROTECTION:
        raise TruncationNotAllowedError(table, feature.name)


def _steps(feature: TableFeature, truncate: bool, log: DeltaLog, context: Context) -> Iterator[Plan]:
    """The commits, each planned on the table as it is by then."""
    used = False
    for step in downgrade(feature.name, log, context):
        used = True
        yield step
    if feature.name == PROTECTION:
        yield from _unprotected(feature, log)
    elif not feature.reader_writer or feature.name == CATALOG_MANAGED:
        # Older versions are read by their numbers, which takes no catalog.
        yield _removal(feature, log)
    elif truncate:
        yield from _truncated(feature, used, log)
    else:
        if feature.name == "deletionVectors":
            yield from vector_tombstones(log)
        yield from (_barrier(log) for _ in range(BARRIERS))
        yield _removal(feature, log, guarded=True)


def _truncated(feature: TableFeature, used: bool, log: DeltaLog) -> Iterator[Plan]:
    """The feature and the versions that use it go, once these are old enough."""
    table, retention = log.table, _retention(log.snapshot())
    if used:
        yield _barrier(log)
        raise WaitForRetentionError(table, feature.name, retention)
    if has_traces(feature.name, log):
        yield _barrier(log, forget=True)
        if has_traces(feature.name, log):
            raise HistoricalVersionsError(table, feature.name, retention)
    yield _removal(feature, log, truncate=True)


def _unprotected(feature: TableFeature, log: DeltaLog) -> Iterator[Plan]:
    """The guard goes with the versions that it guards."""
    snapshot = log.snapshot()
    guarded = snapshot.properties[PROTECTED_BEFORE]
    if earliest_version(log) < guarded:
        yield _barrier(log, forget=True)
        if earliest_version(log) < guarded:
            raise ProtectedVersionsError(log.table, guarded, _retention(snapshot))
    yield _removal(feature, log, truncate=True)


def _barrier(log: DeltaLog, *, forget: bool = False) -> TableChange:
    """A commit without content and a checkpoint of it; with `forget`, older log files may go as far as they may."""
    snapshot = log.snapshot()
    cutoff = int(time.time() * 1000) - snapshot.properties[DROP_FEATURE_RETENTION] if forget else None
    return TableChange(CommitSpec(log, snapshot, operations.EMPTY, {}), checkpoint=True, forget_before_ms=cutoff)


def _removal(feature: TableFeature, log: DeltaLog, *, truncate: bool = False, guarded: bool = False) -> TableChange:
    """The commit that takes the feature out of the protocol; `guarded`, it brings the guard of the versions before.

    Raises FeatureInUseError.
    """
    snapshot = log.snapshot()
    if final_feature(feature.name) in requested_features(snapshot.schema, snapshot.configuration):
        raise FeatureInUseError(log.table, feature.name)
    metadata = snapshot.metadata.without_properties(leftover_keys(feature.name))
    protocol = snapshot.protocol.without(feature.name)
    if guarded:
        protocol = protocol.with_features([PROTECTION])
        metadata = metadata.with_configuration({PROTECTED_BEFORE.name: str(snapshot.version + 1)})
    actions = (protocol, metadata, *final_actions(feature.name, snapshot))
    parameters = {"featureName": feature.name, "truncateHistory": truncate}
    return TableChange(CommitSpec(log, snapshot, operations.DROP_FEATURE, parameters, actions), checkpoint=guarded)


def _retention(snapshot: Snapshot) -> str:
    hours = snapshot.properties[DROP_FEATURE_RETENTION] / 3_600_000
    return f"{hours:g} hours"
