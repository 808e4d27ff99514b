"""INSERT … VALUES without Spark, against the same statement with it: types, rows, files, statistics and errors."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow.parquet as pq
import pytest

from deltasql import DeltaSqlError, Session, connect
from deltasql.base.errors.base import LeftToEngineError
from deltasql.base.timezone import zone
from deltasql.engines.engine import InProcessFirst
from deltasql.plan.operators import Literals, SqlQuery
from deltasql.schema.types import DataType, StructType
from deltasql.sql.row_literals import as_type, literal_constant, literal_rows

pytestmark = pytest.mark.spark

ZONE = "Europe/Paris"
WHOLE = ("0", "1", "-1", "127", "-128", "128", "32768", "-32768", "2147483647", "2147483648", "-2147483648", "007")
LONGER = ("9223372036854775807", "-9223372036854775808", "9223372036854775808", "5L", "-5L", "7S", "-7y", "16777217")
EXACT = (
    *(
        "1.5",
        "-1.5",
        "2.5",
        "0.0",
        "-0.0",
        "1.",
        ".5",
        "1.005",
        "1.255",
        "12345678.985",
        "9.995",
        "99.9",
        "0.1",
        "1.50",
    ),
    *("1.5BD", "-3BD", "0.0000001", "12345678901234567890.12345678901234567", "99999999999999999999999999999999999999"),
    *("16777217.0", "1.000000059604644775390625", "1.0000000596046447753906250000001", "0.30000001192092896"),
)
DOUBLES = (
    "1e3",
    "-2.5e0",
    "1E-3",
    "1.5D",
    "-7d",
    "1e10",
    "1e20",
    "0.1D",
    "0e0",
    "1.5F",
    "0.1F",
    "-2f",
    "3.3e38D",
    "-0D",
)
WORDS = ("NULL", "TRUE", "false", "X''", "X'00ff'", "x'C3BC'")
TEXTS = (
    *("''", "'x'", "'a b  '", "'abcd'", "'abcdef'", "'ab      '", '"double"', "'it''s'", r"'it\'s'", r"'tab\tnew\n'"),
    *(
        r"'\u00fc\U0001F600\101\0'",
        r"'\%\_\q'",
        r"r'raw\n'",
        "'one' 'two' \"three\"",
        "'日本😀'",
        "' 5'",
        "'-12'",
        "'007'",
    ),
    *("'5'", "'1.25'", "'-0.005'", "'true'", "'2024-02-29'", "'2024-01-31 10:20:30'", "'2024-01-31T10:20:30.123456'"),
    *("'2024-01-31 10:20:30.5Z'", "'2024-07-31 10:20:30+05:30'", "'2024-03-31 02:30:00'", "'2024-10-27 02:30:00'"),
    *("'0001-01-01'", "'9999-12-31'", "'1582-10-10'", "'1969-12-31 23:59:59.999999Z'", "'2024-12-31 23:59:59-09:30'"),
)
MOMENTS = (
    *("DATE'2024-02-29'", "date '0001-01-01'", "DATE '9999-12-31'", "DATE'1582-10-15'", "DATE'1970-01-01'"),
    *("TIMESTAMP'2024-01-31 10:20:30.000001'", "TIMESTAMP '2024-03-31 02:30:00'", "TIMESTAMP'2024-07-01'"),
    *("TIMESTAMP'2024-01-31T10:20:30Z'", "TIMESTAMP_LTZ'2024-01-31 10:20:30+02:00'", "TIMESTAMP'1900-01-01 00:00:00Z'"),
    *("TIMESTAMP_NTZ'2024-03-31 02:30:00.5'", "TIMESTAMP_NTZ'0001-01-01 00:00:00'", "TIMESTAMP_NTZ'2024-01-01'"),
)
LITERALS = (*WHOLE, *LONGER, *EXACT, *DOUBLES, *WORDS, *TEXTS, *MOMENTS)
TYPES = (
    *("BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(3,1)", "DECIMAL(10,2)"),
    *("DECIMAL(18,6)", "DECIMAL(38,18)", "DECIMAL(38,0)", "STRING", "BINARY", "DATE", "TIMESTAMP", "TIMESTAMP_NTZ"),
    *("CHAR(5)", "VARCHAR(5)"),
)
INDEX_ALL = "TBLPROPERTIES ('delta.dataSkippingNumIndexedCols' = '-1', 'delta.feature.timestampNtz' = 'supported')"


@contextmanager
def with_spark() -> Iterator[None]:
    """Within, INSERT takes no notice that it knows the rows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("deltasql.statements.insert_rows.constant_source", lambda *_: None)
        yield


@pytest.fixture
def zoned(session: Session) -> Session:
    session.sql(f"SET spark.sql.session.timeZone = {ZONE}")
    return session


def column_type(session: Session, kind: str) -> DataType:
    session.sql(f"CREATE TABLE one (c {kind}) {INDEX_ALL}")
    found = session.log("one").snapshot().schema.fields[0].type
    session.sql("DROP TABLE one")
    return found


def certain_for(literals: Sequence[str], target: DataType, length: int | None) -> list[str]:
    """The literals whose value in a column of this type is known without Spark."""
    found = []
    for text in literals:
        try:
            constant = literal_constant(text, zone(ZONE))
            value = as_type(constant.value, constant.type, target, zone(ZONE))
        except LeftToEngineError:
            continue
        if length is None or not isinstance(value, str) or len(value.rstrip(" ")) <= length:
            found.append(text)
    return found


def new_files(session: Session, table: str) -> list[Path]:
    """The files of the last commit, in order of path within its directory."""
    adds = last_adds(session, table)
    return [Path(session.log(table).location, unquote(add["path"])) for add in adds]


def last_adds(session: Session, table: str) -> list[dict[str, Any]]:
    log = session.log(table)
    commit = Path(log.location, "_delta_log", f"{log.snapshot().version:020d}.json")
    adds = [line["add"] for line in map(json.loads, commit.read_text().splitlines()) if "add" in line]
    return sorted(adds, key=lambda add: str(add["partitionValues"]))


def written(session: Session, table: str) -> tuple[list[Any], ...]:
    """What the last commit says of its files, their rows and their Parquet columns, but for `required`.

    Spark's writer says `required` of a column where its analyser happens to know that no value is NULL.
    """
    adds, files = last_adds(session, table), new_files(session, table)
    columns = [pq.read_metadata(file).schema for file in files]
    shapes = [
        [
            (item.name, item.path, item.physical_type, str(item.logical_type), item.length)
            for item in map(found.column, range(len(found)))
        ]
        for found in columns
    ]
    ids = [[(field.metadata or {}).get(b"PARQUET:field_id") for field in pq.read_schema(file)] for file in files]
    rows = [pq.ParquetFile(file).read().to_pylist() for file in files]
    codecs = [{pq.read_metadata(file).row_group(0).column(0).compression} for file in files]
    return [add["stats"] for add in adds], [add["partitionValues"] for add in adds], shapes, ids, rows, codecs


def both_ways(session: Session, table: str, insert: str) -> None:
    """Runs an INSERT without Spark and with it, and compares all that it leaves behind."""
    operator = session.sql(f"EXPLAIN {insert}").collect()[0][0]
    assert "Literals [" in operator
    fast = session.sql(insert)
    mine = written(session, table)
    with with_spark():
        slow = session.sql(insert)
    assert fast.collect() == slow.collect()
    assert set(fast.metrics) == set(slow.metrics)
    for own, sparks in zip(mine, written(session, table), strict=True):
        assert own == sparks


@pytest.mark.parametrize("kind", TYPES)
def test_every_literal_in_a_column_of_every_type(zoned: Session, kind: str) -> None:
    length = int(kind.strip("VARCH()")) if "CHAR" in kind else None
    texts = certain_for(LITERALS, column_type(zoned, kind), length)
    assert len(texts) > 2
    columns = ", ".join(f"c{number} {kind}" for number in range(len(texts)))
    zoned.sql(f"CREATE TABLE t (k INT, {columns}) {INDEX_ALL}")
    both_ways(zoned, "t", f"INSERT INTO t VALUES (1, {', '.join(texts)})")


def test_the_types_of_columns_are_those_that_spark_finds(zoned: Session) -> None:
    """Alone, and two in a column."""
    engine = InProcessFirst(zoned._engine.spark, "")
    known = [text for text in LITERALS if literal_rows(f"VALUES ({text})", zone(ZONE))]
    assert len(known) > 100
    few = [text for text in known if len(text) < 14]
    pairs = [pair for pair in product(few, few) if literal_rows(f"VALUES ({pair[0]}), ({pair[1]})", zone(ZONE))]
    assert len(pairs) > 500
    for group in ([(text,) for text in known], pairs):
        for start in range(0, len(group), 250):
            part = group[start : start + 250]
            query = "VALUES " + ", ".join(f"({', '.join(row)})" for row in zip(*part, strict=True))
            ours = literal_rows(query, zone(ZONE))
            assert ours is not None
            theirs = engine.schema(SqlQuery(query))
            assert [field.type for field in ours.schema] == [field.type for field in theirs]
            assert ours.schema.names == theirs.names


@pytest.mark.parametrize("kind", ["STRING", "DOUBLE", "DECIMAL(38,10)", "BIGINT"])
def test_literals_of_two_types_in_one_column(zoned: Session, kind: str) -> None:
    target = column_type(zoned, kind)
    numbers = [text for text in (*WHOLE, *LONGER, *EXACT, *DOUBLES, "NULL") if len(text) < 12]
    pairs = []
    for pair in product(numbers, numbers):
        rows = literal_rows(f"VALUES ({pair[0]}), ({pair[1]})", None)
        if rows is None:
            continue
        try:
            for value in rows.columns[0].values:
                as_type(value, rows.columns[0].type, target, None)
        except LeftToEngineError:
            continue
        pairs.append(pair)
    assert len(pairs) > 100
    pairs = pairs[:: max(1, len(pairs) // 200)]
    zoned.sql(f"CREATE TABLE t ({', '.join(f'c{number} {kind}' for number in range(len(pairs)))}) {INDEX_ALL}")
    first, second = zip(*pairs, strict=True)
    both_ways(zoned, "t", f"INSERT INTO t VALUES ({', '.join(first)}), ({', '.join(second)})")


TABLES = {
    "defaults": (
        "CREATE TABLE t (a INT, b STRING DEFAULT 'x', c DECIMAL(5,2) DEFAULT 1.5, d DATE DEFAULT DATE'2024-01-31', "
        "e TIMESTAMP) TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')",
        "INSERT INTO t (c, a) VALUES (DEFAULT, 1), (2, DEFAULT), (2.345, 3)",
    ),
    "by name": ("CREATE TABLE t (col2 STRING, COL1 BIGINT)", "INSERT INTO t BY NAME VALUES (1, 'a'), (2, NULL)"),
    "rows without brackets": ("CREATE TABLE t (a INT)", "INSERT INTO t VALUES 1, (2), -3, NULL"),
    "comments": ("CREATE TABLE t (a INT)", "INSERT INTO t VALUES /* one */ (1) -- two\n, (2)"),
    "column mapping": (
        "CREATE TABLE t (`a b` INT, p STRING, c DOUBLE) PARTITIONED BY (p) "
        "TBLPROPERTIES ('delta.columnMapping.mode' = 'name')",
        "INSERT INTO t VALUES (1, 'x', 1e0), (2, NULL, NULL), (3, 'x', 0.0)",
    ),
    "not null": ("CREATE TABLE t (a INT NOT NULL, b STRING)", "INSERT INTO t VALUES (1, NULL)"),
    "row tracking": (
        "CREATE TABLE t (a INT) TBLPROPERTIES ('delta.enableRowTracking' = 'true')",
        "INSERT INTO t VALUES (1), (2)",
    ),
    "deletion vectors, change feed, commit times": (
        "CREATE TABLE t (a INT) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true', "
        "'delta.enableChangeDataFeed' = 'true', 'delta.enableInCommitTimestamps' = 'true')",
        "INSERT INTO t VALUES (1), (2)",
    ),
    "clustering": ("CREATE TABLE t (a INT, b STRING) CLUSTER BY (b)", "INSERT INTO t VALUES (1, 'x'), (2, 'y')"),
    "long texts": ("CREATE TABLE t (a STRING)", f"INSERT INTO t VALUES ('{'ä' * 40}'), ('{'z' * 31}😀{'z' * 20}')"),
    "one partition of the statement's": (
        "CREATE TABLE t (a INT, p INT, q DATE) PARTITIONED BY (p, q)",
        "INSERT INTO t PARTITION (p = 5, q) VALUES (1, '2024-01-31'), (2, NULL)",
    ),
    "partitions of every type": (
        "CREATE TABLE t (a INT, s STRING, i TINYINT, l BIGINT, d DATE, m TIMESTAMP, n DECIMAL(9,3), b BOOLEAN) "
        "PARTITIONED BY (s, i, l, d, m, n, b)",
        "INSERT INTO t VALUES (1, 'a b/c=d%e', 1, -5, '2024-02-29', '2024-01-31 10:20:30.1', 1.5, true), "
        "(2, '', NULL, NULL, NULL, NULL, NULL, NULL), (3, '__HIVE_DEFAULT_PARTITION__', NULL, NULL, NULL, NULL, NULL, "
        "NULL), (4, 'ü\"#:?*', 2, 9223372036854775807, '0001-01-01', '2024-07-01', -0.001, false)",
    ),
    "partition columns in the files": (
        "CREATE TABLE t (p STRING, k INT, d DATE) PARTITIONED BY (p, d) "
        "TBLPROPERTIES ('delta.feature.materializePartitionColumns' = 'supported')",
        "INSERT INTO t VALUES ('a/b', 1, '2024-01-31'), ('', 2, NULL), (NULL, 3, NULL)",
    ),
    "iceberg": (
        "CREATE TABLE t (k INT, p DATE) PARTITIONED BY (p) TBLPROPERTIES ('delta.enableIcebergCompatV2' = 'true')",
        "INSERT INTO t VALUES (1, '2024-01-31'), (2, NULL)",
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_tables_of_every_kind(zoned: Session, name: str) -> None:
    create, insert = TABLES[name]
    zoned.sql(create)
    both_ways(zoned, "t", insert)


ERRORS = (
    *("(128, 'x', 'ab', 1.5)", "('x', 'x', 'ab', 1.5)", "(1, NULL, 'ab', 1.5)", "(1, 'x', 'abcdef', 1.5)"),
    *("(1, 'x', 'ab', 123456.5)", "(1, 'x')", "(1, 'x', 'ab', 1.5, 2)", "(1, 'x', 'ab', 1.5), (2)", "(1.5e400)"),
    *("(DATE'2024-02-30', 'x', 'ab', 1)", "(1, 'x', 'ab', X'0')", "(300Y, 'x', 'ab', 1)", "(1, 'x', 'ab', true)"),
    *("(1, 'x', 'ab', 1.5), ('a', DATE'2024-01-31', 'ab', 1.5)", "(1, 'x', 'ab', 1.5), (TRUE, 'x', 'ab', 1.5)"),
)


@pytest.mark.parametrize("values", ERRORS)
def test_errors_are_the_same(session: Session, values: str) -> None:
    session.sql("CREATE TABLE t (a TINYINT, b STRING NOT NULL, c VARCHAR(3), d DECIMAL(5,2))")

    def outcome() -> object:
        try:
            return session.sql(f"INSERT INTO t VALUES {values}").collect()
        except DeltaSqlError as error:
            return error.condition, str(error)

    mine = outcome()
    with with_spark():
        assert outcome() == mine


def test_literals_are_rows_of_a_dataframe_too(zoned: Session) -> None:
    zoned.sql("CREATE TABLE t (a INT, b STRING, c DECIMAL(5,2), d DATE, e TIMESTAMP, f TIMESTAMP_NTZ, g BINARY)")
    schema: StructType = zoned.log("t").snapshot().schema
    day, moment = 19753, 1706696430000001
    rows = Literals(
        schema,
        ((1, None), ("x", None), (Decimal("1.50"), None), (day, None), (moment, None), (moment, None), (b"\0", None)),
    )
    frame = InProcessFirst(zoned._engine.spark, "").engine.frames.frame(rows)
    zoned.sql(
        "INSERT INTO t VALUES (1, 'x', 1.5, '2024-01-31', '2024-01-31 10:20:30.000001Z', "
        "TIMESTAMP_NTZ'2024-01-31 10:20:30.000001', X'00'), (NULL, NULL, NULL, NULL, NULL, NULL, NULL)"
    )
    assert sorted(frame.collect(), key=str) == sorted(zoned.sql("SELECT * FROM t").df.collect(), key=str)


def test_a_session_of_somebody_elses_takes_the_old_way(session: Session) -> None:
    """Nobody knows what is set there."""
    spark = session.sql("SELECT 1").df.sparkSession
    with connect(session.catalog.warehouse, spark=spark) as other:
        other.sql("CREATE TABLE t (a INT)")
        assert "Literals" not in other.sql("EXPLAIN INSERT INTO t VALUES (1)").collect()[0][0]
