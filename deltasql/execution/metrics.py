"""Operation metrics of a rewrite, under Delta's names."""

from __future__ import annotations

from collections.abc import Sequence

from deltasql.engines.door import RewriteOutcome
from deltasql.log.actions.actions import AddFile
from deltasql.log.actions.operations import Outcome
from deltasql.log.actions.vector_writer import Marking
from deltasql.plan.operators import Rewrite, RowEffect, RowKind


def removed_metrics(removes: Sequence[AddFile]) -> dict[str, int]:
    """Metrics of removed files: their number and total bytes."""
    return {"numRemovedFiles": len(removes), "numRemovedBytes": sum(item.size for item in removes)}


def rewrite_metrics(
    outcome: Outcome, done: RewriteOutcome, operator: Rewrite, removes: Sequence[AddFile], marking: Marking
) -> dict[str, int]:
    """Operation metrics of a rewrite, by `outcome`; `removes` are the files removed from the table."""
    if outcome is Outcome.INSERT:
        written = {"numFiles": len(done.staged.files), "numOutputRows": done.staged.rows}
        deleted = {"numDeletedRows": done.rows(operator.actions, RowEffect.DELETE), "numCopiedRows": done.copied}
        changes = {"numAddedChangeFiles": len(done.staged.changes)}
        return {**written, "numOutputBytes": done.staged.size, **removed_metrics(removes), **changes, **deleted}
    if operator.source is None:
        return _dml_metrics(done, operator, removes, marking)
    return _merge_metrics(done, operator, removes, marking)


def _vector_metrics(prefix: str, marking: Marking) -> dict[str, int]:
    return {
        f"{prefix}DeletionVectorsAdded": marking.added + marking.replaced,
        f"{prefix}DeletionVectorsRemoved": marking.replaced + marking.removed_vectors,
        f"{prefix}DeletionVectorsUpdated": marking.replaced,
    }


def _dml_metrics(
    done: RewriteOutcome, operator: Rewrite, removes: Sequence[AddFile], marking: Marking
) -> dict[str, int]:
    effect = operator.actions[0].effect
    name = "numUpdatedRows" if effect is RowEffect.UPDATE else "numDeletedRows"
    return {
        "numAddedFiles": len(done.staged.files),
        "numRemovedFiles": len(removes),
        "numAddedBytes": done.staged.size,
        "numRemovedBytes": sum(item.size for item in removes),
        "numAddedChangeFiles": len(done.staged.changes),
        **_vector_metrics("num", marking),
        name: done.counts[0],
        "numCopiedRows": done.copied,
    }


def _merge_metrics(
    done: RewriteOutcome, operator: Rewrite, removes: Sequence[AddFile], marking: Marking
) -> dict[str, int]:
    def rows(effect: RowEffect, kind: RowKind | None = None) -> int:
        return done.rows(operator.actions, effect, kind)

    return {
        "numSourceRows": done.source_rows,
        "numTargetRowsInserted": rows(RowEffect.INSERT),
        "numTargetRowsUpdated": rows(RowEffect.UPDATE),
        "numTargetRowsMatchedUpdated": rows(RowEffect.UPDATE, RowKind.MATCHED),
        "numTargetRowsNotMatchedBySourceUpdated": rows(RowEffect.UPDATE, RowKind.NOT_MATCHED_BY_SOURCE),
        "numTargetRowsDeleted": rows(RowEffect.DELETE),
        "numTargetRowsMatchedDeleted": rows(RowEffect.DELETE, RowKind.MATCHED),
        "numTargetRowsNotMatchedBySourceDeleted": rows(RowEffect.DELETE, RowKind.NOT_MATCHED_BY_SOURCE),
        "numTargetRowsCopied": done.copied,
        "numOutputRows": done.staged.rows,
        "numTargetFilesAdded": len(done.staged.files),
        "numTargetFilesRemoved": len(removes),
        "numTargetBytesAdded": done.staged.size,
        "numTargetBytesRemoved": sum(item.size for item in removes),
        "numTargetChangeFilesAdded": len(done.staged.changes),
        **_vector_metrics("numTarget", marking),
    }
