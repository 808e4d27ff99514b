"""Rows of a table that come as Arrow without Spark."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pyarrow as pa
import pytest

import deltasql
from deltasql.base.errors import DataFileNotFoundError
from deltasql.clients import dbapi
from deltasql.session.session import Session


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with deltasql.connect(str(tmp_path / "warehouse")) as made:
        yield made
        assert not made.spark_started


def test_rows_come_as_they_are(session: Session) -> None:
    session.sql("CREATE TABLE t (a INT NOT NULL, day DATE, name STRING, code STRING) PARTITIONED BY (day, code)")
    session.sql("INSERT INTO t VALUES (1, DATE '2024-01-01', 'x', 'p q'), (2, NULL, NULL, NULL)")
    session.sql("ALTER TABLE t ADD COLUMNS (late BIGINT)")
    rows = session.sql("SELECT NAME, a AS `the a`, day, code, t.late FROM t").to_arrow()
    assert rows.schema.names == ["NAME", "the a", "day", "code", "late"]
    assert rows.schema.types == [pa.string(), pa.int32(), pa.date32(), pa.string(), pa.int64()]
    assert sorted(rows.to_pylist(), key=lambda row: row["the a"]) == [
        {"NAME": "x", "the a": 1, "day": date(2024, 1, 1), "code": "p q", "late": None},
        {"NAME": None, "the a": 2, "day": None, "code": None, "late": None},
    ]
    assert session.sql("SELECT * FROM t@v0").to_arrow().num_rows == 0
    assert sorted(session.sql("SELECT code FROM t").to_arrow().to_pydict()["code"], key=str) == [None, "p q"]
    assert session.sql("SELECT * FROM t").columns == ["a", "day", "name", "code", "late"]


def test_a_cursor_fetches_them(session: Session) -> None:
    session.sql("CREATE TABLE t (a INT, b STRING)")
    session.sql("INSERT INTO t VALUES (1, 'x'), (2, 'y')")
    with dbapi.connect(session).cursor() as cursor:
        assert cursor.execute("SELECT * FROM t").fetchall_arrow().to_pydict() == {"a": [1, 2], "b": ["x", "y"]}
        assert [column[0] for column in cursor.description or ()] == ["a", "b"]


def test_lost_files_are_told(session: Session) -> None:
    session.sql("CREATE TABLE t (a INT)")
    session.sql("INSERT INTO t VALUES (1)")
    (file,) = Path(session.log("t").location).rglob("*.parquet")
    file.unlink()
    with pytest.raises(DataFileNotFoundError):
        session.sql("SELECT * FROM t").to_arrow()
