"""How far Spark is with the jobs of a statement, which carry a tag of their own for this."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any

from deltasql.base.progress import Progress
from deltasql.engines.spark.session.spark import SparkHandle

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_NUMBERS = count(1)
RUNNING = "Running"
_RUNS, _PENDING = "RUNNING", "PENDING"


@contextmanager
def watched(spark: SparkHandle) -> Iterator[None]:
    """Context: who listens to the session hears how far the jobs are that are run in it by this thread.

    Starts Spark if it must, where there is a listener.
    """
    if not spark.watch.has_listener:
        yield
        return
    jobs: _Jobs | _RemoteJobs = _RemoteJobs(spark.session) if spark.remote else _Jobs(spark.session)
    try:
        with spark.watch.over(jobs.look):
            yield
    finally:
        jobs.end()


class _Jobs:
    """The jobs of this process that carry the tag."""

    def __init__(self, session: SparkSession) -> None:
        self._context: Any = session.sparkContext
        self._tag = f"deltasql-progress-{os.getpid()}-{next(_NUMBERS)}"
        self._context.addJobTag(self._tag)
        spark = self._context._jsc.sc()
        # Of rows and bytes PySpark's own tracker knows nothing.
        self._tracker, self._store = spark.statusTracker(), spark.statusStore()
        self._ended: dict[int, Progress] = {}

    def look(self) -> Progress:
        """Sums over the jobs so far."""
        jobs = [self._job(number) for number in self._tracker.getJobIdsForTag(self._tag)]
        return Progress(
            RUNNING,
            stages=sum(job.stages for job in jobs),
            stages_done=sum(job.stages_done for job in jobs),
            tasks=sum(job.tasks for job in jobs),
            tasks_done=sum(job.tasks_done for job in jobs),
            tasks_running=sum(job.tasks_running for job in jobs),
            rows=sum(job.rows for job in jobs),
            size=sum(job.size for job in jobs),
        )

    def _job(self, number: int) -> Progress:
        if number in self._ended:
            return self._ended[number]
        job = self._store.job(number)
        goes_on = job.status().toString() in {_RUNS, "UNKNOWN"}
        skipped = job.numSkippedStages()
        stages = [*self._context._jvm.scala.jdk.javaapi.CollectionConverters.asJava(job.stageIds())]
        rows, size = self._read(stages)
        seen = Progress(
            RUNNING,
            stages=max(len(stages) - skipped, 0),
            stages_done=job.numCompletedStages(),
            tasks=job.numTasks() - job.numSkippedTasks(),
            tasks_done=job.numCompletedTasks(),
            tasks_running=job.numActiveTasks(),
            rows=rows,
            size=size,
        )
        if not goes_on:
            self._ended[number] = seen
        return seen

    def _read(self, stages: list[int]) -> tuple[int, int]:
        """Rows and bytes that the stages have read from files."""
        rows = size = 0
        for number in stages:
            info = self._tracker.getStageInfo(number)
            if info.isDefined():
                data = self._store.lastStageAttempt(number)
                if data.status().toString() != _PENDING:
                    rows, size = rows + data.inputRecords(), size + data.inputBytes()
        return rows, size

    def end(self) -> None:
        self._context.removeJobTag(self._tag)


class _RemoteJobs:
    """The operations of a session of Spark Connect, whose server reports their progress."""

    def __init__(self, session: SparkSession) -> None:
        self._session: Any = session
        self._seen = Progress(RUNNING)
        self._session.registerProgressHandler(self._hear)

    def _hear(self, stages: Any, inflight_tasks: int, operation_id: str | None, done: bool) -> None:
        """The handler's words are PySpark's."""
        self._seen = Progress(
            RUNNING,
            stages=len(stages or ()),
            stages_done=sum(bool(stage.done) for stage in stages or ()),
            tasks=sum(stage.num_tasks for stage in stages or ()),
            tasks_done=sum(stage.num_completed_tasks for stage in stages or ()),
            tasks_running=inflight_tasks,
            size=sum(stage.num_bytes_read for stage in stages or ()),
        )

    def look(self) -> Progress:
        """The progress that the server reported last."""
        return self._seen

    def end(self) -> None:
        self._session.removeProgressHandler(self._hear)
