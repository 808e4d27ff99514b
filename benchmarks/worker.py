"""One engine in a process of its own, told by lines of JSON what to run.

A request is {"work": name, "values": {…}}, its reply {"seconds": s, "peak": bytes, "parts": {…}} or {"error": text}.
The first line out is the reply to the start of the engine.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from benchmarks.engines.base import Engine


def main(name: str, folder: str) -> None:
    """Serves requests until stdin ends."""
    # A JVM and its loggers write to stdout as well: the replies get the pipe for themselves.
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    engines: list[Engine] = []
    _reply(replies, lambda: engines.append(_engine(name, Path(folder))))
    for line in sys.stdin:
        request = json.loads(line)
        _reply(replies, partial(engines[0].run, request["work"], request["values"]))


def _engine(name: str, folder: Path) -> Engine:
    match name:
        case "deltasql":
            from benchmarks.engines.ours import Ours

            return Ours(folder)
        case "executors":
            from benchmarks.engines.on_executors import OnExecutors

            return OnExecutors(folder)
        case "sail":
            from benchmarks.engines.on_sail import OnSail

            return OnSail(folder)
        case "delta-spark":
            from benchmarks.engines.delta_spark import DeltaSpark

            return DeltaSpark(folder)
        case "delta-rs":
            from benchmarks.engines.delta_rs import DeltaRs

            return DeltaRs(folder)
    raise ValueError(f"There is no engine {name!r}.")


def _reply(replies: TextIO, work: Callable[[], object]) -> None:
    print(json.dumps(_timed(work)), file=replies, flush=True)


def _timed(work: Callable[[], object]) -> Mapping[str, Any]:
    start = time.perf_counter()
    try:
        parts = work()
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}
    return {"seconds": time.perf_counter() - start, "peak": peak_memory(), "parts": parts or {}}


def peak_memory() -> int:
    """The most memory in bytes that this process has had resident."""
    status = Path("/proc/self/status")
    if status.exists():
        # ru_maxrss begins with what the parent had when it forked.
        lines = status.read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


if __name__ == "__main__":
    main(*sys.argv[1:])
