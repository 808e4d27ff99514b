"""ALTER TABLE … SET LOCATION: the catalog's entry alone changes."""

from __future__ import annotations

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.errors.sources import DeltaLocationError
from deltasql.base.errors.statements.table import SetLocationOfPathError, SetLocationSchemaError
from deltasql.base.errors.statements.view import WriteIntoViewError
from deltasql.base.settings.session_settings import BYPASS_LOCATION_CHECK
from deltasql.catalog.definitions import TableSource
from deltasql.log.replay.snapshot import Snapshot
from deltasql.planner.catalog_changes import Relocation
from deltasql.planner.changes import Plan
from deltasql.planner.context import Context, plan
from deltasql.planner.foreign.snapshots import ICEBERG, listed_files
from deltasql.schema.paths import folded
from deltasql.schema.text import tree_text
from deltasql.statements.existing_log import same_columns
from deltasql.statements.nodes.table import SetTableLocation


@plan.register
def _(statement: SetTableLocation, context: Context) -> Plan:
    """There must be a table with the same columns and partitions at the new place, unless the session says otherwise.

    A table whose own log is gone can be moved to any place that has one.
    """
    name = statement.table
    context.refuse_version(name)
    try:
        if name.path is not None:
            raise SetLocationOfPathError(table=str(name))
        if context.is_view(name):
            raise WriteIntoViewError(view=str(name))
        foreign = context.foreign(name)
        if foreign is not None and foreign.source is not None:
            return _source_moved(statement, foreign.source, context)
        new_snapshot = context.logs(statement.location, str(name)).snapshot()
        current = context.log(name)
        if current.exists() and not context.setting(BYPASS_LOCATION_CHECK):
            _check_same_table(current.snapshot(), new_snapshot)
    except DeltaSqlError as error:
        raise error.at(context.caret(name.start, name.end)) from None
    return Relocation(name.parts, new_snapshot.location)


def _source_moved(statement: SetTableLocation, source: TableSource, context: Context) -> Relocation:
    """Another folder for a table of another format; its columns stay. Raises DeltaLocationError."""
    location = context.catalog.located(statement.location)
    if source.format == ICEBERG and context.logs(location, str(statement.table)).exists():
        raise DeltaLocationError(location, ICEBERG)
    if source.format != ICEBERG:
        listed_files(context, source, location)
    return Relocation(statement.table.parts, location)


def _check_same_table(current: Snapshot, location: Snapshot) -> None:
    same_partitions = folded(current.partition_columns) == folded(location.partition_columns)
    if same_columns(current.schema, location.schema) and same_partitions:
        return
    raise SetLocationSchemaError(
        table=current.table, location=location.location, current=_shown(current), found=_shown(location)
    )


def _shown(snapshot: Snapshot) -> str:
    partitions = ", ".join(snapshot.partition_columns)
    text = tree_text(snapshot.schema)
    return f"{text}\npartitioned by ({partitions})" if partitions else text
