"""Merge on read: changed rows are marked in deletion vectors, and only their new images are written.

Small tables need one Spark job, whose rows report their positions as they pass. Larger ones are searched for the
positions first, with the columns of the conditions only; then the touched files give the new images.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from deltasql.base.lazy import F
from deltasql.engines.rewriting.outcome import marked
from deltasql.engines.rewriting.positions import Positions, listed_positions
from deltasql.engines.spark.rewrites.position_search import (
    CHANGES,
    ChangedRows,
    collect_positions,
    rows_at_positions,
    search,
)
from deltasql.engines.spark.rewrites.row_actions import ActedRows
from deltasql.engines.spark.writing.row_writers import Counts
from deltasql.files.staged import Staged
from deltasql.plan.hidden import ACTION, ROW_FILE, ROW_INDEX
from deltasql.plan.operators import RowEffect
from deltasql.planner.door import RewriteOutcome

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


class MergeOnRead(ActedRows):
    """A rewrite that leaves the table's files where they are."""

    def run(self, few: bool, unique: bool) -> RewriteOutcome:
        if self.effects == {RowEffect.INSERT}:
            return self.insert_only()
        if self.effects == {RowEffect.DELETE} and not self.operator.recording.changes:
            return self._only_marks(few, unique)
        return self._one_pass(unique) if few else self._two_passes(unique)

    def _only_marks(self, few: bool, unique: bool) -> RewriteOutcome:
        acted = self.acted(self.searched, self.keeping_source(self.how), unique)
        if self.counts_source:
            counts = Counts([*self.counters(), _listed()], observe=False)
            counts.over(acted)
            total = counts.total()
            positions = listed_positions(tuple(item) for item in total["positions"])
        else:
            positions = collect_positions(acted.filter(CHANGES), few=few)
            total = positions.counts_of(len(self.operator.actions))
        self.check_unique_matches(positions, unique)
        return self._marked(self.stage.nothing(), positions, total)

    def _one_pass(self, unique: bool) -> RewriteOutcome:
        how = "full_outer" if self.inserts else self.keeping_source(self.how)
        acted = self.acted(self.operator.target, how, unique)
        observed = self.counts(_listed())
        staged = self.write(observed.over(acted).filter(f"{ACTION} > 0"))
        counts = observed.total()
        positions = listed_positions(tuple(item) for item in counts["positions"])
        self.check_unique_matches(positions, unique)
        return self._marked(staged, positions, counts)

    def _two_passes(self, unique: bool) -> RewriteOutcome:
        positions, images = self._search(unique)
        self.check_unique_matches(positions.positions, unique)
        observed = self.counts()
        rows = self.output(observed.over(images))
        if self.inserts:
            unmatched = self.unmatched() if positions.matched is None else self.without(F.broadcast(positions.matched))
            rows = rows.unionAll(self.output(observed.over(self.inserted(unmatched)), inserted_only=True))
        staged = self.write_output(rows)
        return self._marked(staged, positions.positions, observed.total())

    def _search(self, unique: bool) -> tuple[ChangedRows, DataFrame]:
        """Positions of changed rows, and those rows."""
        target = self.operator.target
        if self.operator.volatile:
            # A second evaluation could choose other rows.
            images = self.source.cache(self.acted(target, self.how, unique).filter(CHANGES))
            return ChangedRows(collect_positions(images, few=False), None), images
        has_metadata = self.frames.capabilities.metadata
        searched = search(self, unique=unique, in_process=not has_metadata)
        files = self.subset(searched.positions.rows)
        touched = replace(target, files=files) if has_metadata else rows_at_positions(target, files, searched.positions)
        return searched, self.acted(touched, self.how, unique).filter(CHANGES)

    def _marked(self, staged: Staged, changed: Positions, counts: dict[str, int]) -> RewriteOutcome:
        """The outcome, with positions by log path."""
        return marked(self.operator, self.outcome(staged, None, counts), changed)


def _listed() -> Column:
    """The aggregate `positions`: file, row index and action of each row of the target that changes."""
    position = f"named_struct('file', {ROW_FILE}, 'row', {ROW_INDEX}, 'action', {ACTION})"
    return F.expr(f"collect_list(CASE WHEN {CHANGES} THEN {position} END)").alias("positions")
