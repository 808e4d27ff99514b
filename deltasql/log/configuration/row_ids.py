"""Row tracking in the log, and requirements on tables that are also read as Iceberg.

A row has an id, and the version that last changed it. Both are written into a file only where a row moved there from
another one; else they follow from two numbers of the file's add action: the id of its first row, and the version that
added it. Source: Delta protocol, Row Tracking.

Source of the requirements: Delta protocol, Iceberg Compatibility V1 and V2.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from types import MappingProxyType
from uuid import uuid4

from deltasql.base import errors, pa
from deltasql.log.actions.actions import Action, AddFile, DomainMetadata, Metadata, RemoveFile, record_count
from deltasql.log.actions.commit_file import CommitFile
from deltasql.log.operations import BACKFILL
from deltasql.log.protocol import Protocol
from deltasql.log.storage.listing import canonical
from deltasql.log.table_properties import (
    COLUMN_MAPPING_MODE,
    DELETION_VECTORS,
    ICEBERG_COMPAT_V1,
    ICEBERG_COMPATS,
    ROW_ID_COLUMN,
    ROW_TRACKING,
    ROW_TRACKING_SUSPENDED,
    ROW_VERSION_COLUMN,
    UNIVERSAL_FORMATS,
    TableProperties,
)
from deltasql.plan import make_note
from deltasql.schema import (
    ArrayType,
    DataType,
    MapType,
    PrimitiveType,
    RowIdColumns,
    StructType,
    Widening,
    is_shape,
    path_text,
    type_text,
    unsupported_changes,
    walk,
)

ROW_TRACKING_FEATURE = "rowTracking"


ROW_TRACKING_DOMAIN = "delta.rowTracking"


PRESERVED_TAG = "delta.rowTracking.preserved"


ENABLEMENT_TAG = "rowTrackingEnablementOnly"


FileIds = tuple["int | None", "int | None"]


def assigns_row_ids(protocol: Protocol, metadata: Metadata) -> bool:
    """True if every file that is added must have row ids."""
    return ROW_TRACKING_FEATURE in protocol.features and not metadata.properties[ROW_TRACKING_SUSPENDED]


def tracks_rows(protocol: Protocol, metadata: Metadata) -> bool:
    """True if rows can be asked for their ids, and keep them when they move."""
    return ROW_TRACKING_FEATURE in protocol.features and metadata.properties.switches_on(ROW_TRACKING)


def row_id_columns(protocol: Protocol, metadata: Metadata) -> RowIdColumns | None:
    """The columns of a table that tracks its rows; None for any other, and where the names are missing."""
    names = (metadata.properties[ROW_ID_COLUMN], metadata.properties[ROW_VERSION_COLUMN])
    if not tracks_rows(protocol, metadata) or names[0] is None or names[1] is None:
        return None
    return RowIdColumns(names[0], names[1])


def with_row_id_columns(metadata: Metadata, protocol: Protocol, old: Mapping[str, str]) -> Metadata:
    """`metadata` with names for the columns of moved rows if the table tracks rows: those of `old`, else new ones.

    They hold a UUID, so that no column of the table has them; `old` is the configuration before.
    """
    ids, versions = ROW_ID_COLUMN.name, ROW_VERSION_COLUMN.name
    configuration = {key: value for key, value in metadata.configuration.items() if key not in {ids, versions}}
    if ROW_TRACKING_FEATURE in protocol.features:
        configuration[ids] = old.get(ids) or f"_row-id-col-{uuid4()}"
        configuration[versions] = old.get(versions) or f"_row-commit-version-col-{uuid4()}"
    if configuration == metadata.configuration:
        return metadata
    return replace(metadata, configuration=MappingProxyType(configuration))


def high_water_mark(domains: Mapping[str, str]) -> int:
    """The highest row id ever given, from a snapshot's domains; -1 if there is none."""
    return _mark(domains.get(ROW_TRACKING_DOMAIN))


@dataclass(frozen=True, slots=True)
class RowNumbering:
    """Gives row ids to the files of one commit; `highest` is the last one given when its transaction read the table."""

    highest: int
    table: str
    root: str

    def numbered(
        self, actions: Sequence[Action], version: int, winners: Iterable[CommitFile], added: pa.Table | None = None
    ) -> tuple[list[Action], pa.Table | None]:
        """The actions as they go into commit `version`, and the adds of a table: files without row ids have fresh ones.

        `winners` came in between: what they gave out is not given again, and a file that a backfill has numbered has
        those ids. The new highest id is the last action, if it rose. `added` is as `file_tables.ADD`; its files come
        after the others.
        Raises RowIdsWithoutStatisticsError for a file whose number of rows is not known.
        """
        start, backfilled = self._on_top_of(winners)
        highest = start
        result: list[Action] = []
        for action in actions:
            with_ids = _with_ids(action, backfilled, self.root) if backfilled else action
            if isinstance(with_ids, AddFile):
                with_ids, highest = _numbered_add(with_ids, highest, version, self.table)
            result.append(with_ids)
        if added is not None:
            from deltasql.log.actions.file_tables import numbered_adds, with_backfilled_ids

            known_ids = with_backfilled_ids(added, backfilled, self.root) if backfilled else added
            added, highest = numbered_adds(known_ids, highest, version, self.table)
        return ([*result, _domain(highest)] if highest > start else result), added

    def _on_top_of(self, winners: Iterable[CommitFile]) -> tuple[int, dict[str, FileIds]]:
        """The highest id given so far, and the ids that backfills among the winners have given to files."""
        highest = self.highest
        backfilled: dict[str, FileIds] = {}
        for commit in winners:
            domain = commit.domains.get(ROW_TRACKING_DOMAIN)
            highest = max(highest, _mark(None if domain is None else domain.configuration))
            if commit.info is not None and commit.info.operation == BACKFILL.name:
                backfilled |= _ids_of(commit, self.table, self.root)
        return highest, backfilled


def still_to_number(actions: Iterable[Action], touched: Collection[str], root: str) -> list[Action]:
    """The actions of a backfill, or of its opposite, without the files that winners have touched."""
    return [item for item in actions if not isinstance(item, AddFile) or canonical(item.path, root) not in touched]


def touched_files(winners: Iterable[CommitFile], table: str, root: str) -> set[str]:
    """The canonical paths of the files that some commits have removed, added or stated anew."""
    touched: set[str] = set()
    for commit in winners:
        plain = commit.materialized(table)
        touched |= {canonical(item["path"], root) for item in (*plain.adds, *plain.removes)}
    return touched


def _numbered_add(add: AddFile, highest: int, version: int, table: str) -> tuple[AddFile, int]:
    if add.base_row_id is not None and add.default_row_commit_version is not None:
        return add, highest
    base = add.base_row_id
    if base is None:
        rows = record_count(add.stats)
        if rows is None:
            raise errors.RowIdsWithoutStatisticsError(table, add.path)
        base, highest = highest + 1, highest + rows
    since = version if add.default_row_commit_version is None else add.default_row_commit_version
    return replace(add, base_row_id=base, default_row_commit_version=since), highest


def _with_ids(action: Action, ids: Mapping[str, FileIds], root: str) -> Action:
    """A file action that lacks row ids with those that a backfill has given to its file meanwhile."""
    if not isinstance(action, (AddFile, RemoveFile)) or action.base_row_id is not None:
        return action
    base, version = ids.get(canonical(action.path, root), (None, None))
    return replace(action, base_row_id=base, default_row_commit_version=version)


def _ids_of(commit: CommitFile, table: str, root: str) -> dict[str, FileIds]:
    return {
        canonical(add["path"], root): (add.get("baseRowId"), add.get("defaultRowCommitVersion"))
        for add in commit.materialized(table).adds
    }


def _mark(configuration: str | None) -> int:
    return -1 if configuration is None else int(json.loads(configuration).get("rowIdHighWaterMark", -1))


def _domain(highest: int) -> DomainMetadata:
    return DomainMetadata(
        ROW_TRACKING_DOMAIN,
        json.dumps({"rowIdHighWaterMark": highest, "domainName": ROW_TRACKING_DOMAIN}, separators=(",", ":")),
    )


_KEYS = {item.name: str(item.feature) for item in ICEBERG_COMPATS}


COMPAT_TAG = "ICEBERG_COMPAT_VERSION"
"""Tag of a data file: it has the field ids, and the partition columns, of this version."""


_LACKING = frozenset({"variant", "void"})


def compat_key(version: int) -> str:
    """The property that enables a version of Iceberg compatibility."""
    return ICEBERG_COMPATS[version - 1].name


def compat_keys(configuration: Mapping[str, str]) -> list[str]:
    """The properties of Iceberg compatibility that are true."""
    properties = TableProperties(configuration)
    return [item.name for item in ICEBERG_COMPATS if properties.switches_on(item)]


def converts_to_iceberg(configuration: Mapping[str, str]) -> bool:
    """Whether commits are followed by Iceberg metadata."""
    return "iceberg" in universal_formats(configuration)


def universal_formats(configuration: Mapping[str, str]) -> set[str]:
    """The formats besides Delta in which readers may read the table."""
    listed = configuration.get(UNIVERSAL_FORMATS.name, "").split(",")
    return {name.strip().lower() for name in listed} - {""}


def check_iceberg_library(table: str) -> None:
    """Raises MissingIcebergLibraryError where PyIceberg, an optional dependency, is not installed."""
    if find_spec("pyiceberg") is None:
        raise errors.MissingIcebergLibraryError(table)


def stores_partitions(protocol: Protocol, configuration: Mapping[str, str]) -> bool:
    """Whether data files hold the partition columns too: by a feature of its own, or because Iceberg wants them."""
    return bool(compat_keys(configuration)) or "materializePartitionColumns" in protocol.features


_NO_HUDI = (
    "delta.universalFormat.enabledFormats = hudi: stored for other engines. deltasql writes no metadata of Hudi, so "
    "readers of Hudi do not see what it commits."
)


def with_valid_formats(configuration: Mapping[str, str], old: Mapping[str, str], table: str) -> dict[str, str]:
    """The properties, without the formats for which the compatibility that they need was switched off.

    Raises UniversalFormatError, MissingIcebergLibraryError where a format is switched on that cannot be.
    """
    if "hudi" in universal_formats(configuration) - universal_formats(old):
        make_note(_NO_HUDI, is_warning=True)
    if not converts_to_iceberg(configuration):
        return dict(configuration)
    starts = not converts_to_iceberg(old)
    if starts:
        check_iceberg_library(table)
    if compat_keys(configuration):
        return dict(configuration)
    if starts:
        raise errors.UniversalFormatError(table)
    left = universal_formats(configuration) - {"iceberg"}
    rest = {key: text for key, text in configuration.items() if key != UNIVERSAL_FORMATS.name}
    return {**rest, UNIVERSAL_FORMATS.name: ",".join(sorted(left))} if left else rest


def gives_nested_ids(configuration: Mapping[str, str]) -> bool:
    """Whether array elements and map keys and values have field ids; V1 has no such types."""
    return any(key != ICEBERG_COMPAT_V1.name for key in compat_keys(configuration))


def compat_tags(configuration: Mapping[str, str]) -> dict[str, str | None]:
    """Tags of a new data file: the Iceberg compatibility version that it was written for."""
    keys = compat_keys(configuration)
    return {COMPAT_TAG: keys[0][-1]} if keys else {}


def with_column_mapping(configuration: Mapping[str, str]) -> dict[str, str]:
    """The properties of a new table, with column mapping by name where Iceberg needs it and no mode is set."""
    needed = bool(compat_keys(configuration)) and COLUMN_MAPPING_MODE.name not in configuration
    return {**configuration, COLUMN_MAPPING_MODE.name: "name"} if needed else dict(configuration)


def check_compatible(
    schema: StructType, configuration: Mapping[str, str], features: Collection[str], table: str
) -> None:
    """Raises IcebergVersionsError, IcebergMappingError, IcebergVectorsError, IcebergTypeError, IcebergWideningError."""
    keys = compat_keys(configuration)
    if not keys:
        return
    if len(keys) > 1:
        raise errors.IcebergVersionsError(table, " and ".join(keys))
    version = _KEYS[keys[0]]
    mode = TableProperties(configuration)[COLUMN_MAPPING_MODE]
    if mode == "none":
        raise errors.IcebergMappingError(table, version, mode)
    if _has_vectors(version, configuration, features):
        raise errors.IcebergVectorsError(table, version)
    for path, kind in _types(schema):
        reason = _lacking(kind, version)
        if reason is not None:
            raise errors.IcebergTypeError(table, version, path_text(path), type_text(kind), reason, keys[0])
    for change in unsupported_changes(schema, Widening.ICEBERG):
        old, new = type_text(change.old), type_text(change.new)
        raise errors.IcebergWideningError(table, version, path_text(change.path), old, new)


def check_files(adds: Iterable[AddFile], configuration: Mapping[str, str], table: str) -> None:
    """Raises IcebergStatisticsError for a new file without a row count, IcebergVectorsError for one with a vector."""
    for key in compat_keys(configuration)[:1]:
        for add in adds:
            if add.stats is None or '"numRecords"' not in add.stats:
                raise errors.IcebergStatisticsError(add.path, table, _KEYS[key])
            if add.deletion_vector is not None and _KEYS[key] != "icebergCompatV3":
                raise errors.IcebergVectorsError(table, _KEYS[key])


def check_replacement(old: tuple[str, ...], new: tuple[str, ...], configuration: Mapping[str, str], table: str) -> None:
    """Raises IcebergPartitionsError for a table that is replaced by one with other partition columns."""
    for key in compat_keys(configuration)[:1]:
        if old and new and old != new:
            raise errors.IcebergPartitionsError(table, _KEYS[key], ", ".join(old), ", ".join(new))


def version_of(key: str) -> str:
    """The table feature that an Iceberg compatibility property switches on."""
    return _KEYS[key]


def _has_vectors(version: str, configuration: Mapping[str, str], features: Collection[str]) -> bool:
    """Whether the table breaks the rule on deletion vectors: V1 forbids the feature, V2 new vectors."""
    if version == "icebergCompatV1" and "deletionVectors" in features:
        return True
    return version != "icebergCompatV3" and TableProperties(configuration).switches_on(DELETION_VECTORS)


def _types(schema: StructType) -> Iterable[tuple[tuple[str, ...], DataType]]:
    for path, field in walk(schema):
        yield path, field.type


def _lacking(kind: DataType, version: str) -> str | None:
    """The reason why a column cannot have this type; None if it can."""
    match kind:
        case ArrayType() | MapType() if version == "icebergCompatV1":
            return "this version has no arrays and maps"
        case PrimitiveType() if is_shape(kind):
            return "shapes are no part of this compatibility"
        case PrimitiveType(name) if name in _LACKING:
            return "Iceberg has no such type"
        case _:
            return None
