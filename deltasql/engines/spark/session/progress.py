"""Progress and cancellation of the Spark jobs of a statement, which carry a separate job tag.

Ctrl-C cancels the jobs of the statement, and no others.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Any

from deltasql.base import AGAIN_AFTER, InterruptibleWork, Progress, cancel_with, settle
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


_PAUSE = 0.02
_QUIET_TWICE = 2
"""Spark reports a job a moment after it has begun, so it must look idle this often."""
_MOST_SECONDS = 3.0
_LEFT = "Cancelled, but some of Spark's tasks do not heed that: the next statement waits until they are done."
"""Such as a write of range() alone: tasks check for cancellation only when they read a file or a shuffle."""


@contextmanager
def stoppable(spark: SparkHandle) -> Iterator[None]:
    """Context: Ctrl-C cancels the jobs that the statement runs in this session, and waits for their tasks to be over.

    Starts Spark if it must.
    """
    cancel_with(id(spark), lambda: _work(spark), may_be_left=spark.is_in_process)
    try:
        yield
    except BaseException:
        # A task that still runs may write files into a directory that is being cleaned up.
        settle(id(spark))
        raise


def _work(spark: SparkHandle) -> InterruptibleWork:
    tag = f"deltasql-{os.getpid()}-{next(_NUMBERS)}"
    return _TaggedRemoteJobs(spark, tag) if spark.remote else _TaggedJobs(spark, tag)


class _TaggedJobs:
    """The jobs that this thread starts in a Spark with its own JVM. Implements `InterruptibleWork`."""

    def __init__(self, spark: SparkHandle, tag: str) -> None:
        self._context, self._tag = spark.session.sparkContext, tag
        self._context.addJobTag(tag)
        if spark.is_ours:
            # A task that waits would go on for as long; on clusters the interrupt may harm a client of HDFS.
            self._context.setInterruptOnCancel(True)
        self._stages: set[int] = set()

    @cached_property
    def _status(self) -> Any:
        return self._context.statusTracker()

    @cached_property
    def _tracker(self) -> Any:
        """The JVM's status tracker: PySpark's has job groups, but no tags."""
        return self._context._jsc.sc().statusTracker()

    def cancel(self) -> None:
        self._stages.update(self._status.getActiveStageIds())
        self._context.cancelJobsWithTag(self._tag)

    def settle(self) -> str:
        """Waits until no task of the jobs runs, since a cancelled job ends before its tasks do.

        Returns a message if some still run after _MOST_SECONDS, else "".
        """
        deadline = time.monotonic() + _MOST_SECONDS
        quiet = 0
        while quiet < _QUIET_TWICE:
            # A thread of Spark's may have begun a job since: adaptive execution has several.
            self.cancel()
            quiet = 0 if self._goes_on() else quiet + 1
            if time.monotonic() > deadline:
                return _LEFT
            time.sleep(_PAUSE)
        return ""

    def _goes_on(self) -> bool:
        """Whether jobs of the statement, or tasks of its cancelled stages, still run."""
        if {*self._tracker.getJobIdsForTag(self._tag)} & {*self._status.getActiveJobsIds()}:
            return True
        stopped = self._stages - {*self._status.getActiveStageIds()}
        infos = (self._status.getStageInfo(stage) for stage in stopped)
        return any(info is not None and info.numActiveTasks > 0 for info in infos)

    def end(self) -> None:
        self._context.removeJobTag(self._tag)


class _TaggedRemoteJobs:
    """The operations that this thread runs on a Spark Connect server. Implements `InterruptibleWork`."""

    def __init__(self, spark: SparkHandle, tag: str) -> None:
        self._session, self._tag = spark.session, tag
        self._session.addTag(tag)
        self._asking: threading.Thread | None = None

    def cancel(self) -> None:
        """Interrupts the operations from another thread, as a busy server (Sail in a large join) may not answer."""
        if self._asking is None or not self._asking.is_alive():
            self._asking = threading.Thread(target=self._interrupt, name="deltasql-interrupt", daemon=True)
            self._asking.start()
        self._asking.join(AGAIN_AFTER)

    def _interrupt(self) -> None:
        # A failed request is retried.
        with suppress(Exception):
            self._session.interruptTag(self._tag)

    def settle(self) -> str:
        """Nothing to wait for: an operation that has ended for the client has ended on the server."""
        return ""

    def end(self) -> None:
        self._session.removeTag(self._tag)
