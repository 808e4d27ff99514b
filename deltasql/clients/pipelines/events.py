"""The event log of a pipeline: a Delta table that the queries of Databricks' documentation can read.

Its columns are those of the function `event_log`. Source: Databricks, Pipeline event log schema.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime, timezone
from typing import Any, NamedTuple
from uuid import uuid4

from deltasql.base import DeltaSqlError, pa
from deltasql.catalog import PIPELINE_ID
from deltasql.clients.pipelines.graph import STREAMING_TABLE, VIEW, Dataset
from deltasql.clients.pipelines.update import COMPLETED, FAILED, SKIPPED, DatasetOutcome, PipelineUpdate
from deltasql.session import Session

_COLUMNS = (
    "id STRING NOT NULL, sequence STRING NOT NULL, origin STRUCT<pipeline_id: STRING, pipeline_name: STRING, "
    "update_id: STRING, dataset_name: STRING, flow_name: STRING, catalog_name: STRING, schema_name: STRING>, "
    "timestamp TIMESTAMP NOT NULL, message STRING NOT NULL, level STRING NOT NULL, maturity_level STRING NOT NULL, "
    "error STRUCT<fatal: BOOLEAN, exceptions: ARRAY<STRUCT<class_name: STRING, message: STRING>>>, "
    "details STRING NOT NULL, event_type STRING NOT NULL"
)
_TECHNIQUES = {
    "FULL": "COMPLETE_RECOMPUTE",
    "INCREMENTAL": "PARTITION_OVERWRITE",
    "APPEND": "ROW_BASED",
    "NONE": "NO_OP",
}
_LEVELS = {FAILED: "ERROR", SKIPPED: "WARN"}


class _Event(NamedTuple):
    """A row of the log. `details` are the values below the name of its type."""

    event_type: str
    message: str
    details: Mapping[str, Any]
    dataset: Dataset | None = None
    level: str = "INFO"
    error: DeltaSqlError | None = None


class EventLog:
    """Collects the events of an update; `flush` commits them to the table, as one version."""

    def __init__(self, update: PipelineUpdate, session: Session, name: str) -> None:
        self._update, self._session, self._name = update, session, name
        self._rows: list[dict[str, Any]] = []
        self._number = 0

    def create(self) -> None:
        """Creates the table. Raises what CREATE TABLE raises."""
        properties = f"TBLPROPERTIES ('{PIPELINE_ID}' = '{self._update.plan.pipeline.id}')"
        self._session.sql(f"CREATE TABLE IF NOT EXISTS {self._name} ({_COLUMNS}) {properties}")

    def begun(self) -> None:
        """The update begins: its cause, the datasets, and the flows between them."""
        update = self._update
        full = [dataset.name for dataset in update.graph if dataset.key in update.full]
        details = {"cause": "USER_ACTION", "full_refresh": bool(full), "full_refresh_selection": full}
        self._add(_Event("create_update", f"Update {update.id[:8]} started by USER_ACTION.", details))
        for dataset in update.graph.stored:
            self._add(_Event("dataset_definition", f"Dataset {dataset.name} defined.", _of_dataset(dataset), dataset))
            self._add(_Event("flow_definition", f"Flow {dataset.name} defined.", self._flow(dataset), dataset))
        self.progress("RUNNING")

    def progress(self, state: str) -> None:
        """The state of the update: RUNNING, COMPLETED, FAILED or CANCELED."""
        level = "ERROR" if state == "FAILED" else "INFO"
        self._add(_Event("update_progress", f"Update {self._update.id[:8]} is {state}.", {"state": state}, level=level))

    def started(self, dataset: Dataset) -> None:
        self._add(_Event("flow_progress", f"Flow {dataset.name} is RUNNING.", {"status": "RUNNING"}, dataset))

    def ended(self, outcome: DatasetOutcome) -> None:
        """The end of the work on a dataset, with counts of rows and of expectations."""
        dataset, filled = outcome.dataset, outcome.filled
        if outcome.state == COMPLETED and dataset.kind != VIEW:
            technique = _TECHNIQUES.get(filled.mode, filled.mode)
            message = f"Flow {dataset.name} was executed as {technique}: {filled.reason}."
            details = {"technique_information": [{"maintenance_type": f"MAINTENANCE_TYPE_{technique}"}]}
            self._add(_Event("planning_information", message, details, dataset))
        reason = f" because {outcome.cause} failed" if outcome.cause else ""
        message = f"Flow {dataset.name} has {outcome.state}{reason}."
        error = None if outcome.problem is None else outcome.problem.error
        level = _LEVELS.get(outcome.state, "INFO")
        self._add(_Event("flow_progress", message, _progress(outcome), dataset, level, error))

    def inactive(self, name: str, kind: str) -> None:
        message = f"{kind.capitalize()} {name} is no longer defined by the pipeline, and is not updated."
        self._add(_Event("dataset_definition", message, {"dataset": name, "status": "INACTIVE"}, level="WARN"))

    def flush(self) -> None:
        """Commits what was collected."""
        rows, self._rows = self._rows, []
        if rows:
            table = pa.Table.from_pylist(rows, _schema())
            self._session.write(table).mode("append").saveAsTable(self._name)

    def _flow(self, dataset: Dataset) -> dict[str, Any]:
        graph = self._update.graph
        inputs = [item.name for item in graph.feeding(dataset)]
        keys = (dataset.key, *_views(dataset, self._update))
        inputs += [name for key in keys for name in graph.datasets[key].outside]
        return {
            "output_dataset": dataset.name,
            "input_datasets": list(dict.fromkeys(inputs)),
            "flow_type": "INCREMENTAL" if dataset.kind == STREAMING_TABLE else "COMPLETE",
        }

    def _add(self, event: _Event) -> None:
        pipeline, dataset = self._update.plan.pipeline, event.dataset
        self._number += 1
        catalog, schema = self._update.plan.namespace if dataset is None else dataset.key[:2]
        self._rows.append(
            {
                "id": str(uuid4()),
                "sequence": json.dumps({"control_plane_seq_no": self._number}),
                "origin": {
                    "pipeline_id": pipeline.id,
                    "pipeline_name": pipeline.name,
                    "update_id": self._update.id,
                    "dataset_name": None if dataset is None else dataset.name,
                    "flow_name": None if dataset is None else dataset.name,
                    "catalog_name": catalog,
                    "schema_name": schema,
                },
                "timestamp": datetime.now(timezone.utc),
                "message": event.message,
                "level": event.level,
                "maturity_level": "STABLE",
                "error": None if event.error is None else _error(event.error),
                "details": json.dumps({event.event_type: event.details}),
                "event_type": event.event_type,
            }
        )


def _views(dataset: Dataset, update: PipelineUpdate) -> Iterator[tuple[str, ...]]:
    """The temporary views that a dataset reads, also through others."""
    for key in dataset.reads:
        if len(key) == 1:
            yield key
            yield from _views(update.graph.datasets[key], update)


def _of_dataset(dataset: Dataset) -> dict[str, Any]:
    return {"dataset": dataset.name, "dataset_type": dataset.kind.replace(" ", "_")}


def _progress(outcome: DatasetOutcome) -> dict[str, Any]:
    """The details of the end of a flow."""
    filled = outcome.filled
    details: dict[str, Any] = {"status": outcome.state}
    if outcome.state == COMPLETED:
        details["metrics"] = {"num_output_rows": filled.rows, "num_deleted_rows": filled.deleted}
        details["metrics"]["executor_time_ms"] = int(outcome.seconds * 1000)
    if filled.expected:
        dropped = sum(item.failed for item in filled.expected if item.drops)
        expectations = [
            {
                "name": item.name,
                "dataset": item.view or outcome.dataset.name,
                "passed_records": item.passed,
                "failed_records": item.failed,
            }
            for item in filled.expected
        ]
        details["data_quality"] = {"dropped_records": dropped, "expectations": expectations}
    return details


def _error(error: DeltaSqlError) -> dict[str, Any]:
    return {"fatal": True, "exceptions": [{"class_name": error.condition, "message": str(error)}]}


def _schema() -> pa.Schema:
    texts = ("pipeline_id", "pipeline_name", "update_id", "dataset_name", "flow_name", "catalog_name", "schema_name")
    exception = pa.struct([("class_name", pa.string()), ("message", pa.string())])
    types = {
        "origin": pa.struct([(name, pa.string()) for name in texts]),
        "timestamp": pa.timestamp("us", "UTC"),
        "error": pa.struct([("fatal", pa.bool_()), ("exceptions", pa.list_(exception))]),
    }
    names = ("id", "sequence", "origin", "timestamp", "message", "level", "maturity_level", "error", "details")
    return pa.schema([(name, types.get(name, pa.string())) for name in (*names, "event_type")])
