"""What statements leave to the next ones is never seen: each has the rows that there are."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltasql import Session
from deltasql.base.errors import DataFileNotFoundError

pytestmark = pytest.mark.spark

BOTH = "SELECT a.id FROM t a JOIN t b ON a.id = b.id WHERE EXISTS (SELECT 1 FROM t WHERE t.id = a.id) ORDER BY 1"


def ids(session: Session, query: str = BOTH) -> list[int]:
    return [row[0] for row in session.sql(query).collect()]


def kept(session: Session) -> int:
    return len(session._engine.spark.cached_frames)


def test_a_query_has_the_rows_of_now(session: Session, tmp_path: Path) -> None:
    place = tmp_path / "here"
    create = f"CREATE TABLE t (id INT, p STRING) PARTITIONED BY (p) LOCATION '{place}'"
    session.sql(create)
    session.sql("INSERT INTO t VALUES (1, 'x'), (2, 'y')")
    session.sql("CREATE TEMPORARY VIEW v AS SELECT id FROM t WHERE id > 1")
    assert ids(session) == [1, 2]
    uses = kept(session)
    assert uses == 3
    assert (ids(session), kept(session)) == ([1, 2], uses)

    session.sql("INSERT INTO t VALUES (3, 'x')")
    assert (ids(session), ids(session, "SELECT id FROM v ORDER BY id")) == ([1, 2, 3], [2, 3])
    assert ids(session, "SELECT id FROM t VERSION AS OF 1 ORDER BY id") == [1, 2]
    session.sql("CREATE OR REPLACE TEMPORARY VIEW v AS SELECT id FROM t WHERE p = 'x'")
    assert ids(session, "SELECT id FROM v ORDER BY id") == [1, 3]

    session.sql("UPDATE t SET id = 13 WHERE id = 3")
    session.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    session.sql("DELETE FROM t WHERE id = 1")
    session.sql("ALTER TABLE t ADD COLUMN more INT")
    assert [tuple(row) for row in session.sql("SELECT * FROM t ORDER BY id").collect()] == [
        (2, "y", None),
        (13, "x", None),
    ]

    session.sql("DROP TABLE t")
    session.sql(f"DELETE FROM delta.`{place}`")
    session.sql(create.replace("(id INT, p STRING)", "").replace("PARTITIONED BY (p) ", ""))
    session.sql("INSERT INTO t VALUES (7, 'z', 0)")
    assert ids(session) == [7]
    session.close()
    assert kept(session) == 0


def test_the_callers_dataframes_are_apart(session: Session) -> None:
    """Spark refuses a join whose condition names a column of both sides."""
    session.sql("CREATE TABLE t AS SELECT id FROM range(3)")
    assert ids(session) == [0, 1, 2]
    one, other = session.table("t"), session.table("t")
    assert one.join(other, one["id"] == other["id"] + 1).count() == 2


def test_a_file_that_is_gone_is_missed(session: Session) -> None:
    session.sql("CREATE TABLE t AS SELECT id FROM range(3)")
    assert ids(session) == ids(session) == [0, 1, 2]
    Path(session.log("t").snapshot().files(("location",))["location"][0].as_py()).unlink()
    with pytest.raises(DataFileNotFoundError):
        ids(session)


def test_no_view_is_left(session: Session) -> None:
    session.sql("CREATE TABLE t AS SELECT id FROM range(3)")
    cached = session.table("t").cache()
    assert cached.count() == 3
    ids(session)
    views = [view.name for view in cached.sparkSession.catalog.listTables()]
    assert not [name for name in views if name.startswith("__deltasql")]
    assert cached.is_cached
    cached.unpersist()
