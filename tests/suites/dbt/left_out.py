"""Tests of dbt's suite that do not apply to the adapter, each with the reason."""

from __future__ import annotations

_PYTHON = "Sail runs no models in Python; with --engine spark they run"
_GRANTS = "a warehouse has no users: grants are passed over with a warning"
_DATABASE = "the cache of dbt-spark has no databases"
_DDL = "constraints are added to the table, as in dbt-spark, and are not part of CREATE TABLE"
_ROLLBACK = "constraints are checked when the table is there, as in dbt-spark"
_VIEWS = "there are no materialized views"
_SCRIPTS = "functions are in SQL"

LEFT_OUT: dict[str, str] = {
    "BaseDebug": "a base class",
    "BaseDocsGenerate": "it expects the catalog of Postgres, and dbt-spark has an expectation of its own",
    "BaseDocsGenReferences": "it expects the catalog of Postgres, and dbt-spark has an expectation of its own",
    "BaseConstraintsColumnsEqual": "a base class",
    "BaseContractSqlHeader": "a base class",
    "BaseCachingTest": _DATABASE,
    "BaseCachingLowercaseModel": _DATABASE,
    "BaseCachingUppercaseModel": _DATABASE,
    "BaseCachingSelectedSchemaOnly": _DATABASE,
    "BaseNoPopulateCache": _DATABASE,
    "BaseConstraintsRuntimeDdlEnforcement": _DDL,
    "BaseIncrementalConstraintsRuntimeDdlEnforcement": _DDL,
    "BaseModelConstraintsRuntimeEnforcement": _DDL,
    "BaseIncrementalForeignKeyConstraint": "its primary key may hold NULL, which Databricks refuses, too",
    "BaseConstraintQuotedColumn": "a name in double quotes is a text in Spark",
    "BaseConstraintsRollback": _ROLLBACK,
    "BaseIncrementalConstraintsRollback": _ROLLBACK,
    "BaseTableContractSqlHeader": "its header is in SQL of Postgres",
    "BaseIncrementalContractSqlHeader": "its header is in SQL of Postgres",
    "BaseIncrementalBadStrategy": "dbt-spark refuses such a strategy in other words",
    "BaseGetCatalogForSingleRelation": "dbt-spark does not implement the method",
    "CatalogRelationTypes": _VIEWS,
    "BaseDebugPostgres": "profiles of Postgres",
    "BaseDebugInvalidProjectPostgres": "profiles of Postgres",
    "BaseDebugProfileVariable": "profiles of Postgres",
    "BasePostgresColumnTypes": "types of Postgres",
    "BaseCloneNotPossible": "tables can be cloned",
    "MaterializedViewBasic": _VIEWS,
    "MaterializedViewChanges": _VIEWS,
    "MaterializedViewChangesApplyMixin": _VIEWS,
    "MaterializedViewChangesContinueMixin": _VIEWS,
    "MaterializedViewChangesFailMixin": _VIEWS,
    "BaseGrants": _GRANTS,
    "BaseIncrementalGrants": _GRANTS,
    "BaseInvalidGrants": _GRANTS,
    "BaseModelGrants": _GRANTS,
    "BaseSeedGrants": _GRANTS,
    "BaseSnapshotGrants": _GRANTS,
    "BaseSameAliasDifferentDatabases": "a run has one catalog",
    "BaseCatalogIntegrationValidation": "there are no catalog integrations",
}
"""Classes; a later release's new ones run until they stand here."""

CLASSIFIED = ("aliases", "basic")
"""Folders of the suite each of whose classes passes, or stands above.

`--all` runs the others, too: many of their classes fail on files of Postgres that need a counterpart.
"""
