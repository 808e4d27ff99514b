"""Tables of other formats on Sail: what it reads and writes as Spark does, and what is refused by name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deltasql import Session, connect
from deltasql.base.errors import NotOnSailError

pytestmark = pytest.mark.sail


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with connect(str(tmp_path / "warehouse"), engine="sail") as opened:
        yield opened


def rows(session: Session, sql: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in session.sql(sql).collect()]


def test_rows_of_given_columns(session: Session, tmp_path: Path) -> None:
    for folder in ("csv", "parts/k=1"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "1.csv").write_text("id,name\n1,a\n2,\n", encoding="utf-8")
    options = f"USING csv OPTIONS (header 'true') LOCATION '{tmp_path}"
    session.sql(f"CREATE TABLE c (id INT, name STRING) {options}/csv'")
    assert rows(session, "SELECT * FROM c ORDER BY id") == [(1, "a"), (2, None)]
    with pytest.raises(NotOnSailError, match="columns that are found in CSV files"):
        session.sql(f"CREATE TABLE d {options}/csv'")
    session.sql(f"CREATE TABLE p (id INT, name STRING) {options}/parts'")
    with pytest.raises(NotOnSailError, match="columns from the names of folders"):
        rows(session, "SELECT * FROM p")
    session.sql(f"CREATE TABLE e (id INT) USING json LOCATION '{tmp_path}/missing'")
    assert rows(session, "SELECT * FROM e") == []


def test_writes(session: Session) -> None:
    session.sql("CREATE TABLE m USING csv AS SELECT 1 AS id, 'a' AS name")
    session.sql("INSERT INTO m VALUES (2, 'b')")
    session.sql("INSERT OVERWRITE m SELECT id + 5, name FROM m")
    assert rows(session, "SELECT * FROM m ORDER BY id") == [(6, "a"), (7, "b")]
    with pytest.raises(NotOnSailError, match="a write of ORC files"):
        session.sql("CREATE TABLE o USING orc AS SELECT 1 AS id")
    with pytest.raises(NotOnSailError, match="a write of PARQUET files in partitions"):
        session.sql("CREATE TABLE o USING parquet PARTITIONED BY (id) AS SELECT 1 AS id, 2 AS b")
    assert [row[1] for row in rows(session, "SHOW TABLES")] == ["m"]
