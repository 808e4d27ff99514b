"""One dataset of an update: its statements are run, or a refresh where nothing about it has changed.

A pipeline marks what it makes in the properties of the stored query: its id, a fingerprint of the statements, the table
of its events, and the flows that run once. A table that a statement outside of the pipeline defines again loses the
marks, and the next update takes it over.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from deltasql.base import DeltaSqlError, errors, session_settings
from deltasql.catalog import EVENT_LOG, PIPELINE_ID, TableEntry, ViewEntry, marks_of
from deltasql.clients.pipelines.definitions import Problem
from deltasql.clients.pipelines.graph import STREAMING_TABLE, VIEW, Dataset, Graph
from deltasql.clients.pipelines.planning import Planned, owner_of, require_free, surroundings
from deltasql.clients.pipelines.texts import FillStep, expected_views, fingerprint, fingerprint_of, steps
from deltasql.files import Result
from deltasql.plan import TableName
from deltasql.schema import quote_name as quote
from deltasql.session import Session
from deltasql.statements import CreateFlow, CreateRefreshed

FINGERPRINT, ONCE = "pipelines.fingerprint", "pipelines.flowsThatRanOnce"
COUNTED = "pipelines.rowsOfViews"
RESET_ALLOWED = "pipelines.reset.allowed"
_GIVEN = (session_settings.USER.name, session_settings.GROUPS.name, session_settings.AUTO_CREATE.name)
_INSERTED = ("numOutputRows", "numTargetRowsInserted", "numCopiedRows")
_DELETED = ("numTargetRowsDeleted", "numDeletedRows")


@dataclass(frozen=True, slots=True)
class ExpectationCounts:
    """The rows that have satisfied an expectation, and those that have not."""

    name: str
    passed: int
    failed: int
    drops: bool = False
    view: str | None = None
    """The temporary view that has the expectation; None where the dataset itself has it."""


@dataclass(slots=True)
class FillResult:
    """The effects of an update on a dataset. `mode` is that of its last refresh, NONE where nothing was to do.

    `rows` were written, `deleted` were removed; `versions` are those of its commits.
    """

    mode: str = "NONE"
    reason: str = ""
    rows: int = 0
    deleted: int = 0
    versions: tuple[int, ...] = ()
    expected: tuple[ExpectationCounts, ...] = ()
    notes: list[str] = field(default_factory=list)


class StepError(Exception):
    """A statement of a dataset that has failed, with its place."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem.error))
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Filling:
    """The work on one dataset, in a session for it alone, with the settings of another one.

    `event_log` is the name of the table of events.
    """

    plan: Planned
    dataset: Dataset
    session: Session
    like: Session
    full: bool
    event_log: str

    def run(self) -> FillResult:
        """Raises StepError."""
        done = FillResult()
        try:
            require_free(self.plan.pipeline.id, self.dataset, self.session)
            entry = self.session.catalog.find(self.dataset.key)
            is_same = entry is not None and marks_of(entry).get(FINGERPRINT) == self._fingerprint
            before = self._version(entry)
        except DeltaSqlError as error:
            raise StepError(self.dataset.definition.problem(error)) from error
        if self.dataset.kind == VIEW:
            self._view(done, is_same=is_same)
            return done
        try:
            if is_same and not self._starts_over:
                self._refresh(done)
            else:
                self._define(entry, done)
        finally:
            self._mark({PIPELINE_ID: self.plan.pipeline.id, EVENT_LOG: self.event_log})
        self._mark({FINGERPRINT: self._fingerprint})
        self._count(done, before)
        return done

    @property
    def _graph(self) -> Graph:
        return self.plan.graph

    @property
    def _fingerprint(self) -> str:
        return fingerprint(self.dataset, self._graph)

    @property
    def _starts_over(self) -> bool:
        """Whether a full refresh has no flow that REFRESH … FULL would run."""
        return self.full and bool(self.dataset.flows) and all(map(_runs_once, self._steps[1:]))

    @property
    def _steps(self) -> Sequence[FillStep]:
        return steps(self.dataset, self._graph)

    def _view(self, done: FillResult, *, is_same: bool) -> None:
        """A view of the catalog is replaced where its statement is another one."""
        if is_same:
            done.reason = "the view is unchanged"
            return
        self._run(self._steps[0])
        marks = {PIPELINE_ID: self.plan.pipeline.id, EVENT_LOG: self.event_log, FINGERPRINT: self._fingerprint}
        self._mark(marks)
        done.mode, done.reason = "VIEW", "the view was created"

    def _refresh(self, done: FillResult) -> None:
        """The statements are the same: only rows may be new."""
        step = self._steps[-1]
        self._surround(step)
        words = f"REFRESH {self.dataset.kind} {self.dataset.full_name}{' FULL' if self.full else ''}"
        _answer(self._sql(step, words), done)
        if self.full:
            for once in filter(_runs_once, self._steps):
                self._run(once)

    def _define(self, entry: TableEntry | ViewEntry | None, done: FillResult) -> None:
        """Runs the statements, which are new or others than before. Flows that ran once do so again with FULL alone."""
        ran = set() if entry is None or self.full else set(json.loads(marks_of(entry).get(ONCE, "[]")))
        self._forget_flows(entry)
        once = [step for step in self._steps if _runs_once(step)]
        for step in self._steps:
            if step not in once:
                self._first(step, entry, done)
        if entry is not None and self.full and self.dataset.kind == STREAMING_TABLE and not self._starts_over:
            _answer(self._sql(self._steps[0], f"REFRESH {self.dataset.kind} {self.dataset.full_name} FULL"), done)
        for step in once:
            self._run_once(step, ran, done)

    def _run_once(self, step: FillStep, ran: set[str], done: FillResult) -> None:
        """Runs a flow that is not among those that `ran` before, and notes it."""
        mark = fingerprint_of(step)
        if mark not in ran:
            _answer(self._run(step), done)
            ran.add(mark)
            self._mark({ONCE: json.dumps(sorted(ran))})

    def _first(self, step: FillStep, entry: TableEntry | ViewEntry | None, done: FillResult) -> None:
        """Runs a statement. With FULL a table whose columns, partitions or constraints refuse it is dropped before."""
        try:
            _answer(self._run(step), done)
        except StepError as failure:
            refused = (errors.RedeclaredTableError, errors.StreamingQueryError, errors.CheckViolationError)
            if not (self.full and entry is not None and isinstance(failure.problem.error, refused)):
                raise
            self._sql(step, f"DROP {self.dataset.kind} {self.dataset.full_name}")
            _answer(self._run(step), done)

    def _forget_flows(self, entry: TableEntry | ViewEntry | None) -> None:
        """Takes the flows out of the stored definition: those of the files are added again.

        A table that no flow would empty is dropped where it starts over.
        """
        if not isinstance(entry, TableEntry) or entry.refreshed is None or not self.dataset.flows:
            return
        if self._starts_over:
            self._sql(self._steps[0], f"DROP {self.dataset.kind} {self.dataset.full_name}")
            return
        view = replace(entry.refreshed.view, query="")
        self.session.catalog.define(entry.parts, replace(entry.refreshed, view=view, flows=()))

    def _run(self, step: FillStep) -> Result:
        self._surround(step)
        return self._sql(step, step.sql)

    def _surround(self, step: FillStep) -> None:
        """Makes the namespace and the settings of a statement current."""
        catalog, schema = map(quote, step.definition.namespace)
        for key in _GIVEN:
            value = self.like.settings.get(key)
            if value is not None:
                self.session.settings.give(key, value)
        settings = [f"SET {key} = {value}" for key, value in self.like.settings.changed()]
        settings += surroundings(self.plan.pipeline, step.definition)
        for sql in ("RESET", *settings, f"USE CATALOG {catalog}", f"USE {schema}"):
            self._sql(step, sql)

    def _sql(self, step: FillStep, sql: str) -> Result:
        """Runs a statement. Raises StepError."""
        try:
            return self.session.sql(sql)
        except DeltaSqlError as error:
            raise StepError(step.problem(error)) from error

    def _mark(self, marks: Mapping[str, str]) -> None:
        """Adds marks to the stored query of the dataset, where there is one."""
        catalog = self.session.catalog
        entry = catalog.find(self.dataset.key)
        if entry is None or owner_of(entry) not in {None, self.plan.pipeline.id}:
            return
        if isinstance(entry, ViewEntry):
            definition = entry.definition
            marked = replace(definition, properties={**definition.properties, **marks})
            catalog.change_view(entry.parts, lambda _: marked)
        elif entry.refreshed is not None:
            view = entry.refreshed.view
            new = replace(view, properties={**view.properties, **marks})
            if new != view:
                catalog.define(entry.parts, replace(entry.refreshed, view=new))

    def _version(self, entry: object) -> int:
        """The version of the table; -1 before there is one."""
        if not isinstance(entry, TableEntry):
            return -1
        return self.session.log(TableName(entry.parts)).snapshot().version

    def _count(self, done: FillResult, before: int) -> None:
        """Reads mode and counts from the commits behind version `before`."""
        now = self._version(self.session.catalog.find(self.dataset.key))
        if now == before:
            return
        history = self.session.sql(f"DESCRIBE HISTORY {self.dataset.full_name} LIMIT {now - before}")
        commits = [dict(zip(history.columns, row, strict=True)) for row in history.collect()]
        parameters, metrics = (
            [item[column] or {} for item in commits] for column in ("operationParameters", "operationMetrics")
        )
        refreshes = [item for item in parameters if {"mode", "reason"} <= item.keys()]
        done.versions = tuple(sorted(item["version"] for item in commits))
        done.rows = sum(_count(item, _INSERTED) for item in metrics)
        done.deleted = sum(_count(item, _DELETED) for item in metrics)
        done.expected = (*self._expected(metrics, done.rows), *self._expected_of_views())
        first = refreshes[0] if refreshes else {"mode": "FULL", "reason": "its statement is new"}
        done.mode, done.reason = first["mode"], first["reason"]

    def _expected_of_views(self) -> Iterator[ExpectationCounts]:
        """The rows of temporary views that satisfy their expectations, by a query for each view.

        A streaming table reads the rows that were not there at its refresh before, whose counts its marks have.
        """
        entry = self.session.catalog.find(self.dataset.key)
        is_stream = self.dataset.kind == STREAMING_TABLE and entry is not None
        before = json.loads(marks_of(entry).get(COUNTED, "{}")) if is_stream and entry and not self.full else {}
        now = dict[str, dict[str, int]]()
        for view, query in expected_views(self.dataset, self._graph):
            name, step = view.view.parts[-1], self._steps[0]
            self._surround(step)
            passed = [f"count_if(coalesce({item.condition.text}, FALSE))" for item in view.expectations]
            counts = self._sql(step, f"SELECT count(*), {', '.join(passed)} FROM ({query}) AS {quote(name)}").collect()[
                0
            ]
            old, now[name] = before.get(name, {}), {"": counts[0]}
            for item, count in zip(view.expectations, counts[1:], strict=True):
                condition = item.condition.text
                now[name][condition] = count
                rows, satisfied = counts[0], count
                if condition in old:
                    rows, satisfied = rows - old[""], satisfied - old[condition]
                yield ExpectationCounts(item.name, satisfied, rows - satisfied, item.action == "DROP ROW", name)
        if is_stream and now:
            self._mark({COUNTED: json.dumps(now)})

    def _expected(self, metrics: Sequence[Mapping[str, Any]], rows: int) -> tuple[ExpectationCounts, ...]:
        """The counts in the metrics of commits. Without any, all rows satisfy what would have failed the update."""
        node = self.dataset.definition.node
        written = node.expectations if isinstance(node, CreateRefreshed) else ()
        actions = {item.name: item.action for item in written}
        found = [replace(item, drops=actions.get(item.name) == "DROP ROW") for item in _expectations(metrics)]
        required = [ExpectationCounts(name, rows, 0) for name, action in actions.items() if action == "FAIL UPDATE"]
        return tuple(found or required)


def _runs_once(step: FillStep) -> bool:
    node = step.definition.node
    return isinstance(node, CreateFlow) and node.once


def _answer(result: Result, done: FillResult) -> None:
    """Takes the reason of a refresh without a commit, and the notes of a statement."""
    done.notes += [text for text in result.warnings if text not in done.notes]
    if list(result.columns)[:1] == ["refresh"]:
        rows = result.collect()
        done.reason = str(rows[0][1]) if rows else done.reason


def _count(metrics: Mapping[str, Any], keys: Sequence[str]) -> int:
    return next((int(metrics[key]) for key in keys if key in metrics), 0)


PASSED, FAILED = ".passedRecords", ".failedRecords"
_PREFIX = "expectations."


def _expectations(metrics: Sequence[Mapping[str, Any]]) -> Iterator[ExpectationCounts]:
    """The counts of expectations in the metrics of commits, added up by name."""
    found: dict[str, list[int]] = {}
    for item in metrics:
        for key, value in item.items():
            for index, end in enumerate((PASSED, FAILED)):
                if key.startswith(_PREFIX) and key.endswith(end):
                    found.setdefault(key[len(_PREFIX) : -len(end)], [0, 0])[index] += int(value)
    yield from (ExpectationCounts(name, counts[0], counts[1]) for name, counts in sorted(found.items()))
