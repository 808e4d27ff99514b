"""In-process evaluation of UPDATE, DELETE and MERGE.

Files of small tables are read and written as a whole. Of larger tables only rows that may change are read, a batch of
files at a time, and the others are copied, see `files.writing.successors`: memory is bounded by the source of a MERGE
and by one batch, however many rows change. Expressions that may not evaluate as in Spark are left to an engine.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from functools import partial, reduce
from typing import Any

from deltasql.base import LeftToEngineError, Numbers, np, pa, pc
from deltasql.engines.choice import ViolatedError, is_small, require_searching, shown_columns
from deltasql.engines.local.selections import (
    BoundRows,
    ScanFilter,
    computed_table,
    indexes_where,
    plain_pieces,
    plain_rows,
    require_plain,
    rows_of,
    true_mask,
    values,
)
from deltasql.engines.local.sources import JoinKeys, Pairs, equal_pairs, local_rows, met, paired
from deltasql.engines.rewriting import (
    Positions,
    candidates,
    changed_columns,
    marked,
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
    ORIGIN,
    ROW_BITS,
    UNPACKED,
    CompactionGroup,
    FileStage,
    SessionFacts,
    Staged,
    as_stored,
    file_numbers,
    in_memory,
    index_mask,
    located,
    memory_limit,
    reader_schema,
    require_memory,
    slice_between,
    spark_uri,
    split_addresses,
    starts,
    tables_of,
)
from deltasql.plan import (
    EVALUATED,
    ComputedBy,
    Constraint,
    EqualKey,
    MemoryRows,
    Rewrite,
    RowAction,
    RowEffect,
    RowKind,
    Scan,
    Way,
    hidden_names,
)
from deltasql.planner import RewriteOutcome
from deltasql.schema import CHANGE_TYPE, STRING, ArrayType, MapType, StructField, StructType, is_mapped, physical_name
from deltasql.sql import (
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


@dataclass(frozen=True, slots=True)
class CompiledAction:
    """An action compiled for in-process evaluation; `number` counts from 1."""

    number: int
    action: RowAction
    condition: RowExpression | None
    values: tuple[RowExpression, ...]

    def used(self, output: Sequence[int]) -> list[RowExpression]:
        """The condition, and the values of the output columns at some indexes."""
        condition = [] if self.condition is None else [self.condition]
        return [*condition, *(self.values[index] for index in output if self.values)]


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
        return values(row_expression(text, self._theirs), rows_of(self._source_alias, source))

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

    def row_filter(self) -> ScanFilter | None:
        """A filter for the target rows that an action without a source may change; None where any row may."""
        conditions = [action.condition for action in self.actions]
        parsed = [condition for condition in conditions if condition is not None]
        if len(parsed) < len(conditions):
            return None

        def some(rows: pa.Table, count: int) -> np.ndarray:
            bound = BoundRows({self._alias: rows}, count)
            return reduce(np.logical_or, (true_mask(condition, bound) for condition in parsed))

        return ScanFilter(frozenset(self._named(parsed)), some)

    def of_matches(self, source: pa.Table, output: Iterable[int]) -> pa.Table:
        """The columns of a source that matched rows need for conditions, and for the output columns at some indexes."""
        indexes = list(output)
        named = {
            column.name
            for action in self.actions
            if action.action.kind is RowKind.MATCHED
            for item in action.used(indexes)
            for column in columns_of(item)
            if column.alias != self._alias
        }
        return source.select([name for name in source.column_names if name in named])

    @property
    def _source_alias(self) -> str:
        ((alias, _),) = self._theirs.schemas.items()
        return alias

    @property
    def keys(self) -> JoinKeys:
        """The equalities of ON. Raises LeftToEngineError where it has none."""
        assert self.on is not None
        return JoinKeys(self.on, self._alias, self._source_alias)

    def indexes_on(self, target: pa.Table, left: Numbers, source: pa.Table, right: Numbers) -> Numbers:
        """The indexes of the pairs of rows for which ON is TRUE: `left` of the target beside `right` of the source."""
        assert self.on is not None
        named = list(columns_of(self.on))
        sides = ((self._alias, target, left), (self._source_alias, source, right))
        tables = {
            alias: rows.select(list(dict.fromkeys(item.name for item in named if item.alias == alias))).take(indexes)
            for alias, rows, indexes in sides
        }
        return indexes_where(self.on, BoundRows(tables, len(left)))

    def _named(self, expressions: Iterable[RowExpression]) -> Iterator[str]:
        """Names of the target columns that expressions use."""
        return (column.name for item in expressions for column in columns_of(item) if column.alias == self._alias)


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
        _planned(session, operator, None)
    except LeftToEngineError as left:
        return Way(ComputedBy.ENGINE, left.reason)
    return Way(ComputedBy.PROCESS, EVALUATED)


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
    sizes = operator.target.files.column("size")
    require_searching(session, operator.target.table.location, pc.sum(sizes).as_py() or 0)
    # With deletion vectors no file is copied, so that the size of a file does not matter.
    if not operator.recording.vectors:
        require_memory(session, pc.max(sizes).as_py() or 0)


@dataclass(frozen=True, eq=False, slots=True)
class _MatchedRows:
    """Rows on which an action runs; `row_indexes` are theirs among those that were read, None where they were not."""

    action: CompiledAction
    rows: BoundRows
    row_indexes: Numbers | None


@dataclass(frozen=True, eq=False, slots=True)
class _Batch:
    """Rows of some files of the target, with ROW_ADDRESS, and the pairs of their indexes and those of source rows."""

    target: pa.Table
    left: Numbers
    right: Numbers


_NO_ROWS = np.array([], np.int64)


@dataclass(frozen=True, eq=False, slots=True)
class _Changes:
    """Which rows of the target change among those that were read, and the part of its list of files that have any."""

    target: pa.Table
    fired: Sequence[_MatchedRows]
    positions: Positions
    files: pa.Table

    @property
    def counts(self) -> Counter[int]:
        """The number of changed rows by the number of the action."""
        return Counter({item.action.number: item.rows.count for item in self.fired})


class _Output:
    """Rows that are to be written, collected until they are enough for a file; `write` stages them."""

    def __init__(self, write: Callable[[pa.Table], Staged], most_bytes: int) -> None:
        self._write, self._most_bytes = write, most_bytes
        self._waiting: list[pa.Table] = []
        self._staged: list[Staged] = []

    def add(self, rows: pa.Table) -> None:
        self._waiting.append(rows)
        if sum(table.nbytes for table in self._waiting) > self._most_bytes:
            self._flush()

    def _flush(self) -> None:
        waiting = [rows for rows in self._waiting if rows.num_rows]
        self._waiting = []
        if waiting:
            self._staged.append(self._write(pa.concat_tables(waiting)))

    def staged(self) -> Staged:
        """Everything that was added, in files."""
        self._flush()
        return Staged.united(self._staged)


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
        source = self._read_source()
        operator = self._operator = replace(self._operator, target=self._looked_at(source))
        met = np.zeros(0 if source is None else source.num_rows, dtype=bool)
        output, feed = (_Output(write, _batch_bytes(self._session)) for write in (self._written, self._fed))
        staged, positions, removed, counts = list[Staged](), dict[str, Numbers](), list[pa.Table](), Counter[int]()
        for batch in self._batches(source):
            changes = self._changes(batch, list(self._fired(batch, source)))
            met[batch.right] = True
            counts += changes.counts
            positions |= changes.positions.rows
            removed.append(changes.files)
            images = self._images(changes)
            if operator.recording.changes:
                feed.add(self._of_feed(changes, images))
            if operator.recording.vectors:
                output.add(images.drop_columns([hidden_names.ROW_ADDRESS]))
            elif changes.files.num_rows:
                staged.append(self._successors(changes, images))
        if source is not None and operator.join is not None:
            # Exact although not all rows of the target were read: files and rows without an equal key meet none.
            alone = rows_of(operator.join.alias, source).at(np.flatnonzero(~met))
            for item in self._chosen(RowKind.NOT_MATCHED, alone, None):
                counts[item.action.number] += item.rows.count
                inserted = self._computed(item, range(len(operator.output)), reader_schema(operator.output))
                output.add(inserted)
                if operator.recording.changes:
                    feed.add(_typed(inserted, "insert"))
        united = Staged.united([*staged, output.staged(), feed.staged()])
        return self._outcome(united, positions, removed, counts, len(met))

    def _read_source(self) -> pa.Table | None:
        if self._source is None or self._operator.join is None:
            return None
        # Rows are taken from one chunk in half the time that they are from many.
        source = self._source.read().combine_chunks()
        if self._operator.join.is_materialized:
            self.source = MemoryRows(self._source.schema, source)
        return source

    def _outcome(
        self,
        staged: Staged,
        positions: Mapping[str, Numbers],
        removed: Sequence[pa.Table],
        counts: Mapping[int, int],
        source_rows: int,
    ) -> RewriteOutcome:
        operator = self._operator
        per_action = tuple(counts[number] for number in range(1, len(operator.actions) + 1))
        if not operator.recording.vectors:
            files = pa.concat_tables([operator.target.files.slice(0, 0), *removed])
            return outcome(operator, staged, files, per_action, source_rows)
        return marked(operator, outcome(operator, staged, None, per_action, source_rows), Positions(positions))

    def _looked_at(self, source: pa.Table | None) -> Scan:
        """The target, without files in which nothing can meet a row of the source, unless what meets none changes."""
        operator, join = self._operator, self._operator.join
        # WHEN NOT MATCHED BY SOURCE needs all rows: those of a skipped file have no match, and may have to change.
        if source is None or join is None or any(action.kind is _ALONE for action in operator.actions):
            return operator.target
        if not source.num_rows:
            return replace(operator.target, files=operator.target.files.slice(0, 0))
        keys = list[tuple[EqualKey, pa.Array]]()
        for key in join.equal_keys:
            # A key that this process cannot evaluate with certainty only leaves more files to be read.
            with suppress(LeftToEngineError):
                keys.append((key, pc.unique(self._in_process.source_values(key.source, source)).drop_null()))
        are_all = all(len(found) <= _LISTED_KEYS for _, found in keys)
        listed = ((key, found.to_pylist() if are_all else _ends(found)) for key, found in keys)
        return candidates(operator.target, operator.target_alias, listed, are_all=are_all)

    @abstractmethod
    def _batches(self, source: pa.Table | None) -> Iterator[_Batch]:
        """The rows of the target among which are all that may change."""

    # Which action runs on which rows

    def _fired(self, batch: _Batch, source: pa.Table | None) -> Iterator[_MatchedRows]:
        operator, join = self._operator, self._operator.join
        bound = rows_of(operator.target_alias, batch.target)
        if source is None or join is None:
            yield from self._chosen(RowKind.MATCHED, bound, np.arange(bound.count))
            return
        rows, sources = batch.left, batch.right
        if not join.unique_match:
            # Matched rows are all deleted, each once, however many rows of the source it meets.
            firsts = starts(rows)
            rows, sources = rows[firsts], sources[firsts]
        others = BoundRows({join.alias: self._in_process.of_matches(source, self._imaged)}, source.num_rows)
        yield from self._chosen(RowKind.MATCHED, paired(bound, rows, others, sources), rows)
        if any(action.action.kind is _ALONE for action in self._in_process.actions):
            unmet = np.flatnonzero(index_mask(bound.count, rows, inside=False))
            yield from self._chosen(_ALONE, bound.at(unmet), unmet)

    def _chosen(self, kind: RowKind, rows: BoundRows, row_indexes: Numbers | None) -> Iterator[_MatchedRows]:
        """For each row the first action of its kind whose condition is TRUE."""
        actions = [action for action in self._in_process.actions if action.action.kind is kind]
        for number, action in enumerate(actions, start=1):
            hit = indexes_where(action.condition, rows)
            if len(hit):
                yield _MatchedRows(action, rows.at(hit), None if row_indexes is None else row_indexes[hit])
            if number < len(actions):
                rest = np.flatnonzero(index_mask(rows.count, hit, inside=False))
                rows, row_indexes = rows.at(rest), None if row_indexes is None else row_indexes[rest]

    def _changes(self, batch: _Batch, fired: Sequence[_MatchedRows]) -> _Changes:
        """The rows that change. Raises LeftToEngineError where one would more than once."""
        target = batch.target
        positions = Positions()
        placed = [(item.row_indexes, item.action.number) for item in fired if item.row_indexes is not None]
        if placed:
            actions = np.zeros(target.num_rows, np.int32)
            for indexes, number in placed:
                actions[indexes] = number
            changed = np.flatnonzero(actions)
            # Such a MERGE fails; the engine finds the rows that its error names.
            if len(changed) < sum(len(indexes) for indexes, _ in placed):
                raise LeftToEngineError("several rows of the source change one row")
            paths = self._operator.target.files.column("location").to_pylist()
            addresses = target.column(hidden_names.ROW_ADDRESS).to_numpy()[changed]
            positions = positions_of(addresses, actions[changed], paths)
        return _Changes(target, fired, positions, subset(self._operator, positions.rows))

    # The rows that are written

    def _of_feed(self, changes: _Changes, images: pa.Table) -> pa.Table:
        """The rows of the change data feed for rows of the target that change: those from before, and their images."""
        names = self._operator.output.names
        rows = [_typed(images.select(names), "update_postimage")]
        for item in changes.fired:
            if item.row_indexes is not None:
                kind = "delete" if item.action.action.effect is RowEffect.DELETE else "update_preimage"
                rows.append(_typed(changes.target.select(names).take(item.row_indexes), kind))
        return pa.concat_tables(rows)

    def _images(self, changes: _Changes) -> pa.Table:
        """New images of rows, with ROW_ADDRESS: of the output those columns that images have."""
        output = self._operator.output
        placed = reader_schema(StructType((*(output.fields[index] for index in self._imaged), ADDRESS)))
        images = [placed.empty_table()]
        for item in changes.fired:
            if item.action.action.effect is RowEffect.DELETE or item.row_indexes is None:
                continue
            columns = self._computed(item, self._imaged, placed.remove(len(self._imaged)))
            addresses = changes.target.column(hidden_names.ROW_ADDRESS).take(item.row_indexes)
            images.append(columns.append_column(placed.field(hidden_names.ROW_ADDRESS), addresses))
        return pa.concat_tables(images)

    def _computed(self, item: _MatchedRows, row_indexes: Iterable[int], schema: pa.Schema) -> pa.Table:
        """The columns at some places in the output."""
        table = computed_table((item.action.values[index] for index in row_indexes), item.rows, schema)
        require_satisfied(self._in_process.checks, table)
        return table

    def _fed(self, rows: pa.Table) -> Staged:
        columns = StructType((*self._operator.output, StructField(CHANGE_TYPE, STRING)))
        return self._stage.write_changes(MemoryRows(columns, rows))

    def _written(self, rows: pa.Table) -> Staged:
        refuse_long_names(rows, self._operator.output, self._operator.target.partition_columns)
        return self._stage.write_memory_rows(MemoryRows(self._operator.output, rows))

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

    def _batches(self, source: pa.Table | None) -> Iterator[_Batch]:
        scan, join = replace(self._operator.target, identity=False), self._operator.join
        target = plain_rows(self._session, scan, (*scan.schema, ADDRESS))
        if source is None or join is None:
            yield _Batch(target, _NO_ROWS, _NO_ROWS)
            return
        assert self._in_process.on is not None
        bound, others = rows_of(self._operator.target_alias, target), rows_of(join.alias, source)
        yield _Batch(target, *equal_pairs(bound, others, self._in_process.on, memory_limit(self._session)))

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
        return self._operator.recording.vectors or self._operator.recording.changes

    def __init__(self, session: SessionFacts, operator: Rewrite, stage: FileStage | None) -> None:
        super().__init__(session, operator, stage)
        self._keys = None if self._in_process.on is None else self._in_process.keys
        self._reads_all = any(action.action.kind is _ALONE for action in self._in_process.actions)

    def _batches(self, source: pa.Table | None) -> Iterator[_Batch]:
        scan = located(replace(self._operator.target, identity=False))
        if source is None or self._keys is None:
            found = self._in_process.row_filter()
            for files in _file_batches(scan, _batch_bytes(self._session)):
                yield _Batch(self._read(scan, files, found), _NO_ROWS, _NO_ROWS)
            return
        pairs = self._met(scan, source, self._keys)
        for files in _file_batches(scan, _batch_bytes(self._session)):
            some = pairs.between(files.start << ROW_BITS, files.stop << ROW_BITS)
            if len(some.addresses) or self._reads_all:
                yield self._paired(scan, files, some, source, self._keys)

    def _met(self, scan: Scan, source: pa.Table, keys: JoinKeys) -> Pairs:
        columns = (*(item for item in scan.schema if item.name in keys.target_columns), ADDRESS)
        pieces = (piece.mapped(keys.of_target) for piece in plain_pieces(self._session, scan, columns))
        return met(tables_of(pieces), keys.of_source(source), memory_limit(self._session))

    def _paired(self, scan: Scan, files: range, pairs: Pairs, source: pa.Table, keys: JoinKeys) -> _Batch:
        """The rows of some files that have pairs, or all of them, and those of the pairs for which ON is TRUE."""
        target = self._read(
            scan, files, addresses=None if self._reads_all else pairs.addresses[starts(pairs.addresses)]
        )
        left = np.searchsorted(target.column(hidden_names.ROW_ADDRESS).to_numpy(), pairs.addresses)
        right = pairs.sources
        if not keys.are_all:
            hit = self._in_process.indexes_on(target, left, source, right)
            left, right = left[hit], right[hit]
        return _Batch(target, left, right)

    def _read(
        self, scan: Scan, files: range, row_filter: ScanFilter | None = None, addresses: Numbers | None = None
    ) -> pa.Table:
        """The columns of some files that conditions and values use, with ROW_ADDRESS: see `plain_rows`."""
        names = self._in_process.used(self._imaged) | (frozenset() if row_filter is None else row_filter.columns)
        if self._operator.recording.changes:
            names = frozenset(scan.schema.names)
        columns = (*(item for item in scan.schema if item.name in names), ADDRESS)
        return plain_rows(self._session, scan, columns, row_filter, files=files, addresses=addresses)

    def _successors(self, changes: _Changes, images: pa.Table) -> Staged:
        files = rewritten_files(self._session, self._operator, self._stage, changes.positions, changes.files)
        parts = [({ORIGIN: spark_uri(path)}, _numbered(rows)) for path, _, rows in self._by_file(images, changes.files)]
        return self._stage.succeed_with(files, parts, self._operator.output, changed_columns(self._operator))


def _typed(rows: pa.Table, change: str) -> pa.Table:
    """Rows of the change data feed, of one type of change."""
    return rows.append_column(pa.field(CHANGE_TYPE, pa.string()), pa.repeat(pa.scalar(change), rows.num_rows))


def _numbered(rows: pa.Table) -> pa.Table:
    """Rows of a file with ROW_INDEX in place of ROW_ADDRESS."""
    _, numbers = split_addresses(rows.column(hidden_names.ROW_ADDRESS).to_numpy())
    return rows.drop_columns([hidden_names.ROW_ADDRESS]).append_column(hidden_names.ROW_INDEX, pa.array(numbers))


_LISTED_KEYS = 100_000
"""Of so many keys each is compared with the bounds of files; of more, which meet most files, the least and greatest."""


def _ends(found: pa.Array) -> list[Any]:
    ends = pc.min_max(found).as_py()
    return [ends["min"], ends["max"]]


_BATCH_BYTES = 512 << 20
"""Memory of the rows of a batch of files: enough to keep all cores busy, and little beside what a process has."""


def _batch_bytes(session: SessionFacts) -> int:
    return min(_BATCH_BYTES, memory_limit(session) // 4)


def _file_batches(scan: Scan, most: int) -> Iterator[range]:
    """The numbers of the files of a scan, together as many as may have `most` bytes of rows, at least one."""
    start, size = 0, 0
    for number, bytes_of_file in enumerate(scan.files.column("size").to_pylist()):
        if number > start and size + UNPACKED * bytes_of_file > most:
            yield range(start, number)
            start, size = number, 0
        size += UNPACKED * bytes_of_file
    if scan.files.num_rows > start:
        yield range(start, scan.files.num_rows)
