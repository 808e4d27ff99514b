"""Tables whose commits are followed by manifests: the requirements on their files."""

from __future__ import annotations

from collections.abc import Mapping

from deltasql.errors.statements.generate import ManifestExistingVectorsError
from deltasql.log.actions.deletion_vectors import marked_files
from deltasql.log.properties.property_registry import MANIFESTS
from deltasql.log.properties.table_properties import TableProperties
from deltasql.log.replay.snapshot import Snapshot


def check_manifest_files(snapshot: Snapshot, configuration: Mapping[str, str]) -> None:
    """Raises ManifestExistingVectorsError where manifests are switched on and files have deletion vectors."""
    starts = TableProperties(configuration)[MANIFESTS] and not snapshot.properties[MANIFESTS]
    if not starts or not snapshot.num_files:
        return
    files = snapshot.live_adds(("deletionVector",))
    if files.filter(marked_files(files)).num_rows:
        raise ManifestExistingVectorsError(table=snapshot.table)
