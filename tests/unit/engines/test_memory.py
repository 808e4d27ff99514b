"""The limit of memory: its default, its setting, and statements that would need more. None of them starts an engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltasql import Session, connect
from deltasql.base.errors.base import DeltaSqlError
from deltasql.files import stage
from deltasql.files.stage import available_memory, files_at_once, memory_limit

LIMIT = "deltasql.memory.limit"


@pytest.fixture
def session(tmp_path: Path) -> Session:
    opened = connect(str(tmp_path))
    opened.sql("CREATE TABLE t (id INT, v STRING)")
    opened.sql("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    opened.sql("SET deltasql.compute = LOCAL")
    return opened


class Facts:
    """A session of which only the setting is asked."""

    def __init__(self, value: str | None = None) -> None:
        self.value = value

    def session_value(self, key: str) -> str | None:
        assert key == LIMIT
        return self.value


def test_the_default_is_half_of_what_there_is() -> None:
    assert memory_limit(Facts()) == available_memory() // 2  # type: ignore[arg-type]


@pytest.mark.parametrize(("text", "size"), [("1024", 1024), ("3k", 3072), ("2GB", 2 << 30)])
def test_the_setting_is_a_size(text: str, size: int) -> None:
    assert memory_limit(Facts(text)) == size  # type: ignore[arg-type]


def test_the_limit_of_a_cgroup_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "one" / "b").mkdir(parents=True)
    (tmp_path / "two").mkdir()
    (tmp_path / "cgroup").write_text("4:cpu,memory:/b/c\n0::/\nodd\n")
    (tmp_path / "one" / "b" / "limit").write_text("1048576\n")
    (tmp_path / "one" / "limit").write_text("2097152\n")
    (tmp_path / "two" / "limit").write_text("max\n")
    monkeypatch.setattr(stage, "_CGROUPS", str(tmp_path / "cgroup"))
    groups = {"": (str(tmp_path / "two"), "limit"), "memory": (str(tmp_path / "one"), "limit")}
    monkeypatch.setattr(stage, "_CGROUP_LIMITS", groups)
    assert min(stage._limits()) == 1 << 20
    monkeypatch.setattr(stage, "_CGROUPS", str(tmp_path / "missing"))
    assert min(stage._limits()) == 1 << 21


def test_files_that_fit_are_in_memory_side_by_side() -> None:
    facts = Facts("100m")
    found = [files_at_once(facts, size << 20, 4) for size in (0, 1, 7, 12, 13, 25, 1000)]  # type: ignore[arg-type]
    assert found == [4, 4, 3, 2, 1, 1, 1]


STATEMENTS = [
    "SELECT * FROM t",
    "SELECT id FROM t WHERE id > 0 ORDER BY id",
    "UPDATE t SET v = 'c' WHERE id = 1",
    "DELETE FROM t WHERE id = 1",
    "INSERT INTO t SELECT * FROM t",
    "MERGE INTO t USING (SELECT 1 AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = 'd'",
]


@pytest.mark.spark
@pytest.mark.parametrize("statement", STATEMENTS)
def test_rows_beyond_the_limit_are_not_read(session: Session, statement: str) -> None:
    before = session.sql("SELECT * FROM t ORDER BY id").collect()
    session.sql(f"SET {LIMIT} = 16")
    with pytest.raises(DeltaSqlError, match=LIMIT):
        session.sql(statement).collect()
    session.sql(f"RESET {LIMIT}")
    assert session.sql("SELECT * FROM t ORDER BY id").collect() == before
    assert len(session.sql("DESCRIBE HISTORY t").collect()) == 2
    session.sql(statement).collect()


def test_the_reason_is_explained(session: Session) -> None:
    session.sql("SET deltasql.compute = AUTO")
    session.sql(f"SET {LIMIT} = 16")
    (row,) = session.sql("EXPLAIN SELECT * FROM t").collect()
    assert "computed by the engine" in row[0]
    assert LIMIT in row[0]


def test_a_wrong_size_is_refused(session: Session) -> None:
    with pytest.raises(DeltaSqlError, match="a size such as"):
        session.sql(f"SET {LIMIT} = much")
