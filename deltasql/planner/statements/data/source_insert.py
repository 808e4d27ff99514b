"""INSERT into a table of another format: the rows of the same INSERT into a Delta table, as files."""

from __future__ import annotations

from deltasql.catalog.entries import TableEntry
from deltasql.errors.sources import SourceOperationError
from deltasql.log.replay.snapshot import Snapshot
from deltasql.log.storage.paths import decode_path
from deltasql.plan.operators import Write
from deltasql.plan.statements.insert import Insert, ReplaceUsing, ReplaceWhere
from deltasql.planner.changes import RowChange, SourceWrite
from deltasql.planner.context import Context
from deltasql.planner.foreign.snapshots import ICEBERG


def refuse_source_write(statement: Insert, entry: TableEntry, context: Context) -> None:
    """Raises SourceOperationError for a format that is only read, DeltaOnlyError for clauses that need a log."""
    assert entry.source is not None
    name = statement.table
    caret = context.caret(name.start, name.end)
    if entry.source.format == ICEBERG:
        advice = "Iceberg tables are read only. Copy its rows into a Delta table: CREATE TABLE … AS SELECT."
        raise SourceOperationError("INSERT", str(name), ICEBERG, advice).at(caret)
    if statement.schema_evolution:
        raise context.delta_only(name, entry, "INSERT WITH SCHEMA EVOLUTION").at(caret)
    match statement.replaces:
        case None:
            return
        case ReplaceWhere():
            clause = "REPLACE WHERE"
        case ReplaceUsing():
            clause = "REPLACE USING"
        case _:
            clause = "REPLACE ON"
    raise context.delta_only(name, entry, f"INSERT INTO … {clause}").at(caret)


def files_written(change: RowChange, entry: TableEntry, snapshot: Snapshot) -> SourceWrite:
    """The files of a change of the table in place of its commit."""
    assert entry.source is not None
    assert isinstance(change.operator, Write)
    removed = [] if change.removed is None else change.removed.column("path").to_pylist()
    return SourceWrite(
        change.operator.child,
        snapshot.table,
        snapshot.location,
        entry.source,
        tuple(map(decode_path, removed)),
        change.dynamic_overwrite is not None,
    )
