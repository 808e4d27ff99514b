"""Aggregate queries over one table: in-process evaluation gives the engine's rows, names and types, or refuses."""

from __future__ import annotations

import os
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, NoReturn

import pytest

from deltasql import DeltaSqlError, Session, connect
from deltasql.engines.local import aggregates
from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.plan.base import ComputedBy

COLUMNS = (
    "y TINYINT, h SMALLINT, i INT, l BIGINT, f FLOAT, x DOUBLE, w DOUBLE, n DECIMAL(10,2), g DECIMAL(28,10), "
    "m DECIMAL(38,0), s STRING, `a-b` STRING, d DATE, ts TIMESTAMP, o BOOLEAN, e BINARY, c CHAR(3), v STRUCT<a: INT>, "
    "p STRING, k INT"
)
NUMBERS = ("y", "h", "i", "l", "f", "x", "w", "n", "g", "m")
KEYS = ("y", "i", "l", "n", "s", "`a-b`", "d", "o", "p")
ALL = (*NUMBERS, *KEYS, "ts", "e", "c", "v", "k", "t.i", "T.S", "missing")
FUNCTIONS = ("count", "min", "max", "sum", "avg", "SUM", "Avg", "count distinct", "count(*)", "count(1)")
CONDITIONS = (
    "i > 0",
    "s = 'b'",
    "p = 'one' AND l < 9",
    "d >= DATE'2024-01-01'",
    "o",
    "x > 0.5",
    "i < -999",
    "s LIKE 'b%'",
)
TABLES = {
    "one": ("", 1),
    "several": (" PARTITIONED BY (p) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')", 3),
    "mapped": (" TBLPROPERTIES ('delta.columnMapping.mode' = 'name')", 2),
    "empty": ("", 0),
}


class Made(NamedTuple):
    """A number of random queries; with DELTASQL_GRID=all many more."""

    seed: int
    queries: int = 1000 if os.environ.get("DELTASQL_GRID") == "all" else 50

    def texts(self) -> Iterator[str]:
        random = Random(self.seed)
        for _ in range(self.queries):
            yield _query(random)


def _query(random: Random) -> str:
    keys = random.sample(KEYS if random.random() < 0.9 else ALL, random.randint(0, 2))
    if random.random() < 0.1:
        return f"SELECT DISTINCT {', '.join(keys or ['s'])} FROM t{_tail(random, keys or ['s'])}"
    values = [_aggregate(random) for _ in range(random.randint(1, 3))]
    items = [*keys, *values]
    random.shuffle(items)
    named = [f"{item} AS q{number}" if random.random() < 0.2 else item for number, item in enumerate(items)]
    where = f" WHERE {random.choice(CONDITIONS)}" if random.random() < 0.4 else ""
    group = f" GROUP BY {', '.join(keys)}" if keys else ""
    having = f" HAVING {random.choice(values)} {random.choice(['>', '<=', '<>'])} 2" if random.random() < 0.2 else ""
    source = random.choice(["t", "t AS T", "s.t", "`t`"])
    return f"SELECT {', '.join(named)} FROM {source}{where}{group}{having}{_tail(random, keys)}"


def _aggregate(random: Random) -> str:
    function = random.choice(
        ["count", "min", "max", "sum", "avg", "SUM", "Avg", "count distinct", "count(*)", "count(1)"]
    )
    if function.startswith("count("):
        return function
    column = random.choice(NUMBERS if function.lower() in {"sum", "avg"} and random.random() < 0.9 else ALL)
    call = f"count(DISTINCT {column})" if function == "count distinct" else f"{function}({column})"
    if random.random() < 0.15:
        return random.choice([f"{call} + 1", f"coalesce({call}, 0)", f"count(*) - {call}", f"{call} * {call}"])
    return call


def _tail(random: Random, keys: list[str]) -> str:
    """ORDER BY all keys, so that the order is certain, and LIMIT behind it."""
    if not keys or random.random() < 0.5:
        return ""
    order = ", ".join(f"{key}{random.choice(['', ' DESC', ' NULLS LAST', ' DESC NULLS FIRST'])}" for key in keys)
    return f" ORDER BY {order}{random.choice(['', ' LIMIT 3'])}"


def _row(random: Random) -> str:
    def some(*values: str) -> str:
        return "NULL" if random.random() < 0.15 else random.choice(values)

    return ", ".join(
        [
            some("-128", "127", "5"),
            some("-32768", "7", "12"),
            some("2147483647", "-1", "0", "3"),
            some("9007199254740993", "-5", "8", "9", "12"),
            some("FLOAT('0.1')", "FLOAT('NaN')", "FLOAT('-0.0')", "FLOAT('16777217')", "FLOAT('0.5')"),
            some("0.1D", "1e300D", "-0.0D", "0.7D", "3.3D", "DOUBLE('NaN')", "-1e300D"),
            some("0.25D", "3.5D", "-17D", "1024.125D"),
            some("99999999.99", "-0.01", "1.10", "2.35"),
            some("123456789012345678.0123456789", "-0.0000000001", "1"),
            some("99999999999999999999999999999999999999", "-1", "0"),
            some("'a'", "'b'", "'ba'", "'ä'", "'😀'", "''", "'\\uffff'"),
            some("'x'", "'y '"),
            some("DATE'2024-02-29'", "DATE'1969-12-31'", "DATE'0001-01-01'", "DATE'9999-12-31'"),
            some("TIMESTAMP'2024-03-31 01:59:00'", "TIMESTAMP'1883-11-18 12:03:57'"),
            some("true", "false"),
            some("X'00ff'", "X''"),
            some("'c'", "'cc '"),
            some("named_struct('a', 1)"),
            some("'one'", "'two'"),
            str(random.randint(0, 3)),
        ]
    )


@pytest.fixture(params=TABLES)
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Session]:
    """A session with the table s.t, in its current schema."""
    clauses, files = TABLES[request.param]
    random = Random(request.param)
    with connect(str(tmp_path / "warehouse")) as session:
        for text in ("CREATE SCHEMA s", "USE s", f"CREATE TABLE t ({COLUMNS}){clauses}"):
            session.sql(text)
        for _ in range(files):
            rows = ", ".join(f"({_row(random)})" for _ in range(12))
            session.sql(f"INSERT INTO t SELECT * FROM VALUES {rows}")
        session.sql("DELETE FROM t WHERE k = 0")
        yield session


def answer(session: Session, query: str) -> Any:
    """The columns and rows of a query, or the condition of its error."""
    try:
        result = session.sql(query)
        arrow = result.to_arrow().schema.to_string(show_field_metadata=False)
        # The engine gives small decimals with zeros behind the digits of their scale.
        rows = [repr([one.normalize() if isinstance(one, Decimal) else one for one in row]) for row in result.collect()]
    except DeltaSqlError as error:
        return error.condition
    columns = [(field.name, field.type, field.nullable, dict(field.metadata)) for field in result.schema]
    return columns, arrow, rows if "ORDER BY" in query else sorted(rows)


@pytest.mark.spark
@pytest.mark.parametrize(("seed", "small"), [(0, True), (1, True), (2, False)])
def test_random_queries(table: Session, seed: int, small: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a table that is not small the rows are grouped file by file."""
    monkeypatch.setattr(aggregates, "is_small", lambda _: small)
    found, in_process = [], 0
    for query in Made(seed).texts():
        table.sql("SET deltasql.compute = LOCAL")
        here = answer(table, query)
        if here == "DELTASQL_NEEDS_ENGINE":
            continue
        in_process += 1
        table.sql("SET deltasql.compute = ENGINE")
        engine = answer(table, query)
        if here != engine:
            found.append(f"{query}\n  in this process: {here}\n  engine: {engine}")
    assert not found, "\n".join(found)
    assert in_process > 10


GROUPED = "SELECT s, sum(l) AS l, count(*) AS n, avg(i) AS a, max(d) AS d FROM t WHERE k < 3 GROUP BY s"
WRITES = (
    f"CREATE OR REPLACE TABLE u AS {GROUPED}",
    f"INSERT INTO u {GROUPED}",
    f"INSERT OVERWRITE u {GROUPED}",
    f"MERGE INTO u USING ({GROUPED}) AS g ON u.s = g.s WHEN MATCHED THEN UPDATE SET u.l = g.l + 1 "
    "WHEN NOT MATCHED THEN INSERT *",
    "INSERT INTO u SELECT * FROM grouped WHERE n > 1",
    "CREATE OR REPLACE TABLE u AS SELECT DISTINCT s, o FROM t",
)


@pytest.mark.spark
def test_grouped_rows_are_written(table: Session) -> None:
    table.sql(f"CREATE VIEW grouped AS {GROUPED}")
    for write in WRITES:
        outcomes = []
        for compute in ("LOCAL", "ENGINE"):
            table.sql(f"SET deltasql.compute = {compute}")
            table.sql(f"CREATE OR REPLACE TABLE u AS {GROUPED} HAVING count(*) = 1")
            result = table.sql(write)
            outcomes.append((result.collect(), answer(table, "SELECT * FROM u")))
        assert outcomes[0] == outcomes[1], write


# Without an engine


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    def refuse(_: SparkHandle) -> NoReturn:
        raise AssertionError("an engine was asked for")

    monkeypatch.setattr(SparkHandle, "session", property(refuse))
    with connect(str(tmp_path), engine="spark") as session:
        session.sql("SET deltasql.compute = LOCAL")
        session.sql("CREATE TABLE t (region STRING, price DECIMAL(10,2), weight DOUBLE, number BIGINT)")
        session.sql("INSERT INTO t VALUES ('n', 1.10, 0.1, 1), ('s', 2.05, 0.2, 9223372036854775807), ('n', 3, 0.3, 2)")
        yield session


def test_no_engine_starts(alone: Session) -> None:
    query = "SELECT region, sum(price) AS total, avg(weight), count(*) FROM t GROUP BY region ORDER BY total DESC"
    result = alone.sql(query)
    assert [tuple(map(str, row)) for row in result.collect()] == [("n", "4.10", "0.2", "2"), ("s", "2.05", "0.2", "1")]
    assert [way.by for way in result.ways] == [ComputedBy.PROCESS]
    assert result.to_arrow().num_rows == 2


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("SELECT sum(number) FROM t", "numbers add up to more digits"),
        ("SELECT avg(number) FROM t", "numbers add up to more digits"),
        ("SELECT sum(weight) FROM t", "depends on the order of rows in several files"),
        ("SELECT weight, count(*) FROM t GROUP BY weight", "rows are grouped by a column of type DOUBLE"),
        ("SELECT max(weight) FROM t", "max of a column of type DOUBLE"),
        ("SELECT region, count(*) FROM t GROUP BY region", "2 groups take more than deltasql.memory.limit"),
    ],
)
def test_what_is_left_to_the_engine(alone: Session, query: str, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aggregates, "_GROUP_BYTES", 1 << 40)
    alone.sql("INSERT INTO t VALUES ('n', 1, 0.7, 3)")
    with pytest.raises(DeltaSqlError, match=reason) as refused:
        alone.sql(query).collect()
    assert refused.value.condition == "DELTASQL_NEEDS_ENGINE"


def test_rows_of_a_large_table_are_grouped_piece_by_piece(alone: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """States of pieces are united: sums, averages, and values of groups that only one piece has."""
    monkeypatch.setattr(aggregates, "is_small", lambda _: False)
    alone.sql("INSERT INTO t VALUES ('n', 7, 1, -5), ('w', NULL, 1, NULL), (NULL, 0.5, 1, 8)")
    alone.sql("INSERT INTO t VALUES ('w', 2, 1, NULL), ('n', NULL, 1, 1)")
    query = "SELECT region, sum(price), avg(price), min(price), count(price), count(*), max(region) FROM t"
    rows = {
        row[0]: [None if item is None else str(item) for item in row[1:]] for row in alone.sql(f"{query} GROUP BY 1")
    }
    assert rows == {
        "n": ["11.10", "3.700000", "1.10", "3", "4", "n"],
        "s": ["2.05", "2.050000", "2.05", "1", "1", "s"],
        "w": ["2.00", "2.000000", "2.00", "1", "2", "w"],
        None: ["0.50", "0.500000", "0.50", "1", "1", None],
    }
    assert alone.sql("SELECT count(*), sum(price), max(number) FROM t WHERE region = 'x'").collect() == [
        (0, None, None)
    ]
    assert alone.sql("SELECT region, count(*) FROM t WHERE region = 'x' GROUP BY region").collect() == []
    for query, reason in (
        ("SELECT sum(number) FROM t", "numbers add up to more digits"),
        ("SELECT avg(weight) FROM t", "depends on the order of rows in several files"),
        ("SELECT count(DISTINCT region) FROM t", "distinct values of a table that is not small"),
    ):
        with pytest.raises(DeltaSqlError, match=reason):
            alone.sql(query).collect()
