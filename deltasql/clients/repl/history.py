"""The history of a table in a hundred columns: version, time, operation, user, files and rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from deltasql.files.render.table import Grid
from deltasql.files.result import Result
from deltasql.schema.types import LONG, STRING, StructField, StructType

COLUMNS = StructType(
    (
        StructField("version", LONG),
        *(StructField(name, STRING) for name in ("time", "operation", "who", "files", "rows")),
    )
)
_WIDEST = {"operation": 22, "who": 14, "files": 9, "rows": 15}
_SIGNS = (
    ("+", ("numAddedFiles", "numTargetFilesAdded", "numFiles")),
    ("-", ("numRemovedFiles", "numTargetFilesRemoved")),
)
_ROWS = (
    ("+", ("numTargetRowsInserted", "numInsertedRows", "numCopiedFilesRows")),
    ("~", ("numTargetRowsUpdated", "numUpdatedRows")),
    ("-", ("numTargetRowsDeleted", "numDeletedRows")),
)


def history_grid(history: Result) -> Grid:
    """The rows of DESCRIBE HISTORY, newest first, with what most people ask of them."""
    return Grid(COLUMNS, [_row(entry.asDict()) for entry in history.collect()], history.time_zone)


def _row(entry: Mapping[str, Any]) -> tuple[Any, ...]:
    metrics = entry["operationMetrics"] or {}
    who = entry["userName"] or entry["userId"] or entry["engineInfo"] or ""
    return (
        entry["version"],
        f"{entry['timestamp']:%Y-%m-%d %H:%M:%S}",
        _cut(entry["operation"] or "", "operation"),
        _cut(who, "who"),
        _cut(_counts_text(_SIGNS, metrics), "files"),
        _cut(_counts_text(_ROWS, metrics) or _written(metrics), "rows"),
    )


def _counts_text(signs: tuple[tuple[str, tuple[str, ...]], ...], metrics: Mapping[str, str]) -> str:
    counts = ((sign, next((metrics[name] for name in names if name in metrics), "0")) for sign, names in signs)
    return " ".join(f"{sign}{count}" for sign, count in counts if count not in {"0", None})


def _written(metrics: Mapping[str, str]) -> str:
    """Of a write only the rows are counted that it has put out."""
    rows = metrics.get("numOutputRows", "0")
    return "" if rows == "0" else f"+{rows}"


def _cut(text: str, column: str) -> str:
    return text if len(text) <= _WIDEST[column] else f"{text[: _WIDEST[column] - 1]}…"
