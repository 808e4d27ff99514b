"""UPDATE, DELETE and MERGE on Spark by copy on write or merge on read.

The size of the input, and the properties of the table, decide the way. Copy on write: every file that contains a
changed row is written anew. A few small files are joined, changed and written in one Spark job, each file's rows into a
separate directory; files that turn out to have no changed row stay. Larger tables are searched for the touched files
first, with the columns of the conditions only, and only those are rewritten.

Where this process may read and write the files, it copies the rows that stay, as bytes or by Arrow (see `successors`):
several times as fast as through Spark's rows, and without sending them to an engine that cannot read files. Only the
changed rows are read again, with the input columns of the new values, and go through the statement's expressions.

Merge on read: changed rows are marked in deletion vectors, and only their new images are written. Small tables need one
Spark job, whose rows report their row indexes as they pass. Larger ones are searched for these first; then the touched
files give the new images.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Any

from deltasql.base import F, LeftToEngineError, pa
from deltasql.engines.choice import scan_size
from deltasql.engines.rewriting import (
    Positions,
    changed_columns,
    listed_positions,
    marked,
    may_copy_rows,
    most_changed,
    rewritten_files,
    same_columns,
)
from deltasql.engines.spark.reading.driver_rows import FILE_NUMBER_SQL, input_size, without_ids
from deltasql.engines.spark.reading.frames import Frames
from deltasql.engines.spark.rewrites.position_search import (
    CHANGES,
    ChangedRows,
    collect_positions,
    rows_at_positions,
    search,
)
from deltasql.engines.spark.rewrites.row_actions import ActedRows, DuplicateMatchesError, MergeSource
from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.engines.spark.writing import Counts, SparkStage
from deltasql.files import (
    FEW_BYTES,
    FEW_FILES,
    FEW_ROWS,
    ORIGIN,
    TINY_BYTES,
    UNPACKED,
    Staged,
    count_live_rows,
    memory_limit,
    spark_uri,
)
from deltasql.log import decode_path, live_rows, record_count
from deltasql.plan import Rewrite, RowEffect, RowKind, Scan, hidden_names
from deltasql.planner import RewriteOutcome
from deltasql.schema import StructType, quote_name, sql_text
from deltasql.sql import UsedNames

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
    images = narrow.output(observed.over(acted.filter(CHANGES)), _was(hidden_names.ROW_FILE, hidden_names.ROW_INDEX))
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
    return rows.select(*columns, ORIGIN, hidden_names.ROW_INDEX)


def _was(file: str, position: str) -> list[Column]:
    """The columns ORIGIN and ROW_INDEX (file and row index of the replaced row), computed by this SQL."""
    return [F.expr(file).alias(ORIGIN), F.expr(position).alias(hidden_names.ROW_INDEX)]


def _unmatched(rows: ActedRows, changed: ChangedRows) -> DataFrame:
    assert changed.matched is not None
    return rows.without(F.broadcast(changed.matched))


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
        staged = self.write(observed.over(acted).filter(f"{hidden_names.ACTION} > 0"))
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
    places = f"'file', {hidden_names.ROW_FILE}, 'row', {hidden_names.ROW_INDEX}, 'action', {hidden_names.ACTION}"
    position = f"named_struct({places})"
    return F.expr(f"collect_list(CASE WHEN {CHANGES} THEN {position} END)").alias("positions")


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
        touched = F.expr(
            f"collect_set(CASE WHEN {hidden_names.ACTION} > 0 AND {hidden_names.TARGET_PRESENT} THEN {file_of} END)"
        )
        observed = self.counts(touched.alias("touched"))
        rows = observed.over(acted)
        origin_of_row = F.expr(f"CASE WHEN {hidden_names.TARGET_PRESENT} THEN {origin} END").alias(ORIGIN)
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
        origin = f"xxhash64({hidden_names.ROW_FILE})"
        return origin, f"named_struct('file', {hidden_names.ROW_FILE}, 'origin', {origin})"

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
            pairs = self.acted(target, "inner").select(
                hidden_names.ROW_FILE, hidden_names.SOURCE_ROW, hidden_names.ACTION
            )
            pairs = self.source.cache(pairs)
            acted = self.acted(target, how) if self.by_source else pairs
            return _files(acted.filter(f"{hidden_names.ACTION} > 0")), pairs.select(hidden_names.SOURCE_ROW).distinct()
        condition = (
            f"{hidden_names.ACTION} > 0 OR {hidden_names.SOURCE_PRESENT}"
            if self.inserts
            else f"{hidden_names.ACTION} > 0"
        )
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
    return [row[0] for row in rows.select(hidden_names.ROW_FILE).distinct().collect()]


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
    most = FEW_BYTES if spark.capabilities.metadata else TINY_BYTES
    files = operator.target.files
    if scan_size(operator.target) >= most or files.num_rows > FEW_FILES:
        return False
    if not operator.recording.vectors or all(action.effect is RowEffect.INSERT for action in operator.actions):
        return True
    counts = [record_count(stats) for stats in files.column("stats").to_pylist()]
    return all(count is not None for count in counts) and sum(filter(None, counts)) <= FEW_ROWS
