"""Where our outcomes are meant to differ from the oracle's, as docs/differences.md tells it: the keys and the names."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

DOCUMENT = Path(__file__).parents[2] / "docs" / "differences.md"
_TEXT = DOCUMENT.read_text(encoding="utf-8")

KEYS = frozenset(re.findall(r"^### `([\w-]+)`", _TEXT, re.MULTILINE))

# The oracle's condition → the names that we give to the same mistake.
SAME_CONDITION = {
    theirs: frozenset(re.findall(r"`(\w+)`", ours))
    for theirs, ours in re.findall(r"^\| `(\w+)` \| ((?:`\w+`(?:, )?)+) \|", _TEXT, re.MULTILINE)
}

# Columns of DESCRIBE … whose values belong to one run or one engine.
IGNORED = {
    "DETAIL": {"id", "location", "createdAt", "lastModified", "sizeInBytes", "numFiles"},
    "HISTORY": {"timestamp", "operationMetrics", "engineInfo", "isolationLevel", "userName", "userId", "isBlindAppend"},
}
# On Databricks DESCRIBE DETAIL has two columns more, and SHOW VIEWS one.
MORE_COLUMNS = {"statistics", "clusterByAuto", "isMaterialized"}

# Sizes, times and machines in the result of OPTIMIZE and REORG; and that we keep the order of rows.
MEASURES = frozenset(
    {"min", "max", "avg", "totalSize", "size", "startTimeMs", "endTimeMs", "totalClusterParallelism"}
    | {"preserveInsertionOrder"}
)


def comparable(text: str, outcome: dict[str, Any]) -> dict[str, Any]:
    """An outcome without the columns that are not compared, and without the name of the oracle's schema."""
    if re.match(r"\s*(OPTIMIZE|REORG)\b", text, re.IGNORECASE):
        (_, kind) = outcome["columns"][1]
        return {"columns": outcome["columns"], "rows": [_without_measures(row[1], kind) for row in outcome["rows"]]}
    if re.match(r"\s*VACUUM\b", text, re.IGNORECASE):
        # Files have random names, and the table's place is the engine's own.
        return {"columns": outcome["columns"], "rows": [[len(outcome["rows"])]]}
    if re.match(r"\s*RESTORE\b", text, re.IGNORECASE):
        kept = [index for index, (name, _) in enumerate(outcome["columns"]) if "size" not in name]
        return outcome | {"rows": [[row[index] for index in kept] for row in outcome["rows"]]}
    if re.match(r"\s*(?:CREATE|REPLACE)\b.*\bCLONE\b", text, re.IGNORECASE | re.DOTALL):
        # The engines spread the rows of the source over files in their own ways.
        return outcome | {"rows": [row[2:] for row in outcome["rows"]]}
    kind = re.match(r"\s*(?:DESC(?:RIBE)?|SHOW)\b(?:\s+(DETAIL|HISTORY)\b)?", text, re.IGNORECASE)
    if kind is None:
        return outcome
    ignored = IGNORED.get((kind[1] or "").upper(), set()) | MORE_COLUMNS
    kept = [index for index, (name, _) in enumerate(outcome["columns"]) if name not in ignored]
    return {
        "columns": [outcome["columns"][index] for index in kept],
        "rows": [[_unnamed(row[index]) for index in kept] for row in outcome["rows"]],
    }


def comparable_state(tables: dict[str, Any]) -> dict[str, Any]:
    """Tables as scripts leave them, without how each engine calls the source of a clone, and without `isShallow`."""
    for table in tables.values():
        for operation, parameters, _ in table["history"]:
            if operation == "CLONE":
                parameters.pop("isShallow", None)
                parameters["source"] = parameters["source"].rpartition(".")[2]
    return tables


def _without_measures(value: Any, kind: Any) -> Any:
    if not isinstance(kind, dict) or value is None:
        return value
    pairs = zip(kind["fields"], value, strict=True)
    return {
        field["name"]: _without_measures(item, field["type"]) for field, item in pairs if field["name"] not in MEASURES
    }


def _unnamed(value: Any) -> Any:
    """A schema of the oracle's is called s and a number: each script has its own. In messages we leave schemas out."""
    if not isinstance(value, str):
        return value
    return re.sub(r"\bspark_catalog\.default\.", "", re.sub(r"\bs\d+\b", "default", value))
