"""Differences between two statements that create a materialized view or a streaming table; no project, no rows."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = [pytest.mark.dbt, pytest.mark.filterwarnings("default")]

START = "CREATE MATERIALIZED VIEW spark_catalog.s.m (\n  id COMMENT 'x',\n  v)\n"
PROPERTIES = (
    "TBLPROPERTIES ('a' = '1', 'delta.enableDeletionVectors' = 'true', 'delta.feature.appendOnly' = 'supported')"
)
CURRENT = f"{START}CLUSTER BY (id)\n{PROPERTIES}\nschedule every 2 hours\nAS\nselect id, v from t\n"


def changed(wanted: str, current: str = CURRENT) -> Any:
    from dbt.adapters.deltasql.refreshed import change

    found = change(current, f"create or replace materialized view s.m {wanted}")
    return None if found is None else (found.is_query_changed, found.replaced, found.altered)


def test_the_same_statement_in_other_words_is_no_change() -> None:
    wanted = (
        "cluster by (ID) tblproperties ('a' = '1') SCHEDULE REFRESH EVERY 2 HOURS as\n-- note\nselect id, v from t;"
    )
    assert changed(wanted) is None
    wanted = "cluster by (id) tblproperties ('a' = '1', 'delta.enabledeletionvectors' = 'True') schedule every 2 hours"
    assert changed(f"{wanted} as select id, v from t -- end") is None


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ("cluster by (id) tblproperties ('a' = '1') schedule every 2 hours as select id from t", (True, (), ())),
        (
            "cluster by auto tblproperties ('a' = '1') schedule every 2 hours as select id, v from t",
            (False, ("liquid_clustered_by",), ()),
        ),
        (
            "partitioned by (v) tblproperties ('a' = '1') schedule every 2 hours as select id, v from t",
            (False, ("partition_by", "liquid_clustered_by"), ()),
        ),
        (
            "(constraint c check (id > 0)) cluster by (id) tblproperties ('a' = '1') schedule every 2 hours "
            "as select id, v from t",
            (False, ("constraints",), ()),
        ),
        (
            "cluster by (id) tblproperties ('b' = 'it''s') as select id, v from t",
            (
                False,
                (),
                (
                    "drop schedule",
                    "set tblproperties ('b' = 'it\\'s')",
                    "unset tblproperties if exists ('a')",
                ),
            ),
        ),
        (
            "cluster by (id) tblproperties ('a' = '1') trigger on update as select id, v from t",
            (False, (), ("add trigger on update",)),
        ),
    ],
)
def test_a_change_is_altered_or_replaced(wanted: str, expected: tuple[Any, ...]) -> None:
    assert changed(wanted) == expected


def test_other_statements_are_refused() -> None:
    from dbt_common.exceptions import DbtDatabaseError

    with pytest.raises(DbtDatabaseError, match="creates no materialized view"):
        changed("as select 1", "CREATE TABLE t (id INT)")
    with pytest.raises(DbtDatabaseError, match="PARSE_SYNTAX_ERROR"):
        changed("schedule every day as select 1")


def test_a_schedule_is_a_clause() -> None:
    from dbt.adapters.deltasql.refreshed import schedule_clause
    from dbt_common.exceptions import CompilationError

    assert schedule_clause(None) == schedule_clause({}) == ""
    assert schedule_clause({"cron": "0 0 4 * * ?"}) == "schedule cron '0 0 4 * * ?'"
    assert schedule_clause({"cron": "0 0 4 * * ?", "time_zone_value": "UTC"}).endswith(" at time zone 'UTC'")
    assert schedule_clause({"every": "2 hours"}) == "schedule every 2 hours"
    assert schedule_clause({"on_update": True}) == "trigger on update"
    limited = schedule_clause({"on_update": True, "at_most_every": "2 hours"})
    assert limited == "trigger on update at most every interval 2 hours"
    assert changed(f"cluster by (id) tblproperties ('a' = '1') {limited} as select id, v from t") == (
        False,
        (),
        (f"add {limited}",),
    )
    for wrong in ("daily", {"every": "1 day", "cron": "x"}, {"time_zone_value": "UTC"}, {"at_most_every": "1 hour"}):
        with pytest.raises(CompilationError, match="schedule is"):
            schedule_clause(wrong)
