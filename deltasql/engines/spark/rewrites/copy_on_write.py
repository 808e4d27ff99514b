"""Copy on write: every file that holds a changed row is written anew.

A few small files are joined, changed and written in one Spark job, each file's rows into a directory of its own; files
that turn out to hold no changed row keep their original. Larger tables are searched for the touched files first, with
the columns of the conditions only, and only those are rewritten. Where this process may read and write the files, it
copies the rows that stay, and only those that change are computed: see `copied_rows`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from deltasql.base.lazy import F, pa
from deltasql.engines.spark.reading.driver_rows import FILE_NUMBER_SQL
from deltasql.engines.spark.reading.row_ids import without_ids
from deltasql.engines.spark.rewrites.copied_rows import copied, may_copy
from deltasql.engines.spark.rewrites.position_search import search
from deltasql.engines.spark.rewrites.row_actions import ActedRows, DuplicateMatchesError
from deltasql.engines.spark.writing.row_writers import Counts
from deltasql.files.reading.file_reader import spark_uri
from deltasql.files.reading.pieces import count_live_rows
from deltasql.files.writing.staged_files import ORIGIN
from deltasql.plan.hidden import ACTION, ROW_FILE, SOURCE_PRESENT, SOURCE_ROW, TARGET_PRESENT
from deltasql.plan.operators import RowEffect, Scan
from deltasql.planner.door import RewriteOutcome

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class CopyOnWrite(ActedRows):
    """A rewrite whose files replace those of the table."""

    def run(self, few: bool, unique: bool) -> RewriteOutcome:
        if self.effects == {RowEffect.INSERT}:
            return self.insert_only()
        return self._one_pass(unique) if few and not self._deletes_in_process else self._two_passes(unique)

    @property
    def _deletes_in_process(self) -> bool:
        """Whether this process leaves rows out and no row is computed, so that a search is all there is to do."""
        plain = self.operator.join is None and not self.operator.recording.changes
        ours = plain and not self.frames.capabilities.metadata
        return ours and self.effects == {RowEffect.DELETE} and may_copy(self)

    def _one_pass(self, unique: bool) -> RewriteOutcome:
        how = "full_outer" if self.inserts else self.keeping_source("left_outer")
        acted = self.acted(self.operator.target, how, unique)
        origin, file_of = self._origins()
        touched = F.expr(f"collect_set(CASE WHEN {ACTION} > 0 AND {TARGET_PRESENT} THEN {file_of} END)")
        observed = self.counts(touched.alias("touched"))
        rows = observed.over(acted)
        origin_of_row = F.expr(f"CASE WHEN {TARGET_PRESENT} THEN {origin} END").alias(ORIGIN)
        staged = self.write_output(self.output(rows, [origin_of_row]), origins=True)
        counts = observed.total()
        self._check_unique(counts, self.operator.target.files, unique)
        files = self._files_by_origin(counts["touched"])
        staged = self.stage.retain_origins(staged, files.keys())
        return self.outcome(staged, self.subset(files.values()), counts)

    def _origins(self) -> tuple[str, str]:
        """SQL of what directories are called after, by the file of a row, and of what tells it with the file.

        Files that this process has read have numbers.
        """
        if not self.frames.capabilities.metadata:
            return FILE_NUMBER_SQL, FILE_NUMBER_SQL
        origin = f"xxhash64({ROW_FILE})"
        return origin, f"named_struct('file', {ROW_FILE}, 'origin', {origin})"

    def _files_by_origin(self, origins: Iterable[Any]) -> dict[str, str]:
        """The URIs of files, by their origin, from values of the second SQL of `_origins`."""
        if self.frames.capabilities.metadata:
            return {str(item["origin"]): item["file"] for item in origins}
        paths = self.operator.target.files.column("location").to_pylist()
        return {str(number): spark_uri(paths[number]) for number in origins}

    def _two_passes(self, unique: bool) -> RewriteOutcome:
        if may_copy(self):
            searched = search(self, unique=unique, in_process=True)
            self.check_unique_matches(searched.positions, unique)
            done = copied(self, searched, unique=unique)
            if done is not None:
                return done
            touched, matched = list(searched.positions.rows), searched.matched
        else:
            touched, matched = self._search()
        files = self.subset(touched)
        if not touched and not self.inserts:
            return self.nothing()
        observed = self.counts()
        rows = self._rewritten_rows(replace(self.operator.target, files=files), matched, unique, observed)
        staged = self.write_output(rows)
        counts = observed.total()
        self._check_unique(counts, files, unique)
        return self.outcome(staged, files, counts)

    def _search(self) -> tuple[list[str], DataFrame | None]:
        """URIs of the files that hold a changed row, and the numbers of matched source rows where inserts need them.

        Without a broadcast source the second pass finds unmatched rows by a full outer join, for which every file
        with a match counts as touched.
        """
        target = without_ids(self.operator.target)
        how = "left_outer" if self.by_source else "inner"
        if self.inserts and self.source.broadcast:
            pairs = self.acted(target, "inner").select(ROW_FILE, SOURCE_ROW, ACTION)
            pairs = self.source.cache(pairs)
            acted = self.acted(target, how) if self.by_source else pairs
            return _files(acted.filter(f"{ACTION} > 0")), pairs.select(SOURCE_ROW).distinct()
        condition = f"{ACTION} > 0 OR {SOURCE_PRESENT}" if self.inserts else f"{ACTION} > 0"
        return _files(self.acted(target, how).filter(condition)), None

    def _rewritten_rows(self, target: Scan, matched: DataFrame | None, unique: bool, observed: Counts) -> DataFrame:
        """The output columns for touched files and inserted rows."""
        how = "full_outer" if self.inserts and matched is None else "left_outer"
        rows = self.output(observed.over(self.acted(target, how, unique)))
        if matched is None:
            return rows
        inserted = observed.over(self.inserted(self.without(F.broadcast(matched))))
        return rows.unionAll(self.output(inserted, inserted_only=True))

    def _check_unique(self, counts: Mapping[str, int], files: pa.Table, unique: bool) -> None:
        """A target row that met n source rows stands n times in an outer join: compare with the files' row counts."""
        if (
            unique
            and self.operator.source is not None
            and counts["target_rows"] > count_live_rows(self.frames.stores, files)
        ):
            raise DuplicateMatchesError


def _files(rows: DataFrame) -> list[str]:
    return [row[0] for row in rows.select(ROW_FILE).distinct().collect()]
