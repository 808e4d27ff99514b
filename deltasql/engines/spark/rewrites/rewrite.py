"""UPDATE, DELETE and MERGE: the way of a rewrite is chosen by the size of its input and by what the table allows."""

from __future__ import annotations

from dataclasses import replace

from deltasql.engines.choice import scan_size
from deltasql.engines.spark.reading.frames import Frames
from deltasql.engines.spark.reading.input_size import input_size
from deltasql.engines.spark.rewrites.copy_on_write import CopyOnWrite
from deltasql.engines.spark.rewrites.merge_on_read import MergeOnRead
from deltasql.engines.spark.rewrites.merge_source import MergeSource
from deltasql.engines.spark.rewrites.row_actions import DuplicateMatchesError
from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.engines.spark.writing.stage import SparkStage
from deltasql.files.thresholds import FEW_BYTES, FEW_FILES, FEW_SENT_BYTES, LISTED_ROWS
from deltasql.log.actions.record_count import record_count
from deltasql.plan.operators import Rewrite, RowEffect, RowKind
from deltasql.planner.door import RewriteOutcome


def rewrite(frames: Frames, spark: SparkHandle, operator: Rewrite, stage: SparkStage) -> RewriteOutcome:
    """Runs `operator` and stages its new files; nothing in the table changes until the caller commits.

    Raises MultipleSourceRowsError when several source rows would change one target row.
    """
    few = _are_few(spark, operator)
    size_read = stage.input_size = input_size(operator)
    with frames.views(operator.relations), spark.sized(size_read), spark.needing(spark.for_counts()):
        source = MergeSource(frames, operator, cached=not few)
        if not any(action.kind is RowKind.NOT_MATCHED_BY_SOURCE for action in operator.actions):
            operator = replace(operator, target=source.candidates(operator.target, operator.target_alias))
        way = (MergeOnRead if operator.recording.vectors else CopyOnWrite)(frames, operator, stage, source)
        try:
            if operator.source is None and operator.target.files.num_rows == 0:
                return way.nothing()
            return way.run(few, unique=True)
        except DuplicateMatchesError:
            stage.discard()
            way.refuse_ambiguous_rows()
            if way.counts_source:
                # One match per target row is left, with which other source rows would be lost to the count.
                source.release()
                source = way.source = MergeSource(frames, operator, cached=True)
            return way.run(few, unique=False)
        finally:
            if operator.join is not None and operator.join.is_materialized:
                frames.cache_source(source)
            else:
                source.release()


def _are_few(spark: SparkHandle, operator: Rewrite) -> bool:
    """Whether the target is so small that one job joins and writes it whole, without a search for rows."""
    most = FEW_BYTES if spark.capabilities.metadata else FEW_SENT_BYTES
    files = operator.target.files
    if scan_size(operator.target) >= most or files.num_rows > FEW_FILES:
        return False
    if not operator.recording.vectors or all(action.effect is RowEffect.INSERT for action in operator.actions):
        return True
    counts = [record_count(stats) for stats in files.column("stats").to_pylist()]
    return all(count is not None for count in counts) and sum(filter(None, counts)) <= LISTED_ROWS
