"""A project with a source in one catalog and models in two others, beside the catalog of the profile."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deltasql import DeltaSqlError
from tests.dbt.conftest import Played, project_in

pytestmark = [pytest.mark.dbt, pytest.mark.spark, pytest.mark.filterwarnings("default")]

PROJECT = Path(__file__).parent / "catalogs"
LATER = {"today": "2024-05-03"}
ORDERS = """
    INSERT INTO `raw-data`.erp.orders VALUES
    (1, 'Ada', 'se', '2024-05-01'), (2, 'Ada', 'se', '2024-05-02'), (3, 'Ben', 'de', '2024-05-02')
"""
TARGETS: dict[str, dict[str, Any]] = {
    "dev": {"schema": "shop"},
    "copy": {"schema": "shop", "database": "copies"},
    "fresh": {"schema": "shop", "catalog": "fresh", "settings": {"deltasql.catalog.autoCreate": True}},
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    folder = tmp_path_factory.mktemp("dbt-catalogs")
    with project_in(folder, PROJECT, "shop", TARGETS) as play:
        session = play.session
        for catalog in ("`raw-data`", "refined", "marts", "copies"):
            session.sql(f"CREATE CATALOG {catalog}")
        session.sql("CREATE SCHEMA `raw-data`.erp")
        session.sql("CREATE TABLE `raw-data`.erp.orders (id INT, customer STRING, country STRING, day STRING)")
        session.sql(ORDERS)
        until = ("--event-time-start", "2024-05-01", "--event-time-end", "2024-05-03")
        play.dbt("first build", "build", *until)
        session.sql("INSERT INTO `raw-data`.erp.orders VALUES (4, 'Ada', 'se', '2024-05-03')")
        until = ("--event-time-start", "2024-05-02", "--event-time-end", "2024-05-04")
        play.dbt("second build", "build", *until, variables=LATER)
        play.dbt("docs", "docs", "generate", variables=LATER)
        play.dbt("freshness", "source", "freshness", variables=LATER)
        play.dbt("operation", "run-operation", "look", variables=LATER)
        state = ("--state", str(shutil.copytree(folder / "project" / "target", folder / "state")))
        play.dbt("clone", "clone", *state, "--target", "copy", "--exclude", "summary", variables=LATER)
        session.sql("DROP TABLE copies.shop.customers")
        defer = ("--defer", *state, "--select", "summary", "--target", "copy")
        play.dbt("defer", "build", *defer, variables=LATER)
        play.dbt("auto-created", "build", "--target", "fresh", "--exclude", "batches", "totals", variables=LATER)
        yield play


@pytest.mark.parametrize("step", ["first build", "second build", "defer", "auto-created"])
def test_a_build_is_green(shop: Played, step: str) -> None:
    failed = {name: shop.messages[f"{step} {name}"] for name, status in shop.steps[step].items() if status == "error"}
    assert not failed
    assert "summary" in shop.steps[step]


def test_relations_are_in_their_catalogs(shop: Played) -> None:
    names = {catalog: _tables(shop, f"{catalog}.shop") for catalog in ("spark_catalog", "refined", "marts")}
    assert names == {
        "spark_catalog": ["looked", "summary"],
        "refined": ["countries", "customers", "orders"],
        "marts": ["batches", "days", "orders", "per_day", "since", "totals"],
    }
    assert _tables(shop, "marts.shop_history") == ["customers_history"]
    assert shop.rows("SELECT * FROM shop.summary") == [(3, 2)]


def test_names_of_the_catalog_of_the_profile_have_two_parts(shop: Played) -> None:
    folder = shop.folder / "state" / "run" / "shop" / "models"
    assert "view shop.summary" in (folder / "summary.sql").read_text(encoding="utf-8")
    assert "refined.shop.orders" in (folder / "refined" / "stg_orders.sql").read_text(encoding="utf-8")
    assert "from `raw-data`.erp.orders" in (folder / "refined" / "stg_orders.sql").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("table", "operations", "rows"),
    [
        ("orders", ["WRITE"], [(1,), (2,), (3,), (4,)]),
        ("per_day", ["ADD COLUMNS", "MERGE"], [(1,), (1,), (2,)]),
    ],
)
def test_incremental_models(shop: Played, table: str, operations: list[str], rows: list[Any]) -> None:
    done = [item for item in shop.operations(f"marts.shop.{table}")[1:] if "CONSTRAINT" not in item]
    assert done == operations
    column = "id" if table == "orders" else "orders"
    assert shop.rows(f"SELECT {column} FROM marts.shop.{table} ORDER BY 1") == rows


@pytest.mark.parametrize("table", ["days", "since", "batches"])
def test_strategies_that_replace_leave_older_rows(shop: Played, table: str) -> None:
    again = "2024-05-02" if table == "days" else "2024-05-03"
    seen = [(1, "2024-05-02"), (2, again), (3, again), (4, "2024-05-03")]
    assert shop.rows(f"SELECT id, seen FROM marts.shop.{table} ORDER BY 1") == seen


def test_a_model_in_python(shop: Played) -> None:
    assert shop.rows("SELECT * FROM marts.shop.totals ORDER BY 1") == [("Germany", 1), ("Sweden", 1)]
    assert shop.operations("marts.shop.totals")[-1] == "MERGE"


def test_a_snapshot(shop: Played) -> None:
    query = "SELECT customer, orders, dbt_valid_to IS NULL FROM marts.shop_history.customers_history ORDER BY 1, 2"
    assert shop.rows(query) == [("Ada", 2, False), ("Ada", 3, True), ("Ben", 1, True)]
    assert not shop.rows("SHOW VIEWS IN marts.shop_history")


@pytest.mark.parametrize("table", ["refined.shop.customers", "marts.shop.orders"])
def test_constraints_hold(shop: Played, table: str) -> None:
    values = "NULL, 'x', 1" if table.startswith("refined") else "-1, NULL"
    with pytest.raises(DeltaSqlError, match="CONSTRAINT"):
        shop.session.sql(f"INSERT INTO {table} VALUES ({values})")


def test_docs_have_catalogs_and_comments(shop: Played) -> None:
    places = {name: item["metadata"]["database"] for name, item in shop.catalog.items()}
    assert places["summary"] == "spark_catalog"
    assert (places["stg_orders"], places["countries"]) == ("refined", "refined")
    assert (places["orders"], places["customers_history"]) == ("marts", "marts")
    customers = shop.catalog["customers"]
    assert customers["metadata"]["comment"] == "All who have ordered"
    assert customers["columns"]["customer"]["comment"] == "The name"
    text = (shop.folder / "state" / "catalog.json").read_text(encoding="utf-8")
    assert json.loads(text)["sources"]["source.shop.erp.orders"]["metadata"]["database"] == "raw-data"


def test_freshness_of_a_source(shop: Played) -> None:
    assert shop.steps["freshness"] == {"orders": "pass"}


def test_relations_are_looked_up_in_a_catalog(shop: Played) -> None:
    """By a macro, which also creates and drops a schema."""
    assert shop.rows("SELECT * FROM shop.looked") == [("marts.shop.per_day", "None", "shop.summary")]
    assert "passing" not in [row[0] for row in shop.rows("SHOW SCHEMAS IN marts")]


def test_clones_and_deferred_references(shop: Played) -> None:
    """The target `copy` has one catalog, and what is missing there is that of the state."""
    assert shop.operations("copies.shop.per_day")[0] == "CLONE"
    assert shop.rows("SELECT count(*) FROM copies.shop.orders") == [(4,)]
    text = (shop.folder / "project" / "target" / "run" / "shop" / "models" / "summary.sql").read_text(encoding="utf-8")
    assert shop.rows("SELECT * FROM copies.shop.summary") == [(3, 2)], text


def test_catalogs_that_are_created(shop: Played) -> None:
    assert {"countries", "customers", "per_day", "stg_orders"} <= set(_tables(shop, "fresh.shop"))


def test_a_full_refresh(shop: Played) -> None:
    until = ("--event-time-start", "2024-05-01", "--event-time-end", "2024-05-04")
    shop.dbt("full refresh", "build", "--full-refresh", *until, variables=LATER)
    assert "error" not in shop.steps["full refresh"].values()
    assert shop.operations("marts.shop.per_day").count("CREATE OR REPLACE TABLE AS SELECT") == 2


def test_a_catalog_that_does_not_exist(shop: Played) -> None:
    """dbt creates schemas before the first node runs."""
    with pytest.raises(Exception, match=r"Run CREATE CATALOG nowhere before .*deltasql\.catalog\.autoCreate: true"):
        shop.dbt("missing", "run", "--select", "customers", variables={"refined": "nowhere"})


def _tables(shop: Played, schema: str) -> list[str]:
    """Tables and views of a schema."""
    return sorted(row[1] for row in shop.rows(f"SHOW TABLES IN {schema}"))
