"""In-process evaluation of UPDATE, DELETE, MERGE, INSERT … SELECT and CREATE TABLE … AS, with checks of constraints.

For few rows a request to the engine takes longer than their computation; many rows take longer to send than to compute.
Every expression must be known to evaluate as in Spark (see `sql.evaluated`), and sources are those of `sources`. Any
other statement is left to an engine. Rows of literals, or that the caller has in memory, need no engine either.

Files of small tables are read and written as a whole; of larger ones only rows that may change are read, and the others
are copied, see `files.writing.successors`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from functools import partial, reduce
from typing import Any

from deltasql.base import LeftToEngineError, Numbers, np, pa, pc
from deltasql.engines.choice import ViolatedError, is_small, require_searching, shown_columns, spreads_rows
from deltasql.engines.local.selections import (
    BoundRows,
    ScanFilter,
    computed_table,
    indexes_where,
    plain_rows,
    require_plain,
    rows_of,
    true_mask,
    values,
)
from deltasql.engines.local.sources import LocalRows, equal_pairs, equalities, local_rows, paired
from deltasql.engines.rewriting import (
    Positions,
    candidates,
    changed_columns,
    marked,
    most_changed,
    outcome,
    partition_folder,
    partition_values,
    positions_of,
    rewritten_files,
    same_columns,
    subset,
)
from deltasql.files import (
    ADDRESS,
    CHANGED_ROWS,
    CORES,
    FILE_BYTES,
    ORIGIN,
    CompactionGroup,
    FileStage,
    Piece,
    SessionFacts,
    Staged,
    are_among,
    as_stored,
    file_numbers,
    in_memory,
    index_mask,
    reader_schema,
    require_memory,
    slice_between,
    spark_uri,
    split_addresses,
)
from deltasql.plan import (
    EVALUATED,
    IN_MEMORY,
    Check,
    ComputedBy,
    Constraint,
    Literals,
    MemoryRows,
    Operator,
    Project,
    Rewrite,
    RowAction,
    RowEffect,
    RowKind,
    Scan,
    SqlQuery,
    Way,
    Write,
    hidden_names,
)
from deltasql.planner import RewriteOutcome
from deltasql.schema import STRING, ArrayType, MapType, StructField, StructType, is_mapped, physical_name
from deltasql.sql import (
    Compared,
    RowExpression,
    RowScope,
    columns_of,
    current_micros,
    row_condition,
    row_expression,
    value_of,
)

_MOST_ROWS = 100
"""So many violating rows are compared, to see whether they give one error."""


@dataclass(frozen=True, eq=False, slots=True)
class RowCheck:
    """A constraint of written rows, and its compiled condition over their columns."""

    constraint: Constraint
    condition: RowExpression


def row_checks(constraints: Iterable[Constraint], columns: StructType) -> list[RowCheck]:
    """The checks of rows with `columns`. Raises LeftToEngineError where one may differ from the engine's."""
    scope = RowScope({"": columns})
    return [RowCheck(constraint, row_condition(constraint.condition, scope)) for constraint in constraints]


def require_satisfied(checks: Sequence[RowCheck], table: pa.Table, *, in_order: bool = False) -> None:
    """Raises ViolatedError for rows that violate one of `checks`: for the first of them if rows are written `in_order`.

    Raises LeftToEngineError where several errors are possible, or the error shows a value that JSON may spell otherwise
    than Spark does: the engine then chooses, and shows it.
    """
    rows = rows_of("", table)
    before = np.zeros(rows.count, dtype=bool)
    violations = dict[tuple[int, str], ViolatedError]()
    for check in checks:
        # A row is reported for the first constraint that it violates.
        broken = ~true_mask(check.condition, rows) & ~before
        before |= broken
        indexes = np.flatnonzero(broken)
        if len(indexes) > _MOST_ROWS and check.constraint.column is None:
            raise LeftToEngineError("many rows violate a constraint")
        for index in indexes if check.constraint.column is None else indexes[:1]:
            error = ViolatedError(check.constraint, _shown(check.constraint, table, int(index)))
            violations.setdefault((int(index) if in_order else 0, f"{error.constraint.name} {error.row}"), error)
    if len(violations) > 1 and not in_order:
        raise LeftToEngineError("rows violate constraints in several ways")
    if violations:
        raise violations[min(violations)]


def _shown(constraint: Constraint, table: pa.Table, index: int) -> dict[str, Any]:
    """The values of a row that the error of a constraint shows, as JSON has them. Raises LeftToEngineError."""
    if constraint.column is not None:
        return {}
    names = [name for name in table.column_names if name.lower() not in constraint.masked]
    return {name: _as_json(table.column(name)[index]) for name in shown_columns(names, constraint.condition)}


def _as_json(scalar: pa.Scalar) -> Any:
    try:
        value = scalar.as_py()
    except (ValueError, OverflowError):
        # Dates that Python has not.
        raise LeftToEngineError("a row violates a constraint") from None
    if type(value) is date:
        return value.isoformat()
    if isinstance(value, Decimal):
        return float(value)
    if value is None or isinstance(value, (bool, int, str)):
        return value
    raise LeftToEngineError("a row violates a constraint")


_LONGEST_NAME = 60
"""Bytes of a text that a directory is called after: of longer ones an engine says whether they are too long."""


def write_in_process(session: SessionFacts, operator: Write, stage: FileStage) -> Staged:
    """Stages the rows of `operator`. Raises LeftToEngineError, with nothing staged, where an engine computes them.

    Raises ViolatedError, DataFileNotFoundError, UnreadableDataFileError, NothingToHoldError, StorageError.
    """
    match operator.child:
        case Literals() as rows:
            return stage.write_literals(rows)
        case MemoryRows() as rows:
            return stage.write_memory_rows(rows)
    require_writable(session, operator)
    if stage.stores_partitions:
        raise LeftToEngineError("the table keeps partition values in its files")
    source = _rows(session, operator)
    if source.pieces is not None:
        return _streamed(session, source.pieces(), operator, stage)
    table = source.read()
    refuse_long_names(table, operator.output, operator.partition_columns)
    return stage.write_memory_rows(MemoryRows(operator.output, table)) if table.num_rows else stage.nothing()


def _streamed(session: SessionFacts, pieces: Iterator[Piece], operator: Write, stage: FileStage) -> Staged:
    def limited() -> Iterator[Piece]:
        for piece in pieces:
            require_memory(session, CORES * piece.size)
            yield piece

    try:
        return stage.write_pieces(limited(), operator.output)
    except LeftToEngineError:
        stage.discard()
        raise


def planned_write(session: SessionFacts, operator: Write) -> Way:
    """The way of a write, this process or the engine, as far as it is decided before rows are read."""
    if isinstance(operator.child, (Literals, MemoryRows)):
        return Way(ComputedBy.PROCESS, IN_MEMORY)
    try:
        require_writable(session, operator)
        _rows(session, operator)
    except LeftToEngineError as left:
        return Way(ComputedBy.ENGINE, left.reason)
    return Way(ComputedBy.PROCESS, EVALUATED)


def require_writable(session: SessionFacts, operator: Write) -> None:
    """Raises LeftToEngineError where the session, or the columns, leave the rows to the engine."""
    session.require_computing()
    require_plain(operator.output, operator.partition_columns)
    if spreads_rows(operator.child):
        raise LeftToEngineError("a hint of the query says how rows are spread over files")


def refuse_long_names(rows: pa.Table, schema: StructType, partition_columns: tuple[str, ...]) -> None:
    """Raises LeftToEngineError where a directory might not be called after a text."""
    for name in partition_columns:
        field = schema.find(name)
        if field is None or field.type != STRING:
            continue
        texts = pc.unique(rows.column(field.name)).drop_null()
        longest = pc.max(pc.binary_length(texts)).as_py() or 0
        if longest > _LONGEST_NAME or pc.any(pc.match_substring(texts, "\0")).as_py():
            raise LeftToEngineError(f"a value of {name} is too long to be the name of a directory")


def _rows(session: SessionFacts, operator: Write) -> LocalRows:
    """The rows of the output. Reading them raises ViolatedError or LeftToEngineError if one violates a constraint.

    Raises LeftToEngineError at once for a value that this process does not evaluate.
    """
    project, checks = _unchecked(operator.child)
    names = [name for name, _ in project.columns]
    if project.declared:
        raise LeftToEngineError("a column is CHAR or VARCHAR")
    if names != list(operator.output.names):
        raise LeftToEngineError("the columns are not those of the table")
    # Rows of many partitions in pieces would be as many files of each partition.
    streams = not operator.partition_columns and not operator.single_file
    source = _source(session, project.child, streams=streams)
    scope, output = RowScope({"": source.schema}, current_micros()), operator.output
    pairs = zip(project.columns, output, strict=True)
    expressions = [value_of(text, field.type, scope) for (_, text), field in pairs]
    compiled, schema = row_checks(checks, output), reader_schema(output)

    def written(rows: pa.Table) -> pa.Table:
        table = computed_table(expressions, rows_of("", rows), schema)
        require_satisfied(compiled, table, in_order=operator.single_file)
        return table

    return source.mapped(output, written)


def _unchecked(operator: Operator) -> tuple[Project, list[Constraint]]:
    """The projection and the constraints of a write. Raises LeftToEngineError for other operators."""
    checks = list[Constraint]()
    while isinstance(operator, Check):
        checks += operator.conditions
        operator = operator.child
    if not isinstance(operator, Project):
        raise LeftToEngineError("the rows are numbered, or come from several queries")
    return operator, checks


def _source(session: SessionFacts, operator: Operator, *, streams: bool) -> LocalRows:
    """The rows that values are made of. Raises LeftToEngineError where this process has not got them."""
    renaming = operator.renames if isinstance(operator, SqlQuery) else None
    if renaming is None:
        return local_rows(session, operator, streams=streams)
    return local_rows(session, renaming.query, streams=streams).renamed(renaming.names)


@dataclass(frozen=True, slots=True)
class CompiledAction:
    """An action compiled for in-process evaluation; `number` counts from 1."""

    number: int
    action: RowAction
    condition: RowExpression | None
    values: tuple[RowExpression, ...]


class CompiledActions:
    """The actions of a rewrite, compiled against the columns of its source.

    Raises LeftToEngineError for an expression whose result may differ from the engine's.
    """

    def __init__(self, operator: Rewrite, source: StructType | None) -> None:
        join, self._alias = operator.join, operator.target_alias
        ours = {self._alias: operator.target.schema}
        theirs = {} if source is None or join is None else {join.alias: source}
        both = {**ours, **theirs}
        if len(both) < len(ours) + len(theirs):
            raise LeftToEngineError("target and source have one alias")
        # CURRENT_TIMESTAMP has one value in a statement, in conditions and values alike.
        now = current_micros()
        self._theirs = RowScope(theirs, now)
        self.on = None if join is None else row_condition(join.on, RowScope(both, now))
        scopes = {
            RowKind.MATCHED: RowScope(both, now),
            RowKind.NOT_MATCHED: self._theirs,
            RowKind.NOT_MATCHED_BY_SOURCE: RowScope(ours, now),
        }
        self.actions = [
            _compiled(number, action, scopes[action.kind], operator.output)
            for number, action in enumerate(operator.actions, start=1)
        ]
        self.checks = row_checks(operator.checks, operator.output)

    def source_values(self, text: str, source: pa.Table) -> pa.Array | pa.ChunkedArray:
        """The values of an expression over rows of the source.

        Raises LeftToEngineError where they may differ from the engine's.
        """
        ((alias, _),) = self._theirs.schemas.items()
        return values(row_expression(text, self._theirs), rows_of(alias, source))

    @property
    def checked(self) -> frozenset[str]:
        """Names of the columns that constraints refer to."""
        return frozenset(column.name for check in self.checks for column in columns_of(check.condition))

    def used(self, output: Iterable[int]) -> frozenset[str]:
        """Names of the target columns that the conditions use, and that the updated values of the output columns with
        these indexes are computed from."""
        indexes = list(output)
        conditions = [self.on, *(action.condition for action in self.actions)]
        updates = [action.values for action in self.actions if action.action.effect is RowEffect.UPDATE]
        expressions = [*conditions, *(values[index] for values in updates for index in indexes)]
        return frozenset(self._named(item for item in expressions if item is not None))

    def row_filter(self, source: pa.Table | None) -> ScanFilter:
        """A filter for the target rows that an action may change, except actions for rows without a source row.

        Raises LeftToEngineError where any row may change.
        """
        return self._with_condition() if source is None else self._with_keys(source)

    def _with_condition(self) -> ScanFilter:
        conditions = [action.condition for action in self.actions]
        parsed = [condition for condition in conditions if condition is not None]
        if len(parsed) < len(conditions):
            raise LeftToEngineError("all rows may change: there is no condition")

        def some(rows: pa.Table, count: int) -> np.ndarray:
            bound = BoundRows({self._alias: rows}, count)
            return reduce(np.logical_or, (true_mask(condition, bound) for condition in parsed))

        return ScanFilter(frozenset(self._named(parsed)), some, CHANGED_ROWS)

    def _with_keys(self, source: pa.Table) -> ScanFilter:
        """A filter for the target rows whose join keys occur in the source."""
        ((theirs, _),) = self._theirs.schemas.items()
        keys = [] if self.on is None else [sides for item in equalities(self.on) for sides in self._sides(item)]
        if not keys:
            raise LeftToEngineError("ON has no equality between the target and the source")
        # A superset of the matching rows is enough, as ON is evaluated for the pairs later: keys are looked up one by
        # one, and an expensive one is passed over. NULL equals nothing.
        source_values = [pc.unique(values(other, rows_of(theirs, source))).drop_null() for _, other in keys]

        def met(rows: pa.Table, count: int) -> np.ndarray:
            bound, mask = BoundRows({self._alias: rows}, count), np.full(count, True)
            for (mine, _), keys_of_source in zip(keys, source_values, strict=True):
                # To look in values takes as long as their number, however few the rows are.
                if len(keys_of_source) <= count:
                    mask &= are_among(values(mine, bound), keys_of_source)
            return mask

        return ScanFilter(frozenset(self._named(mine for mine, _ in keys)), met, CHANGED_ROWS)

    def _sides(self, equality: Compared) -> Iterator[tuple[RowExpression, RowExpression]]:
        """The target's side of an equality and the source's, if each side uses columns of one table only."""
        for mine, other in ((equality.left, equality.right), (equality.right, equality.left)):
            if _aliases(mine) == {self._alias} and _aliases(other) == self._theirs.schemas.keys():
                yield mine, other

    def _named(self, expressions: Iterable[RowExpression]) -> Iterator[str]:
        """Names of the target columns that expressions use."""
        return (column.name for item in expressions for column in columns_of(item) if column.alias == self._alias)


def _aliases(expression: RowExpression) -> set[str]:
    return {column.alias for column in columns_of(expression)}


def _compiled(number: int, action: RowAction, scope: RowScope, output: StructType) -> CompiledAction:
    condition = None if action.condition is None else row_condition(action.condition, scope)
    pairs = zip(action.values, output, strict=bool(action.values))
    return CompiledAction(number, action, condition, tuple(value_of(text, field.type, scope) for text, field in pairs))


_ALONE = RowKind.NOT_MATCHED_BY_SOURCE


def rewrite_in_process(
    session: SessionFacts, operator: Rewrite, stage: FileStage, on_source: Callable[[MemoryRows], None]
) -> RewriteOutcome:
    """Stages the new files of a rewrite. Raises LeftToEngineError, with nothing staged, where an engine computes it.

    That is also so where several rows of the source would change one: the engine says which. Raises ViolatedError.
    `on_source` gets the rows of a source for which the commit may ask again.
    Raises DataFileNotFoundError, UnreadableDataFileError, StorageError.
    """
    try:
        work = _planned(session, operator, stage)
        done = work.run()
    except LeftToEngineError:
        stage.discard()
        raise
    if work.source is not None:
        on_source(work.source)
    return done


def planned_rewrite(session: SessionFacts, operator: Rewrite) -> Way:
    """The way of a rewrite, this process or the engine, as far as it is decided before rows are read."""
    try:
        work = _planned(session, operator, None)
    except LeftToEngineError as left:
        return Way(ComputedBy.ENGINE, left.reason)
    limit = "" if isinstance(work, _WholeRewrite) else f", unless more than {CHANGED_ROWS:,} rows change"
    return Way(ComputedBy.PROCESS, f"{EVALUATED}{limit}")


def _planned(session: SessionFacts, operator: Rewrite, stage: FileStage | None) -> _WholeRewrite | _SearchedRewrite:
    """The rewrite, of which no row has been read. Raises LeftToEngineError."""
    session.require_computing()
    _require_plain(operator)
    small = is_small(operator.target)
    if not small:
        _require_searchable(session, operator)
    return (_WholeRewrite if small else _SearchedRewrite)(session, operator, stage)


def _require_plain(operator: Rewrite) -> None:
    """Raises LeftToEngineError where rows are not read as they are, or more is written than the rows themselves."""
    target, join = operator.target, operator.join
    reasons = (
        (bool(operator.relations), "a condition or a value has a sub-query"),
        (operator.volatile, "an expression is not deterministic"),
        (operator.recording.changes, "the change data feed is written"),
        (target.row_ids is not None, "row tracking is enabled"),
        (join is not None and join.lookup is not None, "rows are looked up in the source"),
        (is_mapped(target.schema) and any(map(_has_parts, target.schema)), "mapped columns have nested fields"),
        (not same_columns(operator.output, target.schema), "the columns of the table change"),
    )
    reason = next((reason for holds, reason in reasons if holds), None)
    if reason is not None:
        raise LeftToEngineError(reason)
    require_plain(target.schema, target.partition_columns)


def _has_parts(item: StructField) -> bool:
    return isinstance(item.type, (StructType, ArrayType, MapType))


def _require_searchable(session: SessionFacts, operator: Rewrite) -> None:
    """Raises LeftToEngineError where this process may not look for rows in many files, and copy those that stay."""
    target = operator.target
    if any(action.kind is _ALONE for action in operator.actions):
        raise LeftToEngineError("WHEN NOT MATCHED BY SOURCE looks at all rows of a table that is not small")
    sizes = target.files.column("size").to_pylist()
    require_searching(session, target.table.location, sum(sizes))
    # With deletion vectors no file is copied, so that the size of a file does not matter.
    if not operator.recording.vectors and max(sizes, default=0) > FILE_BYTES:
        raise LeftToEngineError(f"a data file has {max(sizes):,} bytes, more than {FILE_BYTES:,}")
    if not operator.recording.vectors:
        require_memory(session, max(sizes, default=0))


@dataclass(frozen=True, eq=False, slots=True)
class _MatchedRows:
    """Rows on which an action runs; `row_indexes` are theirs among those that were read, None where they were not."""

    action: CompiledAction
    rows: BoundRows
    row_indexes: Numbers | None


@dataclass(frozen=True, eq=False, slots=True)
class _Changes:
    """Which rows of the target change among those that were read, and the part of its list of files that have any."""

    target: pa.Table
    fired: Sequence[_MatchedRows]
    positions: Positions
    files: pa.Table


class _Rewrite(ABC):
    """One rewrite; to make it raises LeftToEngineError where something in it is not certain, before a row is read."""

    def __init__(self, session: SessionFacts, operator: Rewrite, stage: FileStage | None) -> None:
        self._session, self._operator, self._optional_stage = session, operator, stage
        self.source: MemoryRows | None = None
        """The rows of the source, once they were read, where the commit may ask for them again."""
        if stage is not None and stage.stores_partitions and operator.target.partition_columns:
            raise LeftToEngineError("the table keeps partition values in its files")
        changed = frozenset(changed_columns(operator))
        # A new image stands in the successor of its file, which has the file's partition values.
        if not operator.recording.vectors and not self._partitions.isdisjoint(map(str.lower, changed)):
            raise LeftToEngineError("rows move to another partition")
        self._source = None if operator.join is None else local_rows(session, operator.join.source)
        self._in_process = CompiledActions(operator, None if self._source is None else self._source.schema)
        checked = self._in_process.checked
        self._imaged = [
            index
            for index, field in enumerate(operator.output)
            if self._takes_whole_rows or field.name in changed or field.name in checked
        ]
        """Which columns of the output are made for images of rows of the target."""

    @property
    def _stage(self) -> FileStage:
        assert self._optional_stage is not None
        return self._optional_stage

    @property
    def _takes_whole_rows(self) -> bool:
        """Whether an image is written with all its columns, also those in which it is as before."""
        return True

    @property
    def _partitions(self) -> set[str]:
        """Their names in lower case: a foreign log may spell them otherwise than the schema."""
        return {name.lower() for name in self._operator.target.partition_columns}

    def run(self) -> RewriteOutcome:
        source = None if self._source is None else self._source.read()
        if (
            self._source is not None
            and source is not None
            and self._operator.join
            and self._operator.join.is_materialized
        ):
            self.source = MemoryRows(self._source.schema, source)
        operator = self._operator = replace(self._operator, target=self._looked_at(source))
        target = self._read(replace(operator.target, identity=False), source)
        changes = self._changes(target, list(self._fired(target, source)))
        counts = [0] * len(operator.actions)
        for item in changes.fired:
            counts[item.action.number - 1] += item.rows.count
        met = 0 if source is None else source.num_rows
        if operator.recording.vectors:
            done = outcome(operator, self._marked(changes), None, tuple(counts), met)
            return marked(operator, done, changes.positions)
        return outcome(operator, self._copied(changes), changes.files, tuple(counts), met)

    def _looked_at(self, source: pa.Table | None) -> Scan:
        """The target, without files in which nothing can meet a row of the source, unless what meets none changes."""
        operator, join = self._operator, self._operator.join
        # WHEN NOT MATCHED BY SOURCE needs all rows: those of a skipped file have no match, and may have to change.
        if source is None or join is None or any(action.kind is _ALONE for action in operator.actions):
            return operator.target
        ranges = []
        for key in join.equal_keys:
            # A key that this process cannot evaluate with certainty only leaves more files to be read.
            with suppress(LeftToEngineError):
                ends = pc.min_max(self._in_process.source_values(key.source, source)).as_py()
                ranges.append((key, ends["min"], ends["max"]))
        return candidates(operator.target, operator.target_alias, ranges)

    def _read(self, scan: Scan, source: pa.Table | None) -> pa.Table:
        """The rows of the target among which are all that may change, with ROW_ADDRESS."""
        return plain_rows(self._session, scan, (*scan.schema, ADDRESS))

    # Which action runs on which rows

    def _fired(self, target: pa.Table, source: pa.Table | None) -> Iterator[_MatchedRows]:
        operator, join = self._operator, self._operator.join
        bound = rows_of(operator.target_alias, target)
        if source is None or join is None:
            yield from self._chosen(RowKind.MATCHED, bound, np.arange(target.num_rows))
            return
        others = rows_of(join.alias, source)
        assert self._in_process.on is not None
        left, right = equal_pairs(bound, others, self._in_process.on)
        rows, sources = left, right
        if not join.unique_match:
            # Matched rows are all deleted, each once, however many rows of the source it meets.
            rows, firsts = np.unique(left, return_index=True)
            sources = right[firsts]
        yield from self._chosen(RowKind.MATCHED, paired(bound, rows, others, sources), rows)
        # Exact although not all rows of the target were read: files and rows were skipped only where ON cannot be TRUE.
        alone = np.setdiff1d(np.arange(others.count), right)
        yield from self._chosen(RowKind.NOT_MATCHED, others.at(alone), None)
        unmet = np.setdiff1d(np.arange(bound.count), left)
        yield from self._chosen(RowKind.NOT_MATCHED_BY_SOURCE, bound.at(unmet), unmet)

    def _chosen(self, kind: RowKind, rows: BoundRows, row_indexes: Numbers | None) -> Iterator[_MatchedRows]:
        """For each row the first action of its kind whose condition is TRUE."""
        actions = [action for action in self._in_process.actions if action.action.kind is kind]
        for number, action in enumerate(actions, start=1):
            hit = indexes_where(action.condition, rows)
            if len(hit):
                yield _MatchedRows(action, rows.at(hit), None if row_indexes is None else row_indexes[hit])
            if number < len(actions):
                rest = np.setdiff1d(np.arange(rows.count), hit)
                rows, row_indexes = rows.at(rest), None if row_indexes is None else row_indexes[rest]

    def _changes(self, target: pa.Table, fired: Sequence[_MatchedRows]) -> _Changes:
        """The rows that change. Raises LeftToEngineError where one would more than once, or too many do."""
        positions = Positions()
        pairs = [(item.row_indexes, item.action.number) for item in fired if item.row_indexes is not None]
        if pairs:
            at = np.concatenate([indexes for indexes, _ in pairs])
            # Such a MERGE fails; the engine finds the rows that its error names.
            if len(np.unique(at)) < len(at):
                raise LeftToEngineError("several rows of the source change one row")
            numbers = np.concatenate([np.full(len(indexes), number) for indexes, number in pairs])
            paths = self._operator.target.files.column("location").to_pylist()
            positions = positions_of(target.column(hidden_names.ROW_ADDRESS).to_numpy()[at], numbers, paths)
        return _Changes(target, fired, positions, subset(self._operator, positions.rows))

    # The rows that are written

    def _new(self, changes: _Changes) -> tuple[pa.Table, pa.Table]:
        """New images of rows, with ROW_ADDRESS, and rows that are inserted: the columns of the output."""
        output = self._operator.output
        schema = reader_schema(output)
        placed = reader_schema(StructType((*(output.fields[index] for index in self._imaged), ADDRESS)))
        images, inserted = [placed.empty_table()], [schema.empty_table()]
        for item in changes.fired:
            if item.action.action.effect is RowEffect.DELETE:
                continue
            if item.row_indexes is None:
                inserted.append(self._computed(item, range(len(output)), schema))
                continue
            columns = self._computed(item, self._imaged, placed.remove(len(self._imaged)))
            addresses = changes.target.column(hidden_names.ROW_ADDRESS).take(item.row_indexes)
            images.append(columns.append_column(placed.field(hidden_names.ROW_ADDRESS), addresses))
        return pa.concat_tables(images), pa.concat_tables(inserted)

    def _computed(self, item: _MatchedRows, row_indexes: Iterable[int], schema: pa.Schema) -> pa.Table:
        """The columns at some places in the output."""
        table = computed_table((item.action.values[index] for index in row_indexes), item.rows, schema)
        require_satisfied(self._in_process.checks, table)
        return table

    def _marked(self, changes: _Changes) -> Staged:
        images, inserted = self._new(changes)
        return self._written(pa.concat_tables([images.drop_columns([hidden_names.ROW_ADDRESS]), inserted]))

    def _written(self, rows: pa.Table) -> Staged:
        if not rows.num_rows:
            return self._stage.nothing()
        refuse_long_names(rows, self._operator.output, self._operator.target.partition_columns)
        return self._stage.write_memory_rows(MemoryRows(self._operator.output, rows))

    def _copied(self, changes: _Changes) -> Staged:
        """The successors of files: the rows that stay, and images in place of others; then what is inserted."""
        images, inserted = self._new(changes)
        staged = self._successors(changes, images) if changes.files.num_rows else self._stage.nothing()
        return Staged((*staged.files, *self._written(inserted).files))

    @abstractmethod
    def _successors(self, changes: _Changes, images: pa.Table) -> Staged:
        """Those of the files in which rows change, with their new images."""

    def _by_file(self, rows: pa.Table, files: pa.Table) -> Iterator[tuple[str, int, pa.Table]]:
        """The rows of each of some files that has any, in their order, as files hold them, with ROW_ADDRESS; the file's
        location and its number.
        """
        output = self._operator.output
        rows = rows.sort_by(hidden_names.ROW_ADDRESS)
        fields = [
            item for item in output if item.name.lower() not in self._partitions and item.name in rows.column_names
        ]
        stored = rows.select([*(item.name for item in fields), hidden_names.ROW_ADDRESS])
        stored = as_stored(stored.rename_columns([*map(physical_name, fields), hidden_names.ROW_ADDRESS]), output)
        numbers, _ = split_addresses(rows.column(hidden_names.ROW_ADDRESS).to_numpy())
        number_of = file_numbers(self._operator.target)
        for path in files.column("location").to_pylist():
            first, count = slice_between(numbers, number_of[path], number_of[path] + 1)
            if count:
                yield path, number_of[path], stored.slice(first, count)


class _WholeRewrite(_Rewrite):
    """A rewrite of files whose rows are all read, and written together."""

    def _successors(self, changes: _Changes, images: pa.Table) -> Staged:
        return self._stage.unite(list(self._bins(changes, images)), self._operator.output)

    def _bins(self, changes: _Changes, images: pa.Table) -> Iterator[CompactionGroup]:
        target, files, columns = changes.target, changes.files, self._operator.target.partition_columns
        gone = np.concatenate([item.row_indexes for item in changes.fired if item.row_indexes is not None])
        stay = target.filter(pa.array(index_mask(target.num_rows, gone, inside=False)))
        values = partition_values(self._operator.output, columns, files)
        spelled = dict(zip(files.column("location").to_pylist(), values, strict=True))
        for path, number, rows in self._by_file(pa.concat_tables([stay, images.cast(target.schema)]), files):
            folder = partition_folder(path, spelled[path])
            name = f"{number}/{folder}" if folder else str(number)
            piece = in_memory(rows.drop_columns([hidden_names.ROW_ADDRESS]))
            yield CompactionGroup(name, spelled[path], piece.size, partial(iter, [piece]))


class _SearchedRewrite(_Rewrite):
    """A rewrite for which only rows that may change are read, and the others are copied from file to file."""

    @property
    def _takes_whole_rows(self) -> bool:
        return self._operator.recording.vectors

    def _read(self, scan: Scan, source: pa.Table | None) -> pa.Table:
        condition = self._in_process.row_filter(source)
        names = condition.columns | self._in_process.used(self._imaged)
        return plain_rows(
            self._session, scan, (*(item for item in scan.schema if item.name in names), ADDRESS), condition
        )

    def _changes(self, target: pa.Table, fired: Sequence[_MatchedRows]) -> _Changes:
        changes = super()._changes(target, fired)
        # Only now is it known how many rows change. Nothing is staged yet, so the engine can still take the statement.
        most = most_changed(self._session.stores, changes.files)
        if changes.positions.marked > most:
            raise LeftToEngineError(f"{changes.positions.marked:,} rows change, more than {most:,}")
        return changes

    def _successors(self, changes: _Changes, images: pa.Table) -> Staged:
        files = rewritten_files(self._session, self._operator, self._stage, changes.positions, changes.files)
        parts = [({ORIGIN: spark_uri(path)}, _numbered(rows)) for path, _, rows in self._by_file(images, changes.files)]
        return self._stage.succeed_with(files, parts, self._operator.output, changed_columns(self._operator))


def _numbered(rows: pa.Table) -> pa.Table:
    """Rows of a file with ROW_INDEX in place of ROW_ADDRESS."""
    _, numbers = split_addresses(rows.column(hidden_names.ROW_ADDRESS).to_numpy())
    return rows.drop_columns([hidden_names.ROW_ADDRESS]).append_column(hidden_names.ROW_INDEX, pa.array(numbers))
