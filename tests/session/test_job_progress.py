"""What is told of Spark's jobs, by Spark."""

from __future__ import annotations

import time

import pytest

from deltasql import Progress, Session
from deltasql.base import progress

pytestmark = pytest.mark.spark


def test_jobs_are_told(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "REPORTED_AFTER", 0.0)
    monkeypatch.setattr(progress, "REPORTED_EVERY", 0.01)
    told: list[Progress] = []
    session.on_progress = told.append
    # The last look may come before the end of the first task: then the next job is looked at.
    until = time.monotonic() + 300
    while time.monotonic() < until and not any(item.tasks_done for item in told):
        assert session.sql("SELECT count(*) FROM range(0, 100000, 1, 4) WHERE id % 7 = 3").collect() == [(14286,)]
    session.on_progress = None
    seen = next(item for item in told if item.tasks_done)
    assert (seen.activity, seen.done) == ("Running", False)
    assert 0 < seen.tasks_done <= seen.tasks
    assert 0 <= seen.stages_done <= seen.stages
    assert told[-1].done
    count = len(told)
    assert session.sql("SELECT count(*) FROM range(5)").collect() == [(5,)]
    assert len(told) == count
