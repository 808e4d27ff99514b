"""Metadata of a table before and after a statement, and the actions that say so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from deltasql.errors.properties import ColumnMappingModeError
from deltasql.log.configuration.iceberg_compat import gives_nested_ids
from deltasql.log.configuration.properties import (
    ENABLE_VECTORS,
    PROTECTED_BEFORE,
    TIMESTAMPS,
    TIMESTAMPS_SINCE,
    column_mapping_mode,
    is_on,
    protocol_for,
)
from deltasql.planner.rows.alignment import same_type
from deltasql.planner.tables.clustering_columns import check_still_indexed
from deltasql.schema.checks import check_schema
from deltasql.schema.column_mapping import ID, MAX_ID, PHYSICAL_NAME, assign_ids
from deltasql.schema.lengths import with_lengths, without_lengths
from deltasql.schema.types import ArrayType, DataType, MapType, StructField, StructType

if TYPE_CHECKING:
    from deltasql.log.actions.actions import Action, Metadata
    from deltasql.log.replay.snapshot import Snapshot


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
        column_mapping=maps_columns(metadata.configuration),
        change_data_feed=is_on(metadata.configuration, "delta.enableChangeDataFeed"),
        where=table,
    )
    return mapped_metadata(replace(metadata, schema=schema), keep_names=False)


def maps_columns(configuration: Mapping[str, str]) -> bool:
    """Whether the table's columns have physical names of their own."""
    return column_mapping_mode(configuration) != "none"


def mapped_metadata(metadata: Metadata, *, keep_names: bool) -> Metadata:
    """`metadata` whose fields all have ids and physical names, if its column mapping mode asks for that."""
    if not maps_columns(metadata.configuration):
        return metadata
    highest = int(metadata.configuration.get(MAX_ID, "0"))
    nested = gives_nested_ids(metadata.configuration)
    schema, highest = assign_ids(metadata.schema, highest, keep_names=keep_names, nested=nested)
    configuration = {**metadata.configuration, MAX_ID: str(highest)}
    return replace(metadata, schema=schema, configuration=MappingProxyType(configuration))


def reusing_ids(schema: StructType, old: StructType) -> StructType:
    """`schema` of a replacement, where a column that `old` has by that name, with that type, keeps its id.

    So do fields of structs whose other fields change. Readers by id go on finding what did not change.
    """

    def reused(field: StructField, known: StructType) -> StructField:
        found = known.find(field.name)
        if found is None:
            return field
        kept = {key: found.metadata[key] for key in (ID, PHYSICAL_NAME) if key in found.metadata}
        metadata = {**field.metadata, **(kept if same_type(found.type, field.type) else {})}
        return replace(field, type=inside(field.type, found.type), metadata=metadata)

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
    kept = [PROTECTED_BEFORE]
    if ENABLE_VECTORS not in metadata.configuration:
        kept.append(ENABLE_VECTORS)
    if is_on(old, TIMESTAMPS) and is_on({**old, **metadata.configuration}, TIMESTAMPS):
        kept += [TIMESTAMPS, *TIMESTAMPS_SINCE]
    return metadata.with_configuration({key: old[key] for key in kept if key in old})


def check_mapping_change(old: Mapping[str, str], new: Mapping[str, str], table: str) -> None:
    """Raises ColumnMappingModeError for a change of mode that an existing table cannot make."""
    before, after = column_mapping_mode(old), column_mapping_mode(new)
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
