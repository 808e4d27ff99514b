"""Enabling of row tracking: at once for a new table; in an existing one after a backfill of row ids."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from deltasql.base.errors.log import RowIdsWithoutStatisticsError
from deltasql.base.lazy import pc
from deltasql.log.actions import operations
from deltasql.log.actions.actions import AddFile, Metadata
from deltasql.log.configuration.row_ids import (
    ENABLEMENT_TAG,
    ROW_TRACKING_FEATURE,
    with_row_id_columns,
)
from deltasql.log.properties.property_registry import ROW_TRACKING, ROW_TRACKING_SUSPENDED, properties_of
from deltasql.log.properties.table_properties import TableProperties
from deltasql.log.protocol.protocol import Protocol
from deltasql.log.replay.delta_log import DeltaLog
from deltasql.log.replay.snapshot import Snapshot
from deltasql.planner.changes import CommitSpec, Plan, TableChange

BATCH_FILES = 100_000
"""Files that one commit of a backfill adds again."""


def tracked_metadata(metadata: Metadata, protocol: Protocol, snapshot: Snapshot | None) -> Metadata:
    """The metadata of a created or replaced table, with the properties of row tracking.

    Row ids outlive the rows of a replaced table: one that tracks its rows goes on doing so, unless the statement
    disables it.
    """
    old = TableProperties({} if snapshot is None else snapshot.configuration)
    if old[ROW_TRACKING] and ROW_TRACKING not in metadata.properties:
        metadata = metadata.with_configuration({ROW_TRACKING.name: "true"})
    return with_row_id_columns(metadata, protocol, old.configuration)


def starts_tracking(snapshot: Snapshot, metadata: Metadata) -> bool:
    """Whether `metadata` enable row ids that files of the snapshot may lack."""
    return metadata.properties[ROW_TRACKING] and not snapshot.properties[ROW_TRACKING]


def enabling_tags(snapshot: Snapshot, metadata: Metadata) -> dict[str, str] | None:
    """Commit tags that tell concurrent writers that a commit only enables row tracking; None for any other commit."""
    names = {item.name for item in properties_of(ROW_TRACKING_FEATURE)}
    rest = [
        replace(item, configuration={key: value for key, value in item.configuration.items() if key not in names})
        for item in (snapshot.metadata, metadata)
    ]
    return {ENABLEMENT_TAG: "true"} if starts_tracking(snapshot, metadata) and rest[0] == rest[1] else None


def enabling_steps(log: DeltaLog, snapshot: Snapshot, last: Callable[[Snapshot], TableChange]) -> Iterator[Plan]:
    """The commits that enable row tracking: first the feature, so that new files get row ids, then ids for old files.

    `last` plans the commit of the metadata, on the table as it is by then. A commit that loses a race ends the
    statement; earlier ones stay, and the same statement, repeated, resumes there.
    """
    if ROW_TRACKING_FEATURE not in snapshot.protocol.features:
        yield _upgrade(log, snapshot)
    if snapshot.properties[ROW_TRACKING_SUSPENDED]:
        yield _resumption(log, log.snapshot())
    batch = 0
    while files := unnumbered(current := log.snapshot(), BATCH_FILES):
        yield TableChange(CommitSpec(log, current, operations.BACKFILL, {"batchId": str(batch)}, tuple(files)))
        batch += 1
    yield last(log.snapshot())


def unnumbered(snapshot: Snapshot, most: int) -> list[AddFile]:
    """At most `most` files without row ids, as add actions that repeat them."""
    table = snapshot.live_adds(("path", "baseRowId"))
    paths = table.filter(pc.is_null(table["baseRowId"])).column("path").slice(0, most)
    return [replace(add, data_change=False) for add in snapshot.add_files(paths.to_pylist())] if len(paths) else []


def refuse_unknown_counts(snapshot: Snapshot) -> None:
    """Raises RowIdsWithoutStatisticsError, before anything is changed, for a file without a row count."""
    files = snapshot.live_adds(("path", "stats", "baseRowId"))
    counted = pc.fill_null(pc.match_substring(files["stats"], '"numRecords"'), False)
    unknown = files.filter(pc.and_(pc.is_null(files["baseRowId"]), pc.invert(counted)))
    if unknown.num_rows:
        raise RowIdsWithoutStatisticsError(snapshot.table, unknown["path"][0].as_py())


def _upgrade(log: DeltaLog, snapshot: Snapshot) -> TableChange:
    protocol = snapshot.protocol.with_features([ROW_TRACKING_FEATURE])
    listed = protocol.to_json()
    keys = ("minReaderVersion", "minWriterVersion", "readerFeatures", "writerFeatures")
    named = {key: listed.get(key) for key in keys}
    return TableChange(CommitSpec(log, snapshot, operations.UPGRADE_PROTOCOL, {"newProtocol": named}, (protocol,)))


def _resumption(log: DeltaLog, snapshot: Snapshot) -> TableChange:
    resumed = {ROW_TRACKING_SUSPENDED.name: "false"}
    metadata = snapshot.metadata.with_configuration(resumed)
    return TableChange(CommitSpec(log, snapshot, operations.SET_PROPERTIES, {"properties": resumed}, (metadata,)))
