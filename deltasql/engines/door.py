"""The door to the engines: what the planner asks of one, and what execution has it do."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from deltasql.datafiles.staged import Staged
from deltasql.log.actions.actions import AddCDCFile, AddFile
from deltasql.log.storage.stores import Stores
from deltasql.plan.operators import (
    Operator,
    Rearrange,
    Rewrite,
    RowAction,
    RowEffect,
    RowKind,
    SqlQuery,
    Supplied,
    Write,
)
from deltasql.plan.reads import Reads
from deltasql.plan.way import Way
from deltasql.result import Columnar, RowSource
from deltasql.schema.types import DataType, StructType

if TYPE_CHECKING:
    import numpy as np
    from pyspark.sql import DataFrame

    from deltasql.log.actions.vector_writer import MarkedFile
    from deltasql.log.commit.moved_rows import Places
    from deltasql.log.commit.row_rebase import RowPositions
    from deltasql.log.replay.snapshot import Snapshot

EMPTY: Mapping[str, Operator] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What a rewrite did: new files, log paths of the replaced ones, rows per action, and rows copied unchanged.

    `marked` are the positions (sorted) of changed rows in files that stay, by log path.
    """

    staged: Staged
    removed: tuple[str, ...]
    counts: tuple[int, ...]
    copied: int
    source_rows: int
    marked: Mapping[str, np.ndarray[Any, Any]] = field(default_factory=dict)

    def rows(self, actions: tuple[RowAction, ...], effect: RowEffect, kind: RowKind | None = None) -> int:
        """Rows on which actions of an effect (and a kind) ran."""
        pairs = zip(actions, self.counts, strict=True)
        return sum(n for action, n in pairs if action.effect is effect and kind in {None, action.kind})


class EngineNames(Protocol):
    """Views, functions and tables that the engine has by name. Only what says so starts it."""

    def knows(self, parts: Sequence[str]) -> bool:
        """Whether Spark has a table or view of this name; a Spark of our own has no tables. Asks only a running one."""

    def knows_view(self, parts: Sequence[str]) -> bool:
        """Whether Spark has a temporary view of this name, as a DataFrame makes one. Asks only a running Spark."""

    def knows_function(self, parts: Sequence[str]) -> bool:
        """Whether Spark has a temporary function of this name. Asks only a running Spark."""

    @property
    def makes_functions(self) -> bool:
        """Whether the engine has temporary functions of SQL; else the session keeps them. Starts Spark."""

    def functions(self, kind: str) -> list[str]:
        """The names that Spark's SHOW {USER | SYSTEM | ALL} FUNCTIONS tells; USER asks only a running Spark."""

    def temporary_views(self) -> list[str]:
        """The names of Spark's own temporary views, if it is running."""

    def forget_view(self, parts: Sequence[str]) -> None:
        """Takes a temporary view out of the engine: a view of ours has its name now, or it is dropped."""

    def forget_function(self, name: str) -> None:
        """Takes a temporary function out of the engine: one of ours has its name now, or it is dropped."""


class Analyst(EngineNames, Protocol):
    """The engine's answers to questions that only Spark's analyser can answer. Most start Spark."""

    @property
    def stores(self) -> Stores:
        """Where tables lie. Starts no engine."""

    @property
    def started(self) -> bool:
        """Whether Spark is up, so that it may know names that the catalog does not."""

    @property
    def is_plain(self) -> bool:
        """Whether rows are computed by a Spark of our own, with no settings but those of SET."""

    def schema(self, operator: Operator) -> StructType:
        """The columns of an operator's rows."""

    def types(
        self,
        scope: Sequence[tuple[Operator, str]],
        expressions: Sequence[str],
        relations: Mapping[str, Operator] = EMPTY,
    ) -> list[DataType]:
        """The types of expressions over the joined rows of some operators, each under its alias."""

    def spark_plan(self, operator: Operator, mode: str) -> str:
        """Spark's own plan of an operator's rows, in a mode of its EXPLAIN: extended, formatted, cost, codegen."""

    def setting(self, key: str) -> str | None:
        """A Spark setting, if Spark is running and has it."""

    def way(self, operator: Operator) -> Way:
        """Who computes the rows of `operator`, and why, as far as that is certain before rows are read. Starts no
        engine.
        """

    def mover(self, operator: Operator, location: str) -> str | None:
        """Who moves the files at a location for `operator`: "driver" or "executors". None: Spark does, as always on a
        local disk.
        """

    def value(self, expression: str, relations: Mapping[str, Operator] = EMPTY) -> Any:
        """The value of a constant expression, or of a sub-query over `relations`."""

    def reads_below(self, rows: Supplied, location: str) -> bool:
        """Whether a DataFrame of the caller's reads files of the table at `location`."""


class Stage(Protocol):
    """The place of one statement's new files, of which nobody knows until a commit names them."""

    @property
    def directories(self) -> tuple[str, ...]:
        """The folders of the table that hold what was staged."""

    def also(self, path: str) -> None:
        """Counts a file of the table, which somebody else wrote, as staged."""

    def need(self, needed: bool) -> None:
        """Says that a commit refers to the files, or may do so: they are not discarded then."""

    def discard(self) -> None:
        """Removes every file that was staged, unless a commit may need them."""


class RowReader(Protocol):
    """Answers about rows that a commit needs when it lost a race. Paths are canonical.

    See `log.commit.row_rebase.RowReader` and `log.commit.moved_rows.Follower`, whose questions these are.
    """

    def candidates(self, adds: Sequence[AddFile]) -> Sequence[AddFile]: ...

    def selects(self, adds: Sequence[AddFile], only: RowPositions | None = None) -> bool: ...

    def seen(self, paths: Collection[str]) -> Mapping[str, MarkedFile]: ...

    def follow(self, moved: Mapping[str, MarkedFile], outputs: Mapping[str, AddFile]) -> Places | None: ...

    def as_read(self, paths: Collection[str]) -> Mapping[str, AddFile]: ...

    def count_rows(self, add: AddFile) -> int: ...


class Runtime(Protocol):
    """The engine while it works on one statement. Its errors are DeltaSqlErrors, placed in the statement's text."""

    @property
    def stores(self) -> Stores:
        """Where tables lie. Starts no engine."""

    def stage(
        self,
        root: str,
        partition_columns: tuple[str, ...],
        configuration: Mapping[str, str],
        *,
        stores_partitions: bool = False,
    ) -> Stage:
        """A fresh place for files below the table at `root`. With `stores_partitions` files hold these columns, too."""

    def write(self, operator: Write, stage: Stage, table: str) -> Staged:
        """Stages the rows of `operator`."""

    def rewrite(self, operator: Rewrite, stage: Stage, table: str, *, merge: bool, insert: bool = False) -> Rewritten:
        """Stages the successors of the files that hold a changed row.

        `merge` and `insert` say which statement errors speak of; else it is UPDATE or DELETE.
        """

    def rearrange(self, operator: Rearrange, stage: Stage) -> tuple[Staged, tuple[int, ...]]:
        """Stages the rows of `operator` in new files, and gives the bin of each origin."""

    def record(self, changes: Operator, schema: StructType, stage: Stage) -> tuple[AddCDCFile, ...]:
        """Stages files of the change data feed: the columns of `schema` of some rows, and their CHANGE_TYPE."""

    def rows(self, operator: Operator) -> RowSource:
        """The rows of a query, computed when they are asked for."""

    def run_through(self, operator: Operator) -> int:
        """Computes all rows of a query, keeps none of them, and counts them."""

    def previewed(self, operator: Operator, table: str) -> RowSource:
        """The rows of a query that says what a write would store in `table`; its errors are those of the write."""

    def command(self, sql: str, relations: Mapping[str, Operator], function: str = "") -> RowSource:
        """Runs a statement of the engine's own, which makes the temporary function of that name."""

    def row_reader(
        self,
        snapshot: Snapshot,
        reads: Reads | None = None,
        probe: Rewrite | SqlQuery | None = None,
        stage: Stage | None = None,
        time_zone: str | None = None,
    ) -> RowReader:
        """Answers about rows of a table of which a statement has read `snapshot`, and rows by `probe`."""

    def frame_of(self, rows: Columnar) -> DataFrame:
        """A DataFrame of rows that are here already."""

    def release(self) -> None:
        """Lets go of what the engine holds for the statement's commit."""


class StatementEngine(Analyst, Runtime, Protocol):
    """All that the planner and execution ask of an engine, for one statement."""
