"""TBLPROPERTIES: checks of a list, the protocol that it needs, and properties that decide how files are read.

Keys are matched without case and stored in their canonical spelling. Protocol, schema and properties together decide
whether deltasql may read or write a table. Source: Delta protocol, Table Features.

Properties also say whether commits have in-commit timestamps, and since when (Source: Delta protocol, In-Commit
Timestamps), which columns have statistics in the log (Source: Per-file Statistics), and how data files name the
partition columns (Source: Column Mapping).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from deltasql.base import OPEN_SET, did_you_mean, errors
from deltasql.log.actions.actions import Metadata
from deltasql.log.configuration.row_ids import check_compatible
from deltasql.log.protocol import (
    CATALOG_MANAGED,
    FEATURES,
    MAX_READER_VERSION,
    MAX_WRITER_VERSION,
    Protocol,
    Support,
    find_feature,
    requested_features,
    with_required,
    without_previewed,
)
from deltasql.log.table_properties import (
    CONSTRAINT_PREFIX,
    DELETED_FILE_RETENTION,
    DELETION_VECTORS,
    DELTASQL_PROPERTIES,
    FEATURE_PREFIX,
    FREE_PREFIXES,
    IGNORE_PROTOCOL_DEFAULTS,
    IN_COMMIT_TIMESTAMPS,
    INDEXED_COLUMNS,
    LOG_RETENTION,
    MANIFESTS,
    PROPERTIES,
    ROW_TRACKING,
    ROW_TRACKING_SUSPENDED,
    STATS_COLUMNS,
    STATS_STRING_PREFIX,
    TIMESTAMPS_SINCE_TIME,
    TIMESTAMPS_SINCE_VERSION,
    TableProperties,
)
from deltasql.schema import (
    PHYSICAL_NAME,
    DataType,
    StructType,
    check_foreign,
    folded,
    path_text,
    physical_name,
    type_text,
    unsupported_changes,
)

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
    parsed = _with_timestamps(_parse(items, allow_arbitrary, on_create))
    if not defaults:
        return parsed
    session = _parse(((f"delta.{key}", value) for key, value in defaults.items()), allow_arbitrary, on_create)
    session = _with_timestamps(session)
    configuration = {**session.configuration, **parsed.configuration}
    if parsed.ignore_protocol_defaults:
        return replace(parsed, configuration=configuration)
    return ParsedProperties(
        configuration,
        session.features | parsed.features,
        session.min_reader if parsed.min_reader is None else parsed.min_reader,
        session.min_writer if parsed.min_writer is None else parsed.min_writer,
        parsed.comment,
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
        elif folded == IGNORE_PROTOCOL_DEFAULTS.name.lower():
            ignore_defaults = IGNORE_PROTOCOL_DEFAULTS.value(value)
        else:
            stored_key, stored_value = _stored(key, value, allow_arbitrary)
            configuration[stored_key] = stored_value
    reader, writer = versions.get("delta.minreaderversion"), versions.get("delta.minwriterversion")
    return ParsedProperties(configuration, frozenset(features), reader, writer, comment, ignore_defaults)


def _with_timestamps(parsed: ParsedProperties) -> ParsedProperties:
    """The list, with the in-commit timestamps that a catalog-managed table must have."""
    if CATALOG_MANAGED not in parsed.features:
        return parsed
    return replace(parsed, configuration={IN_COMMIT_TIMESTAMPS.name: "true", **parsed.configuration})


def canonical_key(key: str) -> str:
    """`key` as the table stores it: the canonical spelling of a known `delta.*` key, any other key as it is."""
    folded = key.lower()
    if folded in _ALIASES:
        return _ALIASES[folded]
    if folded.startswith((CONSTRAINT_PREFIX, *FREE_PREFIXES)):
        return folded
    entry = PROPERTIES.find(key)
    return entry.name if entry else key


def unset_properties(
    configuration: Mapping[str, str], keys: Iterable[str], *, if_exists: bool, table: str = "the table"
) -> dict[str, str]:
    """`configuration` without `keys`. Raises UnsetMissingPropertyError unless `if_exists`, InternalPropertyError."""
    names = [canonical_key(key) for key in keys]
    for name in names:
        _check_not_internal(name)
    missing = [name for name in names if name not in configuration]
    if missing and not if_exists:
        raise errors.UnsetMissingPropertyError(missing[0], table)
    return {key: value for key, value in configuration.items() if key not in names}


def check_configuration(configuration: Mapping[str, str], *, table: str = "the table", retention: bool = True) -> None:
    """Properties that exclude each other: raises PropertyCombinationError, RowTrackingPropertiesError.

    `retention=False` allows the log to be kept for less time than deleted files
    (`spark.databricks.delta.vacuum.enforceDeletedFileAndLogRetentionDurationCompatibility`).
    """
    properties = TableProperties(configuration)
    if retention and properties[LOG_RETENTION] < properties[DELETED_FILE_RETENTION]:
        both = (LOG_RETENTION, DELETED_FILE_RETENTION)
        log, files = (f"{item.name} ({configuration.get(item.name, item.default)})" for item in both)
        raise errors.PropertyCombinationError(table, f"{log} must not be shorter than {files}")
    if properties[ROW_TRACKING] and properties[ROW_TRACKING_SUSPENDED]:
        raise errors.RowTrackingPropertiesError(table)


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
    `Protocol.with_versions`, `check_compatible` and `check_manifests` raise.
    """
    reader, writer = parsed.min_reader, parsed.min_writer
    base = current or _start(defaults, reader, writer)
    explicit = parsed.features | frozenset(explicit_features)
    requested = without_previewed(requested_features(schema, configuration), base.features | explicit)
    features = without_previewed(with_required(requested | explicit), base.features | explicit) | explicit
    refused = sorted(name for name in features if _refused(name) and (name in requested or name not in base.features))
    if refused:
        raise errors.UnsupportedWriteFeaturesError(table, refused)
    _check_manual(requested - explicit - base.features, table, new=current is None or creating)
    protocol = base.with_features(features).with_versions(reader, writer)
    check_compatible(schema, configuration, protocol.features, table)
    check_manifests(configuration, table)
    return protocol


def check_manifests(configuration: Mapping[str, str], table: str) -> None:
    """Raises ManifestPropertiesError, MappedManifestError for manifests of tables that their readers would misread."""
    properties = TableProperties(configuration)
    if not properties[MANIFESTS]:
        return
    if properties[DELETION_VECTORS]:
        raise errors.ManifestPropertiesError(table=table)
    if properties.maps_columns:
        raise errors.MappedManifestError(table=table)


def _feature(name: str, value: str, on_create: bool) -> str:
    feature = find_feature(name).name
    if value.strip().lower() not in {"supported", "enabled"}:
        raise errors.FeatureStatusError(feature, value)
    if feature == "clustering":
        raise (
            errors.CreateWithClusteringFeatureError(feature)
            if on_create
            else errors.AlterWithClusteringFeatureError(feature)
        )
    return feature


def _version(key: str, value: str) -> int:
    try:
        return int(value)
    except ValueError as error:
        raise errors.ProtocolPropertyError(key, value) from error


def _stored(key: str, value: str, allow_arbitrary: bool) -> tuple[str, str]:
    """The key and value that the table stores."""
    folded = key.lower()
    if not folded.startswith("delta."):
        _check_reserved(folded)
        return key, value
    if folded.startswith(CONSTRAINT_PREFIX):
        raise errors.ConstraintPropertyError(key, key[len(CONSTRAINT_PREFIX) :])
    stored = canonical_key(key)
    item = PROPERTIES.get(stored)
    if item is None:
        if not allow_arbitrary and not folded.startswith(FREE_PREFIXES):
            raise errors.UnknownPropertyError(key, did_you_mean(key, PROPERTIES, cutoff=OPEN_SET))
        return stored, value
    if item.internal:
        raise errors.InternalPropertyError(item.name)
    read = item.value(value)
    # Other engines compare these words with case.
    return item.name, read if isinstance(read, str) else value


def _check_reserved(folded: str) -> None:
    if folded == "provider":
        raise errors.ProviderPropertyError
    if folded == "location":
        raise errors.LocationPropertyError
    if folded == "clusteringcolumns":
        raise errors.InternalPropertyError("clusteringColumns")
    if folded in _RESERVED:
        raise errors.ReservedPropertyError(folded)
    _check_not_internal(folded)


def _check_not_internal(key: str) -> None:
    """Raises InternalPropertyError for what statements of their own keep: keys and tags."""
    for name in DELTASQL_PROPERTIES:
        if name.lower() == key.lower():
            raise errors.InternalPropertyError(name)


def _start(defaults: Protocol, reader: int | None, writer: int | None) -> Protocol:
    """A new table's protocol before its features; at writer version 7 it supports nothing by itself."""
    versions = max(reader or 1, defaults.min_reader_version), max(writer or 1, defaults.min_writer_version)
    return Protocol(1, 1).with_versions(*versions)


def _refused(name: str) -> bool:
    return name in FEATURES and FEATURES[name].write not in {Support.YES, Support.PUBLISHED}


def _check_manual(missing: frozenset[str], table: str, *, new: bool) -> None:
    if "allowColumnDefaults" in missing:
        enabling = "TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')"
        advice = f"Add {enabling} to the statement." if new else f"Run: ALTER TABLE {table} SET {enabling}"
        raise errors.ColumnDefaultsNotEnabledError(table, advice)
    names = [] if new else sorted(name for name in missing if FEATURES[name].manual)
    if names:
        properties = ", ".join(f"'delta.feature.{name}' = 'supported'" for name in names)
        raise errors.ManualFeaturesError(table, names, properties)


def has_commit_timestamps(metadata: Metadata) -> bool:
    """Whether the table's commits carry their own timestamps."""
    return metadata.properties.switches_on(IN_COMMIT_TIMESTAMPS)


def first_with_timestamp(metadata: Metadata) -> int | None:
    """The first version with a timestamp of its own; None if the table's commits have none."""
    return (metadata.properties[TIMESTAMPS_SINCE_VERSION] or 0) if has_commit_timestamps(metadata) else None


def with_enablement(metadata: Metadata, version: int, timestamp_ms: int) -> Metadata:
    """The metadata of the commit that turns timestamps on in a table that has commits without them."""
    since = {TIMESTAMPS_SINCE_VERSION.name: str(version), TIMESTAMPS_SINCE_TIME.name: str(timestamp_ms)}
    return metadata.with_configuration(since)


def check_readable(
    protocol: Protocol,
    table: str,
    schema: StructType | None = None,
    configuration: Mapping[str, str] | None = None,
    *,
    by_version: bool = False,
    by_catalog: bool = False,
) -> None:
    """Raises when deltasql cannot read such a table; `by_version`, one of its versions that was asked for by number,
    `by_catalog`, the version that its catalog says is the latest.

    InvalidProtocolVersionError, UnsupportedReadFeaturesError, what `check_foreign` raises, and
    UnsupportedTypeChangeError where old files may hold a type that is not read as the present one. With schema and
    configuration, features that the metadata does not use are forgiven where that is safe; without them, every
    supported feature counts as used.
    """
    _check_versions(protocol, table, protocol.min_reader_version, 1)
    features = set(protocol.reader_features or ())
    if protocol.min_reader_version == 2:
        features.add("columnMapping")
    refused = _support_refused(protocol, features, "read", schema, configuration)
    _check_features(refused, table, published=by_version or by_catalog)
    if schema is not None:
        check_foreign(schema, table)
    if schema is not None and features & {"typeWidening", "typeWidening-preview"}:
        for change in unsupported_changes(schema):
            old, new = type_text(change.old), type_text(change.new)
            raise errors.UnsupportedTypeChangeError(table, path_text(change.path), old, new)


def _check_features(refused: list[str], table: str, *, published: bool) -> None:
    """Raises UnsupportedReadFeaturesError, which is CatalogManagedError where a version by its number can be read."""
    unknown = [name for name in refused if not _is_published(name)]
    if unknown:
        raise errors.UnsupportedReadFeaturesError(table, refused)
    if refused and not published:
        raise errors.CatalogManagedError(table, refused)


def check_writable(
    protocol: Protocol,
    table: str,
    schema: StructType | None = None,
    configuration: Mapping[str, str] | None = None,
    *,
    by_catalog: bool = False,
) -> None:
    """Raises when deltasql cannot write such a table; that it must be readable too is part of the check.

    With `by_catalog` the commit goes through the catalog that manages the table. What `check_readable` raises,
    ManagedElsewhereError, UnsupportedWriteFeaturesError, and with schema and configuration also what
    `check_compatible` raises and ManagedTimestampsError.
    """
    refused = _support_refused(protocol, protocol.features, "write", schema, configuration)
    managed = [name for name in refused if _is_published(name)]
    if managed and not by_catalog:
        raise errors.ManagedElsewhereError(table, managed)
    check_readable(protocol, table, schema, configuration, by_catalog=by_catalog)
    _check_versions(protocol, table, protocol.min_reader_version, protocol.min_writer_version)
    refused = [name for name in refused if name != CATALOG_MANAGED]
    if refused:
        raise errors.UnsupportedWriteFeaturesError(table, refused)
    if schema is None or configuration is None:
        return
    check_compatible(schema, configuration, protocol.features, table)
    if managed and not TableProperties(configuration)[IN_COMMIT_TIMESTAMPS]:
        raise errors.ManagedTimestampsError(table)


def _check_versions(protocol: Protocol, table: str, reader: int, writer: int) -> None:
    if not (1 <= reader <= MAX_READER_VERSION and 1 <= writer <= MAX_WRITER_VERSION):
        raise errors.InvalidProtocolVersionError(table, protocol.min_reader_version, protocol.min_writer_version)
    if protocol.min_reader_version == MAX_READER_VERSION and protocol.min_writer_version < MAX_WRITER_VERSION:
        raise errors.ReadFeaturesNeedWriterVersionError(protocol.min_reader_version, protocol.min_writer_version)


def _support_refused(
    protocol: Protocol,
    features: Iterable[str],
    operation: str,
    schema: StructType | None,
    configuration: Mapping[str, str] | None,
) -> list[str]:
    refused = sorted(name for name in features if not _respected(name, operation, active=True))
    if refused and schema is not None and configuration is not None:
        active = protocol.active(schema, configuration)
        refused = [name for name in refused if not _respected(name, operation, name in active)]
    return refused


def _is_published(name: str) -> bool:
    """Whether a table with this feature is read by the number of a version alone."""
    feature = FEATURES.get(name)
    return feature is not None and feature.read is Support.PUBLISHED


def _respected(name: str, operation: str, active: bool) -> bool:
    feature = FEATURES.get(name)
    if feature is None:
        return False
    support = feature.read if operation == "read" else feature.write
    return support is Support.YES or (support is Support.INACTIVE and not active)


@dataclass(frozen=True, slots=True)
class IndexRule:
    """Which leaf columns get statistics: those at or below `columns`, or else the first `leaves` (-1: all).

    `columns` are paths in lower case.
    """

    columns: tuple[tuple[str, ...], ...] | None = None
    leaves: int = 32
    string_prefix: int = 32


@dataclass(frozen=True, slots=True)
class IndexedColumn:
    """A column that statistics are about; an array or map is one leaf.

    `path` has physical names, `names` has those of the schema.
    """

    path: tuple[str, ...]
    type: DataType
    names: tuple[str, ...] = ()


def index_rule(configuration: Mapping[str, str]) -> IndexRule:
    """The rule that a table's properties set (`delta.dataSkipping…`). Raises PropertyValueError."""
    properties = TableProperties(configuration)
    columns = properties[STATS_COLUMNS]
    return IndexRule(
        None if columns is None else tuple(folded(path) for path in columns),
        properties[INDEXED_COLUMNS],
        properties[STATS_STRING_PREFIX],
    )


def indexed_leaves(schema: StructType, partition_columns: Sequence[str], rule: IndexRule) -> list[IndexedColumn]:
    """Leaf columns of the data files that `rule` selects, in schema order."""
    partitions = {name.lower() for name in partition_columns}
    data = StructType(tuple(item for item in schema if item.name.lower() not in partitions))
    leaves = list(_leaves(data, (), ()))
    if rule.columns is not None:
        return [leaf for leaf in leaves if any(folded(leaf.names)[: len(path)] == path for path in rule.columns)]
    return leaves[: None if rule.leaves < 0 else rule.leaves]


def _leaves(parent: StructType, names: tuple[str, ...], path: tuple[str, ...]) -> Iterator[IndexedColumn]:
    for item in parent:
        below = (*names, item.name), (*path, physical_name(item))
        if isinstance(item.type, StructType):
            yield from _leaves(item.type, *below)
        else:
            yield IndexedColumn(below[1], item.type, below[0])


def partition_keys(metadata: Metadata) -> list[str]:
    """The keys of `partitionValues` in file actions, in the order of the partition columns.

    They are physical names where the table maps columns, else the names of the columns.
    """
    if not metadata.properties.maps_columns:
        return list(metadata.partition_columns)
    names = []
    for name in metadata.partition_columns:
        column = metadata.schema.find(name)
        names.append(str(column.metadata.get(PHYSICAL_NAME, name)) if column else name)
    return names
