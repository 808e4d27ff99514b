"""How many rows a file has, as its statistics tell. Source: Delta protocol, Per-file Statistics."""

from __future__ import annotations

import json
import re

# Cheaper than to parse all bounds of a file; the first field can only be its own.
_FIRST_FIELD = re.compile(r'\s*\{\s*"numRecords"\s*:\s*(\d+)\s*[,}]')


def record_count(stats: str | None) -> int | None:
    """Physical rows of a file, from the text of its statistics; None where they do not tell."""
    if not stats:
        return None
    found = _FIRST_FIELD.match(stats)
    if found is not None:
        return int(found[1])
    count = json.loads(stats).get("numRecords")
    return count if isinstance(count, int) else None
