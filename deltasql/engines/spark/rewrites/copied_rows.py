"""Copy-on-write rewrites in which this process copies unchanged rows, and the engine computes only changed rows.

A search yields the indexes of the changed rows. These are read again, with the input columns of the new values, and go
through the statement's expressions. The other rows are copied from file to file as bytes or by Arrow (see
`successors`): several times as fast as through Spark's rows, and without sending them to an engine that cannot read
files.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import reduce
from typing import TYPE_CHECKING

from deltasql.base.errors.base import LeftToEngineError
from deltasql.base.lazy import F, pa
from deltasql.engines.rewriting.outcome import changed_columns, most_changed, rewritten_files, same_columns
from deltasql.engines.rewriting.stored_rows import may_copy_rows
from deltasql.engines.spark.rewrites.position_search import CHANGES, ChangedRows, rows_at_positions
from deltasql.engines.spark.rewrites.row_actions import ActedRows
from deltasql.engines.spark.writing.row_writers import Counts
from deltasql.files.memory import memory_limit
from deltasql.files.reading.pieces import count_live_rows
from deltasql.files.staged import Staged
from deltasql.files.thresholds import UNPACKED
from deltasql.files.writing.staged_files import ORIGIN
from deltasql.log.actions.record_count import live_rows
from deltasql.log.storage.locations import decode_path
from deltasql.plan.hidden import ROW_FILE, ROW_INDEX
from deltasql.plan.operators import Rewrite, RowEffect
from deltasql.planner.door import RewriteOutcome
from deltasql.schema.text import quote_name, sql_text
from deltasql.schema.types import StructType
from deltasql.sql.references import UsedNames

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def may_copy(rows: ActedRows) -> bool:
    """Whether unchanged rows can be copied from the target's files without change, and this process may do so."""
    operator = rows.operator
    if not (_are_searched_once(rows) and same_columns(operator.output, operator.target.schema)):
        return False
    return may_copy_rows(rows.frames.spark, operator.target, rows.stage, operator.target.files.column("size"))


def _are_searched_once(rows: ActedRows) -> bool:
    """Whether a search determines the changed rows: not all rows change, and a second evaluation gives the same."""
    operator = rows.operator
    all_change = operator.join is None and any(action.condition is None for action in operator.actions)
    return not (operator.volatile or all_change or (rows.inserts and not rows.source.broadcast))


def copied(rows: ActedRows, changed: ChangedRows, *, unique: bool) -> RewriteOutcome | None:
    """Stages the successors of the files in which rows were found.

    None where the engine must do it: too many rows change, or a file has dates of the Julian calendar.
    """
    files = rows.subset(changed.positions.rows)
    if not files.num_rows and not rows.inserts:
        return rows.nothing()
    if rows.frames.capabilities.metadata and changed.positions.marked > most_changed(rows.frames.stores, files):
        return None
    try:
        return _copied(rows, changed, files, unique=unique)
    except LeftToEngineError:
        rows.stage.discard()
        return None


def _copied(rows: ActedRows, searched: ChangedRows, files: pa.Table, *, unique: bool) -> RewriteOutcome:
    operator, changes = rows.operator, rows.operator.recording.changes
    changed = frozenset(changed_columns(operator))
    if rows.effects == {RowEffect.DELETE} and not changes:
        rewritten = rewritten_files(rows.frames.spark, operator, rows.stage, searched.positions, files)
        staged = rows.stage.succeed(rewritten, None, operator.output)
        return rows.outcome(staged, files, _counts_without_query(rows, searched, files, staged))
    observed = rows.counts()
    inserted = [_inserted(rows, searched, observed)] if rows.inserts else []
    groups = _in_groups(rows, files, searched)
    parts: list[Staged] = []
    for at, group in enumerate(groups, start=1):
        new = [_images(rows, searched, group, changed, observed, unique=unique)] if group.num_rows else []
        new += inserted if at == len(groups) else []
        rewritten = rewritten_files(rows.frames.spark, operator, rows.stage, searched.positions, group)
        united = reduce(lambda some, more: some.unionAll(more), new)
        parts.append(rows.stage.succeed(rewritten, united, operator.output, changed, changes=changes))
    staged = Staged.united(parts)
    few_inserts = sum(action.effect is RowEffect.INSERT for action in operator.actions) <= 1
    asks = rows.frames.capabilities.observe or not few_inserts
    return rows.outcome(
        staged, files, observed.total() if asks else _counts_without_query(rows, searched, files, staged)
    )


def _in_groups(rows: ActedRows, files: pa.Table, searched: ChangedRows) -> list[pa.Table]:
    """`files` in groups whose changed rows fit into memory together.

    An engine with a limit for changed rows, see `copied`, needs one group. Of a group there are several copies.
    """
    if rows.frames.capabilities.metadata or files.num_rows < 2:
        return [files]
    most = memory_limit(rows.frames.spark) // (2 * UNPACKED)
    marked = {decode_path(uri): len(indexes) for uri, indexes in searched.positions.rows.items()}
    groups: list[list[int]] = [[]]
    filled = 0.0
    described = zip(
        files.column("location").to_pylist(), files.column("size").to_pylist(), live_rows(files), strict=True
    )
    for at, (path, size, count) in enumerate(described):
        needed = UNPACKED * size * min(1.0, marked.get(path, 0) / (count or 1))
        if groups[-1] and filled + needed > most:
            groups.append([])
            filled = 0.0
        groups[-1].append(at)
        filled += needed
    return [files.take(indexes) for indexes in groups]


def _images(
    rows: ActedRows,
    searched: ChangedRows,
    files: pa.Table,
    changed: Collection[str],
    observed: Counts,
    *,
    unique: bool,
) -> DataFrame:
    """The new images of the changed rows of some files, with the places of the rows that they replace."""
    operator = rows.operator
    whole = operator.recording.changes or any(name in changed for name in operator.target.partition_columns)
    narrow = rows if whole else rows.fired(_needed(operator, changed))
    acted = narrow.acted(rows_at_positions(narrow.operator.target, files, searched.positions), rows.how, unique)
    images = narrow.output(observed.over(acted.filter(CHANGES)), _was(ROW_FILE, ROW_INDEX))
    return images if whole else _widened(images, operator.output)


def _inserted(rows: ActedRows, searched: ChangedRows, observed: Counts) -> DataFrame:
    """The inserted rows, which replace none."""
    inserted = observed.over(rows.inserted(_unmatched(rows, searched)))
    nowhere = _was("CAST(NULL AS STRING)", "CAST(NULL AS BIGINT)")
    return rows.output(inserted, nowhere, inserted_only=True)


def _counts_without_query(rows: ActedRows, changed: ChangedRows, files: pa.Table, staged: Staged) -> dict[str, int]:
    """The counters of a rewrite from the row indexes found and the staged rows, without another query of the engine.

    At most one action may insert: its rows are those staged beyond the rows that remain.
    """
    actions = rows.operator.actions
    counts = changed.positions.counts_of(len(actions))
    effects = {f"action{number}": action.effect for number, action in enumerate(actions, start=1)}
    deleted = sum(counts[name] for name, effect in effects.items() if effect is RowEffect.DELETE)
    inserts = [name for name, effect in effects.items() if effect is RowEffect.INSERT]
    if not inserts:
        return counts
    left = count_live_rows(rows.frames.stores, files) - deleted
    inserted = dict.fromkeys(inserts, staged.rows - left)
    return {**counts, **inserted}


def _needed(operator: Rewrite, changed: Collection[str]) -> Collection[str]:
    """Columns to compute for updated rows that stay in their files: changed, partition, and constraint columns."""
    used = UsedNames(check.condition for check in operator.checks)
    checked = (field.name for field in operator.output if field.name in used)
    return {*changed, *checked, *operator.target.partition_columns}


def _widened(rows: DataFrame, output: StructType) -> DataFrame:
    """`rows` with all columns of `output`; columns that are missing, and not used, are NULL."""
    present = set(rows.columns)
    nulls = {field.name: f"CAST(NULL AS {sql_text(field.type)})" for field in output if field.name not in present}
    texts = (nulls.get(field.name, quote_name(field.name)) for field in output)
    columns = [F.expr(text).alias(field.name) for text, field in zip(texts, output, strict=True)]
    return rows.select(*columns, ORIGIN, ROW_INDEX)


def _was(file: str, position: str) -> list[Column]:
    """The columns ORIGIN and ROW_INDEX (file and row index of the replaced row), computed by this SQL."""
    return [F.expr(file).alias(ORIGIN), F.expr(position).alias(ROW_INDEX)]


def _unmatched(rows: ActedRows, changed: ChangedRows) -> DataFrame:
    assert changed.matched is not None
    return rows.without(F.broadcast(changed.matched))
