"""Rows checked against constraints: a violating row ends the job with an error about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import quote as percent_encoded

from deltasql.base.lazy import F
from deltasql.engines.spark.session.capabilities import SPARK, Capabilities
from deltasql.plan import marks
from deltasql.plan.base import quote
from deltasql.plan.hidden import GUARD
from deltasql.plan.operators import Constraint
from deltasql.schema.checks import HIDDEN_PREFIX
from deltasql.schema.text import sql_literal

Texts: TypeAlias = Callable[[str], str]
"""How the text of an expression is spelled for the engine."""

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def checked(
    frame: DataFrame,
    constraints: Iterable[Constraint],
    engine: Capabilities = SPARK,
    texts: Texts = str,
    *,
    unless: str | None = None,
) -> DataFrame:
    """`frame`, whose rows must satisfy `constraints`: evaluating one that does not raises, and ends the job.

    `texts` puts checks into the text of a condition. Rows with a value in the column `unless` may be any.
    """
    constraints = list(constraints)
    if not constraints:
        return frame
    shown = [name for name in frame.columns if not name.startswith(HIDDEN_PREFIX) and name != unless]
    guards = " AND ".join(_guard(constraint, shown, texts) for constraint in constraints)
    if unless is not None:
        # Not an OR, of which Sail computes both sides.
        guards = f"CASE WHEN {quote(unless)} IS NOT NULL THEN TRUE ELSE {guards} END"
    # Not deterministic, and not to be taken apart, so that Spark leaves the guards where they are. Merged with a filter
    # below them, they would look at rows that it leaves out: `NULL AND guard` evaluates the guard.
    if engine.ids_in_filters:
        return frame.filter(f"CASE WHEN {_EACH_ROW} THEN {guards} END")
    return frame.withColumn(GUARD, F.expr(f"CASE WHEN {_ANY_ROW} THEN {guards} END")).filter(GUARD).drop(GUARD)


_EACH_ROW = "monotonically_increasing_id() >= 0"
_ANY_ROW = "rand() >= 0"


def _guard(constraint: Constraint, shown: Iterable[str], texts: Texts = str) -> str:
    """SQL that is TRUE for a row that satisfies the constraint; else it fails the job, telling the columns `shown`."""
    told = ", ".join(quote(name) for name in shown if name.lower() not in constraint.masked)
    values = f"to_json(struct({told}), map('ignoreNullFields', 'false'))" if told else "'{}'"
    fields = (constraint.name, constraint.condition, constraint.column or "")
    mark = marks.VIOLATION + "|".join(percent_encoded(text, safe="") for text in fields)
    report = f"concat({sql_literal(mark)}, '|', {values})"
    return f"CASE WHEN ({texts(constraint.condition)}) THEN TRUE ELSE CAST(raise_error({report}) AS BOOLEAN) END"
