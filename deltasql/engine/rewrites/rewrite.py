"""UPDATE, DELETE and MERGE: the way of a rewrite is chosen by the size of its input and by what the table allows."""

from __future__ import annotations

from dataclasses import replace

from deltasql.engine.reading.frames import Frames
from deltasql.engine.reading.input_size import input_size
from deltasql.engine.reading.scans import scan_size
from deltasql.engine.rewrites.copy_on_write import CopyOnWrite
from deltasql.engine.rewrites.merge_on_read import MergeOnRead
from deltasql.engine.rewrites.merge_source import Source
from deltasql.engine.rewrites.row_actions import DuplicateMatchesError
from deltasql.engine.session.spark import SparkHandle
from deltasql.engine.session.tuning import FEW_BYTES
from deltasql.engine.writing.stage import Stage
from deltasql.plan.operators import Rewrite, RowKind
from deltasql.runtime import Rewritten

FEW_FILES = 64
FEW_SENT_BYTES = 256 << 10
"""Of files that this process reads for the engine: to copy the rows that stay is faster from 20,000 rows on."""


def rewrite(frames: Frames, spark: SparkHandle, operator: Rewrite, stage: Stage) -> Rewritten:
    """Runs `operator` and stages its new files; nothing in the table changes until the caller commits.

    Raises MultipleSourceRowsError when several source rows would change one target row.
    """
    size = scan_size(operator.target)
    most = FEW_BYTES if spark.capabilities.metadata else FEW_SENT_BYTES
    few = size < most and operator.target.files.num_rows <= FEW_FILES
    size_read = stage.input_size = input_size(operator)
    with frames.views(operator.relations), spark.sized(size_read), spark.needing(spark.for_counts()):
        source = Source(frames, operator, keep=not few)
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
            return way.run(few, unique=False)
        finally:
            if operator.join is not None and operator.join.is_kept:
                frames.keep(source)
            else:
                source.release()
