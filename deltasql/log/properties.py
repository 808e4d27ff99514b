"""Table properties: which `delta.*` keys there are, what they may hold, and what they mean.

Source: Delta's table property reference. Keys are matched without case and stored in their canonical spelling.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from deltasql.errors.protocol import (
    AlterWithClusteringFeatureError,
    ConstraintPropertyError,
    CreateWithClusteringFeatureError,
    FeatureStatusError,
    InternalPropertyError,
    IsolationLevelError,
    LocationPropertyError,
    PropertyCombinationError,
    PropertyValueError,
    ProtocolPropertyError,
    ProviderPropertyError,
    ReservedPropertyError,
    RowTrackingPropertiesError,
    UnknownPropertyError,
    UnsetMissingPropertyError,
)
from deltasql.log.features import find_feature
from deltasql.log.property_values import (
    ISOLATION_LEVELS,
    any_text,
    boolean,
    byte_size,
    column_paths,
    integer,
    interval_ms,
    one_of,
    some_of,
)

FEATURE_PREFIX = "delta.feature."
CONSTRAINT_PREFIX = "delta.constraints."
_FREE_PREFIXES = ("delta.universalformat.config.", "delta.workloadbasedcolumns.")
_ALIASES = {"delta.enablechangedatacapture": "delta.enableChangeDataFeed"}
_RESERVED = frozenset({"owner", "external", "is_managed_location"})


@dataclass(frozen=True, slots=True)
class Property:
    """One `delta.*` property. `default` is its text; None when unset means nothing. `legal` says what `read` takes."""

    key: str
    default: str | None
    read: Callable[[str], Any]
    legal: str
    internal: bool = False


def _boolean(name: str, default: str | None = "false") -> Property:
    return Property(f"delta.{name}", default, boolean, "true, false")


def _interval(name: str, default: str | None) -> Property:
    return Property(f"delta.{name}", default, interval_ms, "an interval of weeks or less, such as 'interval 7 days'")


def _integer(name: str, default: str | None, least: int, *, internal: bool = False) -> Property:
    return Property(f"delta.{name}", default, integer(least), f"an integer, at least {least}", internal)


def _word(name: str, default: str | None, *words: str) -> Property:
    return Property(f"delta.{name}", default, one_of(*words), ", ".join(words))


def _text(name: str, *, internal: bool = False) -> Property:
    return Property(f"delta.{name}", None, any_text, "any text", internal)


_ALL = (
    _boolean("appendOnly"),
    _boolean("autoOptimize", None),
    _word("autoOptimize.autoCompact", None, "true", "false", "auto", "legacy", "1", "0"),
    _boolean("autoOptimize.optimizeWrite", None),
    _integer("checkpointInterval", "10", 1),
    _word("checkpointPolicy", "classic", "classic", "v2"),
    _interval("checkpointRetentionDuration", "interval 2 days"),
    _boolean("checkpoint.writeStatsAsJson", "true"),
    _boolean("checkpoint.writeStatsAsStruct", "true"),
    _word("columnMapping.mode", "none", "none", "name", "id"),
    _integer("columnMapping.maxColumnId", "0", 0, internal=True),
    _boolean("compatibility.symlinkFormatManifest.enabled"),
    _integer("dataSkippingNumIndexedCols", "32", -1),
    Property("delta.dataSkippingStatsColumns", None, column_paths, "a comma list of columns, such as 'a, b.c, `x y`'"),
    _integer("dataSkippingStringPrefixLength", None, 0),
    _interval("deletedFileRetentionDuration", "interval 1 week"),
    _interval("dropFeatureTruncateHistory.retentionDuration", "interval 24 hours"),
    _boolean("enableChangeDataFeed"),
    _boolean("enableDeletionVectors"),
    _boolean("enableExpiredLogCleanup", "true"),
    _boolean("enableFullRetentionRollback", "true"),
    _boolean("enableIcebergCompatV1", None),
    _boolean("enableIcebergCompatV2", None),
    _boolean("enableIcebergCompatV3", None),
    _boolean("enableInCommitTimestamps"),
    _integer("inCommitTimestampEnablementVersion", None, 0, internal=True),
    _integer("inCommitTimestampEnablementTimestamp", None, 0, internal=True),
    _boolean("enableMaterializePartitionColumnsFeature", None),
    _boolean("writePartitionColumnsToParquet", None),
    _boolean("enableRowTracking"),
    _boolean("rowTrackingSuspended"),
    _text("rowTracking.materializedRowIdColumnName", internal=True),
    _text("rowTracking.materializedRowCommitVersionColumnName", internal=True),
    _boolean("enableTypeWidening"),
    _boolean("enableVariantShredding"),
    _word("isolationLevel", "WriteSerializable", *ISOLATION_LEVELS),
    _interval("logRetentionDuration", "interval 30 days"),
    _word("parquet.format.version", "1.0.0", "1.0.0", "2.12.0"),
    _word("parquet.compression.codec", None, "zstd", "snappy", "gzip", "lz4", "brotli", "none", "uncompressed"),
    _boolean("randomizeFilePrefixes"),
    _integer("randomPrefixLength", "2", 1),
    _integer("requireCheckpointProtectionBeforeVersion", "0", 0, internal=True),
    _interval("sampleRetentionDuration", "interval 7 days"),
    _interval("setTransactionRetentionDuration", None),
    Property("delta.targetFileSize", None, byte_size, "a size such as 104857600, 100mb or 1g"),
    _boolean("tuneFileSizesForRewrites", None),
    Property("delta.universalFormat.enabledFormats", "", some_of("iceberg", "hudi"), "a comma list of iceberg, hudi"),
    _boolean("castIcebergTimeType"),
    _boolean("ignoreIcebergBucketPartition"),
    _text("coordinatedCommits.commitCoordinator-preview"),
    _text("coordinatedCommits.commitCoordinatorConf-preview"),
    _text("coordinatedCommits.tableConf-preview"),
    _text("redirectReaderWriter-preview"),
    _text("redirectWriterOnly-preview"),
)

PROPERTIES: Mapping[str, Property] = {item.key: item for item in _ALL}
_BY_FOLDED_KEY = {item.key.lower(): item for item in _ALL}


@dataclass(frozen=True, slots=True)
class ParsedProperties:
    """What a TBLPROPERTIES list says.

    `configuration` is what the table stores, with canonical keys. `features` are those named by `delta.feature.…`.
    `min_reader` and `min_writer` are None when not given; `comment` likewise.
    """

    configuration: dict[str, str] = field(default_factory=dict)
    features: frozenset[str] = frozenset()
    min_reader: int | None = None
    min_writer: int | None = None
    comment: str | None = None
    ignore_protocol_defaults: bool = False


def parse_properties(
    items: Iterable[tuple[str, str]], *, allow_arbitrary: bool = False, on_create: bool = False
) -> ParsedProperties:
    """A checked TBLPROPERTIES list; of a key that is given twice the last value counts.

    `allow_arbitrary` takes unknown `delta.*` keys. `on_create` tells CREATE from ALTER in the messages.
    Raises UnknownPropertyError, PropertyValueError, IsolationLevelError, InternalPropertyError,
    ConstraintPropertyError, ProtocolPropertyError, FeatureStatusError, UnknownFeaturesError, ProviderPropertyError,
    LocationPropertyError, ReservedPropertyError, and for the clustering feature the class of the statement.
    """
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
        elif folded == "delta.ignoreprotocoldefaults":
            ignore_defaults = read_value(_boolean("ignoreProtocolDefaults"), value)
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
    known = _BY_FOLDED_KEY.get(folded)
    return known.key if known else key


def unset_properties(
    configuration: Mapping[str, str], keys: Iterable[str], *, if_exists: bool, table: str = "the table"
) -> dict[str, str]:
    """`configuration` without `keys`. Raises UnsetMissingPropertyError unless `if_exists`."""
    names = [canonical_key(key) for key in keys]
    missing = [name for name in names if name not in configuration]
    if missing and not if_exists:
        raise UnsetMissingPropertyError(table, missing, _hint(missing[0], configuration))
    return {key: value for key, value in configuration.items() if key not in names}


def check_configuration(configuration: Mapping[str, str], *, table: str = "the table", retention: bool = True) -> None:
    """Properties that exclude each other: raises PropertyCombinationError, RowTrackingPropertiesError.

    `retention=False` allows the log to be kept for less time than deleted files
    (`spark.databricks.delta.vacuum.enforceDeletedFileAndLogRetentionDurationCompatibility`).
    """
    properties = TableProperties(configuration)
    if retention and properties.log_retention_ms < properties.deleted_file_retention_ms:
        reason = (
            f"delta.logRetentionDuration ({properties.text('delta.logRetentionDuration')}) must not be shorter than "
            f"delta.deletedFileRetentionDuration ({properties.text('delta.deletedFileRetentionDuration')})"
        )
        raise PropertyCombinationError(table, reason)
    if properties.flag("delta.enableRowTracking") and properties.flag("delta.rowTrackingSuspended"):
        raise RowTrackingPropertiesError(table)
    compat = [key for key in PROPERTIES if key.startswith("delta.enableIcebergCompat") and properties.flag(key)]
    if len(compat) > 1:
        raise PropertyCombinationError(table, f"only one of {' and '.join(compat)} can be true")


def read_value(item: Property, text: str) -> Any:
    """The value that `text` has for a property. Raises PropertyValueError; IsolationLevelError for its own key."""
    try:
        return item.read(text)
    except ValueError as error:
        if item.key == "delta.isolationLevel":
            raise IsolationLevelError(text) from error
        raise PropertyValueError(item.key, text, item.legal) from error


@dataclass(frozen=True, slots=True)
class TableProperties:
    """The configuration of a table, read: defaults filled in, values typed.

    A value that no reader takes (another engine wrote it) raises PropertyValueError when it is asked for.
    """

    configuration: Mapping[str, str]

    def text(self, key: str) -> str | None:
        """The text of a known property, or its default."""
        return self.configuration.get(key, PROPERTIES[key].default)

    def value(self, key: str) -> Any:
        """The value of a known property, or of its default; None when it has neither."""
        text = self.text(key)
        return None if text is None else read_value(PROPERTIES[key], text)

    def flag(self, key: str) -> bool:
        """Whether a boolean property is true."""
        return self.value(key) is True

    @property
    def append_only(self) -> bool:
        return self.flag("delta.appendOnly")

    @property
    def change_data_feed(self) -> bool:
        return self.flag("delta.enableChangeDataFeed")

    @property
    def deletion_vectors(self) -> bool:
        return self.flag("delta.enableDeletionVectors")

    @property
    def type_widening(self) -> bool:
        return self.flag("delta.enableTypeWidening")

    @property
    def row_tracking(self) -> bool:
        return self.flag("delta.enableRowTracking")

    @property
    def in_commit_timestamps(self) -> bool:
        return self.flag("delta.enableInCommitTimestamps")

    @property
    def column_mapping_mode(self) -> str:
        """`none`, `name` or `id`."""
        return str(self.value("delta.columnMapping.mode"))

    @property
    def isolation_level(self) -> str:
        """`Serializable` or `WriteSerializable`, the default."""
        return str(self.value("delta.isolationLevel"))

    @property
    def checkpoint_interval(self) -> int:
        """Commits from one checkpoint to the next."""
        return int(self.value("delta.checkpointInterval"))

    @property
    def checkpoint_policy(self) -> str:
        """`classic` or `v2`."""
        return str(self.value("delta.checkpointPolicy"))

    @property
    def checkpoint_stats_as_json(self) -> bool:
        return self.flag("delta.checkpoint.writeStatsAsJson")

    @property
    def checkpoint_stats_as_struct(self) -> bool:
        return self.flag("delta.checkpoint.writeStatsAsStruct")

    @property
    def expired_log_cleanup(self) -> bool:
        return self.flag("delta.enableExpiredLogCleanup")

    @property
    def num_indexed_cols(self) -> int:
        """How many leaf columns have statistics; -1 for all."""
        return int(self.value("delta.dataSkippingNumIndexedCols"))

    @property
    def stats_columns(self) -> tuple[tuple[str, ...], ...] | None:
        """Paths of the columns that have statistics, in place of the first `num_indexed_cols`; None when not set."""
        paths: tuple[tuple[str, ...], ...] | None = self.value("delta.dataSkippingStatsColumns")
        return paths

    @property
    def stats_string_prefix(self) -> int:
        """Characters of a string that its minimum and maximum keep."""
        length = self.value("delta.dataSkippingStringPrefixLength")
        return 32 if length is None else int(length)

    @property
    def deleted_file_retention_ms(self) -> int:
        return int(self.value("delta.deletedFileRetentionDuration"))

    @property
    def log_retention_ms(self) -> int:
        return int(self.value("delta.logRetentionDuration"))

    @property
    def checkpoint_retention_ms(self) -> int:
        return int(self.value("delta.checkpointRetentionDuration"))

    @property
    def set_transaction_retention_ms(self) -> int | None:
        """Age at which the version of an application is forgotten; None for never."""
        age: int | None = self.value("delta.setTransactionRetentionDuration")
        return age

    @property
    def constraints(self) -> dict[str, str]:
        """CHECK expressions by the lower-case name of their constraint, in the order of the names."""
        prefix = len(CONSTRAINT_PREFIX)
        found = ((key[prefix:], sql) for key, sql in self.configuration.items() if is_constraint(key))
        return dict(sorted((name.lower(), sql) for name, sql in found))


def is_constraint(key: str) -> bool:
    return key.lower().startswith(CONSTRAINT_PREFIX)


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
            raise UnknownPropertyError(key, _hint(key, PROPERTIES))
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


def _hint(key: str, known: Iterable[str]) -> str:
    """A sentence with the closest known key, led by a blank; "" when none is close."""
    from difflib import get_close_matches

    names = {name.lower(): name for name in known}
    close = get_close_matches(key.lower(), list(names), 1, 0.7)
    return f" Did you mean {names[close[0]]}?" if close else ""
