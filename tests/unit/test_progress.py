"""How work is told of while it goes on, and the line of the terminal that shows it."""

from __future__ import annotations

import io
import threading
import warnings

import pytest

from deltasql.base import progress as module
from deltasql.base.progress import Listener, Progress, Watch
from deltasql.files.rendering.progress import ProgressLine, number_text, progress_text, seconds_text, size_text


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "REPORTED_AFTER", 0.0)
    monkeypatch.setattr(module, "REPORTED_EVERY", 0.001)


class Ear:
    """A listener that can be waited for."""

    def __init__(self) -> None:
        self.heard: list[Progress] = []
        self.told = threading.Event()

    def __call__(self, progress: Progress) -> None:
        self.heard.append(progress)
        self.told.set()


def test_work_is_told_of_until_it_is_done() -> None:
    ear = Ear()
    watch = Watch(lambda: ear)
    with watch.over(lambda: Progress("Outer", tasks=2)):
        assert ear.told.wait(300)
        ear.told.clear()
        with watch.over(lambda: Progress("Inner")):
            while not any(item.activity == "Inner" for item in ear.heard):
                assert ear.told.wait(300)
                ear.told.clear()
        assert not any(item.done for item in ear.heard)
    assert ear.heard[0].activity == "Outer"
    assert ear.heard[-1].done
    count = len(ear.heard)
    with watch.over(lambda: Progress("Again")):
        while len(ear.heard) == count:
            assert ear.told.wait(300)
            ear.told.clear()
    assert (ear.heard[-1].activity, ear.heard[-1].done) == ("Again", True)


def test_nobody_listens() -> None:
    looked = []
    watch = Watch(lambda: None)
    with watch.over(lambda: looked.append(1) or Progress("x")):  # type: ignore[func-returns-value]
        assert not watch.has_listener
    assert not looked


def test_what_cannot_be_looked_at_is_not_told() -> None:
    ear, looked = Ear(), threading.Event()

    def look() -> Progress:
        looked.set()
        raise RuntimeError("gone")

    with Watch(lambda: ear).over(look):
        assert looked.wait(300)
    assert ear.heard == []


def test_a_listener_that_fails_is_told_of() -> None:
    called = threading.Event()

    def listener(progress: Progress) -> None:
        called.set()
        raise ValueError("no")

    given: Listener = listener
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        with Watch(lambda: given).over(lambda: Progress("x")):
            assert called.wait(300)
    assert "on_progress failed: ValueError: no" in str(seen[0].message)


FAR = Progress("Running", 75, 4, 1, 200, 50, 8, 1_234_567, 340_000_000)


def test_the_line() -> None:
    bar = "━━━━━╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌"
    text = f"Running {bar} 50 of 200 tasks, stage 2 of 4, 1.2 M rows read, 340 MB, 1 min 15 s"
    assert progress_text(FAR) == text
    assert progress_text(FAR, 60) == f"Running {bar} 50 of 200 tasks, 1 min 15 s"
    assert progress_text(FAR, plain=True).isascii()
    assert progress_text(Progress("Starting Spark", 3.9)) == "Starting Spark, 3 s"


def test_numbers() -> None:
    assert [number_text(item) for item in (0, 999, 1234, 56_789, 2e12, 5e15)] == [
        "0",
        "999",
        "1.2 K",
        "57 K",
        "2.0 T",
        "5000 T",
    ]
    assert [size_text(item) for item in (0, 1500, 2e7)] == ["0 B", "1.5 KB", "20 MB"]
    assert [seconds_text(item) for item in (0.5, 61)] == ["0 s", "1 min 1 s"]


def test_the_line_is_written_over_and_leaves_nothing() -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="")
    line = ProgressLine(out)
    line.clear()
    line(FAR)
    line(Progress("Running", done=True))
    line.clear()
    out.seek(0)
    text = out.read()
    assert text.startswith("\r⠙ Running ━")
    assert text.endswith("\x1b[K\r\x1b[K")
    assert text.count("\r") == 2
