"""OPTIMIZE … ZORDER BY and CLUSTER BY in this process: the same rows, in files that are intervals of the curve."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltasql import Session, connect
from deltasql.engines.local import arranging
from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.plan import ComputedBy

ROWS = 6_000
BEGINNINGS = ("", "ü", "text", "texts of one beginning ")
COLUMNS = ("a", "b", "c", "d", "e", "p")


class StartedError(Exception):
    """An engine was asked for."""


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    """A session without an engine, and the files of the table `t` to be made."""

    def refuse(_: SparkHandle) -> NoReturn:
        raise StartedError

    monkeypatch.setattr(SparkHandle, "session", property(refuse))
    random = np.random.default_rng(3)
    numbers = random.random(ROWS)
    table = pa.table(
        {
            "a": pa.array(random.integers(-500, 500, ROWS)),
            "b": [None if number < 0.1 else float("nan") if number > 0.95 else float(number) for number in numbers],
            "c": [None if at % 50 == 0 else f"{BEGINNINGS[at % 4]}{at}" for at in range(ROWS)],
            "d": pa.array(random.integers(-4000, 4000, ROWS).astype("int32")).cast(pa.date32()),
            "e": pa.array(random.integers(0, 99_999, ROWS)).cast(pa.decimal128(21, 2)),
            "p": [f"p{at % 3}" for at in range(ROWS)],
        }
    )
    pq.write_table(table, tmp_path / "rows.parquet")
    with connect(str(tmp_path / "warehouse")) as opened:
        yield opened


def made(session: Session, tmp_path: Path, clauses: str = "") -> list[Any]:
    """The rows of a new table `t`, in any order."""
    session.sql(f"CREATE OR REPLACE TABLE t{clauses} AS SELECT * FROM parquet.`{tmp_path}/rows.parquet`")
    session.sql("DELETE FROM t WHERE a = 7")
    return rows_of(session)


def rows_of(session: Session) -> list[str]:
    return sorted(map(repr, session.sql(f"SELECT {', '.join(COLUMNS)} FROM t").collect()))


@pytest.mark.parametrize("columns", ["a, b", "c, d", "b", "e, c, d", "a, b, c, d, e"])
@pytest.mark.parametrize(
    "clauses",
    ["", " PARTITIONED BY (p)", " TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"],
)
def test_the_same_rows(session: Session, tmp_path: Path, clauses: str, columns: str) -> None:
    before = made(session, tmp_path, clauses)
    result = session.sql(f"OPTIMIZE t ZORDER BY ({columns})")
    assert [way.by for way in result.ways] == [ComputedBy.PROCESS]
    assert rows_of(session) == before


@pytest.mark.parametrize("spilled", [False, True])
def test_files_are_intervals_of_the_curve(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spilled: bool
) -> None:
    """Small buckets, in memory or in Arrow files: no file has values beyond those of the next one."""
    monkeypatch.setattr(arranging, "_BUCKET_ROWS", 100)
    if spilled:
        monkeypatch.setattr(arranging, "UNPACKED", 1 << 40)
    before = made(session, tmp_path)
    session.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.targetFileSize' = '16kb')")
    session.sql("OPTIMIZE t ZORDER BY (a)")
    assert rows_of(session) == before
    log = session.log("t")
    files = log.snapshot().files(["path"]).column("path").to_pylist()
    assert len(files) > 3
    ranges = sorted(
        (min(values), max(values))
        for values in (pq.read_table(f"{log.location}/{path}", columns=["a"])["a"].to_pylist() for path in files)
    )
    assert all(first[1] <= second[0] for first, second in pairwise(ranges))


def test_a_clustered_table(session: Session, tmp_path: Path) -> None:
    before = made(session, tmp_path, " CLUSTER BY (a, c)")
    assert [way.by for way in session.sql("OPTIMIZE t").ways] == [ComputedBy.PROCESS]
    assert rows_of(session) == before


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("ALTER TABLE t SET TBLPROPERTIES ('delta.enableRowTracking' = 'true')", "only the engine copies such columns"),
        ("ALTER TABLE t ADD COLUMN s STRUCT<x: INT>", "a nested column, or one without an order"),
    ],
)
def test_what_is_left_to_the_engine(session: Session, tmp_path: Path, statement: str, reason: str) -> None:
    made(session, tmp_path)
    session.sql(statement)
    column = "s.x" if "STRUCT" in statement else "a"
    (plan,) = session.sql(f"EXPLAIN OPTIMIZE t ZORDER BY ({column})").collect()[0]
    assert reason in plan
    version = session.log("t").snapshot().version
    with pytest.raises(StartedError):
        session.sql(f"OPTIMIZE t ZORDER BY ({column})")
    assert session.log("t").snapshot().version == version
