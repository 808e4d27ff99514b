"""What a script left behind, as a third engine (delta-rs) and the plain log see it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from deltalake import DeltaTable

from tests.oracle.values import in_order, plain

State = dict[str, Any]

# To be changed with what `tables` returns, so that nothing kept in another form is compared.
FORM = "2"

# Physical names of columns end in a UUID.
_RANDOM = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")

# Predicates are text: the oracle writes its analysed form (`(a#1 > 3)`), we write the user's.
TEXT_PARAMETERS = {"predicate", "matchedPredicates", "notMatchedPredicates", "notMatchedBySourcePredicates"}


def tables(directory: Path) -> dict[str, State]:
    """The state of every table below a directory, by its relative path, without the dropped that UNDROP TABLE finds."""
    logs = sorted(log for log in directory.rglob("_delta_log") if any(log.glob("*.json")))
    logs = [log for log in logs if not log.parent.name.endswith(".dropped")]
    return {_table_name(log.parent, directory): _state(log.parent) for log in logs}


def _table_name(table: Path, directory: Path) -> str:
    return table.relative_to(directory).as_posix().removeprefix("warehouse/").split(".db/")[-1]


def _state(table: Path) -> State:
    commits = [_actions(path) for path in sorted((table / "_delta_log").glob("*.json"))]
    metadata = _last(commits, "metaData")
    return {
        "schema": json.loads(_RANDOM.sub("any", metadata["schemaString"]))["fields"],
        "partitionColumns": metadata["partitionColumns"],
        "configuration": {key: _RANDOM.sub("any", value) for key, value in metadata["configuration"].items()},
        "description": metadata.get("description"),
        "protocol": _protocol(_last(commits, "protocol")),
        "history": [_operation(actions) for actions in commits],
        "rows": rows(table),
    }


def rows(table: Path | str, version: int | None = None) -> Any:
    """The rows that delta-rs reads, or why it does not read them."""
    try:
        found = DeltaTable(str(table), version=version).to_pyarrow_table()
    except Exception as error:
        return f"unreadable: {type(error).__name__}"
    return in_order([[plain(value) for value in row.values()] for row in found.to_pylist()])


def _actions(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def _last(commits: list[list[dict[str, Any]]], kind: str) -> Any:
    return next(action[kind] for actions in reversed(commits) for action in actions if kind in action)


def _protocol(action: dict[str, Any]) -> dict[str, Any]:
    return {key: sorted(value) if isinstance(value, list) else value for key, value in action.items()}


def _operation(actions: list[dict[str, Any]]) -> list[Any]:
    info = next(action["commitInfo"] for action in actions if "commitInfo" in action)
    parameters = {key: _parameter(key, value) for key, value in info["operationParameters"].items()}
    if parameters.get("mode") == "Append":
        # The oracle marks every write of a session that overwrites dynamically.
        parameters.pop("isDynamicPartitionOverwrite", None)
    blind = info.get("isBlindAppend") if info["operation"] == "WRITE" else None
    return [info["operation"], parameters, blind]


def _parameter(key: str, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    document = json.loads(value) if value.startswith(("[", "{")) else value
    if key not in TEXT_PARAMETERS:
        return document
    return len(document) if isinstance(document, list) else "a predicate"
