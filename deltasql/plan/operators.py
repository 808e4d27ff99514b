"""The closed set of physical operators, by which rows are read, computed and written, and the read sets of statements.

An operator is data. The planner builds trees of them, EXPLAIN prints them, an engine or this process evaluates them.
Expressions in operators are SQL text in Spark's dialect, mostly as the user wrote it. A function of Python is an
operator without rows.

A read set is the files and rows that a statement depends on, and that concurrent commits must not have changed. The
shape of new data files is their compression and size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, Union

from deltasql.base import pa
from deltasql.schema import DataType, RowIdColumns, StructType

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


METADATA = "_metadata"
"""Column of a described scan: a struct of the row's file, its row index and, with row tracking, its row id."""
READ_COLUMNS = ("path", "partitionValues", "size", "deletionVector")
"""Columns of `Snapshot.files()` that a Scan has for files that are only read."""
SCAN_COLUMNS = (*READ_COLUMNS, "location", "stats")
"""Columns of `Snapshot.files()` that a Scan has for files that may be replaced."""
ROW_ID_COLUMNS = ("baseRowId", "defaultRowCommitVersion")
"""Further columns of `Snapshot.files()` that a Scan needs to give row ids."""


@dataclass(frozen=True, slots=True)
class TableVersion:
    """A version of a table: its `name` in the statement, and the location of its log.

    `asked` where the statement asks for this version, which may be an older one.
    """

    name: str
    location: str
    version: int
    asked: bool = False


@dataclass(frozen=True, slots=True)
class Pruning:
    """How the files of a scan were chosen, out of `total_files`.

    They were chosen by `predicate`, with columns qualified by `alias`: rows for which it is not TRUE are not needed.
    `narrowed` gives the paths of those that also meet a condition of `log.skipping`, by statistics read before.
    """

    total_files: int
    predicate: str | None = None
    alias: str | None = None
    narrowed: Callable[[Any], pa.ChunkedArray] | None = field(default=None, compare=False)


@dataclass(frozen=True, eq=False, slots=True)
class ReadInProcess:
    """Marks a scan whose files this process should read, whatever their size.

    `keys` are values of columns, by physical name, without NULLs, whole numbers 64 bits wide: rows that have another
    value in one of these columns may be missing.
    """

    keys: Mapping[str, pa.Array] = field(default_factory=dict)


@dataclass(frozen=True, eq=False, slots=True)
class Scan:
    """Rows of some data files of one table version, as `schema`.

    `files` has the columns `path` (as in the log), `size`, `partitionValues` (struct of strings) and `deletionVector`
    (its descriptor, or null), or all of SCAN_COLUMNS. With `identity` each row also carries ROW_FILE, ROW_INDEX and
    TARGET_PRESENT. With `row_ids` it carries ROW_ID and ROW_VERSION, and `files` have ROW_ID_COLUMNS as well. Rows of a
    `described` scan have METADATA, and without `identity` not these two. With `marked_only` the rows in the deletion
    vectors are read, and no others; with `in_process` this process reads them if it can, and some may be missing: see
    ReadInProcess.
    """

    table: TableVersion
    schema: StructType
    partition_columns: tuple[str, ...]
    files: pa.Table
    pruning: Pruning
    identity: bool = False
    row_ids: RowIdColumns | None = None
    described: bool = False
    marked_only: bool = False
    in_process: ReadInProcess | None = None


@dataclass(frozen=True, slots=True)
class FileColumns:
    """The columns of files: those `declared`, matched by name where the files have names; None: those of the files.

    `hints` are types of single fields, by path. The column `rescued` (None: there is none) has what no other column
    holds, as JSON.
    """

    declared: StructType | None = None
    hints: tuple[tuple[tuple[str, ...], DataType], ...] = ()
    rescued: str | None = None


@dataclass(frozen=True, eq=False, slots=True)
class SourceFiles:
    """Rows of `files` (absolute paths, decoded) in a format that Spark reads, with `options` of its reader.

    `root` is the folder below which folders such as `p=1` are columns; `size` is in bytes. Rows of a `described` source
    have METADATA besides. `access` are options of the storage, for this source alone. `schema` are the columns; None
    are those that Spark finds, or those of `columns`. The files of a table (`is_table`) are read with Spark's own
    defaults.
    """

    root: str
    format: str
    files: tuple[str, ...]
    size: int
    options: Mapping[str, str]
    described: bool = False
    access: Mapping[str, str] = field(default_factory=dict)
    schema: StructType | None = None
    is_table: bool = False
    columns: FileColumns | None = None


@dataclass(frozen=True, eq=False, slots=True)
class UnionAll:
    """The rows of all `inputs`, which have the same columns."""

    inputs: tuple[Operator, ...]


@dataclass(eq=False, slots=True)
class RowTally:
    """Conditions, by name, of which the rows of a query are counted while a statement writes them.

    Rows that do not satisfy one of those in `drops` are counted, and left out. An engine sets `counts`. After the rows
    were written it gives, by name, the rows that satisfy a condition and those that do not; {} where that is not known.
    """

    conditions: Mapping[str, str]
    drops: frozenset[str] = frozenset()
    counts: Callable[[], Mapping[str, tuple[int, int]]] | None = None


@dataclass(frozen=True, eq=False, slots=True)
class SqlQuery:
    """Rows of a query in Spark SQL; `relations` are the rows behind the view names that `sql` uses.

    The query of a view is analysed under the `settings` of its creation (None: not set), and has the columns of `view`.
    `renames` is set for a query that only gives the columns of another one other names, `tally` for one whose rows are
    counted.
    """

    sql: str
    relations: Mapping[str, Operator] = field(default_factory=dict)
    label: str = ""
    settings: Mapping[str, str | None] = field(default_factory=dict)
    view: ViewColumns | None = None
    renames: RenamedQuery | None = None
    tally: RowTally | None = None


@dataclass(frozen=True, eq=False, slots=True)
class RenamedQuery:
    """A query whose columns get `names`, by position."""

    query: SqlQuery
    names: tuple[str, ...]


@dataclass(frozen=True, eq=False, slots=True)
class SqlFunction:
    """A function of SQL, which a query calls by its name among the relations; it has no rows.

    `text` is the text behind the name in CREATE FUNCTION, and uses the names of `relations`; it is analysed under
    `settings` (None: not set). A function that is not `stable` may give another value when it is called again.
    """

    text: str
    relations: Mapping[str, Operator] = field(default_factory=dict)
    settings: Mapping[str, str | None] = field(default_factory=dict)
    label: str = ""
    stable: bool = True


@dataclass(frozen=True, slots=True)
class ViewColumns:
    """The columns of a view over its query, whose tables may have changed: those called `names`, as `schema`.

    Values are cast to the types of `schema` without loss; with `cast` by any cast; without `typed` they keep their
    types. `remedy` is the statement that creates the view anew.
    """

    view: str
    names: tuple[str, ...]
    schema: StructType
    remedy: str
    cast: bool = False
    typed: bool = True


@dataclass(frozen=True, eq=False, slots=True)
class MemoryRows:
    """Rows that the caller has in memory: an Arrow table with the columns of `schema`, in their types."""

    schema: StructType
    table: pa.Table

    @property
    def rows(self) -> int:
        return int(self.table.num_rows)


@dataclass(frozen=True, eq=False, slots=True)
class Supplied:
    """The rows of a DataFrame of the caller's. `names` rename its columns, by position; () leaves them."""

    frame: DataFrame | MemoryRows
    names: tuple[str, ...] = ()


LiteralValue: TypeAlias = Union[bool, int, float, Decimal, str, bytes, None]
"""A value as Parquet stores it: dates are days since 1970, timestamps microseconds since then, UTC or of a clock."""


@dataclass(frozen=True, eq=False, slots=True)
class Literals:
    """Rows of literals in the statement: the values of each column of `schema`, which are of its type.

    A struct, array or map is always NULL.
    """

    schema: StructType
    columns: tuple[tuple[LiteralValue, ...], ...]

    @property
    def rows(self) -> int:
        return len(self.columns[0])


@dataclass(frozen=True, eq=False, slots=True)
class Project:
    """`columns`, each a name and the SQL text of its value, over the rows of `child`. `declared` are the types of
    columns that are declared with lengths, by which Spark compares CHAR."""

    child: Operator
    columns: tuple[tuple[str, str], ...]
    declared: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False, slots=True)
class Number:
    """The rows of `child` with ORDINAL. With `single` one task reads the few rows, whose numbers then have no gaps."""

    child: Operator
    single: bool = False


@dataclass(frozen=True, eq=False, slots=True)
class Check:
    """The rows of `child`; one that does not satisfy all `conditions` fails the statement."""

    child: Operator
    conditions: tuple[Constraint, ...]


@dataclass(frozen=True, slots=True)
class Constraint:
    """A condition of every written row. `column` is set for NOT NULL; errors show no value of columns in `masked`."""

    name: str
    condition: str
    column: str | None = None
    masked: frozenset[str] = frozenset()


class RowKind(Enum):
    """The rows of the join of target and source that an action may apply to."""

    MATCHED = "matched"
    NOT_MATCHED = "not matched"
    NOT_MATCHED_BY_SOURCE = "not matched by source"


class RowEffect(Enum):
    """The effect of an action on its row."""

    UPDATE = "update"
    DELETE = "delete"
    INSERT = "insert"


@dataclass(frozen=True, slots=True)
class RowAction:
    """An action on rows of one kind. The first one whose `condition` (None: always) is TRUE applies to a row.

    `values` has one SQL text per output column; it is empty for DELETE.
    """

    kind: RowKind
    effect: RowEffect
    condition: str | None
    values: tuple[str, ...]

    def with_texts(self, texts: Callable[[str], str]) -> RowAction:
        """See `Rewrite.with_texts`."""
        condition = None if self.condition is None else texts(self.condition)
        return replace(self, condition=condition, values=tuple(map(texts, self.values)))


@dataclass(frozen=True, slots=True)
class EqualKey:
    """An equality that a join requires: SQL of the target's side and of the source's.

    `type` is the target column's, when its side is a plain column whose values compare as those of that type.
    """

    target: str
    source: str
    type: DataType | None


@dataclass(frozen=True, slots=True)
class Lookup:
    """Rows of a source that are joined as keys, apart from those inserted: the distinct values of `columns`.

    They are taken from the rows that satisfy `condition` (None: from all). `clause` is the clause that requires it.
    """

    columns: tuple[str, ...]
    condition: str | None
    clause: str


@dataclass(frozen=True, eq=False, slots=True)
class SourceJoin:
    """The source of a MERGE and how it is joined to the target: `on`, of which `equal_keys` are the equalities.

    With `unique_match` two source rows that change one target row are an error. With `is_materialized` the rows may
    differ when they are computed again, and are materialized until the commit. With a `lookup` the source's rows come
    once more as keys, marked by LOOKUP.
    """

    source: Operator
    alias: str
    on: str
    equal_keys: tuple[EqualKey, ...] = ()
    unique_match: bool = True
    is_materialized: bool = False
    lookup: Lookup | None = None


@dataclass(frozen=True, slots=True)
class Recording:
    """How a rewrite records its changes.

    With `vectors` changed rows are deleted by deletion vectors and files stay; else their files are rewritten. With
    `changes` the rows of the change data feed are written besides.
    """

    vectors: bool = False
    changes: bool = False


@dataclass(frozen=True, eq=False, slots=True)
class Rewrite:
    """Changes of rows of `target`: the files that hold them are rewritten, and rows that actions insert are written.

    Without a `join` every row of the target is MATCHED. `unchanged` has one SQL text per column of `output` for a row
    that no action applies to. `volatile` says that an expression may give another value when it is evaluated again.
    """

    target: Scan
    target_alias: str
    join: SourceJoin | None
    actions: tuple[RowAction, ...]
    unchanged: tuple[str, ...]
    output: StructType
    checks: tuple[Constraint, ...]
    relations: Mapping[str, Operator] = field(default_factory=dict)
    recording: Recording = Recording()
    volatile: bool = False

    @property
    def source(self) -> Operator | None:
        """The source's rows, where there is a source."""
        return None if self.join is None else self.join.source

    def with_texts(self, texts: Callable[[str], str]) -> Rewrite:
        """The operator with SQL texts of its conditions and values as `texts` gives them for the engine.

        Constraints stay unchanged, since errors quote them.
        """
        join = self.join
        if join is not None:
            keys = tuple(replace(key, source=texts(key.source)) for key in join.equal_keys)
            join = replace(join, on=texts(join.on), equal_keys=keys)
        return replace(self, actions=tuple(action.with_texts(texts) for action in self.actions), join=join)


@dataclass(frozen=True, eq=False, slots=True)
class Write:
    """New data files with the rows of `child`, which have the table's columns in order."""

    child: Operator
    output: StructType
    partition_columns: tuple[str, ...]
    single_file: bool = False


class Curve(Enum):
    """A space-filling curve over several columns, on which rows with near values in all of them lie close together."""

    ZORDER = "zorder"
    HILBERT = "hilbert"


@dataclass(frozen=True, eq=False, slots=True)
class Rearrange:
    """The live rows of `target`, unchanged, in new files: each bin of files becomes one file.

    `bins` has the number of each target file's bin, from 0 and ascending; the files of a bin are of one partition.
    Without a `curve` the rows keep their order, file by file. Else they are ordered along it by `columns` (paths), and
    bin n is cut into `slices[n]` files. With `stores_partitions` the new files hold the partition columns too.
    """

    target: Scan
    bins: pa.Array
    curve: Curve | None = None
    columns: tuple[tuple[str, ...], ...] = ()
    slices: tuple[int, ...] = ()
    stores_partitions: bool = False


@dataclass(frozen=True, slots=True)
class PythonFunction:
    """A function of Python, which a SqlFunction calls by its name among the relations; it has no rows.

    `name` is the user's, `code` is what stands in the statement, `handler` the function or class of it that is called,
    None where the code is the body of a function itself. `returns` is the type of the result, or the columns of the
    table that the class yields (`is_table`), in SQL.
    """

    name: str
    code: str
    handler: str | None
    parameters: tuple[str, ...]
    returns: str
    is_table: bool = False
    deterministic: bool = True


Operator: TypeAlias = Union[
    Scan,
    SourceFiles,
    UnionAll,
    SqlQuery,
    SqlFunction,
    PythonFunction,
    Supplied,
    MemoryRows,
    Literals,
    Project,
    Number,
    Check,
    Rewrite,
    Write,
    Rearrange,
]


def stored_schemas(operator: Operator) -> Iterator[StructType]:
    """The columns of the data files that are read and written for `operator`."""
    if isinstance(operator, Scan):
        yield operator.schema
    elif isinstance(operator, (Rewrite, Write)):
        yield operator.output
    for child in children(operator):
        yield from stored_schemas(child)


def children(operator: Operator) -> Iterator[Operator]:
    """The operators whose rows `operator` reads."""
    match operator:
        case Scan() | SourceFiles() | Supplied() | MemoryRows() | Literals() | PythonFunction():
            return
        case UnionAll():
            yield from operator.inputs
        case SqlQuery() | SqlFunction():
            yield from operator.relations.values()
        case Rewrite():
            yield operator.target
            if operator.source is not None:
                yield operator.source
            yield from operator.relations.values()
        case Rearrange():
            yield operator.target
        case Project() | Number() | Check() | Write():
            yield operator.child


def with_tally(operator: Operator, tally: RowTally) -> Operator | None:
    """`operator`, whose rows come from one query that counts them; None where they do not."""
    match operator:
        case SqlQuery(renames=RenamedQuery() as renamed):
            # The conditions name columns of the query within.
            return replace(operator, renames=replace(renamed, query=replace(renamed.query, tally=tally)))
        case SqlQuery():
            return replace(operator, tally=tally)
        case Write() | Check() | Project():
            child = with_tally(operator.child, tally)
            return None if child is None else replace(operator, child=child)
        case _:
            return None


def tallies(operator: Operator) -> Iterator[RowTally]:
    """The counts that the rows of `operator` need, and of those below it."""
    if isinstance(operator, SqlQuery):
        queries = (operator, *(() if operator.renames is None else (operator.renames.query,)))
        yield from (item.tally for item in queries if item.tally is not None)
    for child in children(operator):
        yield from tallies(child)


def evaluated_texts(operator: Operator) -> Iterator[str]:
    """The queries, conditions and values that an operator and those below it evaluate."""
    yield from texts_of(operator)
    for child in children(operator):
        yield from evaluated_texts(child)


def texts_of(operator: Operator) -> Iterator[str]:
    """Those of an operator alone."""
    match operator:
        case SqlQuery():
            yield operator.sql
        case SqlFunction():
            yield operator.text
        case Project():
            yield from (sql for _, sql in operator.columns)
        case Rewrite():
            if operator.join is not None:
                yield operator.join.on
            yield from (sql for action in operator.actions for sql in action.values)
            yield from (action.condition for action in operator.actions if action.condition is not None)


@dataclass(frozen=True, slots=True)
class Reads:
    """The files of its target that a statement has read, by log path, and the predicate that chose them.

    `matches` tells of partition values, as in the log, whether the predicate can accept a row there; None: in every
    partition. `alias` qualifies columns in the predicate.
    """

    predicate: str | None
    files: tuple[str, ...] = ()
    whole_table: bool = False
    matches: Callable[[Mapping[str, str | None]], bool] | None = None
    alias: str | None = None


@dataclass(frozen=True, slots=True)
class RowReads:
    """The rows that a statement depends on: those that `probe` acts on or, where it is a query, reads.

    The probe can be run over other files of the table than those of its scan, and gives the same result at any time.
    `advice` is set for a statement without a probe: why conflicts are not detected by row, and what the user could do.
    """

    probe: Rewrite | SqlQuery | None
    advice: str = ""


NO_ROWS = RowReads(None)
"""The row reads of a statement whose conflicts are detected by files alone."""


_SUFFIXES = {"zstd": ".zstd", "snappy": ".snappy", "gzip": ".gz", "lz4": ".lz4raw", "brotli": ".br"}
_DEFAULT = "snappy"


@dataclass(frozen=True, slots=True)
class FileShape:
    """The compression of new data files, one of `registry.readers.CODECS`, and the most rows of each (0: any number).

    `optimized`: the engine shuffles rows into fewer, larger files. `format_version` is Parquet's: 1.0.0, or 2.12.0 with
    data pages of version 2. Each is None where nobody says.
    """

    codec: str | None = None
    most_rows: int | None = None
    optimized: bool | None = None
    format_version: str | None = None

    @property
    def page_version(self) -> Literal["1.0", "2.0"]:
        """The version of data pages by Arrow's name."""
        return "2.0" if (self.format_version or "").startswith("2.") else "1.0"

    @property
    def arrow_codec(self) -> str:
        """The compression by Arrow's name."""
        codec = self.codec or _DEFAULT
        return "none" if codec == "uncompressed" else codec

    @property
    def is_only_by_arrow(self) -> bool:
        """Whether this process alone writes such files: Spark comes without the class for that compression."""
        return self.codec == "brotli"

    @property
    def suffix(self) -> str:
        """The end of the files' names, as of those that Spark writes."""
        return f"{_SUFFIXES.get(self.arrow_codec, '')}.parquet"

    @property
    def spark_options(self) -> dict[str, str]:
        """The options of Spark's writer; its settings count where nobody says."""
        options = {}
        if self.codec is not None:
            # What Spark calls lz4 is another framing, which few readers know.
            options["compression"] = "lz4_raw" if self.codec == "lz4" else self.codec
        if self.format_version is not None:
            options["parquet.writer.version"] = "v2" if self.page_version == "2.0" else "v1"
        if self.most_rows is not None:
            options["maxRecordsPerFile"] = str(self.most_rows)
        return options


ANY_SHAPE = FileShape()
