"""Table properties: a TBLPROPERTIES list checked, the protocol it needs, and a configuration read.

Keys are matched without case and stored in their canonical spelling.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from deltasql.errors.features import UnsupportedWriteFeaturesError
from deltasql.errors.properties import (
    AlterWithClusteringFeatureError,
    ColumnDefaultsNotEnabledError,
    ConstraintPropertyError,
    CreateWithClusteringFeatureError,
    FeatureStatusError,
    InternalPropertyError,
    LocationPropertyError,
    ManualFeaturesError,
    PropertyCombinationError,
    ProtocolPropertyError,
    ProviderPropertyError,
    ReservedPropertyError,
    RowTrackingPropertiesError,
    UnknownPropertyError,
    UnsetMissingPropertyError,
)
from deltasql.errors.suggestion import OPEN_SET, did_you_mean
from deltasql.log.configuration.iceberg_compat import check_compatible
from deltasql.log.configuration.property_registry import BY_FOLDED_KEY, IGNORE_PROTOCOL_DEFAULTS, PROPERTIES, read_value
from deltasql.log.protocol.features import (
    FEATURES,
    Support,
    find_feature,
    requested_features,
    with_required,
    without_previewed,
)
from deltasql.log.protocol.protocol import Protocol
from deltasql.schema.types import StructType

FEATURE_PREFIX = "delta.feature."
CONSTRAINT_PREFIX = "delta.constraints."
PROTECTED_BEFORE = "delta.requireCheckpointProtectionBeforeVersion"
"""Versions before this one are only to be deleted all at once: a dropped feature left traces in them."""
TIMESTAMPS = "delta.enableInCommitTimestamps"
ENABLE_VECTORS = "delta.enableDeletionVectors"
TIMESTAMPS_SINCE = ("delta.inCommitTimestampEnablementVersion", "delta.inCommitTimestampEnablementTimestamp")
"""The first commit that has a timestamp of its own, where that is not the table's first."""
_FREE_PREFIXES = ("delta.universalformat.config.", "delta.workloadbasedcolumns.")
_ALIASES = {"delta.enablechangedatacapture": "delta.enableChangeDataFeed"}
_RESERVED = frozenset({"owner", "external", "is_managed_location"})


DEFAULT_PROTOCOL = Protocol(1, 2)


@dataclass(frozen=True, slots=True)
class ParsedProperties:
    """A checked TBLPROPERTIES list, sorted by what its keys mean.

    `configuration` is what the table stores, with canonical keys. `features` are those named by `delta.feature.…`.
    `min_reader` and `min_writer` are None when not given; `comment` likewise.
    """

    configuration: dict[str, str] = field(default_factory=dict)
    features: frozenset[str] = frozenset()
    min_reader: int | None = None
    min_writer: int | None = None
    comment: str | None = None
    ignore_protocol_defaults: bool = False


NO_PROPERTIES = ParsedProperties()


def parse_properties(
    items: Iterable[tuple[str, str]],
    *,
    allow_arbitrary: bool = False,
    on_create: bool = False,
    defaults: Mapping[str, str] | None = None,
) -> ParsedProperties:
    """A checked TBLPROPERTIES list; of a key that is given twice the last value counts.

    `allow_arbitrary` takes unknown `delta.*` keys. `on_create` tells CREATE from ALTER in the messages. `defaults` are
    the session's properties of new tables, keys without `delta.`; those about protocol are dropped when the list says
    `delta.ignoreProtocolDefaults`.
    Raises UnknownPropertyError, PropertyValueError, IsolationLevelError, InternalPropertyError,
    ConstraintPropertyError, ProtocolPropertyError, FeatureStatusError, UnknownFeaturesError, ProviderPropertyError,
    LocationPropertyError, ReservedPropertyError, and for the clustering feature the class of the statement.
    """
    given = _parse(items, allow_arbitrary, on_create)
    if not defaults:
        return given
    session = _parse(((f"delta.{key}", value) for key, value in defaults.items()), allow_arbitrary, on_create)
    configuration = {**session.configuration, **given.configuration}
    if given.ignore_protocol_defaults:
        return replace(given, configuration=configuration)
    return ParsedProperties(
        configuration,
        session.features | given.features,
        session.min_reader if given.min_reader is None else given.min_reader,
        session.min_writer if given.min_writer is None else given.min_writer,
        given.comment,
    )


def _parse(items: Iterable[tuple[str, str]], allow_arbitrary: bool, on_create: bool) -> ParsedProperties:
    configuration: dict[str, str] = {}
    features: set[str] = set()
    versions: dict[str, int] = {}
    comment, ignore_defaults = None, False
    for key, value in items:
        folded = key.lower()
        if folded == "comment":
            comment = value
        elif folded.startswith(FEATURE_PREFIX):
            features.add(_feature(key[len(FEATURE_PREFIX) :], value, on_create))
        elif folded in {"delta.minreaderversion", "delta.minwriterversion"}:
            versions[folded] = _version(key, value)
        elif folded == IGNORE_PROTOCOL_DEFAULTS.key.lower():
            ignore_defaults = read_value(IGNORE_PROTOCOL_DEFAULTS, value)
        else:
            stored_key, stored_value = _stored(key, value, allow_arbitrary)
            configuration[stored_key] = stored_value
    reader, writer = versions.get("delta.minreaderversion"), versions.get("delta.minwriterversion")
    return ParsedProperties(configuration, frozenset(features), reader, writer, comment, ignore_defaults)


def canonical_key(key: str) -> str:
    """`key` as the table stores it: the canonical spelling of a known `delta.*` key, any other key as it is."""
    folded = key.lower()
    if folded in _ALIASES:
        return _ALIASES[folded]
    if folded.startswith((CONSTRAINT_PREFIX, *_FREE_PREFIXES)):
        return folded
    known = BY_FOLDED_KEY.get(folded)
    return known.key if known else key


def unset_properties(
    configuration: Mapping[str, str], keys: Iterable[str], *, if_exists: bool, table: str = "the table"
) -> dict[str, str]:
    """`configuration` without `keys`. Raises UnsetMissingPropertyError unless `if_exists`."""
    names = [canonical_key(key) for key in keys]
    missing = [name for name in names if name not in configuration]
    if missing and not if_exists:
        raise UnsetMissingPropertyError(missing[0], table)
    return {key: value for key, value in configuration.items() if key not in names}


def check_configuration(configuration: Mapping[str, str], *, table: str = "the table", retention: bool = True) -> None:
    """Properties that exclude each other: raises PropertyCombinationError, RowTrackingPropertiesError.

    `retention=False` allows the log to be kept for less time than deleted files
    (`spark.databricks.delta.vacuum.enforceDeletedFileAndLogRetentionDurationCompatibility`).
    """
    if retention and log_retention_ms(configuration) < deleted_file_retention_ms(configuration):
        keys = ("delta.logRetentionDuration", "delta.deletedFileRetentionDuration")
        log, files = (f"{key} ({configuration.get(key, PROPERTIES[key].default)})" for key in keys)
        raise PropertyCombinationError(table, f"{log} must not be shorter than {files}")
    if is_on(configuration, "delta.enableRowTracking") and is_on(configuration, "delta.rowTrackingSuspended"):
        raise RowTrackingPropertiesError(table)


def protocol_for(
    schema: StructType,
    configuration: Mapping[str, str],
    *,
    parsed: ParsedProperties = NO_PROPERTIES,
    explicit_features: Iterable[str] = (),
    current: Protocol | None = None,
    creating: bool = False,
    defaults: Protocol = DEFAULT_PROTOCOL,
    table: str = "the table",
) -> Protocol:
    """The weakest protocol for a new table (`current` is None), or for an existing one after a change of metadata.

    Features come from the metadata, from the statement's properties (`parsed`), from `explicit_features` (canonical
    names) and from what those require; versions only rise. `creating` says that the schema is new although there is a
    protocol (REPLACE TABLE). `defaults` is where a new table starts.
    Raises UnsupportedWriteFeaturesError for features that deltasql cannot write, ManualFeaturesError and
    ColumnDefaultsNotEnabledError for those that the metadata uses and that must be named, and what
    `Protocol.with_versions` and `check_compatible` raise.
    """
    reader, writer = parsed.min_reader, parsed.min_writer
    base = current or _start(defaults, reader, writer)
    explicit = parsed.features | frozenset(explicit_features)
    requested = without_previewed(requested_features(schema, configuration), base.features | explicit)
    wanted = without_previewed(with_required(requested | explicit), base.features | explicit) | explicit
    refused = sorted(name for name in wanted if _refused(name) and (name in requested or name not in base.features))
    if refused:
        raise UnsupportedWriteFeaturesError(table, refused)
    _check_manual(requested - explicit - base.features, table, new=current is None or creating)
    protocol = base.with_features(wanted).with_versions(reader, writer)
    check_compatible(schema, configuration, protocol.features, table)
    return protocol


def property_value(configuration: Mapping[str, str], key: str) -> Any:
    """The value of a known property, or of its default; None when it has neither.

    Raises PropertyValueError for a text that the property cannot have: another engine wrote it.
    """
    item = PROPERTIES[key]
    text = configuration.get(key, item.default)
    return None if text is None else read_value(item, text)


def is_on(configuration: Mapping[str, str], key: str) -> bool:
    """Whether a boolean property is true."""
    return property_value(configuration, key) is True


def is_append_only(configuration: Mapping[str, str]) -> bool:
    return is_on(configuration, "delta.appendOnly")


def has_change_feed(configuration: Mapping[str, str]) -> bool:
    return is_on(configuration, "delta.enableChangeDataFeed")


def writes_vectors(configuration: Mapping[str, str]) -> bool:
    """Whether changed rows are marked in deletion vectors; a table where they are not may still have some."""
    return is_on(configuration, ENABLE_VECTORS)


def column_mapping_mode(configuration: Mapping[str, str]) -> str:
    """`none`, `name` or `id`."""
    return str(property_value(configuration, "delta.columnMapping.mode"))


def isolation_level(configuration: Mapping[str, str]) -> str:
    """`Serializable` or `WriteSerializable`, the default."""
    return str(property_value(configuration, "delta.isolationLevel"))


def checkpoint_interval(configuration: Mapping[str, str]) -> int:
    """Commits from one checkpoint to the next."""
    return int(property_value(configuration, "delta.checkpointInterval"))


def checkpoint_policy(configuration: Mapping[str, str]) -> str:
    """`classic` or `v2`."""
    return str(property_value(configuration, "delta.checkpointPolicy"))


def num_indexed_cols(configuration: Mapping[str, str]) -> int:
    """The number of leaf columns that have statistics; -1 for all."""
    return int(property_value(configuration, "delta.dataSkippingNumIndexedCols"))


def stats_columns(configuration: Mapping[str, str]) -> tuple[tuple[str, ...], ...] | None:
    """Paths of the columns that have statistics, in place of the first `num_indexed_cols`; None when not set."""
    paths: tuple[tuple[str, ...], ...] | None = property_value(configuration, "delta.dataSkippingStatsColumns")
    return paths


def stats_string_prefix(configuration: Mapping[str, str]) -> int:
    """Characters of a string that its minimum and maximum keep."""
    length = property_value(configuration, "delta.dataSkippingStringPrefixLength")
    return 32 if length is None else int(length)


def deleted_file_retention_ms(configuration: Mapping[str, str]) -> int:
    """Age in ms from which VACUUM may delete a removed file."""
    return int(property_value(configuration, "delta.deletedFileRetentionDuration"))


def log_retention_ms(configuration: Mapping[str, str]) -> int:
    """Age in ms from which commits may be cleaned up."""
    return int(property_value(configuration, "delta.logRetentionDuration"))


def set_transaction_retention_ms(configuration: Mapping[str, str]) -> int | None:
    """Age in ms at which the version of an application is forgotten; None for never."""
    age: int | None = property_value(configuration, "delta.setTransactionRetentionDuration")
    return age


def check_constraints(configuration: Mapping[str, str]) -> dict[str, str]:
    """CHECK expressions by the lower-case name of their constraint, in the order of the names."""
    found = {key.lower(): sql for key, sql in configuration.items() if key.lower().startswith(CONSTRAINT_PREFIX)}
    return {key[len(CONSTRAINT_PREFIX) :]: found[key] for key in sorted(found)}


def _feature(name: str, value: str, on_create: bool) -> str:
    feature = find_feature(name).name
    if value.strip().lower() not in {"supported", "enabled"}:
        raise FeatureStatusError(feature, value)
    if feature == "clustering":
        raise CreateWithClusteringFeatureError(feature) if on_create else AlterWithClusteringFeatureError(feature)
    return feature


def _version(key: str, value: str) -> int:
    try:
        return int(value)
    except ValueError as error:
        raise ProtocolPropertyError(key, value) from error


def _stored(key: str, value: str, allow_arbitrary: bool) -> tuple[str, str]:
    """The key and value that the table stores."""
    folded = key.lower()
    if not folded.startswith("delta."):
        _check_reserved(folded)
        return key, value
    if folded.startswith(CONSTRAINT_PREFIX):
        raise ConstraintPropertyError(key, key[len(CONSTRAINT_PREFIX) :])
    stored = canonical_key(key)
    item = PROPERTIES.get(stored)
    if item is None:
        if not allow_arbitrary and not folded.startswith(_FREE_PREFIXES):
            raise UnknownPropertyError(key, did_you_mean(key, PROPERTIES, cutoff=OPEN_SET))
        return stored, value
    if item.internal:
        raise InternalPropertyError(item.key)
    read = read_value(item, value)
    # Other engines compare these words with case.
    return item.key, read if isinstance(read, str) else value


def _check_reserved(folded: str) -> None:
    if folded == "provider":
        raise ProviderPropertyError
    if folded == "location":
        raise LocationPropertyError
    if folded == "clusteringcolumns":
        raise InternalPropertyError("clusteringColumns")
    if folded in _RESERVED:
        raise ReservedPropertyError(folded)


def _start(defaults: Protocol, reader: int | None, writer: int | None) -> Protocol:
    """A new table's protocol before its features; at writer version 7 it supports nothing by itself."""
    versions = max(reader or 1, defaults.min_reader_version), max(writer or 1, defaults.min_writer_version)
    return Protocol(1, 1).with_versions(*versions)


def _refused(name: str) -> bool:
    return name in FEATURES and FEATURES[name].write is not Support.YES


def _check_manual(missing: frozenset[str], table: str, *, new: bool) -> None:
    if "allowColumnDefaults" in missing:
        enabling = "TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')"
        advice = f"Add {enabling} to the statement." if new else f"Run: ALTER TABLE {table} SET {enabling}"
        raise ColumnDefaultsNotEnabledError(table, advice)
    names = [] if new else sorted(name for name in missing if FEATURES[name].manual)
    if names:
        properties = ", ".join(f"'delta.feature.{name}' = 'supported'" for name in names)
        raise ManualFeaturesError(table, names, properties)
