"""Tables that Iceberg reads as well: the requirements on their files, and the rewrite that meets them."""

from __future__ import annotations

from collections.abc import Mapping

from deltasql.errors.iceberg import IcebergFilesError, IcebergVectorsError
from deltasql.lazy import pa, pc
from deltasql.log.actions.deletion_vectors import marked_files
from deltasql.log.configuration.iceberg_compat import (
    COMPAT_TAG,
    compat_keys,
    converts_to_iceberg,
    stores_partitions,
    version_of,
)
from deltasql.log.replay.snapshot import Snapshot


def check_iceberg_files(snapshot: Snapshot, configuration: Mapping[str, str]) -> None:
    """Raises IcebergVectorsError, IcebergFilesError if Iceberg cannot read the existing files.

    They are looked at when the compatibility or the format is switched on; from then on all writers obey.
    """
    keys, old = compat_keys(configuration), snapshot.configuration
    starts = not compat_keys(old)
    converts = converts_to_iceberg(configuration) and not converts_to_iceberg(old)
    if not keys or not (starts or converts) or not snapshot.num_files:
        return
    files = snapshot.live_adds(("deletionVector", "tags"))
    if files.filter(marked_files(files)).num_rows:
        raise IcebergVectorsError(snapshot.table, version_of(keys[0]))
    number = keys[0][-1]
    lacks_partitions = bool(snapshot.partition_columns) and not stores_partitions(snapshot.protocol, old)
    if lacks_partitions or converts:
        count = len(files) if lacks_partitions else len(files.filter(untagged_files(files, number)))
        if count:
            raise IcebergFilesError(count, snapshot.table, number)


def untagged_files(files: pa.Table, version: str) -> pa.ChunkedArray:
    """Which files, whose tags are a column of maps, were not written for a version of the compatibility."""
    tags = pc.map_lookup(files["tags"], COMPAT_TAG, "first")
    return pc.invert(pc.fill_null(pc.equal(tags, version), False))
