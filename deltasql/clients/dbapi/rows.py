"""The rows of one result, fetched from the first to the last, as Python values or as Arrow tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from deltasql.base.errors.engine import TimeOutOfRangeError
from deltasql.base.lazy import pa
from deltasql.files.result import Result, Row, to_row
from deltasql.schema.types import ArrayType, DataType, MapType, PrimitiveType, StructType


class FetchedRows(Protocol):
    """Computed rows of a result."""

    @property
    def count(self) -> int:
        """The number of rows."""

    def part(self, start: int, end: int) -> list[Row]:
        """The rows from `start` to before `end`. Raises TimeOutOfRangeError."""

    def table(self, start: int, end: int) -> pa.Table:
        """The rows from `start` to before `end`, as an Arrow table."""


def rows_of(result: Result) -> FetchedRows:
    """The rows of a result; those of a query are computed now, as Arrow data if their types allow."""
    if not result.is_query:
        return BufferedRows(result.schema, result.collect())
    if all(_has_columns(item.type) for item in result.schema):
        return ArrowRows(result.schema, result.to_arrow())
    return BufferedRows(result.schema, result.collect())


class BufferedRows:
    """Implements Rows for Python values."""

    def __init__(self, schema: StructType, rows: Sequence[Row]) -> None:
        self._schema, self._rows = schema, rows

    @property
    def count(self) -> int:
        return len(self._rows)

    def part(self, start: int, end: int) -> list[Row]:
        return list(self._rows[start:end])

    def table(self, start: int, end: int) -> pa.Table:
        from deltasql.schema.result_arrow import to_table

        return to_table(self._schema, self._rows[start:end])


class ArrowRows:
    """Implements Rows for an Arrow table. Timestamps come out as aware datetimes, in the zone of the session."""

    def __init__(self, schema: StructType, table: pa.Table) -> None:
        self._schema, self._table = schema, table

    @property
    def count(self) -> int:
        return int(self._table.num_rows)

    def part(self, start: int, end: int) -> list[Row]:
        part = self.table(start, end)
        try:
            columns = [column.to_pylist() for column in part.columns]
        except (ValueError, OverflowError) as error:
            raise TimeOutOfRangeError from error
        if not columns:
            return [Row((), ()) for _ in range(part.num_rows)]
        return [to_row(self._schema, values) for values in zip(*columns, strict=True)]

    def table(self, start: int, end: int) -> pa.Table:
        return self._table.slice(start, max(0, end - start))


_NO_ARROW = ("interval year", "interval month", "interval", "geometry", "geography", "time")


def _has_columns(kind: DataType) -> bool:
    """Whether PySpark can return values of a type as Arrow data."""
    match kind:
        case PrimitiveType(name=name):
            return not name.startswith(_NO_ARROW) or name.startswith(("timestamp", "interval day"))
        case ArrayType(element=element):
            return _has_columns(element)
        case MapType(key=key, value=value):
            return _has_columns(key) and _has_columns(value)
        case StructType():
            return all(_has_columns(item.type) for item in kind)
        case _:
            return True
