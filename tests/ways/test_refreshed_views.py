"""Random changes of tables: after each refresh the rows of a materialized view are those of its query."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from pathlib import Path

import pytest

from deltasql import Session

QUERIES = (
    "SELECT id, v FROM t WHERE k > 2",
    "SELECT DISTINCT k, v FROM t",
    "SELECT id * 2 AS twice FROM t WHERE v IS NOT NULL",
    "SELECT k, count(*) AS n, sum(id) AS s, avg(x) AS a, max(v) AS m FROM t GROUP BY k",
    "SELECT k AS key, v, count(v) AS n FROM t WHERE id % 2 = 0 GROUP BY k, v HAVING count(*) > 0",
    "SELECT t.id, t.k, u.name FROM t JOIN u ON t.k = u.k",
    "SELECT u.k, count(*) AS n, min(u.name) AS name FROM t JOIN u ON t.k = u.k WHERE t.id > 3 GROUP BY u.k",
    "SELECT id, row_number() OVER (ORDER BY id, v, x) AS r FROM t",
)
PROPERTIES = (
    "",
    "TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')",
    "TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')",
    "TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true', 'delta.enableDeletionVectors' = 'true')",
)
CHANGES = (
    "INSERT INTO t VALUES ({id}, {k}, {v}, {x}), ({id} + 1, NULL, {v}, NULL)",
    "UPDATE t SET v = {v}, x = {x} WHERE k = {k}",
    "UPDATE t SET k = {k} WHERE id % 3 = {k} % 3",
    "DELETE FROM t WHERE k = {k} AND id > {id} / 2",
    "DELETE FROM t WHERE k IS NULL",
    "MERGE INTO t USING (SELECT {id} AS id, {k} AS k) AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET k = s.k "
    "WHEN NOT MATCHED THEN INSERT (id, k) VALUES (s.id, s.k)",
    "INSERT INTO u VALUES ({k}, {v})",
    "UPDATE u SET name = {v} WHERE k = {k}",
    "DELETE FROM u WHERE k = {k}",
    "OPTIMIZE t",
)


def rows(session: Session, sql: str) -> Counter[str]:
    return Counter(repr(tuple(row)) for row in session.sql(sql).collect())


@pytest.mark.parametrize("seed", range(4))
def test_views_of_random_tables(session: Session, seed: int) -> None:
    """With every kind of source: with and without a change data feed, with and without deletion vectors."""
    random_choice = random.Random(seed)
    session.sql(f"CREATE TABLE t (id INT, k INT, v STRING, x DOUBLE) {PROPERTIES[seed % len(PROPERTIES)]}")
    session.sql(f"CREATE TABLE u (k INT, name STRING) {random_choice.choice(PROPERTIES)}")
    session.sql(
        "INSERT INTO t VALUES (1, 1, 'a', 0.5), (2, 2, 'b', -0.0), (3, 3, 'a', double('NaN')), (4, 3, NULL, 1.5)"
    )
    session.sql("INSERT INTO u VALUES (1, 'one'), (3, 'three'), (3, 'drei')")
    queries = random_choice.sample(QUERIES, 4)
    for number, query in enumerate(queries):
        session.sql(f"CREATE MATERIALIZED VIEW m{number} AS {query}")
    modes: Counter[str] = Counter()
    for _ in range(3):
        for _ in range(random_choice.randint(1, 3)):
            change = random_choice.choice(CHANGES)
            values = {
                "id": random_choice.randint(1, 20),
                "k": random_choice.randint(1, 4),
                "v": random_choice.choice(["'a'", "'b'", "'c'", "NULL"]),
                "x": random_choice.choice(["0.5", "-0.0", "double('NaN')", "NULL"]),
            }
            session.sql(change.format(**values))
        for number, query in enumerate(queries):
            planned = session.sql(f"EXPLAIN REFRESH MATERIALIZED VIEW m{number}").collect()
            session.sql(f"REFRESH MATERIALIZED VIEW m{number}")
            assert rows(session, f"SELECT * FROM m{number}") == rows(session, query), (query, planned)
            history = session.sql(f"DESCRIBE HISTORY m{number} LIMIT 1").collect()
            modes[str(history[0].operationParameters.get("mode"))] += 1
    assert modes


def test_copies_of_one_folder(session: Session, tmp_path: Path) -> None:
    """They have the same id, by which a refresh records the versions that it has read."""
    session.sql("CREATE TABLE c (id INT)")
    session.sql("INSERT INTO c VALUES (1)")
    location = session.sql("DESCRIBE DETAIL c").collect()[0].location
    shutil.copytree(location.removeprefix("file:"), tmp_path / "copy")
    session.sql(f"CREATE TABLE d LOCATION '{tmp_path / 'copy'}'")
    query = "SELECT c.id, count(*) AS n FROM c JOIN d ON c.id = d.id GROUP BY c.id"
    session.sql(f"CREATE MATERIALIZED VIEW m AS {query}")
    for table in ("c", "d"):
        session.sql(f"INSERT INTO {table} VALUES (1)")
        session.sql("REFRESH MATERIALIZED VIEW m")
        assert rows(session, "SELECT * FROM m") == rows(session, query)


LISTS = (
    ("(id BIGINT, v STRING, CONSTRAINT c EXPECT (id > 4) ON VIOLATION DROP ROW)", "SELECT id, v FROM t", "id > 4"),
    ("(CONSTRAINT c EXPECT (s > 6 OR m = 'b') ON VIOLATION DROP ROW)", QUERIES[3], "s > 6 OR m = 'b'"),
    (
        "(k BIGINT, n INT, CONSTRAINT c EXPECT (n < 3) ON VIOLATION DROP ROW)",
        "SELECT k, count(*) FROM t GROUP BY k",
        "",
    ),
)


@pytest.mark.parametrize("seed", range(2))
def test_expectations_of_random_tables(session: Session, seed: int) -> None:
    """Rows that violate an expectation come and go with the changes of the source."""
    random_choice = random.Random(seed)
    session.sql(f"CREATE TABLE t (id INT, k INT, v STRING, x DOUBLE) {PROPERTIES[seed * 3]}")
    session.sql("INSERT INTO t VALUES (1, 1, 'a', 0.5), (5, 2, 'b', 1), (9, 3, 'a', 2), (4, 3, NULL, 1.5)")
    for number, (columns, query, _) in enumerate(LISTS):
        session.sql(f"CREATE MATERIALIZED VIEW m{number} {columns} AS {query}")
    for _ in range(4):
        change = random_choice.choice(CHANGES[:5])
        session.sql(change.format(id=random_choice.randint(1, 20), k=random_choice.randint(1, 4), v="'b'", x="0.5"))
        for number, (_, query, condition) in enumerate(LISTS):
            session.sql(f"REFRESH MATERIALIZED VIEW m{number}")
            wanted = f"SELECT * FROM ({query}) AS q WHERE {condition or 'n < 3'}"
            if not condition:
                wanted = "SELECT k, count(*) AS n FROM t GROUP BY k HAVING count(*) < 3"
            assert rows(session, f"SELECT * FROM m{number}") == rows(session, wanted), (change, query)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE MATERIALIZED VIEW m (`i d` BIGINT NOT NULL COMMENT 'it''s', v VARCHAR(9), "
        "CONSTRAINT p PRIMARY KEY (`i d`), CONSTRAINT `a b` EXPECT (`i d` > 0 -- all\n) ON VIOLATION FAIL UPDATE, "
        "CONSTRAINT c EXPECT (v <> ''), CHECK (v <> 'x')) "
        "TRIGGER ON UPDATE AT MOST EVERY INTERVAL 1 DAY TBLPROPERTIES ('delta.columnMapping.mode' = 'name') "
        "AS SELECT id, v FROM t",
        "CREATE STREAMING TABLE m (id, v COMMENT 'x', CONSTRAINT c EXPECT (id > 1) ON VIOLATION DROP ROW) "
        "CLUSTER BY (id) SCHEDULE EVERY 2 WEEKS WITH ROW FILTER f ON (v) COMMENT 'y' AS SELECT id, v FROM STREAM(t)",
        "CREATE STREAMING TABLE m (id INT, v STRING MASK g USING COLUMNS (id)) PARTITIONED BY (id) "
        "AS SELECT id, v FROM STREAM(t)",
    ],
)
def test_the_shown_statement_makes_the_same_table(session: Session, statement: str) -> None:
    session.sql("SET deltasql.governance = RECORD")
    session.sql("CREATE FUNCTION f(v STRING) RETURNS BOOLEAN RETURN v = 'a'")
    session.sql("CREATE FUNCTION g(v STRING, id INT) RETURNS STRING RETURN concat(v, id)")
    session.sql("CREATE TABLE t (id INT, v STRING)")
    session.sql("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    session.sql(statement)
    shown = session.sql("SHOW CREATE TABLE m").collect()[0][0]
    found = rows(session, "SELECT * FROM m")
    session.sql(f"DROP {'STREAMING TABLE' if 'STREAM(' in statement else 'MATERIALIZED VIEW'} m")
    session.sql(shown)
    assert session.sql("SHOW CREATE TABLE m").collect()[0][0] == shown
    assert rows(session, "SELECT * FROM m") == found
