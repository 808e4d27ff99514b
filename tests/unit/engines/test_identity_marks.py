"""After a write: the marks of identity columns, from the footers of its files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltasql.engines.engine import SessionEngine
from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.log.actions.actions import AddFile, Metadata
from deltasql.planner.changes import RowChange
from deltasql.session.execution.row_change import SCHEMA_UPDATE_TAG, with_used_numbers
from tests.unit.planner.lab import Lab, columns

RUNTIME = SessionEngine(SparkHandle(None)).statement("")
"""Reads footers, for which it needs no Spark."""


@pytest.fixture
def change(tmp_path: Path) -> RowChange:
    """An INSERT into a table whose identity columns go up from 1 by 1, and down from 0 by 2."""
    lab = Lab(tmp_path / "warehouse")
    lab.run(
        "CREATE TABLE t (up BIGINT GENERATED ALWAYS AS IDENTITY, "
        "down BIGINT GENERATED ALWAYS AS IDENTITY (START WITH 0 INCREMENT BY -2), v INT)"
    )
    lab.analyst.rows = {"VALUES": columns("v INT")}
    planned = lab.plan("INSERT INTO t (v) VALUES (1)")
    lab.catalog.close()
    assert isinstance(planned, RowChange)
    return planned


def staged(change: RowChange, name: str, up: list[int | None], down: list[int | None]) -> AddFile:
    path = Path(change.commit.log.location) / name
    path.parent.mkdir(exist_ok=True)
    pq.write_table(pa.table({"up": pa.array(up, pa.int64()), "down": pa.array(down, pa.int64())}), path)
    return AddFile(name.replace(" ", "%20"), {}, 1, 1, True)


def marks(change: RowChange) -> list[int | None]:
    return [field.metadata.get("delta.identity.highWaterMark") for field in change.metadata.schema][:2]


def test_the_outermost_numbers_of_all_files_count(change: RowChange) -> None:
    adds = [staged(change, "a b/1.parquet", [1, 4], [0, -2]), staged(change, "2.parquet", [2, None], [-6, -4])]
    done = with_used_numbers(change, adds, RUNTIME)
    assert marks(done) == [4, -6]
    assert done.commit.actions == (done.metadata,)
    assert done.commit.tags == {SCHEMA_UPDATE_TAG: "true"}


def test_nothing_is_said_where_nothing_is_new(change: RowChange) -> None:
    assert with_used_numbers(change, [], RUNTIME) is change
    assert (
        with_used_numbers(replace(change, identities=()), [staged(change, "1.parquet", [1], [0])], RUNTIME).commit.tags
        is None
    )
    done = with_used_numbers(change, [staged(change, "1.parquet", [5], [-8])], RUNTIME)
    again = with_used_numbers(done.committing(actions=()), [staged(change, "2.parquet", [3], [0])], RUNTIME)
    assert again.commit.actions == ()


def test_a_change_of_columns_is_more_than_a_raised_mark(change: RowChange) -> None:
    evolved = change.committing(actions=(change.metadata,))
    done = with_used_numbers(evolved, [staged(change, "1.parquet", [1], [0])], RUNTIME)
    assert [type(action) for action in done.commit.actions] == [Metadata]
    assert done.commit.actions[0] == done.metadata
    assert marks(done) == [1, 0]
    assert not done.commit.tags
