"""The protocol of a table, and the table features of Delta with their properties and their support in deltasql.

A protocol says which versions and table features a client must know to read or write a table. Source: Delta protocol,
Protocol Evolution and Table Features; Valid Feature Names in Table Features.

To change the support of a feature, change `FEATURES`; the properties that enable one are in `table_properties`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache
from typing import Any

from deltasql.base import errors, meant, similar_names
from deltasql.log.table_properties import TableProperties, switches
from deltasql.schema import (
    INVARIANTS,
    ArrayType,
    DataType,
    MapType,
    PrimitiveType,
    StructField,
    StructType,
    collation_of,
    is_shape,
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
    _both("geospatial", YES, YES, removable=True),
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
        raise errors.UnknownFeaturesError([name], meant(close))
    writable = ", ".join(sorted(feature.name for feature in _ALL if feature.write in {YES, PUBLISHED}))
    raise errors.UnknownFeaturesError([name], f"deltasql can write: {writable}.")


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
        case PrimitiveType() if is_shape(data_type):
            yield "geospatial"
        case PrimitiveType() if collation_of(data_type) is not None:
            yield "collations"


def _from_field(field: StructField) -> Iterator[str]:
    if not field.nullable:
        yield "invariants"
    yield from (feature for key, feature in _COLUMN_METADATA.items() if key in field.metadata)
    yield from _from_type(field.type)


MAX_READER_VERSION = 3
MAX_WRITER_VERSION = 7


@dataclass(frozen=True, slots=True)
class Protocol:
    """A protocol action.

    Feature lists exist only at reader version 3 and writer version 7: there None becomes the empty set, and at lower
    versions a list is dropped, because those versions imply their features.
    """

    min_reader_version: int
    min_writer_version: int
    reader_features: frozenset[str] | None = None
    writer_features: frozenset[str] | None = None

    def __post_init__(self) -> None:
        listed = self.min_reader_version >= MAX_READER_VERSION
        object.__setattr__(self, "reader_features", frozenset(self.reader_features or ()) if listed else None)
        listed = self.min_writer_version >= MAX_WRITER_VERSION
        object.__setattr__(self, "writer_features", frozenset(self.writer_features or ()) if listed else None)

    @classmethod
    def from_json(cls, action: Mapping[str, Any]) -> Protocol:
        """The protocol in the body of a `protocol` action."""
        reader, writer = action.get("readerFeatures"), action.get("writerFeatures")
        return cls(
            action["minReaderVersion"],
            action["minWriterVersion"],
            None if reader is None else frozenset(reader),
            None if writer is None else frozenset(writer),
        )

    def to_json(self) -> dict[str, Any]:
        """The body of a `protocol` action; the lists are sorted and stand only where the versions allow them."""
        action: dict[str, Any] = {
            "minReaderVersion": self.min_reader_version,
            "minWriterVersion": self.min_writer_version,
        }
        if self.reader_features is not None:
            action["readerFeatures"] = sorted(self.reader_features)
        if self.writer_features is not None:
            action["writerFeatures"] = sorted(self.writer_features)
        return action

    @property
    def explicit_features(self) -> frozenset[str]:
        """The features that the lists name."""
        return (self.reader_features or frozenset()) | (self.writer_features or frozenset())

    @property
    def features(self) -> frozenset[str]:
        """Every feature that the table supports: the listed ones and those that legacy versions imply."""
        return self.explicit_features | implied_features(self.min_reader_version, self.min_writer_version)

    def active(self, schema: StructType, configuration: Mapping[str, str]) -> frozenset[str]:
        """The supported features that the metadata really uses."""
        return active_features(self.features, schema, configuration)

    def with_features(self, names: Iterable[str]) -> Protocol:
        """The protocol with `names` and the features that they require, in the weakest form that holds them all.

        Versions alone where they imply exactly these features; else lists, in which the features that were implied so
        far are named. Names must be canonical.
        """
        new = with_required(names) - self.features
        if not new:
            return self
        return _listed(self.denormalized(), new).normalized()

    def with_versions(self, reader: int | None, writer: int | None) -> Protocol:
        """The protocol with its versions raised to `reader` and `writer`; lower ones are ignored, as Delta does.

        Raises InvalidProtocolVersionError for versions that do not exist, ReadFeaturesNeedWriterVersionError for
        reader version 3 with a writer version below 7.
        """
        new_reader = max(reader or 1, self.min_reader_version)
        new_writer = max(writer or 1, self.min_writer_version)
        if (new_reader, new_writer) == (self.min_reader_version, self.min_writer_version):
            return self
        if not (1 <= new_reader <= MAX_READER_VERSION and 1 <= new_writer <= MAX_WRITER_VERSION):
            raise errors.InvalidProtocolVersionError("The table", new_reader, new_writer)
        if new_reader == MAX_READER_VERSION and new_writer < MAX_WRITER_VERSION:
            raise errors.ReadFeaturesNeedWriterVersionError(new_reader, new_writer)
        if new_writer < MAX_WRITER_VERSION:
            return Protocol(new_reader, new_writer)
        base = self.denormalized()
        return _listed(replace(base, min_reader_version=max(new_reader, base.min_reader_version)), base.features)

    def without(self, name: str) -> Protocol:
        """The protocol without the feature `name`, in its weakest form."""
        base = self.denormalized()
        return Protocol(
            base.min_reader_version,
            base.min_writer_version,
            (base.reader_features or frozenset()) - {name},
            (base.writer_features or frozenset()) - {name},
        ).normalized()

    def unmanaged(self) -> Protocol:
        """The protocol of a copy of the table, which the catalog of the original does not manage."""
        return self.without(CATALOG_MANAGED) if CATALOG_MANAGED in self.features else self

    def merge(self, other: Protocol) -> Protocol:
        """The weakest protocol that supports all that both support."""
        if max(self.min_writer_version, other.min_writer_version) < MAX_WRITER_VERSION:
            merged = self.with_versions(other.min_reader_version, other.min_writer_version)
            return merged.denormalized().normalized()
        mine, theirs = self.denormalized(), other.denormalized()
        return Protocol(
            max(mine.min_reader_version, theirs.min_reader_version),
            MAX_WRITER_VERSION,
            (mine.reader_features or frozenset()) | (theirs.reader_features or frozenset()),
            (mine.writer_features or frozenset()) | (theirs.writer_features or frozenset()),
        ).normalized()

    def denormalized(self) -> Protocol:
        """The protocol with its features as explicit lists, at writer version 7."""
        if self.min_writer_version >= MAX_WRITER_VERSION:
            return self
        return Protocol(self.min_reader_version, MAX_WRITER_VERSION, self.reader_features, self.features)

    def normalized(self) -> Protocol:
        """The weakest form with the same features: versions alone where they imply exactly these, lists otherwise.

        A feature that deltasql does not know keeps the list that names it.
        """
        if self.min_writer_version < MAX_WRITER_VERSION:
            return self
        reader, writer = _minimum(self.features)
        if implied_features(reader, writer) == self.features:
            return Protocol(reader, writer)
        foreign = any(name not in FEATURES for name in self.reader_features or ())
        weakest = replace(self, min_reader_version=MAX_READER_VERSION if foreign else reader)
        return _listed(weakest, self.features)


def _minimum(features: Iterable[str]) -> tuple[int, int]:
    """The lowest versions that can hold known `features`; (1, 1) for none."""
    supported = [FEATURES[name] for name in features if name in FEATURES]
    foreign = any(name not in FEATURES for name in features)
    reader = max((feature.min_reader for feature in supported), default=1)
    return reader, MAX_WRITER_VERSION if foreign else max((feature.min_writer for feature in supported), default=1)


def _listed(base: Protocol, features: Iterable[str]) -> Protocol:
    """`base`, at writer version 7, with `features` in each list where they belong."""
    writer = (base.writer_features or frozenset()) | frozenset(features)
    reader = {name for name in writer if name in FEATURES and FEATURES[name].reader_writer}
    version = max(base.min_reader_version, _minimum(writer)[0])
    return Protocol(version, MAX_WRITER_VERSION, (base.reader_features or frozenset()) | reader, writer)
