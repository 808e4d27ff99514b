"""How a table stops using a feature: the commits that come before the protocol forgets it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from deltasql.errors.features import ConstraintsLeftError, MappedColumnNamesError
from deltasql.log.actions.actions import DomainMetadata
from deltasql.log.actions.deletion_vectors import marked_files
from deltasql.log.configuration.properties import (
    PROTECTED_BEFORE,
    TIMESTAMPS,
    TIMESTAMPS_SINCE,
    check_constraints,
    column_mapping_mode,
    is_on,
)
from deltasql.log.configuration.row_ids import (
    ID_COLUMN_KEY,
    ROW_TRACKING_DOMAIN,
    ROW_TRACKING_ENABLED,
    ROW_TRACKING_SUSPENDED,
    UNBACKFILL,
    VERSION_COLUMN_KEY,
)
from deltasql.plan.operators import Scan, Write
from deltasql.plan.reads import Reads
from deltasql.planner import binding
from deltasql.planner.changes import CommitSpec, Outcome, Plan, RowChange, TableChange
from deltasql.planner.tables.row_tracking import BATCH_FILES
from deltasql.schema.checks import INVALID_CHARACTERS
from deltasql.schema.column_mapping import ID, MAX_ID, MODE, PHYSICAL_NAME
from deltasql.schema.edits import without_metadata
from deltasql.schema.paths import walk
from deltasql.schema.text import path_text
from deltasql.schema.widening import TYPE_CHANGES

if TYPE_CHECKING:
    from deltasql.log.actions.actions import Action, AddFile, Metadata
    from deltasql.log.replay.delta_log import DeltaLog
    from deltasql.log.replay.snapshot import Snapshot
    from deltasql.planner.context import Context

_PURGE = {"predicate": "[]", "applyPurge": True}
NESTED_IDS = "delta.columnMapping.nested.ids"
_SWITCHES = {
    "deletionVectors": ("delta.enableDeletionVectors",),
    "inCommitTimestamp": (TIMESTAMPS, *TIMESTAMPS_SINCE),
    "typeWidening": ("delta.enableTypeWidening",),
    "typeWidening-preview": ("delta.enableTypeWidening",),
    "materializePartitionColumns": (
        "delta.enableMaterializePartitionColumnsFeature",
        "delta.writePartitionColumnsToParquet",
    ),
}
_LEFTOVERS = {
    "rowTracking": frozenset({ROW_TRACKING_ENABLED, ROW_TRACKING_SUSPENDED, ID_COLUMN_KEY, VERSION_COLUMN_KEY}),
    "checkpointProtection": frozenset({PROTECTED_BEFORE}),
}


def downgrade(feature: str, log: DeltaLog, context: Context) -> Iterator[Plan]:
    """The commits after which the table does not use the feature; none where it does not already.

    Raises, before the first of them, what the user has to do first.
    """
    yield from _unset(log, _SWITCHES.get(feature, ()))
    further = _FURTHER.get(feature)
    if further is not None:
        yield from further(log, context)


def leftover_keys(feature: str) -> frozenset[str]:
    """Properties that go together with the feature."""
    return _LEFTOVERS.get(feature, frozenset())


def final_actions(feature: str, snapshot: Snapshot) -> list[Action]:
    """What goes into the commit that drops the feature, besides protocol and metadata."""
    domains = snapshot.domains if feature == "rowTracking" else {}
    return (
        [DomainMetadata(ROW_TRACKING_DOMAIN, domains[ROW_TRACKING_DOMAIN], removed=True)]
        if ROW_TRACKING_DOMAIN in domains
        else []
    )


def _unset(log: DeltaLog, keys: tuple[str, ...]) -> Iterator[Plan]:
    snapshot = log.snapshot()
    if not keys or keys[0] not in snapshot.configuration:
        return
    metadata = snapshot.metadata.without_properties(keys)
    parameters = {"properties": [keys[0]], "ifExists": True}
    yield TableChange(CommitSpec(log, snapshot, "UNSET TBLPROPERTIES", parameters, (metadata,)))


def _set(log: DeltaLog, snapshot: Snapshot, properties: Mapping[str, str]) -> TableChange:
    metadata = snapshot.metadata.with_configuration(properties)
    parameters = {"properties": dict(properties)}
    return TableChange(CommitSpec(log, snapshot, "SET TBLPROPERTIES", parameters, (metadata,)))


def _constraints(log: DeltaLog, context: Context) -> Iterator[Plan]:
    names = check_constraints(log.snapshot().configuration)
    if names:
        raise ConstraintsLeftError(log.table, ", ".join(names))
    yield from ()


def _row_tracking(log: DeltaLog, context: Context) -> Iterator[Plan]:
    """No file gets ids any more, then those that have some lose them."""
    snapshot = log.snapshot()
    if is_on(snapshot.configuration, ROW_TRACKING_ENABLED) or not is_on(snapshot.configuration, ROW_TRACKING_SUSPENDED):
        yield _set(log, snapshot, {ROW_TRACKING_ENABLED: "false", ROW_TRACKING_SUSPENDED: "true"})
    batch = 0
    while files := _numbered_files(current := log.snapshot()):
        yield TableChange(CommitSpec(log, current, UNBACKFILL, {"batchId": str(batch)}, tuple(files)))
        batch += 1


def _numbered_files(snapshot: Snapshot) -> list[AddFile]:
    import pyarrow.compute as pc

    table = snapshot.live_adds(("path", "baseRowId"))
    paths = table.filter(pc.is_valid(table["baseRowId"])).column("path").slice(0, BATCH_FILES)
    adds = snapshot.add_files(paths.to_pylist()) if len(paths) else []
    return [replace(add, data_change=False, base_row_id=None, default_row_commit_version=None) for add in adds]


def _domains(log: DeltaLog, context: Context) -> Iterator[Plan]:
    snapshot = log.snapshot()
    removed = tuple(DomainMetadata(name, text, removed=True) for name, text in snapshot.domains.items())
    if removed:
        parameters = {"domainMetadataRemovedCount": len(removed)}
        yield TableChange(CommitSpec(log, snapshot, "DOMAIN METADATA CLEANUP", parameters, removed))


def _classic_checkpoints(log: DeltaLog, context: Context) -> Iterator[Plan]:
    snapshot = log.snapshot()
    if snapshot.configuration.get("delta.checkpointPolicy", "classic") != "classic":
        yield _set(log, snapshot, {"delta.checkpointPolicy": "classic"})


def _deletion_vectors(log: DeltaLog, context: Context) -> Iterator[Plan]:
    snapshot = log.snapshot()
    scan = _all_rows(snapshot, context)
    marked = scan.files.filter(marked_files(scan.files))
    if marked.num_rows:
        yield _rewritten(log, snapshot, "REORG", _PURGE, replace(scan, files=marked))


def _column_mapping(log: DeltaLog, context: Context) -> Iterator[Plan]:
    """Every file is written anew: its columns go by the names that the user sees."""
    snapshot = log.snapshot()
    if column_mapping_mode(snapshot.configuration) == "none":
        return
    wrong = [path_text(path) for path, _ in walk(snapshot.schema) if INVALID_CHARACTERS & set(path[-1])]
    if wrong:
        raise MappedColumnNamesError(log.table, ", ".join(wrong))
    schema = without_metadata(snapshot.schema, {ID, PHYSICAL_NAME, NESTED_IDS})
    metadata = replace(snapshot.metadata.without_properties({MODE, MAX_ID}), schema=schema)
    yield _rewritten(log, snapshot, "REMOVE COLUMN MAPPING", {}, _all_rows(snapshot, context), metadata)


def _type_widening(log: DeltaLog, context: Context) -> Iterator[Plan]:
    """Which files hold older types only their footers tell: all are written anew, if a type was ever changed."""
    snapshot = log.snapshot()
    if not any(TYPE_CHANGES in field.metadata for _, field in walk(snapshot.schema)):
        return
    metadata = replace(snapshot.metadata, schema=without_metadata(snapshot.schema, {TYPE_CHANGES}))
    yield _rewritten(log, snapshot, "REORG", _PURGE, _all_rows(snapshot, context), metadata)


def _all_rows(snapshot: Snapshot, context: Context) -> Scan:
    return binding.scan(context, snapshot, may_be_empty=True, with_ids=True)


def _rewritten(
    log: DeltaLog,
    snapshot: Snapshot,
    operation: str,
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
        Outcome.NONE,
        removed=files,
        rearranges=True,
    )


_FURTHER: Mapping[str, Callable[[DeltaLog, Context], Iterator[Plan]]] = {
    "checkConstraints": _constraints,
    "rowTracking": _row_tracking,
    "domainMetadata": _domains,
    "v2Checkpoint": _classic_checkpoints,
    "deletionVectors": _deletion_vectors,
    "columnMapping": _column_mapping,
    "typeWidening": _type_widening,
    "typeWidening-preview": _type_widening,
}
