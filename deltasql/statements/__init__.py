"""Statements by family: nodes, builders from the grammar's trees, planner rules, and the rows of SHOW and DESCRIBE.

Importing this package registers all rules; no other list exists. Code that three families or more share is in
`planner`.
"""

from importlib import import_module
from pkgutil import walk_packages

from deltasql.base.doors import door

__getattr__, __dir__ = door(
    __name__,
    """
    catalog: DropCatalog
    clone: CloneTable
    constraints: AddConstraint CheckConstraint
    create_text: column_rules
    delete: Delete
    describe: all_properties
    frames: CreateForFrame StreamBatch WriteFrame WriteMode
    function: CreateFunction
    idempotency: plan_statement
    insert: DATAFRAME Insert
    merge: InsertAction Merge MergeClause UpdateAction
    optimize: auto_compaction compacts
    policy: DescribePolicy DropPolicy
    query: Query
    flows: CreateFlow
    refresh: ApplyChanges CreateRefreshed
    refreshing: FlowChanges
    settings: SetSetting SetTimeZone
    streamed: stream_words
    table: CreateTable CreateTableLike DropSchema DropTable TruncateTable UseCatalog UseSchema
        new_namespaces
    table_metadata: json_list
    update: Update
    view: CreateMetricView CreateView Expectation ViewScope expected_rows
    volume: GetFile PutFile RemoveFromVolume
    """,
)

for _module in walk_packages(__path__, f"{__name__}."):
    import_module(_module.name)
