"""PySpark logs failed queries with a stack of the JVM: not those that deltasql tells of, and nothing else changes."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.logger import PySparkLogger

from deltasql import DeltaSqlError, Session, connect

pytestmark = pytest.mark.spark


def test_failed_statements_are_not_logged(people: Session, tmp_path: Path) -> None:
    spark = people.sql("SELECT 1").df.sparkSession
    logger = PySparkLogger.getLogger("SQLQueryContextLogger")
    seen: list[logging.LogRecord] = []

    class Seen(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            seen.append(record)

    handler = Seen()
    logger.addHandler(handler)
    before = (logger.level, list(logger.handlers), list(logger.filters))
    try:
        with connect(str(tmp_path / "other"), spark) as other:
            for text in ("SELECT 1/0", "SELECT nope", "CREATE TABLE made AS SELECT 1/0 AS a"):
                with pytest.raises(DeltaSqlError):
                    other.sql(text).collect()
        assert seen == []
        with pytest.raises(PySparkException):
            spark.sql("SELECT 1/0").collect()
        assert len(seen) == 1
        assert (logger.level, logger.handlers, logger.filters) == before
    finally:
        logger.removeHandler(handler)
