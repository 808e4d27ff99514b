"""ALTER TABLE … CLUSTER BY."""

from __future__ import annotations

from deltasql.base.errors.statements.optimize import ClusterPartitionedTableError
from deltasql.log.actions import actions as operations
from deltasql.log.actions.actions import Action
from deltasql.log.reading.change_feed import CLUSTERING_FEATURE, clustering_columns, clustering_domain, is_clustered
from deltasql.planner.changes import Answer, CommitSpec, Plan, TableChange
from deltasql.planner.context import Context, plan
from deltasql.statements.clustering_columns import automatic, checked_columns, comma_list
from deltasql.statements.nodes.table import AlterClustering


@plan.register
def _(statement: AlterClustering, context: Context) -> Plan:
    """The log alone: OPTIMIZE arranges the rows. NONE keeps the feature; AUTO keeps the columns that there are."""
    log, snapshot = context.writable(statement.table)
    caret = context.caret(statement.table.start, statement.table.end)
    if snapshot.partition_columns:
        raise ClusterPartitionedTableError(snapshot.table, snapshot.partition_columns).at(caret)
    old = clustering_columns(snapshot)
    requested = statement.cluster_by
    if not requested.columns and not requested.auto and not is_clustered(snapshot):
        return Answer()
    columns = old if requested.auto else checked_columns(requested, snapshot.metadata, snapshot.table, context)
    parameters = {"oldClusteringColumns": comma_list(old), "newClusteringColumns": comma_list(columns)}
    metadata = automatic(snapshot.metadata, requested)
    protocol = snapshot.protocol.with_features((CLUSTERING_FEATURE,))
    changed: list[Action] = [] if protocol == snapshot.protocol else [protocol]
    changed += [] if metadata is snapshot.metadata else [metadata]
    actions = (*changed, clustering_domain(snapshot.schema, columns))
    return TableChange(CommitSpec(log, snapshot, operations.CLUSTER_BY, parameters, actions))
