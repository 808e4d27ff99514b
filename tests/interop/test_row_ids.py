"""Row ids: delta-spark finds those that we give and keep, and we find those that delta-spark gives and keeps."""

from __future__ import annotations

from pathlib import Path

import pytest

import deltasql
from tests.interop.readers import Rows, own_rows
from tests.oracle.client import oracle
from tests.oracle.values import in_order

IDS = "SELECT *, _metadata.row_id, _metadata.row_commit_version FROM delta.`{path}`"
TRACKED = "'delta.enableRowTracking' = 'true'"
SCRIPTS = {
    "rows that come and go": f"""
        CREATE TABLE t (id INT, v STRING) USING delta TBLPROPERTIES ({TRACKED});
        INSERT INTO t SELECT id, 'a' FROM range(10);
        INSERT INTO t VALUES (20, 'b'), (21, 'b');
        DELETE FROM t WHERE id = 3;
        DELETE FROM t WHERE id >= 20
    """,
    "rows that change": f"""
        CREATE TABLE t (id INT, v STRING) USING delta TBLPROPERTIES ({TRACKED});
        INSERT INTO t SELECT id, 'a' FROM range(10);
        UPDATE t SET v = 'b' WHERE id < 3;
        UPDATE t SET v = 'c' WHERE id IN (2, 7);
        MERGE INTO t AS t USING (SELECT id, 'm' AS v FROM range(8, 12)) s ON t.id = s.id
          WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *
          WHEN NOT MATCHED BY SOURCE AND t.id = 0 THEN DELETE
    """,
    "partitions": f"""
        CREATE TABLE t (id INT, p INT) USING delta PARTITIONED BY (p) TBLPROPERTIES ({TRACKED});
        INSERT INTO t SELECT id, id % 3 FROM range(9);
        UPDATE t SET p = 1 WHERE id = 2;
        DELETE FROM t WHERE p = 0 AND id < 5
    """,
    "column mapping": f"""
        CREATE TABLE t (id INT, v STRING) USING delta TBLPROPERTIES ({TRACKED}, 'delta.columnMapping.mode' = 'name');
        INSERT INTO t SELECT id, 'a' FROM range(5);
        UPDATE t SET v = 'b' WHERE id = 1;
        ALTER TABLE t RENAME COLUMN v TO w;
        UPDATE t SET w = 'c' WHERE id = 2
    """,
    "deletion vectors": f"""
        CREATE TABLE t (id INT, v STRING) USING delta TBLPROPERTIES ({TRACKED}, 'delta.enableDeletionVectors' = 'true');
        INSERT INTO t SELECT id, 'a' FROM range(10);
        DELETE FROM t WHERE id = 4;
        UPDATE t SET v = 'b' WHERE id = 5
    """,
    "an existing table": f"""
        CREATE TABLE t (id INT, v STRING) USING delta TBLPROPERTIES ('delta.checkpointInterval' = '2');
        INSERT INTO t VALUES (1, 'a'), (2, 'b');
        INSERT INTO t VALUES (3, 'c');
        ALTER TABLE t SET TBLPROPERTIES ({TRACKED});
        INSERT INTO t VALUES (4, 'd');
        UPDATE t SET v = 'x' WHERE id = 2
    """,
    "files that are joined": f"""
        CREATE TABLE t (id INT, v STRING) USING delta TBLPROPERTIES ({TRACKED});
        INSERT INTO t VALUES (1, 'a'), (2, 'b');
        INSERT INTO t VALUES (3, 'c');
        UPDATE t SET v = 'x' WHERE id = 2;
        OPTIMIZE t
    """,
    "a table that is replaced": f"""
        CREATE TABLE t (id INT) USING delta TBLPROPERTIES ({TRACKED});
        INSERT INTO t VALUES (1), (2);
        CREATE OR REPLACE TABLE t (name STRING) USING delta;
        INSERT INTO t VALUES ('x')
    """,
}


def theirs(path: Path) -> Rows:
    return in_order(oracle().run(IDS.format(path=path))[0]["rows"])


@pytest.mark.parametrize("name", SCRIPTS)
def test_ids_that_we_give(name: str, session: deltasql.Session, tmp_path: Path) -> None:
    for text in SCRIPTS[name].split(";"):
        session.sql(text)
    path = tmp_path / "warehouse" / "t"
    own = own_rows(session, "SELECT *, _metadata.row_id, _metadata.row_commit_version FROM t")
    assert len({row[-2] for row in own}) == len(own)
    assert theirs(path) == own


# They do not replace a table that is known by its path alone.
@pytest.mark.parametrize("name", [name for name in SCRIPTS if "replaced" not in name])
def test_ids_that_they_give(name: str, session: deltasql.Session, tmp_path: Path) -> None:
    path = tmp_path / "theirs"
    table = f"delta.`{path}`"
    oracle().run(*(_at(text, table) for text in SCRIPTS[name].split(";")))
    before = theirs(path)
    assert own_rows(session, IDS.format(path=path)) == before
    # Both go on in turns.
    session.sql(f"INSERT INTO {table} (id) VALUES (100), (101)")
    session.sql(f"DELETE FROM {table} WHERE id = 100")
    after = theirs(path)
    assert own_rows(session, IDS.format(path=path)) == after
    kept = {row[-2]: row[0] for row in after}
    assert {row[-2]: row[0] for row in before}.items() <= kept.items()
    assert len(kept) == len(after) == len(before) + 1


def _at(text: str, table: str) -> str:
    """A statement about `t` as one about another table."""
    words = text.split()
    places = [index for index, word in enumerate(words) if word == "t"]
    return " ".join(table if index == places[0] else word for index, word in enumerate(words))
