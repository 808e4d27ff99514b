"""The driver's side of worker processes: start, ask, stop."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


SAMPLED_EACH = 0.1


class WorkFailedError(Exception):
    """An engine could not do the work; the text is the engine's."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds that the work took, and the peak memory of the process in bytes since it began.

    `tree_peak` is that of the process and all that it has started, a JVM for one, during this work: sampled each
    SAMPLED_EACH seconds, pages that several of them share count for each.
    """

    seconds: float
    peak: int
    parts: Mapping[str, float] = field(default_factory=dict)
    """What the seconds consist of, for work that tells it."""
    tree_peak: int = 0


class Worker:
    """A process that runs one engine. Raises WorkFailedError when the engine cannot start."""

    def __init__(self, engine: str, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._log = (folder / "worker.log").open("w", encoding="utf-8")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.worker", engine, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            cwd=folder,
            env={"DELTASQL_MASTER": "local[2]", **os.environ, "PYTHONPATH": str(ROOT)},
        )
        self.engine = engine
        try:
            self.started = self._answer()
        except WorkFailedError:
            self.stop()
            raise

    def run(self, work: str, **values: str) -> Timing:
        """Has the work done once. Raises WorkFailedError."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            # A process that is gone gives no answer, which says so.
            self._process.stdin.write(json.dumps({"work": work, "values": values}) + "\n")
            self._process.stdin.flush()
        return self._answer()

    def stop(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()
        self._log.close()

    def _answer(self) -> Timing:
        assert self._process.stdout is not None
        with _sampled(self._process.pid) as peaks:
            line = self._process.stdout.readline()
        answer: dict[str, Any] = json.loads(line) if line else {"error": f"the process ended; see {self._log.name}"}
        if "error" in answer:
            raise WorkFailedError(f"{self.engine}: {answer['error']}")
        return Timing(answer["seconds"], answer["peak"], answer["parts"], max(peaks))

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()


@contextmanager
def _sampled(process: int) -> Iterator[list[int]]:
    """Collects the memory of a process and its descendants, in bytes, while the context is open."""
    ended, found = threading.Event(), [0]

    def sample() -> None:
        while not ended.wait(SAMPLED_EACH):
            found.append(_resident(process))

    thread = threading.Thread(target=sample, daemon=True)
    thread.start()
    try:
        yield found
    finally:
        ended.set()
        thread.join()


def _resident(process: int) -> int:
    """Resident bytes of a process and its descendants; 0 where the system has no /proc."""
    total = 0
    with suppress(OSError, ValueError):
        total = int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1]) * _PAGE
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):
            total += sum(_resident(int(child)) for child in task.read_text(encoding="ascii").split())
    return total


_PAGE = os.sysconf("SC_PAGE_SIZE")
