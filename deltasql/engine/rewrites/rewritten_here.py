"""UPDATE, DELETE and MERGE of small tables whose expressions are certain: this process computes them by itself.

An engine takes longer to be asked than such rows take. Whatever is not certain is left to it: see `sql/evaluated`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from deltasql.engine.evaluation.pairs import equal_pairs, paired
from deltasql.engine.evaluation.sources import here_rows, is_small
from deltasql.engine.evaluation.values import Rows, places_where, rows_of, values
from deltasql.engine.reading.file_reader import PLACE, arrow_schema, at_places, slice_between, split_places
from deltasql.engine.reading.plain_scans import are_plain, plain_rows
from deltasql.engine.rewrites.copied_rows import changed_columns, same_columns
from deltasql.engine.rewrites.merge_on_read import marked
from deltasql.engine.rewrites.merge_source import candidates
from deltasql.engine.rewrites.row_actions import outcome, subset
from deltasql.engine.rewrites.stored_rows import partition_folder, partition_values
from deltasql.engine.rewrites.vector_positions import Positions, positions_of
from deltasql.engine.session.spark import SparkHandle
from deltasql.engine.writing.driver_files import as_stored
from deltasql.engine.writing.kept_rows import Bin
from deltasql.engine.writing.stage import Stage
from deltasql.plan.hidden import ROW_PLACE
from deltasql.plan.operators import HeldRows, Rewrite, RowAction, RowEffect, RowKind, Scan, SourceJoin
from deltasql.runtime import Rewritten, Staged
from deltasql.schema.column_mapping import is_mapped, physical_name
from deltasql.schema.text import sql_text
from deltasql.schema.types import ArrayType, DataType, MapType, StructField, StructType
from deltasql.sql.constants import Constant
from deltasql.sql.cursor import LeftToSparkError
from deltasql.sql.evaluated.expressions import RowExpression, RowScope, row_condition, row_expression

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Numbers = np.ndarray[Any, Any]


_ALONE = RowKind.NOT_MATCHED_BY_SOURCE


def rewritten_here(spark: SparkHandle, operator: Rewrite, stage: Stage) -> Rewritten | None:
    """Stages the new files of a rewrite; None, with nothing staged, where an engine is to compute it.

    That is also so where a row breaks a constraint, or several of the source would change one: the engine says which.
    Raises DataFileNotFoundError, UnreadableDataFileError, StorageError.
    """
    if not (spark.leaves_computing_to_us and _is_small(operator)):
        return None
    try:
        return _Rewrite(spark, operator, stage).run()
    except LeftToSparkError:
        stage.discard()
        return None


def _is_small(operator: Rewrite) -> bool:
    """Whether few rows are read, and nothing is written but the rows themselves."""
    target = operator.target
    if operator.relations or operator.volatile or operator.recording.changes or target.row_ids is not None:
        return False
    if operator.join is not None and not _is_usual(operator.join):
        return False
    if is_mapped(target.schema) and any(map(_has_parts, target.schema)):
        # Parts of values have other names in files.
        return False
    plain = same_columns(operator.output, target.schema) and are_plain(target.schema, target.partition_columns)
    return plain and is_small(target)


def _is_usual(join: SourceJoin) -> bool:
    return join.unique_match and not join.is_kept and join.lookup is None


def _has_parts(item: StructField) -> bool:
    return isinstance(item.type, (StructType, ArrayType, MapType))


@dataclass(frozen=True, slots=True)
class _Action:
    """An action as expressions; `number` counts from 1."""

    number: int
    action: RowAction
    condition: RowExpression | None
    values: tuple[RowExpression, ...]


@dataclass(frozen=True, eq=False, slots=True)
class _Fired:
    """Rows on which an action runs; `places` is where they stand in the target, None where they do not."""

    action: _Action
    rows: Rows
    places: Numbers | None


class _Rewrite:
    """One rewrite; to make it raises LeftToSparkError where something in it is not certain, before a row is read."""

    def __init__(self, spark: SparkHandle, operator: Rewrite, stage: Stage) -> None:
        self._spark, self._operator, self._stage = spark, operator, stage
        if stage.stores_partitions and operator.target.partition_columns:
            raise LeftToSparkError
        if not operator.recording.vectors and not self._partitions.isdisjoint(
            map(str.lower, changed_columns(operator))
        ):
            # Such rows go to files of other partitions.
            raise LeftToSparkError
        join = operator.join
        self._source = None if join is None else here_rows(spark, join.source)
        ours = {operator.target_alias: operator.target.schema}
        theirs = {} if self._source is None or join is None else {join.alias: self._source.schema}
        if len(ours.keys() | theirs.keys()) < len(ours) + len(theirs):
            raise LeftToSparkError
        self._on = None if join is None else row_condition(join.on, RowScope({**ours, **theirs}))
        scopes = {
            RowKind.MATCHED: RowScope({**ours, **theirs}),
            RowKind.NOT_MATCHED: RowScope(theirs),
            RowKind.NOT_MATCHED_BY_SOURCE: RowScope(ours),
        }
        self._actions = [
            _compiled(number, action, scopes[action.kind], operator.output)
            for number, action in enumerate(operator.actions, start=1)
        ]
        self._checks = [row_condition(check.condition, RowScope({"": operator.output})) for check in operator.checks]

    @property
    def _partitions(self) -> set[str]:
        """Their names in lower case: a foreign log may spell them otherwise than the schema."""
        return {name.lower() for name in self._operator.target.partition_columns}

    def run(self) -> Rewritten:
        source = None if self._source is None else self._source.read()
        operator = self._operator = replace(self._operator, target=self._looked_at(source))
        scan = replace(operator.target, identity=False)
        target = plain_rows(self._spark, scan, (*scan.schema, PLACE))
        fired = list(self._fired(target, source))
        found = self._found(target, fired)
        counts = [0] * len(self._actions)
        for item in fired:
            counts[item.action.number - 1] += item.rows.count
        staged = self._marked(target, fired) if operator.recording.vectors else self._copied(target, fired, found)
        met = 0 if source is None else source.num_rows
        removed = None if operator.recording.vectors else subset(operator, found.rows)
        done = outcome(operator, staged, removed, tuple(counts), met)
        return marked(operator, done, found) if operator.recording.vectors else done

    def _looked_at(self, source: pa.Table | None) -> Scan:
        """The target, without files in which nothing can meet a row of the source, unless what meets none changes."""
        import pyarrow.compute as pc

        operator, join = self._operator, self._operator.join
        if source is None or join is None or any(action.kind is _ALONE for action in operator.actions):
            return operator.target
        assert self._source is not None
        scope, rows = RowScope({join.alias: self._source.schema}), rows_of(join.alias, source)
        ranges = []
        for key in join.equal_keys:
            with suppress(LeftToSparkError):
                ends = pc.min_max(values(row_expression(key.source, scope), rows)).as_py()
                ranges.append((key, ends["min"], ends["max"]))
        return candidates(operator.target, operator.target_alias, ranges)

    # Which action runs on which rows

    def _fired(self, target: pa.Table, source: pa.Table | None) -> Iterator[_Fired]:
        import numpy as np

        operator, join = self._operator, self._operator.join
        own = rows_of(operator.target_alias, target)
        if source is None or join is None:
            yield from self._chosen(RowKind.MATCHED, own, np.arange(target.num_rows))
            return
        others = rows_of(join.alias, source)
        assert self._on is not None
        left, right = equal_pairs(own, others, self._on)
        yield from self._chosen(RowKind.MATCHED, paired(own, left, others, right), left)
        alone = np.setdiff1d(np.arange(others.count), right)
        yield from self._chosen(RowKind.NOT_MATCHED, others.at(alone), None)
        unmet = np.setdiff1d(np.arange(own.count), left)
        yield from self._chosen(RowKind.NOT_MATCHED_BY_SOURCE, own.at(unmet), unmet)

    def _chosen(self, kind: RowKind, rows: Rows, places: Numbers | None) -> Iterator[_Fired]:
        """For each row the first action of its kind whose condition is TRUE."""
        import numpy as np

        actions = [action for action in self._actions if action.action.kind is kind]
        for number, action in enumerate(actions, start=1):
            hit = places_where(action.condition, rows)
            if len(hit):
                yield _Fired(action, rows.at(hit), None if places is None else places[hit])
            if number < len(actions):
                rest = np.setdiff1d(np.arange(rows.count), hit)
                rows, places = rows.at(rest), None if places is None else places[rest]

    def _found(self, target: pa.Table, fired: Sequence[_Fired]) -> Positions:
        """The rows that change. Raises LeftToSparkError where one would more than once."""
        import numpy as np

        own = [(item.places, item.action.number) for item in fired if item.places is not None]
        if not own:
            return Positions()
        at = np.concatenate([places for places, _ in own])
        if len(np.unique(at)) < len(at):
            raise LeftToSparkError
        numbers = np.concatenate([np.full(len(places), number) for places, number in own])
        paths = self._operator.target.files.column("location").to_pylist()
        return positions_of(target.column(ROW_PLACE).to_numpy()[at], numbers, paths)

    # The rows that are written

    def _new(self, target: pa.Table, fired: Sequence[_Fired]) -> tuple[pa.Table, pa.Table]:
        """New images of rows, with ROW_PLACE, and rows that are inserted: the columns of the output."""
        import pyarrow as pa

        schema = arrow_schema(self._operator.output)
        placed = arrow_schema(StructType((*self._operator.output, PLACE)))
        images, inserted = [placed.empty_table()], [schema.empty_table()]
        for item in fired:
            if item.action.action.effect is RowEffect.DELETE:
                continue
            columns = [values(value, item.rows) for value in item.action.values]
            table = pa.Table.from_arrays(columns, names=schema.names).cast(schema)
            self._check(table)
            if item.places is None:
                inserted.append(table)
            else:
                places = target.column(ROW_PLACE).take(item.places)
                images.append(table.append_column(ROW_PLACE, places).cast(placed))
        return pa.concat_tables(images), pa.concat_tables(inserted)

    def _check(self, table: pa.Table) -> None:
        """Raises LeftToSparkError where a row breaks a constraint: the engine says which."""
        rows = rows_of("", table)
        if any(len(places_where(check, rows)) < rows.count for check in self._checks):
            raise LeftToSparkError

    def _marked(self, target: pa.Table, fired: Sequence[_Fired]) -> Staged:
        import pyarrow as pa

        images, inserted = self._new(target, fired)
        return self._written(pa.concat_tables([images.drop_columns([ROW_PLACE]), inserted]))

    def _written(self, rows: pa.Table) -> Staged:
        if not rows.num_rows:
            return self._stage.nothing()
        return self._stage.write_held_rows(HeldRows(self._operator.output, rows))

    def _copied(self, target: pa.Table, fired: Sequence[_Fired], found: Positions) -> Staged:
        """The successors of files: the rows that stay, and images in place of others; then what is inserted."""
        images, inserted = self._new(target, fired)
        bins = list(self._by_file(target, fired, images, subset(self._operator, found.rows)))
        staged = self._stage.unite(bins, self._operator.output) if bins else self._stage.nothing()
        return Staged((*staged.files, *self._written(inserted).files))

    def _by_file(self, target: pa.Table, fired: Sequence[_Fired], images: pa.Table, files: pa.Table) -> Iterator[Bin]:
        """The rows of each file that was found, as files hold them, in their order."""
        import numpy as np
        import pyarrow as pa

        operator = self._operator
        paths = operator.target.files.column("location").to_pylist()
        own = partition_values(operator.output, operator.target.partition_columns, files)
        held = [item for item in operator.output if item.name.lower() not in self._partitions]
        gone = np.concatenate([np.array([], np.int64), *(item.places for item in fired if item.places is not None)])
        stay = target.filter(pa.array(at_places(target.num_rows, gone, inside=False)))
        rows = pa.concat_tables([stay, images.cast(target.schema)]).sort_by(ROW_PLACE)
        numbers, _ = split_places(rows.column(ROW_PLACE).to_numpy())
        stored = rows.select([item.name for item in held]).rename_columns([physical_name(item) for item in held])
        stored = as_stored(stored, operator.output)
        for path, spelled in zip(files.column("location").to_pylist(), own, strict=True):
            number = paths.index(path)
            first, count = slice_between(numbers, number, number + 1)
            if count:
                folder = partition_folder(path, spelled)
                name = f"{number}/{folder}" if folder else str(number)
                yield Bin(name, spelled, partial(stored.slice, first, count))


def _compiled(number: int, action: RowAction, scope: RowScope, output: StructType) -> _Action:
    condition = None if action.condition is None else row_condition(action.condition, scope)
    pairs = zip(action.values, output, strict=bool(action.values))
    return _Action(number, action, condition, tuple(_value(text, field.type, scope) for text, field in pairs))


def _value(text: str, kind: DataType, scope: RowScope) -> RowExpression:
    """What a column of this type gets."""
    if text == f"CAST(NULL AS {sql_text(kind)})":
        return Constant(kind, None)
    found = row_expression(text, scope)
    if found.type != kind:
        raise LeftToSparkError
    return found
