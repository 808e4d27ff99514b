"""CONVERT TO DELTA, which gives a table of Parquet files or of Iceberg a log, and REORG … APPLY (UPGRADE UNIFORM …).

CONVERT moves no file: the first commit names the files that exist. UPGRADE UNIFORM makes a Delta table one that Iceberg
reads as well, in up to three commits.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar
from uuid import uuid4

from deltasql.base import Caret, DeltaSqlError, errors, session_settings, zone
from deltasql.files import SourceTable
from deltasql.log import (
    LOG,
    ROW_TRACKING_FEATURE,
    Action,
    AddFile,
    DeltaLog,
    Metadata,
    Protocol,
    Snapshot,
    TableProperties,
    check_iceberg_library,
    compat_key,
    compat_keys,
    compat_tags,
    converts_to_iceberg,
    operations,
    parse_properties,
    partition_keys,
    protocol_for,
    table_properties,
    universal_formats,
    with_column_mapping,
    with_valid_formats,
)
from deltasql.plan import Alone, LogicalPlan, TableName
from deltasql.planner import (
    FILE_FORMATS,
    Answer,
    CommitSpec,
    Context,
    Plan,
    Stepwise,
    TableChange,
    log_path,
    partition_texts,
    plan,
    tracked_metadata,
)
from deltasql.schema import StructField, StructType, check_table_schema, plain_field, with_default_collation
from deltasql.schema import quote_name as quote
from deltasql.sql import Tree, builds
from deltasql.statements.optimize import UpgradeUniform, reorganized
from deltasql.statements.properties import SetTableProperties, altered, properties_change
from deltasql.statements.table import PartitionColumn
from deltasql.statements.table_metadata import comment_metadata, mapped_metadata, untagged_files

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
        raise errors.UncountedRowsError(table=table)
    values = list(_partition_values(source, metadata, context))
    texts: list[str] | list[None] = [None] * len(source.files)
    if statistics:
        from deltasql.files import source_statistics

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
            raise errors.NestedTableError(location=log.location, table=above, relation="inside of")
        folder = above


def _definition(
    source: SourceTable, partitions: Sequence[StructField], context: Context, table: str
) -> tuple[Metadata, Protocol]:
    defaults = context.settings.with_prefix(session_settings.PROPERTY_DEFAULTS)
    parsed = parse_properties(
        (), allow_arbitrary=context.setting(session_settings.ARBITRARY_PROPERTIES), on_create=True, defaults=defaults
    )
    configuration = with_valid_formats(with_column_mapping(parsed.configuration), {}, table)
    if source.partition_columns is None:
        mode = TableProperties(configuration)[table_properties.COLUMN_MAPPING_MODE]
        if mode != "none":
            raise errors.MappedSourceError(mode=mode)
    parsed = replace(parsed, configuration={**configuration, **source.properties})
    schema = with_partitions(source.schema, partitions)
    names = [field.name for field in partitions] if source.partition_columns is None else source.partition_columns
    properties = TableProperties(parsed.configuration)
    columns = check_table_schema(
        schema,
        partitioned_by=names,
        column_mapping=properties.maps_columns,
        change_data_feed=properties[table_properties.CHANGE_DATA_FEED],
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
    ignores, session_zone = context.setting(session_settings.CONVERT_IGNORES_CASTS), zone(context.time_zone)
    for file in source.files:
        yield partition_texts(file, fields, source.location, session_zone, ignore_failures=ignores)


@dataclass(frozen=True, slots=True)
class Convert(LogicalPlan):
    """CONVERT TO DELTA {parquet.path | iceberg.path | t} [NO STATISTICS] [PARTITIONED BY (name type, …)]"""

    alone: ClassVar[tuple[str, Alone] | None] = ("CONVERT TO DELTA", Alone.MAKES)

    source: TableName
    no_statistics: bool
    partitioned_by: tuple[PartitionColumn, ...]


@builds("source_partition")
def _source_partition(children: list[Any], tree: Tree, text: str) -> PartitionColumn:
    """`start` and `end` are those of the column's name."""
    clause = tree.children[0]
    assert clause is not None
    return PartitionColumn(
        children[0], with_default_collation(children[1], None), children[2], clause.start, clause.end
    )


@plan.register
def plan_convert(statement: Convert, context: Context) -> Plan:
    """One commit. A table that has a log already stays as it is, whatever the statement says of it."""
    context.refuse_version(statement.source)
    try:
        return _converted(statement, context)
    except DeltaSqlError as error:
        raise error.at(_caret(error, statement, context)) from None


def _caret(error: DeltaSqlError, statement: Convert, context: Context) -> Caret:
    """Where the statement is wrong: in its partition columns, else in what it names."""
    columns = statement.partitioned_by
    if columns and isinstance(
        error, (errors.PartitionCountError, errors.PartitionNameError, errors.SourcePartitionValueError)
    ):
        named = getattr(error, "expected", "") if isinstance(error, errors.PartitionNameError) else ""
        named = error.column if isinstance(error, errors.SourcePartitionValueError) else named
        column = next((item for item in columns if quote(item.name).lower() == named.lower()), None)
        first, last = (column, column) if column is not None else (columns[0], columns[-1])
        return context.caret(first.start, last.end)
    return context.caret(statement.source.start, statement.source.end)


def _converted(statement: Convert, context: Context) -> Plan:
    source = _source(statement.source, context)
    if source is None:
        return Answer()
    provider, location = source
    log = context.logs(location, str(TableName(("delta", location))))
    if log.exists():
        return Answer()
    if provider == "iceberg" and statement.partitioned_by:
        raise errors.IcebergPartitionedByError
    refuse_table_above(log)
    return _change(provider, log, statement, context)


def _change(provider: str, log: DeltaLog, statement: Convert, context: Context) -> TableChange:
    from deltasql.files import source_table

    table = adopted_table(
        source_table(context.analyst.stores, provider, log.location),
        statement.partitioned_by,
        context,
        table=str(statement.source),
        statistics=not statement.no_statistics,
    )
    parameters = {
        "numFiles": len(table.files),
        "partitionedBy": list(table.metadata.partition_columns),
        "collectStats": not statement.no_statistics,
        "sourceFormat": provider,
    }
    actions: tuple[Action, ...] = (table.protocol, table.metadata, *table.files)
    return TableChange(
        CommitSpec(log, None, operations.CONVERT, parameters, actions), metrics={"numConvertedFiles": len(table.files)}
    )


def _source(name: TableName, context: Context) -> tuple[str, str] | None:
    """The provider and the location that a name stands for; None for one of Delta's tables.

    Raises NonParquetSourceError, MissingProviderError, TableNotFoundError, WrongObjectError, and what is wrong with the
    log of a table.
    """
    if context.is_view(name):
        raise errors.WrongObjectError(
            "CONVERT TO DELTA", "table", str(name), "view", "CREATE TABLE … AS SELECT … FROM it"
        )
    if name.path is not None or context.catalog.resolve(name.parts) is not None:
        # Each table of a warehouse is one of Delta's.
        context.snapshot(name)
        return None
    kind = name.parts[0].lower()
    if len(name.parts) == 2 and kind in PROVIDERS:
        return kind, context.catalog.located(name.parts[1])
    if len(name.parts) == 2 and kind in FILE_FORMATS:
        raise errors.NonParquetSourceError(source=str(name))
    if len(name.parts) == 1 and "/" in name.parts[0]:
        raise errors.MissingProviderError(path=str(name))
    if context.is_sparks(name):
        advice = "Name its folder: CONVERT TO DELTA parquet.`/path`; then CREATE TABLE t LOCATION '/path'."
        raise errors.UnsupportedStatementError("CONVERT TO DELTA of a table of Spark's own catalog", advice)
    context.location(name)
    raise AssertionError(f"{name} is known")


_VERSIONS = (1, 2)


@plan.register
def plan_upgrade_uniform(statement: UpgradeUniform, context: Context) -> Plan:
    """First new files are as Iceberg wants them, then the old ones are, then the table says so.

    If a step fails, the same statement goes on from there.
    """
    log, snapshot = context.writable(statement.table)
    if statement.version not in _VERSIONS:
        raise errors.IcebergVersionError(statement.version)
    check_iceberg_library(snapshot.table)
    properties = _properties(snapshot, compat_key(statement.version))
    first = _compatible(statement, log, snapshot, properties, context)
    steps = _steps(statement, log, first, context)
    return Stepwise("properties for Iceberg, files that lack what it needs, then the format", steps)


def _steps(statement: UpgradeUniform, log: DeltaLog, first: TableChange | None, context: Context) -> Iterator[Plan]:
    if first is not None:
        yield first
    version = str(statement.version)
    yield reorganized(log, log.snapshot(), None, lambda files: files.filter(untagged_files(files, version)), context)
    current = log.snapshot()
    # The statement returns nothing, whichever of the steps there was to do.
    yield Answer() if converts_to_iceberg(current.configuration) else _enabled(statement, log, current, context)


def _properties(snapshot: Snapshot, key: str) -> dict[str, str]:
    """The properties that are to change; those of other versions are switched off where they are set."""
    properties = {key: "true", table_properties.DELETION_VECTORS.name: "false"}
    properties |= {other: "false" for other in compat_keys(snapshot.configuration) if other != key}
    if not snapshot.properties.maps_columns:
        properties[table_properties.COLUMN_MAPPING_MODE.name] = "name"
    settled = (
        compat_keys(snapshot.configuration) == [key] and not snapshot.properties[table_properties.DELETION_VECTORS]
    )
    return {} if settled else properties


def _compatible(
    statement: UpgradeUniform, log: DeltaLog, snapshot: Snapshot, requested: Mapping[str, str], context: Context
) -> TableChange | None:
    """The commit after which all new files are as Iceberg wants them; None where they are already."""
    if not requested:
        return None
    protocol, metadata = altered(_set(statement, requested), context, snapshot)
    named = dict(requested)
    if snapshot.protocol.min_writer_version < _FEATURES[1]:
        named |= {"delta.minReaderVersion": str(_FEATURES[0]), "delta.minWriterVersion": str(_FEATURES[1])}
    changed = () if protocol == snapshot.protocol else (protocol,)
    parameters = {"properties": json.dumps(named, separators=(",", ":"))}
    return TableChange(CommitSpec(log, snapshot, operations.UPGRADE_UNIFORM, parameters, (*changed, metadata)))


def _enabled(statement: UpgradeUniform, log: DeltaLog, snapshot: Snapshot, context: Context) -> TableChange:
    """SET TBLPROPERTIES, which looks at the files once more: others may have added some meanwhile."""
    formats = sorted(universal_formats(snapshot.configuration) | {"iceberg"})
    return properties_change(
        _set(statement, {table_properties.UNIVERSAL_FORMATS.name: ",".join(formats)}), log, snapshot, context
    )


def _set(statement: UpgradeUniform, properties: Mapping[str, str]) -> SetTableProperties:
    return SetTableProperties(statement.table, tuple(properties.items()))


_FEATURES = (3, 7)
"""The versions of the protocol that list features, as delta-spark names them in its history."""
