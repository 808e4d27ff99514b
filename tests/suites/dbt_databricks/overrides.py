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


class DatabricksTypes(overrides.SparkTypes):
    """Messages name nested types and decimals without what is in them."""

    @pytest.fixture
    def data_types(self) -> list[list[str]]:
        return [[value, kind, kind.partition("<")[0].partition("(")[0]] for value, kind in self.TYPES]


class DatabricksDocs:
    """The catalog of the adapter has comments of tables and views, and none of columns."""

    def _assert_has_table_comments(self, table_node: Any) -> None:
        found = table_node["metadata"]["comment"]
        assert found.startswith("Table model description")
        self._assert_common_comments(found)  # type: ignore[attr-defined]

    def _assert_has_view_comments(self, view_node: Any, has_node_comments: bool = True, *others: Any) -> None:
        found = view_node["metadata"]["comment"]
        assert found.startswith("View model description") if has_node_comments else not found


_HOOKS = (
    "BasePrePostModelHooks",
    "BaseHookRefs",
    "BasePrePostModelHooksInConfig",
    "BasePrePostModelHooksInConfigWithCount",
    "BasePrePostModelHooksInConfigKwargs",
    "BasePrePostRunHooks",
)

_GRANTS = ("BaseIncrementalGrants", "BaseModelGrants", "BaseSeedGrants", "BaseSnapshotGrants")
_TYPES = (
    "BaseTableConstraintsColumnsEqual",
    "BaseViewConstraintsColumnsEqual",
    "BaseIncrementalConstraintsColumnsEqual",
)

OVERRIDES: dict[str, type] = {
    **overrides.OVERRIDES,
    **dict.fromkeys(_HOOKS, DatabricksHooks),
    **dict.fromkeys(_GRANTS, DatabricksGrants),
    **dict.fromkeys(_TYPES, DatabricksTypes),
    "BasePersistDocs": DatabricksDocs,
}
"""Classes that come before the suite's; of one for models, its files are as they are, and else in Spark's words."""
for _name in ("BaseSimpleCopyUppercase",):
    del OVERRIDES[_name]
