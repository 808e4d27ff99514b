"""Queries that the log answers: Spark, which reads the files, gives the same columns and the same rows."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

import pytest

from deltasql import Session
from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.session_settings import ANSWER_FROM_LOG

COLUMNS = {
    "b": "TINYINT",
    "i": "INT",
    "l": "BIGINT",
    "dec": "DECIMAL(12, 3)",
    "big": "DECIMAL(30, 2)",
    "f": "FLOAT",
    "x": "DOUBLE",
    "s": "STRING",
    "day": "DATE",
    "at": "TIMESTAMP",
    "flag": "BOOLEAN",
}
KEYS = {"p": "STRING", "q": "INT", "since": "DATE", "`Ö-y`": "DECIMAL(8, 2)", "yes": "BOOLEAN"}
VALUES: dict[str, tuple[str, ...]] = {
    "TINYINT": ("-128", "7", "127"),
    "INT": ("-2147483648", "0", "41", "2147483647"),
    "BIGINT": ("-9223372036854775808", "5", "9223372036854775807"),
    "DECIMAL(12, 3)": ("-999999999.999", "0.001", "3.5", "12"),
    "DECIMAL(30, 2)": ("-1234567890123456789012345678.91", "0.1"),
    "FLOAT": ("CAST('NaN' AS FLOAT)", "-1.5", "0.1", "-0.0"),
    "DOUBLE": ("double('NaN')", "double('Infinity')", "-2.5", "0.1", "0.0"),
    "STRING": (
        "'a'",
        "'Ä'",
        "'zebra, and so on: longer than any bound of a statistic may be'",
        "''",
        "'it''s 50% = /'",
    ),
    "DATE": ("DATE '0001-01-01'", "DATE '1969-12-31'", "DATE '2024-02-29'", "DATE '9999-12-31'"),
    "TIMESTAMP": ("TIMESTAMP '2024-01-01 00:00:00.000001'", "TIMESTAMP '1969-12-31 23:59:59.999999'"),
    "BOOLEAN": ("true", "false"),
    "DECIMAL(8, 2)": ("1.50", "-3", "0"),
}
TABLES = {
    "plain": "",
    "vectors": "TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')",
    "mapped": "TBLPROPERTIES ('delta.columnMapping.mode' = 'name')",
    "few": "TBLPROPERTIES ('delta.dataSkippingNumIndexedCols' = '3')",
    "void": "",
}
QUERIES = 18


def _rows(draw: random.Random, number: int) -> str:
    kinds = [*COLUMNS.values(), *KEYS.values()]
    rows = [[draw.choice((*VALUES[kind], "NULL")) for kind in kinds] for _ in range(number)]
    return ", ".join(f"({', '.join(row)})" for row in rows)


def _table(session: Session, draw: random.Random, name: str) -> None:
    columns = ", ".join(f"{column} {kind}" for column, kind in {**COLUMNS, **KEYS}.items())
    keys = draw.sample(list(KEYS), draw.randint(1, 3))
    session.sql(f"CREATE TABLE {name} ({columns}) PARTITIONED BY ({', '.join(keys)}) {TABLES[name]}")
    if name == "void":
        return
    session.sql(f"INSERT INTO {name} VALUES {_rows(draw, 9)}")
    if name == "vectors":
        session.sql(f"DELETE FROM {name} WHERE i > 0 OR l = 5")
    if name == "mapped":
        session.sql(f"ALTER TABLE {name} RENAME COLUMN i TO renamed")
        session.sql(f"ALTER TABLE {name} ADD COLUMN (i INT, fresh INT COMMENT 'new')")
        session.sql(f"ALTER TABLE {name} ALTER COLUMN {keys[0]} COMMENT 'a key'")


def _aggregate(draw: random.Random, names: Sequence[str]) -> str:
    name = draw.choice(names)
    term = draw.choice(
        (f"min({name})", f"MAX({name})", f"count({name})", "count(*)", "count(1)", f"count(DISTINCT {name})")
    )
    shape = draw.choice(("{}",) * 5 + ("{} + 1", "2 * ({} - 3)", "coalesce({}, 0)", "coalesce({}, NULL)"))
    return shape.format(term) + draw.choice(("",) * 4 + (" AS n", " `a b`"))


def _query(draw: random.Random, table: str, keys: Sequence[str]) -> str:
    grouped = draw.sample(list(keys), draw.randint(0, min(2, len(keys))))
    names = [*COLUMNS, *keys, *keys, "T.q", "missing"] if draw.random() < 0.1 else [*COLUMNS, *keys, *keys]
    where = draw.choice(("",) * 3 + tuple(_condition(draw, key) for key in keys))
    if grouped and draw.random() < 0.3:
        return f"SELECT DISTINCT {', '.join(grouped)} FROM {table} {where} ORDER BY {', '.join(grouped)}"
    items = [*(key.upper() for key in grouped), *(_aggregate(draw, names) for _ in range(draw.randint(1, 3)))]
    by = (
        f"GROUP BY {draw.choice((', '.join(grouped), ', '.join(map(str, range(1, len(grouped) + 1)))))}"
        if grouped
        else ""
    )
    having = draw.choice(("", "", "HAVING count(*) > 1", "HAVING max(i) IS NULL", "HAVING 3 >= count(*) AND 1 < 2"))
    order = f"ORDER BY {', '.join(f'{key} {draw.choice(SIDES)}' for key in grouped)}" if grouped else ""
    return f"SELECT {', '.join(items)} FROM {table} AS t {where} {by} {having} {order}"


SIDES = ("", "DESC", "ASC NULLS LAST", "DESC NULLS FIRST")


def _condition(draw: random.Random, key: str) -> str:
    value = draw.choice(VALUES[KEYS[key]])
    return draw.choice(
        (
            f"WHERE {key} = {value}",
            f"WHERE t.{key} <> {value}" if draw.random() < 0.2 else f"WHERE NOT {key} <= {value}",
            f"WHERE {key} IS NULL OR {key} > {value}",
            f"WHERE {key} IS NOT NULL AND i > 0",
        )
    )


def _told(session: Session, query: str) -> tuple[object, ...]:
    """Columns and rows as the session gives them; an error by its condition."""
    try:
        result = session.sql(query)
        rows = [tuple(row) for row in result.collect()]
        if "ORDER BY" not in query:
            rows.sort(key=repr)
        return result.schema, [repr(row) for row in rows], result.to_arrow().schema.remove_metadata()
    except DeltaSqlError as error:
        return (error.condition,)


@pytest.mark.spark
def test_the_log_says_what_spark_says(session: Session) -> None:
    """Queries at random, of which those are compared that the log answers."""
    draw = random.Random(16)
    for table in TABLES:
        _table(session, draw, table)
    answered = _answered(session, draw)
    ours = [_told(session, query) for query in answered]
    session.sql(f"SET {ANSWER_FROM_LOG.name} = false")
    session.sql("SET deltasql.compute = ENGINE")
    for query, told in zip(answered, ours, strict=True):
        assert told == _told(session, query), query


def _answered(session: Session, draw: random.Random) -> list[str]:
    found = list[str]()
    for table in itertools.cycle(TABLES):
        keys = [f"`{key}`" if "-" in key else key for key in session.log(table).snapshot().partition_columns]
        query = _query(draw, table, keys)
        if _is_answered(session, query):
            found.append(query)
        if len(found) == QUERIES:
            break
    return found


def _is_answered(session: Session, query: str) -> bool:
    plan = session.sql(f"EXPLAIN {query}").collect()[0][0]
    return "no data file is read" in plan
