"""Merge on read: changed rows are marked in deletion vectors, and only their new images are written.

Small tables need one Spark job, whose rows report their positions as they pass. Larger ones are searched for the
positions first, with the columns of the conditions only; then the touched files give the new images.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from deltasql.engine.reading.row_ids import without_ids
from deltasql.engine.rewrites.row_actions import ActedRows, DuplicateMatchesError
from deltasql.engine.rewrites.vector_positions import Positions, collect_positions, listed_positions
from deltasql.log.actions.record_count import record_count
from deltasql.log.storage.paths import decode_path
from deltasql.plan.hidden import ACTION, ROW_FILE, ROW_INDEX, SOURCE_ROW, TARGET_PRESENT
from deltasql.plan.operators import RowEffect
from deltasql.runtime import Rewritten, Staged

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

FEW_ROWS = 20_000
"""So many positions travel as a list; beyond, Spark makes bitmaps of them."""
FIRED = f"{ACTION} > 0 AND {TARGET_PRESENT}"


class MergeOnRead(ActedRows):
    """A rewrite that leaves the table's files where they are."""

    def run(self, few: bool, unique: bool) -> Rewritten:
        if self.effects == {RowEffect.INSERT}:
            return self.insert_only()
        few = few and _row_count(self.operator.target.files.column("stats").to_pylist()) <= FEW_ROWS
        if self.effects == {RowEffect.DELETE} and not self.operator.recording.changes:
            return self._only_marks(few, unique)
        return self._one_pass(unique) if few else self._two_passes(unique)

    @property
    def _how(self) -> str:
        """The join under which every target row that an action may change appears."""
        return "left_outer" if self.by_source or self.operator.source is None else "inner"

    def _only_marks(self, few: bool, unique: bool) -> Rewritten:
        found = collect_positions(self.acted(without_ids(self.operator.target), self._how, unique).filter(FIRED), few)
        self._check_unique(found, unique)
        numbers = range(1, len(self.operator.actions) + 1)
        counts = {f"action{number}": found.counts.get(number, 0) for number in numbers}
        return self._marked(self.stage.nothing(), found, {**counts, "source_rows": found.fired})

    def _one_pass(self, unique: bool) -> Rewritten:
        from pyspark.sql import functions as F

        acted = self.acted(self.operator.target, "full_outer" if self.inserts else self._how, unique)
        position = f"named_struct('file', {ROW_FILE}, 'row', {ROW_INDEX}, 'action', {ACTION})"
        listed = F.expr(f"collect_list(CASE WHEN {FIRED} THEN {position} END)").alias("positions")
        observed = self.counts(listed)
        staged = self.write(observed.over(acted).filter(f"{ACTION} > 0"))
        counts = observed.total()
        found = listed_positions(tuple(item) for item in counts.pop("positions"))
        self._check_unique(found, unique)
        return self._marked(staged, found, counts)

    def _two_passes(self, unique: bool) -> Rewritten:
        from pyspark.sql import functions as F

        found, images, matched = self._search(unique)
        self._check_unique(found, unique)
        observed = self.counts()
        rows = self.output(observed.over(images))
        if self.inserts:
            unmatched = self.unmatched() if matched is None else self.without(F.broadcast(matched))
            rows = rows.unionAll(self.output(observed.over(self.inserted(unmatched)), inserted_only=True))
        staged = self.write_output(rows)
        return self._marked(staged, found, observed.total())

    def _search(self, unique: bool) -> tuple[Positions, DataFrame, DataFrame | None]:
        """Positions of changed rows, those rows, and the numbers of matched source rows where inserts need them."""
        target = self.operator.target
        if self.operator.volatile:
            # A second evaluation could choose other rows.
            images = self.source.cache(self.acted(target, self._how, unique).filter(FIRED))
            return collect_positions(images, few=False), images, None
        matched = None
        searched = without_ids(target)
        fired = self.acted(searched, self._how, unique).filter(FIRED)
        if self.inserts and self.source.broadcast:
            pairs = self.source.cache(self.acted(searched, "inner").select(ROW_FILE, ROW_INDEX, SOURCE_ROW, ACTION))
            fired = fired if self.by_source or not unique else pairs.filter(f"{ACTION} > 0")
            matched = pairs.select(SOURCE_ROW).distinct()
        found = collect_positions(fired, few=False)
        touched = replace(target, files=self.subset(found.rows))
        return found, self.acted(touched, self._how, unique).filter(FIRED), matched

    def _check_unique(self, found: Positions, unique: bool) -> None:
        if unique and found.fired > found.marked:
            raise DuplicateMatchesError

    def _marked(self, staged: Staged, found: Positions, counts: dict[str, int]) -> Rewritten:
        """The outcome, with positions by log path."""
        files = self.subset(found.rows)
        paths = dict(zip(files.column("location").to_pylist(), files.column("path").to_pylist(), strict=True))
        done = self.outcome(staged, None, counts)
        marked = {paths[decode_path(uri)]: rows for uri, rows in found.rows.items()}
        return replace(done, copied=0, marked=marked)


def _row_count(stats: list[str | None]) -> int:
    """Rows of files by their statistics; very many where one has none."""
    return sum(FEW_ROWS + 1 if count is None else count for count in map(record_count, stats))
