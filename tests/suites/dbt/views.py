"""Statements and fixtures for the classes of dbt's suite about materialized views."""

from __future__ import annotations

from typing import Any

import pytest
from dbt.tests.adapter.materialized_view.changes import MaterializedViewChanges
from dbt.tests.util import get_model_file, set_model_file

_TYPES = {"MANAGED": "table"}


def _facts(project: Any, relation: Any) -> dict[str, str]:
    """The rows of DESCRIBE EXTENDED, the values by their names."""
    return {row[0]: row[1] for row in project.run_sql(f"describe extended {relation}", fetch="all")}


def _replace(project: Any, relation: Any, old: str, new: str) -> None:
    text = get_model_file(project, relation)
    assert old in text
    set_model_file(project, relation, text.replace(old, new))


class SparkViews:
    @staticmethod
    def insert_record(project: Any, table: Any, record: tuple[int, int]) -> None:
        project.run_sql(f"insert into {table} values {record}")

    @staticmethod
    def refresh_materialized_view(project: Any, materialized_view: Any) -> None:
        project.run_sql(f"refresh materialized view {materialized_view}")

    @staticmethod
    def query_row_count(project: Any, relation: Any) -> int:
        return int(project.run_sql(f"select count(*) from {relation}", fetch="one")[0])

    @staticmethod
    def query_relation_type(project: Any, relation: Any) -> str | None:
        found = _facts(project, relation)["Type"]
        return _TYPES.get(found, found.lower())


class SparkViewChanges(MaterializedViewChanges):  # type: ignore[misc]
    """A schedule is altered, and clustering is not."""

    query_relation_type = staticmethod(SparkViews.query_relation_type)

    @staticmethod
    def check_start_state(project: Any, materialized_view: Any) -> None:
        facts = _facts(project, materialized_view)
        assert facts["Refresh Schedule"] == "MANUAL"
        assert "# Clustering Information" not in facts

    @staticmethod
    def change_config_via_alter(project: Any, materialized_view: Any) -> None:
        schedule = "schedule={'cron': '0 0 4 * * ?', 'time_zone_value': 'UTC'}"
        _replace(project, materialized_view, "config(", f"config({schedule}, ")

    @staticmethod
    def check_state_alter_change_is_applied(project: Any, materialized_view: Any) -> None:
        schedule = _facts(project, materialized_view)["Refresh Schedule"]
        assert schedule.upper() == "CRON '0 0 4 * * ?' AT TIME ZONE 'UTC'"

    @staticmethod
    def change_config_via_replace(project: Any, materialized_view: Any) -> None:
        _replace(project, materialized_view, "config(", "config(liquid_clustered_by='id', ")

    @staticmethod
    def check_state_replace_change_is_applied(project: Any, materialized_view: Any) -> None:
        assert "# Clustering Information" in _facts(project, materialized_view)


class SparkRelationTypes:
    """The types in words of dbt-spark."""

    @pytest.mark.parametrize(
        ("node_name", "relation_type"),
        [
            ("seed.test.my_seed", "table"),
            ("model.test.my_table", "table"),
            ("model.test.my_view", "view"),
            ("model.test.my_materialized_view", "materialized_view"),
        ],
    )
    def test_relation_types_populate_correctly(self, docs: Any, node_name: str, relation_type: str) -> None:
        super().test_relation_types_populate_correctly(docs, node_name, relation_type)  # type: ignore[misc]
