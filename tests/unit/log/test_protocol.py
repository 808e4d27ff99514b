"""Protocols: forms, upgrades, and what deltasql refuses."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from deltasql.base.errors import UnsupportedReadFeaturesError, UnsupportedTypeChangeError, UnsupportedWriteFeaturesError
from deltasql.base.errors.base import DeltaSqlError
from deltasql.log.configuration.properties import check_readable, check_writable
from deltasql.log.protocol import Protocol
from deltasql.schema.types import LONG, STRING, VARIANT, ArrayType, StructField, StructType

PLAIN = StructType((StructField("a", LONG),))
GENERATED = StructType((StructField("a", LONG, True, {"delta.generationExpression": "1"}),))
REDIRECTION = "redirectReaderWriter-preview"


def listed(reader: int, *features: str, readers: tuple[str, ...] = ()) -> Protocol:
    return Protocol(reader, 7, frozenset(readers), frozenset(features))


def test_json_has_lists_only_at_their_versions() -> None:
    assert Protocol(1, 2, frozenset({"x"}), frozenset({"y"})).to_json() == {
        "minReaderVersion": 1,
        "minWriterVersion": 2,
    }
    assert Protocol(3, 7).to_json() == {
        "minReaderVersion": 3,
        "minWriterVersion": 7,
        "readerFeatures": [],
        "writerFeatures": [],
    }
    assert listed(1, "b", "a").to_json() == {"minReaderVersion": 1, "minWriterVersion": 7, "writerFeatures": ["a", "b"]}


@pytest.mark.parametrize("protocol", [Protocol(1, 2), listed(2, "columnMapping"), listed(3, "x", "y", readers=("x",))])
def test_json_comes_back(protocol: Protocol) -> None:
    assert Protocol.from_json(protocol.to_json()) == protocol


@pytest.mark.parametrize(
    ("protocol", "features"),
    [
        (Protocol(1, 1), set()),
        (Protocol(1, 2), {"appendOnly", "invariants"}),
        (Protocol(1, 3), {"appendOnly", "invariants", "checkConstraints"}),
        (Protocol(1, 4), {"appendOnly", "invariants", "checkConstraints", "changeDataFeed", "generatedColumns"}),
        (listed(1, "rowTracking"), {"rowTracking"}),
        (listed(3, "deletionVectors", "x", readers=("deletionVectors",)), {"deletionVectors", "x"}),
    ],
)
def test_features_are_implied_or_listed(protocol: Protocol, features: set[str]) -> None:
    assert protocol.features == features


def test_columns_are_mapped_from_reader_2_and_writer_5() -> None:
    assert "columnMapping" in Protocol(2, 5).features
    assert "columnMapping" not in Protocol(1, 5).features
    assert "identityColumns" in Protocol(1, 6).features


@pytest.mark.parametrize(
    ("before", "added", "after"),
    [
        (Protocol(1, 2), ["appendOnly"], Protocol(1, 2)),
        (Protocol(1, 2), ["checkConstraints"], Protocol(1, 3)),
        (Protocol(1, 3), ["changeDataFeed", "generatedColumns"], Protocol(1, 4)),
        (Protocol(1, 2), ["changeDataFeed"], listed(1, "appendOnly", "invariants", "changeDataFeed")),
        (Protocol(1, 4), ["columnMapping"], Protocol(2, 5)),
        (Protocol(1, 2), ["columnMapping"], listed(2, "appendOnly", "invariants", "columnMapping")),
        (Protocol(1, 1), ["domainMetadata"], listed(1, "domainMetadata")),
        (Protocol(1, 2), ["rowTracking"], listed(1, "appendOnly", "invariants", "rowTracking", "domainMetadata")),
        (
            Protocol(1, 2),
            ["timestampNtz"],
            listed(3, "appendOnly", "invariants", "timestampNtz", readers=("timestampNtz",)),
        ),
        (listed(1, "domainMetadata"), ["columnMapping"], listed(2, "domainMetadata", "columnMapping")),
        (
            listed(2, "columnMapping"),
            ["timestampNtz"],
            listed(3, "columnMapping", "timestampNtz", readers=("columnMapping", "timestampNtz")),
        ),
        (listed(1, "appendOnly", "invariants"), ["checkConstraints"], Protocol(1, 3)),
    ],
)
def test_features_are_added_in_the_weakest_form(before: Protocol, added: list[str], after: Protocol) -> None:
    assert before.with_features(added) == after


def test_unknown_features_stay_where_they_are_listed() -> None:
    foreign = listed(3, "new", "newWriter", readers=("new",)).with_features(["domainMetadata"])
    assert foreign == listed(3, "new", "newWriter", "domainMetadata", readers=("new",))


@pytest.mark.parametrize(
    ("protocol", "normal"),
    [
        (listed(3, "rowTracking"), listed(1, "rowTracking")),
        (listed(1, "appendOnly", "invariants", "checkConstraints"), Protocol(1, 3)),
        (listed(1, "appendOnly"), listed(1, "appendOnly")),
        (Protocol(2, 5).denormalized(), Protocol(2, 5)),
        (Protocol(1, 3), Protocol(1, 3)),
    ],
)
def test_the_weakest_form(protocol: Protocol, normal: Protocol) -> None:
    assert protocol.normalized() == normal


def test_without() -> None:
    upgraded = Protocol(2, 5).with_features(["domainMetadata"])
    assert upgraded.without("domainMetadata") == Protocol(2, 5)
    assert Protocol(1, 3).without("checkConstraints") == Protocol(1, 2)


def test_merge() -> None:
    assert Protocol(1, 2).merge(Protocol(1, 4)) == Protocol(1, 4)
    assert Protocol(2, 3).merge(Protocol(1, 1)) == Protocol(1, 3)
    merged = Protocol(1, 3).merge(listed(3, "timestampNtz", readers=("timestampNtz",)))
    assert merged.features == {"appendOnly", "invariants", "checkConstraints", "timestampNtz"}
    assert merged.min_reader_version == 3


def test_versions_only_rise() -> None:
    assert Protocol(1, 4).with_versions(1, 2) == Protocol(1, 4)
    assert Protocol(1, 2).with_versions(2, 5) == Protocol(2, 5)
    assert Protocol(1, 2).with_versions(None, None) == Protocol(1, 2)
    assert Protocol(1, 2).with_versions(3, 7) == listed(3, "appendOnly", "invariants")
    assert Protocol(2, 5).with_versions(3, 7).reader_features == frozenset({"columnMapping"})


@pytest.mark.parametrize(
    ("versions", "condition"),
    [
        ((4, 7), "DELTA_INVALID_PROTOCOL_VERSION"),
        ((1, 8), "DELTA_INVALID_PROTOCOL_VERSION"),
        ((3, 5), "DELTA_READ_FEATURE_PROTOCOL_REQUIRES_WRITE"),
    ],
)
def test_versions_that_do_not_exist(versions: tuple[int, int], condition: str) -> None:
    with pytest.raises(DeltaSqlError) as caught:
        Protocol(1, 2).with_versions(*versions)
    assert caught.value.condition == condition


@pytest.mark.parametrize(
    "protocol",
    [
        Protocol(1, 2),
        Protocol(1, 7),
        listed(1, "clustering", "rowTracking", "notInventedYet"),
        listed(3, "timestampNtz", "vacuumProtocolCheck", readers=("timestampNtz", "vacuumProtocolCheck")),
    ],
)
def test_what_can_be_read(protocol: Protocol) -> None:
    check_readable(protocol, "main.t")


@pytest.mark.parametrize(
    ("protocol", "features"),
    [
        (listed(3, REDIRECTION, readers=(REDIRECTION,)), [REDIRECTION]),
        (listed(3, "new", "other", readers=("new", "other")), ["new", "other"]),
    ],
)
def test_what_cannot_be_read_is_named(protocol: Protocol, features: list[str]) -> None:
    with pytest.raises(UnsupportedReadFeaturesError) as caught:
        check_readable(protocol, "main.t")
    assert caught.value.features == features
    assert "main.t" in caught.value.message


def test_a_type_change_that_no_reader_knows() -> None:
    changes = [{"fromType": "integer", "toType": "string", "fieldPath": "element"}]
    schema = StructType((StructField("a", ArrayType(STRING), metadata={"delta.typeChanges": changes}),))
    check_readable(listed(3, "timestampNtz", readers=("timestampNtz",)), "main.t", schema, {})
    for feature in ("typeWidening", "typeWidening-preview"):
        with pytest.raises(UnsupportedTypeChangeError) as caught:
            check_readable(listed(3, feature, readers=(feature,)), "main.t", schema, {})
        assert caught.value.condition == "DELTA_UNSUPPORTED_TYPE_CHANGE_IN_SCHEMA"
        assert "a.element was changed from int to string" in caught.value.message


@pytest.mark.parametrize(("reader", "writer"), [(4, 7), (0, 2)])
def test_foreign_reader_versions(reader: int, writer: int) -> None:
    with pytest.raises(DeltaSqlError) as caught:
        check_readable(Protocol(reader, writer), "main.t")
    assert caught.value.condition == "DELTA_INVALID_PROTOCOL_VERSION"


def test_reader_version_3_without_writer_version_7() -> None:
    with pytest.raises(DeltaSqlError) as caught:
        check_readable(Protocol(3, 5), "main.t")
    assert caught.value.condition == "DELTA_READ_FEATURE_PROTOCOL_REQUIRES_WRITE"


def test_a_foreign_writer_version_can_still_be_read() -> None:
    check_readable(Protocol(1, 8), "main.t")
    with pytest.raises(DeltaSqlError) as caught:
        check_writable(Protocol(1, 8), "main.t")
    assert caught.value.condition == "DELTA_INVALID_PROTOCOL_VERSION"


def test_column_mapping_is_read_and_written() -> None:
    for configuration in ({}, {"delta.columnMapping.mode": "name"}, {"delta.columnMapping.mode": "id"}):
        check_writable(Protocol(2, 5), "main.t", PLAIN, configuration)


def test_a_type_is_refused_once_there_are_columns_of_it(weakened: Callable[..., None]) -> None:
    weakened("variantType")
    protocol = listed(3, "variantType", readers=("variantType",))
    check_writable(protocol, "main.t", PLAIN, {})
    with pytest.raises(UnsupportedWriteFeaturesError):
        check_writable(protocol, "main.t", StructType((StructField("v", VARIANT),)), {})


def test_what_legacy_versions_imply_counts_once_it_is_used(weakened: Callable[..., None]) -> None:
    weakened("changeDataFeed", "generatedColumns")
    check_writable(Protocol(1, 4), "main.t", PLAIN, {})
    for schema, configuration, feature in (
        (PLAIN, {"delta.enableChangeDataFeed": "TRUE"}, "changeDataFeed"),
        (GENERATED, {}, "generatedColumns"),
    ):
        with pytest.raises(UnsupportedWriteFeaturesError) as caught:
            check_writable(Protocol(1, 4), "main.t", schema, configuration)
        assert caught.value.features == [feature]


def test_a_listed_feature_must_be_respected_used_or_not() -> None:
    for feature in ("icebergWriterCompatV3", "redirectWriterOnly-preview", "notInventedYet"):
        with pytest.raises(UnsupportedWriteFeaturesError) as caught:
            check_writable(listed(1, "appendOnly", feature), "main.t", PLAIN, {})
        assert caught.value.features == [feature]


def test_without_metadata_every_feature_counts_as_used(weakened: Callable[..., None]) -> None:
    weakened("changeDataFeed", "generatedColumns")
    check_writable(Protocol(1, 3), "main.t")
    with pytest.raises(UnsupportedWriteFeaturesError) as caught:
        check_writable(Protocol(1, 4), "main.t")
    assert caught.value.features == ["changeDataFeed", "generatedColumns"]


def test_what_is_used() -> None:
    used = Protocol(1, 4).active(StructType((StructField("a", STRING, False),)), {"delta.constraints.c": "a > ''"})
    assert used == {"invariants", "checkConstraints"}
