"""Tables that are none of Delta's as Delta has them: metadata, protocol and the files that their log names."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from uuid import uuid4

from deltasql.base.errors.sources import MappedSourceError, NestedTableError, UncountedRowsError
from deltasql.base.settings.session_settings import ARBITRARY_PROPERTIES, CONVERT_IGNORES_CASTS, PROPERTY_DEFAULTS
from deltasql.base.timezone import zone
from deltasql.files.foreign.tables import SourceTable
from deltasql.log.actions.actions import AddFile, Metadata
from deltasql.log.configuration.iceberg_compat import compat_tags, with_column_mapping, with_valid_formats
from deltasql.log.configuration.properties import parse_properties, partition_keys, protocol_for
from deltasql.log.configuration.row_ids import ROW_TRACKING_FEATURE
from deltasql.log.properties.property_registry import CHANGE_DATA_FEED, COLUMN_MAPPING_MODE, TableProperties
from deltasql.log.protocol.protocol import Protocol
from deltasql.log.replay.delta_log import DeltaLog
from deltasql.log.storage.locations import LOG
from deltasql.planner.context import Context
from deltasql.planner.foreign.snapshots import log_path, partition_texts
from deltasql.planner.tables.persisted_sql import tracked_metadata
from deltasql.schema.checks import check_table_schema
from deltasql.schema.text import plain_field
from deltasql.schema.types import StructField, StructType
from deltasql.statements.column_definitions import comment_metadata
from deltasql.statements.metadata import mapped_metadata
from deltasql.statements.nodes.table import PartitionColumn

PROVIDERS = frozenset({"parquet", "iceberg"})
"""The formats of tables that can become one of Delta's without new files."""


@dataclass(frozen=True, slots=True)
class AdoptedTable:
    """A foreign table as a Delta table: the contents of its first commit."""

    metadata: Metadata
    protocol: Protocol
    files: tuple[AddFile, ...]


def adopted_table(
    source: SourceTable,
    partitioned_by: Sequence[PartitionColumn],
    context: Context,
    *,
    table: str,
    statistics: bool = True,
) -> AdoptedTable:
    """The table with the session's defaults for new ones. `table` is what messages call it.

    Raises MappedSourceError, UncountedRowsError, and what `check_table_schema`, `parse_properties`, `protocol_for` and
    `partition_texts` raise.
    """
    partitions = [
        plain_field(StructField(item.name, item.type, metadata=comment_metadata(item.comment)))
        for item in partitioned_by
        if item.type is not None
    ]
    metadata, protocol = _definition(source, partitions, context, table)
    if not statistics and ROW_TRACKING_FEATURE in protocol.features:
        raise UncountedRowsError(table=table)
    values = list(_partition_values(source, metadata, context))
    texts: list[str] | list[None] = [None] * len(source.files)
    if statistics:
        from deltasql.files.foreign.tables import source_statistics

        texts = source_statistics(source, metadata)
    keys, tags = partition_keys(metadata), compat_tags(metadata.configuration) or None
    files = (
        AddFile(
            log_path(file.path),
            dict(zip(keys, partition, strict=True)),
            file.size,
            file.modified,
            stats=text,
            tags=tags,
        )
        for file, partition, text in zip(source.files, values, texts, strict=True)
    )
    return AdoptedTable(metadata, protocol, tuple(files))


def refuse_table_above(log: DeltaLog) -> None:
    """Raises NestedTableError where the place lies in the folder of a table of Delta's, whose files those are."""
    folder = log.location
    while (above := folder.rpartition("/")[0]) and not above.endswith("/"):
        if log.store.at(above).has_below(LOG):
            raise NestedTableError(location=log.location, table=above, relation="inside of")
        folder = above


def _definition(
    source: SourceTable, partitions: Sequence[StructField], context: Context, table: str
) -> tuple[Metadata, Protocol]:
    defaults = context.settings.with_prefix(PROPERTY_DEFAULTS)
    parsed = parse_properties(
        (), allow_arbitrary=context.setting(ARBITRARY_PROPERTIES), on_create=True, defaults=defaults
    )
    configuration = with_valid_formats(with_column_mapping(parsed.configuration), {}, table)
    if source.partition_columns is None:
        mode = TableProperties(configuration)[COLUMN_MAPPING_MODE]
        if mode != "none":
            raise MappedSourceError(mode=mode)
    parsed = replace(parsed, configuration={**configuration, **source.properties})
    schema = with_partitions(source.schema, partitions)
    names = [field.name for field in partitions] if source.partition_columns is None else source.partition_columns
    properties = TableProperties(parsed.configuration)
    columns = check_table_schema(
        schema,
        partitioned_by=names,
        column_mapping=properties.maps_columns,
        change_data_feed=properties[CHANGE_DATA_FEED],
        where=table,
    )
    metadata = Metadata(
        id=str(uuid4()),
        schema=schema,
        partition_columns=columns,
        configuration=parsed.configuration,
        created_time=int(time.time() * 1000),
    )
    metadata = mapped_metadata(metadata, preserve_names=True)
    protocol = protocol_for(
        metadata.schema, metadata.configuration, parsed=parsed, current=None, creating=True, table=table
    )
    return tracked_metadata(metadata, protocol, None), protocol


def with_partitions(schema: StructType, partitions: Sequence[StructField]) -> StructType:
    """The columns of the files, and the partition columns: at their place where files hold them, too, else behind."""
    declared = StructType(tuple(partitions))
    inside = tuple(declared.find(field.name) or field for field in schema)
    return StructType((*inside, *(field for field in partitions if schema.find(field.name) is None)))


def _partition_values(source: SourceTable, metadata: Metadata, context: Context) -> Iterator[list[str | None]]:
    if source.partition_columns is not None:
        yield from ([text for _, text in file.partitions] for file in source.files)
        return
    fields = [field for name in metadata.partition_columns if (field := metadata.schema.find(name)) is not None]
    ignores, session_zone = context.setting(CONVERT_IGNORES_CASTS), zone(context.time_zone)
    for file in source.files:
        yield partition_texts(file, fields, source.location, session_zone, ignore_failures=ignores)
