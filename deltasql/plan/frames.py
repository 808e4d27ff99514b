"""Writes of DataFrames: what `df.write` says, as a statement like any other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from deltasql.plan.base import LogicalPlan, SqlText, TableName
from deltasql.plan.operators import HeldRows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


DATAFRAME = SqlText("(DataFrame)", 0)
"""Stands where a statement of SQL has its query."""


class WriteMode(Enum):
    """What a write does to a table, and what it does where there is one or none."""

    APPEND = "append"
    OVERWRITE = "overwrite"
    ERROR = "error"
    """A new table, else an error."""
    IGNORE = "ignore"
    """A new table, else nothing."""
    REPLACE = "replace"
    """A new definition for a table that must be there."""
    CREATE_OR_REPLACE = "create or replace"


@dataclass(frozen=True, slots=True)
class StreamBatch:
    """One micro-batch of a streaming query: the query's id, the batch's number from 0, and the output mode's name."""

    query_id: str
    batch_id: int
    output_mode: str


@dataclass(frozen=True, slots=True)
class CreateForFrame(LogicalPlan):
    """df.writeStream.toTable(t): the table that is to hold the rows of `write`, empty, unless it is there."""

    write: WriteFrame


@dataclass(frozen=True, slots=True)
class WriteFrame(LogicalPlan):
    """df.write.mode(…).option(…).partitionBy(…).saveAsTable(t)

    Columns go by name, or by position. The table is created if it is missing, unless it `must_exist`.
    `partitioned_by` and `clustered_by` are None where the writer did not say. Keys of `options` are in lower case.
    """

    table: TableName
    frame: DataFrame | HeldRows
    mode: WriteMode
    options: Mapping[str, str] = field(default_factory=dict)
    partitioned_by: tuple[str, ...] | None = None
    clustered_by: tuple[str, ...] | None = None
    by_name: bool = True
    must_exist: bool = False
    batch: StreamBatch | None = None
