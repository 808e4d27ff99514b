"""Table properties: TBLPROPERTIES lists, the protocol they need, values read."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from deltasql.base.errors import ManualFeaturesError, UnsupportedWriteFeaturesError
from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.registry.entries import byte_size, column_paths, interval_ms
from deltasql.log import table_properties as registry
from deltasql.log.configuration import properties
from deltasql.log.configuration.properties import ParsedProperties, parse_properties, protocol_for
from deltasql.log.protocol import FEATURES, Protocol
from deltasql.log.table_properties import PROPERTIES, OnDrop, OnReplace, Property, TableProperties
from deltasql.schema.types import LONG, TIMESTAMP_NTZ, StructField, StructType

PLAIN = StructType((StructField("a", LONG),))
LOCAL_TIMES = StructType((StructField("t", TIMESTAMP_NTZ),))
DAY = 86_400_000


def refused(key: str, value: str, on_create: bool = False) -> DeltaSqlError:
    with pytest.raises(DeltaSqlError) as caught:
        parse_properties([(key, value)], on_create=on_create)
    return caught.value


def illegal(key: str, value: str) -> bool:
    """Whether a value is refused; that the refusal names it is part of the answer."""
    error = refused(key, value)
    return error.condition == "INVALID_PROPERTY_VALUE" and f"'{value}'" in error.message


def test_every_default_is_legal() -> None:
    for key, item in PROPERTIES.items():
        assert item.name == key
        assert item.default is None or item.value(None) is not None


def test_every_property_of_a_feature_names_one_that_there_is() -> None:
    for item in PROPERTIES.values():
        assert item.feature is None or item.feature in FEATURES
        if item.switch or item.any_text_switches or item.on_drop is not OnDrop.STAYS:
            assert item.feature is not None
        if item.on_replace is OnReplace.STAYS_WHILE_ON:
            assert item.feature in {switch.feature for switch in registry.switches()}


def test_keys_are_stored_in_their_own_spelling() -> None:
    parsed = parse_properties(
        [
            ("DELTA.APPENDONLY", "TRUE"),
            ("delta.isolationlevel", "serializable"),
            ("delta.enableChangeDataCapture", "false"),
            ("delta.universalFormat.config.SomeKey", "x"),
            ("My.Key", "v"),
            ("option.path", "p"),
        ]
    )
    assert parsed.configuration == {
        "delta.appendOnly": "TRUE",
        "delta.isolationLevel": "Serializable",
        "delta.enableChangeDataFeed": "false",
        "delta.universalformat.config.somekey": "x",
        "My.Key": "v",
        "option.path": "p",
    }


def test_the_last_value_counts() -> None:
    parsed = parse_properties([("delta.checkpointInterval", "5"), ("delta.CHECKPOINTinterval", "7")])
    assert parsed.configuration == {"delta.checkpointInterval": "7"}


def test_protocol_and_comment_are_not_stored() -> None:
    parsed = parse_properties(
        [
            ("delta.minReaderVersion", "1"),
            ("delta.minWriterVersion", "3"),
            ("delta.feature.TIMESTAMPNTZ", "supported"),
            ("delta.feature.domainMetadata", "Enabled"),
            ("delta.ignoreProtocolDefaults", "true"),
            ("Comment", "text"),
        ]
    )
    features = frozenset({"timestampNtz", "domainMetadata"})
    assert parsed == ParsedProperties({}, features, 1, 3, "text", ignore_protocol_defaults=True)


def test_unknown_keys() -> None:
    error = refused("delta.apendOnly", "true")
    assert error.condition == "DELTA_UNKNOWN_CONFIGURATION"
    assert "Did you mean delta.appendOnly?" in error.message
    assert parse_properties([("delta.new", "1")], allow_arbitrary=True).configuration == {"delta.new": "1"}


@pytest.mark.parametrize(
    ("key", "value", "condition"),
    [
        ("delta.constraints.c", "a > 0", "DELTA_ADD_CONSTRAINTS"),
        ("delta.feature.appendOnly", "on", "DELTA_UNSUPPORTED_FEATURE_STATUS"),
        ("delta.feature.appendonlyy", "supported", "DELTA_UNSUPPORTED_FEATURES_IN_CONFIG"),
        ("delta.minReaderVersion", "two", "DELTA_PROTOCOL_PROPERTY_NOT_INT"),
        ("delta.minWriterVersion", "", "DELTA_PROTOCOL_PROPERTY_NOT_INT"),
        ("delta.columnMapping.maxColumnId", "3", "DELTA_CANNOT_MODIFY_TABLE_PROPERTY"),
        ("clusteringColumns", "a", "DELTA_CANNOT_MODIFY_TABLE_PROPERTY"),
        ("provider", "parquet", "DELTA_CANNOT_CHANGE_PROVIDER"),
        ("Location", "/x", "DELTA_CANNOT_CHANGE_LOCATION"),
        ("owner", "me", "UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY"),
        ("delta.isolationLevel", "SnapshotIsolation", "DELTA_INVALID_ISOLATION_LEVEL"),
        ("delta.appendOnly", "yes", "INVALID_PROPERTY_VALUE"),
        ("delta.ignoreProtocolDefaults", "yes", "INVALID_PROPERTY_VALUE"),
        ("delta.checkpointInterval", "0", "INVALID_PROPERTY_VALUE"),
        ("delta.checkpointInterval", "ten", "INVALID_PROPERTY_VALUE"),
        ("delta.dataSkippingNumIndexedCols", "-2", "INVALID_PROPERTY_VALUE"),
        ("delta.checkpointPolicy", "v3", "INVALID_PROPERTY_VALUE"),
        ("delta.logRetentionDuration", "1 month", "INVALID_PROPERTY_VALUE"),
        ("delta.logRetentionDuration", "-1 days", "INVALID_PROPERTY_VALUE"),
        ("delta.dataSkippingStatsColumns", "a,,b", "INVALID_PROPERTY_VALUE"),
        ("delta.universalFormat.enabledFormats", "iceberg,avro", "INVALID_PROPERTY_VALUE"),
        ("delta.targetFileSize", "big", "INVALID_PROPERTY_VALUE"),
    ],
)
def test_properties_that_cannot_be_set(key: str, value: str, condition: str) -> None:
    error = refused(key, value)
    assert error.condition == condition
    assert error.message


def test_a_wrong_value_says_what_is_legal() -> None:
    error = refused("delta.columnmapping.MODE", "names")
    assert "'names'" in error.message
    assert "delta.columnMapping.mode. Legal: none, name, id" in error.message


def test_clustering_is_not_a_property() -> None:
    key = "delta.feature.clustering"
    created = refused(key, "supported", on_create=True)
    assert created.condition == "DELTA_CREATE_TABLE_SET_CLUSTERING_TABLE_FEATURE_NOT_ALLOWED"
    assert refused(key, "supported").condition == "DELTA_ALTER_TABLE_SET_CLUSTERING_TABLE_FEATURE_NOT_ALLOWED"


def test_session_defaults_give_way() -> None:
    defaults = {"appendOnly": "true", "checkpointInterval": "3", "feature.domainMetadata": "supported"}
    defaults |= {"minReaderVersion": "1", "minWriterVersion": "4"}
    parsed = parse_properties(
        [("delta.checkpointInterval", "5"), ("delta.minWriterVersion", "3")], on_create=True, defaults=defaults
    )
    assert parsed.configuration == {"delta.appendOnly": "true", "delta.checkpointInterval": "5"}
    assert (parsed.min_reader, parsed.min_writer, parsed.features) == (1, 3, frozenset({"domainMetadata"}))
    ignoring = parse_properties([("delta.ignoreProtocolDefaults", "true")], defaults=defaults)
    assert (ignoring.min_reader, ignoring.min_writer, ignoring.features) == (None, None, frozenset())
    assert ignoring.configuration["delta.appendOnly"] == "true"


def test_unset() -> None:
    configuration = {"delta.appendOnly": "true", "mine": "1"}
    assert properties.unset_properties(configuration, ["DELTA.appendonly"], if_exists=False) == {"mine": "1"}
    assert properties.unset_properties(configuration, ["Mine"], if_exists=True) == configuration
    with pytest.raises(DeltaSqlError) as caught:
        properties.unset_properties(configuration, ["Mine"], if_exists=False, table="main.t")
    assert caught.value.condition == "DELTA_UNSET_NON_EXISTENT_PROPERTY"
    assert "main.t has no property Mine" in caught.value.message


@pytest.mark.parametrize(
    ("configuration", "condition"),
    [
        ({"delta.deletedFileRetentionDuration": "60 days"}, "DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED"),
        ({"delta.logRetentionDuration": "6 days"}, "DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED"),
        (
            {"delta.enableRowTracking": "true", "delta.rowTrackingSuspended": "true"},
            "DELTA_ROW_TRACKING_ILLEGAL_PROPERTY_COMBINATION",
        ),
    ],
)
def test_properties_that_exclude_each_other(configuration: dict[str, str], condition: str) -> None:
    with pytest.raises(DeltaSqlError) as caught:
        properties.check_configuration(configuration, table="main.t")
    assert caught.value.condition == condition
    assert caught.value.message


def test_properties_that_go_together() -> None:
    properties.check_configuration({})
    properties.check_configuration({"delta.logRetentionDuration": "6 days"}, retention=False)


@pytest.mark.parametrize(
    ("entry", "text", "value"),
    [
        (registry.APPEND_ONLY, None, False),
        (registry.APPEND_ONLY, "True", True),
        (registry.ISOLATION_LEVEL, None, "WriteSerializable"),
        (registry.ISOLATION_LEVEL, "SERIALIZABLE", "Serializable"),
        (registry.CHECKPOINT_INTERVAL, None, 10),
        (registry.CHECKPOINT_POLICY, None, "classic"),
        (registry.COLUMN_MAPPING_MODE, "Name", "name"),
        (registry.INDEXED_COLUMNS, "-1", -1),
        (registry.STATS_COLUMNS, None, None),
        (registry.STATS_COLUMNS, "a,`x y`.b", (("a",), ("x y", "b"))),
        (registry.STATS_STRING_PREFIX, None, 32),
        (registry.STATS_STRING_PREFIX, "5", 5),
        (registry.DELETED_FILE_RETENTION, None, 7 * DAY),
        (registry.LOG_RETENTION, None, 30 * DAY),
        (registry.TRANSACTION_RETENTION, None, None),
        (registry.TRANSACTION_RETENTION, "1 day", DAY),
    ],
)
def test_values_read_with_their_defaults(entry: Property[object], text: str | None, value: object) -> None:
    configuration = {} if text is None else {entry.name: text}
    assert TableProperties(configuration)[entry] == value
    assert (entry in TableProperties(configuration)) == (text is not None)


def test_constraints_by_name() -> None:
    configuration = {"delta.constraints.B": "y", "delta.constraints.a": "x", "k": "v"}
    assert list(TableProperties(configuration).constraints.items()) == [("a", "x"), ("b", "y")]


def test_a_value_that_another_engine_wrote_wrongly_is_named_when_read() -> None:
    with pytest.raises(DeltaSqlError) as caught:
        TableProperties({"delta.checkpointInterval": "often"})[registry.CHECKPOINT_INTERVAL]
    assert caught.value.condition == "INVALID_PROPERTY_VALUE"
    assert not TableProperties({"delta.appendOnly": "yes"}).switches_on(registry.APPEND_ONLY)


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("interval 1 week", 7 * DAY),
        ("INTERVAL 30 DAYS", 30 * DAY),
        ("2 weeks", 14 * DAY),
        (" 1 day 12 hours ", DAY + DAY // 2),
        ("interval 0 hours", 0),
        ("interval 1.5 seconds", 1500),
        ("90 minutes", 5_400_000),
        ("250 milliseconds", 250),
    ],
)
def test_intervals(text: str, milliseconds: int) -> None:
    assert interval_ms(text) == milliseconds


@pytest.mark.parametrize("text", ["", "interval", "7", "days", "1 month", "2 years", "-1 day", "1 day and a half"])
def test_intervals_that_are_none(text: str) -> None:
    assert illegal("delta.logRetentionDuration", text)


def test_lists_of_columns() -> None:
    assert column_paths("") == ()
    assert column_paths(" a , b.c,`x.y`.`q``q` ") == (("a",), ("b", "c"), ("x.y", "q`q"))
    for wrong in ("a,", ",a", "a..b", "`a"):
        assert illegal("delta.dataSkippingStatsColumns", wrong)


def test_sizes() -> None:
    assert [byte_size(text) for text in ("1", "2kb", "100MB", "1g", "1 gib")] == [1, 2048, 104857600, 1 << 30, 1 << 30]
    assert illegal("delta.targetFileSize", "0")


def test_protocol_of_a_new_table() -> None:
    assert protocol_for(PLAIN, {}) == Protocol(1, 2)
    assert protocol_for(PLAIN, {"delta.constraints.c": "a > 0"}) == Protocol(1, 3)
    expected = Protocol(1, 2).with_features(["timestampNtz"])
    assert protocol_for(LOCAL_TIMES, {}) == expected
    assert protocol_for(LOCAL_TIMES, {}, current=Protocol(1, 2), creating=True) == expected
    assert protocol_for(PLAIN, {}, defaults=Protocol(1, 4)) == Protocol(1, 4)


def test_versions_of_a_new_table() -> None:
    assert protocol_for(PLAIN, {}, parsed=ParsedProperties(min_reader=3, min_writer=7)) == Protocol(3, 7)
    tracked = ParsedProperties(min_writer=7, features=frozenset({"domainMetadata"}))
    assert protocol_for(PLAIN, {}, parsed=tracked) == Protocol(1, 7, None, frozenset({"domainMetadata"}))
    appendable = protocol_for(PLAIN, {"delta.appendOnly": "true"}, parsed=ParsedProperties(min_reader=3, min_writer=7))
    assert appendable == Protocol(3, 7, None, frozenset({"appendOnly"}))
    with pytest.raises(DeltaSqlError) as caught:
        protocol_for(PLAIN, {}, parsed=ParsedProperties(min_reader=3))
    assert caught.value.condition == "DELTA_READ_FEATURE_PROTOCOL_REQUIRES_WRITE"


def test_protocol_of_a_changed_table() -> None:
    current = Protocol(1, 3)
    assert protocol_for(PLAIN, {}, current=current) is current
    assert protocol_for(PLAIN, {}, parsed=ParsedProperties(min_writer=2), current=current) == current
    named = ParsedProperties(features=frozenset({"timestampNtz"}))
    assert "timestampNtz" in protocol_for(LOCAL_TIMES, {}, parsed=named, current=current).features


def test_a_feature_that_an_existing_table_must_be_given_by_name() -> None:
    with pytest.raises(ManualFeaturesError) as caught:
        protocol_for(LOCAL_TIMES, {}, current=Protocol(1, 2), table="main.t")
    assert caught.value.condition == "DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT"
    assert "ALTER TABLE main.t SET TBLPROPERTIES ('delta.feature.timestampNtz' = 'supported')" in caught.value.message


@pytest.mark.parametrize("current", [None, Protocol(1, 2), Protocol(1, 4)])
def test_features_that_cannot_be_written_are_refused_by_name(
    current: Protocol | None, weakened: Callable[..., None]
) -> None:
    weakened("changeDataFeed", "typeWidening")
    wanted = {"delta.enableTypeWidening": "true", "delta.enableChangeDataFeed": "true"}
    with pytest.raises(UnsupportedWriteFeaturesError) as caught:
        protocol_for(PLAIN, wanted, current=current, table="main.t")
    assert caught.value.condition == "DELTA_UNSUPPORTED_FEATURES_FOR_WRITE"
    assert caught.value.features == ["changeDataFeed", "typeWidening"]


def test_a_table_of_the_preview_stays_one() -> None:
    wanted = {"delta.enableTypeWidening": "true"}
    old = Protocol(3, 7, frozenset({"typeWidening-preview"}), frozenset({"typeWidening-preview"}))
    assert protocol_for(PLAIN, wanted, current=old) == old
    assert "typeWidening" in protocol_for(PLAIN, wanted).features
    named = parse_properties([("delta.feature.typeWidening-preview", "supported"), *wanted.items()])
    assert protocol_for(PLAIN, wanted, parsed=named).explicit_features & {"typeWidening", "typeWidening-preview"} == {
        "typeWidening-preview"
    }


def test_explicit_features_that_cannot_be_written() -> None:
    with pytest.raises(UnsupportedWriteFeaturesError) as caught:
        protocol_for(PLAIN, {}, explicit_features=["redirectWriterOnly-preview"])
    assert caught.value.features == ["redirectWriterOnly-preview"]
    # Implied by the versions already, and not used: nothing changes.
    assert protocol_for(PLAIN, {}, explicit_features=["changeDataFeed"], current=Protocol(1, 4)) == Protocol(1, 4)
