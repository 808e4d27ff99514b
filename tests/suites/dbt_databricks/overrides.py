"""Fixtures that classes of dbt's suite leave to adapters, for the adapter of Databricks."""

from __future__ import annotations

from typing import Any

import pytest
from dbt.tests.adapter.functions import files

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


class DatabricksTarget:
    """The warehouse of the other classes, where a class has a target of its own."""

    @pytest.fixture(scope="class")
    def dbt_profile_target(self, dbt_profile_target: dict[str, Any]) -> dict[str, Any]:
        return dbt_profile_target


class DatabricksGrants(DatabricksTarget, RecordedGrants):
    """A warehouse records grants by itself."""


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


def _in_parentheses(own: type[overrides.SparkEphemeral]) -> str:
    """The view of a class as the adapter writes it: three names in quotes, and the query in parentheses."""
    query = own.SQL.partition(" as\n")[2]
    return f"create or replace view `main`.`SCHEMA`.`{own.NAME}` as ({query})"


class DatabricksEphemeralMulti(overrides.SparkEphemeralMulti):
    SQL = _in_parentheses(overrides.SparkEphemeralMulti)


class DatabricksEphemeralNested(overrides.SparkEphemeralNested):
    SQL = _in_parentheses(overrides.SparkEphemeralNested).replace(
        " SCHEMA.source_table", " `main`.`SCHEMA`.`source_table`"
    )


class DatabricksMetadata(overrides.MappedSeed):
    """With --empty the adapter alters a column of a query in place of one of its table, so that model is left out."""

    @pytest.mark.parametrize(
        "model",
        [
            "control",
            "get_columns_in_relation",
            "alter_relation_comment",
            "alter_column_comment",
            "alter_relation_add_remove_columns",
            "truncate_relation",
        ],
    )
    def test_run(self, project: Any, model: str) -> None:
        super().test_run(project, model)  # type: ignore[misc]


class DatabricksPython(overrides.SparkVolatility):
    """The text of a function in Python is its body, and the adapter writes no volatility."""

    @pytest.fixture(scope="class")
    def functions(self) -> dict[str, str]:
        return {"price_for_xlarge.py": "return price * 2\n", "price_for_xlarge.yml": files.MY_UDF_PYTHON_YML}


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
    "BaseSimpleCopyUppercase": DatabricksTarget,
    "MetadataWithEmptyFlag": DatabricksMetadata,
    **dict.fromkeys(("DeterministicUDF", "NonDeterministicUDF"), overrides.SparkVolatility),
    **dict.fromkeys(("PythonUDFSupported", "PythonUDFVolatilitySupport"), DatabricksPython),
    "BaseEphemeralMulti": DatabricksEphemeralMulti,
    "BaseEphemeralNested": DatabricksEphemeralNested,
}
"""Classes that come before the suite's; of one for models, its files are as they are, and else in Spark's words."""
for _name in ("SqlUDFDefaultArgSupport", "PythonUDFDefaultArgSupport"):
    del OVERRIDES[_name]
