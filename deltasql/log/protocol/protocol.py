"""The protocol of a table: which versions and table features a client must know to read or write it.

Source: Delta protocol, Protocol Evolution and Table Features.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from deltasql.base.errors.statements.features import InvalidProtocolVersionError, ReadFeaturesNeedWriterVersionError
from deltasql.log.protocol.features import (
    CATALOG_MANAGED,
    FEATURES,
    active_features,
    implied_features,
    with_required,
)
from deltasql.schema.types import StructType

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
            raise InvalidProtocolVersionError("The table", new_reader, new_writer)
        if new_reader == MAX_READER_VERSION and new_writer < MAX_WRITER_VERSION:
            raise ReadFeaturesNeedWriterVersionError(new_reader, new_writer)
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
