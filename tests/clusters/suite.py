"""The golden suite and the row tests on servers: python -m tests.clusters.suite [standalone|connect] [PATH …].

Without a kind of server both run, one after the other; without a path tests/golden and the row tests of tests/session.
Executors have no Python, and do not see the disk of the driver, which moves the rows (deltasql.io.mode = DRIVER). What
`expectations` lists runs on a second server, which has both. A PATH is a folder or file of golden files, or of tests
for pytest; the ending of golden files may be left out, as in `tests/golden/merge/except`. With `--shared` all of it
runs on servers that see our disk, whose executors move the files. `--at ADDRESS` takes a server that runs already: one
that does not see TMPDIR, or with `--shared` one that does.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.clusters.expectations import NEEDS_OUR_DISK, NOT_FOR_CLUSTERS, ROW_TESTS, alike, may_need_our_disk, refusal
from tests.clusters.servers import cluster, connect_server, why_no_java, why_no_namespace

if TYPE_CHECKING:
    from deltasql.clients.golden.suite import GoldenOutcome

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden"
KINDS = ("standalone", "connect")
STARTS_NO_SPARK = "the file starts no Spark anywhere"


@dataclass
class Tally:
    """What became of statements. `differing` has the files with a real difference."""

    counts: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    differing: list[str] = field(default_factory=list)

    def add(self, name: str, outcome: GoldenOutcome) -> str:
        """Counts the statements of a file; gives what differs, as text."""
        from deltasql.clients.golden.compare import changes

        told = []
        found = list(changes(outcome.expected or "", outcome.actual))
        for change in found:
            before, after = _block(outcome.expected or "", change.before), _block(outcome.actual, change.after)
            if reason := alike(name, before, after):
                self.counts["otherwise"] += 1
                self.reasons[reason] += 1
            elif condition := refusal(after):
                self.counts["refused"] += 1
                self.reasons[f"refused as {condition}"] += 1
            else:
                self.counts["different"] += 1
                told.append(f"@@ {change.heading}\n{change.diff}")
        told += outcome.defects
        self.counts["ran"] += outcome.statements
        self.counts["same"] += outcome.statements - len(found)
        self.counts["files"] += 1
        if told:
            self.differing.append(name)
        return "\n".join(told)

    def leave_out(self, reason: str) -> None:
        self.counts["not for clusters"] += 1
        self.reasons[reason] += 1

    def __str__(self) -> str:
        n = self.counts
        line = (
            f"ran {n['ran']} statements of {n['files']} files, same {n['same']}, "
            f"same but for what clusters do otherwise {n['otherwise']}, refused by name {n['refused']}, "
            f"different {n['different']}, files not for clusters {n['not for clusters']}"
        )
        reasons = (f"    {number:4} because {reason}" for reason, number in sorted(self.reasons.items()))
        return "\n".join([line, *reasons])


def _block(text: str, line: int) -> str:
    """The text of the statement that begins at a line, from 1; "" for line 0."""
    from deltasql.clients.golden.compare import SCHEDULE, TITLE

    if not line:
        return ""
    first, *rest = text.splitlines()[line - 1 :]
    end = next((place for place, other in enumerate(rest) if other.startswith((TITLE, SCHEDULE))), len(rest))
    return "\n".join([first, *rest[:end]]).rstrip("\n")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.clusters.suite", description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", metavar="standalone | connect | PATH")
    parser.add_argument("--shared", action="store_true", help="on servers that see our disk")
    parser.add_argument("--at", metavar="ADDRESS", help="a server that runs already")
    options = parser.parse_args()
    kinds = [word for word in options.words if word in KINDS]
    paths = [word for word in options.words if word not in KINDS]
    if reason := why_no_java() or ("" if options.shared else why_no_namespace()):
        print(f"no server: {reason}", file=sys.stderr)
        return 2
    if len(kinds) != 1:
        # PySpark speaks either to a JVM or to Spark Connect, once and for all in a process.
        command = [sys.executable, "-m", "tests.clusters.suite", *(["--shared"] if options.shared else [])]
        return max([subprocess.call([*command, kind, *paths], cwd=ROOT) for kind in kinds or KINDS])
    return _run(kinds[0], paths or ["tests/golden", *ROW_TESTS], shared=options.shared, address=options.at)


def _run(kind: str, paths: Sequence[str], *, shared: bool, address: str | None) -> int:
    tests = [path for path in paths if not _is_golden(path)]
    files = list(_golden_files([path for path in paths if path not in tests]))
    together = files if shared else [path for path in files if _name(path) in NEEDS_OUR_DISK]
    apart = [path for path in files if path not in together]
    tests_apart = [] if shared else tests
    tests_together = [path for path in tests if shared or may_need_our_disk(path)]
    tally, code = Tally(), 0
    with tempfile.TemporaryDirectory(prefix="deltasql-servers-") as folder:
        place = Path(folder)
        disk = Path(os.environ["TMPDIR"] if address else place / "disk")
        disk.mkdir(exist_ok=True)
        # Whatever this process makes from now on, a server with a disk of its own does not see.
        tempfile.tempdir = os.environ["TMPDIR"] = str(disk)
        if apart or tests_apart:
            with nullcontext(address) if address else _server(kind, place / "apart", disk) as at:
                _run_golden(apart, at, "DRIVER", tally)
                code = _run_tests(tests_apart, at, "DRIVER", "apart")
        if together or tests_together:
            with nullcontext(address) if address and shared else _server(kind, place / "shared") as at:
                _run_golden(together, at, "EXECUTORS", tally)
                code = max(code, _run_tests(tests_together, at, "EXECUTORS", "all" if shared else "shared"))
    print(f"{kind}: {tally}", flush=True)
    for name in tally.differing:
        print(f"    different: {name}")
    return code or int(bool(tally.differing))


def _server(kind: str, place: Path, hidden: Path | None = None) -> AbstractContextManager[str]:
    """A server, whose executors find no Python where they have a disk of their own."""
    python = sys.executable if hidden is None else "no-python"
    # Executors of a cluster are told by the driver.
    os.environ["PYSPARK_PYTHON"] = python
    return connect_server(place, hidden, python) if kind == "connect" else cluster(place, hidden)


def _is_golden(path: str) -> bool:
    place = Path(path.partition("::")[0]).resolve()
    return place.suffix != ".py" and not {"session", "ways"} & set(place.parts)


def _golden_files(paths: Sequence[str]) -> Iterator[Path]:
    from deltasql.clients.golden.suite import discover

    for path in paths:
        given = Path(path)
        yield from discover(given if given.is_dir() else given.with_suffix(".sql"))


def _name(path: Path) -> str:
    with_folder = path.resolve().with_suffix("")
    return with_folder.relative_to(GOLDEN).as_posix() if GOLDEN in with_folder.parents else str(with_folder)


def _run_golden(files: Sequence[Path], address: str, mode: str, tally: Tally) -> None:
    from deltasql.clients.golden.record import expects_no_jvm
    from deltasql.clients.golden.suite import run_file, temporary_sessions

    with _spark_at(address, mode) as spark:
        for path in files:
            name = _name(path)
            reason = STARTS_NO_SPARK if expects_no_jvm(path) else NOT_FOR_CLUSTERS.get(name)
            if reason is not None:
                tally.leave_out(reason)
                continue
            outcome = run_file(path, temporary_sessions(spark))
            told = tally.add(name, outcome)
            print(f"{'DIFFERENT' if told else 'same':9} {outcome.seconds:5.1f} s  {name}", flush=True)
            if told:
                print(told, flush=True)


@contextmanager
def _spark_at(address: str, mode: str) -> Iterator[str | None]:
    """The `spark` of `connect` for sessions at an address whose files are moved in a mode; their Spark is stopped."""
    from deltasql.base.session_settings import DEFAULTS, IO_MODE

    DEFAULTS[IO_MODE.name] = mode
    remote = address if address.startswith("sc://") else None
    os.environ["DELTASQL_MASTER"] = "local[2]" if remote else address
    try:
        yield remote
    finally:
        stop_spark()


def stop_spark() -> None:
    """Ends this process's sessions, while their servers are there to hear it."""
    from pyspark.sql import SparkSession

    from deltasql.engines.spark.session.local import _USUAL

    for session in (*_USUAL, *filter(None, [SparkSession.getActiveSession()])):
        session.stop()


def _run_tests(paths: Sequence[str], address: str, mode: str, part: str) -> int:
    """Runs tests of pytest, all of whose sessions are at the address; 0 when all that ran passed. See `elsewhere`."""
    if not paths:
        return 0
    folder = f"--basetemp={tempfile.gettempdir()}/tests-{part}"
    command = [sys.executable, "-m", "pytest", "-q", "-m", "spark", "-p", "tests.clusters.elsewhere", folder, *paths]
    told = {"DELTASQL_TESTS_AT": address, "DELTASQL_TESTS_MODE": mode, "DELTASQL_TESTS_PART": part}
    code = subprocess.call(command, cwd=ROOT, env={**os.environ, **told})
    return 0 if code == pytest.ExitCode.NO_TESTS_COLLECTED else code


if __name__ == "__main__":
    sys.exit(main())
