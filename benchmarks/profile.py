"""Where the time of a statement goes: between this process and the JVM, and within each."""

from __future__ import annotations

import functools
import importlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

CALLS = "calls to the JVM"
"""Their number; everything else that is measured is seconds."""
WHOLE, IN_CALLS, PYTHON, RULES, CODE, JOBS = (
    "whole",
    "in calls to the JVM",
    "Python alone",
    "analysis and optimizer",
    "code generation",
    "jobs",
)
OWN = {
    "parsing": (("deltasql.session.session", "parse"),),
    "files and footers": (
        ("deltasql.engines.spark.writing", "written_files"),
        ("deltasql.engines.spark.writing", "write_tables"),
    ),
    "commit": (
        ("deltasql.log.commit.transaction", "Transaction.commit"),
        ("deltasql.log.commit.transaction", "Transaction.commit_rebased"),
    ),
}
"""Parts of Python's time: modules and the functions in them, which do not call each other."""

Span = tuple[float, float]
"""A beginning and an end, in seconds since the epoch."""

_MILLISECONDS, _NANOSECONDS = 1e-3, 1e-9


class Profile:
    """Measures one statement after the other in a Spark session of this process."""

    def __init__(self, spark: Any) -> None:
        self._spark = spark
        self._jvm = spark.sparkContext._jvm
        self._known_jobs: set[int] = set()
        self.calls: list[tuple[str, float]] = []
        """The calls of the statement that was measured last: what was sent, and the seconds until the answer."""
        self._seconds: dict[str, float] = {}
        self._spans: list[Span] = []

    def of(self, work: Callable[[], object]) -> Mapping[str, float]:
        """The parts of what it takes to do the work, in seconds; CALLS is a number.

        They overlap: the JVM analyses while it is called, and its jobs run then or while Python waits for their rows.
        """
        self._new_jobs()
        rules, code = self._rules(), self._code()
        self.calls, self._seconds, self._spans = [], {}, []
        with self._watched():
            start = time.perf_counter()
            work()
            whole = time.perf_counter() - start
        jobs = self._new_jobs()
        return {
            WHOLE: whole,
            CALLS: float(len(self.calls)),
            IN_CALLS: sum(seconds for _, seconds in self.calls),
            RULES: self._rules() - rules,
            CODE: self._code() - code,
            JOBS: _covered(jobs),
            PYTHON: whole - _covered([*self._spans, *jobs]),
            **{name: self._seconds.get(name, 0.0) for name in OWN},
        }

    @contextmanager
    def _watched(self) -> Iterator[None]:
        to_jvm = type(self._spark.sparkContext._gateway._gateway_client)
        with ExitStack() as stack:
            sent = to_jvm.send_command

            @functools.wraps(sent)
            def send(client: Any, command: str, *rest: Any, **more: Any) -> Any:
                start = time.time()
                try:
                    return sent(client, command, *rest, **more)
                finally:
                    self._spans.append((start, time.time()))
                    self.calls.append((command, self._spans[-1][1] - start))

            stack.enter_context(patch.object(to_jvm, "send_command", send))
            for name, functions in OWN.items():
                for module, path in functions:
                    stack.enter_context(self._timed(name, module, path))
            yield

    @contextmanager
    def _timed(self, name: str, module: str, path: str) -> Iterator[None]:
        *owners, last = path.split(".")
        owner = functools.reduce(getattr, owners, importlib.import_module(module))
        function = getattr(owner, last)

        @functools.wraps(function)
        def timed(*given: Any, **named: Any) -> Any:
            start = time.perf_counter()
            try:
                return function(*given, **named)
            finally:
                self._seconds[name] = self._seconds.get(name, 0.0) + time.perf_counter() - start

        with patch.object(owner, last, timed):
            yield

    def _rules(self) -> float:
        metrics = self._jvm.org.apache.spark.sql.catalyst.rules.RuleExecutor.getCurrentMetrics()
        return float(metrics.time()) * _NANOSECONDS

    def _code(self) -> float:
        generator = self._jvm.org.apache.spark.sql.catalyst.expressions.codegen.CodeGenerator
        return float(generator.compileTime()) * _NANOSECONDS

    def _new_jobs(self) -> list[Span]:
        """When the jobs ran that were not known before."""
        # Spark tells its listeners a little later.
        time.sleep(0.3)
        jobs = self._spark._jsc.sc().statusStore().jobsList(None)
        spans = []
        for index in range(jobs.size()):
            job = jobs.apply(index)
            if job.jobId() not in self._known_jobs and job.completionTime().isDefined():
                self._known_jobs.add(job.jobId())
                edges = (at.get().getTime() * _MILLISECONDS for at in (job.submissionTime(), job.completionTime()))
                spans.append((next(edges), next(edges)))
        return spans


def _covered(spans: Iterable[Span]) -> float:
    """The length of the union of some spans."""
    total = reached = 0.0
    for start, end in sorted(spans):
        total += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return total
