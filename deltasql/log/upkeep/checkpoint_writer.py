"""Writing a checkpoint: the whole state of a version, so that readers need no commit before it.

Which kind it is, `delta.checkpointPolicy` says: one Parquet file, or the V2 kind (see `checkpoint_v2`).
Source: Delta protocol, Checkpoints.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import pyarrow as pa

from deltasql.base.errors.log import CheckpointMismatchError
from deltasql.log.actions.actions import Json
from deltasql.log.actions.file_tables import ADD, from_actions
from deltasql.log.properties.property_registry import CHECKPOINT_POLICY
from deltasql.log.replay.live_files import LiveFiles
from deltasql.log.replay.log_segment import LastCheckpoint, classify, write_last_checkpoint
from deltasql.log.replay.snapshot import Snapshot
from deltasql.log.storage.locations import LOG, checkpoint_path
from deltasql.log.storage.log_store import LogStore
from deltasql.log.upkeep.checkpoint_rows import (
    add_rows,
    classic_schema,
    encode_parquet,
    remove_rows,
    state_actions,
    unexpired_tombstones,
)
from deltasql.log.upkeep.checkpoint_v2 import CheckpointRows, TopLevel, write_v2

_STORED = [name for name in ADD.names if name != "dataChange"]


def write_checkpoint(store: LogStore, snapshot: Snapshot, top_level: TopLevel = "json") -> bool:
    """Writes the checkpoint of the snapshot and the hint to it; False if there is one already.

    `top_level` is the form of a V2 checkpoint's own file. Raises CheckpointMismatchError, where the files that would be
    written are not those that the totals count, and the errors of the store.
    """
    if _has_checkpoint(store, snapshot.version):
        return False
    now = int(time.time() * 1000)
    removes, small = unexpired_tombstones(snapshot, now), state_actions(snapshot, now)

    def write(files: LiveFiles) -> LastCheckpoint | None:
        rows = CheckpointRows(files.raw_batches(_STORED), _counted(snapshot, files), removes)
        if snapshot.properties[CHECKPOINT_POLICY] == "v2" and "v2Checkpoint" in snapshot.protocol.features:
            return write_v2(store, snapshot, small, rows, top_level)
        return _write_classic(store, snapshot, small, rows)

    # Files are read while they are written; if a log file turns out damaged meanwhile, all is written anew.
    hint = snapshot.read_files(write)
    if hint is not None:
        write_last_checkpoint(store, hint)
    return hint is not None


def _has_checkpoint(store: LogStore, version: int) -> bool:
    """True if the version has a whole checkpoint; the names of some kinds tell no two writers apart."""
    listing = classify(store.list_folder(LOG, offset=f"{LOG}/{version:020d}"), complete=False)
    return any(item.version == version for item in listing.checkpoints)


def _counted(snapshot: Snapshot, files: LiveFiles) -> int:
    count, totals = files.count(), snapshot.cheap_totals
    if totals is not None and totals.files != count:
        raise CheckpointMismatchError(snapshot.table, snapshot.version, count, totals.files)
    return count


def _write_classic(
    store: LogStore, snapshot: Snapshot, small: list[Json], rows: CheckpointRows
) -> LastCheckpoint | None:
    """None if another writer was first."""
    schema = classic_schema(snapshot.metadata)

    def tables() -> Iterator[pa.Table]:
        # The small actions have a row group of their own, so that a reader of the metadata touches a few KB.
        yield from_actions(small, schema)
        yield from add_rows(rows.adds, snapshot.metadata, schema)
        yield from remove_rows(rows.removes, schema)

    data = encode_parquet(schema, tables())
    if not store.put_if_absent(checkpoint_path(snapshot.version), data):
        return None
    size = len(small) + rows.count
    return LastCheckpoint(snapshot.version, size, size_in_bytes=len(data), files=rows.files)
