"""After DROP FEATURE other engines read the table, and we read its older versions."""

from __future__ import annotations

from pathlib import Path

import pytest

import deltasql
from tests.interop.readers import delta_rs, delta_spark, own_rows
from tests.oracle.client import oracle

SCRIPTS = {
    "deletionVectors": """
        CREATE TABLE {t} (id INT, v STRING) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true');
        INSERT INTO {t} SELECT id, 'a' FROM range(10);
        DELETE FROM {t} WHERE id = 4
    """,
    "columnMapping": """
        CREATE TABLE {t} (id INT, s STRUCT<x: INT, y: ARRAY<STRUCT<z: INT>>>, p STRING) USING delta PARTITIONED BY (p)
          TBLPROPERTIES ('delta.columnMapping.mode' = 'name', 'delta.enableRowTracking' = 'true');
        INSERT INTO {t} VALUES (1, named_struct('x', 1, 'y', array(named_struct('z', 5))), 'k'), (2, NULL, NULL);
        ALTER TABLE {t} RENAME COLUMN s.x TO xx;
        INSERT INTO {t} VALUES (3, named_struct('xx', 3, 'y', array()), 'l m')
    """,
    "typeWidening": """
        CREATE TABLE {t} (id SMALLINT, a ARRAY<INT>) USING delta TBLPROPERTIES ('delta.enableTypeWidening' = 'true');
        INSERT INTO {t} VALUES (1, array(1));
        ALTER TABLE {t} ALTER COLUMN id TYPE INT;
        INSERT INTO {t} VALUES (100000, array(2))
    """,
    "v2Checkpoint": """
        CREATE TABLE {t} (id INT) USING delta TBLPROPERTIES ('delta.checkpointPolicy' = 'v2', 'delta.checkpointInterval' = '1');
        INSERT INTO {t} VALUES (1);
        INSERT INTO {t} VALUES (2)
    """,
    "rowTracking": """
        CREATE TABLE {t} (id INT) USING delta TBLPROPERTIES ('delta.enableRowTracking' = 'true');
        INSERT INTO {t} VALUES (1), (2);
        UPDATE {t} SET id = 3 WHERE id = 2
    """,
    "checkConstraints": """
        CREATE TABLE {t} (id INT) USING delta;
        ALTER TABLE {t} ADD CONSTRAINT c CHECK (id > 0);
        INSERT INTO {t} VALUES (1);
        ALTER TABLE {t} DROP CONSTRAINT c
    """,
}


@pytest.mark.parametrize("theirs", [False, True], ids=["ours", "theirs"])
@pytest.mark.parametrize("feature", SCRIPTS)
def test_a_dropped_feature_is_gone(feature: str, theirs: bool, session: deltasql.Session, tmp_path: Path) -> None:
    path = tmp_path / "table"
    table = f"delta.`{path}`"
    texts = [text.strip().replace("{t}", table) for text in SCRIPTS[feature].split(";")]
    if theirs:
        oracle().run(*texts)
    else:
        for text in texts:
            session.sql(text)
    before = own_rows(session, f"SELECT * FROM {table}")
    version = session.log(table).snapshot().version
    session.sql(f"ALTER TABLE {table} DROP FEATURE {feature}")
    snapshot = session.log(table).snapshot()
    assert feature not in snapshot.protocol.features
    assert snapshot.protocol.min_reader_version == 1
    assert own_rows(session, f"SELECT * FROM {table}") == before
    assert own_rows(session, f"SELECT * FROM {table} VERSION AS OF {version}") == before
    assert delta_spark(path) == before
    assert delta_spark(path, version) == before
    if feature != "columnMapping":
        assert delta_rs(path) == before
    oracle().run(f"DELETE FROM {table} WHERE id = 1")
    assert len(own_rows(session, f"SELECT * FROM {table}")) == len(before) - 1


def test_ids_of_rows_outlive_column_mapping(session: deltasql.Session) -> None:
    for text in SCRIPTS["columnMapping"].replace("{t}", "t").split(";"):
        session.sql(text)
    ids = "SELECT id, _metadata.row_id, _metadata.row_commit_version FROM t"
    before = own_rows(session, ids)
    session.sql("ALTER TABLE t DROP FEATURE columnMapping")
    assert own_rows(session, ids) == before


def test_constraints_must_go_first(session: deltasql.Session) -> None:
    session.sql("CREATE TABLE t (id INT)")
    session.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (id > 0)")
    with pytest.raises(deltasql.DeltaSqlError) as caught:
        session.sql("ALTER TABLE t DROP FEATURE checkConstraints")
    assert caught.value.condition == "DELTA_CANNOT_DROP_CHECK_CONSTRAINT_FEATURE"
    assert "Names: c." in str(caught.value)
    assert session.log("t").snapshot().version == 1
