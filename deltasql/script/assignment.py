"""Values of a row that go into variables without a detour through literals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING
from uuid import uuid4

from deltasql.plan.hidden import hidden
from deltasql.plan.operators import Supplied
from deltasql.planner.changes import SparkCommand
from deltasql.result import Columnar
from deltasql.schema.types import STRING, VARIANT, StructField, StructType
from deltasql.script.host import ResultRows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def assignment(variables: Sequence[str], row: ResultRows, frame_of: Callable[[Columnar], DataFrame]) -> SparkCommand:
    """The command that gives variables the values of a row; a single one of several values takes them as its fields."""
    names = [f"c{index}" for index in range(len(row.schema))]
    # Variants come as their JSON.
    stored = (STRING if item.type == VARIANT else item.type for item in row.schema)
    schema = StructType(tuple(StructField(name, kind) for name, kind in zip(names, stored, strict=True)))
    frame = frame_of(ResultRows(schema, row.table.rename_columns(names)))
    pairs = zip(names, row.schema, strict=True)
    values = [f"parse_json({name})" if item.type == VARIANT else name for name, item in pairs]
    as_fields = len(variables) == 1 and len(values) > 1
    value = f"struct({', '.join(values)})" if as_fields else ", ".join(values)
    view = hidden(uuid4().hex)
    sql = f"SET VARIABLE ({', '.join(variables)}) = (SELECT {value} FROM {view})"
    return SparkCommand(sql, {view: Supplied(frame)})
