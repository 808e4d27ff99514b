"""Tables and views in one Hive metastore that delta-spark and deltasql both create, read and change."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import deltasql
from deltasql.base.errors import CatalogTableError
from deltasql.session.session import Session
from tests.metastores.delta_spark import DeltaSpark, running

pytestmark = [pytest.mark.spark, pytest.mark.oracle]
_numbers = itertools.count()


@pytest.fixture(scope="module")
def theirs(hive_uri: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DeltaSpark]:
    with running(hive_uri, tmp_path_factory.mktemp("delta-spark")) as engine:
        yield engine


@pytest.fixture
def ours(hive_uri: str, tmp_path: Path) -> Iterator[Session]:
    catalogs = {"hms": {"type": "hive", "uri": hive_uri}}
    with deltasql.connect(str(tmp_path / "warehouse"), catalogs=catalogs, catalog="hms") as session:
        yield session


@pytest.fixture
def schema(theirs: DeltaSpark, ours: Session, tmp_path: Path) -> str:
    name = f"shared{next(_numbers)}"
    theirs.sql(f"CREATE SCHEMA {name} LOCATION '{tmp_path}/{name}'")
    theirs.sql(f"USE {name}")
    ours.sql(f"USE hms.{name}")
    return name


def rows(session: Session, text: str) -> list[list[Any]]:
    return [list(row) for row in session.sql(text).collect()]


@pytest.mark.parametrize("place", ["", "LOCATION '{}/a b'"])
def test_their_table_is_ours(theirs: DeltaSpark, ours: Session, schema: str, tmp_path: Path, place: str) -> None:
    theirs.sql(f"CREATE TABLE t (id INT COMMENT 'key', n STRING) USING delta COMMENT 'c' {place.format(tmp_path)}")
    theirs.sql("INSERT INTO t VALUES (1, 'a')")
    ours.sql("INSERT INTO t VALUES (2, 'b')")
    ours.sql("ALTER TABLE t ADD COLUMN more INT")
    ours.sql("UPDATE t SET more = 5 WHERE id = 2")
    expected = [[1, "a", None], [2, "b", 5]]
    assert rows(ours, f"SELECT * FROM hms.{schema}.t ORDER BY id") == expected
    theirs.sql("REFRESH TABLE t")
    assert theirs.sql("SELECT * FROM t ORDER BY id") == expected
    assert [row[1] for row in rows(ours, "SHOW TABLES")] == ["t"]


@pytest.mark.parametrize("place", ["", "LOCATION '{}/a b'"])
def test_our_table_is_theirs(theirs: DeltaSpark, ours: Session, schema: str, tmp_path: Path, place: str) -> None:
    ours.sql(
        f"CREATE TABLE t (id INT COMMENT 'key', n STRING) COMMENT 'c' {place.format(tmp_path)} TBLPROPERTIES (p=1)"
    )
    ours.sql("INSERT INTO t VALUES (1, 'a')")
    theirs.sql("INSERT INTO t VALUES (2, 'b')")
    theirs.sql("ALTER TABLE t ADD COLUMN more INT")
    ours.sql("UPDATE t SET more = 5 WHERE id = 2")
    expected = [[1, "a", None], [2, "b", 5]]
    assert theirs.sql("SELECT * FROM t ORDER BY id") == expected
    assert rows(ours, "SELECT * FROM t ORDER BY id") == expected
    described = {row[0]: row[1] for row in theirs.sql("DESCRIBE TABLE EXTENDED t")}
    assert described["Provider"] == "delta"
    assert described["Type"] == ("EXTERNAL" if place else "MANAGED")
    assert described["Comment"] == "c"
    theirs.sql("DROP TABLE t")
    assert rows(ours, "SHOW TABLES") == []


def test_a_table_that_both_rename(theirs: DeltaSpark, ours: Session, schema: str, tmp_path: Path) -> None:
    ours.sql("CREATE TABLE t (id INT)")
    ours.sql("INSERT INTO t VALUES (1)")
    ours.sql("ALTER TABLE t RENAME TO u")
    assert theirs.sql("SELECT * FROM u") == [[1]]
    theirs.sql("ALTER TABLE u RENAME TO w")
    assert rows(ours, "SELECT * FROM w") == [[1]]
    ours.sql("DROP TABLE w")
    assert theirs.sql("SHOW TABLES") == []
    assert not (tmp_path / schema / "t" / "_delta_log").exists()


def test_views_of_both(theirs: DeltaSpark, ours: Session, schema: str) -> None:
    theirs.sql("CREATE TABLE t (id INT, n STRING) USING delta")
    theirs.sql("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    theirs.sql("CREATE VIEW theirs (key COMMENT 'the key') COMMENT 'c' TBLPROPERTIES ('a'='b') AS SELECT id FROM t")
    theirs.sql("CREATE VIEW evolving WITH SCHEMA EVOLUTION AS SELECT * FROM t")
    ours.sql("CREATE VIEW ours (key COMMENT 'the key') COMMENT 'c' TBLPROPERTIES ('a'='b') AS SELECT id FROM t")
    for view in ("theirs", "ours"):
        text = f"SELECT key FROM {view} ORDER BY key"
        assert rows(ours, text) == theirs.sql(text) == [[1], [2]]
        described = {row[0]: row[1] for row in theirs.sql(f"DESCRIBE TABLE EXTENDED {view}")}
        assert (described["Type"], described["Comment"], described["View Text"]) == ("VIEW", "c", "SELECT id FROM t")
        assert described["View Catalog and Namespace"] == f"spark_catalog.{schema}"
    ours.sql("ALTER TABLE t ADD COLUMN more INT")
    theirs.sql("REFRESH TABLE t")
    text = "SELECT * FROM evolving ORDER BY id"
    assert rows(ours, text) == theirs.sql(text) == [[1, "a", None], [2, "b", None]]
    theirs.sql("DROP VIEW ours")
    ours.sql("DROP VIEW theirs")
    assert sorted(row[1] for row in rows(ours, "SHOW TABLES")) == ["evolving", "t"]


def test_their_tables_of_other_formats(theirs: DeltaSpark, ours: Session, schema: str) -> None:
    for name, clause in (
        ("c", "USING csv OPTIONS (header 'true')"),
        ("p", "USING parquet PARTITIONED BY (b)"),
        ("hp", "STORED AS PARQUET"),
        ("ht", "ROW FORMAT DELIMITED FIELDS TERMINATED BY '|'"),
        ("hd", ""),
    ):
        theirs.sql(f"CREATE TABLE {name} (a INT, b STRING) {clause}")
        theirs.sql(f"INSERT INTO {name} VALUES (1, 'x'), (2, NULL)")
    for name in ("c", "p", "hp", "ht", "hd"):
        assert rows(ours, f"SELECT a, b FROM {name} ORDER BY a") == [[1, "x"], [2, None]], name
    assert [row[1] for row in rows(ours, "SHOW TABLES")] == ["c", "hd", "hp", "ht", "p"]


def test_what_cannot_be_read_is_refused_by_name(theirs: DeltaSpark, ours: Session, schema: str) -> None:
    theirs.sql("CREATE TABLE r (a INT) STORED AS RCFILE")
    with pytest.raises(
        CatalogTableError, match="r of a catalog of type hive cannot be used: it is a table of the form"
    ):
        ours.sql("SELECT * FROM r")
    assert [row[1] for row in rows(ours, "SHOW TABLES")] == ["r"]
