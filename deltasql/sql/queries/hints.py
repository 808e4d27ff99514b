"""Hints of a query that say how its rows are spread over tasks, and so over the files that a write makes of them."""

from __future__ import annotations

import re

_SPREADING = re.compile(
    r"/\*\+(?:(?!\*/).)*\b(?:REPARTITION|REPARTITION_BY_RANGE|COALESCE|REBALANCE)\b", re.IGNORECASE | re.DOTALL
)


def has_spreading_hint(sql: str) -> bool:
    """Whether a query names a number of tasks, or columns that rows are spread by. A text in quotes counts as well."""
    return _SPREADING.search(sql) is not None
