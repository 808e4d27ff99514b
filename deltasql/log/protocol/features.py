"""The table features of Delta, the properties that enable them, and their support in deltasql.

Source: Delta protocol, Valid Feature Names in Table Features. To change the support of a feature, change `FEATURES`;
the properties that enable one are in the property registry.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache

from deltasql.base.errors.statements.features import UnknownFeaturesError
from deltasql.base.errors.suggestion import meant, similar_names
from deltasql.log.properties.property_registry import switches
from deltasql.log.properties.table_properties import TableProperties
from deltasql.schema.checks import INVARIANTS
from deltasql.schema.types import (
    ArrayType,
    DataType,
    MapType,
    PrimitiveType,
    StructField,
    StructType,
    collation_of,
)


class Support(Enum):
    """Whether reading, or writing, respects a feature: always, never, or where that is safe."""

    YES = "yes"
    PUBLISHED = "published"
    """Through the catalog that manages the table; without it only versions are read that are asked for by number."""
    INACTIVE = "inactive"
    """Only while no property and no column metadata uses it, so that there is nothing to respect."""
    NO = "no"


@dataclass(frozen=True, slots=True)
class TableFeature:
    """One table feature.

    `min_reader` is 1 for a writer-only feature. `min_writer` < 7 marks a legacy feature, which those versions imply.
    `manual` features are not switched on by the schema of an existing table. A `benign` feature does not fail
    concurrent writers when a commit adds it.
    """

    name: str
    min_reader: int
    min_writer: int
    read: Support
    write: Support
    requires: tuple[str, ...] = ()
    manual: bool = False
    benign: bool = False
    removable: bool = False

    @property
    def legacy(self) -> bool:
        return self.min_writer < 7

    @property
    def reader_writer(self) -> bool:
        return self.min_reader > 1


CATALOG_MANAGED = "catalogManaged"
YES, INACTIVE, PUBLISHED, NO = Support.YES, Support.INACTIVE, Support.PUBLISHED, Support.NO


def _writer(
    name: str, write: Support, requires: tuple[str, ...] = (), *, version: int = 7, **marks: bool
) -> TableFeature:
    # A writer-only feature says nothing to readers.
    return TableFeature(name, 1, version, YES, write, requires, **marks)


def _both(
    name: str,
    read: Support,
    write: Support,
    requires: tuple[str, ...] = (),
    *,
    reader: int = 3,
    version: int = 7,
    **marks: bool,
) -> TableFeature:
    return TableFeature(name, reader, version, read, write, requires, **marks)


_ALL = (
    _writer("appendOnly", YES, version=2, benign=True),
    _writer("invariants", YES, version=2),
    _writer("checkConstraints", YES, version=3, removable=True),
    _writer("changeDataFeed", YES, version=4, benign=True),
    _writer("generatedColumns", YES, version=4),
    _both("columnMapping", YES, YES, reader=2, version=5, benign=True, removable=True),
    _writer("identityColumns", YES, version=6),
    _both("timestampNtz", YES, YES, manual=True, benign=True),
    # Vectors and v2 checkpoints may stay in a table after their property was switched off.
    _both("deletionVectors", YES, YES, benign=True, removable=True),
    _both("v2Checkpoint", YES, YES, benign=True, removable=True),
    _both("typeWidening", YES, YES, benign=True, removable=True),
    _both("typeWidening-preview", YES, YES, manual=True, benign=True, removable=True),
    _both("variantType", YES, YES),
    _both("variantType-preview", YES, YES),
    _both("variantShredding", YES, YES, ("variantType",)),
    _both("variantShredding-preview", YES, YES, ("variantType",)),
    _both("geospatial", NO, NO, removable=True),
    _both("vacuumProtocolCheck", YES, YES, benign=True, removable=True),
    _both(
        CATALOG_MANAGED, PUBLISHED, PUBLISHED, ("inCommitTimestamp", "vacuumProtocolCheck"), manual=True, removable=True
    ),
    _both(
        "catalogOwned-preview", PUBLISHED, NO, ("inCommitTimestamp", "vacuumProtocolCheck"), manual=True, benign=True
    ),
    _both("redirectReaderWriter-preview", NO, NO, removable=True),
    _writer("domainMetadata", YES, benign=True, removable=True),
    _writer("rowTracking", YES, ("domainMetadata",), benign=True, removable=True),
    _writer("clustering", YES, ("domainMetadata",)),
    _writer("allowColumnDefaults", YES, manual=True),
    _writer("icebergCompatV1", YES, ("columnMapping",), benign=True),
    _writer("icebergCompatV2", YES, ("columnMapping",), benign=True),
    _writer("icebergCompatV3", INACTIVE, ("columnMapping", "rowTracking"), benign=True),
    _writer("icebergWriterCompatV1", NO, ("icebergCompatV2",)),
    _writer("icebergWriterCompatV3", NO, ("icebergCompatV3",)),
    _writer("inCommitTimestamp", YES, benign=True, removable=True),
    _writer("coordinatedCommits-preview", NO, ("inCommitTimestamp", "vacuumProtocolCheck"), removable=True),
    _writer("checkpointProtection", YES, removable=True),
    _writer("materializePartitionColumns", YES, removable=True),
    _writer("collations", YES, ("domainMetadata",), removable=True),
    _writer("collations-preview", YES, ("domainMetadata",), removable=True),
    _writer("redirectWriterOnly-preview", NO, removable=True),
)

FEATURES: Mapping[str, TableFeature] = {feature.name: feature for feature in _ALL}
MANAGED = frozenset(feature.name for feature in _ALL if feature.read is PUBLISHED)
"""Features of tables whose newest version only a catalog knows."""

_COLUMN_METADATA = {
    INVARIANTS: "invariants",
    "delta.generationExpression": "generatedColumns",
    "delta.identity.start": "identityColumns",
    "CURRENT_DEFAULT": "allowColumnDefaults",
    "delta.typeChanges": "typeWidening",
}
_TYPES = {"timestamp_ntz": "timestampNtz", "variant": "variantType"}
_PREVIEWS = {
    "typeWidening": "typeWidening-preview",
    "variantType": "variantType-preview",
    "variantShredding": "variantShredding-preview",
    "collations": "collations-preview",
}
"""Features that came out under a second name: a table that has the first one does not need the final one."""


def find_feature(name: str) -> TableFeature:
    """The feature called `name`, whatever its case. Raises UnknownFeaturesError."""
    folded = name.lower()
    for feature in _ALL:
        if feature.name.lower() == folded:
            return feature
    close = similar_names(name, (feature.name for feature in _ALL))
    if close:
        raise UnknownFeaturesError([name], meant(close))
    writable = ", ".join(sorted(feature.name for feature in _ALL if feature.write in {YES, PUBLISHED}))
    raise UnknownFeaturesError([name], f"deltasql can write: {writable}.")


def with_required(names: Iterable[str]) -> frozenset[str]:
    """`names` and the features that they require, directly or not. Unknown names stay unchanged."""
    required: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in required:
            required.add(name)
            waiting.extend(FEATURES[name].requires if name in FEATURES else ())
    return frozenset(required)


def without_previewed(names: Iterable[str], supported: Collection[str]) -> frozenset[str]:
    """`names` without the final features whose preview is in `supported`."""
    return frozenset(name for name in names if _PREVIEWS.get(name) not in supported)


def final_feature(name: str) -> str:
    """The feature that `name` is the preview of; `name` itself for any other."""
    return next((final for final, preview in _PREVIEWS.items() if preview == name), name)


@cache
def implied_features(reader: int, writer: int) -> frozenset[str]:
    """The legacy features that protocol versions imply without listing them; none for writer version 7."""
    if writer >= 7:
        return frozenset()
    return frozenset(f.name for f in _ALL if f.legacy and f.min_reader <= reader and f.min_writer <= writer)


def requested_features(schema: StructType, configuration: Mapping[str, str]) -> frozenset[str]:
    """The features that table metadata uses: by properties, by constraints, by column types and column metadata.

    Features that they require are not added; see `with_required`.
    """
    return frozenset(_from_properties(configuration)) | frozenset(_from_type(schema))


def has_variants(schema: StructType) -> bool:
    """Whether a column is a VARIANT, or has one inside."""
    return "variantType" in _from_type(schema)


def active_features(supported: Collection[str], schema: StructType, configuration: Mapping[str, str]) -> frozenset[str]:
    """The features of a protocol (`Protocol.features`) that its table's metadata really uses."""
    return requested_features(schema, configuration) & frozenset(supported)


def _from_properties(configuration: Mapping[str, str]) -> Iterator[str]:
    properties = TableProperties(configuration)
    yield from (item.feature for item in switches() if item.feature is not None and properties.switches_on(item))
    if properties.constraints:
        yield "checkConstraints"


def _from_type(data_type: DataType) -> Iterator[str]:
    match data_type:
        case StructType(fields):
            for field in fields:
                yield from _from_field(field)
        case ArrayType(element):
            yield from _from_type(element)
        case MapType(key, value):
            yield from _from_type(key)
            yield from _from_type(value)
        case PrimitiveType(name) if name in _TYPES:
            yield _TYPES[name]
        case PrimitiveType() if collation_of(data_type) is not None:
            yield "collations"


def _from_field(field: StructField) -> Iterator[str]:
    if not field.nullable:
        yield "invariants"
    yield from (feature for key, feature in _COLUMN_METADATA.items() if key in field.metadata)
    yield from _from_type(field.type)
