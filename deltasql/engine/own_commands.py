"""Statements of Spark's own that another engine has not, done by this process: variables, files in a directory."""

from __future__ import annotations

from collections.abc import Mapping

from deltasql.engine.reading.frames import Frames
from deltasql.engine.reading.own_variables import run_variable_command
from deltasql.engine.session.spark import SparkHandle
from deltasql.engine.writing.directory_files import write_directory
from deltasql.errors.engine import NotOnSailError
from deltasql.plan.operators import Operator
from deltasql.sql.cursor import LeftToSparkError
from deltasql.sql.dialects.directories import directory_write
from deltasql.sql.dialects.sail import unlike_command


def done_here(spark: SparkHandle, frames: Frames, sql: str, relations: Mapping[str, Operator]) -> bool:
    """Runs a statement that gives no rows; FALSE where it is left to the engine. Raises NotOnSailError, SparkError."""
    if run_variable_command(sql, spark.variables, lambda query: frames.query(query, relations)):
        return True
    try:
        told = directory_write(sql)
    except LeftToSparkError:
        raise NotOnSailError(what="INSERT OVERWRITE DIRECTORY in this form") from None
    if told is not None:
        write_directory(spark.stores, told, frames.query(told.query, relations))
        return True
    if what := unlike_command(sql):
        raise NotOnSailError(what=what)
    return False
