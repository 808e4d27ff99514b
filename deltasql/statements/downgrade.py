"""Downgrades: the commits that end a table's use of a feature, before the protocol drops it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial

from deltasql.base.errors.statements.features import CollationsLeftError, ConstraintsLeftError, MappedColumnNamesError
from deltasql.base.lazy import pc
from deltasql.log.actions import actions as operations
from deltasql.log.actions.actions import Action, AddFile, DomainMetadata, Metadata, Operation, RemoveFile
from deltasql.log.actions.deletion_vectors import marked_files, vector_file
from deltasql.log.configuration.row_ids import ROW_TRACKING_DOMAIN
from deltasql.log.properties.property_registry import (
    CHECKPOINT_POLICY,
    ROW_TRACKING,
    ROW_TRACKING_SUSPENDED,
    OnDrop,
    properties_of,
)
from deltasql.log.protocol.protocol import final_feature
from deltasql.log.replay.delta_log import DeltaLog
from deltasql.log.replay.snapshot import Snapshot
from deltasql.log.storage.locations import encode_path, is_absolute
from deltasql.plan.operators import Reads, Scan, Write
from deltasql.planner import binding
from deltasql.planner.changes import CommitSpec, Plan, RowChange, TableChange
from deltasql.planner.context import Context
from deltasql.planner.tables.persisted_sql import BATCH_FILES
from deltasql.schema.checks import INVALID_CHARACTERS
from deltasql.schema.column_mapping import ID, NESTED_IDS, PHYSICAL_NAME
from deltasql.schema.edits import without_metadata
from deltasql.schema.paths import collated_paths, walk
from deltasql.schema.text import path_text
from deltasql.schema.widening import TYPE_CHANGES
from deltasql.statements.metadata import with_current_names
from deltasql.statements.nodes.table import DEFAULT_COLLATION

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
        raise ConstraintsLeftError(log.table, ", ".join(names))
    yield from ()


def _collations(feature: str, log: DeltaLog, context: Context) -> Iterator[Plan]:
    """Removes the default collation, by which a new column would need the feature again."""
    columns = [path_text(path) for path in collated_paths(log.snapshot().schema)]
    if columns:
        raise CollationsLeftError(log.table, feature, ", ".join(columns))
    yield from _unset(log, (DEFAULT_COLLATION,))


def _row_tracking(log: DeltaLog, context: Context) -> Iterator[Plan]:
    """Stops assigning row ids to new files, then removes those of existing files."""
    snapshot = log.snapshot()
    if snapshot.properties[ROW_TRACKING] or not snapshot.properties[ROW_TRACKING_SUSPENDED]:
        yield _set(log, snapshot, {ROW_TRACKING.name: "false", ROW_TRACKING_SUSPENDED.name: "true"})
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
    if snapshot.properties[CHECKPOINT_POLICY] != "classic":
        yield _set(log, snapshot, {CHECKPOINT_POLICY.name: "classic"})


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
        raise MappedColumnNamesError(log.table, ", ".join(wrong))
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
    "rowTracking": _row_tracking,
    "domainMetadata": _domains,
    "v2Checkpoint": _classic_checkpoints,
    "deletionVectors": _deletion_vectors,
    "columnMapping": _column_mapping,
    "typeWidening": _type_widening,
    "typeWidening-preview": _type_widening,
}
