"""Spark statements that Sail lacks, executed by this process: session variables, INSERT OVERWRITE DIRECTORY."""

from __future__ import annotations

import re
from collections.abc import Mapping

from deltasql.engines.sail.dialect.directories import directory_write
from deltasql.engines.sail.directory_files import write_directory
from deltasql.engines.sail.guards.unsupported import unsupported_command
from deltasql.engines.sail.session_variables import variables_of
from deltasql.engines.sail.variables import run_variable_command
from deltasql.engines.spark.reading.frames import Frames
from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.engines.spark.session.spark_types import frame_schema
from deltasql.errors.engine import NotOnSailError
from deltasql.plan.operators import Operator
from deltasql.result import CommandRows, RowSource
from deltasql.schema.text import type_text
from deltasql.schema.types import STRING, StructField, StructType
from deltasql.sql.cursor import LeftToEngineError

_NOTHING = StructType(())
_COLUMN = StructType(tuple(StructField(name, STRING) for name in ("col_name", "data_type", "comment")))
_DESCRIBE = re.compile(r"\s*desc(?:ribe)?\s+(?:query\s+)?(?=(?:select|with|from|values|table)\b)", re.IGNORECASE)


def run_in_process(spark: SparkHandle, frames: Frames, sql: str, relations: Mapping[str, Operator]) -> RowSource | None:
    """Result rows of a statement executed by this process; None for any other. Raises NotOnSailError, SparkError."""
    if run_variable_command(sql, variables_of(spark), lambda query: frames.query(query, relations)):
        return CommandRows(_NOTHING, ())
    try:
        write = directory_write(sql)
    except LeftToEngineError:
        raise NotOnSailError(what="INSERT OVERWRITE DIRECTORY in this form") from None
    if write is not None:
        write_directory(spark.stores, write, frames.query(write.query, relations))
        return CommandRows(_NOTHING, ())
    query = _DESCRIBE.match(sql)
    if query is not None:
        columns = frame_schema(frames.query(sql[query.end() :], relations))
        return CommandRows(_COLUMN, ((field.name, type_text(field.type), None) for field in columns))
    if what := unsupported_command(sql):
        raise NotOnSailError(what=what)
    return None
