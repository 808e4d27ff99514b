"""Whether deltasql may read or write a table: its protocol, schema and properties judged together.

Source: Delta protocol, Table Features.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from deltasql.base.errors.statements.features import (
    CatalogManagedError,
    InvalidProtocolVersionError,
    ManagedElsewhereError,
    ManagedTimestampsError,
    ReadFeaturesNeedWriterVersionError,
    UnsupportedReadFeaturesError,
    UnsupportedTypeChangeError,
    UnsupportedWriteFeaturesError,
)
from deltasql.log.configuration.iceberg_compat import check_compatible
from deltasql.log.properties.property_registry import IN_COMMIT_TIMESTAMPS
from deltasql.log.properties.table_properties import TableProperties
from deltasql.log.protocol.features import CATALOG_MANAGED, FEATURES, Support
from deltasql.log.protocol.protocol import MAX_READER_VERSION, MAX_WRITER_VERSION, Protocol
from deltasql.schema.foreign import check_foreign
from deltasql.schema.text import path_text, type_text
from deltasql.schema.types import StructType
from deltasql.schema.widening import unsupported_changes


def check_readable(
    protocol: Protocol,
    table: str,
    schema: StructType | None = None,
    configuration: Mapping[str, str] | None = None,
    *,
    by_version: bool = False,
    by_catalog: bool = False,
) -> None:
    """Raises when deltasql cannot read such a table; `by_version`, one of its versions that was asked for by number,
    `by_catalog`, the version that its catalog says is the latest.

    InvalidProtocolVersionError, UnsupportedReadFeaturesError, what `check_foreign` raises, and
    UnsupportedTypeChangeError where old files may hold a type that is not read as the present one. With schema and
    configuration, features that the metadata does not use are forgiven where that is safe; without them, every
    supported feature counts as used.
    """
    _check_versions(protocol, table, protocol.min_reader_version, 1)
    features = set(protocol.reader_features or ())
    if protocol.min_reader_version == 2:
        features.add("columnMapping")
    refused = _refused(protocol, features, "read", schema, configuration)
    _check_features(refused, table, published=by_version or by_catalog)
    if schema is not None:
        check_foreign(schema, table)
    if schema is not None and features & {"typeWidening", "typeWidening-preview"}:
        for change in unsupported_changes(schema):
            old, new = type_text(change.old), type_text(change.new)
            raise UnsupportedTypeChangeError(table, path_text(change.path), old, new)


def _check_features(refused: list[str], table: str, *, published: bool) -> None:
    """Raises UnsupportedReadFeaturesError, which is CatalogManagedError where a version by its number can be read."""
    unknown = [name for name in refused if not _is_published(name)]
    if unknown:
        raise UnsupportedReadFeaturesError(table, refused)
    if refused and not published:
        raise CatalogManagedError(table, refused)


def check_writable(
    protocol: Protocol,
    table: str,
    schema: StructType | None = None,
    configuration: Mapping[str, str] | None = None,
    *,
    by_catalog: bool = False,
) -> None:
    """Raises when deltasql cannot write such a table; that it must be readable too is part of the check.

    With `by_catalog` the commit goes through the catalog that manages the table. What `check_readable` raises,
    ManagedElsewhereError, UnsupportedWriteFeaturesError, and with schema and configuration also what
    `check_compatible` raises and ManagedTimestampsError.
    """
    refused = _refused(protocol, protocol.features, "write", schema, configuration)
    managed = [name for name in refused if _is_published(name)]
    if managed and not by_catalog:
        raise ManagedElsewhereError(table, managed)
    check_readable(protocol, table, schema, configuration, by_catalog=by_catalog)
    _check_versions(protocol, table, protocol.min_reader_version, protocol.min_writer_version)
    refused = [name for name in refused if name != CATALOG_MANAGED]
    if refused:
        raise UnsupportedWriteFeaturesError(table, refused)
    if schema is None or configuration is None:
        return
    check_compatible(schema, configuration, protocol.features, table)
    if managed and not TableProperties(configuration)[IN_COMMIT_TIMESTAMPS]:
        raise ManagedTimestampsError(table)


def _check_versions(protocol: Protocol, table: str, reader: int, writer: int) -> None:
    if not (1 <= reader <= MAX_READER_VERSION and 1 <= writer <= MAX_WRITER_VERSION):
        raise InvalidProtocolVersionError(table, protocol.min_reader_version, protocol.min_writer_version)
    if protocol.min_reader_version == MAX_READER_VERSION and protocol.min_writer_version < MAX_WRITER_VERSION:
        raise ReadFeaturesNeedWriterVersionError(protocol.min_reader_version, protocol.min_writer_version)


def _refused(
    protocol: Protocol,
    features: Iterable[str],
    operation: str,
    schema: StructType | None,
    configuration: Mapping[str, str] | None,
) -> list[str]:
    refused = sorted(name for name in features if not _respected(name, operation, active=True))
    if refused and schema is not None and configuration is not None:
        active = protocol.active(schema, configuration)
        refused = [name for name in refused if not _respected(name, operation, name in active)]
    return refused


def _is_published(name: str) -> bool:
    """Whether a table with this feature is read by the number of a version alone."""
    feature = FEATURES.get(name)
    return feature is not None and feature.read is Support.PUBLISHED


def _respected(name: str, operation: str, active: bool) -> bool:
    feature = FEATURES.get(name)
    if feature is None:
        return False
    support = feature.read if operation == "read" else feature.write
    return support is Support.YES or (support is Support.INACTIVE and not active)
