"""Rows of texts with a collation: a table of ours with them, and a view of Spark."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from deltasql import Session, connect
from deltasql.base.errors.base import DeltaSqlError
from deltasql.engines.spark.session.local_rows import frame_schema
from tests.oracle.values import in_order, plain_row

COLLATIONS = ("UTF8_BINARY", "UTF8_LCASE", "UNICODE", "UNICODE_CI", "UTF8_BINARY_RTRIM")
COMPARED = COLLATIONS if os.environ.get("DELTASQL_GRID") == "all" else ("UTF8_LCASE", "UNICODE_CI")
WAYS = ("AUTO", "ENGINE")
TEXTS = (
    *("Ada", "ADA", "ada", "ada  ", "Äda", "a%b", "A_b", "Ben", "ben ", "BEN", "Köln", "KÖLN", "koln", "straße"),
    *(
        "STRASSE",
        "",
        " ",
        None,
        "İstanbul",
        "istanbul",
        "ﬁn",
        "FIN",
        "Σίσυφος",
        "ΣΊΣΥΦΟΣ",
        "\u00e9te",
        "e\u0301te",
        "Z",
    ),
    *("z", "😀", "~"),
)
VIEW = "the_same_rows"
COLUMNS = (
    "id INT, name STRING COLLATE {c}, plain STRING, tags ARRAY<STRING COLLATE {c}>, s STRUCT<x: STRING COLLATE {c}>, "
    "m MAP<STRING, STRING COLLATE {c}>"
)


def sample(items: Sequence[str], first: int, step: int) -> Sequence[str]:
    """One of `step` parts of what is compared; with DELTASQL_GRID=all the whole."""
    return items if os.environ.get("DELTASQL_GRID") == "all" else items[first % step :: step]


class Grid(NamedTuple):
    """A session with the table t, and a view of Spark with the same rows."""

    session: Session
    spark: SparkSession
    collation: str
    answers: dict[str, Any]

    def differences(
        self, own: str, theirs: str, table: str = "t", ways: Sequence[str] = WAYS, *, named: bool = True
    ) -> Iterator[str]:
        """The differences between the rows of deltasql and of plain Spark, for each way of computing them.

        With `named` the columns must have the same names and types as well.
        """
        expected = self.of_spark(theirs)
        for way in ways:
            self.session.sql(f"SET deltasql.compute = {way}")
            found = self.ours(own.format(t=table, c=self.collation))
            pair = (found, expected) if named else (_unnamed(found), _unnamed(expected))
            if pair[0] != pair[1]:
                yield f"{way}: {own}\n  Spark: {expected}\n  found: {found}"

    def ours(self, text: str) -> Any:
        try:
            result = self.session.sql(text)
            kinds = [(field.name, str(field.type)) for field in result.schema]
            return kinds, rows_of(text, [plain_row(row) for row in result.collect()])
        except DeltaSqlError as error:
            return error.condition

    def of_spark(self, text: str) -> Any:
        """The answer of plain Spark to a query over the view of the same rows, which does not change."""
        text = text.format(t=VIEW, c=self.collation)
        if text not in self.answers:
            self.answers[text] = self._asked(text)
        return self.answers[text]

    def _asked(self, text: str) -> Any:
        try:
            frame = self.spark.sql(text)
            kinds = [(field.name, str(field.type)) for field in frame_schema(frame)]
            return kinds, rows_of(text, [plain_row(row) for row in frame.collect()])
        except PySparkException as error:
            return error.getCondition()


def _unnamed(answer: Any) -> Any:
    """The rows of an answer, or the condition of its error."""
    return answer if isinstance(answer, str) else answer[1]


def rows_of(text: str, rows: list[Any]) -> list[Any]:
    return rows if "ORDER BY" in text.rpartition(")")[2] else in_order(rows)


def frame_of(spark: SparkSession, collation: str) -> DataFrame:
    """The rows, as columns that have the collation."""
    rows = [
        (number, text, text, None if text is None else [text, "x"], None if number % 7 == 6 else (text,), {"k": text})
        for number, text in enumerate(TEXTS)
    ]
    return spark.createDataFrame(rows, StructType.fromDDL(COLUMNS.format(c=collation)))


@contextmanager
def opened(collation: str, warehouse: Path) -> Iterator[Grid]:
    """The table has its rows in several files with narrow bounds, in the order of their bytes."""
    with connect(str(warehouse)) as session:
        spark = session.sql("SELECT 1").df.sparkSession
        frame = frame_of(spark, collation)
        frame.createOrReplaceTempView(VIEW)
        session.sql(f"CREATE TABLE t ({COLUMNS.format(c=collation)})")
        by_bytes = sorted(range(len(TEXTS)), key=lambda at: (TEXTS[at] or "").encode())
        for first in range(0, len(by_bytes), 6):
            session.write(frame.where(frame.id.isin(by_bytes[first : first + 6]))).mode("append").saveAsTable("t")
        try:
            yield Grid(session, spark, collation, {})
        finally:
            spark.catalog.dropTempView(VIEW)
