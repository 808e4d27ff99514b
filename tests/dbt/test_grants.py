"""Grants of models: recorded, or passed over with a warning where the profile says so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.dbt.conftest import Played, project_in
from tests.dbt.test_refreshed import DEFAULTS, PROJECT

pytestmark = [pytest.mark.dbt, pytest.mark.spark, pytest.mark.filterwarnings("default")]

TARGETS: dict[str, dict[str, Any]] = {
    "recorded": {"schema": "feed", "settings": {"deltasql.governance": "RECORD"}},
    "plain": {"schema": "plain", "settings": {"deltasql.governance": "WARN"}},
}


@pytest.fixture(scope="module")
def feed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    with project_in(tmp_path_factory.mktemp("dbt-grants"), PROJECT, "feed", TARGETS) as play:
        play.session.sql("SET deltasql.governance = RECORD")
        play.session.sql("CREATE SCHEMA feed")
        play.session.sql("GRANT SELECT ON SCHEMA feed TO everyone")
        play.dbt("seed", "seed", variables=DEFAULTS)
        yield play


def run(play: Played, grants: dict[str, list[str]], *words: str, **variables: Any) -> set[str]:
    play.dbt("run", "run", *words, variables={**DEFAULTS, **variables, "grants": grants})
    return set(play.steps["run"].values())


def granted(play: Played, name: str) -> list[tuple[str, str]]:
    """Principals and privileges of the relation itself; that of its schema stays as it is."""
    rows = play.rows(f"SHOW GRANTS ON feed.{name}")
    assert ("everyone", "SELECT", "SCHEMA", "spark_catalog.feed") in rows
    return sorted((row[0], row[1]) for row in rows if row[2] != "SCHEMA")


@pytest.mark.parametrize("form", ["materialized_view", "table", "view", "incremental"])
def test_grants_become_those_of_the_model(feed: Played, form: str) -> None:
    assert run(feed, {"select": ["ada@example.com", "ben"]}, form=form) == {"success"}
    for name in ("totals", "seen"):
        assert granted(feed, name) == [("ada@example.com", "SELECT"), ("ben", "SELECT")]
    feed.session.sql("DENY SELECT ON feed.totals TO eve")
    assert run(feed, {"select": ["ben"], "manage": ["cid"]}, form=form) == {"success"}
    assert granted(feed, "totals") == [("ben", "SELECT"), ("cid", "MANAGE"), ("eve", "DENIED_SELECT")]
    assert granted(feed, "seen") == [("ben", "SELECT"), ("cid", "MANAGE")]


def test_a_privilege_that_no_table_has_is_an_error(feed: Played) -> None:
    assert run(feed, {"fake_privilege": ["ada"]}, "--select", "totals") == {"error"}
    assert "INVALID_PRIVILEGE" in feed.messages["run totals"]


def test_without_records_grants_are_passed_over(feed: Played) -> None:
    feed.dbt("seed", "seed", "--target", "plain", variables=DEFAULTS)
    assert run(feed, {"select": ["ada"]}, "--target", "plain") == {"success"}
    assert "plain.totals goes without its grants. With `deltasql.governance: RECORD`" in feed.log
    assert feed.rows("SHOW GRANTS ON plain.totals") == []
