"""Protocols of an engine: the questions of the planner, and the work that execution has it do."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from deltasql.base import np
from deltasql.catalog import TableSource
from deltasql.files import Columnar, RowSource, Staged
from deltasql.log import AddCDCFile, AddFile, Stores
from deltasql.plan import (
    ANY_SHAPE,
    FileShape,
    Operator,
    Reads,
    Rearrange,
    Rewrite,
    RowAction,
    RowEffect,
    RowKind,
    SqlQuery,
    Supplied,
    Way,
    Write,
)
from deltasql.schema import DataType, StructType

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from deltasql.log import MarkedFile, NewPositions, RowPositions, Snapshot

EMPTY: Mapping[str, Operator] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class RewriteOutcome:
    """Result of a file rewrite: new files, log paths of the replaced ones, rows per action, and rows copied unchanged.

    `source_rows` is the number of source rows. `marked` has the sorted row indexes for deletion vectors of files that
    stay, by log path.
    """

    staged: Staged
    removed: tuple[str, ...]
    counts: tuple[int, ...]
    copied: int
    source_rows: int
    marked: Mapping[str, np.ndarray[Any, Any]] = field(default_factory=dict)

    def rows(self, actions: tuple[RowAction, ...], effect: RowEffect, kind: RowKind | None = None) -> int:
        """The number of rows on which actions of an effect (and of a kind, if given) ran."""
        pairs = zip(actions, self.counts, strict=True)
        return sum(n for action, n in pairs if action.effect is effect and kind in {None, action.kind})


class EngineNames(Protocol):
    """The engine's named views, functions and tables. Nothing starts the engine unless its docstring says so."""

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
        """The names that Spark's SHOW {USER | SYSTEM | ALL} FUNCTIONS lists; USER asks only a running Spark."""

    def temporary_views(self) -> list[str]:
        """The names of Spark's own temporary views, if it is running."""

    def forget_view(self, parts: Sequence[str]) -> None:
        """Drops a temporary view from the engine: deltasql has a view of this name now, or the view is dropped."""

    def forget_function(self, name: str) -> None:
        """Drops a temporary function from the engine: deltasql has one of this name now, or it is dropped."""


class Analyst(EngineNames, Protocol):
    """The engine's answers to questions that only Spark's analyser can answer. Most start Spark."""

    @property
    def stores(self) -> Stores:
        """The stores of the tables. Starts no engine."""

    @property
    def started(self) -> bool:
        """Whether Spark runs, so that it may have names that the catalog lacks."""

    @property
    def is_plain(self) -> bool:
        """Whether rows are computed by a Spark that deltasql started, with no settings but those of SET."""

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
        """Whether this process or the engine computes the rows of `operator`, with the reason, as far as that is
        decided before rows are read. Starts no engine.
        """

    def mover(self, operator: Operator, location: str) -> str | None:
        """File I/O at a location for `operator`: by "driver" or by "executors". None: by Spark, as always on a local
        disk.
        """

    def value(self, expression: str, relations: Mapping[str, Operator] = EMPTY) -> Any:
        """The value of a constant expression, or of a sub-query over `relations`."""

    def reads_below(self, rows: Supplied, location: str) -> bool:
        """Whether a DataFrame passed in by the caller reads files of the table at `location`."""


class Stage(Protocol):
    """Staging area for one statement's new files, which are invisible until a commit refers to them."""

    @property
    def directories(self) -> tuple[str, ...]:
        """The table's folders that contain the staged files."""

    def also(self, path: str) -> None:
        """Adds a file of the table, which this stage did not write, to the staged files."""

    def need(self, needed: bool) -> None:
        """Sets whether a commit refers, or may refer, to the staged files; if so, `discard` keeps them."""

    def discard(self) -> None:
        """Removes every file that was staged, unless a commit may need them."""


class RowReader(Protocol):
    """Queries about rows of data files that conflict resolution needs. Paths are canonical.

    See `log.commit.row_rebase.RowReader` and `log.commit.moved_rows.Follower`, whose questions these are.
    """

    def candidates(self, adds: Sequence[AddFile]) -> Sequence[AddFile]: ...

    def selects(self, adds: Sequence[AddFile], only: RowPositions | None = None) -> bool: ...

    def seen(self, paths: Collection[str]) -> Mapping[str, MarkedFile]: ...

    def follow(self, moved: Mapping[str, MarkedFile], outputs: Mapping[str, AddFile]) -> NewPositions | None: ...

    def as_read(self, paths: Collection[str]) -> Mapping[str, AddFile]: ...

    def count_rows(self, add: AddFile) -> int: ...


class Runtime(Protocol):
    """The engine while it works on one statement. Its errors are DeltaSqlErrors, placed in the statement's text."""

    @property
    def stores(self) -> Stores:
        """The stores of the tables. Starts no engine."""

    def stage(
        self,
        root: str,
        partition_columns: tuple[str, ...],
        configuration: Mapping[str, str],
        *,
        stores_partitions: bool = False,
        shape: FileShape = ANY_SHAPE,
    ) -> Stage:
        """A new staging area below the table at `root`. With `stores_partitions`, files contain partition columns."""

    def write(self, operator: Write, stage: Stage, table: str) -> Staged:
        """Stages the rows of `operator`."""

    def write_files(self, operator: Operator, location: str, source: TableSource, table: str) -> int:
        """Writes rows as files of another format into an empty folder; returns their number."""

    def rewrite(
        self, operator: Rewrite, stage: Stage, table: str, *, merge: bool, insert: bool = False
    ) -> RewriteOutcome:
        """Stages the successors of the files that contain a changed row.

        `merge` and `insert` select the statement that error messages name; otherwise it is UPDATE or DELETE.
        """

    def rearrange(self, operator: Rearrange, stage: Stage) -> tuple[Staged, tuple[int, ...]]:
        """Stages the rows of `operator` in new files; the second item has the bin of each origin number."""

    def record(self, changes: Operator, schema: StructType, stage: Stage) -> tuple[AddCDCFile, ...]:
        """Stages change data files with the rows of `changes`: the columns of `schema`, and CHANGE_TYPE."""

    def rows(self, operator: Operator) -> RowSource:
        """The rows of a query, computed when they are asked for."""

    def run_through(self, operator: Operator) -> int:
        """Computes all rows of a query without keeping them, and returns their number."""

    def previewed(self, operator: Operator, table: str) -> RowSource:
        """The rows that a write would store in `table`, by a query; its errors are those of the write."""

    def command(self, sql: str, relations: Mapping[str, Operator], function: str = "") -> RowSource:
        """Runs a statement that only the engine supports; `function` names the temporary function that it creates."""

    def row_reader(
        self,
        snapshot: Snapshot,
        reads: Reads | None = None,
        probe: Rewrite | SqlQuery | None = None,
        stage: Stage | None = None,
        time_zone: str | None = None,
    ) -> RowReader:
        """A RowReader for a statement that has read `snapshot`; `probe` selects the rows that it depends on."""

    def frame_of(self, rows: Columnar) -> DataFrame:
        """A DataFrame of rows that are already in this process."""

    def release(self) -> None:
        """Releases the resources that the engine holds until the statement's commit."""


class StatementEngine(Analyst, Runtime, Protocol):
    """The complete engine interface of the planner and of execution, for one statement."""

    def variables_lock(self) -> AbstractContextManager[object]:
        """Held by a script while it has variables in the engine's session."""
