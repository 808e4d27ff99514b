"""One update of a pipeline: each dataset behind those that it reads, several of them side by side.

A dataset that fails leaves its rows as they were. What reads it is skipped, everything else is filled, and the next
update tries both again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field
from uuid import uuid4
from warnings import catch_warnings, simplefilter

from deltasql.base import DeltaSqlError, errors
from deltasql.catalog import sql_name
from deltasql.clients.pipelines.definitions import Problem
from deltasql.clients.pipelines.filling import RESET_ALLOWED, Filling, FillResult, StepError
from deltasql.clients.pipelines.graph import VIEW, Dataset, Graph
from deltasql.clients.pipelines.planning import Planned, kind_of, owner_of
from deltasql.plan import StatementWarning
from deltasql.schema import quote_name as quote
from deltasql.session import Session

COMPLETED, FAILED, SKIPPED, STOPPED = "COMPLETED", "FAILED", "SKIPPED", "STOPPED"
"""Ends of the work on a dataset, by the words of the event log of Databricks."""


@dataclass(frozen=True, slots=True)
class RefreshSelection:
    """Names of the datasets to refresh, and of those to compute again; without any all of them are refreshed."""

    refresh: tuple[str, ...] = ()
    full: tuple[str, ...] = ()
    full_all: bool = False


@dataclass(slots=True)
class DatasetOutcome:
    """The end of the work on a dataset: `state` is COMPLETED, FAILED, SKIPPED or STOPPED.

    `problem` is the error of a failed one, `cause` the dataset because of which another one is skipped.
    """

    dataset: Dataset
    state: str
    filled: FillResult = field(default_factory=FillResult)
    seconds: float = 0.0
    problem: Problem | None = None
    cause: str = ""

    @property
    def is_new(self) -> bool:
        """Whether it has made a commit, or a view."""
        return bool(self.filled.versions) or self.filled.mode == "VIEW"


@dataclass(frozen=True, slots=True)
class Inactive:
    """A table or a view of the pipeline that is no longer in its files."""

    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class Watcher:
    """Functions that an update calls in the thread that runs it: when a dataset begins, and when it ends."""

    begun: Callable[[Dataset], None]
    ended: Callable[[DatasetOutcome], None]


class PipelineUpdate:
    """An update: `run` fills the selected datasets, at most `jobs` at a time."""

    def __init__(self, plan: Planned, session: Session, selection: RefreshSelection, event_log: str, jobs: int) -> None:
        """Raises UnknownDatasetError, FullRefreshDisallowedError."""
        self.id = str(uuid4())
        self.plan, self._session, self._event_log, self._jobs = plan, session, event_log, jobs
        self.full = {item.key for item in map(plan.graph.found, selection.full)}
        self._require_allowed()
        named = {item.key for item in map(plan.graph.found, selection.refresh)} | self.full
        self.selected = [item for item in plan.graph.stored if not named or item.key in named]
        if selection.full_all:
            self.full = {item.key for item in plan.graph.stored if self._may_reset(item)}
        self._sessions: dict[tuple[str, ...], Session] = {}

    @property
    def graph(self) -> Graph:
        return self.plan.graph

    def prepare(self) -> None:
        """Creates the schemas of the datasets. Raises CatalogNotFoundError."""
        spaces = {item.key[:2] for item in self.selected} | {self.plan.namespace}
        spaces |= {item.namespace for dataset in self.selected for item in dataset.statements}
        for catalog, schema in sorted(spaces):
            self._session.sql(f"CREATE SCHEMA IF NOT EXISTS {quote(catalog)}.{quote(schema)}")

    def run(self, watcher: Watcher) -> list[DatasetOutcome]:
        """Fills the datasets. After Ctrl-C no other one begins; it is raised when those that run have ended."""
        done: dict[tuple[str, ...], DatasetOutcome] = {}
        if self._jobs == 1:
            for dataset in self.selected:
                outcome = self._skipped(dataset, done) or self._begun(dataset, watcher)
                done[dataset.key] = outcome
                watcher.ended(outcome)
        else:
            with ThreadPoolExecutor(self._jobs, "deltasql-pipeline") as pool:
                try:
                    for outcome in self._side_by_side(pool, done, watcher):
                        watcher.ended(outcome)
                except KeyboardInterrupt:
                    self._interrupt(pool)
                    raise
        return [done[item.key] for item in self.selected]

    def inactive(self) -> Iterator[Inactive]:
        """The tables and views that the pipeline has made, and that its files no longer define."""
        catalog = self._session.catalog
        for name in catalog.used_catalogs():
            for schema in catalog.schemas(catalog=name):
                with suppress(DeltaSqlError):
                    for entry in catalog.entries((name, schema.name)):
                        if owner_of(entry) == self.plan.pipeline.id and entry.parts not in self.graph.datasets:
                            yield Inactive(sql_name(entry.parts), kind_of(entry))

    def _side_by_side(
        self, pool: ThreadPoolExecutor, done: dict[tuple[str, ...], DatasetOutcome], watcher: Watcher
    ) -> Iterator[DatasetOutcome]:
        """The outcomes in the order in which they come."""
        waiting, running = list(self.selected), dict[Future[DatasetOutcome], Dataset]()
        while waiting or running:
            for dataset in list(waiting):
                if len(running) >= self._jobs or not self._is_ready(dataset, done):
                    continue
                waiting.remove(dataset)
                skipped = self._skipped(dataset, done)
                if skipped is not None:
                    done[dataset.key] = skipped
                    yield skipped
                    continue
                watcher.begun(dataset)
                running[pool.submit(self._filled, dataset)] = dataset
            for future in wait(running, return_when=FIRST_COMPLETED).done if running else ():
                dataset = running.pop(future)
                done[dataset.key] = future.result()
                yield done[dataset.key]

    def _is_ready(self, dataset: Dataset, done: dict[tuple[str, ...], DatasetOutcome]) -> bool:
        """Whether all selected datasets that it reads are done."""
        selected = {item.key for item in self.selected}
        return all(item.key in done or item.key not in selected for item in self.graph.feeding(dataset))

    def _skipped(self, dataset: Dataset, done: dict[tuple[str, ...], DatasetOutcome]) -> DatasetOutcome | None:
        """The outcome of a dataset that reads one which has failed, or was skipped; None of others."""
        for item in self.graph.feeding(dataset):
            if item.key in done and done[item.key].state != COMPLETED:
                return DatasetOutcome(dataset, SKIPPED, cause=self.graph.short(item.key))
        return None

    def _begun(self, dataset: Dataset, watcher: Watcher) -> DatasetOutcome:
        watcher.begun(dataset)
        return self._filled(dataset)

    def _filled(self, dataset: Dataset) -> DatasetOutcome:
        """Fills a dataset in a session for it alone."""
        began = time.perf_counter()
        outcome = DatasetOutcome(dataset, COMPLETED)
        with self._session.another() as session, catch_warnings():
            simplefilter("ignore", StatementWarning)
            self._sessions[dataset.key] = session
            try:
                work = Filling(self.plan, dataset, session, self._session, dataset.key in self.full, self._event_log)
                outcome.filled = work.run()
            except StepError as error:
                outcome.state, outcome.problem = FAILED, error.problem
            finally:
                del self._sessions[dataset.key]
        outcome.seconds = time.perf_counter() - began
        return outcome

    def _interrupt(self, pool: ThreadPoolExecutor) -> None:
        """Cancels what runs in Spark, and lets nothing else begin."""
        pool.shutdown(wait=False, cancel_futures=True)
        for session in list(self._sessions.values()):
            session.interrupt()

    def _require_allowed(self) -> None:
        for key in sorted(self.full):
            if not self._may_reset(self.graph.datasets[key]):
                raise errors.FullRefreshDisallowedError(self.graph.datasets[key].name)

    def _may_reset(self, dataset: Dataset) -> bool:
        """Whether a full refresh may compute a table again: its property may forbid it."""
        if dataset.kind == VIEW:
            return True
        create = getattr(dataset.definition.node, "create", None)
        properties: Sequence[tuple[str, str]] = () if create is None else create.properties
        return all(key.lower() != RESET_ALLOWED or str(value).lower() != "false" for key, value in properties)


def event_log_name(plan: Planned) -> str:
    """The name of the table of events, as SQL: that of the file, or one of the pipeline's id in its schema."""
    name = plan.pipeline.event_log or (f"event_log_{plan.pipeline.id.replace('-', '_')}",)
    parts = (*plan.namespace, *name) if len(name) == 1 else (plan.namespace[0], *name)
    return ".".join(map(quote, parts[-3:]))
