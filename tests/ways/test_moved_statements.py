"""Statements of each family, with the files moved by executors and by the driver."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from deltasql import Session
from tests.ways.compare import CDF, MAPPED, TRACKED, VECTORS, Both

pytestmark = pytest.mark.spark


class Case(NamedTuple):
    """Statements; `log`: the table whose log is compared."""

    statements: tuple[str, ...]
    log: str | None = "t"


EVERY = (
    "INSERT INTO t SELECT id, concat('n', id), id % 3, named_struct('x', id, 'y', array(id, NULL)) "
    "FROM range(0, 10, 1, 1)"
)


def changes(*properties: str) -> tuple[str, ...]:
    """Every way to change rows, on a table with some properties."""
    told = f" TBLPROPERTIES ({', '.join(properties)})" if properties else ""
    source = (
        "(SELECT * FROM VALUES (1, 'one', 1), (2, 'two', 2), (20, 'new', NULL), (21, NULL, 0) AS v(id, name, p)) s "
        "ON t.id = s.id"
    )
    return (
        f"CREATE TABLE t (id BIGINT, name STRING, p BIGINT, s STRUCT<x: BIGINT, y: ARRAY<BIGINT>>){told}",
        EVERY,
        "UPDATE t SET name = upper(name), s.x = s.x + 1 WHERE id % 4 = 1",
        "DELETE FROM t WHERE id = 3 OR s.x IN (SELECT max(s.x) FROM t)",
        f"MERGE INTO t USING {source} WHEN MATCHED AND s.id = 1 THEN DELETE WHEN MATCHED THEN UPDATE SET name = s.name "
        "WHEN NOT MATCHED AND s.name IS NULL THEN INSERT (id, p) VALUES (s.id, s.p) "
        "WHEN NOT MATCHED THEN INSERT (id, name, p) VALUES (s.id, s.name, s.p) "
        "WHEN NOT MATCHED BY SOURCE AND t.p = 2 THEN DELETE "
        "WHEN NOT MATCHED BY SOURCE THEN UPDATE SET name = concat(t.name, '!')",
        "SELECT * FROM t",
        f"MERGE INTO t USING {source} AND t.id < 0 WHEN NOT MATCHED BY SOURCE AND t.id = 4 THEN DELETE",
        "INSERT INTO t REPLACE WHERE p = 0 SELECT 100, 'r', 0, NULL",
        "SELECT *, s.x, s.y[0] FROM t",
        "SELECT count(*), sum(id), max(name) FROM t VERSION AS OF 2",
        "OPTIMIZE t",
        "DELETE FROM t",
        "SELECT * FROM t",
    )


TYPES = {
    "a": "BOOLEAN",
    "b": "TINYINT",
    "c": "SMALLINT",
    "d": "INT",
    "e": "BIGINT",
    "f": "FLOAT",
    "g": "DOUBLE",
    "h": "DECIMAL(9,2)",
    "i": "DECIMAL(18,0)",
    "j": "DECIMAL(38,20)",
    "k": "STRING",
    "l": "BINARY",
    "m": "DATE",
    "n": "TIMESTAMP",
    "o": "TIMESTAMP_NTZ",
}
VALUES = (
    "(true, 127Y, -32768S, 2147483647, -9223372036854775808L, float('1.1'), 1e300, 1234567.89, 123456789012345678, "
    "'123456789012345678.12345678901234567891', 'aü😀', X'00FF', DATE'9999-12-31', "
    "TIMESTAMP'9999-12-31 23:59:59.999999Z', TIMESTAMP_NTZ'0001-01-01 00:00:00')",
    "(false, -128Y, 32767S, -2147483648, 9223372036854775807L, float('-0.0'), double('-Infinity'), -0.01, 0, "
    "'-0.00000000000000000001', '', X'', DATE'0001-01-01', TIMESTAMP'1582-10-04 00:00:00Z', "
    "TIMESTAMP_NTZ'1969-12-31 23:59:59.999999')",
    "(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
)
ALL = ", ".join(f"{name} {kind}" for name, kind in TYPES.items())
NTZ = "TBLPROPERTIES ('delta.feature.timestampNtz' = 'supported')"

CASES = {
    "copy on write": Case(changes()),
    "deletion vectors": Case(changes(VECTORS)),
    "change feed with vectors": Case(
        (*changes(CDF, VECTORS), "SELECT * EXCEPT (_commit_timestamp) FROM table_changes('t', 1)")
    ),
    "column mapping": Case(
        (
            *changes(MAPPED, CDF)[:-3],
            "ALTER TABLE t RENAME COLUMN s.x TO `x x`",
            "ALTER TABLE t ADD COLUMNS (s.z STRING, `new,col` MAP<STRING, STRUCT<u: INT>>)",
            "INSERT INTO t SELECT 7, 'z', 1, named_struct('x x', 1L, 'y', NULL, 'z', 'z'), map('k', "
            "named_struct('u', 1))",
            "UPDATE t SET s.z = 'set', `new,col` = map('a', NULL) WHERE id > 5",
            "ALTER TABLE t DROP COLUMN s.y",
            "SELECT * FROM t",
            "REORG TABLE t APPLY (PURGE)",
            "SELECT *, s.`x x` FROM t",
        )
    ),
    "column mapping by id": Case(
        (
            "CREATE TABLE t (a INT, s STRUCT<b: INT, c: ARRAY<STRUCT<d: INT>>>) "
            "TBLPROPERTIES ('delta.columnMapping.mode' = 'id')",
            "INSERT INTO t SELECT id, named_struct('b', id, 'c', array(named_struct('d', id), NULL)) FROM "
            "range(0, 3, 1, 1)",
            "UPDATE t SET s.b = 5 WHERE a = 1",
            "SELECT * FROM t",
        )
    ),
    "row tracking": Case(
        (
            *changes(TRACKED)[:-2],
            "SELECT id, _metadata.row_id IS NULL, _metadata.row_commit_version FROM t",
            "MERGE INTO t USING (SELECT 5 AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = 'm'",
            "SELECT id, name, _metadata.row_id IS NULL, _metadata.row_commit_version FROM t",
        )
    ),
    "row ids with vectors": Case(
        (
            f"CREATE TABLE t (id INT) TBLPROPERTIES ({TRACKED}, {VECTORS})",
            "INSERT INTO t SELECT id FROM range(0, 6, 1, 1)",
            "DELETE FROM t WHERE id = 2",
            "UPDATE t SET id = 30 WHERE id = 3",
            "SELECT id, _metadata.row_id, _metadata.row_commit_version, _metadata.row_index FROM t",
            "OPTIMIZE t",
            "SELECT id, _metadata.row_id, _metadata.row_commit_version FROM t",
        )
    ),
    "all types": Case(
        (
            f"CREATE TABLE t ({ALL}) {NTZ}",
            f"INSERT INTO t SELECT /*+ COALESCE(1) */ * FROM VALUES {', '.join(VALUES)}",
            "SELECT * FROM t",
            f"CREATE TABLE c {NTZ} AS SELECT *, array(struct(*)) AS many, map(1, struct(*)) AS mapped FROM t",
            "SELECT * FROM c",
            "UPDATE c SET many = array_append(many, NULL)",
            "SELECT * FROM c",
            "SELECT m, n, o FROM t WHERE n < TIMESTAMP'2000-01-01' OR m > DATE'2000-01-01'",
        ),
        "c",
    ),
    "partitions of every type": Case(
        (
            f"CREATE TABLE t (v INT, {ALL}) PARTITIONED BY ({', '.join(sorted(TYPES.keys() - {'l'}))}) {NTZ}",
            f"INSERT INTO t SELECT row_number() OVER (ORDER BY d), * FROM VALUES {', '.join(VALUES)} AS v("
            f"{', '.join(TYPES)})",
            f"INSERT INTO t SELECT row_number() OVER (ORDER BY d) + 3, * FROM VALUES {', '.join(VALUES)} AS v("
            f"{', '.join(TYPES)})",
            "SELECT * FROM t",
            "UPDATE t SET v = v + 1 WHERE d > 0 OR d IS NULL",
            "DELETE FROM t WHERE o < TIMESTAMP_NTZ'1900-01-01 00:00:00'",
            "SELECT * FROM t",
        )
    ),
    "odd texts as partitions": Case(
        (
            f"CREATE TABLE t (id INT, p STRING, `q=/ %` STRING) PARTITIONED BY (p, `q=/ %`) TBLPROPERTIES ({CDF}, "
            f"{MAPPED})",
            "INSERT INTO t SELECT id, element_at(array(NULL, '', ' ', 'a/b', '%41', 'x=y', 'ü😀', "
            "'__HIVE_DEFAULT_PARTITION__', "
            "'\"#*:?{[]}^\\\\', '\\u0001\\n', '.', '..', 'null', 'a+b c'), CAST(id + 1 AS INT)), 'q' || id FROM "
            "range(0, 14, 1, 1)",
            "SELECT * FROM t",
            "UPDATE t SET `q=/ %` = concat(coalesce(p, 'NULL'), id)",
            "SELECT * FROM t",
            "SELECT * EXCEPT (_commit_timestamp) FROM table_changes('t', 1)",
        )
    ),
    "times in another zone": Case(
        (
            "SET spark.sql.session.timeZone = Europe/Paris",
            "CREATE TABLE t (id INT, at TIMESTAMP, p TIMESTAMP) PARTITIONED BY (p)",
            "INSERT INTO t SELECT id, p, p FROM VALUES (1, TIMESTAMP'2024-03-31 00:59:59.999999Z'), "
            "(2, TIMESTAMP'2024-03-31 01:00:00Z'), (3, TIMESTAMP'2024-10-26 23:30:00Z'), (4, "
            "TIMESTAMP'1850-01-01 00:00:00Z'), "
            "(5, TIMESTAMP'0001-01-02 00:00:00Z'), (6, NULL) AS v(id, p)",
            "SELECT *, at = p FROM t",
            "UPDATE t SET at = at + INTERVAL 1 HOUR WHERE p > '2024-01-01'",
            "SELECT *, at = p FROM t",
            "SET spark.sql.session.timeZone = Pacific/Apia",
            "SELECT *, at = p FROM t",
            "RESET spark.sql.session.timeZone",
        )
    ),
    "partition columns in the files": Case(
        (
            "CREATE TABLE t (p STRING, k INT, d DATE) PARTITIONED BY (p, d) "
            "TBLPROPERTIES ('delta.feature.materializePartitionColumns' = 'supported', "
            "'delta.enableChangeDataFeed' = 'true')",
            "INSERT INTO t SELECT * FROM VALUES ('a/b', 1, DATE'2024-01-31'), ('', 2, NULL), (NULL, 3, NULL)",
            "UPDATE t SET k = k + 1",
            "SELECT * FROM t",
        )
    ),
    "iceberg": Case(
        (
            "CREATE TABLE t (k INT, n ARRAY<STRUCT<m: MAP<STRING, ARRAY<INT>>>>, p DATE) PARTITIONED BY (p) "
            "TBLPROPERTIES ('delta.enableIcebergCompatV2' = 'true')",
            "INSERT INTO t SELECT id, array(named_struct('m', map('a', array(1)))), DATE'2024-01-31' FROM "
            "range(0, 2, 1, 1)",
            "INSERT INTO t VALUES (5, NULL, NULL)",
            "MERGE INTO t USING (SELECT 1 AS k) s ON t.k = s.k WHEN MATCHED THEN UPDATE SET n = array() "
            "WHEN NOT MATCHED BY SOURCE THEN UPDATE SET k = t.k + 10",
            "SELECT * FROM t",
        )
    ),
    "lengths": Case(
        (
            "CREATE TABLE t (c CHAR(5), v VARCHAR(3), n STRUCT<c: CHAR(2), a: ARRAY<CHAR(3)>>, p CHAR(2)) "
            "PARTITIONED BY (p)",
            "INSERT INTO t SELECT 'ab', 'ab', named_struct('c', 'x', 'a', array('y', NULL)), 'p' FROM range(0, "
            "2, 1, 1)",
            "INSERT INTO t SELECT 'abcdef', 'x', NULL, NULL FROM range(0, 1, 1, 1)",
            "INSERT INTO t SELECT 'x', 'abcd', NULL, NULL FROM range(0, 1, 1, 1)",
            "UPDATE t SET c = 'z' WHERE c = 'ab   '",
            "SELECT *, length(c), length(n.a[0]), p = 'p' FROM t",
        )
    ),
    "type widening": Case(
        (
            "CREATE TABLE t (a TINYINT, f FLOAT, d DECIMAL(5,2), s STRUCT<x: SMALLINT>, l ARRAY<INT>, m MAP<INT, "
            "DATE>) "
            "TBLPROPERTIES ('delta.enableTypeWidening' = 'true', 'delta.feature.timestampNtz' = 'supported')",
            "INSERT INTO t SELECT id, id / 3, id / 7, named_struct('x', -id), array(id, NULL), map(id, "
            "DATE'1500-01-01') "
            "FROM range(0, 3, 1, 1)",
            "ALTER TABLE t ALTER COLUMN a TYPE INT",
            "ALTER TABLE t ALTER COLUMN f TYPE DOUBLE",
            "ALTER TABLE t ALTER COLUMN d TYPE DECIMAL(12,4)",
            "ALTER TABLE t ALTER COLUMN s.x TYPE BIGINT",
            "ALTER TABLE t ALTER COLUMN l.element TYPE BIGINT",
            "ALTER TABLE t ALTER COLUMN m.key TYPE BIGINT",
            "ALTER TABLE t ALTER COLUMN m.value TYPE TIMESTAMP_NTZ",
            "ALTER TABLE t ALTER COLUMN a TYPE DECIMAL(12,2)",
            "INSERT INTO t SELECT 5, 5, 5, named_struct('x', 9999999999), array(9999999999), NULL FROM range(0, "
            "1, 1, 1)",
            "SELECT * FROM t",
            "UPDATE t SET a = a + 0.5 WHERE a < 2",
            "UPDATE t SET a = a / 2 WHERE a < 2",
            "SELECT * FROM t",
        )
    ),
    "values that are made": Case(
        (
            "CREATE TABLE t (id BIGINT GENERATED ALWAYS AS IDENTITY (START WITH 5 INCREMENT BY 5), a INT, "
            "b INT GENERATED ALWAYS AS (a * 2), d DATE DEFAULT DATE'2024-01-01', "
            "y INT GENERATED ALWAYS AS (year(d))) PARTITIONED BY (y) "
            "TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')",
            "INSERT INTO t (a) SELECT id FROM range(0, 3, 1, 1)",
            "INSERT INTO t (a, d) SELECT id, DATE'2023-05-05' FROM range(0, 2, 1, 1)",
            "INSERT INTO t (a, b) SELECT 1, 3 FROM range(0, 1, 1, 1)",
            "UPDATE t SET a = 7, d = DEFAULT WHERE y = 2023",
            "MERGE INTO t USING (SELECT 0 AS a) s ON t.a = s.a WHEN MATCHED THEN UPDATE SET d = DATE'2020-02-02'",
            "SELECT * FROM t",
        )
    ),
    "layout": Case(
        (
            "CREATE TABLE t (a INT, b STRING, p INT) PARTITIONED BY (p)",
            *(f"INSERT INTO t SELECT id, 'x' || id, id % 2 FROM range({n}, {n} + 10, 1, 1)" for n in (0, 10, 20)),
            "OPTIMIZE t WHERE p = 0 ZORDER BY (a, b)",
            "OPTIMIZE t",
            "SELECT * FROM t",
            "CREATE TABLE k (a INT, b STRING) CLUSTER BY (a, b)",
            "INSERT INTO k SELECT a, b FROM t",
            "INSERT INTO k SELECT a, b FROM t",
            "OPTIMIZE k FULL",
            "SELECT * FROM k",
        ),
        "t",
    ),
    "overwrites": Case(
        (
            "CREATE TABLE t PARTITIONED BY (p) AS SELECT id AS a, id % 3 AS p FROM range(0, 6, 1, 1)",
            "INSERT OVERWRITE t PARTITION (p = 1) SELECT 50",
            "SET spark.sql.sources.partitionOverwriteMode = DYNAMIC",
            "INSERT OVERWRITE t SELECT 60, 2",
            "RESET spark.sql.sources.partitionOverwriteMode",
            "INSERT INTO t REPLACE WHERE p > 1 SELECT id, 2 FROM range(70, 72, 1, 1)",
            "INSERT INTO t REPLACE WHERE p > 1 SELECT 1, 1",
            "INSERT INTO t BY NAME SELECT 3 AS p, 80 AS a",
            "SELECT * FROM t",
            "INSERT OVERWRITE t SELECT 1, 1",
            "INSERT WITH SCHEMA EVOLUTION INTO t SELECT 1 AS a, 2 AS p, 'more' AS c",
            "SELECT * FROM t",
            "CREATE OR REPLACE TABLE t AS SELECT 'other' AS one",
            "RESTORE t TO VERSION AS OF 3",
            "SELECT * FROM t",
        )
    ),
    "about files": Case(
        (
            "CREATE TABLE t (a INT, p STRING) PARTITIONED BY (p)",
            "INSERT INTO t SELECT id, 'a b%/ü' FROM range(0, 3, 1, 1)",
            "SELECT a, _metadata.file_name, _metadata.row_index, _metadata.file_path, _metadata.file_block_start, "
            "_metadata.file_size = _metadata.file_block_length, _metadata.file_modification_time IS NULL FROM t",
            "INSERT INTO t SELECT _metadata.row_index, p FROM t WHERE _metadata.row_index = 1",
            "SELECT count(DISTINCT _metadata.file_path) FROM t",
        )
    ),
    "numbers that are none": Case(
        (
            "CREATE TABLE t (k INT, f FLOAT, d DOUBLE, s STRUCT<d: DOUBLE>, z DOUBLE, n DOUBLE, x DOUBLE)",
            "INSERT INTO t SELECT id, if(id = 1, float('NaN'), id), if(id = 2, double('-Infinity'), id), "
            "named_struct('d', if(id = 0, double('NaN'), NULL)), if(id = 0, -0.0D, 0.0D), double('NaN'), NULL "
            "FROM range(0, 3, 1, 1)",
            "SELECT *, f = double('NaN'), CAST(z AS STRING) FROM t",
            "INSERT INTO t SELECT 5, 0, -0.0D, named_struct('d', 0.0D), -0.0D, 0.0D, 1.5 FROM range(0, 1, 1, 1)",
            "INSERT INTO t SELECT 6, 1.5, 2.5, named_struct('d', 3.5), double('Infinity'), -1, 1e-310 FROM "
            "range(0, 1, 1, 1)",
            "UPDATE t SET k = k + 1 WHERE f = 1.5 OR isnan(d) OR z = 0",
            "SELECT * FROM t WHERE d > 1 OR isnan(f)",
        )
    ),
    "long texts": Case(
        (
            "CREATE TABLE t (a STRING, b STRING, c STRING)",
            "INSERT INTO t SELECT repeat('ab', 500), repeat('😀', 33), repeat('z', 40) FROM range(0, 1, 1, 1)",
            "INSERT INTO t SELECT decode(X'EFBFBF', 'utf-8'), repeat('\\uD7FF', 40), 'b\\0c' FROM range(0, 1, 1, 1)",
            "SELECT length(a), length(b), c FROM t",
        )
    ),
    "nothing": Case(
        (
            "CREATE TABLE t (a INT, p INT) PARTITIONED BY (p)",
            "INSERT INTO t SELECT id, id FROM range(0, 0, 1, 1)",
            "INSERT INTO t SELECT id, id FROM range(0, 5, 1, 1) WHERE id > 10",
            "CREATE TABLE e AS SELECT * FROM t",
            "SELECT * FROM e",
            "INSERT OVERWRITE e SELECT * FROM t",
            "UPDATE t SET a = 1",
            "DELETE FROM t WHERE a = 1",
            "MERGE INTO t USING e ON t.a = e.a WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT *",
            "OPTIMIZE t",
            "SELECT * FROM t",
        )
    ),
    "errors": Case(
        (
            "CREATE TABLE t (a INT NOT NULL, b STRING, s STRUCT<c: INT NOT NULL> NOT NULL, p STRING) PARTITIONED "
            "BY (p)",
            "ALTER TABLE t ADD CONSTRAINT small CHECK (a < 10)",
            "INSERT INTO t SELECT 1, 'x', named_struct('c', 1), 'p' FROM range(0, 2, 1, 1)",
            "INSERT INTO t SELECT 10 + id, 'x', named_struct('c', 0), 'p' FROM range(0, 2, 1, 1)",
            "INSERT INTO t SELECT if(id = 0, NULL, 1), 'x', named_struct('c', 0), 'p' FROM range(0, 2, 1, 1)",
            "INSERT INTO t SELECT 1, 'x', named_struct('c', if(id = 0, NULL, 1)), 'p' FROM range(0, 2, 1, 1)",
            "INSERT INTO t SELECT 1, 'x', named_struct('c', 0), repeat('p', 300) FROM range(0, 2, 1, 1)",
            "INSERT INTO t SELECT 99999999999 + id, 'x', named_struct('c', 0), 'p' FROM range(0, 2, 1, 1)",
            "INSERT INTO t SELECT 1 / (id - 1), 'x', named_struct('c', 0), 'p' FROM range(0, 2, 1, 1)",
            "UPDATE t SET a = a / 0",
            "UPDATE t SET a = NULL",
            "MERGE INTO t USING (SELECT 1 AS a FROM range(0, 2, 1, 1)) s ON t.a = s.a WHEN MATCHED THEN UPDATE "
            "SET b = 'y'",
            "DELETE FROM t WHERE raise_error('no') = 1",
            "SELECT a / 0 FROM t",
            "SELECT missing FROM t",
            "CREATE TABLE w (a ARRAY<VOID>)",
            "SELECT * FROM t",
        )
    ),
    "variants": Case(
        (
            "CREATE TABLE t (a INT, v VARIANT)",
            "INSERT INTO t SELECT id, parse_json('{\"k\": [' || id || ', null]}') FROM range(0, 3, 1, 1)",
            "UPDATE t SET v = parse_json('5') WHERE a = 1",
            "SELECT a, v:k[0]::int, to_json(v) FROM t",
            "SELECT a FROM t",
        )
    ),
    "columns of odd names": Case(
        (
            "CREATE TABLE t (`a.b` INT, a STRUCT<b: INT, `c.d`: INT>, `x``y` INT, `Ünï` INT, `select` INT)",
            "INSERT INTO t SELECT id, named_struct('b', id, 'c.d', 5), 3, 4, 5 FROM range(0, 2, 1, 1)",
            "UPDATE t SET `a.b` = 7, a.`c.d` = 8 WHERE `select` = 5 AND a.b = 1",
            "SELECT *, a.b, `a.b` FROM t",
        )
    ),
    "nulls in nested columns": Case(
        (
            "CREATE TABLE t (id INT, s STRUCT<a: STRUCT<b: INT>, c: ARRAY<STRUCT<d: INT>>>, m MAP<STRING, "
            "ARRAY<MAP<INT, INT>>>)",
            "INSERT INTO t SELECT id, CASE id WHEN 0 THEN NULL WHEN 1 THEN named_struct('a', NULL, 'c', NULL) "
            "WHEN 2 THEN named_struct('a', named_struct('b', NULL), 'c', array()) "
            "ELSE named_struct('a', named_struct('b', 1), 'c', array(NULL, named_struct('d', NULL), "
            "named_struct('d', 2))) END, "
            "CASE id WHEN 0 THEN NULL WHEN 1 THEN map() WHEN 2 THEN map('x', NULL) "
            "ELSE map('y', array(NULL, map(), map(1, NULL, 2, 3))) END FROM range(0, 4, 1, 1)",
            "SELECT * FROM t",
            "UPDATE t SET s.a.b = 5",
            "SELECT * FROM t",
            "ALTER TABLE t ADD COLUMNS (s.a.e STRING, s.c.element.f INT)",
            "SELECT * FROM t",
            "DELETE FROM t WHERE s.a IS NULL OR id = 2",
            "SELECT * FROM t",
        )
    ),
    "nothing but partition columns": Case(
        (
            "CREATE TABLE t (a INT, p INT) PARTITIONED BY (p)",
            "INSERT INTO t SELECT id, id % 2 FROM range(0, 5, 1, 1)",
            "SELECT p FROM t",
            "SELECT count(*) FROM t WHERE p = 1",
            "SELECT 1 FROM t",
        )
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_same_comes_of_it(both: Both, name: str) -> None:
    case = CASES[name]
    both.run(*case.statements, fails=name in {"overwrites", "errors", "lengths", "values that are made"})
    if case.log is not None:
        both.same_log(case.log)


def test_each_session_has_a_mover_of_its_own(both: Both) -> None:
    """All sessions of the process share one Spark."""
    first, second = both.sessions.values()
    first.sql("CREATE TABLE t AS SELECT 1 AS a")
    second.sql("CREATE TABLE t AS SELECT 1 AS a")
    first.sql("SET deltasql.io.mode = DRIVER")
    assert "driver" in explained(first)
    assert "driver" not in explained(second)
    second.sql("SET deltasql.io.mode = EXECUTORS")
    assert "driver" in explained(first)
    first.sql("RESET")
    assert "driver" not in explained(first)


def explained(session: Session) -> str:
    return str(session.sql("EXPLAIN INSERT INTO t SELECT a FROM t").collect()[0][0])
