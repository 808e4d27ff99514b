"""INSERT … SELECT and CREATE TABLE AS of tables and Parquet files are written piece by piece, without an engine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltasql import DeltaSqlError, Session, connect
from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.files.reading import file_reader
from deltasql.files.writing import arrow_files

ROWS = 1000
NAN = float("nan")


class StartedError(Exception):
    """An engine was asked for."""


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    def refuse(_: SparkHandle) -> NoReturn:
        raise StartedError

    monkeypatch.setattr(SparkHandle, "session", property(refuse))
    for module in (file_reader, file_reader, arrow_files):
        # Every row group is a piece, though it is small.
        monkeypatch.setattr(module, "PIECE_BYTES", 1, raising=False)
    with connect(str(tmp_path / "warehouse"), engine="spark") as opened:
        yield opened


@pytest.fixture
def files(tmp_path: Path) -> str:
    """A folder with two Parquet files of ten row groups each."""
    folder = tmp_path / "files"
    folder.mkdir()
    for number in range(2):
        first = number * ROWS // 2
        ids = range(first, first + ROWS // 2)
        rows = pa.table(
            {
                "id": pa.array(ids, pa.int64()),
                "v": [None if item % 7 == 0 else f"v{item}" for item in ids],
                "x": [NAN if item == ROWS - 1 else float(item) for item in ids],
                "p": pa.array([item // 300 for item in ids], pa.int32()),
                "s": [{"a": item % 5, "b": [item]} for item in ids],
            }
        )
        pq.write_table(rows, folder / f"{number}.parquet", row_group_size=ROWS // 20)
    return str(folder)


def statistics(session: Session, table: str) -> list[dict[str, Any]]:
    (location,) = {row["location"] for row in session.sql(f"DESCRIBE DETAIL {table}").to_arrow().to_pylist()}
    texts = (path.read_text() for path in sorted(Path(location.removeprefix("file:"), "_delta_log").glob("*.json")))
    adds = (json.loads(line).get("add") for text in texts for line in text.splitlines())
    return [json.loads(add["stats"]) for add in adds if add is not None]


def test_rows_keep_their_order_and_files_have_their_size(
    session: Session, files: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrow_files, "FILE_BYTES", 8 << 10)
    created = session.sql(f"CREATE TABLE t AS SELECT * FROM parquet.`{files}`")
    assert created.collect() == [(ROWS, ROWS)]
    assert [way.by.value for way in created.ways] == ["process"]
    expected = pq.read_table(files)
    found = session.sql("SELECT * FROM t").to_arrow()
    assert found.column("id").to_pylist() == list(range(ROWS))
    assert found.drop_columns(["x"]).to_pylist() == expected.drop_columns(["x"]).to_pylist()
    told = statistics(session, "t")
    assert len(told) > 3
    assert sum(item["numRecords"] for item in told) == ROWS
    ends = [(item["minValues"]["id"], item["maxValues"]["id"]) for item in told]
    assert ends == sorted(ends)
    # NaN is the greatest number: the file that has it has no upper bound.
    assert ["x" in item["maxValues"] for item in told] == [True] * (len(told) - 1) + [False]


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("SELECT id FROM {0} WHERE id % 2 = 0", range(0, ROWS, 2)),
        ("SELECT id AS ID FROM {0} WHERE v IS NULL", range(0, ROWS, 7)),
        ("SELECT id FROM {0} WHERE id > 5000", []),
        ("SELECT id FROM {0} ORDER BY id DESC LIMIT 2", [ROWS - 1, ROWS - 2]),
    ],
)
def test_queries_of_tables_and_files(session: Session, files: str, query: str, ids: list[int]) -> None:
    session.sql(f"CREATE TABLE t AS SELECT * FROM parquet.`{files}`")
    session.sql("CREATE TEMP VIEW v AS SELECT * FROM t")
    for number, source in enumerate(("t", "v")):
        session.sql(f"CREATE TABLE n{number} (id BIGINT)")
        session.sql(f"INSERT INTO n{number} {query.format(source)}")
        assert [row[0] for row in session.sql(f"SELECT id FROM n{number}").collect()] == list(ids), source


def test_deleted_rows_and_partition_values(session: Session, files: str) -> None:
    session.sql("SET spark.databricks.delta.properties.defaults.enableDeletionVectors = true")
    session.sql(f"CREATE TABLE t PARTITIONED BY (p) AS SELECT id, v, p FROM parquet.`{files}`")
    session.sql("DELETE FROM t WHERE id % 10 = 3")
    session.sql("CREATE TABLE n AS SELECT p, id FROM t WHERE v IS NOT NULL")
    found = session.sql("SELECT * FROM n ORDER BY id").collect()
    assert found == [(number // 300, number) for number in range(ROWS) if number % 10 != 3 and number % 7]


def test_a_row_that_breaks_a_constraint_leaves_no_file(session: Session, files: str, tmp_path: Path) -> None:
    session.sql("CREATE TABLE t (id BIGINT NOT NULL, v STRING)")
    session.sql("ALTER TABLE t ADD CONSTRAINT few CHECK (id < 900)")
    session.sql(f"CREATE TABLE s AS SELECT * FROM parquet.`{files}`")
    before = set((tmp_path / "warehouse").rglob("*.parquet"))
    with pytest.raises(StartedError):
        # Spark says which row it is.
        session.sql(f"INSERT INTO t SELECT id, v FROM parquet.`{files}`")
    assert set((tmp_path / "warehouse").rglob("*.parquet")) == before
    session.sql("INSERT INTO t SELECT id, v FROM s WHERE id < 900")
    assert session.sql("SELECT count(*) FROM t").collect() == [(900,)]


def test_a_damaged_file_is_left_to_the_engine(session: Session, files: str, tmp_path: Path) -> None:
    path = Path(files, "1.parquet")
    data = bytearray(path.read_bytes())
    data[len(data) // 3 : len(data) // 3 + 2000] = b"\xff" * 2000
    path.write_bytes(bytes(data))
    with pytest.raises((StartedError, DeltaSqlError)):
        session.sql(f"CREATE TABLE t AS SELECT * FROM parquet.`{files}`")
    assert not list((tmp_path / "warehouse").rglob("*.parquet"))


def test_a_piece_beyond_the_limit_of_memory_is_left_to_the_engine(session: Session, files: str) -> None:
    session.sql("SET deltasql.memory.limit = 1kb")
    with pytest.raises(StartedError):
        session.sql(f"CREATE TABLE t AS SELECT * FROM parquet.`{files}`")


def test_explain_reads_no_row(session: Session, files: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_reader.Piece, "read", property(lambda _: pytest.fail("rows are read")))
    session.sql("CREATE TABLE t (id BIGINT)")
    text = session.sql(f"EXPLAIN INSERT INTO t SELECT id FROM parquet.`{files}`").collect()[0][0]
    assert "this process" in text
