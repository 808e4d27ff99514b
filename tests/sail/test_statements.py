"""What Sail computes, what it is kept from, and that another engine reads what it wrote."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest
from deltalake import DeltaTable, QueryBuilder

from tests.sail.process import SailProcess


@pytest.fixture
def table(sail: SailProcess) -> SailProcess:
    for sql in (
        "DROP TABLE IF EXISTS t",
        "CREATE TABLE t (id INT, name STRING, day DATE) TBLPROPERTIES ('delta.enableDeletionVectors' = 'false')",
        "INSERT INTO t SELECT id, concat('n', id), NULL FROM range(1, 5)",
    ):
        sail.rows(sql)
    return sail


def test_no_jvm(table: SailProcess) -> None:
    assert table.rows("SELECT count(*) FROM t") == [[4]]
    assert "pysail" in table.modules()


def test_changes_of_rows(table: SailProcess, warehouse: Path) -> None:
    assert table.rows("UPDATE t SET name = 'u' WHERE id = 1") == [[1]]
    assert table.rows("DELETE FROM t WHERE id IN (SELECT id FROM t WHERE name = 'n2')") == [[1]]
    merge = "MERGE INTO T AS `x y` USING (SELECT 3 AS id, 'm' AS name UNION ALL SELECT 9, 'new') s ON `x y`.id = s.id"
    assert table.rows(
        f"{merge} WHEN MATCHED THEN UPDATE SET name = s.name /* and */"
        " WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, s.name)"
    ) == [[2, 1, 0, 1]]
    rows = [[1, "u", None], [3, "m", None], [4, "n4", None], [9, "new", None]]
    assert table.rows("SELECT * FROM t ORDER BY id") == rows
    assert table.rows("SELECT count(*) FROM t@v1") == [[4]]
    seen = DeltaTable(str(warehouse / "t")).to_pyarrow_table().sort_by("id").to_pylist()
    assert [list(row.values()) for row in seen] == rows


def test_deletion_vectors_and_partitions(sail: SailProcess, warehouse: Path) -> None:
    sail.rows(
        "CREATE TABLE p (id INT, day DATE) PARTITIONED BY (day) TBLPROPERTIES (delta.enableDeletionVectors = true)"
    )
    sail.rows("INSERT INTO p SELECT id, date_add(DATE'2024-01-01', CAST(id % 2 AS INT)) FROM range(6)")
    assert sail.rows("DELETE FROM p WHERE id > 3") == [[2]]
    assert sail.rows("SELECT day, collect_list(id) FROM p GROUP BY day ORDER BY day") == [
        ["2024-01-01", "[0, 2]"],
        ["2024-01-02", "[1, 3]"],
    ]
    assert sail.rows("UPDATE p SET id = id + 10 WHERE day = DATE'2024-01-02'") == [[2]]
    assert sail.rows("SELECT id FROM p ORDER BY id") == [[0], [2], [11], [13]]
    sail.rows("REORG TABLE p APPLY (PURGE)")
    found = QueryBuilder().register("p", DeltaTable(str(warehouse / "p"))).execute("SELECT id FROM p ORDER BY id")
    assert [row["id"] for batch in found for row in pa.record_batch(batch).to_pylist()] == [0, 2, 11, 13]


@pytest.mark.parametrize(
    ("sql", "condition", "told"),
    [
        ("DELETE FROM t WHERE id + 1", "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN", '"(id + 1)" is of type "INT"'),
        ("UPDATE t SET name = 'x' WHERE id", "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN", "not BOOLEAN"),
        (
            "MERGE INTO t USING (SELECT 1 AS n) s ON t.id - s.n WHEN MATCHED THEN DELETE",
            "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN",
            "not BOOLEAN",
        ),
        ("INSERT INTO t (day) SELECT 5", "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION", "DATE_FROM_UNIX_DATE"),
        ("UPDATE t SET day = id", "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION", "column day of t"),
        ("UPDATE t SET id = array(1)", "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION", "ARRAY<INT>"),
        ("ALTER TABLE t ALTER COLUMN day SET DEFAULT 5", "INVALID_DEFAULT_VALUE.DATA_TYPE", "5"),
        ("SELECT * FROM t WHERE id NOT IN (SELECT 1) OR id = 2", "UNSUPPORTED_FEATURE.SAIL", 'engine="spark"'),
        (
            "DELETE FROM t WHERE CASE WHEN id IN (SELECT 1) THEN TRUE END",
            "UNSUPPORTED_FEATURE.SAIL",
            "NULL is no FALSE",
        ),
        ("SELECT * FROM parquet.`/nowhere/x.parquet`", "PATH_NOT_FOUND", "nothing"),
        ("SELECT * FROM csv.`/nowhere/x.csv`", "UNSUPPORTED_FEATURE.SAIL", "by their path"),
        ("SELECT a.*, b.name FROM t a JOIN t b USING (id)", "UNSUPPORTED_FEATURE.SAIL", "USING"),
        ("SELECT nothing FROM t", "UNRESOLVED_COLUMN.WITH_SUGGESTION", "`nothing`"),
        ("SELECT 1 / 0 FROM t", "DIVIDE_BY_ZERO", "zero"),
        ("INSERT INTO t (id) SELECT 'x'", "CAST_INVALID_INPUT", "column id of t"),
        ("FROM t |> PIVOT (sum(id) FOR name IN ('n1'))", "UNSUPPORTED_FEATURE.SAIL", "PIVOT"),
        ("WITH RECURSIVE n AS (SELECT 1) SELECT * FROM n", "UNSUPPORTED_FEATURE.SAIL", "RECURSIVE"),
        ("SELECT id FROM t WHERE day = 5", "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES", "DATE"),
        ("SELECT raise_error('boom')", "USER_RAISED_EXCEPTION", "boom"),
        ("UPDATE t SET id = 1 stray", "PARSE_SYNTAX_ERROR", "stray"),
        ("SELECT name, count(*) FROM t", "MISSING_GROUP_BY", "GROUP BY"),
        ("SELECT id + 2147483647 FROM t", "ARITHMETIC_OVERFLOW", "overflow"),
        ("SELECT CAST(id AS DATE) FROM t", "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION", "cannot be cast"),
        ("SELECT try_add(id, 1) FROM t", "UNSUPPORTED_FEATURE.SAIL", "try_add"),
    ],
)
def test_what_is_wrong_is_refused(table: SailProcess, sql: str, condition: str, told: str) -> None:
    found, message = table.error(sql)
    assert found == condition
    assert told in message
    assert table.rows("SELECT count(*), max(id) FROM t") == [[4, 4]]


def test_char_columns_are_compared_with_blanks(sail: SailProcess) -> None:
    sail.rows("CREATE TABLE c (id INT, code CHAR(3))")
    sail.rows("INSERT INTO c VALUES (1, 'a'), (2, 'bcd')")
    assert sail.rows("SELECT id, code FROM c WHERE code = 'a' OR code IN ('b', 'bcde')") == [[1, "a  "]]
    sail.rows("CREATE TEMPORARY VIEW coded AS SELECT code AS k, id + 1 AS n FROM c")
    assert sail.rows("SELECT n FROM coded WHERE k = 'a'") == [[2]]
    assert sail.rows("UPDATE c SET id = 7 WHERE code = 'a'") == [[1]]
    for sql in ("SELECT id FROM c WHERE code = concat('a', '')", "SELECT id FROM c WHERE code BETWEEN 'a' AND 'b'"):
        condition, message = sail.error(sql)
        assert (condition, "CHAR" in message) == ("UNSUPPORTED_FEATURE.SAIL", True)


def test_variables(table: SailProcess) -> None:
    table.rows("DECLARE OR REPLACE VARIABLE v INT DEFAULT 2")
    table.rows("DECLARE OR REPLACE name = 'variable'")
    assert table.rows("SELECT id, name, v FROM t WHERE id = v") == [[2, "n2", 2]]
    assert table.rows("SELECT (SELECT max(name) FROM t), session.name") == [["n4", "variable"]]
    assert table.rows("UPDATE t SET name = session.name WHERE id > v") == [[2]]
    table.rows("SET VAR v = v + 1, name = concat(name, v)")
    assert table.rows("SELECT v, name") == [[3, "variable3"]]
    table.rows("SET VAR (v, name) = (SELECT id, name FROM t WHERE id = 1)")
    assert table.rows("SELECT v, name, typeof(v) AS t, (SELECT count(*) FROM t) AS n") == [[1, "n1", "int", 4]]
    assert table.rows("SELECT id FROM t ORDER BY id LIMIT v + 1") == [[1], [2]]
    assert table.error("SET VAR v = 'x'")[0] == "CAST_INVALID_INPUT"
    assert table.error("CREATE VIEW lasting AS SELECT id FROM t WHERE id = v")[0] == "INVALID_TEMP_OBJ_REFERENCE"
    table.rows("SET TIME ZONE '+02:00'")
    table.rows("DECLARE OR REPLACE VARIABLE v = TIMESTAMP'2024-01-01 00:00:00'")
    assert table.rows("SELECT v = TIMESTAMP'2024-01-01 00:00:00' AS x, v = TIMESTAMP'2023-12-31 22:00:00Z' AS y") == [
        [True, True]
    ]
    table.rows("SET TIME ZONE 'UTC'")
    table.rows("DROP TEMPORARY VARIABLE v")
    assert table.error("SELECT v FROM t")[0] == "UNRESOLVED_COLUMN.WITH_SUGGESTION"
    table.rows("DROP TEMPORARY VARIABLE name")


def test_functions(table: SailProcess) -> None:
    table.rows("CREATE OR REPLACE FUNCTION plus(x INT, y INT DEFAULT 2) RETURNS INT RETURN x + y")
    table.rows("CREATE OR REPLACE FUNCTION at(x INT) RETURNS STRING RETURN SELECT max(name) FROM t WHERE id = at.x")
    table.rows("CREATE OR REPLACE FUNCTION to_4(n INT) RETURNS TABLE (k INT) RETURN SELECT id FROM t WHERE id >= n")
    table.rows("CREATE OR REPLACE TEMPORARY FUNCTION twice(x INT) RETURNS INT RETURN plus(x, x)")
    assert table.rows("SELECT plus(id), twice(plus(1)), at(2) FROM t WHERE plus(id, 1) = 2") == [[3, 6, "n2"]]
    assert table.rows("SELECT k FROM to_4(3) ORDER BY ALL DESC") == [[4], [3]]
    assert table.rows("UPDATE t SET id = plus(id, 100) WHERE plus(id) > 5") == [[1]]
    assert table.error("SELECT at(id) FROM t")[0] == "UNSUPPORTED_FEATURE.SAIL"
    assert table.error("SELECT twice(2147483647)")[0] == "ARITHMETIC_OVERFLOW"
    assert table.error("CREATE FUNCTION sums(x INT) RETURNS INT RETURN sum(x)")[0].startswith("USER_DEFINED_FUNCTIONS")


def test_files_in_a_directory(sail: SailProcess, tmp_path: Path) -> None:
    query = "SELECT id, concat('n', id) AS name, CAST(id AS DECIMAL(5, 2)) / 1D AS d FROM range(2)"
    sail.rows(f"INSERT OVERWRITE DIRECTORY '{tmp_path}/p' USING parquet {query}")
    sail.rows(f"INSERT OVERWRITE DIRECTORY '{tmp_path}/c' USING csv OPTIONS (header = true) SELECT 1 AS a, '' AS b")
    assert pa.parquet.read_table(tmp_path / "p").to_pylist()[1] == {"id": 1, "name": "n1", "d": 1.0}
    (found,) = (tmp_path / "c").glob("part-*.csv")
    assert found.read_text() == 'a,b\n1,""\n'
    for wrong in ("orc SELECT 1 AS a", "csv SELECT ',' AS a", "csv SELECT 1.5D AS a", "json SELECT now() AS a"):
        assert sail.error(f"INSERT OVERWRITE DIRECTORY '{tmp_path}/c' USING {wrong}")[0] == "UNSUPPORTED_FEATURE.SAIL"
    assert found.exists()


def test_texts_that_sail_reads_otherwise(table: SailProcess) -> None:
    assert table.rows("SELECT 'it''s', * EXCEPT (day) FROM t WHERE name = 'n''1' OR id = 1") == [["it's", 1, "n1"]]
    assert table.rows("SELECT 'a' || id AS x FROM t ORDER BY ALL DESC LIMIT 1") == [["a4"]]


def test_stars_stand_for_the_columns_of_tables(table: SailProcess) -> None:
    """And for none of ours, by which files and places of rows are told."""
    assert table.rows("DELETE FROM t WHERE to_json(struct(*)) LIKE '%parquet%'") == [[0]]
    assert table.rows("UPDATE t SET name = to_json(struct(t.*)) WHERE id = 1") == [[1]]
    merge = "MERGE INTO t USING (SELECT 2 AS id, 'm' AS x UNION ALL SELECT 9, 'new') s ON t.id = s.id"
    table.rows(
        f"{merge} WHEN MATCHED THEN UPDATE SET name = to_json(struct(*)) "
        "WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, to_json(struct(s.*)))"
    )
    names = [json.loads(name) for (name,) in table.rows("SELECT name FROM t WHERE id IN (1, 2, 9) ORDER BY id")]
    assert names == [{"id": 1, "name": "n1"}, {"id": 2, "name": "n2", "x": "m"}, {"id": 9, "x": "new"}]


def test_rows_that_go_by_a_file(sail: SailProcess) -> None:
    """So do those that are many: of each query anew, and of both sides of a join."""
    sail.rows("CREATE TABLE many (id BIGINT, t TIMESTAMP_NTZ, s STRUCT<a: ARRAY<DECIMAL(9,2)>>) PARTITIONED BY (id)")
    sail.rows(
        "INSERT INTO many SELECT id % 2, TIMESTAMP_NTZ'1500-01-01 00:00:00', named_struct('a', array(id / 4, NULL)) "
        "FROM range(60000)"
    )
    query = "SELECT count(*), sum(m.s.a[0]), min(n.t) FROM many m JOIN (SELECT DISTINCT id, t FROM many) n USING (id)"
    assert sail.rows(query) == sail.rows(query) == [[60000, "449992500.00", "1500-01-01 00:00:00"]]
    sail.rows("DROP TABLE many")


def test_decimals(sail: SailProcess) -> None:
    sail.rows("CREATE OR REPLACE TABLE m (id INT, d DECIMAL(10,2))")
    sail.rows("INSERT INTO m VALUES (1, 12.34), (2, -7.05), (3, 0.01)")
    told = "SELECT d * 2 AS a, d / 3 AS b, CASE WHEN id > 1 THEN d ELSE 0 END AS c, nvl(d, 0) AS e FROM m"
    assert sail.answer(f"{told} WHERE id = 1") == {
        "t": ["decimal(12,2)", "decimal(14,6)", "decimal(12,2)", "decimal(12,2)"],
        "r": [["Decimal:24.68", "Decimal:4.113333", "Decimal:0.00", "Decimal:12.34"]],
    }
    assert sail.answer("SELECT avg(d), sum(d) / count(*), sum(CASE WHEN id > 1 THEN d ELSE 0 END) FROM m") == {
        "t": ["decimal(14,6)", "decimal(38,20)", "decimal(22,2)"],
        "r": [["Decimal:1.766667", "Decimal:1.76666666666666666667", "Decimal:-7.04"]],
    }
    assert sail.rows(
        "SELECT (SELECT max(x.d) / 2 FROM m x WHERE x.id = m.id) AS h FROM m ORDER BY id * -1 LIMIT 1"
    ) == [["0.005000"]]
    assert sail.rows("UPDATE m SET d = d / 3 WHERE d * 2 > 24.5") == [[1]]
    assert sail.rows("SELECT d FROM m WHERE id = 1 UNION ALL SELECT 2 ORDER BY d") == [["2.00"], ["4.11"]]
    assert sail.error("SELECT transform(array(d), x -> x * 2) FROM m")[0] == "UNSUPPORTED_FEATURE.SAIL"


def test_queries_that_are_said_otherwise(table: SailProcess, tmp_path: Path) -> None:
    assert table.rows("SELECT id FROM t GROUP BY id HAVING sum(id) > 2 ORDER BY sum(id) DESC, id") == [[4], [3]]
    assert table.rows("SELECT id % 2 AS odd, count(*) FROM t GROUP BY ALL ORDER BY odd") == [[0, 2], [1, 2]]
    assert table.rows("FROM t AS x |> WHERE x.id > 1 |> JOIN t USING (id) |> AGGREGATE max(id) AS m |> SELECT m") == [
        [4]
    ]
    parts = pa.table({"id": [1, 2], "word": pa.array(["a", "b"]).dictionary_encode()})
    for number in range(2):
        pa.parquet.write_table(parts, tmp_path / f"{number}.parquet")
    files = f"parquet.`{tmp_path}/{{0,1}}.parquet`"
    assert table.rows(f"SELECT word, count(*) FROM {files} AS f WHERE f.id = 2 GROUP BY word") == [["b", 2]]
    assert table.rows(
        f"MERGE INTO t USING {files} f ON t.id = f.id + 9 WHEN NOT MATCHED THEN INSERT (id) VALUES (f.id)"
    )
    (tmp_path / "p=1").mkdir()
    pa.parquet.write_table(parts, tmp_path / "p=1" / "2.parquet")
    assert "names of folders" in table.error(f"SELECT * FROM parquet.`{tmp_path}`")[1]
    pa.parquet.write_table(parts.select(["id"]), tmp_path / "1.parquet")
    assert "several schemas" in table.error(f"SELECT * FROM {files}")[1]


def test_constraints_and_counts(table: SailProcess) -> None:
    table.rows("ALTER TABLE t ADD CONSTRAINT small CHECK (id < 10)")
    condition, message = table.error("INSERT INTO t (id) SELECT id + 8 FROM range(4)")
    assert condition == "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES"
    assert "small (id < 10)" in message
    condition, _ = table.error("UPDATE t SET id = 70 WHERE id = 1")
    assert condition == "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES"
    table.rows("ALTER TABLE t SET TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')")
    _, message = table.error("UPDATE t SET id = 70 WHERE id = 1")
    assert "small (id < 10)" in message
    assert "values: id = 70." in message
    assert table.rows("UPDATE t SET id = 9 WHERE id = 4") == [[1]]
    twice = "MERGE INTO t USING (SELECT 1 AS id UNION ALL SELECT 1) s ON t.id = s.id"
    twice = f"{twice} WHEN MATCHED THEN UPDATE SET name = 'x'"
    assert table.error(twice)[0] == "DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE"
    # A row that the query's own filter leaves out is not checked.
    assert table.rows("INSERT INTO t (id) SELECT id FROM range(20) WHERE id < 2") == [[2, 2]]


def test_columns_from_the_names_of_folders_are_refused(sail: SailProcess, tmp_path: Path) -> None:
    folder = tmp_path / "files" / "day=1"
    folder.mkdir(parents=True)
    (folder / "a.csv").write_text("id\n7\n")
    sail.rows("CREATE TABLE from_folders (id INT, day INT)")
    copy = f"COPY INTO from_folders FROM '{tmp_path / 'files'}' FILEFORMAT = CSV FORMAT_OPTIONS ('header' = 'true')"
    condition, message = sail.error(copy)
    assert (condition, "names of folders" in message) == ("UNSUPPORTED_FEATURE.SAIL", True)
    assert sail.rows("SELECT count(*) FROM from_folders") == [[0]]


_LITERAL_TWICE = """
import deltasql
session = deltasql.connect({warehouse!r}, engine="sail")
session.sql("CREATE TABLE t (k INT, ts TIMESTAMP)")
session.sql("INSERT INTO t VALUES (1, TIMESTAMP '2024-01-01 00:00:00')")
session.sql("INSERT INTO t SELECT abs(3) AS k, TIMESTAMP '2024-01-01 00:00:00' AS ts")
shown = "SELECT DISTINCT CAST(ts AS STRING), current_timezone() FROM t WHERE abs(k) > 0"
print(session.sql(shown).collect())
session.sql("SET spark.sql.session.timeZone = UTC")
print(session.sql(shown).collect())
session.sql("RESET spark.sql.session.timeZone")
print(session.sql(shown).collect())
"""


def test_the_time_zone_of_the_process_is_that_of_the_session(tmp_path: Path) -> None:
    code = _LITERAL_TWICE.format(warehouse=str(tmp_path))
    told = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "TZ": "Europe/Berlin"},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    berlin, utc, again = (re.findall(r"'([^']*)'", line) for line in told.stdout.splitlines())
    assert berlin == again == ["2024-01-01 00:00:00", "Europe/Berlin"]
    assert utc == ["2023-12-31 23:00:00", "UTC"]


@pytest.mark.parametrize(
    ("query", "condition"),
    [
        ("SELECT id::text FROM t", "UNSUPPORTED_DATATYPE"),
        ("SELECT CAST('a' AS Text) FROM t", "UNSUPPORTED_DATATYPE"),
        ("SELECT isnull(name, 'x') FROM t", "WRONG_NUM_ARGS.WITHOUT_SUGGESTION"),
        ("SELECT id, row_number() OVER (ORDER BY id) AS r FROM t QUALIFY r = 1", "UNSUPPORTED_FEATURE.SAIL"),
        ("SELECT " + " + ".join(["id"] * 300) + " FROM t", "UNSUPPORTED_FEATURE.SAIL"),
        ("SELECT " + "CAST(" * 20 + "id" + " AS BIGINT)" * 20 + " FROM t", "UNSUPPORTED_FEATURE.SAIL"),
        ("SELECT " + " + ".join(["id"] * 100) + " + 2147483600 FROM t", "UNSUPPORTED_FEATURE.SAIL"),
    ],
)
def test_errors_have_a_condition(table: SailProcess, query: str, condition: str) -> None:
    assert table.error(query)[0] == condition


def test_long_sums_run(table: SailProcess) -> None:
    assert table.rows("SELECT max(" + " + ".join(["id"] * 40) + ") FROM t") == [[160]]


ZEROS = (
    "DROP TABLE IF EXISTS z",
    "CREATE TABLE z (k INT, d DOUBLE, s STRUCT<a: DOUBLE>, x DATE)",
    "INSERT INTO z SELECT 1, -0.0D, named_struct('a', -0.0D), DATE '2024-01-31'",
    "INSERT INTO z SELECT 2, 0.0D, named_struct('a', 0.0D), DATE '2024-02-01'",
)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(DISTINCT d) FROM z",
        "SELECT k FROM z WHERE d IN (SELECT 0.0D)",
        "SELECT k FROM z WHERE s = named_struct('a', 0.0D)",
        "SELECT a.k FROM z a JOIN z b ON a.s = b.s",
        "SELECT s, count(*) FROM z GROUP BY s",
        "SELECT DISTINCT s FROM z",
        "SELECT s FROM z UNION SELECT s FROM z",
        "SELECT s FROM z EXCEPT SELECT s FROM z",
        "SELECT sum(k) OVER (PARTITION BY d) FROM z",
        "SELECT rank() OVER (ORDER BY d DESC NULLS LAST) FROM z",
        "SELECT greatest(d, 0.0D) FROM z",
        "SELECT k FROM z WHERE array(d) = array(0.0D)",
        "UPDATE z SET k = 1 WHERE s = named_struct('a', 0.0D)",
        "MERGE INTO z USING z q ON z.s = q.s WHEN MATCHED THEN DELETE",
        "SELECT sum(k) OVER (ORDER BY x RANGE BETWEEN INTERVAL 6 DAYS PRECEDING AND CURRENT ROW) FROM z",
        "SELECT sum(k) OVER (ORDER BY x RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM z",
        "SELECT x + 3 * INTERVAL 1 DAY FROM z",
        "SELECT x + INTERVAL 1 DAY * k FROM z",
        "SELECT x + INTERVAL 24 HOUR FROM z",
        """SELECT raw:a FROM (SELECT '{"a": 1}' AS raw)""",
        """UPDATE z SET k = '{"a": 1}':a""",
        "SELECT x - INTERVAL 1 DAY 0 HOUR FROM z",
        "SELECT x + if(k > 1, INTERVAL 1 DAY, INTERVAL 1 HOUR) FROM z",
        "CREATE TABLE of_zeros AS SELECT x + k * INTERVAL 1 DAY AS y FROM z",
    ],
)
def test_what_would_differ_is_refused(sail: SailProcess, sql: str) -> None:
    for statement in ZEROS:
        sail.rows(statement)
    assert sail.error(sql)[0] == "UNSUPPORTED_FEATURE.SAIL"


def test_what_is_equal_in_the_sign_of_zero_and_in_days(sail: SailProcess) -> None:
    for statement in ZEROS:
        sail.rows(statement)
    assert sail.rows("SELECT count(*) FROM z WHERE d = 0 GROUP BY d") == [[2]]
    assert sail.rows("SELECT count(*) FROM z a JOIN z b ON a.d = b.d") == [[4]]
    assert sail.rows("SELECT count(*) FROM (SELECT DISTINCT d FROM z)") == [[1]]
    assert sail.rows("SELECT count(*) FROM (SELECT s FROM z UNION ALL SELECT s FROM z)") == [[4]]
    days = "SELECT x + INTERVAL 1 DAY AS a, x - INTERVAL '2' WEEK AS b, x + INTERVAL 1 MONTH AS c FROM z WHERE k = 1"
    assert sail.rows(days) == [["2024-02-01", "2024-01-17", "2024-02-29"]]
    ranges = "SELECT sum(k) OVER (ORDER BY k RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) AS s FROM z ORDER BY s"
    assert sail.rows(ranges) == [[1], [3]]


def test_geospatial_functions_are_refused(sail: SailProcess) -> None:
    for call in ("h3_resolution('85283473fffffff')", "h3_toparent(1, 2)", "st_astext(st_point(1, 2))"):
        condition, message = sail.error(f"SELECT {call}")
        assert condition == "UNSUPPORTED_FEATURE.SAIL"
        assert "the geospatial function" in message


def test_columns_of_shapes_are_refused(sail: SailProcess) -> None:
    sail.rows("CREATE TABLE places (id INT, g GEOMETRY(4326))")
    for statement in (
        "SELECT id, g FROM places",
        "INSERT INTO places VALUES (1, NULL)",
        "DELETE FROM places WHERE g IS NULL",
    ):
        condition, message = sail.error(statement)
        assert condition == "UNSUPPORTED_FEATURE.SAIL", statement
        assert "GEOMETRY and GEOGRAPHY columns" in message
