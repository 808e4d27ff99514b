"""UPDATE, DELETE and MERGE: the files that hold a changed row are written anew.

Two ways through, chosen by the size of the candidate files. A few small files are joined, changed and written in one
Spark job, each file's rows into a directory of its own; files that turn out to hold no changed row keep their original.
Larger tables are searched for the touched files first, with the columns of the conditions only, and only those are
rewritten.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from deltasql.engine.actions import ACTION, KEEP, NOTHING, action_sql, cases, not_written, output_sql
from deltasql.engine.frames import Frames, checked, input_size
from deltasql.engine.scans import local_path, scan_size
from deltasql.engine.spark import FEW_BYTES, SparkHandle
from deltasql.engine.staged import ORIGIN
from deltasql.engine.write import Stage, Staged
from deltasql.errors.engine import MultipleSourceRowsError
from deltasql.plan.operators import (
    ROW_FILE,
    ROW_INDEX,
    SOURCE_PRESENT,
    TARGET_PRESENT,
    EqualKey,
    Rewrite,
    RowAction,
    RowEffect,
    RowKind,
    Scan,
)
from deltasql.planner.pruning import prune
from deltasql.schema.literals import sql_literal
from deltasql.schema.types import DataType, DecimalType, PrimitiveType

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame, Observation

SOURCE_ROW = "__deltasql_source_row"
FEW_FILES = 64
BROADCAST_ROWS = 1_000_000


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What a rewrite did: new files, log paths of the replaced ones, rows per action, and rows copied unchanged."""

    staged: Staged
    removed: tuple[str, ...]
    counts: tuple[int, ...]
    copied: int
    source_rows: int

    def rows(self, actions: tuple[RowAction, ...], effect: RowEffect, kind: RowKind | None = None) -> int:
        """Rows on which actions of an effect (and a kind) ran."""
        pairs = zip(actions, self.counts, strict=True)
        return sum(n for action, n in pairs if action.effect is effect and kind in {None, action.kind})


class _DuplicateMatchesError(Exception):
    """Some target row met several source rows: what was staged is wrong. Never leaves this module."""


def rewrite(frames: Frames, spark: SparkHandle, operator: Rewrite, stage: Stage) -> Rewritten:
    """Runs `operator` and stages its new files; nothing in the table changes until the caller commits.

    Raises MultipleSourceRowsError when several source rows would change one target row.
    """
    size = scan_size(operator.target)
    few = size < FEW_BYTES and operator.target.files.num_rows <= FEW_FILES
    source_size = 0 if operator.source is None else input_size(operator.source)
    tuning = spark.for_size(size + source_size)
    with frames.views(operator.relations), spark.tuned(tuning):
        sources = _Source(frames, operator, keep=not few)
        if not any(action.kind is RowKind.NOT_MATCHED_BY_SOURCE for action in operator.actions):
            operator = replace(operator, target=sources.candidates(operator.target, operator.target_alias))
        job = _Job(frames, operator, stage, sources)
        try:
            if operator.source is None and operator.target.files.num_rows == 0:
                return job.nothing()
            return job.run(few, unique=True)
        except _DuplicateMatchesError:
            stage.discard()
            job.refuse_ambiguous_rows()
            return job.run(few, unique=False)
        finally:
            sources.release()


class _Source:
    """The source's rows, with SOURCE_PRESENT, under the source's alias.

    With `keep` they are numbered and evaluated once, since a second evaluation could give other rows. `broadcast`
    says that they are few enough to be sent to every task.
    """

    def __init__(self, frames: Frames, operator: Rewrite, keep: bool) -> None:
        from pyspark.sql import functions as F

        self._cached: list[DataFrame] = []
        self.key_ranges: tuple[tuple[EqualKey, Any, Any], ...] = ()
        self.broadcast = False
        self.rows: DataFrame | None = None
        if operator.source is None:
            return
        rows = frames.frame(operator.source).withColumn(SOURCE_PRESENT, F.lit(True))
        if keep:
            rows = self.cache(rows.withColumn(SOURCE_ROW, F.monotonically_increasing_id()))
            self.broadcast = self._measure(rows.alias(operator.source_alias), operator) <= BROADCAST_ROWS
            rows = F.broadcast(rows) if self.broadcast else rows
        self.rows = rows.alias(operator.source_alias)

    def _measure(self, rows: DataFrame, operator: Rewrite) -> int:
        """The number of source rows; notes the ranges of their keys, which the same job finds."""
        from pyspark.sql import functions as F

        keys = operator.equal_keys
        ranges = [F.expr(f"{edge}({key.source})") for key in keys for edge in ("min", "max")]
        count, *edges = rows.agg(F.count(F.lit(1)), *ranges).collect()[0]
        self.key_ranges = tuple(zip(keys, edges[::2], edges[1::2], strict=True))
        return int(count)

    def candidates(self, target: Scan, alias: str) -> Scan:
        """`target` without the files whose statistics rule out every key of the source."""
        usable = [(key.target, low, high) for key, low, high in self.key_ranges if _comparable(key.type, low)]
        if not usable or target.files.num_rows == 0:
            return target
        predicate = " AND ".join(
            f"{key} >= {sql_literal(low)} AND {key} <= {sql_literal(high)}" for key, low, high in usable
        )
        files = prune(target.files, predicate, target.schema, target.partition_columns, alias)
        return replace(target, files=files)

    def cache(self, rows: DataFrame) -> DataFrame:
        """`rows`, evaluated once and kept until `release`."""
        rows = rows.persist()
        self._cached.append(rows)
        return rows

    def release(self) -> None:
        for rows in self._cached:
            rows.unpersist()


class _Job:
    """One rewrite, by one of its ways."""

    def __init__(self, frames: Frames, operator: Rewrite, stage: Stage, source: _Source) -> None:
        self.frames, self.operator, self.stage, self.source = frames, operator, stage, source
        self.inserts = any(action.effect is RowEffect.INSERT for action in operator.actions)
        self.by_source = any(action.kind is RowKind.NOT_MATCHED_BY_SOURCE for action in operator.actions)

    def run(self, few: bool, unique: bool) -> Rewritten:
        if all(action.effect is RowEffect.INSERT for action in self.operator.actions):
            return self._insert_only()
        return self._one_pass(unique) if few else self._two_passes(unique)

    def nothing(self) -> Rewritten:
        """No file is left to look at; names and types of the statement are checked all the same."""
        self._output(self._acted(self.operator.target, "inner"), [])
        return Rewritten(self.stage.nothing(), (), (0,) * len(self.operator.actions), 0, 0)

    def _one_pass(self, unique: bool) -> Rewritten:
        from pyspark.sql import functions as F

        acted = self._acted(self.operator.target, "full_outer" if self.inserts else "left_outer", unique)
        touched = f"named_struct('file', {ROW_FILE}, 'origin', xxhash64({ROW_FILE}))"
        touched = f"collect_set(CASE WHEN {ACTION} > 0 AND {TARGET_PRESENT} THEN {touched} END)"
        observed = _Counts([*self._counters(), F.expr(touched).alias("touched")])
        rows = observed.over(acted)
        origin = F.expr(f"CASE WHEN {TARGET_PRESENT} THEN xxhash64({ROW_FILE}) END").alias(ORIGIN)
        staged = self.stage.write(self._output(rows, [origin]), self.operator.output, origins=True)
        counts = observed.total()
        self._check_unique(counts, self.operator.target.files, unique)
        files = {str(item["origin"]): item["file"] for item in counts["touched"]}
        staged = self.stage.keep_origins(staged, files.keys())
        return self._outcome(staged, self._subset(files.values()), counts)

    def _two_passes(self, unique: bool) -> Rewritten:
        touched, matched = self._search()
        files = self._subset(touched)
        if not touched and not self.inserts:
            return self.nothing()
        observed = _Counts(self._counters())
        rows = self._rewritten_rows(replace(self.operator.target, files=files), matched, unique, observed)
        staged = self.stage.write(rows, self.operator.output)
        counts = observed.total()
        self._check_unique(counts, files, unique)
        return self._outcome(staged, files, counts)

    def _search(self) -> tuple[list[str], DataFrame | None]:
        """URIs of the files that hold a changed row, and the numbers of matched source rows where inserts need them.

        Without a broadcast source the second pass finds unmatched rows by a full outer join, for which every file
        with a match counts as touched.
        """
        target = self.operator.target
        how = "left_outer" if self.by_source else "inner"
        if self.inserts and self.source.broadcast:
            pairs = self._acted(target, "inner").select(ROW_FILE, SOURCE_ROW, ACTION)
            pairs = self.source.cache(pairs)
            found = self._acted(target, how) if self.by_source else pairs
            return _files(found.filter(f"{ACTION} > 0")), pairs.select(SOURCE_ROW).distinct()
        wanted = f"{ACTION} > 0 OR {SOURCE_PRESENT}" if self.inserts else f"{ACTION} > 0"
        return _files(self._acted(target, how).filter(wanted)), None

    def _rewritten_rows(self, target: Scan, matched: DataFrame | None, unique: bool, observed: _Counts) -> DataFrame:
        """The output columns for touched files and inserted rows."""
        from pyspark.sql import functions as F

        how = "full_outer" if self.inserts and matched is None else "left_outer"
        rows = self._output(observed.over(self._acted(target, how, unique)), [])
        if matched is None:
            return rows
        unmatched = self._source_rows().join(F.broadcast(matched), SOURCE_ROW, "left_anti")
        inserted = observed.over(self._inserted(unmatched))
        return rows.unionAll(self._output(inserted, [], inserted_only=True))

    def _insert_only(self) -> Rewritten:
        """Source rows without a match; the target is only looked up, never rewritten."""
        observed = _Counts(self._counters())
        rows = observed.over(self._inserted(self._unmatched()))
        staged = self.stage.write(self._output(rows, [], inserted_only=True), self.operator.output)
        return self._outcome(staged, None, observed.total())

    def _unmatched(self) -> DataFrame:
        from pyspark.sql import functions as F

        target = self.operator.target
        if target.files.num_rows == 0:
            return self._source_rows()
        if not self.source.broadcast:
            return self._source_rows().join(self._target_rows(target), F.expr(self.operator.on or "TRUE"), "left_anti")
        matched = self._acted(target, "inner").select(SOURCE_ROW).distinct()
        return self._source_rows().join(matched, SOURCE_ROW, "left_anti")

    def _target_rows(self, target: Scan) -> DataFrame:
        return self.frames.frame(target).alias(self.operator.target_alias)

    def _source_rows(self) -> DataFrame:
        assert self.source.rows is not None
        return self.source.rows

    def _acted(self, target: Scan, how: str, unique: bool = True) -> DataFrame:
        """Target rows (joined to the source's) with ACTION; unless `unique`, only one per target row."""
        from pyspark.sql import functions as F

        rows = self._target_rows(target)
        if self.operator.source is None:
            rows = rows.withColumn(SOURCE_PRESENT, F.lit(True))
        else:
            rows = rows.join(self._source_rows(), F.expr(self.operator.on or "TRUE"), how)
        acted = rows.withColumn(ACTION, F.expr(action_sql(self.operator.actions)))
        return acted if unique else _first_per_target_row(acted)

    def _inserted(self, unmatched: DataFrame) -> DataFrame:
        """Source rows without a match, with ACTION and the flag of the missing target side."""
        from pyspark.sql import functions as F

        case = cases(self.operator.actions, RowKind.NOT_MATCHED, NOTHING)
        rows = unmatched.withColumn(ACTION, F.expr(case))
        return rows.withColumn(TARGET_PRESENT, F.expr("CAST(NULL AS BOOLEAN)"))

    def _output(self, acted: DataFrame, extra: list[Column], inserted_only: bool = False) -> DataFrame:
        """The rows that are written: output columns, each by the action of its row, then `extra`."""
        from pyspark.sql import functions as F

        texts = output_sql(self.operator, inserted_only)
        columns = [F.expr(text).alias(field.name) for text, field in zip(texts, self.operator.output, strict=True)]
        kept = acted.filter(f"NOT {not_written(self.operator.actions)}")
        return checked(kept.select(*columns, *extra), self.operator.checks)

    def _counters(self) -> list[Column]:
        """Aggregates over acted rows, for an Observation: they come with the job that writes."""
        from pyspark.sql import functions as F

        numbers = range(1, len(self.operator.actions) + 1)
        counters = [F.expr(f"count_if({ACTION} = {number})").alias(f"action{number}") for number in numbers]
        return [
            *counters,
            F.expr(f"count({TARGET_PRESENT})").alias("target_rows"),
            F.expr(f"count({SOURCE_PRESENT})").alias("source_rows"),
            F.expr(f"count_if({ACTION} = {KEEP})").alias("kept"),
        ]

    def _check_unique(self, counts: Mapping[str, int], files: pa.Table, unique: bool) -> None:
        """A target row that met n source rows stands n times in an outer join: compare with the files' row counts."""
        if unique and self.operator.source is not None and counts["target_rows"] > self.stage.row_count(files):
            raise _DuplicateMatchesError

    def refuse_ambiguous_rows(self) -> None:
        """Raises MultipleSourceRowsError, naming keys, if several source rows would change one target row."""
        from pyspark.sql import functions as F

        if not self.operator.unique_match:
            return
        labels = [key.target for key in self.operator.equal_keys] or [ROW_INDEX]
        names = [f"key{index}" for index in range(len(labels))]
        keys = [F.first(F.expr(label)).alias(name) for label, name in zip(labels, names, strict=True)]
        fired = self._acted(self.operator.target, "inner").filter(f"{ACTION} > 0")
        rows = fired.groupBy(ROW_FILE, ROW_INDEX).agg(F.count(F.lit(1)).alias("matches"), *keys)
        found = rows.filter("matches > 1").orderBy(*names).limit(3).collect()
        if found:
            raise MultipleSourceRowsError(table=self.operator.target.table, keys=_shown(found, labels))

    def _subset(self, uris: Iterable[str]) -> pa.Table:
        """The rows of the target's file list for some file URIs, as Spark writes them."""
        import pyarrow as pa
        import pyarrow.compute as pc

        files = self.operator.target.files
        wanted = pa.array([local_path(uri) for uri in uris], pa.string())
        return files.filter(pc.is_in(files.column("location"), wanted))

    def _outcome(self, staged: Staged, removed: pa.Table | None, counts: Mapping[str, int]) -> Rewritten:
        actions = self.operator.actions
        per_action = tuple(counts[f"action{number}"] for number in range(1, len(actions) + 1))
        changed = sum(n for action, n in zip(actions, per_action, strict=True) if action.effect is not RowEffect.DELETE)
        paths = () if removed is None else tuple(removed.column("path").to_pylist())
        return Rewritten(staged, paths, per_action, staged.rows - changed, counts["source_rows"])


class _Counts:
    """Aggregates over rows on their way to a file: they come with the job that writes."""

    def __init__(self, counters: list[Column]) -> None:
        self._counters = counters
        self._observations: list[Observation] = []

    def over(self, rows: DataFrame) -> DataFrame:
        """`rows`, counted when they are evaluated."""
        from pyspark.sql import Observation

        self._observations.append(Observation(f"deltasql-{uuid4().hex}"))
        return rows.observe(self._observations[-1], *self._counters)

    def total(self) -> dict[str, Any]:
        """The sums (lists are joined) of all that was counted, once the job has run."""
        sums: dict[str, Any] = {}
        for observation in self._observations:
            for name, value in observation.get.items():
                sums[name] = sums[name] + value if name in sums else value
        return sums


def _files(rows: DataFrame) -> list[str]:
    return [row[0] for row in rows.select(ROW_FILE).distinct().collect()]


def _first_per_target_row(acted: DataFrame) -> DataFrame:
    """One of the rows in which a target row stands: one that an action changes, if there is any."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    window = Window.partitionBy(ROW_FILE, ROW_INDEX).orderBy(F.expr(f"{ACTION} > 0").desc())
    numbered = acted.withColumn("__deltasql_n", F.row_number().over(window))
    return numbered.filter(f"{TARGET_PRESENT} IS NULL OR __deltasql_n = 1")


def _comparable(kind: DataType | None, value: Any) -> bool:
    """Whether the bounds of a column can be compared with a key's value as they are, without Spark's casts."""
    match kind:
        case PrimitiveType("string"):
            return type(value) is str
        case PrimitiveType("byte" | "short" | "integer" | "long"):
            return type(value) is int
        case PrimitiveType("date"):
            return type(value) is date
        case DecimalType():
            return type(value) is Decimal
        case _:
            return False


def _shown(rows: Iterable[Any], labels: list[str]) -> str:
    texts = [", ".join(f"{label} = {row[f'key{n}']!r}" for n, label in enumerate(labels)) for row in rows]
    return "; ".join(texts)
