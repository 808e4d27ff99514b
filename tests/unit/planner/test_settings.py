"""SET and RESET, and settings that mean something to rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from deltasql.base import session_settings
from deltasql.base.errors import InvalidSettingError, UnknownSettingError
from deltasql.base.timezone import zone
from deltasql.planner.changes import Answer, SettingChange
from tests.unit.planner.lab import Lab

Fails = Callable[..., Any]
AUTO_MERGE = "spark.databricks.delta.schema.autoMerge.enabled"
ZONE = "spark.sql.session.timeZone"


def test_set_shows_and_changes(lab: Lab) -> None:
    change = lab.plan(f"SET {ZONE} = Europe/Paris")
    assert change == SettingChange(ZONE, "Europe/Paris")
    assert isinstance(change, SettingChange)
    assert change.answer()[1] == ((ZONE, "Europe/Paris"),)
    lab.run(f"SET {ZONE} = Europe/Paris")
    answer = lab.plan(f"SET {ZONE}")
    assert isinstance(answer, Answer)
    assert answer.rows == ((ZONE, "Europe/Paris"),)
    everything = lab.plan("SET")
    assert isinstance(everything, Answer)
    assert (ZONE, "Europe/Paris") in everything.rows
    assert lab.plan(f"RESET {ZONE}") == SettingChange(ZONE, None)
    assert lab.plan("RESET") == SettingChange(None, None)


def test_an_unknown_setting_is_undefined(lab: Lab) -> None:
    answer = lab.plan("SET a.b")
    assert isinstance(answer, Answer)
    assert answer.rows == (("a.b", "<undefined>"),)
    lab.analyst.settings["a.b"] = "Spark's"
    answer = lab.plan("SET a.b")
    assert isinstance(answer, Answer)
    assert answer.rows == (("a.b", "Spark's"),)


def test_set_goes_before_what_spark_was_started_with(lab: Lab) -> None:
    lab.analyst.settings[AUTO_MERGE] = "true"
    assert lab.context().setting(session_settings.AUTO_MERGE)
    lab.run(f"SET {AUTO_MERGE} = false")
    assert not lab.context().setting(session_settings.AUTO_MERGE)


def test_a_spark_that_was_handed_in_knows_the_zone(lab: Lab) -> None:
    """Its owner may change it there after SET TIME ZONE."""
    lab.run(f"SET {ZONE} = UTC")
    assert lab.context().time_zone == "UTC"
    lab.analyst.settings[ZONE] = "Asia/Tokyo"
    assert lab.context().time_zone == "Asia/Tokyo"


def test_values_are_validated_where_they_count(lab: Lab, fails: Fails) -> None:
    lab.run("CREATE TABLE t (a INT)")
    lab.settings.set(AUTO_MERGE, "Yes")
    error = fails("INSERT INTO t SELECT 1", InvalidSettingError)
    assert (error.key, error.value) == (AUTO_MERGE, "Yes")


@pytest.mark.parametrize(
    ("name", "hours"), [("UTC", 0), ("+09:00", 9), ("-0330", -3.5), ("GMT+2", 2), ("UTC-3", -3), ("Asia/Tokyo", 9)]
)
def test_zones_as_spark_names_them(name: str, hours: float) -> None:
    from datetime import datetime, timedelta

    assert zone(name).utcoffset(datetime(2024, 1, 1)) == timedelta(hours=hours)


@pytest.mark.parametrize("name", ["Nowhere/Land", "../etc/passwd", "+1:2:3:4"])
def test_what_is_no_zone(name: str) -> None:
    with pytest.raises(InvalidSettingError) as caught:
        zone(name)
    assert caught.value.condition == "INVALID_CONF_VALUE"


@pytest.mark.parametrize("key", ["DELTASQL.GOVERNANCE.FILTERS", "`Deltasql.governance.filters`", "Deltasql.nonsense"])
def test_keys_are_as_they_are_written_and_none_is_ignored(fails: Fails, key: str) -> None:
    fails(f"SET {key} = true", UnknownSettingError)
