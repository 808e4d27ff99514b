"""Real dbt on a project of seeds, views, tables, incremental models, a snapshot and tests, built twice."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from deltasql import DeltaSqlError

if TYPE_CHECKING:
    from tests.dbt.conftest import Played

pytestmark = [pytest.mark.dbt, pytest.mark.spark, pytest.mark.filterwarnings("default")]

CREATED = "CREATE OR REPLACE TABLE AS SELECT"


def test_seeds_and_metadata_start_no_spark(played: Played) -> None:
    assert set(played.steps["seed"].values()) == {"success"}
    assert not played.metadata_started_spark


def test_seeds_keep_their_values(played: Played) -> None:
    assert played.rows("SELECT name, joined, active FROM library.readers_seed WHERE id = 3") == [
        ("O'Hara, \\ 100%", date(2024, 2, 29), True)
    ]
    assert played.rows("SELECT id, days, fee, note FROM library.loans_seed WHERE id IN (2, 3) ORDER BY id") == [
        (2, 7, Decimal("1.25"), "007"),
        (3, 21, None, "late"),
    ]
    assert played.rows("SELECT name FROM library.readers_seed WHERE id = 4") == [(None,)]


@pytest.mark.parametrize("step", ["first build", "second build"])
def test_a_build_is_green(played: Played, step: str) -> None:
    fine = {"success", "pass", "no-op"}
    told = {name: status for name, status in played.steps[step].items() if status not in fine}
    assert told == {"few_loans": "warn"}, [played.messages[f"{step} {name}"] for name in told]
    assert {"stg_loans", "readers", "loans_batches", "readers_history", "no_negative_fees"} <= played.steps[step].keys()


def test_tables_are_made_anew_in_one_version_each(played: Played) -> None:
    assert played.operations("library.readers").count(CREATED) == 2
    assert played.rows("SELECT reader_name, loans, fees FROM library.readers WHERE reader_id = 1") == [
        ("Ada L.", 2, Decimal("1.25"))
    ]


def test_constraints_of_a_contract_hold(played: Played) -> None:
    """Those of tests/dbt/project/models/marts/marts.yml."""
    for values in ("NULL, 'x', 1, 0, NULL", "9, 'x', 1, -1, NULL", "9, 'x', 1000, 0, NULL"):
        with pytest.raises(DeltaSqlError, match="CONSTRAINT"):
            played.session.sql(f"INSERT INTO library.readers VALUES ({values})")
    assert played.session.log("library.readers").snapshot().metadata.configuration["delta.enableChangeDataFeed"]


def test_a_breach_of_contract_is_told_by_column(played: Played) -> None:
    assert played.steps["breach"]["broken"] == "error"
    assert "| reader_id   | string          | bigint" in played.messages["breach broken"]


def test_a_model_in_python(played: Played) -> None:
    assert played.rows("SELECT * FROM library.days ORDER BY 1") == [
        (date(2024, 5, 1), 21),
        (date(2024, 5, 2), 21),
        (date(2024, 5, 3), 17),
    ]


def test_models_in_python_return_pandas(played: Played) -> None:
    """One asks for a cluster, the other returns pandas on Spark and is incremental."""
    assert played.rows("SELECT * FROM library.of_pandas ORDER BY 1") == [(1, "x"), (2, None)]
    assert played.rows("SELECT * FROM library.of_pandas_on_spark ORDER BY 1") == [(1, "x"), (2, None)]
    assert played.operations("library.of_pandas_on_spark")[-1] == "MERGE"
    assert "of_pandas runs in this process: its submission_method job_cluster is ignored" in played.log


def test_a_key_without_a_strategy_merges(played: Played) -> None:
    assert played.operations("library.keyed") == [CREATED, "MERGE"]
    assert played.rows("SELECT * FROM library.keyed WHERE loan_id = 1") == [(1, "2024-05-03")]


def test_an_empty_key_is_none(played: Played) -> None:
    assert played.rows("SELECT * FROM library.unkeyed") == [(1,), (1,)]


def test_columns_that_are_described_and_not_there(played: Played) -> None:
    told = (
        "library.stg_readers: The following columns are specified in the schema but are not present in the database: "
    )
    assert told + "shoe_size" in played.log


def test_columns_are_dropped_with_column_mapping_alone(played: Played) -> None:
    assert "only a table with column mapping can drop" in played.messages["unmapped unmapped"]
    assert [row[0] for row in played.rows("DESCRIBE library.unmapped")] == ["loan_id", "fee"]


def test_append(played: Played) -> None:
    assert played.operations("library.loans_append") == [CREATED, "WRITE"]
    assert played.rows("SELECT loan_id FROM library.loans_append ORDER BY 1") == [(1,), (2,), (3,), (4,), (5,)]


def test_merge_keeps_excluded_columns_and_takes_new_ones(played: Played) -> None:
    assert played.operations("library.loans_merge") == [CREATED, "ADD COLUMNS", "MERGE"]
    assert played.rows("SELECT * FROM library.loans_merge WHERE loan_id IN (2, 5) ORDER BY 1") == [
        (2, 7, "2024-05-02", "007"),
        (5, 3, "2024-05-03", "it's"),
    ]


@pytest.mark.parametrize("table", ["loans_days", "loans_where", "loans_batches"])
def test_strategies_that_replace_leave_older_rows(played: Played, table: str) -> None:
    """loans_days wrote the partition of the third day alone, the others also the second day again."""
    operations = played.operations(f"library.{table}")
    assert (operations[0], set(operations[1:])) == (CREATED, {"WRITE"})
    again = "2024-05-02" if table == "loans_days" else "2024-05-03"
    assert played.rows(f"SELECT loan_id, seen FROM library.{table} ORDER BY 1") == [
        (1, "2024-05-02"),
        (2, "2024-05-02"),
        (3, again),
        (4, "2024-05-03"),
        (5, "2024-05-03"),
    ]


def test_a_snapshot_ends_what_changed_and_what_is_gone(played: Played) -> None:
    query = "SELECT reader_id, reader_name, dbt_valid_to IS NULL FROM library.readers_history"
    assert played.rows(f"{query} WHERE reader_id IN (1, 2, 5) ORDER BY 1, 3") == [
        (1, "Ada", False),
        (1, "Ada L.", True),
        (2, "Björn", True),
        (5, "Ewa", False),
    ]
    assert played.operations("library.readers_history")[0] == CREATED
    assert not [row for row in played.rows("SHOW VIEWS IN library") if "tmp" in row[1]]


def test_docs_have_types_and_comments(played: Played) -> None:
    readers = played.catalog["readers"]
    columns = {name: (item["type"], item["comment"]) for name, item in readers["columns"].items()}
    assert columns["reader_id"] == ("bigint", "The reader's number")
    assert columns["history"] == ("array<struct<day:date,days:int>>", None)
    assert readers["metadata"]["comment"] == "What each reader's loans come to"
    view = played.catalog["stg_readers"]
    assert (view["metadata"]["type"], view["metadata"]["comment"]) == ("view", "Readers, each with a name")
    assert view["columns"]["reader_id"]["comment"] == "The reader's number"


def test_schemas_are_synced(played: Played) -> None:
    """A column goes, one comes, and one gets a wider type."""
    assert played.operations("library.synced") == [
        CREATED,
        "ADD COLUMNS",
        "DROP COLUMNS",
        "CHANGE COLUMN",
        "MERGE",
    ]
    assert [row[:2] for row in played.rows("DESCRIBE library.synced")] == [
        ("loan_id", "bigint"),
        ("days", "bigint"),
        ("all notes", "array<string>"),
    ]
    assert played.rows("SELECT * FROM library.synced WHERE loan_id = 2") == [(2, 7, ["007"])]


def test_columns_that_a_model_has_no_more_stay(played: Played) -> None:
    """Of the third day's partition, and of the rows that merge."""
    assert played.rows("SELECT loan_id, fee, told FROM library.appended ORDER BY 1") == [
        (1, Decimal("0.50"), None),
        (2, Decimal("1.25"), None),
        (3, None, None),
        (4, None, "new"),
        (5, None, "new"),
    ]
    assert played.rows("SELECT loan_id, seen, days, note FROM library.merged ORDER BY 1, 2") == [
        (1, "2024-05-02", 14, None),
        (1, "2024-05-03", None, None),
        (2, "2024-05-03", 7, "007"),
        (3, "2024-05-03", 21, "late"),
        (4, "2024-05-03", None, None),
        (5, "2024-05-03", None, "it's"),
    ]


def test_a_schema_that_must_not_change(played: Played) -> None:
    assert played.steps["strict"]["strict"] == "error"
    assert "out of sync" in played.messages["strict strict"]
    assert played.steps["retry"]["strict"] == "success"
    assert [row[0] for row in played.rows("DESCRIBE library.strict")] == ["loan_id", "note"]


def test_merge_updates_some_columns_and_runs_hooks(played: Played) -> None:
    assert played.rows("SELECT * FROM library.updated WHERE loan_id IN (2, 5) ORDER BY 1") == [
        (2, "2024-05-03", "2024-05-02", 14),
        (5, "2024-05-03", "2024-05-03", 6),
    ]
    assert played.rows("SELECT * FROM library.audit") == [("updated",), ("updated",)]


def test_comments_follow_the_project_and_are_one_commit(played: Played) -> None:
    operations = played.operations("library.updated")
    assert operations == [CREATED, "CHANGE COLUMNS", "MERGE", "SET TBLPROPERTIES", "CHANGE COLUMN"]
    updated = played.catalog["updated"]
    assert updated["metadata"]["comment"] == 'What was lent, it\'s "all" \\ as of 2024-05-03'
    assert [updated["columns"][name]["comment"] for name in ("loan_id", "seen", "twice")] == [
        "100% the loan's \\ number",
        "Last\nseen 2024-05-03",
        None,
    ]


def test_failures_are_stored(played: Played) -> None:
    assert played.rows("SELECT count(*) FROM library_dbt_test__audit.few_loans") == [(3,)]


def test_snapshots_by_time_and_by_several_keys(played: Played) -> None:
    by_time = "SELECT reader_id, reader_name, dbt_is_deleted, dbt_valid_to IS NULL FROM library.readers_by_time"
    assert played.rows(f"{by_time} WHERE reader_id IN (1, 5) ORDER BY 1, 3, 4") == [
        (1, "Ada", "False", False),
        (1, "Ada L.", "False", True),
        (5, "Ewa", "False", False),
        (5, "Ewa", "True", True),
    ]
    assert played.rows("SELECT count(*) FROM library.readers_by_time WHERE reader_id IS NULL") == [(0,)]
    by_keys = "SELECT reader_name, year(dbt_valid_to) FROM library.readers_by_keys WHERE reader_id = 1 ORDER BY 1"
    assert played.rows(by_keys) == [("Ada", 9999), ("Ada L.", 9999)]
    assert not [row for row in played.rows("DESCRIBE library.readers_by_keys") if "unique_key" in row[0]]


def test_a_seed_has_properties_and_keeps_its_history(played: Played) -> None:
    assert played.rows("SELECT * FROM library.tags_seed ORDER BY 1") == [(1, "a b"), (2, None)]
    assert played.operations("library.tags_seed") == ["CREATE OR REPLACE TABLE", "WRITE"]


def test_freshness_operations_and_show(played: Played) -> None:
    """A source without a column that says so is as fresh as its last commit."""
    freshness = played.steps["freshness"]
    assert (freshness["loans_seed"], freshness["readers_seed"]) == ("error", "pass")
    assert played.rows("SELECT n FROM library.counted") == [(3,)]
    assert set(played.steps["show"].values()) == {"success"}


def test_clones_are_of_the_tables_of_the_state(played: Played) -> None:
    assert set(played.steps["clone"].values()) == {"success"}
    assert played.operations("cloned.updated")[0] == "CLONE"
    assert played.rows("SELECT count(*) FROM cloned.updated") == [(5,)]
    assert played.rows("SELECT count(*) FROM cloned.stg_loans") == [(5,)]


def test_an_empty_build_has_tables_without_rows(played: Played) -> None:
    assert set(played.steps["empty"].values()) == {"success"}
    for table in ("stg_loans", "appended", "updated"):
        assert played.rows(f"SELECT count(*) FROM bare.{table}") == [(0,)]
