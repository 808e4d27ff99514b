"""Columns of Spark as SQL: each has the value and the type that Spark gives the Column."""

from __future__ import annotations

from typing import Any

import pytest

from deltasql import Session
from deltasql.base.errors import UnsupportedColumnError
from deltasql.session.frames.columns.columns import column_sql
from deltasql.session.frames.columns.texts import COMPARED
from tests.column_cases import ROWS, check_columns, columns

pytestmark = pytest.mark.spark


@pytest.fixture
def rows(session: Session) -> Any:
    return session.sql("SELECT 1").df.sparkSession.sql(ROWS).alias("t")


def test_each_column_means_the_same(rows: Any) -> None:
    check_columns(rows.sparkSession)


def test_every_function_is_compared(rows: Any) -> None:
    named = {name for name, _ in columns()}
    operators = {"in", "when", "and", "or", "like", "rlike", "ilike", "not", "!", "~"}
    missing = {name for name in COMPARED if name[0].isalpha()} - named - operators
    assert not missing


def test_what_is_not_compared_is_refused(rows: Any) -> None:
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    for column, reason in (
        (F.rand(), "rand"),
        (F.sum("i"), "sum"),
        (F.count_distinct("i"), "count"),
        (F.row_number().over(Window.partitionBy("i")), "Window"),
        (F.transform("arr", lambda x: x + 1), "LambdaFunction|transform"),
        (F.col("*"), "Star"),
        (F.col("i").asc(), "SortOrder"),
        (F.col("st").withField("x", F.lit(1)), "UpdateFields"),
        (F.udf(lambda x: x)("i"), "UDF|lambda"),
        (F.call_function("upper", "s"), "upper"),
    ):
        with pytest.raises(UnsupportedColumnError, match=reason):
            column_sql(column)
