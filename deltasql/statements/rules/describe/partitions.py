"""SHOW PARTITIONS: the values of the partition columns, from the log."""

from __future__ import annotations

from deltasql.base.errors.statements.inspect import ShowPartitionsOfViewError
from deltasql.planner.changes import Answer, Plan
from deltasql.planner.context import Context, plan
from deltasql.planner.foreign.snapshots import table_snapshot
from deltasql.planner.governance.enforcing import refuse_enforced
from deltasql.statements.nodes.inspect import ShowPartitions
from deltasql.statements.partition_spec import partition_files, partition_rows


@plan.register
def _(statement: ShowPartitions, context: Context) -> Plan:
    """The distinct tuples of partition values, each column with its own type, in order."""
    table = statement.table
    if context.is_view(table):
        raise ShowPartitionsOfViewError(view=str(table)).at(context.caret(table.start, table.end))
    snapshot = table_snapshot(context, table)
    refuse_enforced("SHOW PARTITIONS", table, snapshot.location, context)
    files = partition_files(statement.partition, table, snapshot, context)
    return Answer(*partition_rows(files, snapshot))
