"""Errors of GENERATE and of the property that has manifests written after each commit."""

from __future__ import annotations

from deltasql.base.errors.base import DeltaSqlError, condition


@condition(
    "DELTA_MODE_NOT_SUPPORTED",
    "0AKDC",
    "GENERATE knows no '{mode}'. Write GENERATE symlink_format_manifest FOR TABLE ….",
)
class ManifestModeError(DeltaSqlError):
    """GENERATE with another mode than symlink_format_manifest."""

    mode: str


@condition(
    "DELTA_UNSUPPORTED_GENERATE_WITH_DELETION_VECTORS",
    "0A000",
    "{table} has files with deletion vectors, which readers of manifests do not know: deleted rows would be back. "
    "Run: ALTER TABLE {table} SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'false'), then REORG TABLE {table} "
    "APPLY (PURGE).",
)
class ManifestVectorsError(DeltaSqlError):
    """The property for manifests, on a table whose files have deletion vectors."""

    table: str


@condition(
    "DELTA_UNSUPPORTED_MANIFEST_GENERATION_WITH_COLUMN_MAPPING",
    "0AKDC",
    "{table} maps its columns, and readers of manifests know columns by their names in the files alone. Write its rows "
    "into a table without 'delta.columnMapping.mode' for them.",
)
class MappedManifestError(DeltaSqlError):
    """GENERATE symlink_format_manifest of a table with column mapping."""

    table: str


@condition(
    "DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED.PERSISTENT_DELETION_VECTORS_WITH_INCREMENTAL_MANIFEST_GENERATION",
    "0A000",
    "{table} cannot have both 'delta.enableDeletionVectors' and 'delta.compatibility.symlinkFormatManifest.enabled' = "
    "'true': readers of manifests do not know deletion vectors. Set one to 'false'.",
)
class ManifestPropertiesError(DeltaSqlError):
    """Properties that ask for both deletion vectors and manifests."""

    table: str


@condition(
    "DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED.EXISTING_DELETION_VECTORS_WITH_INCREMENTAL_MANIFEST_GENERATION",
    "0A000",
    "{table} has files with deletion vectors, which readers of manifests do not know. Run REORG TABLE {table} APPLY "
    "(PURGE) first.",
)
class ManifestExistingVectorsError(DeltaSqlError):
    """GENERATE symlink_format_manifest of a table with deletion vectors."""

    table: str
