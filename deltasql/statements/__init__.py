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
    catalog: CommentOnCatalog CreateCatalog DescribeCatalog DropCatalog SetCatalogProperties
        UnsetCatalogProperties
    clone: CloneTable
    constraints: AddConstraint CheckConstraint
    convert: Convert
    copy_into: CopyInto
    create_text: column_rules
    delete: Delete
    describe: all_properties
    features: DropFeature
    frames: CreateForFrame StreamBatch WriteFrame WriteMode
    fsck: Fsck
    function: CreateFunction DescribeFunction ShowFunctions
    generate: Generate
    governance: DescribeSecurable ShowGrants ShowSecurables ShowShare
    idempotency: plan_statement
    insert: DATAFRAME Insert
    inspect: DescribeDetail DescribeHistory DescribeSchema DescribeTable Explain ShowCatalogs ShowColumns
        ShowCreateTable ShowCurrentSchema ShowPartitions ShowSchemas ShowTableExtended ShowTableProperties
        ShowTables ShowViews
    merge: InsertAction Merge MergeClause UpdateAction
    optimize: Optimize Reorg UpgradeUniform auto_compaction compacts
    properties: CommentOnSchema
    query: Query
    refresh: CreateRefreshed RefreshData
    restore: Restore
    table: CreateSchema CreateTable CreateTableLike DropSchema DropTable RenameTable SetSchemaProperties
        SetTableLocation TruncateTable UnsetSchemaProperties new_namespaces
    table_metadata: json_list
    update: Update
    upkeep: AnalyzeTable
    vacuum: Vacuum
    view: CreateView
    volume: DescribeVolume ListFiles ShowVolumes
    """,
)

for _module in walk_packages(__path__, f"{__name__}."):
    import_module(_module.name)
