"""Tables that the catalog manages, as other engines find them: they refuse them by name, and read all of a plain one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from deltalake import DeltaTable

import deltasql
from tests.oracle.client import NO_ORACLE, oracle

from .readers import own_rows, readers_of

MANAGED = "TBLPROPERTIES ('delta.feature.catalogManaged' = 'supported')"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two tables whose last commits are those of one transaction."""
    with deltasql.connect(str(tmp_path), engine="sail") as session:
        for name in "ab":
            session.sql(f"CREATE TABLE {name} (id INT, n INT) {MANAGED}")
            session.sql(f"INSERT INTO {name} VALUES (1, 10), (2, 20)")
        session.sql("BEGIN ATOMIC UPDATE a SET n = 9 WHERE id = 1; UPDATE b SET n = 11 WHERE id = 1; END")
    return tmp_path


def test_delta_rs_refuses_the_feature_by_name(folder: Path) -> None:
    with pytest.raises(Exception, match="catalog-managed"):
        DeltaTable(str(folder / "a")).to_pyarrow_table()


@pytest.mark.skipif(bool(os.environ.get(NO_ORACLE)), reason="there is no delta-spark")
def test_delta_spark_refuses_the_feature_by_name(folder: Path) -> None:
    with pytest.raises(AssertionError, match="CATALOG_MANAGED_TABLE"):
        oracle().run(f"SELECT * FROM delta.`{folder}/a`")


def test_everybody_reads_a_table_that_has_left(folder: Path) -> None:
    with deltasql.connect(str(folder), engine="sail") as session:
        session.sql("ALTER TABLE a DROP FEATURE catalogManaged")
        # A feature that it requires, and that the Arrow scan of delta-rs does not know.
        session.sql("ALTER TABLE a DROP FEATURE vacuumProtocolCheck TRUNCATE HISTORY")
        session.sql("INSERT INTO a VALUES (3, 30)")
        rows = own_rows(session, "SELECT * FROM a")
    assert len(rows) == 3
    for read in readers_of(folder / "a").values():
        assert read(folder / "a", None) == rows
