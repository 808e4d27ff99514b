"""CREATE TABLE … LIKE: an empty table with the definition of another one, or with the columns of a view."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from uuid import uuid4

from deltasql.base import DeltaSqlError, errors, session_settings
from deltasql.catalog import TableSource
from deltasql.log import (
    Metadata,
    Protocol,
    TableProperties,
    check_configuration,
    operations,
    parse_properties,
    protocol_for,
    table_properties,
    with_column_mapping,
    with_row_id_columns,
    with_valid_formats,
)
from deltasql.planner import FORMATS, Answer, CommitSpec, Context, Plan, TableChange, binding, plan, table_snapshot
from deltasql.schema import ID, PHYSICAL_NAME, StructType, as_nullable, check_table_schema, without_metadata
from deltasql.statements.create_table import OF_ONE_TABLE, Declared, adopted
from deltasql.statements.source_table import source_like
from deltasql.statements.table import CreateTableLike
from deltasql.statements.table_metadata import mapped_metadata, with_current_names
from deltasql.statements.target import (
    creation_parameters,
    is_of_view,
    refuse_provider,
    registration,
    required_properties,
    target_of,
)


@plan.register
def plan_create_table_like(statement: CreateTableLike, context: Context) -> Plan:
    """Schema, partitioning, comment, properties and protocol of the source; neither its rows nor its clustering."""
    context.refuse_version(statement.table)
    source = _source(statement, context)
    try:
        name = _other_format(statement, context)
        if name is not None:
            columns, partitions = source.metadata.schema, source.metadata.partition_columns
            options = {} if statement.provider or source.files is None else source.files.options
            described = TableSource(name, options, columns, tuple(partitions), None, dict(statement.properties))
            return source_like(statement, described, context)
        return _created(statement, source, context)
    except DeltaSqlError as error:
        raise error.at(context.caret(statement.table.start, statement.table.end)) from None


@dataclass(frozen=True, slots=True)
class _Source:
    """The definition to copy; `protocol` is None for a view, and for a table of another format, which `files` are."""

    metadata: Metadata
    protocol: Protocol | None
    files: TableSource | None = None


def _source(statement: CreateTableLike, context: Context) -> _Source:
    """Raises TableNotFoundError."""
    name = statement.source
    foreign = context.foreign(name)
    if foreign is not None:
        snapshot = table_snapshot(context, name, with_files=False)
        partitions = snapshot.partition_columns
        return _Source(
            Metadata("", without_metadata(snapshot.schema, (ID, PHYSICAL_NAME)), partitions), None, foreign.source
        )
    if not context.is_view(name):
        snapshot = context.snapshot(name)
        snapshot.check_readable()
        return _Source(snapshot.metadata, snapshot.protocol)
    columns = as_nullable(binding.columns_of(context, name))
    assert isinstance(columns, StructType)
    return _Source(Metadata("", columns), None)


def _other_format(statement: CreateTableLike, context: Context) -> str | None:
    """The format of the new table, by the statement or that of the source; None for Delta."""
    foreign = context.foreign(statement.source)
    source = None if foreign is None else foreign.source
    name = statement.provider or (source.format if source is not None else "delta")
    return name.lower() if name.lower() in FORMATS else None


def _created(statement: CreateTableLike, source: _Source, context: Context) -> Plan:
    refuse_provider(statement.provider, statement.table)
    if is_of_view(statement.table, "create", context, if_not_exists=statement.if_not_exists):
        return Answer()
    target = target_of(statement.table, statement.location, context, defines_columns=True)
    if target.exists:
        if statement.if_not_exists:
            return Answer()
        raise errors.TableAlreadyExistsError(table=str(statement.table))
    required = required_properties(target, context) if target.snapshot is None else {}
    metadata, protocol = _definition(statement, source, required, context)
    if target.snapshot is not None:
        properties = metadata.configuration if statement.properties else None
        return adopted(target, Declared(metadata.schema, metadata.partition_columns, None, properties))
    parameters = creation_parameters(metadata, managed=target.managed)
    actions = (protocol, metadata)
    return TableChange(
        CommitSpec(target.log, None, operations.CREATE_TABLE, parameters, actions, register=registration(target))
    )


def _definition(
    statement: CreateTableLike, source: _Source, required: Mapping[str, str], context: Context
) -> tuple[Metadata, Protocol]:
    """Metadata and protocol of the new table. Counters of row tracking and column mapping start anew.

    `required` are properties that its catalog requires.
    """
    parsed = parse_properties(
        (*required.items(), *statement.properties),
        allow_arbitrary=context.setting(session_settings.ARBITRARY_PROPERTIES),
        on_create=True,
    )
    copied = {key: value for key, value in source.metadata.configuration.items() if key not in OF_ONE_TABLE}
    configuration = {**copied, **parsed.configuration}
    table, schema = str(statement.table), source.metadata.schema
    configuration = with_valid_formats(with_column_mapping(configuration), {}, table)
    check_configuration(configuration, table=table)
    properties = TableProperties(configuration)
    if (
        TableProperties(copied)[table_properties.COLUMN_MAPPING_MODE]
        != properties[table_properties.COLUMN_MAPPING_MODE]
    ):
        # No file knows the source's ids and names, so that another way of mapping begins with its own.
        schema = without_metadata(schema, (ID, PHYSICAL_NAME))
    check_table_schema(
        schema,
        partitioned_by=source.metadata.partition_columns,
        column_mapping=properties.maps_columns,
        change_data_feed=properties[table_properties.CHANGE_DATA_FEED],
        where=table,
    )
    metadata = Metadata(
        id=str(uuid4()),
        schema=schema,
        partition_columns=source.metadata.partition_columns,
        configuration=MappingProxyType(configuration),
        description=source.metadata.description if parsed.comment is None else parsed.comment,
        created_time=int(time.time() * 1000),
    )
    metadata = with_current_names(mapped_metadata(metadata, preserve_names=False), source.metadata)
    current = None if source.protocol is None else source.protocol.unmanaged()
    protocol = protocol_for(schema, metadata.configuration, parsed=parsed, current=current, creating=True, table=table)
    return with_row_id_columns(metadata, protocol, {}), protocol
