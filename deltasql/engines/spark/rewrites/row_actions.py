"""Rows of a rewrite for copy on write and merge on read: target joined to source, each row with its action in ACTION.

SQL texts give the action of a row and the value of each output column. The source is evaluated once, and the ranges of
its join keys skip files of the target. Rows of the change data feed go beside the rows of the rewrite. Source: Delta
protocol, Change Data Files.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from deltasql.base import F, errors, pa
from deltasql.engines.rewriting import Positions, candidates, outcome, subset
from deltasql.engines.spark.reading.driver_rows import without_ids
from deltasql.engines.spark.reading.frames import Frames
from deltasql.engines.spark.reading.scans import with_declared
from deltasql.engines.spark.reading.source_rows import checked
from deltasql.engines.spark.writing import Counts, SparkStage
from deltasql.files import BROADCAST_ROWS, Staged
from deltasql.plan import (
    EqualKey,
    Literals,
    Lookup,
    Operator,
    Rewrite,
    RowAction,
    RowEffect,
    RowKind,
    Scan,
    SourceJoin,
    SqlQuery,
    hidden_names,
)
from deltasql.planner import RewriteOutcome
from deltasql.schema import CHANGE_TYPE, StructField, StructType, declared_texts, sql_literal, sql_text
from deltasql.schema import quote_name as quote
from deltasql.sql import UsedNames, constants_of, has_subquery, is_stable

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


class MergeSource:
    """The source's rows, with SOURCE_PRESENT, under the source's alias.

    With `cached` they are also counted, since a second evaluation could give other rows. `broadcast`: there are at
    most BROADCAST_ROWS, which are sent to every task. Unless they are constants, they are numbered (SOURCE_ROW).
    """

    def __init__(self, frames: Frames, operator: Rewrite, cached: bool) -> None:
        self._frames = frames
        self._cached: list[DataFrame] = []
        self.key_ranges: tuple[tuple[EqualKey, Any, Any], ...] = ()
        self.broadcast = False
        self.count: int | None = None
        """The number of rows; None if the job that joins them has to count them."""
        self.rows: DataFrame | None = None
        join = operator.join
        if join is None:
            return
        constants = constants_of(join.source) if join.lookup is None else None
        self.count = None if constants is None else constants.rows
        rows = frames.frame(join.source)
        if join.lookup is not None:
            rows = with_lookups(self.cache(rows) if join.is_materialized else rows, join.alias, join.lookup)
        rows = rows.withColumn(hidden_names.SOURCE_PRESENT, F.lit(True))
        if cached or self.count is None:
            rows = rows.withColumn(hidden_names.SOURCE_ROW, F.monotonically_increasing_id())
        if cached:
            rows = self._counted(self.cache(rows), join)
        elif join.is_materialized or not (frames.capabilities.persists or is_repeatable(join.source)):
            rows = self.cache(rows)
        self.rows = rows.alias(join.alias)

    def _counted(self, rows: DataFrame, join: SourceJoin) -> DataFrame:
        """`rows`, to be broadcast if they are few; sets `count`, `key_ranges` and `broadcast`."""
        self.count = self._measure(rows.alias(join.alias), join)
        self.broadcast = self.count <= BROADCAST_ROWS
        return F.broadcast(rows) if self.broadcast else rows

    def _measure(self, rows: DataFrame, join: SourceJoin) -> int:
        """The number of source rows; also sets `key_ranges`, computed by the same job."""
        keys = join.equal_keys
        ranges = [F.expr(f"{edge}({key.source})") for key in keys for edge in ("min", "max")]
        count, *edges = rows.agg(F.count(F.lit(1)), *ranges).collect()[0]
        self.key_ranges = tuple(zip(keys, edges[::2], edges[1::2], strict=True))
        return int(count)

    def candidates(self, target: Scan, alias: str) -> Scan:
        """`target` without the files whose statistics exclude every key of the source."""
        ranges = [(key, (low, high)) for key, low, high in self.key_ranges if low is not None]
        return candidates(target, alias, ranges, are_all=False)

    def cache(self, rows: DataFrame) -> DataFrame:
        """`rows`, evaluated once and cached until `release`."""
        rows = self._frames.dialect.cached(self._frames, rows)
        self._cached.append(rows)
        return rows

    def release(self) -> None:
        for rows in self._cached:
            rows.unpersist()


def evaluated_source(frames: Frames, operator: Rewrite) -> MergeSource:
    """The source of a rewrite that has run: its cached rows, or the source read again."""
    return (
        frames.cached_source
        if isinstance(frames.cached_source, MergeSource)
        else MergeSource(frames, operator, cached=False)
    )


def is_repeatable(source: Operator) -> bool:
    """Whether a second evaluation of `source` yields exactly the same rows."""
    if isinstance(source, (Scan, Literals)):
        return True
    if not isinstance(source, SqlQuery) or source.view is not None:
        return False
    return (
        is_stable(source.sql) and not _PICKS.search(source.sql) and all(map(is_repeatable, source.relations.values()))
    )


_PICKS = re.compile(
    r"\b(?:limit|offset|over|tablesample|first|last|any_value|collect_\w+|max_by|min_by)\b", re.IGNORECASE
)
"""Clauses and functions that may select different rows among ties on a second evaluation."""


def with_lookups(rows: DataFrame, alias: str, lookup: Lookup) -> DataFrame:
    """`rows`, and the distinct keys of `lookup` as further rows with other columns NULL; LOOKUP is TRUE for these."""
    keys = rows.alias(alias)
    if lookup.condition is not None:
        keys = keys.filter(F.expr(f"({lookup.condition})"))
    keys = keys.select(*map(quote, lookup.columns)).distinct() if lookup.columns else keys.limit(1).select()
    absent = [field for field in rows.schema if field.name not in lookup.columns]
    keys = keys.withColumns({field.name: F.lit(None).cast(field.dataType) for field in absent})
    keys = keys.select(*map(quote, rows.columns), F.lit(True).alias(hidden_names.LOOKUP))
    return rows.withColumn(hidden_names.LOOKUP, F.lit(False)).unionAll(keys)


KEEP, NOTHING = 0, -1
"""Values of ACTION besides the 1-based number of an action: the target's row stays; the source's row is not used."""


def action_sql(actions: Sequence[RowAction]) -> str:
    """SQL of ACTION over target rows outer-joined to source rows; a side that is missing has NULL for its flag."""
    return (
        f"CASE WHEN {hidden_names.TARGET_PRESENT} IS NULL THEN {cases(actions, RowKind.NOT_MATCHED, NOTHING)} "
        f"WHEN {hidden_names.SOURCE_PRESENT} IS NULL THEN {cases(actions, RowKind.NOT_MATCHED_BY_SOURCE, KEEP)} "
        f"ELSE {cases(actions, RowKind.MATCHED, KEEP)} END"
    )


def cases(actions: Sequence[RowAction], kind: RowKind, otherwise: int) -> str:
    """SQL of ACTION for rows of one kind: the number of the first action whose condition holds."""
    whens = [
        f"WHEN ({action.condition or 'TRUE'}) THEN {number}"
        for number, action in enumerate(actions, start=1)
        if action.kind is kind
    ]
    return f"CASE {' '.join(whens)} ELSE {otherwise} END" if whens else str(otherwise)


def not_written(actions: Sequence[RowAction]) -> str:
    """SQL that is TRUE for rows that a rewrite leaves out."""
    deleted = [str(number) for number, action in enumerate(actions, start=1) if action.effect is RowEffect.DELETE]
    return f"{hidden_names.ACTION} IN ({', '.join([str(NOTHING), *deleted])})"


def output_sql(operator: Rewrite, inserted_only: bool = False) -> list[str]:
    """SQL of each output column. With `inserted_only` the rows have no target side whose value could stay."""
    keeps = unchanged_sql(operator, inserted_only)
    return [_value(operator, index, keep, inserted_only) for index, keep in enumerate(keeps)]


def unchanged_sql(operator: Rewrite, inserted_only: bool = False) -> list[str]:
    """SQL of each output column as it was before."""
    if not inserted_only:
        return list(operator.unchanged)
    return [f"CAST(NULL AS {sql_text(field.type)})" for field in operator.output]


def _value(operator: Rewrite, index: int, unchanged: str, inserted_only: bool) -> str:
    whens = [
        f"WHEN {hidden_names.ACTION} = {number} THEN {action.values[index]}"
        for number, action in enumerate(operator.actions, start=1)
        if action.values
        and action.values[index] != unchanged
        and (not inserted_only or action.kind is RowKind.NOT_MATCHED)
    ]
    return f"CASE {' '.join(whens)} ELSE {unchanged} END" if whens else unchanged


def written_ids(operator: Rewrite, inserted_only: bool) -> dict[str, str]:
    """SQL of ROW_ID and ROW_VERSION of written rows: they keep their id, and unless they were changed their version."""
    if operator.target.row_ids is None:
        return {}
    none = "CAST(NULL AS BIGINT)"
    if inserted_only:
        return {hidden_names.ROW_ID: none, hidden_names.ROW_VERSION: none}
    return {
        hidden_names.ROW_ID: hidden_names.ROW_ID,
        hidden_names.ROW_VERSION: f"CASE WHEN {hidden_names.ACTION} = {KEEP} THEN {hidden_names.ROW_VERSION} END",
    }


_CHANGES = {
    RowEffect.UPDATE: (("update_preimage", hidden_names.OLD_IMAGE), ("update_postimage", hidden_names.NEW_IMAGE)),
    RowEffect.DELETE: (("delete", hidden_names.OLD_IMAGE),),
    RowEffect.INSERT: (("insert", hidden_names.NEW_IMAGE),),
}


def with_change_rows(acted: DataFrame, operator: Rewrite, extra: Sequence[Column], inserted_only: bool) -> DataFrame:
    """Output columns, `extra`, and CHANGE_TYPE: NULL for the rows of the table, else for its change feed."""
    images = {
        hidden_names.NEW_IMAGE: _struct(output_sql(operator, inserted_only)),
        hidden_names.OLD_IMAGE: _struct(unchanged_sql(operator, inserted_only)),
    }
    used = acted.filter(f"{hidden_names.ACTION} <> {NOTHING}").withColumns(
        {name: F.expr(sql) for name, sql in images.items()}
    )
    rows = used.select(*extra, F.expr(f"inline({_images_sql(operator)}) AS ({CHANGE_TYPE}, {hidden_names.IMAGE})"))
    columns = [
        F.expr(f"{hidden_names.IMAGE}.c{index}").alias(field.name) for index, field in enumerate(operator.output)
    ]
    table_columns = [_of_table_rows(name) for name in rows.columns if name not in {CHANGE_TYPE, hidden_names.IMAGE}]
    return rows.select(*columns, *table_columns, CHANGE_TYPE)


def _of_table_rows(name: str) -> Column:
    """A column that comes with an acted row. The feed has no row ids: they belong to the rows of the table."""
    column = F.col(name)
    return (
        F.when(F.col(CHANGE_TYPE).isNull(), column).alias(name)
        if name in {hidden_names.ROW_ID, hidden_names.ROW_VERSION}
        else column
    )


def _images_sql(operator: Rewrite) -> str:
    """SQL of the array of images that an acted row comes to; a row without an action only stays."""
    cases = " ".join(f"WHEN {number} THEN {_array(action)}" for number, action in enumerate(operator.actions, start=1))
    return f"CASE {hidden_names.ACTION} {cases} ELSE array({_row(None, hidden_names.OLD_IMAGE)}) END"


def _array(action: RowAction) -> str:
    images = [_row(change, image) for change, image in _CHANGES[action.effect]]
    if action.effect is not RowEffect.DELETE:
        images.insert(0, _row(None, hidden_names.NEW_IMAGE))
    return f"array({', '.join(images)})"


def _row(change: str | None, image: str) -> str:
    kind = "CAST(NULL AS STRING)" if change is None else sql_literal(change)
    return f"named_struct('{CHANGE_TYPE}', {kind}, '{hidden_names.IMAGE}', {image})"


def _struct(values: list[str]) -> str:
    fields = ", ".join(f"'c{index}', {value}" for index, value in enumerate(values))
    return f"named_struct({fields})"


class DuplicateMatchesError(Exception):
    """A target row matched several source rows, so the staged files are invalid. Internal to a rewrite."""


class ActedRows:
    """DataFrames of one rewrite: target and source rows with their actions, and the rows to be written."""

    def __init__(self, frames: Frames, operator: Rewrite, stage: SparkStage, source: MergeSource) -> None:
        self.frames, self.operator, self.stage, self.source = frames, operator, stage, source
        self.effects = frozenset(action.effect for action in operator.actions)
        self.inserts = RowEffect.INSERT in self.effects
        self.by_source = any(action.kind is RowKind.NOT_MATCHED_BY_SOURCE for action in operator.actions)

    @property
    def how(self) -> str:
        """The join type of target and source that keeps every target row which an action may change."""
        return "left_outer" if self.by_source or self.operator.source is None else "inner"

    @property
    def counts_source(self) -> bool:
        """Whether the job that joins the source's rows has to count them: they are neither constants nor cached."""
        return self.operator.source is not None and self.source.count is None

    def keeping_source(self, how: str) -> str:
        """The join type `how`, extended so that unmatched source rows reach the counters of `counts_source`."""
        return {"inner": "right_outer", "left_outer": "full_outer"}.get(how, how) if self.counts_source else how

    @property
    def searched(self) -> Scan:
        """The target for a job that only searches for rows."""
        target = without_ids(self.operator.target)
        return target if self.frames.capabilities.metadata else self.narrowed(target)

    def narrowed(self, target: Scan) -> Scan:
        """A scan of the target with only the columns of the conditions.

        Spark prunes the other columns itself, but not where this process reads the files.
        """
        return replace(target, schema=StructType(tuple(self._used(target.schema, ()))))

    def _used(self, columns: Iterable[StructField], texts: Iterable[str]) -> Iterator[StructField]:
        """Those of `columns` that the conditions, or the SQL texts `texts`, use."""
        join = self.operator.join
        texts = [*texts, *(action.condition for action in self.operator.actions if action.condition is not None)]
        texts += [] if join is None else [join.on]
        other = "" if join is None or self._may_be_a_column(join.alias) else join.alias
        used = UsedNames(texts, other=other)
        return (field for field in columns if field.name in used)

    def _may_be_a_column(self, alias: str) -> bool:
        """Whether `alias`, as a qualifier before a dot, may also name the target or one of its columns."""
        names = {self.operator.target_alias.lower(), *(field.name.lower() for field in self.operator.target.schema)}
        return alias.lower() in names

    def fired(self, columns: Collection[str]) -> ActedRows:
        """These rows with only the output columns `columns`, and the target columns that they are computed from."""
        operator = self.operator
        indexes = [at for at, field in enumerate(operator.output) if field.name in columns]

        def chosen(values: Sequence[str]) -> tuple[str, ...]:
            return tuple(values[at] for at in indexes) if values else ()

        actions = tuple(replace(action, values=chosen(action.values)) for action in operator.actions)
        updates = [action.values for action in actions if action.effect is RowEffect.UPDATE]
        used = self._used(operator.target.schema, (text for values in updates for text in values))
        narrow = replace(
            operator,
            target=replace(operator.target, schema=StructType(tuple(used))),
            actions=actions,
            # No unchanged row is written, so unused columns need not be read.
            unchanged=tuple(f"CAST(NULL AS {sql_text(operator.output.fields[at].type)})" for at in indexes),
            output=StructType(tuple(operator.output.fields[at] for at in indexes)),
        )
        return ActedRows(self.frames, narrow, self.stage, self.source)

    def nothing(self) -> RewriteOutcome:
        """The outcome where no file remains to be searched. Names and types are checked all the same."""
        self.output(self.acted(self.operator.target, "inner")).schema  # noqa: B018 - Spark Connect looks only now
        return RewriteOutcome(self.stage.nothing(), (), (0,) * len(self.operator.actions), 0, 0)

    def insert_only(self) -> RewriteOutcome:
        """Stages the source rows without a match; the target is only searched, and no file of it is replaced."""
        observed = self.counts()
        if self.counts_source and self.searched.files.num_rows:
            rows = observed.over(self.acted(self.searched, self.keeping_source("inner"))).filter(
                f"{hidden_names.ACTION} > 0"
            )
        else:
            rows = observed.over(self.inserted(self.unmatched()))
        staged = self.write_output(self.output(rows, inserted_only=True))
        return self.outcome(staged, None, observed.total())

    def unmatched(self) -> DataFrame:
        target = self.searched
        if target.files.num_rows == 0:
            return self.source_rows()
        if not self.source.broadcast:
            return self.source_rows().join(self._target_rows(target), self._on(), "left_anti")
        return self.without(self.acted(target, "inner").select(hidden_names.SOURCE_ROW).distinct())

    def without(self, matched: DataFrame) -> DataFrame:
        """The source rows without those whose SOURCE_ROW is in `matched`."""
        return self.source_rows().join(matched, hidden_names.SOURCE_ROW, "left_anti")

    def _on(self) -> Column:
        """The condition of the join, in brackets: Spark would take a stray word after it for an alias."""
        return F.expr(f"({self.operator.join.on if self.operator.join else 'TRUE'})")

    def _target_rows(self, target: Scan) -> DataFrame:
        return self.frames.frame(target).alias(self.operator.target_alias)

    def source_rows(self) -> DataFrame:
        assert self.source.rows is not None
        return self.source.rows

    def acted(self, target: Scan, how: str, unique: bool = True) -> DataFrame:
        """Target rows (joined to the source's) with ACTION; unless `unique`, only one per target row."""
        rows = self._target_rows(target)
        if self.operator.source is None:
            rows = rows.withColumn(hidden_names.SOURCE_PRESENT, F.lit(True))
            if not self.frames.capabilities.subqueries and self.operator.volatile:
                return self._acted_once(rows)
        else:
            source = self.source_rows()
            if not self.frames.capabilities.persists:
                refuse_unstable(self.operator)
            if self.frames.joins_few_rows:
                # One partition on each side needs no shuffle: one stage of one task instead of three.
                rows, source = rows.coalesce(1), source.coalesce(1)
            elif not target.files.num_rows and self.frames.writes_one_file:
                # Spark drops a join with an empty side, and with it the shuffle that would collect the rows.
                source = source.coalesce(1)
            rows = rows.join(source, self._on(), how)
        acted = rows.withColumn(hidden_names.ACTION, F.expr(action_sql(self.operator.actions)))
        return acted if unique else _first_per_target_row(acted)

    def _acted_once(self, rows: DataFrame) -> DataFrame:
        """Target rows with ACTION, evaluated once; sub-queries of a condition are evaluated in a WHERE."""
        alias, actions = self.operator.target_alias, self.operator.actions
        conditions = [action.condition for action in actions]
        if any(condition is not None and has_subquery(condition) for condition in conditions):
            if len(actions) > 1:
                raise errors.NotOnSailError(what="sub-queries in the conditions of several clauses")
            rows = self.frames.dialect.cached(self.frames, rows).alias(alias)
            address = [hidden_names.ROW_FILE, hidden_names.ROW_INDEX]
            hit = rows.filter(F.expr(f"({conditions[0]})")).select(*address, F.lit(1).alias(hidden_names.ACTION))
            hit = self.frames.dialect.cached(self.frames, hit)
            acted = rows.join(hit, address, "left").withColumn(
                hidden_names.ACTION, F.expr(f"coalesce({hidden_names.ACTION}, {KEEP})")
            )
            return acted.alias(alias)
        marked = rows.withColumn(hidden_names.ACTION, F.expr(action_sql(actions)))
        return self.frames.dialect.cached(self.frames, marked).alias(alias)

    def inserted(self, unmatched: DataFrame) -> DataFrame:
        """The rows of `unmatched` with ACTION, and TARGET_PRESENT as NULL."""
        case = cases(self.operator.actions, RowKind.NOT_MATCHED, NOTHING)
        rows = unmatched.withColumn(hidden_names.ACTION, F.expr(case))
        return rows.withColumn(hidden_names.TARGET_PRESENT, F.expr("CAST(NULL AS BOOLEAN)"))

    def write(self, acted: DataFrame) -> Staged:
        """Stages the output of `acted`, rows with ACTION."""
        return self.write_output(self.output(acted))

    def write_output(self, rows: DataFrame, *, origins: bool = False) -> Staged:
        """Stages `rows`, which are those of `output`."""
        operator = self.operator
        return self.stage.write(
            rows, operator.output, origins=origins, changes=operator.recording.changes, row_ids=operator.target.row_ids
        )

    def output(self, acted: DataFrame, extra: Sequence[Column] = (), inserted_only: bool = False) -> DataFrame:
        """The rows to be written: output columns computed by each row's action, row ids, then `extra`.

        If the change data feed is recorded, they include its rows, for which CHANGE_TYPE is not NULL.
        """
        operator = self.operator
        ids = [F.expr(sql).alias(name) for name, sql in written_ids(operator, inserted_only).items()]
        if operator.recording.changes:
            rows = with_change_rows(acted, operator, [*ids, *extra], inserted_only)
            # Rows from before may violate the constraints.
            return self._checked(rows, unless=CHANGE_TYPE)
        texts = output_sql(operator, inserted_only)
        columns = [F.expr(text).alias(field.name) for text, field in zip(texts, operator.output, strict=True)]
        written = acted.filter(f"NOT {not_written(operator.actions)}")
        return self._checked(written.select(*columns, *ids, *extra))

    def _checked(self, rows: DataFrame, unless: str | None = None) -> DataFrame:
        rows = with_declared(rows, declared_texts(self.operator.output))
        return checked(
            rows, self.operator.checks, self.frames.capabilities, self.frames.dialect.over(rows), unless=unless
        )

    def counters(self) -> list[Column]:
        """Aggregates over rows with ACTION, for an Observation, which the writing job evaluates.

        They are action1, action2, … (rows per action), target_rows, kept (unchanged rows), and source_rows where
        `counts_source`. A source row that meets several target rows counts once.
        """
        numbers = range(1, len(self.operator.actions) + 1)
        counters = [
            F.expr(f"count_if({hidden_names.ACTION} = {number})").alias(f"action{number}") for number in numbers
        ]
        counters.append(F.expr(f"count({hidden_names.TARGET_PRESENT})").alias("target_rows"))
        counters.append(F.expr(f"count_if({hidden_names.ACTION} = {KEEP})").alias("kept"))
        if self.counts_source:
            matched = f"size(collect_set(CASE WHEN {hidden_names.TARGET_PRESENT} THEN {hidden_names.SOURCE_ROW} END))"
            unmatched = f"count_if({hidden_names.SOURCE_PRESENT} AND {hidden_names.TARGET_PRESENT} IS NULL)"
            counters.append(F.expr(f"{matched} + {unmatched}").alias("source_rows"))
        return counters

    def counts(self, *more: Column) -> Counts:
        """Counts of `counters` and of the aggregates `more` over rows with ACTION."""
        return Counts([*self.counters(), *more], observe=self.frames.capabilities.observe)

    def check_unique_matches(self, changed: Positions, unique: bool) -> None:
        """Raises DuplicateMatchesError if matches must be `unique` and a target row matched several source rows."""
        if unique and changed.fired > changed.marked:
            raise DuplicateMatchesError

    def refuse_ambiguous_rows(self) -> None:
        """Raises MultipleSourceRowsError, naming keys, if several source rows would change one target row."""
        join = self.operator.join
        if join is None or not join.unique_match:
            return
        labels = {key.target: key.target for key in join.equal_keys} or {"_metadata.row_index": hidden_names.ROW_INDEX}
        names = [f"key{index}" for index in range(len(labels))]
        keys = [F.first(F.expr(text)).alias(name) for text, name in zip(labels.values(), names, strict=True)]
        fired = self.acted(self.operator.target, "inner").filter(f"{hidden_names.ACTION} > 0")
        rows = fired.groupBy(hidden_names.ROW_FILE, hidden_names.ROW_INDEX).agg(
            F.count(F.lit(1)).alias("matches"), *keys
        )
        ambiguous = rows.filter("matches > 1").orderBy(*names).limit(3).collect()
        if ambiguous:
            raise errors.MultipleSourceRowsError(
                table=self.operator.target.table.name, keys=_shown(ambiguous, list(labels))
            )

    def subset(self, uris: Iterable[str]) -> pa.Table:
        """The entries of the target's file list for some file URIs (spelled as Spark does)."""
        return subset(self.operator, uris)

    def outcome(self, staged: Staged, removed: pa.Table | None, counts: Mapping[str, int]) -> RewriteOutcome:
        source_rows = counts["source_rows"] if self.counts_source else self.source.count or 0
        per_action = tuple(counts[f"action{number}"] for number in range(1, len(self.operator.actions) + 1))
        return outcome(self.operator, staged, removed, per_action, source_rows)


def refuse_unstable(operator: Rewrite) -> None:
    """Raises NotOnSailError for a MERGE with sub-queries or non-deterministic conditions, which are evaluated twice."""
    conditions = [action.condition for action in operator.actions if action.condition]
    conditions += [operator.join.on] if operator.join is not None else []
    for condition in conditions:
        if has_subquery(condition) or not is_stable(condition):
            raise errors.NotOnSailError(
                what=f"the condition {condition} of a MERGE, which has a sub-query or is random"
            )


def _first_per_target_row(acted: DataFrame) -> DataFrame:
    """One joined row per target row, preferably one that an action changes; rows without a target stay."""
    from pyspark.sql import Window

    window = Window.partitionBy(hidden_names.ROW_FILE, hidden_names.ROW_INDEX).orderBy(
        F.expr(f"{hidden_names.ACTION} > 0").desc()
    )
    numbered = acted.withColumn(hidden_names.MATCH_NUMBER, F.row_number().over(window))
    return numbered.filter(f"{hidden_names.TARGET_PRESENT} IS NULL OR {hidden_names.MATCH_NUMBER} = 1")


def _shown(rows: Iterable[Any], labels: list[str]) -> str:
    texts = [", ".join(f"{label} = {row[f'key{n}']!r}" for n, label in enumerate(labels)) for row in rows]
    # A column of the condition need not be the whole key of the row.
    return "; ".join(dict.fromkeys(texts))
