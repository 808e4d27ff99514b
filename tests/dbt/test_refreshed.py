"""Models that are materialized views and streaming tables: made, refreshed, changed and replaced."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.dbt.conftest import Played, project_in

pytestmark = [pytest.mark.dbt, pytest.mark.spark, pytest.mark.filterwarnings("default")]

PROJECT = Path(__file__).parent / "refreshed"
REPLACED = "CREATE OR REPLACE TABLE AS SELECT"
DEFAULTS: dict[str, Any] = {
    "form": "materialized_view",
    "least": 0,
    "schedule": {"every": "2 hours"},
    "properties": {"team": "north", "delta.enableChangeDataFeed": True},
    "clusters": "region",
    "reaction": "apply",
    "check": "total >= 0",
    "described": "The total of a region's orders.",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    with project_in(tmp_path_factory.mktemp("dbt-refreshed"), PROJECT, "feed", {"dev": {"schema": "feed"}}) as play:
        play.dbt("seed", "seed", variables=DEFAULTS)
        yield play


@pytest.fixture
def feed(project: Played) -> Played:
    """The project after a first run, with the rows of its seed."""
    project.session.sql("INSERT OVERWRITE feed.orders VALUES (1, 'north', 10), (2, 'south', 20), (3, 'north', 5)")
    for name in ("totals", "seen"):
        for kind in ("MATERIALIZED VIEW", "STREAMING TABLE", "TABLE", "VIEW"):
            if facts(project, name).get("Type", "").replace("MANAGED", "TABLE").replace("_", " ") == kind:
                project.session.sql(f"DROP {kind} feed.{name}")
    run(project, "first")
    assert project.steps["first"] == {"totals": "success", "seen": "success"}, project.messages
    return project


def run(play: Played, step: str, *words: str, **variables: Any) -> dict[str, str]:
    play.dbt(step, "run", *words, variables={**DEFAULTS, **variables})
    return play.steps[step]


def facts(play: Played, name: str) -> dict[str, str]:
    if not play.session.sql(f"SHOW TABLES IN feed LIKE '{name}'").collect():
        return {}
    return {row[0]: row[1] for row in play.rows(f"DESCRIBE EXTENDED feed.{name}")}


def properties(play: Played, name: str) -> dict[str, str]:
    return dict(play.rows(f"SHOW TBLPROPERTIES feed.{name}"))


def test_a_run_creates_what_the_configuration_says(feed: Played) -> None:
    (created,) = feed.rows("SHOW CREATE TABLE feed.totals")[0]
    for clause in (
        "MATERIALIZED VIEW",
        "region COMMENT 'One of a few; \\'north\\', say.'",
        "CONSTRAINT no_debt CHECK (total >= 0)",
        "PARTITIONED BY (region)",
        "COMMENT 'The total of a region\\'s orders.'",
        "'team' = 'north'",
        "schedule every 2 hours",
    ):
        assert clause in created
    (created,) = feed.rows("SHOW CREATE TABLE feed.seen")[0]
    for clause in (
        "STREAMING TABLE",
        "id COMMENT 'The number of the order.'",
        "CLUSTER BY (region)",
        "trigger on update",
    ):
        assert clause in created
    assert feed.rows("SELECT * FROM feed.totals ORDER BY region") == [("north", 15), ("south", 20)]
    assert facts(feed, "seen")["Comment"] == "Orders as they came."


def test_another_run_refreshes(feed: Played) -> None:
    feed.session.sql("INSERT INTO feed.orders VALUES (4, 'south', 1)")
    before = feed.operations("feed.totals"), feed.operations("feed.seen")
    assert set(run(feed, "second").values()) == {"success"}
    assert feed.rows("SELECT * FROM feed.totals ORDER BY region") == [("north", 15), ("south", 21)]
    assert feed.rows("SELECT id FROM feed.seen ORDER BY id") == [(1,), (2,), (3,), (4,)]
    assert [len(feed.operations(f"feed.{name}")) for name in ("totals", "seen")] == [len(item) + 1 for item in before]
    assert feed.operations("feed.totals").count(REPLACED) == 1


def test_schedule_and_properties_are_altered(feed: Played) -> None:
    changed = {"schedule": {"cron": "0 0 4 * * ?"}, "properties": {"author": "it's us"}}
    assert set(run(feed, "altered", **changed).values()) == {"success"}
    assert feed.operations("feed.totals").count(REPLACED) == 1
    assert facts(feed, "totals")["Refresh Schedule"] == "CRON '0 0 4 * * ?' AT TIME ZONE 'Etc/UTC'"
    found = properties(feed, "totals")
    assert (found.get("team"), found["author"], found["delta.enableChangeDataFeed"]) == (None, "it's us", "true")
    assert set(run(feed, "unscheduled", **{**changed, "schedule": None}).values()) == {"success"}
    assert facts(feed, "totals")["Refresh Schedule"] == "MANUAL"


def test_descriptions_are_written_when_they_change(feed: Played) -> None:
    run(feed, "described", described="Sums.")
    assert facts(feed, "totals")["Comment"] == "Sums."
    assert feed.operations("feed.totals").count(REPLACED) == 1


def test_another_query_replaces_the_view_and_goes_on_with_the_stream(feed: Played) -> None:
    feed.session.sql("INSERT INTO feed.orders VALUES (4, 'south', 1), (5, 'west', 50)")
    assert set(run(feed, "query", least=9).values()) == {"success"}
    assert feed.operations("feed.totals").count(REPLACED) == 2
    assert feed.rows("SELECT * FROM feed.totals ORDER BY region") == [("north", 10), ("south", 20), ("west", 50)]
    assert feed.rows("SELECT id FROM feed.seen ORDER BY id") == [(1,), (2,), (3,), (5,)]
    # All rows by the new query.
    assert set(run(feed, "full", "--full-refresh", least=9).values()) == {"success"}
    assert feed.rows("SELECT id FROM feed.seen ORDER BY id") == [(1,), (2,), (5,)]


def test_a_full_refresh_reads_a_changed_source_from_its_beginning(feed: Played) -> None:
    feed.session.sql("DELETE FROM feed.orders WHERE id = 1")
    assert run(feed, "changed source", "--select", "seen") == {"seen": "error"}
    assert "STREAMING_TABLE_SOURCE_CHANGED" in feed.messages["changed source seen"]
    assert run(feed, "full", "--full-refresh", "--select", "seen") == {"seen": "success"}
    assert feed.rows("SELECT id FROM feed.seen ORDER BY id") == [(2,), (3,)]
    # The same query: the table stays.
    assert len(feed.operations("feed.seen")) > 2


def test_other_clustering_is_another_streaming_table(feed: Played) -> None:
    assert run(feed, "clusters", "--select", "seen", clusters="id") == {"seen": "success"}
    assert "CLUSTER BY (id)" in feed.rows("SHOW CREATE TABLE feed.seen")[0][0]
    assert [name for _, name, _ in feed.rows("SHOW TABLES IN feed LIKE 'seen*'")] == ["seen"]


@pytest.mark.parametrize(("reaction", "status"), [("continue", {"success"}), ("fail", {"error"})])
def test_changes_are_passed_over_or_refused(feed: Played, reaction: str, status: set[str]) -> None:
    for name in ("totals", "seen"):
        found = run(feed, f"{reaction} {name}", "--select", name, least=9, reaction=reaction)
        assert set(found.values()) == status
    assert "amount > 0" in facts(feed, "totals")["View Text"]
    assert "amount > 0" in facts(feed, "seen")["View Text"]
    assert f"`on_configuration_change` was set to `{reaction}` for `feed.seen`" in feed.log


@pytest.mark.parametrize("form", ["table", "view", "incremental"])
def test_other_relations_take_their_place_and_give_way(feed: Played, form: str) -> None:
    described = {"table": "MANAGED", "view": "VIEW", "incremental": "MANAGED"}[form]
    assert set(run(feed, form, form=form).values()) == {"success"}, feed.messages
    assert {facts(feed, name)["Type"] for name in ("totals", "seen")} == {described}
    assert set(run(feed, f"{form} back").values()) == {"success"}, feed.messages
    assert facts(feed, "totals")["Type"] == "MATERIALIZED_VIEW"
    assert facts(feed, "seen")["Type"] == "STREAMING_TABLE"
    assert feed.rows("SELECT count(*) FROM feed.seen") == [(3,)]


def test_a_query_that_fails_leaves_the_table(feed: Played) -> None:
    run(feed, "table", "--select", "totals", form="table")
    feed.session.sql("INSERT INTO feed.orders VALUES (9, 'south', -1000)")
    assert run(feed, "failing", "--select", "totals", least=-5000) == {"totals": "error"}
    assert "no_debt" in feed.messages["failing totals"]
    assert facts(feed, "totals")["Type"] == "MANAGED"
    assert feed.rows("SELECT * FROM feed.totals ORDER BY region") == [("north", 15), ("south", 20)]


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"check": ""}, "has constraints of the type check alone"),
        ({"schedule": {"at_most_every": "1 hour"}}, "schedule is {'at_most_every': '1 hour'}"),
        ({"schedule": {"every": "2 hours", "time_zone_value": "UTC"}}, "schedule is"),
        ({"schedule": "daily"}, "schedule is 'daily'. Write one of"),
    ],
)
def test_what_a_materialized_view_has_not_is_refused(feed: Played, variables: dict[str, Any], message: str) -> None:
    assert run(feed, "refused", "--select", "totals", **variables) == {"totals": "error"}
    assert message in feed.messages["refused totals"]


def test_a_breach_of_contract_is_an_error(feed: Played) -> None:
    path = feed.folder / "project" / "models" / "totals.sql"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("sum(amount)", "cast(sum(amount) as double)"), encoding="utf-8")
    try:
        assert run(feed, "breach", "--select", "totals") == {"totals": "error"}
    finally:
        path.write_text(text, encoding="utf-8")
    assert "contract" in feed.messages["breach totals"]


def test_a_seed_does_not_take_the_place_of_a_view(feed: Played) -> None:
    seed = feed.folder / "project" / "seeds" / "totals.csv"
    model = feed.folder / "project" / "models" / "totals.sql"
    schema = model.with_name("schema.yml")
    texts = {path: path.read_text(encoding="utf-8") for path in (model, schema)}
    seed.write_text("region,total\nnorth,1\n", encoding="utf-8")
    for path in texts:
        path.unlink()
    try:
        feed.dbt("seeded", "seed", "--select", "totals", variables=DEFAULTS)
    finally:
        seed.unlink()
        for path, text in texts.items():
            path.write_text(text, encoding="utf-8")
    refused = "a seed does not take its place. Run DROP MATERIALIZED VIEW feed.totals"
    assert refused in feed.messages["seeded totals"]
    assert feed.rows("SELECT count(*) FROM feed.totals") == [(2,)]


@pytest.fixture
def elsewhere(feed: Played) -> Iterator[Played]:
    """A further model, in another catalog, with a header and a name in capitals."""
    feed.session.sql("CREATE CATALOG IF NOT EXISTS other")
    model = feed.folder / "project" / "models" / "Elsewhere.sql"
    header = "declare or replace variable least int default 1;"
    model.write_text(
        f"{{{{ config(materialized=var('form'), database='other', sql_header='{header}') }}}}\n"
        "select id as `ID` from {{ ref('orders') }} where amount > {{ var('least') }}",
        encoding="utf-8",
    )
    yield feed
    model.unlink()


def test_views_of_another_catalog(elsewhere: Played) -> None:
    for step, form in enumerate(("view", "materialized_view", "materialized_view", "table", "materialized_view")):
        done = run(elsewhere, f"{step} elsewhere", "--select", "Elsewhere", form=form)
        assert done == {"Elsewhere": "success"}, elsewhere.messages[f"{step} elsewhere Elsewhere"]
    assert "MATERIALIZED VIEW other.feed." in elsewhere.rows("SHOW CREATE TABLE other.feed.elsewhere")[0][0]
    assert len(elsewhere.rows("SHOW TABLES IN other.feed")) == 1
    assert run(elsewhere, "empty", "--select", "Elsewhere", "--empty") == {"Elsewhere": "success"}
    assert elsewhere.rows("SELECT * FROM other.feed.elsewhere") == []
    assert run(elsewhere, "full", "--select", "Elsewhere") == {"Elsewhere": "success"}
    assert elsewhere.rows("SELECT count(id) FROM other.feed.elsewhere") == [(3,)]


def test_a_snapshot_does_not_take_the_place_of_a_view(feed: Played) -> None:
    folder = feed.folder / "project" / "snapshots"
    folder.mkdir()
    snapshot = folder / "copy.sql"
    snapshot.write_text(
        "{% snapshot copy %}{{ config(alias='totals', unique_key='id', strategy='check', check_cols='all') }}\n"
        "select * from {{ ref('orders') }}{% endsnapshot %}",
        encoding="utf-8",
    )
    model = feed.folder / "project" / "models" / "totals.sql"
    text = model.read_text(encoding="utf-8")
    model.write_text(text.replace("config(", "config(enabled=false,"), encoding="utf-8")
    try:
        feed.dbt("snapshot", "snapshot", variables=DEFAULTS)
    finally:
        shutil.rmtree(folder)
        model.write_text(text, encoding="utf-8")
    assert feed.steps["snapshot"] == {"copy": "error"}
    assert "is a materialized view, and a snapshot does not take its place" in feed.messages["snapshot copy"]
    assert facts(feed, "totals")["Type"] == "MATERIALIZED_VIEW"


def test_docs_have_their_types(feed: Played) -> None:
    feed.dbt("docs", "docs", "generate", variables=DEFAULTS)
    found = {name: feed.catalog[name]["metadata"]["type"] for name in ("totals", "seen")}
    assert found == {"totals": "materialized_view", "seen": "streaming_table"}
