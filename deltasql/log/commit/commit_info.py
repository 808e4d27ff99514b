"""The commitInfo action that deltasql writes. Source: Delta protocol, Commit Provenance Information."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from deltasql.errors.secrets import shown_pairs
from deltasql.lazy import pa
from deltasql.log.actions.actions import Action, AddCDCFile, AddFile, CommitInfo, RemoveFile
from deltasql.log.actions.operations import Operation
from deltasql.log.commit.conflict import IsolationLevel
from deltasql.log.properties.property_registry import ISOLATION_LEVEL
from deltasql.log.properties.table_properties import TableProperties
from deltasql.version import __version__


@dataclass(frozen=True, slots=True)
class Provenance:
    """The statement behind a commit, for the history. `metrics` and `parameters` by name, in the order of the text."""

    operation: Operation
    parameters: Mapping[str, object]
    metrics: Mapping[str, object] | None = None
    user_metadata: str | None = None
    engine_info: str | None = None
    tags: Mapping[str, str] | None = None


def build_commit_info(
    provenance: Provenance,
    *,
    data_change: bool,
    timestamp_ms: int,
    in_commit_timestamp: int | None,
    read_version: int | None,
    level: IsolationLevel,
    blind_append: bool,
    transaction_id: str,
) -> CommitInfo:
    """The first action of a commit, its fields in Delta's order; what does not apply is absent."""
    values: dict[str, Any] = {
        "inCommitTimestamp": in_commit_timestamp,
        "timestamp": timestamp_ms,
        "operation": provenance.operation.name,
        "operationParameters": {
            key: _parameter(value) for key, value in shown_parameters(provenance.parameters).items()
        },
        "readVersion": read_version,
        "isolationLevel": level.value,
        "isBlindAppend": blind_append,
        "dataChange": data_change,
        "operationMetrics": {key: str(value) for key, value in (provenance.metrics or {}).items()},
        "userMetadata": provenance.user_metadata,
        "tags": dict(provenance.tags) if provenance.tags else None,
        "engineInfo": provenance.engine_info or f"deltasql/{__version__}",
        "txnId": transaction_id,
    }
    return CommitInfo({key: value for key, value in values.items() if value is not None})


def changes_data(actions: Sequence[Action], added: pa.Table | None = None) -> bool:
    """Whether a file action changes rows, and does not just arrange them anew; `added`: adds as `file_tables.ADD`."""
    if any(isinstance(action, (AddFile, RemoveFile)) and action.data_change for action in actions):
        return True
    return added is not None and True in added["dataChange"].unique().to_pylist()


def effective_level(
    table_level: IsolationLevel, operation: Operation, actions: Sequence[Action], *, data_change: bool
) -> IsolationLevel:
    """The isolation level that a commit needs: it is lower where no row changes, as `data_change` says."""
    only_files = all(isinstance(action, (AddFile, RemoveFile, AddCDCFile)) for action in actions)
    if not only_files or data_change:
        return table_level
    if table_level is IsolationLevel.SERIALIZABLE or not operation.changes_data:
        return IsolationLevel.SNAPSHOT
    return table_level


def table_level(configuration: Mapping[str, str]) -> IsolationLevel:
    """The isolation level that a table asks for; WriteSerializable by default. Raises IsolationLevelError."""
    return IsolationLevel(TableProperties(configuration)[ISOLATION_LEVEL])


def shown_parameters(parameters: Mapping[str, object]) -> dict[str, object]:
    """The parameters of an operation without secrets, as the history may have them."""
    return {
        key: shown_pairs(value) if key == "properties" and isinstance(value, Mapping) else value
        for key, value in parameters.items()
    }


def _parameter(value: object) -> object:
    """Scalars as they are; anything deeper is a JSON document inside a string."""
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    return json.dumps(value, separators=(",", ":"))
