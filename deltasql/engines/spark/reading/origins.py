"""Rows that the driver has read for a DataFrame of the caller's: marked with the table that they come from.

A DataFrame over files names them, whatever the caller makes of it; one over rows has nothing to name but this mark.
"""

from __future__ import annotations

import hashlib
from contextlib import redirect_stdout
from io import StringIO
from typing import TYPE_CHECKING

from deltasql.log.storage.locations import table_location
from deltasql.plan.hidden import hidden

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_MARKS: set[str] = set()
"""The marks of this process: without one nobody need look for it, which means planning a DataFrame."""


def with_origin(rows: DataFrame, location: str) -> DataFrame:
    """`rows` under an alias that only Spark's plan of them shows."""
    mark = _mark(location)
    _MARKS.add(mark)
    return rows.alias(mark)


def reads_below(rows: DataFrame, root: str) -> bool:
    """Whether a DataFrame of the caller's has rows of the table at `root`, read by Spark or by this process."""
    files = map(table_location, rows.inputFiles())
    return any(path.startswith(f"{root}/") for path in files) or _comes_from(rows, root)


def _comes_from(rows: DataFrame, location: str) -> bool:
    """Whether a DataFrame was made of rows of the table at `location` that the driver has read."""
    mark = _mark(location)
    if mark not in _MARKS:
        return False
    plan_text = StringIO()
    with redirect_stdout(plan_text):
        rows.explain(mode="extended")
    return mark in plan_text.getvalue()


def _mark(location: str) -> str:
    return hidden(f"of_{hashlib.sha256(location.encode()).hexdigest()[:16]}")
