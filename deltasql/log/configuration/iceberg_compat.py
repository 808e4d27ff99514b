"""Requirements on tables that are also read as Iceberg. Source: Delta protocol, Iceberg Compatibility V1 and V2."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from importlib.util import find_spec

from deltasql.base.errors.iceberg import (
    IcebergMappingError,
    IcebergPartitionsError,
    IcebergStatisticsError,
    IcebergTypeError,
    IcebergVectorsError,
    IcebergVersionsError,
    IcebergWideningError,
    MissingIcebergLibraryError,
    UniversalFormatError,
)
from deltasql.log.actions.actions import AddFile
from deltasql.log.properties.property_registry import (
    COLUMN_MAPPING_MODE,
    DELETION_VECTORS,
    ICEBERG_COMPAT_V1,
    ICEBERG_COMPATS,
    UNIVERSAL_FORMATS,
    TableProperties,
)
from deltasql.log.protocol.protocol import Protocol
from deltasql.plan.way import make_note
from deltasql.schema.paths import walk
from deltasql.schema.text import path_text, type_text
from deltasql.schema.type_lattice import Widening
from deltasql.schema.types import ArrayType, DataType, MapType, PrimitiveType, StructType
from deltasql.schema.widening import unsupported_changes

_KEYS = {item.name: str(item.feature) for item in ICEBERG_COMPATS}
COMPAT_TAG = "ICEBERG_COMPAT_VERSION"
"""Tag of a data file: it has the field ids, and the partition columns, of this version."""
_LACKING = frozenset({"variant", "void"})


def compat_key(version: int) -> str:
    """The property that enables a version of Iceberg compatibility."""
    return ICEBERG_COMPATS[version - 1].name


def compat_keys(configuration: Mapping[str, str]) -> list[str]:
    """The properties of Iceberg compatibility that are true."""
    properties = TableProperties(configuration)
    return [item.name for item in ICEBERG_COMPATS if properties.switches_on(item)]


def converts_to_iceberg(configuration: Mapping[str, str]) -> bool:
    """Whether commits are followed by Iceberg metadata."""
    return "iceberg" in universal_formats(configuration)


def universal_formats(configuration: Mapping[str, str]) -> set[str]:
    """The formats besides Delta in which readers may read the table."""
    listed = configuration.get(UNIVERSAL_FORMATS.name, "").split(",")
    return {name.strip().lower() for name in listed} - {""}


def check_iceberg_library(table: str) -> None:
    """Raises MissingIcebergLibraryError where PyIceberg, an optional dependency, is not installed."""
    if find_spec("pyiceberg") is None:
        raise MissingIcebergLibraryError(table)


def stores_partitions(protocol: Protocol, configuration: Mapping[str, str]) -> bool:
    """Whether data files hold the partition columns too: by a feature of its own, or because Iceberg wants them."""
    return bool(compat_keys(configuration)) or "materializePartitionColumns" in protocol.features


_NO_HUDI = (
    "delta.universalFormat.enabledFormats = hudi: stored for other engines. deltasql writes no metadata of Hudi, so "
    "readers of Hudi do not see what it commits."
)


def with_valid_formats(configuration: Mapping[str, str], old: Mapping[str, str], table: str) -> dict[str, str]:
    """The properties, without the formats for which the compatibility that they need was switched off.

    Raises UniversalFormatError, MissingIcebergLibraryError where a format is switched on that cannot be.
    """
    if "hudi" in universal_formats(configuration) - universal_formats(old):
        make_note(_NO_HUDI, is_warning=True)
    if not converts_to_iceberg(configuration):
        return dict(configuration)
    starts = not converts_to_iceberg(old)
    if starts:
        check_iceberg_library(table)
    if compat_keys(configuration):
        return dict(configuration)
    if starts:
        raise UniversalFormatError(table)
    left = universal_formats(configuration) - {"iceberg"}
    rest = {key: text for key, text in configuration.items() if key != UNIVERSAL_FORMATS.name}
    return {**rest, UNIVERSAL_FORMATS.name: ",".join(sorted(left))} if left else rest


def gives_nested_ids(configuration: Mapping[str, str]) -> bool:
    """Whether array elements and map keys and values have field ids; V1 has no such types."""
    return any(key != ICEBERG_COMPAT_V1.name for key in compat_keys(configuration))


def compat_tags(configuration: Mapping[str, str]) -> dict[str, str | None]:
    """Tags of a new data file: the Iceberg compatibility version that it was written for."""
    keys = compat_keys(configuration)
    return {COMPAT_TAG: keys[0][-1]} if keys else {}


def with_column_mapping(configuration: Mapping[str, str]) -> dict[str, str]:
    """The properties of a new table, with column mapping by name where Iceberg needs it and no mode is set."""
    needed = bool(compat_keys(configuration)) and COLUMN_MAPPING_MODE.name not in configuration
    return {**configuration, COLUMN_MAPPING_MODE.name: "name"} if needed else dict(configuration)


def check_compatible(
    schema: StructType, configuration: Mapping[str, str], features: Collection[str], table: str
) -> None:
    """Raises IcebergVersionsError, IcebergMappingError, IcebergVectorsError, IcebergTypeError, IcebergWideningError."""
    keys = compat_keys(configuration)
    if not keys:
        return
    if len(keys) > 1:
        raise IcebergVersionsError(table, " and ".join(keys))
    version = _KEYS[keys[0]]
    mode = TableProperties(configuration)[COLUMN_MAPPING_MODE]
    if mode == "none":
        raise IcebergMappingError(table, version, mode)
    if _has_vectors(version, configuration, features):
        raise IcebergVectorsError(table, version)
    for path, kind in _types(schema):
        reason = _lacking(kind, version)
        if reason is not None:
            raise IcebergTypeError(table, version, path_text(path), type_text(kind), reason, keys[0])
    for change in unsupported_changes(schema, Widening.ICEBERG):
        old, new = type_text(change.old), type_text(change.new)
        raise IcebergWideningError(table, version, path_text(change.path), old, new)


def check_files(adds: Iterable[AddFile], configuration: Mapping[str, str], table: str) -> None:
    """Raises IcebergStatisticsError for a new file without a row count, IcebergVectorsError for one with a vector."""
    for key in compat_keys(configuration)[:1]:
        for add in adds:
            if add.stats is None or '"numRecords"' not in add.stats:
                raise IcebergStatisticsError(add.path, table, _KEYS[key])
            if add.deletion_vector is not None and _KEYS[key] != "icebergCompatV3":
                raise IcebergVectorsError(table, _KEYS[key])


def check_replacement(old: tuple[str, ...], new: tuple[str, ...], configuration: Mapping[str, str], table: str) -> None:
    """Raises IcebergPartitionsError for a table that is replaced by one with other partition columns."""
    for key in compat_keys(configuration)[:1]:
        if old and new and old != new:
            raise IcebergPartitionsError(table, _KEYS[key], ", ".join(old), ", ".join(new))


def version_of(key: str) -> str:
    """The table feature that an Iceberg compatibility property switches on."""
    return _KEYS[key]


def _has_vectors(version: str, configuration: Mapping[str, str], features: Collection[str]) -> bool:
    """Whether the table breaks the rule on deletion vectors: V1 forbids the feature, V2 new vectors."""
    if version == "icebergCompatV1" and "deletionVectors" in features:
        return True
    return version != "icebergCompatV3" and TableProperties(configuration).switches_on(DELETION_VECTORS)


def _types(schema: StructType) -> Iterable[tuple[tuple[str, ...], DataType]]:
    for path, field in walk(schema):
        yield path, field.type


def _lacking(kind: DataType, version: str) -> str | None:
    """The reason why a column cannot have this type; None if it can."""
    match kind:
        case ArrayType() | MapType() if version == "icebergCompatV1":
            return "this version has no arrays and maps"
        case PrimitiveType(name) if name in _LACKING:
            return "Iceberg has no such type"
        case _:
            return None
