"""Snapshots of tables that have no log of Delta's: the files that another format lists, as one version."""

from __future__ import annotations

from collections.abc import Iterable

from obstore.store import MemoryStore

from deltasql.log.actions.actions import AddFile, Metadata
from deltasql.log.actions.commit_text import encode_actions
from deltasql.log.protocol.protocol import Protocol
from deltasql.log.replay.delta_log import DeltaLog
from deltasql.log.replay.snapshot import Snapshot
from deltasql.log.storage.log_store import LogStore
from deltasql.log.storage.paths import commit_path

_PROTOCOL = Protocol(2, 5)
"""Columns may have physical names, as those of Iceberg have."""


def unlogged_snapshot(location: str, table: str, metadata: Metadata, files: Iterable[AddFile] = ()) -> Snapshot:
    """A snapshot of `files`, whose log is in memory and nowhere else; `table` is its name in messages.

    Nothing can be committed on top of it that others see.
    """
    store = LogStore(location, MemoryStore())
    store.overwrite(commit_path(0), encode_actions((_PROTOCOL, metadata, *files)))
    return DeltaLog(location, table, store).snapshot()
