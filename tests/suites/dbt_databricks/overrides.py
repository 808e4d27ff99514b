"""Fixtures that classes of dbt's suite leave to adapters, for the adapter of Databricks."""

from __future__ import annotations

from typing import Any

import pytest

from tests.suites.dbt import overrides
from tests.suites.dbt.grants import RecordedGrants


class DatabricksHooks:
    """A target of Databricks in place of one of Postgres."""

    def get_ctx_vars(self, *arguments: Any, **named: Any) -> Any:
        found = super().get_ctx_vars(*arguments, **named)  # type: ignore[misc]
        for row in found if isinstance(found, list) else [found]:
            assert (row["target_type"], row["target_dbname"]) == ("databricks", "")
            row.update(target_type="postgres", target_dbname="dbt", target_user="root")
        return found


class DatabricksGrants(RecordedGrants):
    """A warehouse records grants by itself."""

    @pytest.fixture(scope="class")
    def dbt_profile_target(self, dbt_profile_target: dict[str, Any]) -> dict[str, Any]:
        return dbt_profile_target


_HOOKS = (
    "BasePrePostModelHooks",
    "BaseHookRefs",
    "BasePrePostModelHooksInConfig",
    "BasePrePostModelHooksInConfigWithCount",
    "BasePrePostModelHooksInConfigKwargs",
    "BasePrePostRunHooks",
)

_GRANTS = ("BaseIncrementalGrants", "BaseModelGrants", "BaseSeedGrants", "BaseSnapshotGrants")

OVERRIDES: dict[str, type] = {
    **overrides.OVERRIDES,
    **dict.fromkeys(_HOOKS, DatabricksHooks),
    **dict.fromkeys(_GRANTS, DatabricksGrants),
}
"""Classes that come before the suite's; of one for models, its files are as they are, and else in Spark's words."""
for _name in ("BaseSimpleCopyUppercase",):
    del OVERRIDES[_name]
