"""The source of a rewrite: its rows, evaluated once, and the ranges of their join keys."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from deltasql.base.lazy import F
from deltasql.engines.rewriting.outcome import candidates
from deltasql.engines.spark.reading.frames import Frames
from deltasql.files.memory import BROADCAST_ROWS
from deltasql.plan.base import LOOKUP, SOURCE_PRESENT, SOURCE_ROW, quote
from deltasql.plan.operators import EqualKey, Literals, Lookup, Operator, Rewrite, Scan, SourceJoin, SqlQuery
from deltasql.sql.evaluated.queries import constants_of
from deltasql.sql.references import is_stable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


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
        rows = rows.withColumn(SOURCE_PRESENT, F.lit(True))
        if cached or self.count is None:
            rows = rows.withColumn(SOURCE_ROW, F.monotonically_increasing_id())
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
        return candidates(target, alias, self.key_ranges)

    def cache(self, rows: DataFrame) -> DataFrame:
        """`rows`, evaluated once and cached until `release`."""
        rows = self._frames.cached(rows)
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
    keys = keys.select(*map(quote, rows.columns), F.lit(True).alias(LOOKUP))
    return rows.withColumn(LOOKUP, F.lit(False)).unionAll(keys)
