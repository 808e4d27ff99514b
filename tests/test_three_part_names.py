"""Golden files give the same with names of three parts in another catalog, and in a catalog that is current."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from deltasql.golden import run_file
from deltasql.golden.script import expects_no_jvm
from deltasql.session import Session
from tests.commit import draws
from tests.three_part_names import comparable, current_catalog_session, three_part_session

GOLDENS = Path(__file__).parent / "golden"

WITHOUT_SPARK = (
    *("columns/add_columns", "columns/drop_columns", "columns/rename_column", "constraints/drop_primary_key"),
    *("constraints/wrong_keys", "features/drop_feature", "inspect/describe_history", "inspect/describe_detail"),
    *("properties/set_table_properties", "restore/restore", "insert/literals", "table/rename_table"),
)
WITH_SPARK = (
    *("delete/delete", "insert/forms", "merge/forms", "optimize/optimize", "query/table_changes", "update/update"),
)
WITH_CATALOG = ("clone/clone_table", "copy_into/by_position")
"""Files that name `spark_catalog`: in another current catalog these names would find nothing."""
OTHERWISE: dict[str, str] = {}
"""Files whose output differs with names of three parts, and why."""
SHARES = 8


def _cases() -> Iterator[object]:
    for name in (*WITHOUT_SPARK, *WITH_SPARK, *WITH_CATALOG):
        marks = () if name in WITHOUT_SPARK else pytest.mark.spark
        yield pytest.param(name, three_part_session, id=f"{name}-three parts", marks=marks)
        if name not in WITH_CATALOG:
            yield pytest.param(name, current_catalog_session, id=f"{name}-current", marks=marks)


@pytest.mark.parametrize(("name", "opened"), list(_cases()))
def test_golden(name: str, opened: Callable[[str], Session]) -> None:
    outcome = run_file(GOLDENS / f"{name}.sql", opened)
    assert outcome.expected is not None
    assert comparable(outcome.actual) == comparable(outcome.expected)


def _drawn() -> Iterator[object]:
    """An eighth of the golden files, by the commit; all with DELTASQL_TESTS_CATALOG=all."""
    everything = os.environ.get("DELTASQL_TESTS_CATALOG") == "all"
    for path in sorted(GOLDENS.rglob("*.sql")):
        name = path.relative_to(GOLDENS).with_suffix("").as_posix()
        if name not in OTHERWISE and (everything or draws(name, SHARES)):
            yield pytest.param(name, id=name, marks=() if expects_no_jvm(path) else pytest.mark.spark)


@pytest.mark.parametrize("name", list(_drawn()))
def test_golden_file_of_this_commit(name: str) -> None:
    test_golden(name, three_part_session)
