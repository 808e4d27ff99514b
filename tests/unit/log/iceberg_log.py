"""Commits to a table that keeps Iceberg metadata, and what these say, for tests. The data files are names only."""

from __future__ import annotations

from pyiceberg.manifest import ManifestEntry, ManifestFile
from pyiceberg.table.metadata import TableMetadataV2

from deltasql.log import operations
from deltasql.log.actions.actions import AddFile
from deltasql.log.commit.transaction import Transaction
from deltasql.log.configuration.properties import partition_keys
from deltasql.log.iceberg.current_metadata import current_metadata
from deltasql.log.iceberg.manifests import StoreIO, read_manifests
from deltasql.log.iceberg.table_metadata import parse_metadata
from deltasql.log.replay.snapshot import DeltaLog

PROPERTIES = "'delta.enableIcebergCompatV2' = 'true', 'delta.universalFormat.enabledFormats' = 'iceberg'"
STATS = '{"numRecords":2}'


def commit(log: DeltaLog, *adds: str, removes: tuple[str, ...] = (), layout: bool = False) -> None:
    """Adds files by path, the partition `p` is their first letter; removes others."""
    snapshot = log.snapshot()
    (physical,) = partition_keys(snapshot.metadata)
    files = [AddFile(path, {physical: path[0]}, 10, 1, not layout, STATS) for path in adds]
    gone = [item.remove(1, not layout) for item in snapshot.add_files(removes)]
    assert len(gone) == len(removes)
    Transaction(log, snapshot).commit(operations.WRITE, {}, [*gone, *files])


def metadata(log: DeltaLog) -> TableMetadataV2:
    current = current_metadata(log.store)
    assert current is not None
    return parse_metadata(current)


def manifests(log: DeltaLog) -> list[ManifestFile]:
    snapshot = metadata(log).current_snapshot()
    return [] if snapshot is None else read_manifests(StoreIO(log.store), snapshot.manifest_list)


def entries(log: DeltaLog) -> list[ManifestEntry]:
    return [entry for item in manifests(log) for entry in item.fetch_manifest_entry(StoreIO(log.store))]


def listed(log: DeltaLog) -> list[str]:
    """The live files, relative to the table."""
    root = StoreIO(log.store).root
    return sorted(entry.data_file.file_path.removeprefix(f"{root}/") for entry in entries(log))


def summary(log: DeltaLog) -> dict[str, str]:
    snapshot = metadata(log).current_snapshot()
    assert snapshot is not None
    assert snapshot.summary is not None
    return {"operation": snapshot.summary.operation.value, **snapshot.summary.additional_properties}


def objects(log: DeltaLog) -> set[str]:
    return {item.name for item in log.store.list_folder("metadata")}
