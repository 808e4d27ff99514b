"""Metadata of a table before and after a statement, and the actions that say so.

Tables whose commits are followed by manifests: the requirements on their files.

Tables that Iceberg reads as well: the requirements on their files, and the rewrite that meets them.

The last refresh of a materialized view or streaming table, as its table stores it with the rows.

It is part of the commit that changes the rows, so that a refresh happens once or not at all.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from typing_extensions import assert_never

from deltasql.base.errors.iceberg import IcebergFilesError, IcebergVectorsError
from deltasql.base.errors.statements.generate import ManifestExistingVectorsError
from deltasql.base.errors.statements.properties import ColumnMappingModeError
from deltasql.base.lazy import pa, pc
from deltasql.log.actions.actions import Action, Metadata
from deltasql.log.actions.deletion_vectors import marked_files
from deltasql.log.configuration.iceberg_compat import (
    COMPAT_TAG,
    compat_keys,
    converts_to_iceberg,
    gives_nested_ids,
    stores_partitions,
    version_of,
)
from deltasql.log.configuration.keys import (
    column_tags,
    keys_of,
    table_tags,
    with_column_tags,
    with_keys,
    with_table_tags,
)
from deltasql.log.configuration.properties import protocol_for
from deltasql.log.properties.property_registry import (
    CHANGE_DATA_FEED,
    COLUMN_MAPPING_MODE,
    COLUMN_TAGS,
    KEYS,
    MANIFESTS,
    MAX_COLUMN_ID,
    PROPERTIES,
    REFRESH,
    OnReplace,
    Property,
    TableProperties,
    switches,
)
from deltasql.log.replay.snapshot import Snapshot
from deltasql.planner.changes import RowChange
from deltasql.planner.values.alignment import same_type
from deltasql.schema.checks import check_schema
from deltasql.schema.column_mapping import ID, PHYSICAL_NAME, assign_ids
from deltasql.schema.paths import find_path
from deltasql.schema.text import with_lengths, without_lengths
from deltasql.schema.types import ArrayType, DataType, MapType, StructField, StructType
from deltasql.statements.clustering_columns import check_still_indexed


def evolved_metadata(metadata: Metadata, schema: StructType, *, table: str = "the table") -> Metadata:
    """`metadata` with a new schema, its new fields mapped if the table maps columns; itself when nothing changed.

    Raises what `check_schema` raises.
    """
    if schema == metadata.schema:
        return metadata
    schema = without_lengths(with_lengths(schema))
    check_schema(
        schema,
        metadata.partition_columns,
        column_mapping=metadata.properties.maps_columns,
        change_data_feed=metadata.properties[CHANGE_DATA_FEED],
        where=table,
    )
    return mapped_metadata(replace(metadata, schema=schema), preserve_names=False)


def mapped_metadata(metadata: Metadata, *, preserve_names: bool) -> Metadata:
    """`metadata` whose fields all have ids and physical names, if its column mapping mode asks for that."""
    if not metadata.properties.maps_columns:
        return metadata
    highest = metadata.properties[MAX_COLUMN_ID]
    nested = gives_nested_ids(metadata.configuration)
    schema, highest = assign_ids(metadata.schema, highest, preserve_names=preserve_names, nested=nested)
    configuration = {**metadata.configuration, MAX_COLUMN_ID.name: str(highest)}
    return replace(metadata, schema=schema, configuration=MappingProxyType(configuration))


def reusing_ids(schema: StructType, old: StructType) -> StructType:
    """`schema` of a replacement, where a column that `old` has by that name, with that type, keeps its id.

    So do fields of structs whose other fields change. Readers by id go on finding what did not change.
    """

    def reused(field: StructField, old_struct: StructType) -> StructField:
        old_field = old_struct.find(field.name)
        if old_field is None:
            return field
        ids = {key: old_field.metadata[key] for key in (ID, PHYSICAL_NAME) if key in old_field.metadata}
        metadata = {**field.metadata, **(ids if same_type(old_field.type, field.type) else {})}
        return replace(field, type=inside(field.type, old_field.type), metadata=metadata)

    def inside(kind: DataType, before: DataType) -> DataType:
        match kind, before:
            case StructType(), StructType():
                return StructType(tuple(reused(field, before) for field in kind))
            case ArrayType(), ArrayType():
                return replace(kind, element=inside(kind.element, before.element))
            case MapType(), MapType():
                return replace(kind, key=inside(kind.key, before.key), value=inside(kind.value, before.value))
            case _:
                return kind

    return StructType(tuple(reused(field, old) for field in schema))


def keeping_log_properties(metadata: Metadata, old: Mapping[str, str]) -> Metadata:
    """`metadata` of a table that replaces one with the properties `old`, which say how to read the log before it.

    Else travelling in time would go by the times of files, and the clean-up could delete a checkpoint behind which a
    dropped feature has left traces. Whether deletion vectors are written stays, as with delta-spark.
    """
    before, both = TableProperties(old), TableProperties({**old, **metadata.configuration})

    def stays(item: Property[Any]) -> bool:
        match item.on_replace:
            case OnReplace.GOES:
                return False
            case OnReplace.STAYS:
                return item not in metadata.properties
            case OnReplace.STAYS_WHILE_ON:
                return all(before[switch] and both[switch] for switch in switches() if switch.feature == item.feature)
            case _:
                assert_never(item.on_replace)

    retained = {item.name: old[item.name] for item in PROPERTIES.values() if item in before and stays(item)}
    return metadata.with_configuration(retained)


def with_current_names(metadata: Metadata, before: Metadata | None = None) -> Metadata:
    """`metadata` whose keys and tags name the columns as they are called now, and as their files call them.

    `before` are the metadata whose columns, by the same names, had other names in files.
    """
    before = before or metadata
    if KEYS in metadata.configuration:
        metadata = with_keys(metadata, keys_of(before))
    if COLUMN_TAGS in metadata.configuration:
        metadata = with_column_tags(metadata, column_tags(before))
    return metadata


def keeping_tags(metadata: Metadata, old: Metadata) -> Metadata:
    """`metadata` of a table that replaces one, with the tags of `old`: they are about the name, not about the columns.

    A column that is not there any more takes its tags along.
    """
    metadata = with_table_tags(metadata, table_tags(old))
    retained = {path: tags for path, tags in column_tags(old).items() if find_path(metadata.schema, path) is not None}
    return with_column_tags(metadata, retained)


def check_mapping_change(old: Mapping[str, str], new: Mapping[str, str], table: str) -> None:
    """Raises ColumnMappingModeError for a change of mode that an existing table cannot make."""
    before, after = TableProperties(old)[COLUMN_MAPPING_MODE], TableProperties(new)[COLUMN_MAPPING_MODE]
    if before != after and (before, after) != ("none", "name"):
        raise ColumnMappingModeError(table, before, after)


def metadata_actions(snapshot: Snapshot, metadata: Metadata) -> tuple[Action, ...]:
    """The actions that turn the snapshot's metadata into `metadata`: none, metaData, or protocol and metaData."""
    if metadata is snapshot.metadata:
        return ()
    check_still_indexed(snapshot, metadata)
    protocol = protocol_for(metadata.schema, metadata.configuration, current=snapshot.protocol, table=snapshot.table)
    changed = () if protocol == snapshot.protocol else (protocol,)
    return (*changed, metadata)


def check_manifest_files(snapshot: Snapshot, configuration: Mapping[str, str]) -> None:
    """Raises ManifestExistingVectorsError where manifests are switched on and files have deletion vectors."""
    starts = TableProperties(configuration)[MANIFESTS] and not snapshot.properties[MANIFESTS]
    if not starts or not snapshot.num_files:
        return
    files = snapshot.live_adds(("deletionVector",))
    if files.filter(marked_files(files)).num_rows:
        raise ManifestExistingVectorsError(table=snapshot.table)


def check_iceberg_files(snapshot: Snapshot, configuration: Mapping[str, str]) -> None:
    """Raises IcebergVectorsError, IcebergFilesError if Iceberg cannot read the existing files.

    They are looked at when the compatibility or the format is switched on; from then on all writers obey.
    """
    keys, old = compat_keys(configuration), snapshot.configuration
    starts = not compat_keys(old)
    converts = converts_to_iceberg(configuration) and not converts_to_iceberg(old)
    if not keys or not (starts or converts) or not snapshot.num_files:
        return
    files = snapshot.live_adds(("deletionVector", "tags"))
    if files.filter(marked_files(files)).num_rows:
        raise IcebergVectorsError(snapshot.table, version_of(keys[0]))
    number = keys[0][-1]
    lacks_partitions = bool(snapshot.partition_columns) and not stores_partitions(snapshot.protocol, old)
    if lacks_partitions or converts:
        count = len(files) if lacks_partitions else len(files.filter(untagged_files(files, number)))
        if count:
            raise IcebergFilesError(count, snapshot.table, number)


def untagged_files(files: pa.Table, version: str) -> pa.ChunkedArray:
    """Which files, whose tags are a column of maps, were not written for a version of the compatibility."""
    tags = pc.map_lookup(files["tags"], COMPAT_TAG, "first")
    return pc.invert(pc.fill_null(pc.equal(tags, version), False))


@dataclass(frozen=True, slots=True)
class RefreshState:
    """A refresh: the id of the definition, the versions of the tables that it has read, by their ids, and its mode.

    `time` is in ms since the epoch.
    """

    definition: str
    sources: Mapping[str, int] = field(default_factory=dict)
    mode: str = "FULL"
    time: int = 0

    @classmethod
    def of(cls, snapshot: Snapshot) -> RefreshState | None:
        """The refresh that a version of the table has recorded; None where there is none that can be read."""
        try:
            value = json.loads(snapshot.configuration.get(REFRESH) or "null")
            sources = {str(key): int(version) for key, version in value["sources"].items()}
            return cls(str(value["definition"]), sources, str(value["mode"]), int(value["time"]))
        except (ValueError, TypeError, KeyError, AttributeError):
            return None

    def recorded(self, change: RowChange, **spec: Any) -> RowChange:
        """A change of the table's rows that records this refresh; `spec` are other fields of its commit."""
        value = {"definition": self.definition, "sources": dict(self.sources), "mode": self.mode}
        text = json.dumps({**value, "time": time.time_ns() // 1_000_000})
        configuration = MappingProxyType({**change.metadata.configuration, REFRESH: text})
        metadata = replace(change.metadata, configuration=configuration)
        others = tuple(action for action in change.commit.actions if not isinstance(action, Metadata))
        return replace(change, metadata=metadata).committing(actions=(*others, metadata), **spec)
