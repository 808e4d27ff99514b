"""Cuts the power at every point of a statement, and looks what is left: `python -m tests.faults.crash_points`.

A statement runs under strace, which tells all that it does to the disk. From that come the states that a power cut may
leave at each point (`disk.py`). Of each the table is opened: what was acknowledged must be there, the statement in
flight wholly or not at all, delta-rs must read the same, and the next statement must work. The catalog's file is
left out: SQLite guards it, and its last names may be lost by intent, since tables are found by their folders.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder

import deltasql
from deltasql.base.session_settings import FSYNC
from deltasql.log.storage.local_store import LocalLogStore

from . import strace_log
from .crash_scenarios import SCENARIOS, Scenario, content
from .disk import Disk, Mark, Operation, State, Sync, loaded, states, stored

_ROOT = Path(__file__).parents[2]
# What survives is computed and not tried: a disk in memory serves, and syncs at once.
_MEMORY = Path("/dev/shm")
Content = tuple[int, list[str] | None]


@dataclass(frozen=True)
class Recording:
    """A statement's run. `told` is the content before the first unit and after each."""

    scenario: Scenario
    root: Path
    begin: Disk
    events: Sequence[Operation | Sync | Mark]
    told: Sequence[Content]

    def states(self, seed: int) -> Iterator[State]:
        return states(self.begin, self.events, random.Random(seed))

    def session(self) -> deltasql.Session:
        return deltasql.connect(str(self.root.with_name("warehouse")), engine="sail")


@contextmanager
def recorded(name: str) -> Iterator[Recording]:
    """Runs a scenario under strace, with the settings that users have."""
    with tempfile.TemporaryDirectory(dir=_MEMORY if _MEMORY.is_dir() else None) as folder:
        root, warehouse, marks, trace = (Path(folder, part) for part in ("root", "warehouse", "marks", "trace"))
        root.mkdir()
        environment = {**os.environ, "PYTHONPATH": str(_ROOT)}
        command = [sys.executable, "-m", "tests.faults.crash_scenarios", name, str(root), str(warehouse), str(marks)]
        strace_log.record(command, trace, environment, _ROOT)
        begin, events = strace_log.read(trace, root, marks)
        assert_same(begin, events, root)
        told = [tuple(item) for item in json.loads(marks.with_suffix(".rows").read_text())]
        yield Recording(SCENARIOS[name], root, begin, events, told)


def assert_same(begin: Disk, events: Sequence[Operation | Sync | Mark], root: Path) -> None:
    """With nothing lost the model has the very files that are there."""
    disk = begin.copy()
    for event in events:
        if not isinstance(event, Sync | Mark):
            disk.apply(event)
    assert disk.tree() == loaded(root).tree()


def check(recording: Recording, state: State) -> str | None:
    """Makes the state in the folder of the recording; what is wrong with it."""
    shutil.rmtree(recording.root)
    recording.root.mkdir()
    stored(state.tree, recording.root)
    try:
        # The names of its catalog are not used: what is in the folder counts.
        with recording.session() as session:
            session.settings.set(FSYNC.name, "false")
            return _checked(session, recording, state)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _checked(session: deltasql.Session, recording: Recording, state: State) -> str | None:
    root, target = str(recording.root), recording.scenario.target
    found = content(session, root, target)
    before, *after = recording.told[state.done : state.done + 2]
    wanted = [before, *after]
    if found[1] not in [item[1] for item in wanted] or not before[0] <= found[0] <= wanted[-1][0]:
        return f"found {found}, expected one of {wanted}"
    if found[1] is not None and (theirs := _delta_rs(f"{root}/{target}")) != found[1]:
        return f"delta-rs reads {theirs}, and we {found[1]}"
    if found[1] is None:
        for text in recording.scenario.units[state.done]:
            session.sql(text.replace("{root}", root)).collect()
        expected = after[0][1] or []
    else:
        expected = found[1]
    session.sql(f"INSERT INTO delta.`{root}/{target}` VALUES (99, 'next')").collect()
    expected = sorted([*expected, "[99, 'next']"])
    with recording.session() as later:
        if (last := content(later, root, target)[1]) != expected:
            return f"after the next statement {last}, expected {expected}"
    theirs = _delta_rs(f"{root}/{target}")
    return None if theirs == expected else f"delta-rs reads {theirs} after the next statement, expected {expected}"


def _delta_rs(path: str) -> list[str]:
    """By its query engine, which knows deletion vectors and files elsewhere."""
    found = QueryBuilder().register("t", DeltaTable(path)).execute("SELECT id, name FROM t").read_all()
    return sorted(str([row["id"], row["name"]]) for row in pa.table(found).to_pylist())


def played(name: str, seed: int, most: int | None) -> tuple[int, int, list[str]]:
    """The number of states of a scenario, of those that were checked, and what was wrong."""
    with recorded(name) as recording:
        found = list(recording.states(seed))
        chosen = found if most is None or most >= len(found) else random.Random(seed).sample(found, most)
        faults = [f"{name}, {state.told}: {wrong}" for state in chosen if (wrong := check(recording, state))]
    return len(found), len(chosen), faults


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", choices=SCENARIOS, default=list(SCENARIOS))
    parser.add_argument("--states", type=int, help="check at most so many of each statement, chosen by the seed")
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    # What checks need not last; the recorded statements run in processes of their own.
    LocalLogStore.durable = False
    total, wrong = 0, 0
    for name in given.only:
        begin = time.monotonic()
        count, checked, faults = played(name, given.seed, given.states)
        print(
            f"{name:16} {count:6} states, {checked:6} checked, {len(faults):4} wrong, {time.monotonic() - begin:5.0f} s"
        )
        for fault in faults[:5]:
            print(f"    {fault}")
        sys.stdout.flush()
        total, wrong = total + checked, wrong + len(faults)
    print(f"{total} states, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
