"""Processes move sums between two tables, some are killed, and the total never changes.

python -m tests.faults.transfers --seconds 60 --processes 8
"""

from __future__ import annotations

import argparse
import importlib
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import deltasql
from deltasql.base.errors import ConcurrentModificationError
from deltasql.sql.parser import parse

from .group_histories import groups_are_whole

TABLES = ("checking", "savings")
ACCOUNTS, EACH = 6, 100
TOTAL = 2 * ACCOUNTS * EACH


def prepared(warehouse: str) -> None:
    """Two tables with the total, and a first transfer, for which all modules are loaded."""
    with deltasql.connect(warehouse) as session:
        for table in TABLES:
            session.sql(
                f"CREATE TABLE {table} (id INT, v INT) TBLPROPERTIES ('delta.feature.catalogManaged' = 'supported',"
                " 'delta.enableDeletionVectors' = 'true')"
            )
            session.sql(f"INSERT INTO {table} VALUES {', '.join(f'({number}, {EACH})' for number in range(ACCOUNTS))}")
        transfer(session, random.Random(0))
        assert total(session) == TOTAL


def transfer(session: deltasql.Session, chance: random.Random) -> None:
    """Moves a sum from an account of one table to one of the other."""
    source, target = chance.sample(TABLES, 2)
    amount, first, second = chance.randint(1, 20), chance.randrange(ACCOUNTS), chance.randrange(ACCOUNTS)
    session.sql(
        f"BEGIN ATOMIC UPDATE {source} SET v = v - {amount} WHERE id = {first};"
        f" UPDATE {target} SET v = v + {amount} WHERE id = {second}; END"
    )


def total(session: deltasql.Session) -> int:
    """The sum of both tables, as one transaction sees it."""
    session.sql("BEGIN TRANSACTION")
    rows = [row for table in TABLES for row in session.sql(f"SELECT v FROM {table}").collect()]
    session.sql("COMMIT")
    return sum(row[0] for row in rows)


def work(warehouse: str, file: Path, name: str, until: float) -> None:
    """Transfers and looks until it is time; each line says what was done."""
    chance = random.Random(name)
    with deltasql.connect(warehouse) as session, file.open("w", buffering=1) as lines:
        while time.monotonic() < until:
            try:
                if chance.random() < 0.3:
                    found = total(session)
                    lines.write("look\n" if found == TOTAL else f"wrong {found}\n")
                else:
                    transfer(session, chance)
                    lines.write("transfer\n")
            except ConcurrentModificationError:
                lines.write("lost\n")


def in_child(job: Callable[[], object]) -> int:
    """Starts a process for a job, and returns its id. The caller has no threads, and never opens a session itself."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        job()
        code = 0
    finally:
        os._exit(code)


def ended(*children: int) -> None:
    """Waits for processes. Raises ChildProcessError if one of them has failed."""
    failed = [child for child in children if os.waitpid(child, 0)[1]]
    if failed:
        raise ChildProcessError(f"{len(failed)} processes have failed")


def load_modules(root: Path, job: Callable[[], object]) -> None:
    """Imports what a job needs, which runs in another process, so that processes are forked from one that has it."""
    names = root / "modules"

    def run() -> None:
        job()
        found = [name for name in sys.modules if name.startswith(("deltasql.", "pyarrow.", "sqlglot.", "lark."))]
        names.write_text("\n".join(found))

    ended(in_child(run))
    parse("SELECT 1")
    for module in names.read_text().splitlines():
        importlib.import_module(module)


def run(root: Path, processes: int, seconds: float, every: float, seed: int) -> tuple[Counter[str], int, int]:
    """The number of runs of each operation, of killed processes, and of failed ones."""
    warehouse, chance, until = f"{root}/warehouse", random.Random(seed), time.monotonic() + seconds
    begun = killed = failed = 0
    running: list[int] = []

    def begin() -> None:
        nonlocal begun
        begun += 1
        name = f"p{begun}"
        running.append(in_child(lambda: work(warehouse, root / f"{name}.lines", f"{seed}-{name}", until)))

    for _ in range(processes):
        begin()
    while time.monotonic() + every < until:
        time.sleep(every * chance.uniform(0.5, 1.5))
        victim = running.pop(chance.randrange(len(running)))
        os.kill(victim, signal.SIGKILL)
        dead = os.waitstatus_to_exitcode(os.waitpid(victim, 0)[1])
        killed, failed = killed + (dead == -signal.SIGKILL), failed + (dead > 0)
        begin()
    failed += sum(os.waitpid(child, 0)[1] != 0 for child in running)
    lines = (line for file in root.glob("*.lines") for line in file.read_text().splitlines())
    return Counter(line.split()[0] for line in lines), killed, failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--kill-every", type=float, default=1, help="seconds from one kill to the next, about")
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        load_modules(root, lambda: prepared(f"{root}/warehouse"))
        done, killed, failed = run(root, given.processes, given.seconds, given.kill_every, given.seed)
        with deltasql.connect(f"{root}/warehouse") as session:
            left = total(session)
            versions = [session.log(table).snapshot().version for table in TABLES]
            torn = list(groups_are_whole(session, TABLES))
            staged = [len(session.log(table).store.list_folder("_delta_log/_staged_commits")) for table in TABLES]
    print(", ".join(f"{count} {what}" for what, count in sorted(done.items())))
    print(f"{killed} processes killed, {failed} failed; total {left} of {TOTAL}, versions {versions}, left {staged}")
    print("\n".join(torn))
    return 1 if left != TOTAL or failed or torn or done["wrong"] or len(set(versions)) > 1 else 0


if __name__ == "__main__":
    sys.exit(main())
