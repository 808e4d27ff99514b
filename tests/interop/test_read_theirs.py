"""We read what delta-spark and delta-rs write, write into it, and they still read it."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

import deltasql
from deltasql.base.errors import NotOnSailError
from deltasql.base.errors.base import DeltaSqlError
from deltasql.log.replay.snapshot import timestamp_text
from tests.interop.readers import READERS, delta_rs, delta_spark, own_rows, versions_of_delta_spark
from tests.oracle.client import oracle

PLAIN = {
    "every type": (
        "CREATE TABLE {t} (k INT, a BOOLEAN, b TINYINT, c SMALLINT, e BIGINT, f FLOAT, g DOUBLE, h DECIMAL(38,10), i STRING, j BINARY, d DATE, s TIMESTAMP) USING delta",
        "INSERT INTO {t} VALUES (1, true, 1, 2, 4, 1.5, 2.5, 1234567890.0123456789, 'x', X'00ff', DATE'0001-01-01', TIMESTAMP'9999-12-31 23:59:59.999999')",
        "INSERT INTO {t} (k) VALUES (2)",
    ),
    "nested types": (
        "CREATE TABLE {t} (k INT, s STRUCT<x: INT, y: STRUCT<z: STRING>>, a ARRAY<STRUCT<q: INT>>, m MAP<STRING, ARRAY<INT>>) USING delta",
        "INSERT INTO {t} VALUES (1, named_struct('x', 1, 'y', named_struct('z', 'v')), array(named_struct('q', 1), NULL), map('k', array(1, NULL)))",
        "INSERT INTO {t} (k) VALUES (2)",
    ),
    "partitions": (
        "CREATE TABLE {t} (k INT, p STRING, d DATE, s TIMESTAMP, n DECIMAL(6,2)) USING delta PARTITIONED BY (p, d, s, n)",
        "INSERT INTO {t} VALUES (1, 'a b', DATE'2024-01-01', TIMESTAMP'2024-01-01 10:00:00.123', 1.5), (2, '', NULL, NULL, NULL), (3, 'ü/=%:', DATE'2024-01-02', TIMESTAMP'2024-01-01 10:00:00', 2)",
        "DELETE FROM {t} WHERE k = 1",
    ),
    "checkpoints": (
        "CREATE TABLE {t} (k INT, v STRING, p INT) USING delta PARTITIONED BY (p) TBLPROPERTIES ('delta.checkpointInterval' = '2')",
        "INSERT INTO {t} VALUES (1, 'x', 1), (2, 'y', 2)",
        "INSERT INTO {t} VALUES (3, 'z', 1)",
        "UPDATE {t} SET v = 'u' WHERE k = 1",
        "DELETE FROM {t} WHERE k = 2",
        "MERGE INTO {t} t USING (SELECT 3 AS k, 'm' AS v, 4 AS p) s ON t.k = s.k WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
    ),
    "statistics of checkpoints as structs only": (
        "CREATE TABLE {t} (k INT, v STRING) USING delta TBLPROPERTIES ('delta.checkpointInterval' = '1', 'delta.checkpoint.writeStatsAsJson' = 'false', 'delta.checkpoint.writeStatsAsStruct' = 'true')",
        "INSERT INTO {t} VALUES (1, 'x'), (2, 'y')",
        "INSERT INTO {t} VALUES (10, 'xx')",
    ),
    "NOT NULL and later columns": (
        "CREATE TABLE {t} (k INT NOT NULL, s STRUCT<x: INT>) USING delta",
        "INSERT INTO {t} VALUES (1, named_struct('x', 1))",
        "ALTER TABLE {t} ADD COLUMNS (s.y STRING, b INT)",
        "INSERT INTO {t} VALUES (2, named_struct('x', 1, 'y', 'v'), 3)",
    ),
}


@pytest.mark.parametrize("name", PLAIN)
def test_tables_of_delta_spark(name: str, session: deltasql.Session, tmp_path: Path) -> None:
    path = tmp_path / "theirs"
    table = f"delta.`{path}`"
    oracle().run(*(text.replace("{t}", table) for text in PLAIN[name]))
    versions = range(DeltaTable(str(path)).version() + 1)
    for version, theirs in zip(versions, versions_of_delta_spark(path, versions), strict=True):
        assert own_rows(session, f"SELECT * FROM {table} VERSION AS OF {version}") == theirs, version
    _write_into(session, path)


def _write_into(session: deltasql.Session, path: Path) -> None:
    """Every kind of change by us; then all read the same."""
    table = f"delta.`{path}`"
    session.sql(f"INSERT INTO {table} (k) VALUES (100), (101)")
    session.sql(f"MERGE INTO {table} t USING (SELECT 100 AS k) s ON t.k = s.k WHEN MATCHED THEN DELETE")
    session.sql(
        f"MERGE INTO {table} t USING (SELECT * FROM {table} WHERE k < 100) s ON t.k = s.k "
        "WHEN MATCHED THEN UPDATE SET k = s.k + 1000 WHEN NOT MATCHED BY SOURCE THEN UPDATE SET k = -1"
    )
    session.sql(f"UPDATE {table} SET k = k + 1 WHERE k > 1001")
    expected = own_rows(session, f"SELECT * FROM {table}")
    assert len(expected) > 1
    for reader, read in READERS.items():
        assert read(path, None) == expected, reader


def test_a_check_constraint_of_delta_spark_holds(session: deltasql.Session, tmp_path: Path) -> None:
    path = tmp_path / "theirs"
    table = f"delta.`{path}`"
    oracle().run(
        f"CREATE TABLE {table} (k INT, v STRING) USING delta",
        f"ALTER TABLE {table} ADD CONSTRAINT small CHECK (k < 1000 AND v IS NOT NULL)",
        f"INSERT INTO {table} VALUES (1, 'x')",
    )
    for wrong in (
        f"INSERT INTO {table} VALUES (2000, 'x')",
        f"INSERT INTO {table} VALUES (1, NULL)",
        f"UPDATE {table} SET v = NULL",
        f"MERGE INTO {table} t USING (SELECT 1 AS k) s ON t.k = s.k WHEN MATCHED THEN UPDATE SET k = 5000",
    ):
        with pytest.raises(DeltaSqlError) as caught:
            session.sql(wrong)
        assert caught.value.condition == "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES"
    session.sql(f"INSERT INTO {table} VALUES (2, 'y')")
    assert delta_spark(path) == [[1, "x"], [2, "y"]] == delta_rs(path)


def test_an_append_only_table_of_delta_spark(session: deltasql.Session, tmp_path: Path) -> None:
    path = tmp_path / "theirs"
    table = f"delta.`{path}`"
    oracle().run(f"CREATE TABLE {table} (k INT) USING delta TBLPROPERTIES ('delta.appendOnly' = 'true')")
    session.sql(f"INSERT INTO {table} VALUES (1)")
    with pytest.raises(DeltaSqlError) as caught:
        session.sql(f"DELETE FROM {table}")
    assert caught.value.condition == "DELTA_CANNOT_MODIFY_APPEND_ONLY"
    assert delta_spark(path) == [[1]]


def test_timestamps_that_delta_spark_enabled(session: deltasql.Session, tmp_path: Path) -> None:
    """We count on from its times, and find its versions by them."""
    path = tmp_path / "theirs"
    table = f"delta.`{path}`"
    oracle().run(
        f"CREATE TABLE {table} (k INT) USING delta",
        f"INSERT INTO {table} VALUES (1)",
        f"ALTER TABLE {table} SET TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'true')",
        f"INSERT INTO {table} VALUES (2)",
    )
    session.sql(f"INSERT INTO {table} VALUES (3)")
    oracle().run(f"INSERT INTO {table} VALUES (4)")
    times = [entry.timestamp_ms for entry in session.log(table).history()]
    assert times == sorted(set(times), reverse=True)
    assert delta_spark(path) == [[1], [2], [3], [4]]
    theirs = versions_of_delta_spark(path, range(len(times)))
    for time, rows in zip(reversed(times), theirs, strict=True):
        moment = f"'{timestamp_text(time * 1000)}'"
        assert own_rows(session, f"SELECT * FROM {table} TIMESTAMP AS OF {moment}") == rows


FEATURES = {
    "deletionVectors": (
        "CREATE TABLE {t} (k INT, v STRING) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')",
        "INSERT INTO {t} SELECT id, 'x' FROM range(0, 20, 1, 1)",
        "DELETE FROM {t} WHERE k = 3",
    ),
    "columnMapping": (
        "CREATE TABLE {t} (k INT, v STRING, w STRING) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name')",
        "INSERT INTO {t} VALUES (1, 'x', 'y')",
        "ALTER TABLE {t} RENAME COLUMN v TO u",
        "ALTER TABLE {t} DROP COLUMN w",
    ),
    "typeWidening": (
        "CREATE TABLE {t} (k SMALLINT) USING delta TBLPROPERTIES ('delta.enableTypeWidening' = 'true')",
        "INSERT INTO {t} VALUES (1)",
        "ALTER TABLE {t} ALTER COLUMN k TYPE INT",
        "INSERT INTO {t} VALUES (100000)",
    ),
    "v2Checkpoint": (
        "CREATE TABLE {t} (k INT) USING delta TBLPROPERTIES ('delta.checkpointPolicy' = 'v2', 'delta.checkpointInterval' = '1')",
        "INSERT INTO {t} VALUES (1)",
        "INSERT INTO {t} VALUES (2)",
    ),
    "generatedColumns": (
        "CREATE TABLE {t} (k INT, g INT GENERATED ALWAYS AS (k * 2)) USING delta",
        "INSERT INTO {t} (k) VALUES (1)",
    ),
    "identityColumns": (
        "CREATE TABLE {t} (k INT, i BIGINT GENERATED ALWAYS AS IDENTITY) USING delta",
        "INSERT INTO {t} (k) VALUES (1)",
    ),
    "allowColumnDefaults": (
        "CREATE TABLE {t} (k INT, d INT DEFAULT 7) USING delta TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')",
        "INSERT INTO {t} (k) VALUES (1)",
    ),
    "changeDataFeed": (
        "CREATE TABLE {t} (k INT) USING delta TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')",
        "INSERT INTO {t} VALUES (1)",
    ),
    "rowTracking": (
        "CREATE TABLE {t} (k INT) USING delta TBLPROPERTIES ('delta.enableRowTracking' = 'true')",
        "INSERT INTO {t} VALUES (1)",
    ),
    "clustering": ("CREATE TABLE {t} (k INT) USING delta CLUSTER BY (k)", "INSERT INTO {t} VALUES (1)"),
    "inCommitTimestamp": (
        "CREATE TABLE {t} (k INT) USING delta TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'true')",
        "INSERT INTO {t} VALUES (1)",
    ),
    "checkpointProtection": (
        "CREATE TABLE {t} (k INT) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')",
        "INSERT INTO {t} VALUES (1), (2)",
        "DELETE FROM {t} WHERE k = 2",
        "ALTER TABLE {t} DROP FEATURE deletionVectors",
    ),
    "variantType": (
        "CREATE TABLE {t} (k INT, v VARIANT) USING delta",
        "INSERT INTO {t} VALUES (1, parse_json('{\"a\": [1, null]}')), (2, NULL)",
    ),
    "variantShredding": (
        "CREATE TABLE {t} (k INT, v VARIANT) USING delta TBLPROPERTIES ('delta.enableVariantShredding' = 'true')",
        "INSERT INTO {t} SELECT id, parse_json(concat('{\"a\": ', id, '}')) FROM range(0, 9, 1, 1)",
        "UPDATE {t} SET v = parse_json('\"x\"') WHERE k = 3",
    ),
    "typeWidening-preview": (
        "CREATE TABLE {t} (k SMALLINT, a ARRAY<INT>) USING delta TBLPROPERTIES "
        "('delta.feature.typeWidening-preview' = 'supported', 'delta.enableTypeWidening' = 'true')",
        "INSERT INTO {t} VALUES (1, array(2))",
        "ALTER TABLE {t} ALTER COLUMN k TYPE INT",
        "ALTER TABLE {t} ALTER COLUMN a.element TYPE BIGINT",
        "INSERT INTO {t} VALUES (100000, array(3000000000))",
    ),
    "icebergCompatV1": (
        "CREATE TABLE {t} (k INT, p STRING) USING delta PARTITIONED BY (p) TBLPROPERTIES "
        "('delta.enableIcebergCompatV1' = 'true', 'delta.columnMapping.mode' = 'id')",
        "INSERT INTO {t} VALUES (1, 'x'), (2, NULL)",
    ),
    "icebergCompatV2": (
        "CREATE TABLE {t} (k INT, p STRING) USING delta PARTITIONED BY (p) TBLPROPERTIES "
        "('delta.enableIcebergCompatV2' = 'true')",
        "INSERT INTO {t} VALUES (1, 'x'), (2, NULL)",
    ),
    "timestampNtz": (
        "CREATE TABLE {t} (k INT, n TIMESTAMP_NTZ) USING delta",
        "INSERT INTO {t} VALUES (1, TIMESTAMP_NTZ'2024-01-01 02:30:00')",
    ),
    "materializePartitionColumns": (
        "CREATE TABLE {t} (k INT, p INT) USING delta PARTITIONED BY (p) TBLPROPERTIES ('delta.feature.materializePartitionColumns' = 'supported')",
        "INSERT INTO {t} VALUES (1, 1)",
    ),
}


@pytest.mark.parametrize("feature", FEATURES)
def test_a_feature_is_obeyed_or_refused_by_name(feature: str, session: deltasql.Session, tmp_path: Path) -> None:
    path = tmp_path / "theirs"
    table = f"delta.`{path}`"
    oracle().run(*(text.replace("{t}", table) for text in FEATURES[feature]))
    before = delta_spark(path)
    try:
        found = own_rows(session, f"SELECT * FROM {table}")
    except NotOnSailError:
        raise
    except DeltaSqlError as error:
        assert error.condition == "DELTA_UNSUPPORTED_FEATURES_FOR_READ"
        assert feature in str(error)
    else:
        assert found == before
    # The log is in reach either way.
    assert session.sql(f"DESCRIBE HISTORY {table}").count() >= 2
    try:
        session.sql(f"INSERT INTO {table} (k) VALUES (50)")
        session.sql(f"UPDATE {table} SET k = 51 WHERE k = 50")
    except DeltaSqlError as error:
        assert error.condition in {"DELTA_UNSUPPORTED_FEATURES_FOR_WRITE", "DELTA_UNSUPPORTED_FEATURES_FOR_READ"}
        assert feature in str(error)
        assert delta_spark(path) == before
    else:
        after = delta_spark(path)
        assert len(after) == len(before) + 1
        assert own_rows(session, f"SELECT * FROM {table}") == after


def _batch(first: int) -> pa.Table:
    return pa.table(
        {
            "k": pa.array([first, first + 1], pa.int32()),
            "v": pa.array(["x y", None]),
            "d": pa.array([dt.date(2024, 1, 1), None]),
            "s": pa.array([dt.datetime(2024, 1, 1, 1, 2, 3, 4, dt.timezone.utc), None], pa.timestamp("us", "UTC")),
            "n": pa.array([Decimal("1.50"), None], pa.decimal128(8, 2)),
            "st": pa.array([{"x": 1, "y": ["a"]}, None], pa.struct([("x", pa.int64()), ("y", pa.list_(pa.string()))])),
            "p": pa.array(["a/b %", None]),
        }
    )


@pytest.mark.parametrize("partitions", [None, ["p"], ["p", "d"], ["s", "n"]])
def test_tables_of_delta_rs(partitions: list[str] | None, session: deltasql.Session, tmp_path: Path) -> None:
    path = tmp_path / "theirs"
    table = f"delta.`{path}`"
    write_deltalake(str(path), _batch(1), partition_by=partitions)
    write_deltalake(str(path), _batch(11), mode="append")
    opened = DeltaTable(str(path))
    opened.create_checkpoint()
    opened.delete("k = 2")
    opened.update(updates={"v": "'changed'"}, predicate="k = 11")
    (
        opened.merge(_batch(12), "t.k = s.k", source_alias="s", target_alias="t")
        .when_matched_update_all()
        .when_not_matched_insert_all()
        .execute()
    )
    opened.optimize.compact()
    for version in range(opened.version() + 1):
        query = f"SELECT * FROM {table} VERSION AS OF {version}"
        assert own_rows(session, query) == delta_rs(path, version), version
    _write_into(session, path)


def test_a_checkpoint_of_ours_in_a_table_of_delta_rs(session: deltasql.Session, tmp_path: Path) -> None:
    path = tmp_path / "theirs"
    table = f"delta.`{path}`"
    write_deltalake(str(path), _batch(1), configuration={"delta.checkpointInterval": "2"})
    for first in (10, 20, 30):
        session.sql(f"INSERT INTO {table} (k) VALUES ({first})")
    assert any((path / "_delta_log").glob("*.checkpoint.parquet"))
    write_deltalake(str(path), _batch(41), mode="append")
    expected = own_rows(session, f"SELECT * FROM {table}")
    for reader, read in READERS.items():
        assert read(path, None) == expected, reader
