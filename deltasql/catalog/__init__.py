"""Names to table locations: `catalog` says what names mean, a `store` keeps them, in SQLite or in objects.

Schema and properties of a table always come from its `_delta_log`, never from here.
"""

from __future__ import annotations

from deltasql.base.doors import door

__getattr__, __dir__ = door(
    __name__,
    """
    catalog: Catalog
    dropped: DroppedTable bring_back dropped_tables forget_dropped keep_dropped remove_expired
    entries: EVENT_LOG PIPELINE_ID UNGOVERNED Argument Entry FunctionDefinition FunctionEntry Governance Policies Policy
        RefreshDefinition Refreshed SchemaEntry SchemaMode Securable StoredExpectation TableEntry TableSource
        ViewDefinition ViewEntry VolumeEntry arguments_text checked marks_of matching now sql_name table_kind
        table_type
    external.routing: Catalogs ExternalCatalogs MirroredTable TableFacts configured of_spark
    names: CATALOG FUNCTION METASTORE SCHEMA TABLE VOLUME Subject
    samples: sample_columns
    store: INFORMATION_SCHEMA SYSTEM
    temporary: SESSION
    """,
)
