"""What of dbt's suite does not apply, each with the reason."""

from __future__ import annotations

_PYTHON = "Sail runs no models in Python; with --engine spark they run"
_GRANTS = "a warehouse has no users: grants are passed over with a warning"
_VIEWS = "there are no materialized views"
_SCRIPTS = "functions are in SQL"

LEFT_OUT: dict[str, str] = {
    "BaseDebug": "a base class",
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
