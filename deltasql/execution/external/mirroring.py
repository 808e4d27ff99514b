"""The news of commits for external catalogs, which repeat schema and properties of a log."""

from __future__ import annotations

from functools import partial

from deltasql.catalog import Catalog
from deltasql.catalog.external.mirror import MirroredTable
from deltasql.log.replay.delta_log import DeltaLog
from deltasql.log.replay.snapshot import Snapshot
from deltasql.log.storage.stores import Stores
from deltasql.planner.show.show_columns import all_properties


def follow(log: DeltaLog, catalog: Catalog, stores: Stores) -> None:
    """Gives a log the storages of its session, and its catalog, which hears of each commit of this session."""
    log.store.at, log.catalog, log.on_commit = stores.open, catalog.commits, partial(_mirror, catalog)


def _mirror(catalog: Catalog, before: Snapshot | None, after: Snapshot) -> None:
    if catalog.external.opened:
        catalog.external.mirror(after.location, mirrored_table(before, after))


def mirrored_table(before: Snapshot | None, after: Snapshot) -> MirroredTable:
    """The part of a version, `after`, that catalogs repeat; it was committed on top of `before`."""
    properties = dict(all_properties(after))
    changed = before is None or before.metadata != after.metadata or before.protocol != after.protocol
    old = () if before is None or not changed else (key for key, _ in all_properties(before))
    return MirroredTable(
        after.version,
        after.timestamp_ms,
        after.schema,
        after.partition_columns,
        after.metadata.description,
        properties,
        frozenset(old) - frozenset(properties),
        changed,
    )
