"""ALTER TABLE … DROP FEATURE: the table stops using the feature, then the protocol drops it.

Downgrades are the commits that end the use. A feature that readers must know stays in older versions of the table.
Either these are guarded: checkpoints that need no such reader stand before the versions without the feature, and
`checkpointProtection` prevents clients that do not support it from cleaning them up. Or, with TRUNCATE HISTORY, they
are deleted: the statement is run twice, a day apart.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

from deltasql.base import DeltaSqlError, errors, pc
from deltasql.log import (
    CATALOG_MANAGED,
    FEATURES,
    ROW_TRACKING_DOMAIN,
    Action,
    AddFile,
    DeltaLog,
    DomainMetadata,
    Metadata,
    OnDrop,
    Operation,
    RemoveFile,
    Snapshot,
    TableFeature,
    earliest_version,
    encode_path,
    final_feature,
    find_feature,
    has_traces,
    is_absolute,
    marked_files,
    operations,
    properties_of,
    requested_features,
    table_properties,
    vector_file,
)
from deltasql.plan import Alone, LogicalPlan, Reads, Scan, TableName, Write
from deltasql.planner import BATCH_FILES, CommitSpec, Context, Plan, RowChange, Stepwise, TableChange, binding, plan
from deltasql.schema import (
    ID,
    INVALID_CHARACTERS,
    NESTED_IDS,
    PHYSICAL_NAME,
    TYPE_CHANGES,
    collated_paths,
    has_shapes,
    path_text,
    walk,
    without_metadata,
)
from deltasql.sql import Tree, builds
from deltasql.statements.table import DEFAULT_COLLATION
from deltasql.statements.table_metadata import with_current_names

_PURGE = {"predicate": "[]", "applyPurge": True}
_DOMAINS = {
    "rowTracking": (ROW_TRACKING_DOMAIN,),
    # The versions of collations that other engines have statistics of.
    "collations": ("collations", "delta.collations"),
}
"""The domains of metadata that a feature leaves behind."""


def downgrade(feature: str, log: DeltaLog, context: Context) -> Iterator[Plan]:
    """The commits after which the table does not use the feature; none where it does not already.

    Raises, before the first of them, the error of a step that the user must take first.
    """
    yield from _unset(log, _keys(feature, OnDrop.BEFORE))
    further = _FURTHER.get(feature)
    if further is not None:
        yield from further(log, context)


def leftover_keys(feature: str) -> frozenset[str]:
    """Properties to remove in the commit that drops the feature from the protocol."""
    return frozenset(_keys(feature, OnDrop.WITH_FEATURE))


def _keys(feature: str, time: OnDrop) -> tuple[str, ...]:
    """The properties of a feature to remove at `time`, the one that enables it first."""
    return tuple(item.name for item in properties_of(final_feature(feature)) if item.on_drop is time)


def final_actions(feature: str, snapshot: Snapshot) -> list[Action]:
    """The actions of the commit that drops the feature, besides protocol and metadata."""
    domains = snapshot.domains
    names = _DOMAINS.get(final_feature(feature), ())
    return [DomainMetadata(name, domains[name], removed=True) for name in names if name in domains]


def vector_tombstones(log: DeltaLog) -> Iterator[Plan]:
    """The commit that removes the files of all deletion vectors in the log, where there are any.

    Older versions need them as long as their data files: an engine without deletion vectors would take them for
    unreferenced files, and its VACUUM would delete them too early.
    """
    snapshot = log.snapshot()
    vectors = snapshot.tombstones().column("deletionVector").to_pylist()
    files = {vector_file(vector, log.location) for vector in vectors if vector and vector.get("storageType")}
    paths = sorted(path for path in files if path is not None and not is_absolute(path))
    if paths:
        now = int(time.time() * 1000)
        removes = tuple(RemoveFile(encode_path(path), now, data_change=False) for path in paths)
        yield TableChange(CommitSpec(log, snapshot, operations.VECTOR_TOMBSTONES, {}, removes))


def _unset(log: DeltaLog, keys: tuple[str, ...]) -> Iterator[Plan]:
    snapshot = log.snapshot()
    if not keys or keys[0] not in snapshot.configuration:
        return
    metadata = snapshot.metadata.without_properties(keys)
    parameters = {"properties": [keys[0]], "ifExists": True}
    yield TableChange(CommitSpec(log, snapshot, operations.UNSET_PROPERTIES, parameters, (metadata,)))


def _set(log: DeltaLog, snapshot: Snapshot, properties: Mapping[str, str]) -> TableChange:
    metadata = snapshot.metadata.with_configuration(properties)
    parameters = {"properties": dict(properties)}
    return TableChange(CommitSpec(log, snapshot, operations.SET_PROPERTIES, parameters, (metadata,)))


def _constraints(log: DeltaLog, context: Context) -> Iterator[Plan]:
    names = log.snapshot().properties.constraints
    if names:
        raise errors.ConstraintsLeftError(log.table, ", ".join(names))
    yield from ()


def _collations(feature: str, log: DeltaLog, context: Context) -> Iterator[Plan]:
    """Removes the default collation, by which a new column would need the feature again."""
    columns = [path_text(path) for path in collated_paths(log.snapshot().schema)]
    if columns:
        raise errors.CollationsLeftError(log.table, feature, ", ".join(columns))
    yield from _unset(log, (DEFAULT_COLLATION,))


def _geospatial(log: DeltaLog, context: Context) -> Iterator[Plan]:
    columns = [path_text(path) for path, field in walk(log.snapshot().schema) if has_shapes(field.type)]
    if columns:
        raise errors.ShapesLeftError(log.table, ", ".join(columns))
    yield from ()


def _row_tracking(log: DeltaLog, context: Context) -> Iterator[Plan]:
    """Stops assigning row ids to new files, then removes those of existing files."""
    snapshot = log.snapshot()
    if (
        snapshot.properties[table_properties.ROW_TRACKING]
        or not snapshot.properties[table_properties.ROW_TRACKING_SUSPENDED]
    ):
        yield _set(
            log,
            snapshot,
            {table_properties.ROW_TRACKING.name: "false", table_properties.ROW_TRACKING_SUSPENDED.name: "true"},
        )
    batch = 0
    while files := _numbered_files(current := log.snapshot()):
        yield TableChange(CommitSpec(log, current, operations.UNBACKFILL, {"batchId": str(batch)}, tuple(files)))
        batch += 1


def _numbered_files(snapshot: Snapshot) -> list[AddFile]:
    table = snapshot.live_adds(("path", "baseRowId"))
    paths = table.filter(pc.is_valid(table["baseRowId"])).column("path").slice(0, BATCH_FILES)
    adds = snapshot.add_files(paths.to_pylist()) if len(paths) else []
    return [replace(add, data_change=False, base_row_id=None, default_row_commit_version=None) for add in adds]


def _domains(log: DeltaLog, context: Context) -> Iterator[Plan]:
    snapshot = log.snapshot()
    removed = tuple(DomainMetadata(name, text, removed=True) for name, text in snapshot.domains.items())
    if removed:
        parameters = {"domainMetadataRemovedCount": len(removed)}
        yield TableChange(CommitSpec(log, snapshot, operations.DOMAIN_CLEANUP, parameters, removed))


def _classic_checkpoints(log: DeltaLog, context: Context) -> Iterator[Plan]:
    snapshot = log.snapshot()
    if snapshot.properties[table_properties.CHECKPOINT_POLICY] != "classic":
        yield _set(log, snapshot, {table_properties.CHECKPOINT_POLICY.name: "classic"})


def _deletion_vectors(log: DeltaLog, context: Context) -> Iterator[Plan]:
    snapshot = log.snapshot()
    scan = _all_rows(snapshot, context)
    marked = scan.files.filter(marked_files(scan.files))
    if marked.num_rows:
        yield _rewritten(log, snapshot, operations.REORG, _PURGE, replace(scan, files=marked))


def _column_mapping(log: DeltaLog, context: Context) -> Iterator[Plan]:
    """Rewrites every file, with its columns under their logical names."""
    snapshot = log.snapshot()
    if not snapshot.properties.maps_columns:
        return
    wrong = [path_text(path) for path, _ in walk(snapshot.schema) if INVALID_CHARACTERS & set(path[-1])]
    if wrong:
        raise errors.MappedColumnNamesError(log.table, ", ".join(wrong))
    schema = without_metadata(snapshot.schema, {ID, PHYSICAL_NAME, NESTED_IDS})
    metadata = replace(snapshot.metadata.without_properties(_keys("columnMapping", OnDrop.WITH_REWRITE)), schema=schema)
    metadata = with_current_names(metadata, snapshot.metadata)
    yield _rewritten(log, snapshot, operations.REMOVE_COLUMN_MAPPING, {}, _all_rows(snapshot, context), metadata)


def _type_widening(log: DeltaLog, context: Context) -> Iterator[Plan]:
    """Rewrites all files if a type was ever changed, since only footers show which files have older types."""
    snapshot = log.snapshot()
    if not any(TYPE_CHANGES in field.metadata for _, field in walk(snapshot.schema)):
        return
    metadata = replace(snapshot.metadata, schema=without_metadata(snapshot.schema, {TYPE_CHANGES}))
    yield _rewritten(log, snapshot, operations.REORG, _PURGE, _all_rows(snapshot, context), metadata)


def _all_rows(snapshot: Snapshot, context: Context) -> Scan:
    return binding.scan(context, snapshot, may_be_empty=True, with_ids=True)


def _rewritten(
    log: DeltaLog,
    snapshot: Snapshot,
    operation: Operation,
    parameters: Mapping[str, object],
    scan: Scan,
    metadata: Metadata | None = None,
) -> Plan:
    """Writes the rows of `scan` into new files, under the schema of `metadata` if that changes.

    Where there are no files, `metadata` alone is committed.
    """
    actions: tuple[Action, ...] = () if metadata is None else (metadata,)
    files = scan.files
    if files.num_rows == 0:
        return TableChange(CommitSpec(log, snapshot, operation, parameters, actions))
    after = metadata or snapshot.metadata
    return RowChange(
        CommitSpec(
            log,
            snapshot,
            operation,
            parameters,
            actions=actions,
            reads=Reads("TRUE", tuple(files.column("path").to_pylist()), whole_table=metadata is not None),
        ),
        Write(scan, after.schema, after.partition_columns),
        after,
        removed=files,
        rearranges=True,
    )


_FURTHER: Mapping[str, Callable[[DeltaLog, Context], Iterator[Plan]]] = {
    "checkConstraints": _constraints,
    "collations": partial(_collations, "collations"),
    "collations-preview": partial(_collations, "collations-preview"),
    "geospatial": _geospatial,
    "rowTracking": _row_tracking,
    "domainMetadata": _domains,
    "v2Checkpoint": _classic_checkpoints,
    "deletionVectors": _deletion_vectors,
    "columnMapping": _column_mapping,
    "typeWidening": _type_widening,
    "typeWidening-preview": _type_widening,
}


@dataclass(frozen=True, slots=True)
class FeatureName:
    """A table feature as the statement spells it, and where."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class DropFeature(LogicalPlan):
    """ALTER TABLE t DROP FEATURE f [TRUNCATE HISTORY]"""

    alone: ClassVar[tuple[str, Alone] | None] = ("ALTER TABLE … DROP FEATURE", Alone.STEPS)

    table: TableName
    feature: FeatureName
    truncate_history: bool


@builds("feature_name")
def _feature_name(children: list[Any], tree: Tree, text: str) -> FeatureName:
    written = text[tree.start : tree.end]
    is_plain = len(children) > 1
    return FeatureName(written if is_plain else str(children[0]), tree.start, tree.end)


PROTECTION = "checkpointProtection"
BARRIERS = 3
"""Checkpoints between the last version that uses a feature and the first without it: as many as Delta writes."""


@plan.register
def plan_drop_feature(statement: DropFeature, context: Context) -> Plan:
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
        raise errors.FeatureNotPresentError(table, feature.name, ", ".join(sorted(present)) or "none")
    if not feature.removable:
        removable = sorted(item for item in present if item in FEATURES and FEATURES[item].removable)
        raise errors.FeatureNotRemovableError(table, feature.name, ", ".join(removable) or "none")
    _check_truncation(feature, statement.truncate_history, table)
    dependents = sorted(item for item in present if item in FEATURES and feature.name in FEATURES[item].requires)
    if dependents:
        raise errors.DependentFeaturesError(table, feature.name, " and ".join(dependents))
    return feature


def _named(name: str, table: str) -> TableFeature:
    """The feature of that name. Raises FeatureIsPropertyError, UnknownFeatureToDropError."""
    if name.lower().startswith("delta."):
        raise errors.FeatureIsPropertyError(table, name)
    try:
        return find_feature(name)
    except errors.UnknownFeaturesError as error:
        raise errors.UnknownFeatureToDropError(
            table, name, f" {error.hint}" if "Did you mean" in error.hint else ""
        ) from None


def _check_truncation(feature: TableFeature, truncate: bool, table: str) -> None:
    if feature.name == PROTECTION and not truncate:
        raise errors.ProtectionNeedsTruncationError(table)
    if truncate and not feature.reader_writer and feature.name != PROTECTION:
        raise errors.TruncationNotAllowedError(table, feature.name)


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
        raise errors.WaitForRetentionError(table, feature.name, retention)
    if has_traces(feature.name, log):
        yield _barrier(log, forget=True)
        if has_traces(feature.name, log):
            raise errors.HistoricalVersionsError(table, feature.name, retention)
    yield _removal(feature, log, truncate=True)


def _unprotected(feature: TableFeature, log: DeltaLog) -> Iterator[Plan]:
    """The guard goes with the versions that it guards."""
    snapshot = log.snapshot()
    guarded = snapshot.properties[table_properties.PROTECTED_BEFORE]
    if earliest_version(log) < guarded:
        yield _barrier(log, forget=True)
        if earliest_version(log) < guarded:
            raise errors.ProtectedVersionsError(log.table, guarded, _retention(snapshot))
    yield _removal(feature, log, truncate=True)


def _barrier(log: DeltaLog, *, forget: bool = False) -> TableChange:
    """A commit without content and a checkpoint of it; with `forget`, older log files may go as far as they may."""
    snapshot = log.snapshot()
    cutoff = int(time.time() * 1000) - snapshot.properties[table_properties.DROP_FEATURE_RETENTION] if forget else None
    return TableChange(CommitSpec(log, snapshot, operations.EMPTY, {}), checkpoint=True, forget_before_ms=cutoff)


def _removal(feature: TableFeature, log: DeltaLog, *, truncate: bool = False, guarded: bool = False) -> TableChange:
    """The commit that takes the feature out of the protocol; `guarded`, it brings the guard of the versions before.

    Raises FeatureInUseError.
    """
    snapshot = log.snapshot()
    if final_feature(feature.name) in requested_features(snapshot.schema, snapshot.configuration):
        raise errors.FeatureInUseError(log.table, feature.name)
    metadata = snapshot.metadata.without_properties(leftover_keys(feature.name))
    protocol = snapshot.protocol.without(feature.name)
    if guarded:
        protocol = protocol.with_features([PROTECTION])
        metadata = metadata.with_configuration({table_properties.PROTECTED_BEFORE.name: str(snapshot.version + 1)})
    actions = (protocol, metadata, *final_actions(feature.name, snapshot))
    parameters = {"featureName": feature.name, "truncateHistory": truncate}
    return TableChange(CommitSpec(log, snapshot, operations.DROP_FEATURE, parameters, actions), checkpoint=guarded)


def _retention(snapshot: Snapshot) -> str:
    hours = snapshot.properties[table_properties.DROP_FEATURE_RETENTION] / 3_600_000
    return f"{hours:g} hours"
