"""Types of expressions that are known without Spark. Against Spark: tests/ways/test_expressions_without_spark.py."""

from __future__ import annotations

import pytest

from deltasql.schema.text import type_text
from deltasql.sql.expression_types import derived_type
from tests.unit.planner.lab import columns

SCHEMA = columns(
    "i INT, l BIGINT, f FLOAT, d DOUBLE, p DECIMAL(10,2), s STRING, b BOOLEAN, da DATE, ts TIMESTAMP, `a b` INT, "
    "st STRUCT<x: INT, y: STRUCT<`z z`: DATE>>, ar ARRAY<STRUCT<e: STRING>>, m MAP<STRING, DOUBLE>"
)


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        ("I", "int"),
        ("`a b` + 1", "int"),
        ("i + l", "bigint"),
        ("i / 2", "double"),
        ("l DIV 2", "bigint"),
        ("i % 2", "int"),
        ("-p", "decimal(10,2)"),
        ("p * 2", "decimal(12,2)"),
        ("p + i", "decimal(13,2)"),
        ("1.50", "decimal(3,2)"),
        (".05", "decimal(2,2)"),
        ("3000000000", "bigint"),
        ("1e3", "double"),
        ("5S", "smallint"),
        ("st.x", "int"),
        ("ST.Y.`z z`", "date"),
        ("ar[0].e", "string"),
        ("m['k'] > 0", "boolean"),
        ("CAST(ts AS DATE)", "date"),
        ("cast ( s as decimal ( 5 , 1 ) )", "decimal(5,1)"),
        ("s::INT", "int"),
        ("date(ts)", "date"),
        ("YEAR(ts)", "int"),
        ("EXTRACT(YEAR FROM ts)", "int"),
        ("date_trunc('DAY', ts)", "timestamp"),
        ("date_format(ts, 'yyyy-MM')", "string"),
        ("pmod(hash(i, s), 16)", "int"),
        ("upper(substring(s, 1, 3)) || i", "string"),
        ("CASE WHEN i > 1 THEN 'x' ELSE NULL END", "string"),
        ("CASE i WHEN 1 THEN 2 WHEN 2 THEN l END", "bigint"),
        ("coalesce(i, 0)", "int"),
        ("if(b, 1, NULL)", "int"),
        ("i > 0 AND NOT b OR s IS NULL", "boolean"),
        ("i NOT BETWEEN 1 AND 2 AND s NOT LIKE 'x%' AND s IN ('a', 'b')", "boolean"),
        ("da > '2024-01-01'", "boolean"),
        ("da >= DATE '2024-01-01'", "boolean"),
        ("b IS NOT TRUE", "boolean"),
        ("(i = 1) = b", "boolean"),
        ("-- one\n i /* two */ > 0 -- three", "boolean"),
    ],
)
def test_known(sql: str, kind: str) -> None:
    found = derived_type(sql, SCHEMA)
    assert found is not None
    assert type_text(found) == kind


@pytest.mark.parametrize(
    "sql",
    [
        *(
            "",
            "nope",
            "i +",
            "i > 0 OR",
            "(i",
            "i)",
            "i i",
            "s.x",
            "st.nope",
            "st.x.y",
            "ar.e",
            "t.i",
            "i AS j",
            "i, l",
        ),
        *("current_date()", "nosuch(i)", "upper(i)", "upper(s, s)", "round(d, i)", "explode(ar)", "sum(i)", "uuid()"),
        *("i + s", "i + f", "s > st", "b + 1", "i AND b", "NOT i", "st = st", "m = NULL", "i IN (1, 'x')"),
        *("da + INTERVAL 1 DAY", "DATE 'yesterday'", "DATE '2024-13-01'", "i & 1", "~i", "i -> i", "EXISTS(ar)"),
        *(
            "CAST(s AS STRUCT<x: INT>)",
            "CAST(i AS DATE)",
            "CAST(i AS DECIMAL(50,1))",
            "CAST(s AS CHAR(3))",
            "TRY_CAST(s AS INT)",
        ),
        *(
            "(i, l)",
            "s LIKE 'a' ESCAPE '!'",
            "EXTRACT(SECOND FROM ts)",
            "p * 1000000000000000000000000000000L",
            "CASE END",
        ),
        *("s COLLATE UTF8_LCASE", "transform(ar, x -> x)", "count(*)", "(SELECT 1)", "?", ":x", "'open", "i IS"),
        "(" * 5_000 + "i" + ")" * 5_000,
    ],
)
def test_left_to_spark(sql: str) -> None:
    assert derived_type(sql, SCHEMA) is None
