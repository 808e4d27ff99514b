"""UPDATE, DELETE and MERGE of small tables whose expressions are certain: this process computes them by itself.

An engine takes longer to be asked than such rows take. Whatever is not certain is left to it: see `sql/evaluated`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from deltasql.engine.evaluation.pairs import equal_pairs
from deltasql.engine.evaluation.sources import here_rows, is_small
from deltasql.engine.evaluation.values import Rows, places_where, rows_of, values
from deltasql.engine.reading.file_reader import PLACE, arrow_schema, spark_uri, split_places
from deltasql.engine.reading.plain_scans import are_plain, plain_rows
from deltasql.engine.rewrites.copied_rows import changed_columns, kept_files, same_columns
from deltasql.engine.rewrites.merge_on_read import marked
from deltasql.engine.rewrites.row_actions import outcome, subset
from deltasql.engine.rewrites.stored_rows import partition_values
from deltasql.engine.rewrites.vector_positions import Positions, positions_of
from deltasql.engine.session.spark import SparkHandle
from deltasql.engine.writing.driver_files import as_stored
from deltasql.engine.writing.stage import Stage
from deltasql.engine.writing.staged_files import ORIGIN
from deltasql.plan.hidden import ROW_INDEX, ROW_PLACE
from deltasql.plan.operators import HeldRows, Rewrite, RowAction, RowEffect, RowKind, SourceJoin
from deltasql.runtime import Rewritten, Staged
from deltasql.schema.column_mapping import is_mapped, physical_name
from deltasql.schema.text import sql_text
from deltasql.schema.types import BOOLEAN, ArrayType, DataType, MapType, StructField, StructType
from deltasql.sql.constants import Constant
from deltasql.sql.cursor import LeftToSparkError
from deltasql.sql.evaluated.expressions import RowExpression, RowScope, row_expression

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Numbers = np.ndarray[Any, Any]


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
        if not operator.recording.vectors and not self._partitions.isdisjoint(changed_columns(operator)):
            # Such rows go to files of other partitions.
            raise LeftToSparkError
        join = operator.join
        self._source = None if join is None else here_rows(spark, join.source)
        ours = {operator.target_alias: operator.target.schema}
        theirs = {} if self._source is None or join is None else {join.alias: self._source.schema}
        if len(ours.keys() | theirs.keys()) < len(ours) + len(theirs):
            raise LeftToSparkError
        self._on = None if join is None else _truth(join.on, RowScope({**ours, **theirs}))
        scopes = {
            RowKind.MATCHED: RowScope({**ours, **theirs}),
            RowKind.NOT_MATCHED: RowScope(theirs),
            RowKind.NOT_MATCHED_BY_SOURCE: RowScope(ours),
        }
        self._actions = [
            _compiled(number, action, scopes[action.kind], operator.output)
            for number, action in enumerate(operator.actions, start=1)
        ]
        self._checks = [_truth(check.condition, RowScope({"": operator.output})) for check in operator.checks]

    @property
    def _partitions(self) -> set[str]:
        return set(self._operator.target.partition_columns)

    def run(self) -> Rewritten:
        operator = self._operator
        target = plain_rows(self._spark, replace(operator.target, identity=False), (*operator.target.schema, PLACE))
        source = None if self._source is None else self._source.read()
        fired = list(self._fired(target, source))
        found = self._found(target, fired)
        images, inserted = self._new(target, fired)
        counts = [0] * len(self._actions)
        for item in fired:
            counts[item.action.number - 1] += item.rows.count
        staged = self._marked(images, inserted) if operator.recording.vectors else self._copied(found, images, inserted)
        met = 0 if source is None else source.num_rows
        removed = None if operator.recording.vectors else subset(operator, found.rows)
        done = outcome(operator, staged, removed, tuple(counts), met)
        return marked(operator, done, found) if operator.recording.vectors else done

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
        pairs = Rows({**own.at(left).tables, **others.at(right).tables}, len(left))
        yield from self._chosen(RowKind.MATCHED, pairs, left)
        alone = np.setdiff1d(np.arange(others.count), right)
        yield from self._chosen(RowKind.NOT_MATCHED, others.at(alone), None)
        unmet = np.setdiff1d(np.arange(own.count), left)
        yield from self._chosen(RowKind.NOT_MATCHED_BY_SOURCE, own.at(unmet), unmet)

    def _chosen(self, kind: RowKind, rows: Rows, places: Numbers | None) -> Iterator[_Fired]:
        """For each row the first action of its kind whose condition is TRUE."""
        import numpy as np

        for action in self._actions:
            if action.action.kind is kind and rows.count:
                hit = places_where(action.condition, rows)
                if len(hit):
                    yield _Fired(action, rows.at(hit), None if places is None else places[hit])
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

    def _marked(self, images: pa.Table, inserted: pa.Table) -> Staged:
        import pyarrow as pa

        return self._written(pa.concat_tables([images.drop_columns([ROW_PLACE]), inserted]))

    def _written(self, rows: pa.Table) -> Staged:
        if not rows.num_rows:
            return self._stage.nothing()
        return self._stage.write_held_rows(HeldRows(self._operator.output, rows))

    def _copied(self, found: Positions, images: pa.Table, inserted: pa.Table) -> Staged:
        operator = self._operator
        if not found.rows:
            return self._written(inserted)
        files = subset(operator, found.rows)
        kept = kept_files(self._spark, operator, self._stage, found, files)
        parts = list(self._by_file(images, files))
        changed = frozenset(changed_columns(operator))
        staged = self._stage.succeed_with(kept, parts, operator.output, changed)
        more = self._written(inserted)
        return Staged((*staged.files, *more.files))

    def _by_file(self, images: pa.Table, files: pa.Table) -> Iterator[tuple[Mapping[str, str | None], pa.Table]]:
        """The new images of each file's rows, as files hold them, with ROW_INDEX."""
        import numpy as np
        import pyarrow as pa

        operator = self._operator
        paths = operator.target.files.column("location").to_pylist()
        own = partition_values(operator.output, operator.target.partition_columns, files)
        spelled = dict(zip(files.column("location").to_pylist(), own, strict=True))
        numbers, rows = split_places(images.column(ROW_PLACE).to_numpy())
        held = [item for item in operator.output if item.name not in self._partitions]
        stored = images.select([item.name for item in held]).rename_columns([physical_name(item) for item in held])
        stored = as_stored(stored, operator.output).append_column(ROW_INDEX, pa.array(rows))
        for number in np.unique(numbers).tolist():
            path = paths[number]
            table = stored.take(np.flatnonzero(numbers == number))
            yield {ORIGIN: spark_uri(path), **spelled[path]}, table


def _compiled(number: int, action: RowAction, scope: RowScope, output: StructType) -> _Action:
    condition = None if action.condition is None else _truth(action.condition, scope)
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


def _truth(text: str, scope: RowScope) -> RowExpression:
    found = row_expression(text, scope)
    if found.type != BOOLEAN:
        raise LeftToSparkError
    return found
