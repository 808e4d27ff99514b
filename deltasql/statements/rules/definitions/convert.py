"""CONVERT TO DELTA: a table of Parquet files, or of Iceberg, gets a log that names its files. None is moved."""

from __future__ import annotations

from deltasql.base.errors.base import Caret, DeltaSqlError
from deltasql.base.errors.sources import PartitionCountError, PartitionNameError, SourcePartitionValueError
from deltasql.base.errors.statements.convert import (
    IcebergPartitionedByError,
    MissingProviderError,
    NonParquetSourceError,
)
from deltasql.base.errors.statements.refused import UnsupportedStatementError, WrongObjectError
from deltasql.log.actions import actions as operations
from deltasql.log.actions.actions import Action
from deltasql.log.replay.delta_log import DeltaLog
from deltasql.plan.base import TableName, quote
from deltasql.planner.changes import Answer, CommitSpec, Plan, TableChange
from deltasql.planner.context import Context, plan
from deltasql.planner.selected_files import FILE_FORMATS
from deltasql.statements.nodes.convert import Convert
from deltasql.statements.source_tables import PROVIDERS, adopted_table, refuse_table_above


@plan.register
def _(statement: Convert, context: Context) -> Plan:
    """One commit. A table that has a log already stays as it is, whatever the statement says of it."""
    context.refuse_version(statement.source)
    try:
        return _converted(statement, context)
    except DeltaSqlError as error:
        raise error.at(_caret(error, statement, context)) from None


def _caret(error: DeltaSqlError, statement: Convert, context: Context) -> Caret:
    """Where the statement is wrong: in its partition columns, else in what it names."""
    columns = statement.partitioned_by
    if columns and isinstance(error, (PartitionCountError, PartitionNameError, SourcePartitionValueError)):
        named = getattr(error, "expected", "") if isinstance(error, PartitionNameError) else ""
        named = error.column if isinstance(error, SourcePartitionValueError) else named
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
        raise IcebergPartitionedByError
    refuse_table_above(log)
    return _change(provider, log, statement, context)


def _change(provider: str, log: DeltaLog, statement: Convert, context: Context) -> TableChange:
    from deltasql.files.foreign.tables import source_table

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
        raise WrongObjectError("CONVERT TO DELTA", "table", str(name), "view", "CREATE TABLE … AS SELECT … FROM it")
    if name.path is not None or context.catalog.resolve(name.parts) is not None:
        # Each table of a warehouse is one of Delta's.
        context.snapshot(name)
        return None
    kind = name.parts[0].lower()
    if len(name.parts) == 2 and kind in PROVIDERS:
        return kind, context.catalog.located(name.parts[1])
    if len(name.parts) == 2 and kind in FILE_FORMATS:
        raise NonParquetSourceError(source=str(name))
    if len(name.parts) == 1 and "/" in name.parts[0]:
        raise MissingProviderError(path=str(name))
    if context.is_sparks(name):
        advice = "Name its folder: CONVERT TO DELTA parquet.`/path`; then CREATE TABLE t LOCATION '/path'."
        raise UnsupportedStatementError("CONVERT TO DELTA of a table of Spark's own catalog", advice)
    context.location(name)
    raise AssertionError(f"{name} is known")
