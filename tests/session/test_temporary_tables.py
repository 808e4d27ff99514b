"""Temporary tables: of one session alone, and gone with it."""

from __future__ import annotations

from pathlib import Path

import pandas
import pytest

import deltasql
from deltasql.base import errors


def test_other_sessions(tmp_path: Path) -> None:
    with deltasql.connect(str(tmp_path)) as first, deltasql.connect(str(tmp_path)) as second:
        first.sql("CREATE TEMPORARY TABLE t AS SELECT 1 AS a")
        with pytest.raises(errors.TableNotFoundError):
            second.sql("SELECT * FROM t")
        second.sql("CREATE TEMPORARY TABLE t AS SELECT 'two' AS a")
        assert [*map(tuple, first.sql("SELECT * FROM t").collect())] == [(1,)]
        assert [*map(tuple, second.sql("SELECT * FROM t").collect())] == [("two",)]
        assert [tuple(row) for row in second.sql("SHOW TABLES").collect()] == [("", "t", True)]


def test_its_files(tmp_path: Path) -> None:
    """They are in no folder of the warehouse, and gone once the session is closed."""
    session = deltasql.connect(str(tmp_path))
    session.sql("CREATE TEMPORARY TABLE t AS SELECT 1 AS a")
    folder = Path(session.log("t").location)
    assert [*folder.rglob("*.parquet")]
    assert not folder.is_relative_to(tmp_path)
    assert not [*tmp_path.rglob("*.parquet")]
    session.close()
    assert not folder.parent.exists()


def test_dropped_at_once(tmp_path: Path) -> None:
    with deltasql.connect(str(tmp_path)) as session:
        session.sql("CREATE TEMPORARY TABLE t AS SELECT 1 AS a")
        folder = Path(session.log("t").location)
        session.sql("DROP TABLE t")
        assert not [*folder.parent.rglob("*.parquet")]
        session.sql("CREATE TEMPORARY TABLE t AS SELECT 'again' AS b")
        assert [*map(tuple, session.sql("SELECT * FROM t").collect())] == [("again",)]


def test_written_by_frames(tmp_path: Path) -> None:
    with deltasql.connect(str(tmp_path)) as session:
        session.sql("CREATE TEMPORARY TABLE t (a INT)")
        session.write(pandas.DataFrame({"a": [3]})).insertInto("t")
        assert [*map(tuple, session.sql("SELECT * FROM t").collect())] == [(3,)]
