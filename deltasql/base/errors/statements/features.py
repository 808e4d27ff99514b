"""Refusals of protocol versions and table features: unknown, unsupported, and those that cannot be dropped."""

from __future__ import annotations

from collections.abc import Collection

from deltasql.base.errors.base import DeltaSqlError, condition


@condition(
    "DELTA_FEATURE_DROP_FEATURE_IS_DELTA_PROPERTY",
    "42000",
    "Cannot drop {feature} from {table}: it is a table property, not a table feature. "
    "Run: ALTER TABLE {table} UNSET TBLPROPERTIES ('{feature}').",
)
class FeatureIsPropertyError(DeltaSqlError):
    """DROP FEATURE of a table property."""

    table: str
    feature: str


@condition(
    "DELTA_FEATURE_DROP_UNSUPPORTED_CLIENT_FEATURE",
    "0AKDC",
    "Cannot drop {feature} from {table}: deltasql knows no way to do so.{hint}",
    remedy="Check the name, or drop the feature with the engine that added it.",
)
class UnknownFeatureToDropError(DeltaSqlError):
    """DROP FEATURE of a feature that deltasql does not know."""

    table: str
    feature: str
    hint: str


@condition(
    "DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT",
    "55000",
    "Cannot drop {feature}: the protocol of {table} does not have it. It has: {present}.",
    remedy="Name a feature that the message lists.",
)
class FeatureNotPresentError(DeltaSqlError):
    """DROP FEATURE of a feature that the table does not have."""

    table: str
    feature: str
    present: str


@condition(
    "DELTA_FEATURE_DROP_NONREMOVABLE_FEATURE",
    "0AKDC",
    "Cannot drop {feature} from {table}: once a table has it, it stays. What can be dropped: {removable}.",
    remedy="Keep the feature, or copy the rows into a new table.",
)
class FeatureNotRemovableError(DeltaSqlError):
    """DROP FEATURE of a feature that cannot be removed."""

    table: str
    feature: str
    removable: str


@condition(
    "DELTA_FEATURE_DROP_DEPENDENT_FEATURE",
    "55000",
    "Cannot drop {feature} from {table}: it is needed by {dependents}. Drop that first.",
)
class DependentFeaturesError(DeltaSqlError):
    """DROP FEATURE of a feature that another feature needs."""

    table: str
    feature: str
    dependents: str


@condition(
    "DELTA_FEATURE_DROP_HISTORY_TRUNCATION_NOT_ALLOWED",
    "42000",
    "{feature} leaves no trace that readers of older versions of {table} would have to know. "
    "Leave out TRUNCATE HISTORY.",
)
class TruncationNotAllowedError(DeltaSqlError):
    """DROP FEATURE … TRUNCATE HISTORY of a feature that only writers have to know."""

    table: str
    feature: str


@condition(
    "DELTA_FEATURE_CAN_ONLY_DROP_CHECKPOINT_PROTECTION_WITH_HISTORY_TRUNCATION",
    "55000",
    "checkpointProtection guards older versions of {table} and can only go with them. "
    "Run: ALTER TABLE {table} DROP FEATURE checkpointProtection TRUNCATE HISTORY.",
)
class ProtectionNeedsTruncationError(DeltaSqlError):
    """DROP FEATURE checkpointProtection without TRUNCATE HISTORY."""

    table: str


@condition(
    "DELTA_FEATURE_DROP_WAIT_FOR_RETENTION_PERIOD",
    "22KD0",
    "{table} no longer uses {feature}, but older versions in its history do. Run the statement again in {retention} "
    "(delta.dropFeatureTruncateHistory.retentionDuration), or now without TRUNCATE HISTORY, which keeps the history.",
)
class WaitForRetentionError(DeltaSqlError):
    """DROP FEATURE, which has taken the feature's traces out of the table and must wait for those in older versions."""

    table: str
    feature: str
    retention: str


@condition(
    "DELTA_FEATURE_DROP_HISTORICAL_VERSIONS_EXIST",
    "22KD0",
    "Cannot drop {feature} yet: versions of {table} that use it are still in its history. Run the statement again once "
    "{retention} (delta.dropFeatureTruncateHistory.retentionDuration) have passed since the feature was last used, "
    "or now without TRUNCATE HISTORY, which keeps the history.",
)
class HistoricalVersionsError(DeltaSqlError):
    """DROP FEATURE … TRUNCATE HISTORY while older versions that use the feature may not go yet."""

    table: str
    feature: str
    retention: str


@condition(
    "DELTA_FEATURE_DROP_CHECKPOINT_PROTECTION_WAIT_FOR_RETENTION_PERIOD",
    "22KD0",
    "Cannot drop checkpointProtection yet: the history of {table} still has versions before {version}, from the time "
    "of features that were dropped. Run the statement again once these are older than {retention} "
    "(delta.dropFeatureTruncateHistory.retentionDuration).",
)
class ProtectedVersionsError(DeltaSqlError):
    """DROP FEATURE checkpointProtection while the history still has protected versions."""

    table: str
    version: int
    retention: str


@condition(
    "DELTA_FEATURE_DROP_CHECKPOINT_FAILED",
    "22KD0",
    "{table} needs a checkpoint at version {version}, and it could not be written: {reason}. "
    "Run the statement again: it goes on from there.",
)
class DropCheckpointError(DeltaSqlError):
    """DROP FEATURE whose checkpoint, between two of its commits, could not be written."""

    table: str
    version: int
    reason: str


@condition(
    "DELTA_CANNOT_DROP_CHECK_CONSTRAINT_FEATURE",
    "0AKDE",
    "Cannot drop checkConstraints from {table}: it has constraints. "
    "Run for each: ALTER TABLE {table} DROP CONSTRAINT name. Names: {constraints}.",
)
class ConstraintsLeftError(DeltaSqlError):
    """DROP FEATURE checkConstraints of a table with constraints."""

    table: str
    constraints: str


@condition(
    "DELTA_FEATURE_DROP_CONFLICT_REVALIDATION_FAIL",
    "40000",
    "Cannot drop {feature} from {table}: another writer has begun to use it meanwhile. Run the statement again.",
)
class FeatureInUseError(DeltaSqlError):
    """DROP FEATURE of a feature that another writer has used between two of its steps."""

    table: str
    feature: str


@condition(
    "DELTA_CANNOT_DROP_COLLATIONS_FEATURE",
    "0AKDE",
    "Cannot drop {feature} from {table}: its columns have collations. "
    "Run for each: ALTER TABLE {table} ALTER COLUMN name TYPE STRING. Names: {columns}.",
)
class CollationsLeftError(DeltaSqlError):
    """DROP FEATURE collations of a table whose texts have collations."""

    table: str
    feature: str
    columns: str


@condition(
    "DELTA_INVALID_COLUMN_NAMES_WHEN_REMOVING_COLUMN_MAPPING",
    "42K05",
    "Cannot drop columnMapping from {table}: without it a column's name may hold none of ' ,;{{}}()\\n\\t='. "
    "Rename these first: {columns}.",
)
class MappedColumnNamesError(DeltaSqlError):
    """DROP FEATURE columnMapping of a table whose column names need it."""

    table: str
    columns: str


@condition(
    "DELTA_INVALID_PROTOCOL_VERSION",
    "KD004",
    "{table} needs protocol (minReaderVersion={reader}, minWriterVersion={writer}); deltasql knows reader versions "
    "1 to 3 and writer versions 1 to 7. Use versions in that range, or a newer deltasql.",
)
class InvalidProtocolVersionError(DeltaSqlError):
    """A protocol, in a log or in table properties, of versions that the Delta protocol does not define."""

    table: str
    reader: int
    writer: int


@condition(
    "DELTA_UNSUPPORTED_FEATURES_FOR_READ",
    "56038",
    "{table} cannot be read: it uses table features that deltasql cannot read: {features}. "
    "Remove them with another engine (ALTER TABLE … DROP FEATURE) or use a newer deltasql.",
)
class UnsupportedReadFeaturesError(DeltaSqlError):
    """The table's protocol has reader features that deltasql does not support."""

    table: str
    features: Collection[str]


@condition(
    "DELTA_UNSUPPORTED_FEATURES_FOR_WRITE",
    "56038",
    "{table} cannot be written: it uses or would use table features that deltasql cannot write: {features}. "
    "Leave them off, or use another engine or a newer deltasql.",
)
class UnsupportedWriteFeaturesError(DeltaSqlError):
    """The table's protocol has writer features that deltasql does not support."""

    table: str
    features: Collection[str]


@condition(
    "DELTA_UNSUPPORTED_TYPE_CHANGE_IN_SCHEMA",
    "0AKDC",
    "{table} cannot be read: the type of {column} was changed from {old} to {new}, which deltasql does not know. "
    "Use the engine that made the change.",
)
class UnsupportedTypeChangeError(DeltaSqlError):
    """A table whose log records a change of type that is no type widening."""

    table: str
    column: str
    old: str
    new: str


@condition(
    "DELTA_READ_FEATURE_PROTOCOL_REQUIRES_WRITE",
    "KD004",
    "Reader version {reader} needs writer version 7, not {writer}. Set 'delta.minWriterVersion' = '7' as well.",
)
class ReadFeaturesNeedWriterVersionError(DeltaSqlError):
    """A protocol with reader features (reader version 3) and no writer features (version 7)."""

    reader: int
    writer: int


@condition(
    "DELTA_UNSUPPORTED_FEATURES_IN_CONFIG",
    "56038",
    "Unknown table features: {features}. {hint}",
    remedy="Check the names: a newer deltasql may know them.",
)
class UnknownFeaturesError(DeltaSqlError):
    """A name, in delta.feature.… or ADD FEATURE, that is no table feature; `hint` is a sentence."""

    features: Collection[str]
    hint: str


@condition(
    "DELTA_UNSUPPORTED_FEATURES_FOR_READ",
    "56038",
    "{table} cannot be read as it is now: a catalog decides which version is the newest one ({features}), and it is "
    "not the catalog of this session. Open the warehouse that manages the table, or name a version, whose commit is "
    "published in the log then: SELECT … FROM {table} VERSION AS OF n.",
)
class CatalogManagedError(UnsupportedReadFeaturesError):
    """Reading a table that another catalog manages, without the number of a version."""


@condition(
    "DELTA_UNSUPPORTED_FEATURES_FOR_WRITE",
    "56038",
    "{table} cannot be written: a catalog ratifies its commits ({features}), and it is not the catalog of this "
    "session. Write it in a session of the warehouse that manages it; there, ALTER TABLE … DROP FEATURE catalogManaged "
    "gives the table back to every writer.",
)
class ManagedElsewhereError(UnsupportedWriteFeaturesError):
    """Writing a table that another catalog manages."""


@condition(
    "DELTA_CATALOG_MANAGED_NEEDS_IN_COMMIT_TIMESTAMPS",
    "0A000",
    "{table} is managed by a catalog, and its commits must carry their own timestamps: leave "
    "'delta.enableInCommitTimestamps' = 'true', or run ALTER TABLE … DROP FEATURE catalogManaged first.",
    remedy="Leave 'delta.enableInCommitTimestamps' = 'true', or run ALTER TABLE … DROP FEATURE catalogManaged first.",
)
class ManagedTimestampsError(DeltaSqlError):
    """Switching in-commit timestamps off in a table that a catalog manages."""

    table: str


@condition(
    "DELTA_INVALID_PROTOCOL_DOWNGRADE",
    "KD004",
    "The protocol of {table} cannot be lowered from ({reader}, {writer}) to ({new_reader}, {new_writer}). Drop a "
    "feature instead: ALTER TABLE {table} DROP FEATURE ….",
)
class ProtocolDowngradeError(DeltaSqlError):
    """upgradeTableProtocol with a version that is lower than the table's."""

    table: str
    reader: int
    writer: int
    new_reader: int
    new_writer: int
