"""`deltasql pipeline`: what it prints of plans, graphs and updates."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from deltasql.clients.pipelines.definitions import DEFAULT_SCHEMA, Problem
from deltasql.clients.pipelines.graph import text_of
from deltasql.clients.pipelines.planning import Planned, planned
from deltasql.clients.pipelines.specification import Choice, specification
from deltasql.session import Session


def show_graph(options: argparse.Namespace, session: Session | None) -> bool:
    """Prints the graph of a pipeline, or what is wrong with it; whether nothing is. `session` None: no warehouse."""
    plan = plan_of(options, session)
    if plan.problems:
        show_problems(plan.problems)
        return False
    print(text_of(plan.graph))
    return True


def show_run(options: argparse.Namespace, session: Session) -> bool:
    raise NotImplementedError


def plan_of(options: argparse.Namespace, session: Session | None) -> Planned:
    """The plan of the pipeline that the options name. Raises PipelineFileError, EmptyPipelineError."""
    found = specification(options.source, Choice(options.pipeline, options.target, dict(options.var)))
    namespace = ("spark_catalog", DEFAULT_SCHEMA)
    if session is not None:
        namespace = session.catalog.current_catalog, session.catalog.current_schema
    return planned(found, session, namespace)


def show_problems(problems: Sequence[Problem]) -> None:
    """Prints each error behind its place."""
    for problem in problems:
        if problem.place:
            print(f"{problem.place}:", file=sys.stderr)
        print(problem.error, file=sys.stderr)
