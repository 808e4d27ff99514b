"""`deltasql pipeline`: what it prints of plans, graphs and updates, and the updates that follow each other."""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from deltasql.base import counted, errors
from deltasql.clients.command.pipeline import ALL
from deltasql.clients.pipelines.definitions import DEFAULT_SCHEMA, Problem
from deltasql.clients.pipelines.events import EventLog
from deltasql.clients.pipelines.graph import Dataset, text_of
from deltasql.clients.pipelines.picture import svg
from deltasql.clients.pipelines.planning import Planned, planned
from deltasql.clients.pipelines.specification import BundleChoice, Specification, specification
from deltasql.clients.pipelines.update import (
    COMPLETED,
    FAILED,
    SKIPPED,
    DatasetOutcome,
    PipelineUpdate,
    RefreshSelection,
    Watcher,
    event_log_name,
)
from deltasql.session import Session

_INTERVAL = re.compile(r"\s*(?:every\s+)?(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>second|minute|hour)s?\s*", re.IGNORECASE)
_SECONDS = {"second": 1.0, "minute": 60.0, "hour": 3600.0}
_TRIGGER = "pipelines.trigger.interval"


def show_graph(options: argparse.Namespace, session: Session | None) -> bool:
    """Prints the graph of a pipeline, or what is wrong with it; whether nothing is. `session` None: no warehouse."""
    plan = plan_of(options, session)
    if plan.problems:
        _show_problems(plan.problems)
        return False
    picture = getattr(options, "svg", None)
    if picture == "-":
        print(svg(plan.graph), end="")
    elif picture is not None:
        Path(picture).write_text(svg(plan.graph), encoding="utf-8")
    else:
        print(text_of(plan.graph))
    if getattr(options, "dry_run", False):
        _selection(options, plan)
        print(f"Planned {counted(len(plan.graph.stored), 'datasets')}; nothing was run.")
    return True


def show_run(options: argparse.Namespace, session: Session) -> bool:
    """Runs the pipeline, once or until Ctrl-C; whether all datasets of the last update are complete."""
    plan = plan_of(options, session)
    if plan.problems:
        _show_problems(plan.problems)
        return False
    seconds = _interval(options, plan.pipeline)
    if seconds is None:
        if plan.pipeline.continuous:
            print(f"Note: {plan.pipeline.name} is continuous: --continuous repeats its updates.", file=sys.stderr)
        return _update(options, plan, session, quiet=False)
    number = 0
    while True:
        _update(options, plan, session, quiet=number > 0)
        number += 1
        time.sleep(seconds)


def plan_of(options: argparse.Namespace, session: Session | None) -> Planned:
    """The plan of the pipeline that the options name. Raises PipelineFileError, EmptyPipelineError."""
    found = specification(options.source, BundleChoice(options.pipeline, options.target, dict(options.var)))
    if session is None:
        return planned(found, None, (_FIRST_CATALOG, DEFAULT_SCHEMA))
    return planned(found, session, (session.catalog.current_catalog, session.catalog.current_schema))


_FIRST_CATALOG = "spark_catalog"


def _selection(options: argparse.Namespace, plan: Planned) -> RefreshSelection:
    """The datasets that the options name. Raises UnknownDatasetError."""
    refresh = tuple(name for names in options.refresh for name in names)
    full = tuple(name for names in options.full_refresh for name in names)
    for name in (*refresh, *full):
        if name != ALL:
            plan.graph.found(name)
    return RefreshSelection(refresh, tuple(name for name in full if name != ALL), ALL in full)


def _interval(options: argparse.Namespace, pipeline: Specification) -> float | None:
    """The seconds between two updates; None for one update. Raises PipelineIntervalError."""
    if options.continuous is None:
        return None
    text = options.continuous or pipeline.configuration.get(_TRIGGER) or "1 minute"
    match = _INTERVAL.fullmatch(text.strip("'\""))
    if match is None:
        raise errors.PipelineIntervalError(text)
    return float(match["number"]) * _SECONDS[match["unit"].lower()]


def _update(options: argparse.Namespace, plan: Planned, session: Session, *, quiet: bool) -> bool:
    """One update, with its events; whether all of it is complete. A `quiet` one prints what is new or wrong alone."""
    began = time.perf_counter()
    name = event_log_name(plan)
    update = PipelineUpdate(plan, session, _selection(options, plan), name, options.jobs)
    update.prepare()
    events = EventLog(update, session, name)
    events.create()
    events.begun()
    events.flush()
    shown = _Shown(plan, quiet)
    if not quiet:
        print(f"Pipeline {plan.pipeline.name} ({plan.pipeline.id}): {counted(len(update.selected), 'datasets')}")

    def ended(outcome: DatasetOutcome) -> None:
        shown.ended(outcome)
        events.ended(outcome)
        events.flush()

    try:
        outcomes = update.run(Watcher(events.started, ended))
    except BaseException as error:
        events.progress("CANCELED" if isinstance(error, KeyboardInterrupt) else "FAILED")
        events.flush()
        raise
    is_right = all(item.state == COMPLETED for item in outcomes)
    for item in update.inactive() if not (options.refresh or options.full_refresh) else ():
        events.inactive(item.name, item.kind)
        if not quiet:
            print(
                f"Note: {item.kind.lower()} {item.name} is in no file of the pipeline. It stays readable and is not "
                f"updated; DROP {item.kind} {item.name} removes it.",
                file=sys.stderr,
            )
    events.progress("COMPLETED" if is_right else "FAILED")
    events.flush()
    shown.summary(outcomes, time.perf_counter() - began)
    return is_right


class _Shown:
    """The lines of an update."""

    def __init__(self, plan: Planned, quiet: bool) -> None:
        self._plan, self._quiet = plan, quiet
        self._width = max(len(plan.graph.short(item.key)) for item in plan.graph.stored)

    def ended(self, outcome: DatasetOutcome) -> None:
        """Prints the line of a dataset, its error, and the notes of its statements."""
        if self._quiet and outcome.state == COMPLETED and not outcome.is_new:
            return
        print(f"  {self._name(outcome.dataset):{self._width}}  {outcome.state:9}  {_said(outcome)}".rstrip())
        sys.stdout.flush()
        if outcome.problem is not None:
            _show_problems([outcome.problem])
        for note in outcome.filled.notes:
            print(f"Warning: {note}", file=sys.stderr)

    def summary(self, outcomes: Sequence[DatasetOutcome], seconds: float) -> None:
        """Prints the last line."""
        if all(item.state == COMPLETED and not item.is_new for item in outcomes):
            if not self._quiet:
                print(f"Nothing is new: {counted(len(outcomes), 'datasets')} up to date ({seconds:.1f} s).")
            return
        states = [(state, sum(item.state == state for item in outcomes)) for state in (COMPLETED, FAILED, SKIPPED)]
        counts = ", ".join(f"{number} {state.lower()}" for state, number in states if number)
        word = "failed" if any(item.state == FAILED for item in outcomes) else "completed"
        print(f"Update {word}: {counts} ({seconds:.1f} s).")

    def _name(self, dataset: Dataset) -> str:
        return self._plan.graph.short(dataset.key)


def _said(outcome: DatasetOutcome) -> str:
    """The end of the line of a dataset."""
    filled = outcome.filled
    if outcome.state == SKIPPED:
        return f"{outcome.cause} failed"
    if outcome.state != COMPLETED:
        return ""
    if not outcome.is_new:
        return f"nothing new: {filled.reason}" if filled.reason else "nothing new"
    if not filled.versions:
        return filled.reason
    counts = [f"{filled.rows} rows written"]
    counts += [
        f"{item.failed} of {item.passed + item.failed} violate {item.name}{f' of {item.view}' if item.view else ''}"
        for item in filled.expected
    ]
    return f"{filled.mode.lower()}, {', '.join(counts)}, {outcome.seconds:.1f} s"


def _show_problems(problems: Sequence[Problem]) -> None:
    """Prints each error behind its place."""
    sys.stdout.flush()
    for problem in problems:
        if problem.place:
            print(f"{problem.place}:", file=sys.stderr)
        print(problem.error, file=sys.stderr)
