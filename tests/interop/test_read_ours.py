"""delta-spark, delta-rs and DuckDB read what we write, at every version."""

from __future__ import annotations

from pathlib import Path

import pytest
from oracle.client import oracle
from oracle.values import in_order

import deltasql
from deltasql.log.checkpoint_v2 import TopLevel, write_classic_copy
from deltasql.log.checkpoint_writer import write_checkpoint
from deltasql.log.compaction import write_compaction
from deltasql.log.history import shown
from deltasql.log.segment import list_log
from interop.readers import READERS, Rows, delta_rs, own_rows, readers_of

SCRIPTS = {
    "odd text as partitions": """
        CREATE TABLE t (a INT, p STRING) USING delta PARTITIONED BY (p);
        INSERT INTO t VALUES (1, ''), (2, NULL), (3, 'a b'), (4, 'a%b'), (5, 'a/b=c'), (6, 'üñï'), (7, ' '), (8, 'a:b#c?d');
        INSERT INTO t VALUES (10, '日本'), (11, '%20'), (12, 'x+y&z'), (13, '"q"'), (14, 'it''s'), (15, 'a\\\\b'), (16, '{}[]^~*|<>');
        UPDATE t SET p = concat(p, '!') WHERE a IN (3, 5, 8);
        DELETE FROM t WHERE p = '日本'
    """,
    "dates, times, numbers as partitions": """
        CREATE TABLE t (a INT, d DATE, s TIMESTAMP, n DECIMAL(12,4), b BOOLEAN, f DOUBLE, l BIGINT) USING delta PARTITIONED BY (d, s, n, b, f, l);
        INSERT INTO t VALUES (1, DATE'2024-02-29', TIMESTAMP'2024-02-29 23:59:59.123456', 12.3400, true, 1.5, -7), (2, NULL, NULL, NULL, NULL, NULL, NULL);
        INSERT INTO t VALUES (3, DATE'1969-12-31', TIMESTAMP'1969-12-31 00:00:00', 2.0001, false, -1e10, 9223372036854775807);
        MERGE INTO t USING (SELECT 3 AS a) s ON t.a = s.a WHEN MATCHED THEN UPDATE SET d = DATE'2000-01-01', n = 5
    """,
    "every type": """
        CREATE TABLE t (a BOOLEAN, b TINYINT, c SMALLINT, d INT, e BIGINT, f FLOAT, g DOUBLE, h DECIMAL(38,10), i STRING, j BINARY, k DATE, l TIMESTAMP) USING delta;
        INSERT INTO t VALUES (true, 1, 2, 3, 4, 1.5, 2.5, 1234567890.0123456789, 'x', X'00ff', DATE'0001-01-01', TIMESTAMP'9999-12-31 23:59:59.999999');
        INSERT INTO t VALUES (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
        INSERT INTO t VALUES (false, -128, -32768, -2147483648, -9223372036854775808, float('Infinity'), double('-Infinity'), -1, '', X'', DATE'1582-10-15', TIMESTAMP'1900-01-01 00:00:00')
    """,
    "nested types": """
        CREATE TABLE t (s STRUCT<x: INT, y: STRUCT<z: STRING, w: ARRAY<INT>>>, a ARRAY<STRUCT<q: INT, r: MAP<STRING, BIGINT>>>, m MAP<INT, ARRAY<STRING>>) USING delta;
        INSERT INTO t VALUES (named_struct('x', 1, 'y', named_struct('z', 'v', 'w', array(1, NULL))), array(named_struct('q', 1, 'r', map('k', 5L)), NULL), map(1, array('a', NULL)));
        INSERT INTO t VALUES (NULL, NULL, NULL), (named_struct('x', NULL, 'y', NULL), array(), map());
        UPDATE t SET s.y.z = 'changed' WHERE s.x = 1
    """,
    "checkpoints": """
        CREATE TABLE t (a INT, b STRING, p INT) USING delta PARTITIONED BY (p) TBLPROPERTIES ('delta.checkpointInterval' = '2');
        INSERT INTO t VALUES (1, 'x', 1), (2, 'y', 2);
        INSERT INTO t VALUES (3, 'z', 1);
        DELETE FROM t WHERE a = 1;
        UPDATE t SET b = 'u' WHERE p = 2;
        MERGE INTO t USING (SELECT 3 AS a, 'm' AS b, 1 AS p UNION ALL SELECT 9, 'n', 3) s ON t.a = s.a WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
        INSERT OVERWRITE t PARTITION (p = 3) SELECT 10, 'o';
        ALTER TABLE t ADD COLUMN c DOUBLE;
        INSERT INTO t VALUES (11, 'q', 4, 2.5)
    """,
    "partition columns in the files": """
        CREATE TABLE t (p STRING, k INT, s TIMESTAMP, n TIMESTAMP_NTZ) USING delta PARTITIONED BY (p, s, n) TBLPROPERTIES ('delta.feature.materializePartitionColumns' = 'supported');
        INSERT INTO t VALUES ('a/b', 1, TIMESTAMP'2024-01-01 10:00:00.5', TIMESTAMP_NTZ'2024-03-31 02:30:00.000001'), (NULL, 2, NULL, NULL);
        UPDATE t SET k = 3, p = 'ü' WHERE k = 1;
        MERGE INTO t USING (SELECT 2 AS k) s ON t.k = s.k WHEN MATCHED THEN UPDATE SET p = 'm' WHEN NOT MATCHED THEN INSERT (k) VALUES (s.k)
    """,
    "what Iceberg reads": """
        CREATE TABLE t (k INT, p DATE, s STRUCT<x: STRING>) USING delta PARTITIONED BY (p) TBLPROPERTIES ('delta.enableIcebergCompatV2' = 'true');
        INSERT INTO t VALUES (1, DATE'2024-01-01', named_struct('x', 'v')), (2, NULL, NULL);
        ALTER TABLE t RENAME COLUMN p TO q;
        UPDATE t SET k = 3 WHERE q IS NULL
    """,
    "types that widened": """
        CREATE TABLE t (k SMALLINT, f FLOAT, n DECIMAL(5,2), d DATE, a ARRAY<INT>, s STRUCT<x: TINYINT>, p TINYINT) USING delta PARTITIONED BY (p) TBLPROPERTIES ('delta.enableTypeWidening' = 'true', 'delta.feature.timestampNtz' = 'supported', 'delta.checkpointInterval' = '2');
        INSERT INTO t VALUES (1, 0.1, 1.25, DATE'2024-01-31', array(1, NULL), named_struct('x', 7), 1), (NULL, NULL, NULL, NULL, NULL, NULL, NULL);
        ALTER TABLE t ALTER COLUMN k TYPE DOUBLE, f TYPE DOUBLE, n TYPE DECIMAL(12,4), d TYPE TIMESTAMP_NTZ;
        ALTER TABLE t ALTER COLUMN a.element TYPE BIGINT, s.x TYPE INT, p TYPE INT;
        INSERT INTO t VALUES (2.5, 0.1D, 12345678.0001, TIMESTAMP_NTZ'2024-01-31 10:00:00', array(3000000000), named_struct('x', 70000), 70000);
        UPDATE t SET k = k + 1 WHERE k IS NOT NULL;
        DELETE FROM t WHERE k IS NULL
    """,
    "variants": """
        CREATE TABLE t (k INT, v VARIANT, s STRUCT<w: VARIANT>) USING delta TBLPROPERTIES ('delta.checkpointInterval' = '2');
        INSERT INTO t VALUES (1, parse_json('{"a": [1, null, 2.5]}'), named_struct('w', parse_json('"x"'))), (2, NULL, NULL);
        UPDATE t SET v = parse_json('[]') WHERE k = 2;
        ALTER TABLE t SET TBLPROPERTIES ('delta.enableVariantShredding' = 'true');
        INSERT INTO t SELECT id + 3, parse_json(concat('{"a": ', id, '}')), NULL FROM range(0, 5, 1, 1);
        DELETE FROM t WHERE try_variant_get(v, '$.a', 'int') = 2
    """,
    "statistics of other kinds in checkpoints": """
        CREATE TABLE t (s STRUCT<x: INT, d: DATE>, n DECIMAL(10,2), k TIMESTAMP, u STRING) USING delta TBLPROPERTIES ('delta.checkpointInterval' = '1', 'delta.checkpoint.writeStatsAsStruct' = 'true');
        INSERT INTO t VALUES (named_struct('x', 1, 'd', DATE'2024-01-01'), 1.25, TIMESTAMP'2024-01-01 00:00:00.000001', 'a very long text that is cut in statistics because it is long');
        INSERT INTO t VALUES (NULL, NULL, NULL, NULL)
    """,
    "statistics as structs only": """
        CREATE TABLE t (a INT, s STRUCT<x: DATE>, p INT) USING delta PARTITIONED BY (p) TBLPROPERTIES ('delta.checkpointInterval' = '1', 'delta.checkpoint.writeStatsAsJson' = 'false');
        INSERT INTO t VALUES (1, named_struct('x', DATE'2024-01-01'), 1), (2, NULL, NULL);
        DELETE FROM t WHERE a = 2
    """,
    "statistics as JSON only": """
        CREATE TABLE t (a INT, p INT) USING delta PARTITIONED BY (p) TBLPROPERTIES ('delta.checkpointInterval' = '1', 'delta.checkpoint.writeStatsAsStruct' = 'false');
        INSERT INTO t VALUES (1, 1), (2, NULL);
        DELETE FROM t WHERE a = 2
    """,
    "no statistics in checkpoints": """
        CREATE TABLE t (a INT, p INT) USING delta PARTITIONED BY (p) TBLPROPERTIES ('delta.checkpointInterval' = '1', 'delta.checkpoint.writeStatsAsStruct' = 'false', 'delta.checkpoint.writeStatsAsJson' = 'false');
        INSERT INTO t VALUES (1, 1), (2, NULL);
        DELETE FROM t WHERE a = 2
    """,
    "timestamps in commits": """
        CREATE TABLE t (a INT) USING delta TBLPROPERTIES ('delta.checkpointInterval' = '2');
        INSERT INTO t VALUES (1);
        ALTER TABLE t SET TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'true');
        INSERT INTO t VALUES (2);
        CREATE OR REPLACE TABLE t (b STRING) USING delta;
        INSERT INTO t VALUES ('x')
    """,
    "V2 checkpoints": """
        CREATE TABLE t (a INT, b STRING, p INT) USING delta PARTITIONED BY (p) TBLPROPERTIES ('delta.checkpointPolicy' = 'v2', 'delta.checkpointInterval' = '2');
        INSERT INTO t VALUES (1, 'x', 1), (2, 'y', 2);
        INSERT INTO t VALUES (3, 'z', 1);
        DELETE FROM t WHERE a = 1;
        UPDATE t SET b = 'u' WHERE p = 2;
        ALTER TABLE t SET TBLPROPERTIES ('delta.checkpointPolicy' = 'classic');
        INSERT INTO t VALUES (5, 'z', 1);
        ALTER TABLE t SET TBLPROPERTIES ('delta.checkpointPolicy' = 'v2');
        INSERT INTO t VALUES (7, 'q', 4)
    """,
    "columns that came later": """
        CREATE TABLE t (a INT, s STRUCT<x: INT>) USING delta;
        INSERT INTO t VALUES (1, named_struct('x', 1));
        ALTER TABLE t ADD COLUMNS (b STRING FIRST, s.y STRING FIRST);
        INSERT INTO t VALUES ('x', 2, named_struct('y', 'v', 'x', 2));
        SET spark.databricks.delta.schema.autoMerge.enabled = true;
        MERGE INTO t USING (SELECT 1 AS a, 'n' AS new, named_struct('x', 5, 'z', 6) AS s) q ON t.a = q.a WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *
    """,
    "replaced": """
        CREATE TABLE t (a INT) USING delta;
        INSERT INTO t VALUES (1);
        CREATE OR REPLACE TABLE t (b STRING, p DATE) USING delta PARTITIONED BY (p);
        INSERT INTO t VALUES ('x', DATE'2024-01-01');
        REPLACE TABLE t USING delta AS SELECT 1.5D AS c
    """,
    "quoted names": """
        CREATE TABLE t (`größe` INT, `a.b` INT, `select` STRING) USING delta PARTITIONED BY (`a.b`);
        INSERT INTO t VALUES (1, 2, 'x');
        UPDATE t SET `select` = 'y' WHERE `a.b` = 2
    """,
    "deletion vectors": """
        CREATE TABLE t (id INT, v STRING, p INT) USING delta PARTITIONED BY (p) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true', 'delta.checkpointInterval' = '3');
        INSERT INTO t SELECT cast(id AS INT), 'v' || id, cast(id % 2 AS INT) FROM range(40);
        DELETE FROM t WHERE id IN (3, 4, 15);
        UPDATE t SET v = 'u', p = 7 WHERE id % 10 = 1;
        MERGE INTO t USING (SELECT 2 AS id, 'm' AS v, 0 AS p UNION ALL SELECT 99, 'n', 3 UNION ALL SELECT 5, 'd', 1) s ON t.id = s.id WHEN MATCHED AND s.v = 'd' THEN DELETE WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
        DELETE FROM t WHERE id < 10;
        UPDATE t SET v = 'again' WHERE id > 30
    """,
    "emptied": """
        CREATE TABLE t (a INT) USING delta;
        INSERT INTO t VALUES (1);
        DELETE FROM t;
        INSERT INTO t SELECT 1 WHERE false
    """,
    "files arranged anew": """
        CREATE TABLE t (a INT, b STRING, s STRUCT<x: INT>, p DATE, v VOID) USING delta PARTITIONED BY (p) TBLPROPERTIES ('delta.checkpointInterval' = '3');
        INSERT INTO t (a, b, s, p) VALUES (1, 'x', named_struct('x', 1), DATE'2024-01-01'), (2, NULL, NULL, NULL);
        INSERT INTO t (a, b, s, p) VALUES (3, 'y', named_struct('x', NULL), DATE'2024-01-01'), (4, '', NULL, NULL);
        OPTIMIZE t;
        UPDATE t SET b = 'u' WHERE a = 3;
        OPTIMIZE t ZORDER BY (a, s.x);
        MERGE INTO t USING (SELECT 4 AS a, 'm' AS b) s ON t.a = s.a WHEN MATCHED THEN UPDATE SET b = s.b;
        DELETE FROM t WHERE a = 1
    """,
    "times without a zone": """
        CREATE TABLE t (a TIMESTAMP_NTZ) USING delta;
        INSERT INTO t VALUES (TIMESTAMP_NTZ'2024-03-31 02:30:00.5'), (NULL)
    """,
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_others_read_every_version(name: str, session: deltasql.session.Session) -> None:
    for result in session.run(SCRIPTS[name]):
        result.collect()
    log = session.log("t")
    path = Path(log.location)
    for version in range(log.snapshot().version + 1):
        expected = own_rows(session, f"SELECT * FROM t VERSION AS OF {version}")
        for reader, read in readers_of(path).items():
            assert read(path, version) == expected, f"{reader}, version {version}"


@pytest.mark.parametrize("name", ["a[x]b", "a{b,c}d", "a*b?", "back\\slash", "pl ain%41+ü#~"])
def test_a_place_may_have_any_name(name: str, session: deltasql.session.Session, tmp_path: Path) -> None:
    """Spark takes a path for a pattern; ours are none."""
    path = tmp_path / name / "t"
    session.sql(f"CREATE TABLE delta.`{path}` (a INT, p STRING) USING delta PARTITIONED BY (p)")
    session.sql(f"INSERT INTO delta.`{path}` VALUES (1, 'x'), (2, NULL), (3, '{{}}[]*')")
    session.sql(f"UPDATE delta.`{path}` SET a = 7 WHERE a = 3")
    session.sql(f"MERGE INTO delta.`{path}` t USING (SELECT 1 AS a) s ON t.a = s.a WHEN MATCHED THEN DELETE")
    assert own_rows(session, f"SELECT * FROM delta.`{path}`") == [[2, None], [7, "{}[]*"]]


def test_others_write_into_what_we_write(session: deltasql.session.Session) -> None:
    """A table that goes from hand to hand: ours, delta-spark's, delta-rs's, ours."""
    for result in session.run(SCRIPTS["checkpoints"]):
        result.collect()
    path = Path(session.log("t").location)
    oracle().run(
        f"INSERT INTO delta.`{path}` VALUES (20, 'spark', 5, NULL)",
        f"UPDATE delta.`{path}` SET b = 'spark' WHERE a = 10",
        f"DELETE FROM delta.`{path}` WHERE a = 11",
    )
    assert own_rows(session, "SELECT * FROM t") == delta_rs(path)
    session.sql("UPDATE t SET c = a WHERE b = 'spark'")
    expected = own_rows(session, "SELECT * FROM t")
    for reader, read in READERS.items():
        assert read(path, None) == expected, reader


V2 = """
    CREATE TABLE t (a INT, p STRING) USING delta PARTITIONED BY (p) TBLPROPERTIES ('delta.checkpointPolicy' = 'v2');
    INSERT INTO t VALUES (1, 'x'), (2, 'a b');
    INSERT INTO t VALUES (3, NULL);
    DELETE FROM t WHERE a = 1
"""


@pytest.mark.parametrize("top_level", ["json", "parquet"])
def test_others_read_a_v2_checkpoint_alone(top_level: TopLevel, session: deltasql.session.Session) -> None:
    """No commit is left that could stand in for it. Then the copy with a classic name, which old readers look for."""
    for result in session.run(V2):
        result.collect()
    log = session.log("t")
    path = Path(log.location)
    expected = own_rows(session, "SELECT * FROM t")
    write_checkpoint(log.store, log.snapshot(), top_level)
    for version in range(log.snapshot().version):
        (path / "_delta_log" / f"{version:020d}.json").unlink()
    assert _read_by_all(path) == dict.fromkeys(READERS, expected)
    (files,) = list_log(log.store, full=True).checkpoints
    write_classic_copy(log.store, "t", files)
    (path / files.paths[0]).unlink()
    copied = path.rename(path.with_name("copied"))
    assert _read_by_all(copied) == dict.fromkeys(READERS, expected)
    oracle().run(f"INSERT INTO delta.`{copied}` VALUES (9, 'spark')")
    assert own_rows(session, f"SELECT * FROM delta.`{copied}`") == delta_rs(copied)


def _read_by_all(path: Path) -> dict[str, Rows]:
    return {reader: read(path, None) for reader, read in READERS.items()}


def test_a_log_with_timestamps_goes_from_hand_to_hand(session: deltasql.session.Session) -> None:
    """Enabled by us, committed to by delta-spark and by us: each counts on from the other, and both travel in time."""
    session.sql("CREATE TABLE t (a INT) USING delta")
    session.sql("INSERT INTO t VALUES (1)")
    session.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'true')")
    path = session.log("t").location
    for number in (2, 3):
        oracle().run(f"INSERT INTO delta.`{path}` VALUES ({number * 10})")
        session.sql(f"INSERT INTO t VALUES ({number})")
    times = [entry.timestamp_ms for entry in session.log("t").history()]
    assert times == sorted(set(times), reverse=True)
    for version, time in enumerate(reversed(times)):
        moment = f"'{shown(time * 1000)}'"
        expected = own_rows(session, f"SELECT * FROM t VERSION AS OF {version}")
        assert own_rows(session, f"SELECT * FROM t TIMESTAMP AS OF {moment}") == expected
        theirs = oracle().run(f"SELECT * FROM delta.`{path}` TIMESTAMP AS OF {moment}")[0]["rows"]
        assert in_order(theirs) == expected, version


def test_a_compacted_file_is_read_in_place_of_its_commits(session: deltasql.session.Session) -> None:
    """By us and by delta-spark: the commits lose their file actions, so that only the compacted file has all rows."""
    session.sql("CREATE TABLE t (a INT, p STRING) USING delta PARTITIONED BY (p)")
    for number in range(1, 6):
        session.sql(f"INSERT INTO t VALUES ({number}, 'p {number % 2}')")
    session.sql("DELETE FROM t WHERE a = 2")
    expected = own_rows(session, "SELECT * FROM t")
    log = session.log("t")
    folder = Path(log.location, "_delta_log")
    assert write_compaction(log.store, "t", 1, 6)
    assert _read_by_all(Path(log.location)) == dict.fromkeys(READERS, expected)
    for version in range(1, 7):
        commit = folder / f"{version:020d}.json"
        commit.write_text(commit.read_text().splitlines()[0] + "\n")
        (folder / f"{version:020d}.crc").unlink()
    emptied = Path(log.location).rename(Path(log.location).with_name("emptied"))
    assert own_rows(session, f"SELECT * FROM delta.`{emptied}`") == expected
    assert READERS["delta-spark"](emptied, None) == expected
