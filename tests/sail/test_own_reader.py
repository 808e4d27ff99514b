"""Files that Sail reads itself: the same rows as those that this process reads for it, or left to this process."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltasql import Session, connect
from deltasql.engines.sail import directory_files

pytestmark = pytest.mark.sail

ROWS = 40
VALUES: dict[str, pa.Array] = {
    "id": pa.array(range(ROWS), pa.int64()),
    "b": pa.array([None if n % 5 == 0 else n % 100 for n in range(ROWS)], pa.int8()),
    "s": pa.array([n - 20 for n in range(ROWS)], pa.int16()),
    "i": pa.array([n * 1000 for n in range(ROWS)], pa.int32()),
    "t": pa.array([None if n % 7 == 0 else f"ü{n}" for n in range(ROWS)]),
    "z": pa.array([bytes([n, 0, 255]) for n in range(ROWS)]),
    "o": pa.array([n % 2 == 0 for n in range(ROWS)]),
    "d": pa.array([dt.date(1900 + n * 5, 1, 1) for n in range(ROWS)]),
    "m": pa.array([dt.datetime(1960 + n, 1, 2, 3, 4, 5, 678, dt.timezone.utc) for n in range(ROWS)]),
    "n": pa.array([dt.datetime(1960 + n, 1, 2, 3, 4, 5, 678) for n in range(ROWS)]),
    "c": pa.array([Decimal(n).scaleb(-2) for n in range(ROWS)], pa.decimal128(9, 2)),
    "h": pa.array([Decimal(10**30 + n).scaleb(-5) for n in range(ROWS)], pa.decimal128(38, 5)),
    "x": pa.array([n + 0.5 for n in range(ROWS)], pa.float64()),
    "l": pa.array([[n, None] for n in range(ROWS)], pa.list_(pa.int32())),
    "r": pa.array([{"a": n, "v": {"w": str(n)}} for n in range(ROWS)]),
}
QUERIES = [
    "SELECT {columns} FROM {table} ORDER BY id",
    "SELECT count(*), count({last}) FROM {table} WHERE id % 3 = 1",
    "SELECT id, {last} FROM {table} WHERE {last} IS NOT NULL AND id BETWEEN 5 AND 30 ORDER BY id",
    "SELECT max(id) FROM (SELECT id, {last} FROM {table} GROUP BY id, {last})",
]


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    pytest.importorskip("pysail", reason="the extra 'sail' is not installed")
    monkeypatch.setattr(directory_files, "FEW_BYTES", 0)
    with connect(str(tmp_path / "warehouse"), engine="sail") as opened:
        opened.sql("SET deltasql.compute = ENGINE")
        yield opened


@pytest.fixture
def frames(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """For each scan whether Sail read the files."""
    found = list[bool]()
    original = directory_files._is_read_alike

    def noted(*arguments: object) -> bool:
        alike = original(*arguments)  # type: ignore[arg-type]
        found.append(alike)
        return alike

    monkeypatch.setattr(directory_files, "_is_read_alike", noted)
    return found


@pytest.mark.parametrize("last", sorted(VALUES.keys() - {"id"}))
def test_every_type(
    session: Session, tmp_path: Path, last: str, frames: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / last
    folder.mkdir()
    pq.write_table(pa.table({"id": VALUES["id"], last: VALUES[last]}), folder / "0.parquet", row_group_size=7)
    session.sql(f"CREATE TABLE t AS SELECT * FROM parquet.`{folder}`")
    found = [session.sql(query.format(columns=f"id, {last}", last=last, table="t")).collect() for query in QUERIES]
    assert frames
    monkeypatch.setattr(directory_files, "FEW_BYTES", 1 << 40)
    due = [session.sql(query.format(columns=f"id, {last}", last=last, table="t")).collect() for query in QUERIES]
    assert found == due


def test_files_with_views_on_texts(
    session: Session, tmp_path: Path, frames: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Writers in Rust declare such types; the bytes are those of plain texts."""
    texts = pa.array(VALUES["t"].to_pylist(), pa.string_view())
    rows = {"id": VALUES["id"], "t": texts, "z": pa.array(VALUES["z"].to_pylist(), pa.binary_view())}
    pq.write_table(pa.table(rows), tmp_path / "0.parquet", row_group_size=7)
    queries = [query.format(columns="*", last="t", table=f"parquet.`{tmp_path}/0.parquet`") for query in QUERIES]
    found = [session.sql(query).collect() for query in queries]
    assert frames
    assert all(frames)
    monkeypatch.setattr(directory_files, "FEW_BYTES", 1 << 40)
    assert found == [session.sql(query).collect() for query in queries]


def test_nan_and_zeros_are_left_to_this_process(session: Session, frames: list[bool]) -> None:
    session.sql("CREATE TABLE t (id BIGINT, x DOUBLE)")
    session.sql("INSERT INTO t VALUES (1, 1.0), (2, DOUBLE('NaN'))")
    session.sql("INSERT INTO t VALUES (3, -0.0D), (4, -5.0)")
    session.sql("INSERT INTO t VALUES (5, 7.0)")
    assert session.sql("SELECT count(*) FROM t WHERE x > 3").collect() == [(2,)]
    assert session.sql("SELECT count(*) FROM t WHERE x = 0").collect() == [(1,)]
    assert False in frames


def test_deletion_vectors(session: Session, frames: list[bool]) -> None:
    session.sql("CREATE TABLE t (id BIGINT, p STRING) TBLPROPERTIES (delta.enableDeletionVectors = true)")
    for start in (0, 10, 20):
        values = ", ".join(f"({number}, '{number % 3}')" for number in range(start, start + 10))
        session.sql(f"INSERT INTO t VALUES {values}")
    session.sql("DELETE FROM t WHERE id IN (3, 14, 15)")
    found = session.sql("SELECT id, p, count(*) OVER () FROM t ORDER BY id").collect()
    assert found == [(number, str(number % 3), 27) for number in range(30) if number not in {3, 14, 15}]
    assert True in frames


@pytest.mark.parametrize(
    "rows",
    [
        pa.table({"ID": VALUES["id"]}),
        pa.table({"id": VALUES["i"]}),
        pa.table({"other": VALUES["id"]}),
    ],
)
def test_other_columns_are_left_to_this_process(
    session: Session, tmp_path: Path, rows: pa.Table, frames: list[bool]
) -> None:
    session.sql("CREATE TABLE t (id BIGINT)")
    session.sql("INSERT INTO t VALUES (1)")
    (file,) = (tmp_path / "warehouse").rglob("*.parquet")
    pq.write_table(rows, file)
    assert session.sql("SELECT count(*), sum(id) FROM t").collect()[0][0] == ROWS
    assert True not in frames


def test_files_that_are_named_in_a_query(session: Session, tmp_path: Path, frames: list[bool]) -> None:
    pq.write_table(pa.table(VALUES), tmp_path / "0.parquet")
    query = f"SELECT sum(id), max(t), max(c) FROM parquet.`{tmp_path}/0.parquet`"
    assert session.sql(query).collect() == [(ROWS * (ROWS - 1) // 2, "ü9", Decimal("0.39"))]
    assert len(frames) == 1


def test_old_files_are_left_to_this_process(session: Session, tmp_path: Path, frames: list[bool]) -> None:
    rows = pa.table({"m": pa.array([dt.datetime(2024, 1, 1)], pa.timestamp("ns"))})
    pq.write_table(rows, tmp_path / "0.parquet", use_deprecated_int96_timestamps=True)
    assert session.sql(f"SELECT year(max(m)) FROM parquet.`{tmp_path}/0.parquet`").collect() == [(2024,)]
    assert frames == [False]
