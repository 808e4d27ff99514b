"""What a planned statement comes to: rows that are already known, a query, or a change of a table or the catalog.

A change is data: the session runs it, EXPLAIN prints it, a golden compares it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, Union

from deltasql.errors.base import Caret, DeltaSqlError
from deltasql.errors.secrets import shown_value
from deltasql.log.actions.operations import Operation, Outcome
from deltasql.log.reading.copy_log import LoadedFiles
from deltasql.log.storage.source_files import ListedFile
from deltasql.plan.operators import Operator, Rearrange, Rewrite, Write
from deltasql.plan.parameters import BoundStatement
from deltasql.plan.reads import NO_ROWS, Reads, RowReads
from deltasql.planner.catalog_changes import CatalogChange, FunctionChange, Registration, ViewChange
from deltasql.planner.layout_result import Considered
from deltasql.schema.types import LONG, STRING, StructField, StructType

if TYPE_CHECKING:
    import pyarrow as pa

    from deltasql.log.actions.actions import Action, Metadata
    from deltasql.log.actions.cloned_files import ClonedFiles
    from deltasql.log.replay.delta_log import DeltaLog
    from deltasql.log.replay.snapshot import Snapshot


_Change = TypeVar("_Change", bound="OfOneCommit")


@dataclass(frozen=True, slots=True)
class Answer:
    """Rows that need no engine: of SHOW, DESCRIBE, SET. Without columns: nothing to show."""

    schema: StructType = StructType()
    rows: tuple[tuple[Any, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class QueryRows:
    """Rows of a query, evaluated when they are asked for."""

    operator: Operator


@dataclass(frozen=True, slots=True)
class LogRows:
    """Rows of a query that the log of its table knows; `told` says so in EXPLAIN.

    `query` gives the plan by which Spark would find the same rows, for who asks for a DataFrame.
    """

    schema: StructType
    rows: tuple[tuple[Any, ...], ...]
    told: str
    query: Callable[[], QueryRows]


@dataclass(frozen=True, slots=True)
class Preview:
    """Rows as a write would store them in `table`, which are computed and checked at once, and stored nowhere."""

    operator: Operator
    table: str


@dataclass(frozen=True, slots=True)
class Analysis:
    """The rows of `planned`, which are computed, and neither given to anybody nor committed.

    `text` is what EXPLAIN tells of it, `read` which files are read.
    """

    planned: QueryRows | RowChange
    text: str
    read: str


@dataclass(frozen=True, slots=True)
class SparkCommand:
    """A statement that Spark runs, its table references bound to `relations`.

    `function` is the temporary function that it makes: Spark would keep it for as long as the process lasts.
    """

    sql: str
    relations: Mapping[str, Operator]
    function: str = ""


@dataclass(frozen=True, slots=True)
class Verification:
    """A look at the rows before a commit: if `broken` has any, `error` is raised and nothing is changed."""

    broken: Operator
    error: DeltaSqlError


@dataclass(frozen=True, slots=True)
class CommitSpec:
    """What one commit says and depends on, whatever becomes of rows.

    `snapshot` is what the statement read; None: the table is created. `actions` are those that the plan knows. `reads`
    is what winners of a race must not have touched. `tags` go into the commitInfo, and `user_metadata` in place of the
    session's. `afterwards` are settings that change once the commit is there.
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
class OfOneCommit:
    """A change of a table that comes to one commit."""

    commit: CommitSpec

    def committing(self: _Change, **spec: Any) -> _Change:
        """This change with other fields of its CommitSpec."""
        return replace(self, commit=replace(self.commit, **spec))


@dataclass(frozen=True, slots=True)
class TableChange(OfOneCommit):
    """One commit without new rows.

    `removed` are files (rows of `Snapshot.files()`) that leave the table. `answer` is what the statement returns, and
    `metrics` go into the history in place of those of `removed`. With `checkpoint` the version is to have one; then
    log files that only versions older than `forget_before_ms` need are deleted, if that is given.
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
    """Several commits, each planned when the one before is there, on the table as it is then; `label` names them all.

    The statement's result is the last one's. If a step fails, those before it stay: a step leaves a table that is
    whole, and the same statement goes on from there. Where it does not, the error says so: `step` is what each is
    called then. `commits` is False where no step changes a table.
    """

    label: str
    steps: Iterator[Plan]
    step: str | None = None
    commits: bool = True


@dataclass(frozen=True, slots=True)
class Load:
    """What COPY INTO loads: `new` files are noted besides those `known`; `skipped` ones are damaged, and left alone.

    With `forced` files are loaded whether others have loaded them or not.
    """

    new: tuple[ListedFile, ...]
    known: LoadedFiles
    skipped: int = 0
    forced: bool = False


@dataclass(frozen=True, slots=True)
class RowChange(OfOneCommit):
    """One commit with rows: `operator` stages files, `removed` leave besides those that a Rewrite replaces.

    `metadata` is the table's once the commit is there. With `dynamic_overwrite` the partitions that the new rows
    fall into are replaced; which files that are is known when the rows are written. `identities` are the identity
    columns whose numbers the statement makes. `rows` are for telling apart what others change meanwhile. `load` is
    there where the rows are those of files that are to be loaded once. With `keeps_null_partitions` a dynamic
    overwrite replaces no partition of a NULL.
    """

    operator: Write | Rewrite
    metadata: Metadata
    removed: pa.Table | None = None
    dynamic_overwrite: bool = False
    keeps_null_partitions: bool = False
    skip_if_empty: bool = False
    rearranges: bool = False
    identities: tuple[str, ...] = ()
    rows: RowReads = NO_ROWS
    load: Load | None = None


@dataclass(frozen=True, slots=True)
class LayoutChange(OfOneCommit):
    """One commit that puts rows into other files and changes none of them. `considered` is for the result's counts."""

    operator: Rearrange
    considered: Considered

    @property
    def snapshot(self) -> Snapshot:
        """What the statement read: a table that is not there has nothing to rearrange."""
        assert self.commit.snapshot is not None
        return self.commit.snapshot


@dataclass(frozen=True, slots=True)
class CloneChange(OfOneCommit):
    """One commit by which a table gets the files of another one. `files` that are to be copied go into `folder` first.

    `answer` is what the statement returns; the history has the same numbers as `metrics`.
    """

    files: ClonedFiles
    folder: str
    answer: Answer
    metrics: Mapping[str, int]


class Candidates(Enum):
    """Where VACUUM looks for files that may go: in the table's folder, in the log, or in an inventory."""

    FOLDER = "the files of its folder"
    LOG = "the files that the log has removed"
    INVENTORY = "the files of the inventory"


@dataclass(frozen=True, slots=True)
class FileRemoval:
    """The files of a table's folder go that nobody has needed for `retention_ms`; with `dry_run` they are only listed.

    `inventory` gives the rows of Candidates.INVENTORY: path, length, isDir, modificationTime. `logged` says whether
    two commits note begin and end, the first with `parameters`.
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
    """The manifests of a version are written, for readers of symlink tables. No commit."""

    log: DeltaLog
    snapshot: Snapshot


@dataclass(frozen=True, slots=True)
class SettingChange:
    """SET key = value, or RESET: `value` None forgets the key, `key` None all."""

    key: str | None
    value: str | None

    def answer(self) -> tuple[StructType, tuple[tuple[str, str], ...]]:
        """What SET returns: the pair that it stored, a secret left out. RESET returns nothing."""
        if self.key is None or self.value is None:
            return StructType(), ()
        return KEY_VALUE, ((self.key, shown_value(self.key, self.value)),)


class Step(Enum):
    """What a statement does to the session's transaction."""

    BEGIN = "begin"
    COMMIT = "commit"
    ROLLBACK = "roll back"


@dataclass(frozen=True, slots=True)
class TransactionStep:
    """BEGIN TRANSACTION, COMMIT or ROLLBACK. `caret` is the statement's place."""

    step: Step
    caret: Caret


@dataclass(frozen=True, slots=True)
class BlockStatement:
    """One statement of a block; its text begins at `start` of the block's."""

    bound: BoundStatement
    start: int


@dataclass(frozen=True, slots=True)
class AtomicBlock:
    """Statements that become one commit, planned one after another, each on what those before it have done.

    `sql` is the block, and `caret` where it says that it is one.
    """

    sql: str
    caret: Caret
    statements: tuple[BlockStatement, ...]


Plan: TypeAlias = Union[
    Answer,
    QueryRows,
    LogRows,
    Preview,
    Analysis,
    SparkCommand,
    TableChange,
    RowChange,
    LayoutChange,
    CloneChange,
    FileRemoval,
    ManifestChange,
    Stepwise,
    CatalogChange,
    SettingChange,
    ViewChange,
    TransactionStep,
    AtomicBlock,
    FunctionChange,
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

OUTCOME_SCHEMAS: Mapping[Outcome, StructType] = {
    Outcome.NONE: StructType(),
    Outcome.INSERT: INSERTED,
    Outcome.UPDATE: AFFECTED,
    Outcome.DELETE: AFFECTED,
    Outcome.MERGE: MERGED,
    Outcome.COPY: COPIED,
}
