"""Plans of statements, as values: known rows, a query, or a change of a table or the catalog.

A change is data: the session runs it, EXPLAIN prints it, a golden compares it. The row of metrics that OPTIMIZE and
REORG return has Delta's columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, Union

from deltasql.base import Caret, DeltaSqlError, pa, shown_value
from deltasql.catalog import TableSource
from deltasql.log import ListedFile, LoadedFiles, Operation, Outcome
from deltasql.plan import (
    ANY_SHAPE,
    NO_ROWS,
    ColumnPath,
    FileShape,
    Operator,
    Reads,
    Rearrange,
    Rewrite,
    RowReads,
    SqlText,
    Write,
)
from deltasql.planner.catalog_changes import CatalogChange, FunctionChange, Registration, ViewChange
from deltasql.schema import BOOLEAN, DOUBLE, LONG, STRING, DataType, StructField, StructType
from deltasql.sql import BoundStatement, Parameter

if TYPE_CHECKING:
    from deltasql.log import Action, ClonedFiles, DeltaLog, Metadata, Snapshot


_Change = TypeVar("_Change", bound="SingleCommit")


@dataclass(frozen=True, slots=True)
class Answer:
    """Rows that need no engine: of SHOW, DESCRIBE, SET. Without columns: nothing to show."""

    schema: StructType = StructType()
    rows: tuple[tuple[Any, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class QueryRows:
    """Rows of a query, evaluated when they are fetched."""

    operator: Operator


@dataclass(frozen=True, slots=True)
class LogRows:
    """Rows of a query answered from the log of its table; `explain_text` is the text of EXPLAIN.

    `query` builds the plan by which Spark would compute the same rows, for callers that ask for a DataFrame.
    """

    schema: StructType
    rows: tuple[tuple[Any, ...], ...]
    explain_text: str
    query: Callable[[], QueryRows]


@dataclass(frozen=True, slots=True)
class Preview:
    """Rows as a write would store them in `table`; they are computed and checked at once, and not stored."""

    operator: Operator
    table: str


@dataclass(frozen=True, slots=True)
class Analysis:
    """Computes the rows of `planned`, and neither returns nor commits them (EXPLAIN ANALYZE).

    `text` is the text of EXPLAIN, `read` describes the files that are read.
    """

    planned: QueryRows | RowChange
    text: str
    read: str


@dataclass(frozen=True, slots=True)
class SparkCommand:
    """A statement that Spark runs, its table references bound to `relations`.

    `function` names the temporary function that it creates, which Spark would keep for the life of the process.
    """

    sql: str
    relations: Mapping[str, Operator]
    function: str = ""


@dataclass(frozen=True, slots=True)
class Verification:
    """Check of the rows before a commit: if `broken` returns any, `error` is raised and nothing is changed."""

    broken: Operator
    error: DeltaSqlError


@dataclass(frozen=True, slots=True)
class CommitSpec:
    """Contents of one commit apart from its rows, and its read set.

    `snapshot` is the version that the statement read; None: the table is created. `actions` are those known at
    planning. `reads` is the read set, against which winners of a race are checked. `tags` go into the commitInfo, and
    `user_metadata` in place of the session's. `afterwards` are settings that change after the commit.
    """

    log: DeltaLog
    snapshot: Snapshot | None
    operation: Operation
    parameters: Mapping[str, Any]
    actions: tuple[Action, ...] = ()
    reads: Reads | None = None
    register: Registration | None = None
    tags: Mapping[str, str] | None = None
    user_metadata: str | None = None
    afterwards: tuple[SettingChange, ...] = ()


@dataclass(frozen=True, slots=True)
class SingleCommit:
    """A change of a table by exactly one commit."""

    commit: CommitSpec

    def committing(self: _Change, **spec: Any) -> _Change:
        """This change with some fields of its CommitSpec replaced."""
        return replace(self, commit=replace(self.commit, **spec))


@dataclass(frozen=True, slots=True)
class TableChange(SingleCommit):
    """One commit without new rows.

    `removed` are the files to remove (rows of `Snapshot.files()`). `answer` is the statement's result, and `metrics` go
    into the history in place of those of `removed`. With `checkpoint` the version gets a checkpoint; then log files
    that only versions older than `forget_before_ms` need are deleted, if that is given.
    """

    removed: pa.Table | None = None
    skip_if_empty: bool = False
    verify: tuple[Verification, ...] = ()
    checkpoint: bool = False
    forget_before_ms: int | None = None
    answer: Answer | None = None
    metrics: Mapping[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Stepwise:
    """Several commits, each planned after the previous one, on the table as it is then; `label` names them all.

    The statement's result is the last one's. If a step fails, the commits before it stay: each step leaves a consistent
    table, and the same statement, repeated, resumes there. `step` is set where repeating would redo steps: the error
    then names each by this word. `commits` is False where no step changes a table.
    """

    label: str
    steps: Iterator[Plan]
    step: str | None = None
    commits: bool = True


@dataclass(frozen=True, slots=True)
class CopyLoad:
    """The files of a COPY INTO: `new` are recorded besides those `loaded`, `skipped` counts damaged ones.

    With `forced`, files are loaded even if a concurrent statement has loaded them.
    """

    new: tuple[ListedFile, ...]
    loaded: LoadedFiles
    skipped: int = 0
    forced: bool = False


class DynamicOverwrite(Enum):
    """Which partitions of its rows an overwrite replaces: all, or those without a NULL among their values."""

    ALL = "all"
    WITHOUT_NULL = "without null"


@dataclass(frozen=True, slots=True)
class RowChange(SingleCommit):
    """One commit with rows: `operator` stages files, `removed` are removed besides those that a Rewrite replaces.

    `metadata` is the table's after the commit. With a `dynamic_overwrite` partitions of the new rows are replaced;
    which files these are is known when the rows are written. `identities` are the identity columns whose values the
    statement generates. `rows` are the rows read, for row-level conflict detection. `load` is set for files that are to
    be loaded once. `rearranges` marks its actions as no data change. `shape` is that of the new
    files.
    """

    operator: Write | Rewrite
    metadata: Metadata
    removed: pa.Table | None = None
    dynamic_overwrite: DynamicOverwrite | None = None
    skip_if_empty: bool = False
    rearranges: bool = False
    identities: tuple[str, ...] = ()
    rows: RowReads = NO_ROWS
    load: CopyLoad | None = None
    shape: FileShape = ANY_SHAPE


@dataclass(frozen=True, slots=True)
class SourceWrite:
    """Writes rows as files of another format than Delta, which has no commits: files appear when the job is done.

    `schema` and `partition_columns` are the table's. `removed` are files that go afterwards, by their paths below the
    table's location; with `dynamic`, those of the partitions that the new rows are in. `register` names a new table.
    """

    operator: Operator
    table: str
    location: str
    source: TableSource
    removed: tuple[str, ...] = ()
    dynamic: bool = False
    register: Registration | None = None


@dataclass(frozen=True, slots=True)
class LayoutChange(SingleCommit):
    """One commit that rewrites files without changing rows. `considered` goes into the counts of the result."""

    operator: Rearrange
    considered: LayoutInput

    @property
    def snapshot(self) -> Snapshot:
        """The version that the statement read; a rewrite of files requires an existing table."""
        assert self.commit.snapshot is not None
        return self.commit.snapshot


@dataclass(frozen=True, slots=True)
class CloneChange(SingleCommit):
    """One commit by which a table gets the files of another one. `files` to be copied go into `folder` first.

    `answer` is the statement's result; the history has the same numbers as `metrics`.
    """

    files: ClonedFiles
    folder: str
    answer: Answer
    metrics: Mapping[str, int]


class Candidates(Enum):
    """Where VACUUM looks for candidate files: in the table's folder, in the log, or in an inventory."""

    FOLDER = "the files of its folder"
    LOG = "the files that the log has removed"
    INVENTORY = "the files of the inventory"


@dataclass(frozen=True, slots=True)
class FileRemoval:
    """Deletes files of a table's folder that no version of the last `retention_ms` needs; `dry_run` only lists them.

    `inventory` gives the rows of Candidates.INVENTORY: path, length, isDir, modificationTime. `logged` says whether two
    commits record start and end, the first with `parameters`.
    """

    log: DeltaLog
    snapshot: Snapshot
    retention_ms: int
    candidates: Candidates
    parameters: Mapping[str, Any]
    dry_run: bool = False
    logged: bool = True
    inventory: Operator | None = None


@dataclass(frozen=True, slots=True)
class ManifestChange:
    """Writes the manifests of a version, for readers of symlink tables, without a commit."""

    log: DeltaLog
    snapshot: Snapshot


@dataclass(frozen=True, slots=True)
class FileTransfer:
    """Copies a file to `target`, replacing one only with `overwrite`; with None removes it instead.

    Both are absolute locations. `shown` is the path that the statement calls the target, or the removed file.
    """

    source: str
    target: str | None
    overwrite: bool
    shown: str


@dataclass(frozen=True, slots=True)
class SettingChange:
    """SET key = value, or RESET: `value` None forgets the key, `key` None all. A silent one has no rows.

    `effect` is the setting that a parameter of Databricks SQL stands for, with its value.
    """

    key: str | None
    value: str | None
    is_silent: bool = False
    effect: tuple[str, str | None] | None = None

    def answer(self) -> tuple[StructType, tuple[tuple[str, str], ...]]:
        """The result of SET: the stored pair, a secret redacted. RESET returns no rows."""
        if self.key is None or self.value is None or self.is_silent:
            return StructType(), ()
        return KEY_VALUE, ((self.key, shown_value(self.key, self.value)),)


class Step(Enum):
    """Effect of a statement on the session's transaction."""

    BEGIN = "begin"
    COMMIT = "commit"
    ROLLBACK = "roll back"


@dataclass(frozen=True, slots=True)
class TransactionStep:
    """BEGIN TRANSACTION, COMMIT or ROLLBACK. `caret` locates the statement in its text."""

    step: Step
    caret: Caret


@dataclass(frozen=True, slots=True)
class BlockStatement:
    """One statement of a block; `start` is the offset of its text in the block's."""

    bound: BoundStatement
    start: int


@dataclass(frozen=True, slots=True)
class AtomicBlock:
    """BEGIN ATOMIC: statements that become one commit, planned in order, each on the result of those before it.

    `sql` is the block, and `caret` locates BEGIN ATOMIC in it.
    """

    sql: str
    caret: Caret
    statements: tuple[BlockStatement, ...]


@dataclass(frozen=True, slots=True)
class CallArgument:
    """A parameter of a procedure with its argument in one call.

    `value` is an expression of the calling statement; None stands for the default. `variable` is the one that an OUT or
    INOUT parameter writes, None where the call names none.
    """

    parameter: Parameter
    value: SqlText | None = None
    variable: ColumnPath | None = None


@dataclass(frozen=True, slots=True)
class ProcedureCall:
    """Runs the script of a procedure.

    `text` is CREATE PROCEDURE, in which the script begins at `start`. `namespace` are catalog and schema for its
    names, None for those of the caller. `statement` is the calling one, in which the arguments stand.
    """

    name: str
    text: str
    start: int
    arguments: tuple[CallArgument, ...]
    namespace: tuple[str, str] | None
    statement: BoundStatement


Plan: TypeAlias = Union[
    Answer,
    QueryRows,
    LogRows,
    Preview,
    Analysis,
    SparkCommand,
    TableChange,
    RowChange,
    SourceWrite,
    LayoutChange,
    CloneChange,
    FileRemoval,
    FileTransfer,
    ManifestChange,
    Stepwise,
    CatalogChange,
    SettingChange,
    ViewChange,
    TransactionStep,
    AtomicBlock,
    FunctionChange,
    ProcedureCall,
]

KEY_VALUE = StructType((StructField("key", STRING, False), StructField("value", STRING, False)))
AFFECTED = StructType((StructField("num_affected_rows", LONG),))
INSERTED = StructType((StructField("num_affected_rows", LONG), StructField("num_inserted_rows", LONG)))
COPIED = StructType((*INSERTED, StructField("num_skipped_corrupt_files", LONG)))
MERGED = StructType(
    (
        StructField("num_affected_rows", LONG),
        StructField("num_updated_rows", LONG),
        StructField("num_deleted_rows", LONG),
        StructField("num_inserted_rows", LONG),
    )
)

REFRESHED = StructType((StructField("refresh", STRING), StructField("reason", STRING)))

OUTCOME_SCHEMAS: Mapping[Outcome, StructType] = {
    Outcome.NONE: StructType(),
    Outcome.INSERT: INSERTED,
    Outcome.UPDATE: AFFECTED,
    Outcome.DELETE: AFFECTED,
    Outcome.MERGE: MERGED,
    Outcome.COPY: COPIED,
    Outcome.REFRESH: REFRESHED,
}


def _struct(**columns: DataType) -> StructType:
    return StructType(tuple(StructField(name, kind, isinstance(kind, StructType)) for name, kind in columns.items()))


def _nullable(*names: str) -> StructType:
    return StructType(tuple(StructField(name, LONG) for name in names))


_SIZES = StructType((*_nullable("min", "max"), *_struct(avg=DOUBLE, totalFiles=LONG, totalSize=LONG)))
_CUBES, _ZORDERED = _struct(numFiles=LONG, size=LONG), _struct(num=LONG, size=LONG)
METRICS = _struct(
    numFilesAdded=LONG,
    numFilesRemoved=LONG,
    filesAdded=_SIZES,
    filesRemoved=_SIZES,
    partitionsOptimized=LONG,
    zOrderStats=StructType(
        (
            StructField("strategyName", STRING),
            *_struct(
                inputCubeFiles=_ZORDERED,
                inputOtherFiles=_ZORDERED,
                inputNumCubes=LONG,
                mergedFiles=_ZORDERED,
                numOutputCubes=LONG,
            ),
            StructField("mergedNumCubes", LONG),
        )
    ),
    clusteringStats=_struct(
        inputZCubeFiles=_CUBES,
        inputOtherFiles=_CUBES,
        inputNumZCubes=LONG,
        mergedFiles=_CUBES,
        numOutputZCubes=LONG,
    ),
    numBins=LONG,
    numBatches=LONG,
    totalConsideredFiles=LONG,
    totalFilesSkipped=LONG,
    preserveInsertionOrder=BOOLEAN,
    numFilesSkippedToReduceWriteAmplification=LONG,
    numBytesSkippedToReduceWriteAmplification=LONG,
    startTimeMs=LONG,
    endTimeMs=LONG,
    totalClusterParallelism=LONG,
    totalScheduledTasks=LONG,
    autoCompactParallelismStats=_nullable(
        "maxClusterActiveParallelism",
        "minClusterActiveParallelism",
        "maxSessionActiveParallelism",
        "minSessionActiveParallelism",
    ),
    deletionVectorStats=_struct(numDeletionVectorsRemoved=LONG, numDeletionVectorRowsRemoved=LONG),
    numTableColumns=LONG,
    numTableColumnsWithStats=LONG,
)
OPTIMIZED = StructType((StructField("path", STRING), StructField("metrics", METRICS)))


@dataclass(frozen=True, slots=True)
class Cubes:
    """(number, bytes) of clustered `files`, and of the `others`. `number` counts the cubes."""

    files: tuple[int, int]
    others: tuple[int, int]
    number: int


@dataclass(frozen=True, slots=True)
class LayoutInput:
    """Files considered by OPTIMIZE: number and bytes. `columns` is (columns of the table, columns with statistics)."""

    files: int
    bytes: int
    columns: tuple[int, int]
    started_ms: int
    zorder: bool = False
    cubes: Cubes | None = None


@dataclass(frozen=True, slots=True)
class LayoutOutcome:
    """The outcome: sizes of files added and removed, numbers of bins and partitions, (deletion vectors, their rows)."""

    added: Sequence[int] = ()
    removed: Sequence[int] = ()
    bins: int = 0
    partitions: int = 0
    vectors: tuple[int, int] = (0, 0)
    tasks: int = 0
    ended_ms: int = 0


def layout_row(uri: str, considered: LayoutInput, done: LayoutOutcome) -> tuple[Any, ...]:
    """The result row, with the columns of OPTIMIZED."""
    merged = (len(done.removed), sum(done.removed))
    metrics = (
        len(done.added),
        len(done.removed),
        _distribution(done.added),
        _distribution(done.removed),
        done.partitions,
        _zordered(considered, merged, done.bins) if considered.zorder else None,
        None if considered.cubes is None else _clustering(considered.cubes, merged, done.bins),
        done.bins,
        1,
        considered.files,
        considered.files - len(done.removed),
        not considered.zorder and considered.cubes is None,
        0,
        0,
        considered.started_ms,
        done.ended_ms or considered.started_ms,
        0,
        done.tasks,
        None,
        done.vectors if done.vectors[0] else None,
        *considered.columns,
    )
    return uri, metrics


def layout_metrics(done: LayoutOutcome) -> dict[str, int]:
    """The metrics of the commit of an OPTIMIZE, under the names that the history has: files, bytes, percentiles."""
    sizes = sorted(done.added)

    def share(part: float) -> int:
        return sizes[min(int(len(sizes) * part), len(sizes) - 1)] if sizes else 0

    return {
        "numAddedFiles": len(sizes),
        "numAddedBytes": sum(sizes),
        "numRemovedFiles": len(done.removed),
        "numRemovedBytes": sum(done.removed),
        "numDeletionVectorsRemoved": done.vectors[0],
        "minFileSize": share(0),
        "p25FileSize": share(0.25),
        "p50FileSize": share(0.5),
        "p75FileSize": share(0.75),
        "maxFileSize": share(1),
    }


def _distribution(sizes: Sequence[int]) -> tuple[Any, ...]:
    if not sizes:
        return None, None, 0.0, 0, 0
    return min(sizes), max(sizes), sum(sizes) / len(sizes), len(sizes), sum(sizes)


def _zordered(considered: LayoutInput, merged: tuple[int, int], bins: int) -> tuple[Any, ...]:
    return "all", (0, 0), (considered.files, considered.bytes), 0, merged, bins, None


def _clustering(cubes: Cubes, merged: tuple[int, int], bins: int) -> tuple[Any, ...]:
    return cubes.files, cubes.others, cubes.number, merged, bins
