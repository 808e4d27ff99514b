"""The plan of a pipeline: its graph, with each statement planned in a scratch warehouse. No rows, no JVM."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from deltasql.base import DeltaSqlError, errors
from deltasql.catalog import PIPELINE_ID, TableEntry, ViewEntry, marks_of
from deltasql.clients.checking import Checker, EngineNeededError
from deltasql.clients.pipelines.definitions import DEFAULT_SCHEMA, Definition, Problem, definitions, values_of
from deltasql.clients.pipelines.graph import TEMPORARY_VIEW, Dataset, Graph, graph
from deltasql.clients.pipelines.specification import Specification, shown_path
from deltasql.clients.pipelines.texts import steps
from deltasql.schema import quote_name as quote
from deltasql.session import Session


@dataclass(frozen=True, slots=True)
class Planned:
    """A pipeline with its graph; `namespace` is the catalog and the schema of unqualified names. It can run where
    there are no `problems`."""

    pipeline: Specification
    graph: Graph
    namespace: tuple[str, str]
    problems: list[Problem] = field(default_factory=list)


def planned(pipeline: Specification, session: Session | None, namespace: tuple[str, str]) -> Planned:
    """The plan over the tables of a session's warehouse (None: there is none yet). `namespace` is that of the session,
    which counts for what the pipeline does not say. Raises EmptyPipelineError."""
    problems: list[Problem] = []
    catalog = (pipeline.catalog or namespace[0]).lower()
    default = namespace[1] if catalog == namespace[0] else DEFAULT_SCHEMA
    namespace = (catalog, (pipeline.schema or default).lower())
    found = graph(list(definitions(pipeline, namespace, problems)), problems)
    if not problems and not found.stored:
        raise errors.EmptyPipelineError(", ".join(map(shown_path, pipeline.files[:1])))
    if not problems:
        problems += _wrong(pipeline, found, session)
    return Planned(pipeline, found, namespace, problems)


def _wrong(pipeline: Specification, found: Graph, session: Session | None) -> Iterator[Problem]:
    """The errors of the statements, each dataset behind those that it reads."""
    failed: set[tuple[str, ...]] = set()
    with Checker(session) as checker:
        for dataset in found:
            if failed & set(dataset.reads):
                # What it reads is not known.
                failed.add(dataset.key)
                continue
            problems = list(_of_dataset(pipeline, dataset, found, session, checker))
            failed |= {dataset.key} if problems else set()
            yield from problems


def _of_dataset(
    pipeline: Specification, dataset: Dataset, found: Graph, session: Session | None, checker: Checker
) -> Iterator[Problem]:
    try:
        if session is not None and dataset.kind != TEMPORARY_VIEW:
            require_free(pipeline.id, dataset, session)
        with _surroundings(pipeline, dataset.definition, checker):
            pass
    except DeltaSqlError as error:
        yield dataset.definition.problem(error)
        return
    if dataset.kind == TEMPORARY_VIEW:
        return
    for step in steps(dataset, found):
        try:
            with _surroundings(pipeline, step.definition, checker):
                checker.statement(step.sql)
        except DeltaSqlError as error:
            yield step.problem(error)
            return


@contextmanager
def _surroundings(pipeline: Specification, definition: Definition, checker: Checker) -> Iterator[None]:
    """Context: the namespace and the settings of a statement in the scratch warehouse."""
    scratch = checker.session
    catalog, schema = map(quote, definition.namespace)
    try:
        for sql in surroundings(pipeline, definition):
            scratch.check(sql)
        scratch.check(f"USE CATALOG {catalog}")
        scratch.check(f"CREATE SCHEMA IF NOT EXISTS {catalog}.{schema}")
        scratch.check(f"USE SCHEMA {schema}")
        yield
    except EngineNeededError:
        yield
    finally:
        scratch.settings.reset(None)


def surroundings(pipeline: Specification, definition: Definition) -> Sequence[str]:
    """The SET statements before a statement: of the configuration, and of its file."""
    return (*values_of(pipeline.configuration), *definition.settings)


def require_free(pipeline: str, dataset: Dataset, session: Session) -> None:
    """Raises OtherPipelineError and NotOfPipelineError for a name that something else has."""
    try:
        entry = session.catalog.find(dataset.key)
    except DeltaSqlError:
        return
    if entry is None:
        return
    owner = owner_of(entry)
    if owner is not None and owner != pipeline:
        raise errors.OtherPipelineError(dataset.name, owner)
    kind = kind_of(entry)
    if kind != dataset.kind:
        raise errors.NotOfPipelineError(dataset.name, kind.lower())


def kind_of(entry: TableEntry | ViewEntry) -> str:
    """TABLE, VIEW, STREAMING TABLE or MATERIALIZED VIEW."""
    if isinstance(entry, ViewEntry):
        return "VIEW"
    return "TABLE" if entry.refreshed is None else entry.refreshed.kind.value


def owner_of(entry: TableEntry | ViewEntry) -> str | None:
    """The id of the pipeline that made a table or a view; None for others."""
    return marks_of(entry).get(PIPELINE_ID)
