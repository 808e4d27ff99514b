"""Writes of DataFrames, by `df.write` and the like, as statements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from deltasql.plan.base import LogicalPlan, SqlText, TableName
from deltasql.plan.operators import MemoryRows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


DATAFRAME = SqlText("(DataFrame)", 0)
"""The query of a statement whose rows are those of a DataFrame, and the name of a temporary view of such rows."""


class WriteMode(Enum):
    """The effect of a write on an existing table, and without one."""

    APPEND = "append"
    OVERWRITE = "overwrite"
    ERROR = "error"
    """Creates a table; an existing one is an error."""
    IGNORE = "ignore"
    """Creates a table; does nothing where one exists."""
    REPLACE = "replace"
    """Replaces the definition of a table that must exist."""
    CREATE_OR_REPLACE = "create or replace"


@dataclass(frozen=True, slots=True)
class StreamBatch:
    """One micro-batch of a streaming query: the query's id, the batch's number from 0, and the output mode's name."""

    query_id: str
    batch_id: int
    output_mode: str


@dataclass(frozen=True, slots=True)
class CreateForFrame(LogicalPlan):
    """df.writeStream.toTable(t): creates the table for the rows of `write`, empty, unless it exists."""

    write: WriteFrame


@dataclass(frozen=True, slots=True)
class WriteFrame(LogicalPlan):
    """df.write.mode(…).option(…).partitionBy(…).saveAsTable(t)

    Columns go by name, or by position. The table is created if it is missing, unless it `must_exist`. `partitioned_by`
    and `clustered_by` are None where the writer does not give them. Keys of `options` are in lower case.
    """

    table: TableName
    frame: DataFrame | MemoryRows
    mode: WriteMode
    options: Mapping[str, str] = field(default_factory=dict)
    partitioned_by: tuple[str, ...] | None = None
    clustered_by: tuple[str, ...] | None = None
    by_name: bool = True
    must_exist: bool = False
    batch: StreamBatch | None = None
