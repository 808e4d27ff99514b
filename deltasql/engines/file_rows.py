"""Rows of a query that this process may read from files; an engine for all other uses of the query."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from deltasql.base.errors.base import LeftToEngineError
from deltasql.base.interrupts import interruptible
from deltasql.base.lazy import pa
from deltasql.engines.choice import is_small
from deltasql.engines.local.plain_scans import PlainScan
from deltasql.engines.local.selections import SelectedRows
from deltasql.engines.local.sources import LocalRows
from deltasql.engines.spark.rows import connect_rows
from deltasql.files.facts import SessionFacts
from deltasql.files.result import RowSource
from deltasql.plan.way import ComputedBy, record_way, recorded_ways, ways_recorded
from deltasql.schema.arrow_types import declared_rows
from deltasql.schema.types import ArrayType, DataType, MapType, StructType

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class FileRows:
    """The rows of a query that are those of files, or in memory.

    One by one they come without an engine, and as Arrow without Spark; Sail's Arrow has types of its own. `query` has
    them for the rest. Implements `deltasql.files.result.RowSource`.
    """

    def __init__(
        self, rows: PlainScan | SelectedRows | LocalRows, session: SessionFacts, query: Callable[[], RowSource]
    ) -> None:
        self._rows, self._session, self._make = rows, session, query
        self._ways = recorded_ways()

    @cached_property
    def _query(self) -> RowSource:
        with ways_recorded(self._ways):
            return self._make()

    @contextmanager
    def _in_process(self) -> Iterator[None]:
        """Context: work on rows in this process, which ends quietly where the engine is to compute them after all."""
        try:
            with interruptible():
                yield
        except LeftToEngineError as left:
            self._ways.clear()
            with ways_recorded(self._ways):
                record_way(ComputedBy.ENGINE, left.reason)

    @property
    def df(self) -> DataFrame:
        return self._query.df

    @property
    def schema(self) -> StructType:
        return self._rows.schema

    def collect(self) -> Sequence[Sequence[Any]]:
        if self._gives_rows:
            with self._in_process():
                return connect_rows(self._rows.table(self._session), self.schema)
        return self._query.collect()

    @property
    def _gives_rows(self) -> bool:
        """Whether rows are as the engine's: Spark gives maps in another order than that in which they are stored."""
        return self._session.is_in_process or not _has_maps(self.schema)

    @property
    def _are_few(self) -> bool:
        """Whether to read them all costs less than to ask an engine for some, or for their number."""
        return not isinstance(self._rows, PlainScan) or is_small(self._rows.scan)

    def head(self, n: int) -> Sequence[Sequence[Any]]:
        if self._gives_rows and self._are_few:
            with self._in_process():
                return connect_rows(self._rows.table(self._session).slice(0, n), self.schema)
        return self._query.head(n)

    def count(self) -> int:
        if self._are_few:
            with self._in_process():
                return int(self._rows.table(self._session).num_rows)
        return self._query.count()

    def to_arrow(self) -> pa.Table:
        if not self._session.is_in_process:
            with self._in_process():
                return declared_rows(self._rows.table(self._session), self.schema)
        return self._query.to_arrow()

    def to_pandas(self) -> Any:
        return self._query.to_pandas()


def _has_maps(kind: DataType) -> bool:
    match kind:
        case MapType():
            return True
        case ArrayType(element=element):
            return _has_maps(element)
        case StructType():
            return any(_has_maps(item.type) for item in kind)
        case _:
            return False
