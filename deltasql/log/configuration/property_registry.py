"""The `delta.*` table properties that there are: default, reader and legal values of each.

Source: Delta's table property reference.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from deltasql.errors.properties import IsolationLevelError, PropertyValueError
from deltasql.log.configuration.property_values import (
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

IGNORE_PROTOCOL_DEFAULTS = _boolean("ignoreProtocolDefaults")

PROPERTIES: Mapping[str, Property] = {item.key: item for item in _ALL}
BY_FOLDED_KEY = {item.key.lower(): item for item in _ALL}


def read_value(item: Property, text: str) -> Any:
    """The value that `text` has for a property. Raises PropertyValueError; IsolationLevelError for its own key."""
    try:
        return item.read(text)
    except ValueError as error:
        if item.key == "delta.isolationLevel":
            raise IsolationLevelError(text) from error
        raise PropertyValueError(item.key, text, item.legal) from error
