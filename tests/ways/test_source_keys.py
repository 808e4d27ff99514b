"""MERGE into a large table: rows whose keys the source lacks are left out before, and nothing else comes of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

from deltasql import DeltaSqlError, Session, connect
from deltasql.base.engine_names import VARIABLE
from deltasql.engines.spark.rewrites import position_search

pytestmark = pytest.mark.spark

TABLE = """
    CREATE TABLE t (k INT, `w x` BIGINT, n STRUCT<a: STRING>, name STRING, day DATE, p INT, c CHAR(3))
    PARTITIONED BY (p) TBLPROPERTIES ('delta.columnMapping.mode' = 'name', 'delta.enableDeletionVectors' = 'true');
    INSERT INTO t SELECT IF(id = 7, NULL, id), id * 10, named_struct('a', string(id)), concat('n', id % 9),
    date_from_unix_date(id % 5), id % 2, 'c' FROM range(0, 30, 1, 1);
    DELETE FROM t WHERE k IN (4, 5);
    ALTER TABLE t SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'false', 'delta.enableTypeWidening' = 'true');
    CREATE TABLE padded (e CHAR(4));
    INSERT INTO padded VALUES ('n1')
"""
ALL = "WHEN MATCHED THEN UPDATE SET name = 'new' WHEN NOT MATCHED THEN INSERT (k, name) VALUES (99, 'more')"
ONE = "WHEN MATCHED THEN DELETE"

TOLD = {
    "wider": ("VALUES (3L), (4L), (7L), (NULL), (5000000000L) AS s(id)", "t.k = s.id", ALL),
    "narrower": ("VALUES (30S), (40S), (31S) AS s(id)", "s.id = t.`w x`", ONE),
    "text and more": ("VALUES ('n1', 10), ('n2', 1), (NULL, 3) AS s(name, id)", "s.name = t.name AND t.k <= s.id", ONE),
    "two": ("SELECT explode(sequence(0, 9)) AS id", "t.k = s.id AND t.day = date_from_unix_date(s.id % 5)", ALL),
    "two columns, one of partitions": ("VALUES (3, 1), (6, 1) AS s(id, p)", "t.p = s.p AND t.k = s.id", ALL),
    "none": ("SELECT 1 AS id WHERE false", "t.k = s.id", ALL),
    "twice": ("VALUES (3, 'a'), (3, 'b') AS s(id, v)", "t.k = s.id", ALL),
    "deleted twice": ("VALUES (3), (3), (6) AS s(id)", "t.k = s.id", ONE),
    "a text with blanks": ("padded", "t.name = IF(s.e = 'n1', 'n1', 'n2')", ALL),
}
"""Sources and conditions of which the keys are looked up."""

NOT_TOLD = {
    "other type": ("VALUES ('3'), ('4') AS s(id)", "t.k = s.id", ONE),
    "a field": ("VALUES ('3'), ('4') AS s(id)", "t.n.a = s.id", ONE),
    "an expression": ("VALUES (3) AS s(id)", "t.k + 1 = s.id", ONE),
    "with blanks": ("VALUES ('c') AS s(id)", "t.c = s.id AND t.k < 3", ONE),
    "no equality": ("VALUES (3) AS s(id)", "t.k <=> s.id", ONE),
    "rows without a match": (
        "VALUES (3) AS s(id)",
        "t.k = s.id",
        "WHEN NOT MATCHED BY SOURCE AND t.k > 20 THEN DELETE",
    ),
}
"""Those of which they are not."""


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with connect(str(tmp_path_factory.mktemp("keys") / "warehouse")) as opened:
        opened.sql("SET deltasql.io.mode = DRIVER")
        for result in opened.run(TABLE):
            result.collect()
        yield opened


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What was found of the keys, statement by statement. Tables are large from the first row on."""
    found: list[Any] = []
    source_key_values = position_search.source_key_values

    def told_keys(*arguments: Any) -> Any:
        found.append(source_key_values(*arguments))
        return found[-1]

    monkeypatch.setattr(position_search, "source_key_values", told_keys)
    for limit in ("FEW_BYTES", "TINY_BYTES"):
        monkeypatch.setattr(f"deltasql.engines.spark.rewrites.rewrite.{limit}", 0)
    monkeypatch.setattr(position_search, "LARGE_PART", 100)
    return found


def merged(session: Session, source: str, on: str, clauses: str) -> Any:
    """What a MERGE gives, and leaves; the table is then as it was."""
    version = session.log("t").snapshot().version
    given = source if source.isidentifier() else f"({source})"
    try:
        told: Any = session.sql(f"MERGE INTO t USING {given} AS s ON {on} {clauses}").collect()
    except DeltaSqlError as error:
        told = error.condition
    rows = session.sql("SELECT * FROM t ORDER BY ALL").collect()
    if session.log("t").snapshot().version > version:
        session.sql(f"RESTORE TABLE t TO VERSION AS OF {version}")
    return told, rows


def other_ways(session: Session) -> Iterator[tuple[Any, Any]]:
    """What statements give on a table of their own that has its rows in several files, row groups and vectors."""
    for vectors, feed in (("true", "false"), ("true", "true"), ("false", "true")):
        session.sql(
            "CREATE OR REPLACE TABLE u (k BIGINT, v STRING) "
            f"TBLPROPERTIES ('delta.enableDeletionVectors' = '{vectors}', "
            f"'delta.enableChangeDataFeed' = '{feed}')"
        )
        for start in (0, 50):
            session.sql(f"INSERT INTO u SELECT id, 'old' FROM range({start}, {start + 50}, 1, 1)")
        session.sql("DELETE FROM u WHERE k IN (7, 60)")
        merged = session.sql(
            "MERGE INTO u USING (SELECT explode(array(1, 7, 49, 50, 99, 200)) AS id) s ON s.id = u.K "
            "WHEN MATCHED AND s.id = 50 THEN DELETE WHEN MATCHED THEN UPDATE SET v = 'new' "
            "WHEN NOT MATCHED THEN INSERT (k, v) VALUES (s.id, 'more')"
        ).collect()
        replaced = session.sql(
            "INSERT INTO u AS o REPLACE ON o.k = s.k (SELECT 99L AS k, 'last' AS v UNION ALL SELECT 300, 'x') AS s"
        ).collect()
        yield (merged, replaced), session.sql("SELECT * FROM u ORDER BY ALL").collect()


def test_vectors_change_feed_and_replaced_rows(
    session: Session, looked: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(position_search, "FEW_ROWS", 1 << 40)
    expected = list(other_ways(session))
    monkeypatch.setattr(position_search, "FEW_ROWS", 0)
    looked.clear()
    assert list(other_ways(session)) == expected
    assert any(looked)


def test_a_column_that_is_widened_to_a_number_with_a_point(
    session: Session, looked: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(position_search, "FEW_ROWS", 0)
    session.sql("CREATE OR REPLACE TABLE w (k INT) TBLPROPERTIES ('delta.enableTypeWidening' = 'true')")
    session.sql("INSERT INTO w VALUES (0), (1)")
    session.sql("SET spark.databricks.delta.schema.autoMerge.enabled = true")
    try:
        session.sql(
            "MERGE INTO w AS t USING (SELECT -0.0D AS k) AS s ON t.k = s.k "
            "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
        )
    finally:
        session.sql("RESET spark.databricks.delta.schema.autoMerge.enabled")
    assert session.sql("SELECT count(*) FROM w").collect() == [(2,)]
    assert not any(looked)


def test_many_rows_with_a_key_are_left_to_spark(
    session: Session, looked: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(position_search, "FEW_ROWS", 0)
    monkeypatch.setattr("deltasql.engines.spark.reading.driver_rows.KEYED_BYTES", 8)
    case = TOLD["wider"]
    kept = merged(session, *case)
    monkeypatch.setattr(position_search, "FEW_ROWS", 1 << 40)
    assert merged(session, *case) == kept
    assert looked[0]


ON_SPARK = {"wider", "two", "twice", "a text with blanks", "with blanks", "rows without a match"}
"""Some of the cases. Sail, where they take a tenth of the time, runs all: see tests/sail/test_other_folders.py."""


@pytest.mark.parametrize("name", [*TOLD, *NOT_TOLD] if os.environ.get(VARIABLE) == "sail" else sorted(ON_SPARK))
def test_the_same_comes_of_it(session: Session, looked: list[Any], name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    case = {**TOLD, **NOT_TOLD}[name]
    monkeypatch.setattr(position_search, "FEW_ROWS", 1 << 40)
    expected = merged(session, *case)
    monkeypatch.setattr(position_search, "FEW_ROWS", 0)
    assert merged(session, *case) == expected
    assert not looked[0]
    assert bool(looked[-1]) == (name in TOLD)
