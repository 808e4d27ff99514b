"""Registry of the `delta.*` table properties, and typed access to the properties of one table.

A new property needs one declaration in this module, and code that reads its value. A definition has the values of the
property, its table feature, and when it is removed. Source: Delta's table property reference.

deltasql stores keys and tags in properties, since the protocol has no action for them. They are part of the table's
configuration, which every engine carries from one metaData action to the next, and need no table feature. Users do not
set them by hand, and no statement shows them among the table's properties.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeVar

from deltasql.base import (
    CODECS,
    Registry,
    RegistryEntry,
    any_text,
    boolean,
    byte_size,
    column_paths,
    compaction,
    errors,
    integer,
    interval_ms,
    one_of,
    some_of,
)

T = TypeVar("T")


class OnReplace(Enum):
    """Whether a property is kept when its table is replaced by a statement that does not set it."""

    GOES = "goes"
    STAYS = "stays"
    """It is needed to read the log before the statement, which stays."""
    STAYS_WHILE_ON = "stays while on"
    """It is kept if its feature is enabled both before and after."""


class OnDrop(Enum):
    """When a property is removed as its table feature is dropped."""

    STAYS = "stays"
    BEFORE = "before"
    """In a separate commit: later writers do not use the feature any more."""
    WITH_FEATURE = "with feature"
    """In the commit that takes the feature out of the protocol."""
    WITH_REWRITE = "with rewrite"
    """In the commit that writes the files anew without the feature."""


@dataclass(frozen=True, slots=True)
class Property(RegistryEntry[T]):
    """One `delta.*` property.

    `internal`: only the log's writers set it. `feature` is the table feature that it belongs to, and `switch` holds the
    texts, in lower case, that enable the feature; with `any_text_switches` every text does that is not empty.
    `of_one_table`: it describes the history of one table, so users cannot set it and clones do not copy it.
    """

    internal: bool = False
    feature: str | None = None
    switch: frozenset[str] = frozenset()
    any_text_switches: bool = False
    of_one_table: bool = False
    on_replace: OnReplace = OnReplace.GOES
    on_drop: OnDrop = OnDrop.STAYS

    def refusal(self, text: str) -> Exception:
        """The error for an illegal value: PropertyValueError, and for the isolation level IsolationLevelError."""
        if self.name == "delta.isolationLevel":
            return errors.IsolationLevelError(text)
        return errors.PropertyValueError(self.name, text, self.legal)

    def switches(self, text: str | None) -> bool:
        """Whether the value `text` enables the property's feature; an illegal value does not."""
        value = (text or "").strip()
        return bool(value) and (self.any_text_switches or value.lower() in self.switch)


KEYS = "deltasql.keys"
"""PRIMARY KEY and FOREIGN KEY, as JSON."""
TAGS = "deltasql.tags"
"""Tags of the table, a JSON object."""
COLUMN_TAGS = "deltasql.columnTags"
"""Tags of its columns, as JSON."""
REFRESH = "deltasql.refresh"
"""The last refresh of a materialized view or streaming table, as JSON: its definition, and the versions it has read."""
PROVIDER = "deltasql.provider"
"""`iceberg` for a table of the warehouse that was created USING iceberg."""

UNITY_TABLE_ID = "io.unitycatalog.tableId"
"""The number of a table in its Unity Catalog, which no other table may have."""

DELTASQL_PROPERTIES = frozenset({KEYS, TAGS, COLUMN_TAGS, REFRESH, PROVIDER})
_FORMATS = "delta.universalFormat.enabledFormats"
_OF_ICEBERG = {"delta.enableIcebergCompatV2": "true", _FORMATS: "iceberg"}


def without_deltasql_properties(configuration: Mapping[str, str]) -> dict[str, str]:
    """The properties that users see. The format of a table USING iceberg is its provider, not a property."""
    unseen = {_FORMATS, *DELTASQL_PROPERTIES} if PROVIDER in configuration else DELTASQL_PROPERTIES
    return {key: value for key, value in configuration.items() if key not in unseen}


def of_managed_iceberg(properties: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """The properties of a table of the warehouse USING iceberg: one of Delta that readers of Iceberg read as well."""
    return (*_OF_ICEBERG.items(), *(pair for pair in properties if pair[0] not in _OF_ICEBERG))


def provider(configuration: Mapping[str, str]) -> str:
    """The format of a table as it was declared: `delta` or `iceberg`."""
    return configuration.get(PROVIDER, "delta")


CONSTRAINT_PREFIX = "delta.constraints."
"""Prefix of the keys of CHECK constraints; the constraint's name follows, and the value is its SQL."""
FEATURE_PREFIX = "delta.feature."
FREE_PREFIXES = ("delta.universalformat.config.", "delta.workloadbasedcolumns.")
"""Prefixes, in lower case, below which every key is legal."""

PROPERTIES: Registry[Property[Any]] = Registry()


def properties_of(feature: str) -> Iterator[Property[Any]]:
    """The properties that belong to a table feature, the one that switches it first."""
    return (item for item in PROPERTIES.values() if item.feature == feature)


def switches() -> Iterator[Property[Any]]:
    """The properties that switch a table feature on."""
    return (item for item in PROPERTIES.values() if item.switch or item.any_text_switches)


def _flag(
    name: str,
    applies: str,
    documentation: str,
    *,
    feature: str | None = None,
    on_drop: OnDrop = OnDrop.STAYS,
    **marks: Any,
) -> Property[bool]:
    """A property that is true or false, false where it is not set; with `feature`, true switches that on."""
    switch = frozenset({"true"} if feature else ())
    return PROPERTIES.add(
        Property(
            name,
            boolean,
            "true, false",
            marks.pop("default", "false"),
            documentation,
            applies,
            feature=feature,
            switch=switch,
            on_drop=on_drop,
            **marks,
        )
    )


def _interval(name: str, default: str, applies: str, documentation: str) -> Property[int]:
    return PROPERTIES.add(Property(name, interval_ms, _INTERVALS, default, documentation, applies))


def _integer(name: str, default: str, least: int, applies: str, documentation: str, **marks: Any) -> Property[int]:
    legal = f"an integer, at least {least}"
    return PROPERTIES.add(Property(name, integer(least), legal, default, documentation, applies, **marks))


def _word(
    name: str, words: tuple[str, ...], default: str, applies: str, documentation: str, **marks: Any
) -> Property[str]:
    return PROPERTIES.add(Property(name, one_of(*words), ", ".join(words), default, documentation, applies, **marks))


def _maybe(
    name: str, read: Callable[[str], T], legal: str, applies: str, documentation: str, **marks: Any
) -> Property[T | None]:
    """A property without a default: its value is None where it is not set."""
    return PROPERTIES.add(Property(name, read, legal, None, documentation, applies, **marks))


def _stored(name: str, read: Callable[[str], Any], legal: str, default: str | None, documentation: str) -> None:
    """A property that deltasql checks and stores for other engines, and does not act on itself."""
    PROPERTIES.add(Property(name, read, legal, default, documentation, "other engines"))


_BOOLEANS = "true, false"
_INTERVALS = "an interval of weeks or less, such as 'interval 7 days'"
_LOG, _WRITES, _CHECKPOINTS = "the log's clean-up", "writes", "checkpoints"

APPEND_ONLY = _flag(
    "delta.appendOnly", _WRITES, "Rows are only added: DELETE, UPDATE and overwrites are refused.", feature="appendOnly"
)
ISOLATION_LEVEL = _word(
    "delta.isolationLevel",
    ("Serializable", "WriteSerializable"),
    "WriteSerializable",
    "commits",
    "How strictly statements that run at the same time are kept apart.",
)
COLUMN_MAPPING_MODE = _word(
    "delta.columnMapping.mode",
    ("none", "name", "id"),
    "none",
    "the schema",
    "Whether files know columns by physical names and ids, so that columns can be renamed and dropped.",
    feature="columnMapping",
    switch=frozenset({"name", "id"}),
    on_drop=OnDrop.WITH_REWRITE,
)
MAX_COLUMN_ID = _integer(
    "delta.columnMapping.maxColumnId",
    "0",
    0,
    "the schema",
    "The highest column id ever given.",
    internal=True,
    feature="columnMapping",
    of_one_table=True,
    on_drop=OnDrop.WITH_REWRITE,
)
CHANGE_DATA_FEED = _flag(
    "delta.enableChangeDataFeed",
    _WRITES,
    "The rows that each commit changes are recorded for `table_changes`.",
    feature="changeDataFeed",
)
DELETION_VECTORS = _flag(
    "delta.enableDeletionVectors",
    _WRITES,
    "Changed rows are marked in deletion vectors, so that their files stay.",
    feature="deletionVectors",
    on_replace=OnReplace.STAYS,
    on_drop=OnDrop.BEFORE,
)
TYPE_WIDENING = _flag(
    "delta.enableTypeWidening",
    "the schema",
    "Columns may change to wider types without new files.",
    feature="typeWidening",
    on_drop=OnDrop.BEFORE,
)
ROW_TRACKING = _flag(
    "delta.enableRowTracking",
    _WRITES,
    "Rows keep an id and the version that changed them last.",
    feature="rowTracking",
    on_drop=OnDrop.WITH_FEATURE,
)
ROW_TRACKING_SUSPENDED = PROPERTIES.add(
    Property(
        "delta.rowTrackingSuspended",
        boolean,
        _BOOLEANS,
        "false",
        "New files have no row ids for the time being.",
        _WRITES,
        feature="rowTracking",
        on_drop=OnDrop.WITH_FEATURE,
    )
)
ROW_ID_COLUMN = _maybe(
    "delta.rowTracking.materializedRowIdColumnName",
    any_text,
    "any text",
    "data files",
    "The column of data files that holds the ids of rows that moved.",
    internal=True,
    feature="rowTracking",
    of_one_table=True,
    on_drop=OnDrop.WITH_FEATURE,
)
ROW_VERSION_COLUMN = _maybe(
    "delta.rowTracking.materializedRowCommitVersionColumnName",
    any_text,
    "any text",
    "data files",
    "The column of data files that holds the versions which last changed the rows that moved.",
    internal=True,
    feature="rowTracking",
    of_one_table=True,
    on_drop=OnDrop.WITH_FEATURE,
)
IN_COMMIT_TIMESTAMPS = _flag(
    "delta.enableInCommitTimestamps",
    "commits",
    "Commits have a timestamp inside, which time travel then uses.",
    feature="inCommitTimestamp",
    on_replace=OnReplace.STAYS_WHILE_ON,
    on_drop=OnDrop.BEFORE,
)
TIMESTAMPS_SINCE_VERSION = _maybe(
    "delta.inCommitTimestampEnablementVersion",
    integer(0),
    "an integer, at least 0",
    "time travel",
    "The first version with a timestamp inside, if that is not the table's first.",
    internal=True,
    feature="inCommitTimestamp",
    of_one_table=True,
    on_replace=OnReplace.STAYS_WHILE_ON,
    on_drop=OnDrop.BEFORE,
)
TIMESTAMPS_SINCE_TIME = _maybe(
    "delta.inCommitTimestampEnablementTimestamp",
    integer(0),
    "an integer, at least 0",
    "time travel",
    "The time, in milliseconds, of the first version with a timestamp inside.",
    internal=True,
    feature="inCommitTimestamp",
    of_one_table=True,
    on_replace=OnReplace.STAYS_WHILE_ON,
    on_drop=OnDrop.BEFORE,
)
PROTECTED_BEFORE = _integer(
    "delta.requireCheckpointProtectionBeforeVersion",
    "0",
    0,
    _LOG,
    "Versions before this one are only deleted all at once: a dropped feature left traces in them.",
    internal=True,
    feature="checkpointProtection",
    of_one_table=True,
    on_replace=OnReplace.STAYS,
    on_drop=OnDrop.WITH_FEATURE,
)
CHECKPOINT_INTERVAL = _integer(
    "delta.checkpointInterval", "10", 1, _CHECKPOINTS, "How many commits there are from one checkpoint to the next."
)
CHECKPOINT_POLICY = _word(
    "delta.checkpointPolicy",
    ("classic", "v2"),
    "classic",
    _CHECKPOINTS,
    "Which form checkpoints have.",
    feature="v2Checkpoint",
    switch=frozenset({"v2"}),
)
STATS_AS_JSON = _flag(
    "delta.checkpoint.writeStatsAsJson", _CHECKPOINTS, "Checkpoints hold statistics as JSON.", default="true"
)
STATS_AS_STRUCT = _flag(
    "delta.checkpoint.writeStatsAsStruct",
    _CHECKPOINTS,
    "Checkpoints hold statistics and partition values in typed columns.",
    default="true",
)
INDEXED_COLUMNS = _integer(
    "delta.dataSkippingNumIndexedCols",
    "32",
    -1,
    "statistics",
    "How many leaf columns have statistics, from the first on; -1 for all.",
)
STATS_COLUMNS = _maybe(
    "delta.dataSkippingStatsColumns",
    column_paths,
    "a comma list of columns, such as 'a, b.c, `x y`'",
    "statistics",
    "The columns that have statistics, in place of the first ones.",
)
STATS_STRING_PREFIX = _integer(
    "delta.dataSkippingStringPrefixLength",
    "32",
    0,
    "statistics",
    "How many characters of a string its minimum and maximum keep.",
)
DELETED_FILE_RETENTION = _interval(
    "delta.deletedFileRetentionDuration",
    "interval 1 week",
    "VACUUM",
    "How long ago a file must have left the table before it may be deleted.",
)
LOG_RETENTION = _interval(
    "delta.logRetentionDuration", "interval 30 days", _LOG, "How old commits must be before they may be deleted."
)
LOG_CLEANUP = _flag(
    "delta.enableExpiredLogCleanup", _LOG, "Expired log files are deleted after checkpoints.", default="true"
)
DROP_FEATURE_RETENTION = _interval(
    "delta.dropFeatureTruncateHistory.retentionDuration",
    "interval 24 hours",
    "DROP FEATURE … TRUNCATE HISTORY",
    "How old versions with a feature must be before they may go with it.",
)
TRANSACTION_RETENTION = _maybe(
    "delta.setTransactionRetentionDuration",
    interval_ms,
    _INTERVALS,
    _CHECKPOINTS,
    "The age at which the last version of an application that writes idempotently is forgotten.",
)
TARGET_FILE_SIZE = _maybe(
    "delta.targetFileSize",
    byte_size,
    "a size such as 104857600, 100mb or 1g",
    "OPTIMIZE, auto compaction, optimized writes",
    "How big the files are that layouts of tables are made of.",
)
AUTO_OPTIMIZE = _maybe(
    "delta.autoOptimize", boolean, _BOOLEANS, _WRITES, "Both of the `delta.autoOptimize.…`, where they are not set."
)
OPTIMIZE_WRITE = _maybe(
    "delta.autoOptimize.optimizeWrite", boolean, _BOOLEANS, _WRITES, "Spark shuffles rows into fewer, larger files."
)
AUTO_COMPACT = _maybe(
    "delta.autoOptimize.autoCompact",
    compaction,
    "true, false, auto, legacy, 1, 0",
    _WRITES,
    "Small files are put together after writes.",
)
ICEBERG_COMPAT_V1 = _flag(
    "delta.enableIcebergCompatV1",
    _WRITES,
    "Files are such that Iceberg metadata V1 fits them.",
    feature="icebergCompatV1",
)
ICEBERG_COMPAT_V2 = _flag(
    "delta.enableIcebergCompatV2",
    _WRITES,
    "Files are such that Iceberg metadata V2 fits them.",
    feature="icebergCompatV2",
)
ICEBERG_COMPAT_V3 = _flag(
    "delta.enableIcebergCompatV3",
    _WRITES,
    "Files are such that Iceberg metadata V3 fits them.",
    feature="icebergCompatV3",
)
ICEBERG_COMPATS = (ICEBERG_COMPAT_V1, ICEBERG_COMPAT_V2, ICEBERG_COMPAT_V3)
UNIVERSAL_FORMATS = PROPERTIES.add(
    Property(
        "delta.universalFormat.enabledFormats",
        some_of("iceberg", "hudi"),
        "a comma list of iceberg, hudi",
        "",
        "The other formats whose readers may read the table; deltasql writes the metadata of iceberg.",
        "commits",
    )
)
MANIFESTS = _flag(
    "delta.compatibility.symlinkFormatManifest.enabled",
    "commits",
    "Commits are followed by manifests for readers of symlink tables.",
)
MATERIALIZED_PARTITIONS = _flag(
    "delta.enableMaterializePartitionColumnsFeature",
    "data files",
    "New data files hold the partition columns too.",
    feature="materializePartitionColumns",
    on_drop=OnDrop.BEFORE,
)
PROPERTIES.add(
    Property(
        "delta.writePartitionColumnsToParquet",
        boolean,
        _BOOLEANS,
        None,
        "Data files hold the partition columns too.",
        "other engines",
        feature="materializePartitionColumns",
        on_drop=OnDrop.BEFORE,
    )
)
VARIANT_SHREDDING = _flag(
    "delta.enableVariantShredding",
    "data files",
    "Frequent fields of VARIANT values are stored in separate columns.",
    feature="variantShredding-preview",
)
for _name, _feature in (
    ("delta.coordinatedCommits.commitCoordinator-preview", "coordinatedCommits-preview"),
    ("delta.redirectReaderWriter-preview", "redirectReaderWriter-preview"),
    ("delta.redirectWriterOnly-preview", "redirectWriterOnly-preview"),
):
    _maybe(
        _name,
        any_text,
        "any text",
        "other engines",
        "Switches a feature on that deltasql refuses to write.",
        feature=_feature,
        any_text_switches=True,
    )
_stored(
    "delta.coordinatedCommits.commitCoordinatorConf-preview", any_text, "any text", None, "The coordinator's settings."
)
_stored(
    "delta.coordinatedCommits.tableConf-preview", any_text, "any text", None, "The coordinator's words on the table."
)
_stored(
    "delta.checkpointRetentionDuration", interval_ms, _INTERVALS, "interval 2 days", "How long checkpoints are kept."
)
_stored(
    "delta.enableFullRetentionRollback", boolean, _BOOLEANS, "true", "Time travel reaches as far as the log is kept."
)
PARQUET_VERSION = _maybe(
    "delta.parquet.format.version",
    one_of("1.0.0", "2.12.0"),
    "1.0.0, 2.12.0",
    "data files",
    "The version of Parquet of new files: 2.12.0 has data pages of version 2; 1.0.0, where nobody says, of version 1.",
)
COMPRESSION_CODEC = _maybe(
    "delta.parquet.compression.codec",
    one_of(*CODECS),
    ", ".join(CODECS),
    "data files",
    "How new files are compressed; by snappy, where neither this nor Spark's setting says.",
)
_stored("delta.randomizeFilePrefixes", boolean, _BOOLEANS, "false", "Data files lie in directories of random names.")
_stored("delta.randomPrefixLength", integer(1), "an integer, at least 1", "2", "How long these random names are.")
_stored("delta.sampleRetentionDuration", interval_ms, _INTERVALS, "interval 7 days", "How long samples are kept.")
_stored("delta.tuneFileSizesForRewrites", boolean, _BOOLEANS, None, "Files are small where rows are often changed.")
_stored("delta.castIcebergTimeType", boolean, _BOOLEANS, "false", "Conversion from Iceberg takes TIME as a number.")
_stored(
    "delta.ignoreIcebergBucketPartition",
    boolean,
    _BOOLEANS,
    "false",
    "Conversion from Iceberg passes over partitions by bucket.",
)

IGNORE_PROTOCOL_DEFAULTS: Property[bool] = Property(
    "delta.ignoreProtocolDefaults",
    boolean,
    _BOOLEANS,
    "false",
    "The session's defaults about versions and features do not count; it is not stored.",
    "CREATE TABLE",
)


class TableProperties:
    """Typed values of `configuration`, the texts of a metaData action: `properties[CHECKPOINT_INTERVAL]`."""

    __slots__ = ("configuration",)

    def __init__(self, configuration: Mapping[str, str]) -> None:
        self.configuration = configuration

    def __getitem__(self, entry: Property[T]) -> T:
        """The value of a property, or its default.

        Raises PropertyValueError, or IsolationLevelError, for an illegal text, which another engine has written.
        """
        return entry.value(self.configuration.get(entry.name))

    def __contains__(self, entry: Property[Any]) -> bool:
        """Whether the table sets the property itself."""
        return entry.name in self.configuration

    def switches_on(self, entry: Property[Any]) -> bool:
        """Whether the table enables a feature by this property.

        Never raises, because reading the log depends on it: an illegal text enables nothing.
        """
        return entry.switches(self.configuration.get(entry.name))

    @property
    def maps_columns(self) -> bool:
        """Whether columns have physical names of their own. Raises PropertyValueError for an unknown mode."""
        return self[COLUMN_MAPPING_MODE] != "none"

    @property
    def constraints(self) -> dict[str, str]:
        """CHECK expressions by the lower-case name of their constraint, in the order of the names."""
        prefix = CONSTRAINT_PREFIX
        constraints = {key.lower(): sql for key, sql in self.configuration.items() if key.lower().startswith(prefix)}
        return {key[len(prefix) :]: constraints[key] for key in sorted(constraints)}
