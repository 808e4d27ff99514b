"""Table features: the registry, and what metadata uses."""

from __future__ import annotations

import pytest

from deltasql.base.errors import UnknownFeaturesError
from deltasql.log.protocol import (
    FEATURES,
    Support,
    active_features,
    find_feature,
    implied_features,
    requested_features,
    with_required,
    without_previewed,
)
from deltasql.schema.types import (
    LONG,
    TIMESTAMP_NTZ,
    VARIANT,
    ArrayType,
    MapType,
    StructField,
    StructType,
)

PLAIN = StructType((StructField("a", LONG),))


def test_the_registry_is_consistent() -> None:
    for name, feature in FEATURES.items():
        assert feature.name == name
        assert set(feature.requires) <= set(FEATURES)
        assert feature.reader_writer or feature.read is Support.YES


def test_what_can_be_written() -> None:
    writable = {name for name, feature in FEATURES.items() if feature.write is Support.YES}
    assert writable == {
        "allowColumnDefaults",
        "appendOnly",
        "changeDataFeed",
        "checkConstraints",
        "checkpointProtection",
        "clustering",
        "collations",
        "collations-preview",
        "columnMapping",
        "deletionVectors",
        "domainMetadata",
        "generatedColumns",
        "geospatial",
        "identityColumns",
        "icebergCompatV1",
        "icebergCompatV2",
        "inCommitTimestamp",
        "invariants",
        "materializePartitionColumns",
        "rowTracking",
        "timestampNtz",
        "typeWidening",
        "typeWidening-preview",
        "v2Checkpoint",
        "variantShredding",
        "variantShredding-preview",
        "variantType",
        "variantType-preview",
        "vacuumProtocolCheck",
    }


def test_legacy_features_by_version() -> None:
    assert implied_features(1, 1) == frozenset()
    assert implied_features(1, 3) - implied_features(1, 2) == {"checkConstraints"}
    assert implied_features(2, 5) - implied_features(1, 4) == {"columnMapping"}
    assert implied_features(1, 6) - implied_features(1, 5) == {"identityColumns"}
    assert implied_features(3, 7) == frozenset()


def test_find() -> None:
    assert find_feature("DELETIONvectors").name == "deletionVectors"
    with pytest.raises(UnknownFeaturesError) as caught:
        find_feature("deletionVector")
    assert "Did you mean deletionVectors?" in caught.value.message
    with pytest.raises(UnknownFeaturesError) as caught:
        find_feature("zzz")
    assert caught.value.condition == "DELTA_UNSUPPORTED_FEATURES_IN_CONFIG"
    assert "timestampNtz" in caught.value.message


def test_a_preview_stands_for_the_feature() -> None:
    assert without_previewed({"typeWidening", "appendOnly"}, {"typeWidening-preview"}) == {"appendOnly"}
    assert without_previewed({"typeWidening", "variantType"}, {"appendOnly"}) == {"typeWidening", "variantType"}


def test_requirements_are_followed_to_the_end() -> None:
    assert with_required(["icebergCompatV3"]) == {"icebergCompatV3", "columnMapping", "rowTracking", "domainMetadata"}
    assert with_required(["notInventedYet"]) == {"notInventedYet"}


@pytest.mark.parametrize(
    ("key", "value", "feature"),
    [
        ("delta.appendOnly", "true", "appendOnly"),
        ("delta.enableChangeDataFeed", "True", "changeDataFeed"),
        ("delta.enableDeletionVectors", "true", "deletionVectors"),
        ("delta.enableTypeWidening", "true", "typeWidening"),
        ("delta.enableRowTracking", "true", "rowTracking"),
        ("delta.enableInCommitTimestamps", "true", "inCommitTimestamp"),
        ("delta.columnMapping.mode", "id", "columnMapping"),
        ("delta.checkpointPolicy", "v2", "v2Checkpoint"),
        ("delta.constraints.positive", "a > 0", "checkConstraints"),
        ("delta.coordinatedCommits.commitCoordinator-preview", "c", "coordinatedCommits-preview"),
        ("delta.redirectWriterOnly-preview", "{}", "redirectWriterOnly-preview"),
    ],
)
def test_properties_switch_features_on(key: str, value: str, feature: str) -> None:
    assert requested_features(PLAIN, {key: value}) == {feature}


def test_properties_that_switch_nothing_on() -> None:
    off = {"delta.appendOnly": "false", "delta.columnMapping.mode": "none", "delta.checkpointPolicy": "classic"}
    assert requested_features(PLAIN, off) == frozenset()


def test_columns_switch_features_on_at_every_depth() -> None:
    inner = StructType((StructField("t", TIMESTAMP_NTZ), StructField("r", LONG, False)))
    schema = StructType((StructField("m", MapType(LONG, ArrayType(inner))), StructField("v", ArrayType(VARIANT))))
    assert requested_features(schema, {}) == {"timestampNtz", "invariants", "variantType"}
    keys = {
        "delta.generationExpression": "generatedColumns",
        "delta.identity.start": "identityColumns",
        "CURRENT_DEFAULT": "allowColumnDefaults",
        "delta.invariants": "invariants",
        "delta.typeChanges": "typeWidening",
    }
    for key, feature in keys.items():
        assert requested_features(StructType((StructField("a", LONG, True, {key: 1}),)), {}) == {feature}


def test_active_means_supported_and_used() -> None:
    configuration = {"delta.appendOnly": "true", "delta.enableRowTracking": "true"}
    assert active_features({"appendOnly", "invariants"}, PLAIN, configuration) == {"appendOnly"}
