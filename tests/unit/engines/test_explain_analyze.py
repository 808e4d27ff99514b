"""EXPLAIN ANALYZE of a write: its files are written, and nothing is left of it."""

from __future__ import annotations

from pathlib import Path

import deltasql


def test_nothing_is_left(tmp_path: Path) -> None:
    with deltasql.connect(str(tmp_path / "warehouse")) as session:
        session.sql("CREATE TABLE t (a INT)")
        session.sql("INSERT INTO t VALUES (1)")
        root = Path(session.log("t").location)
        before = sorted(root.rglob("*"))
        for name in ("t", "`T`"):
            ((text,),) = session.sql(f"EXPLAIN ANALYZE INSERT INTO {name} VALUES (2), (3)").collect()
            lines = text.partition("== Analysis ==\n")[2].splitlines()
            assert lines[0] == "nothing was committed"
            assert "numOutputRows: 2" in lines
            assert lines[-2] == "read: no data file"
            assert lines[-1].startswith("time: ")
        assert sorted(root.rglob("*")) == before
        session.sql("BEGIN TRANSACTION")
        session.sql("EXPLAIN ANALYZE INSERT INTO t VALUES (4)")
        assert not session.has_changes
        session.sql("ROLLBACK")
        assert not session.spark_started
