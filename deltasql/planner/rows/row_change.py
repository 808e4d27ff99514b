"""The tail that UPDATE, DELETE and MERGE share: from the rewrite of a table to the change that is committed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from deltasql.plan.operators import Rewrite
from deltasql.planner.changes import CommitSpec, RowChange
from deltasql.planner.rows.change_recording import recorded
from deltasql.planner.rows.read_set import reads_of
from deltasql.planner.rows.row_level import keeps_source, rewritten_rows

if TYPE_CHECKING:
    from deltasql.log.actions.actions import Metadata
    from deltasql.planner.context import Context


def row_change(
    spec: CommitSpec, operator: Rewrite, metadata: Metadata, pruned_by: str | None, context: Context
) -> RowChange:
    """The change whose rows `operator` rewrites. `pruned_by` is the predicate that chose the files of its target.

    Decided here: how changes are recorded in files, what the commit depends on, and whether its rows can be told apart
    from those that others change. Nothing is committed where no row changes.
    """
    assert spec.snapshot is not None
    operator = recorded(operator, metadata.properties)
    rows = rewritten_rows(operator, spec.snapshot, context)
    if rows.probe is not None and operator.join is not None and keeps_source(operator):
        operator = replace(operator, join=replace(operator.join, is_kept=True))
        rows = replace(rows, probe=operator)
    reads = reads_of(operator, pruned_by, spec.snapshot, context)
    return RowChange(replace(spec, reads=reads), operator, metadata, skip_if_empty=True, rows=rows)
