"""Refusals of table properties, when they are set, unset or read."""

from __future__ import annotations

from collections.abc import Collection

from deltasql.base.errors.base import DeltaSqlError, condition


@condition(
    "DELTA_UNSUPPORTED_FEATURE_STATUS",
    "0AKDE",
    "Table feature {feature} cannot be set to '{status}'. Write 'delta.feature.{feature}' = 'supported'.",
)
class FeatureStatusError(DeltaSqlError):
    """SET TBLPROPERTIES ('delta.feature.…' = a word other than supported or enabled)."""

    feature: str
    status: str


@condition(
    "DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT",
    "42000",
    "{table} needs table features that are not switched on automatically on an existing table: {features}. "
    "Run first: ALTER TABLE {table} SET TBLPROPERTIES ({properties}).",
)
class ManualFeaturesError(DeltaSqlError):
    """SET TBLPROPERTIES that would need a table feature which must be asked for by name."""

    table: str
    features: Collection[str]
    properties: str


@condition(
    "WRONG_COLUMN_DEFAULTS_FOR_DELTA_FEATURE_NOT_ENABLED",
    "0AKDE",
    "{table} cannot have column defaults: its protocol lacks the table feature allowColumnDefaults. {advice}",
    remedy="Set the property delta.feature.allowColumnDefaults to 'supported'.",
)
class ColumnDefaultsNotEnabledError(DeltaSqlError):
    """A default for a column of a table without the feature allowColumnDefaults."""

    table: str
    advice: str


@condition(
    "DELTA_CREATE_TABLE_SET_CLUSTERING_TABLE_FEATURE_NOT_ALLOWED",
    "42000",
    "The table feature {feature} cannot be set by TBLPROPERTIES. Write CLUSTER BY (…) in CREATE TABLE.",
)
class CreateWithClusteringFeatureError(DeltaSqlError):
    """CREATE TABLE … TBLPROPERTIES of the table feature clustering."""

    feature: str


@condition(
    "DELTA_ALTER_TABLE_SET_CLUSTERING_TABLE_FEATURE_NOT_ALLOWED",
    "42000",
    "The table feature {feature} cannot be set by TBLPROPERTIES. Run: ALTER TABLE … CLUSTER BY (…).",
)
class AlterWithClusteringFeatureError(DeltaSqlError):
    """SET TBLPROPERTIES of the table feature clustering."""

    feature: str


@condition(
    "DELTA_UNKNOWN_CONFIGURATION",
    "F0000",
    "Unknown table property {key}.{hint} To set it anyway: "
    "SET spark.databricks.delta.allowArbitraryProperties.enabled = true.",
    remedy="Check the spelling: the reference lists the properties of tables.",
)
class UnknownPropertyError(DeltaSqlError):
    """SET TBLPROPERTIES of an unknown delta.… property."""

    key: str
    hint: str


@condition(
    "INVALID_PROPERTY_VALUE",
    "42602",
    "'{value}' is not a value for table property {key}. Legal: {legal}.",
    remedy="Use a value that the message lists.",
)
class PropertyValueError(DeltaSqlError):
    """A table property with a value that it cannot have."""

    key: str
    value: str
    legal: str


@condition(
    "DELTA_INVALID_ISOLATION_LEVEL",
    "25000",
    "'{value}' is not an isolation level for table property delta.isolationLevel. "
    "Legal: Serializable, WriteSerializable.",
    remedy="Use Serializable or WriteSerializable.",
)
class IsolationLevelError(DeltaSqlError):
    """The property delta.isolationLevel with an unknown value."""

    value: str


@condition(
    "DELTA_PROTOCOL_PROPERTY_NOT_INT",
    "42K06",
    "Table property {key} needs an integer, not '{value}'.",
    remedy="Give a whole number, or name the feature: 'delta.feature.name' = 'supported'.",
)
class ProtocolPropertyError(DeltaSqlError):
    """delta.minReaderVersion or delta.minWriterVersion that is no whole number."""

    key: str
    value: str


@condition(
    "DELTA_ADD_CONSTRAINTS",
    "0A000",
    "Table property {key} cannot be set. Run: ALTER TABLE … ADD CONSTRAINT {name} CHECK (…).",
)
class ConstraintPropertyError(DeltaSqlError):
    """SET TBLPROPERTIES of delta.constraints.…."""

    key: str
    name: str


@condition(
    "DELTA_CANNOT_MODIFY_TABLE_PROPERTY",
    "42939",
    "Table property {key} cannot be set: Delta maintains it. Leave it out.",
)
class InternalPropertyError(DeltaSqlError):
    """SET TBLPROPERTIES of a property that only writers of the log set."""

    key: str


@condition(
    "DELTA_CANNOT_CHANGE_PROVIDER",
    "42939",
    "The table property 'provider' is reserved: a table's format cannot be changed. Write USING DELTA in CREATE TABLE.",
)
class ProviderPropertyError(DeltaSqlError):
    """SET TBLPROPERTIES of provider."""


@condition(
    "DELTA_CANNOT_CHANGE_LOCATION",
    "42601",
    "The table property 'location' is reserved. Write LOCATION 'path' in CREATE TABLE, or ALTER TABLE … SET LOCATION.",
)
class LocationPropertyError(DeltaSqlError):
    """SET TBLPROPERTIES of location."""


@condition(
    "UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY",
    "0A000",
    "The table property '{key}' is reserved and cannot be set. Choose another name.",
)
class ReservedPropertyError(DeltaSqlError):
    """SET TBLPROPERTIES of a reserved key."""

    key: str


@condition(
    "DELTA_UNSET_NON_EXISTENT_PROPERTY",
    "42616",
    "{table} has no property {key} to unset. Write UNSET TBLPROPERTIES IF EXISTS to pass over it.",
)
class UnsetMissingPropertyError(DeltaSqlError):
    """UNSET TBLPROPERTIES of a property that the table does not have."""

    key: str
    table: str


@condition(
    "DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED",
    "0A000",
    "The properties of {table} exclude each other: {reason}.",
    remedy="Leave one of the properties out.",
)
class PropertyCombinationError(DeltaSqlError):
    """delta.logRetentionDuration shorter than delta.deletedFileRetentionDuration, where a setting forbids it."""

    table: str
    reason: str


@condition(
    "DELTA_ROW_TRACKING_ILLEGAL_PROPERTY_COMBINATION",
    "55000",
    "{table} cannot have both 'delta.enableRowTracking' and 'delta.rowTrackingSuspended' = 'true'. Set one to 'false'.",
)
class RowTrackingPropertiesError(DeltaSqlError):
    """Properties that ask for row tracking and suspend it."""

    table: str


@condition(
    "DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE",
    "0AKDC",
    "The column mapping mode of {table} cannot be changed from '{before}' to '{after}'. "
    "An existing table can only go from 'none' to 'name'; for another mode copy it: CREATE TABLE … AS SELECT ….",
    remedy="Copy the table: CREATE TABLE … AS SELECT ….",
)
class ColumnMappingModeError(DeltaSqlError):
    """A change of delta.columnMapping.mode that would need other data files."""

    table: str
    before: str
    after: str
