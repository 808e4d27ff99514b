"""Dropped tables: who is interrupted can go on, and files go when the days are over."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import deltasql
from deltasql.base import errors


def _records(warehouse: Path) -> list[Path]:
    return sorted(warehouse.glob("*/_deltasql_dropped.json"))


def _age(record: Path, days: float) -> None:
    document = json.loads(record.read_text())
    document["dropped_at"] -= int(days * 24 * 60 * 60 * 1000)
    record.write_text(json.dumps(document))


def test_files_go_when_the_days_are_over(tmp_path: Path) -> None:
    with deltasql.connect(str(tmp_path)) as session:
        for name in ("old", "young"):
            session.sql(f"CREATE TABLE {name} (a INT)")
            session.sql(f"DROP TABLE {name}")
        old = next(item for item in _records(tmp_path) if '"old"' in item.read_text())
        _age(old, 7.5)
        assert [row[2] for row in session.sql("SHOW TABLES DROPPED").collect()] == ["young"]
        with pytest.raises(errors.DroppedTableNotFoundError):
            session.sql("UNDROP TABLE old")
        session.sql("CREATE TABLE other (a INT)")
        session.sql("DROP TABLE other")
        assert not old.parent.exists()
        session.sql("UNDROP TABLE young")


def test_an_interrupted_drop_can_be_taken_back(tmp_path: Path) -> None:
    """The name is gone, the record written, and the folder not yet renamed."""
    with deltasql.connect(str(tmp_path)) as session:
        session.sql("CREATE TABLE t (a INT)")
        session.sql("INSERT INTO t VALUES (1)")
        session.sql("DROP TABLE t")
        (record,) = _records(tmp_path)
        record.parent.rename(tmp_path / "t")
        assert [row[2] for row in session.sql("SHOW TABLES DROPPED").collect()] == ["t"]
        session.sql("UNDROP TABLE t")
        assert session.sql("SELECT * FROM t").collect() == [(1,)]
        assert not _records(tmp_path)


def test_an_interrupted_undrop_can_be_repeated(tmp_path: Path) -> None:
    """The name is there again, and the record is left: it speaks of no dropped table."""
    with deltasql.connect(str(tmp_path)) as session:
        session.sql("CREATE TABLE t (a INT)")
        session.sql("DROP TABLE t")
        (record,) = _records(tmp_path)
        text = record.read_text()
        session.sql("UNDROP TABLE t")
        (tmp_path / "t" / record.name).write_text(text)
        assert session.sql("SHOW TABLES DROPPED").collect() == []
        session.sql("INSERT INTO t VALUES (1)")
        session.sql("VACUUM t")
        assert session.sql("SELECT * FROM t").collect() == [(1,)]


def test_a_record_of_nonsense_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / ".x.dropped").mkdir()
    (tmp_path / ".x.dropped" / "_deltasql_dropped.json").write_text('{"id": 1}')
    with deltasql.connect(str(tmp_path)) as session:
        session.sql("CREATE TABLE t (a INT)")
        session.sql("DROP TABLE t")
        assert len(session.sql("SHOW TABLES DROPPED").collect()) == 1


def test_rights_come_back(tmp_path: Path) -> None:
    with deltasql.connect(str(tmp_path)) as session:
        session.sql("CREATE TABLE t (a INT)")
        with pytest.warns(UserWarning, match="recorded"):
            session.sql("GRANT SELECT ON TABLE t TO ann")
        session.sql("DROP TABLE t")
        session.sql("UNDROP TABLE t")
        assert session.sql("SHOW GRANTS ON TABLE t").collect()
