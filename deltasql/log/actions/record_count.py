"""The number of rows of files, by statistics and deletion vectors. Source: Delta protocol, Per-file Statistics."""

from __future__ import annotations

import json
import re

from deltasql.base import pa

# Cheaper than to parse all bounds of a file; the first field can only be its own.
_FIRST_FIELD = re.compile(r'\s*\{\s*"numRecords"\s*:\s*(\d+)\s*[,}]')


def record_count(stats: str | None) -> int | None:
    """Physical rows of a file, from the text of its statistics; None where they do not tell."""
    if not stats:
        return None
    match = _FIRST_FIELD.match(stats)
    if match is not None:
        return int(match[1])
    try:
        count = json.loads(stats).get("numRecords")
    except (ValueError, AttributeError, RecursionError):
        # Statistics are optional: damaged ones tell nothing.
        return None
    return count if isinstance(count, int) and not isinstance(count, bool) else None


def live_rows(files: pa.Table) -> list[int | None]:
    """Rows of each file that are not deleted, from the log's statistics; None for a file without them."""
    counts = map(record_count, files.column("stats").to_pylist())
    return [None if rows is None else rows - gone for rows, gone in zip(counts, deleted_counts(files), strict=True)]


def deleted_counts(files: pa.Table) -> list[int]:
    """Rows of each file that its deletion vector marks."""
    if "deletionVector" not in files.column_names:
        return [0] * files.num_rows
    return [(vector or {}).get("cardinality") or 0 for vector in files.column("deletionVector").to_pylist()]
