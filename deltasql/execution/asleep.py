"""An engine that has not been started: most statements on metadata never start it.

Questions whose answer is no without a session are answered without a start; any other starts the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from deltasql.engines.door import EMPTY, RewriteOutcome, RowReader, Stage, StatementEngine
from deltasql.log.storage.stores import Stores
from deltasql.plan.operators import Operator, Rearrange, Rewrite, SqlQuery, Supplied, Write
from deltasql.plan.reads import Reads
from deltasql.plan.way import Way
from deltasql.result import Columnar, RowSource
from deltasql.schema.types import DataType, StructType

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from deltasql.datafiles.staged import Staged
    from deltasql.log.actions.actions import AddCDCFile
    from deltasql.log.replay.snapshot import Snapshot


class Asleep:
    """A placeholder for the engine of a statement until it is needed; `wake` makes it. Implements `StatementEngine`."""

    def __init__(self, stores: Stores, wake: Callable[[], StatementEngine]) -> None:
        self.stores = stores
        self._wake = wake
        self._engine: StatementEngine | None = None

    @property
    def _awake(self) -> StatementEngine:
        if self._engine is None:
            self._engine = self._wake()
        return self._engine

    # What an engine that sleeps answers

    @property
    def started(self) -> bool:
        return self._engine is not None and self._engine.started

    def setting(self, key: str) -> str | None:
        return None if self._engine is None else self._engine.setting(key)

    def knows(self, parts: Sequence[str]) -> bool:
        return self._engine is not None and self._engine.knows(parts)

    def knows_view(self, parts: Sequence[str]) -> bool:
        return self._engine is not None and self._engine.knows_view(parts)

    def knows_function(self, parts: Sequence[str]) -> bool:
        return self._engine is not None and self._engine.knows_function(parts)

    def temporary_views(self) -> list[str]:
        return [] if self._engine is None else self._engine.temporary_views()

    def forget_view(self, parts: Sequence[str]) -> None:
        if self._engine is not None:
            self._engine.forget_view(parts)

    def forget_function(self, name: str) -> None:
        if self._engine is not None:
            self._engine.forget_function(name)

    def release(self) -> None:
        if self._engine is not None:
            self._engine.release()

    # What wakes it

    @property
    def is_plain(self) -> bool:
        return self._awake.is_plain

    @property
    def makes_functions(self) -> bool:
        return self._awake.makes_functions

    def functions(self, kind: str) -> list[str]:
        return self._awake.functions(kind)

    def schema(self, operator: Operator) -> StructType:
        return self._awake.schema(operator)

    def types(
        self,
        scope: Sequence[tuple[Operator, str]],
        expressions: Sequence[str],
        relations: Mapping[str, Operator] = EMPTY,
    ) -> list[DataType]:
        return self._awake.types(scope, expressions, relations)

    def spark_plan(self, operator: Operator, mode: str) -> str:
        return self._awake.spark_plan(operator, mode)

    def way(self, operator: Operator) -> Way:
        return self._awake.way(operator)

    def mover(self, operator: Operator, location: str) -> str | None:
        return self._awake.mover(operator, location)

    def value(self, expression: str, relations: Mapping[str, Operator] = EMPTY) -> Any:
        return self._awake.value(expression, relations)

    def reads_below(self, rows: Supplied, location: str) -> bool:
        return self._awake.reads_below(rows, location)

    def stage(
        self,
        root: str,
        partition_columns: tuple[str, ...],
        configuration: Mapping[str, str],
        *,
        stores_partitions: bool = False,
    ) -> Stage:
        return self._awake.stage(root, partition_columns, configuration, stores_partitions=stores_partitions)

    def write(self, operator: Write, stage: Stage, table: str) -> Staged:
        return self._awake.write(operator, stage, table)

    def rewrite(
        self, operator: Rewrite, stage: Stage, table: str, *, merge: bool, insert: bool = False
    ) -> RewriteOutcome:
        return self._awake.rewrite(operator, stage, table, merge=merge, insert=insert)

    def rearrange(self, operator: Rearrange, stage: Stage) -> tuple[Staged, tuple[int, ...]]:
        return self._awake.rearrange(operator, stage)

    def record(self, changes: Operator, schema: StructType, stage: Stage) -> tuple[AddCDCFile, ...]:
        return self._awake.record(changes, schema, stage)

    def rows(self, operator: Operator) -> RowSource:
        return self._awake.rows(operator)

    def run_through(self, operator: Operator) -> int:
        return self._awake.run_through(operator)

    def previewed(self, operator: Operator, table: str) -> RowSource:
        return self._awake.previewed(operator, table)

    def command(self, sql: str, relations: Mapping[str, Operator], function: str = "") -> RowSource:
        return self._awake.command(sql, relations, function)

    def row_reader(
        self,
        snapshot: Snapshot,
        reads: Reads | None = None,
        probe: Rewrite | SqlQuery | None = None,
        stage: Stage | None = None,
        time_zone: str | None = None,
    ) -> RowReader:
        return self._awake.row_reader(snapshot, reads, probe, stage, time_zone)

    def frame_of(self, rows: Columnar) -> DataFrame:
        return self._awake.frame_of(rows)
