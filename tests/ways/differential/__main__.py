"""`python -m tests.ways.differential --minutes 10 --compute ENGINE --seed 7`: random scripts for so long.

Prints each seed whose script differs from what plain Spark gives, with the fewest statements that show it. The seed of
`--seed` is the first, and those after it follow; without it chance chooses one.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
import traceback

from deltasql.base.session_settings import DEFAULTS, FSYNC
from deltasql.log.storage.local_store import LocalLogStore
from tests.jvm_archive import HEAP, SHORT_RUNS

from .play import Setup, failure


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.ways.differential", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--compute", choices=("AUTO", "ENGINE"), default="AUTO")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--scripts", type=int, help="at most so many scripts")
    given = parser.parse_args()
    os.environ.setdefault("JDK_JAVA_OPTIONS", SHORT_RUNS)
    os.environ.setdefault("_JAVA_OPTIONS", HEAP)
    # No script outlives a crash of the machine.
    LocalLogStore.durable = False
    DEFAULTS[FSYNC.name] = "false"
    print(f"from seed {given.seed} on, {given.compute}", flush=True)
    end = time.monotonic() + given.minutes * 60
    scripts = statements = faults = 0
    while time.monotonic() < end and (given.scripts is None or scripts < given.scripts):
        setup = Setup(given.seed + scripts, given.compute)
        try:
            found, ran = failure(setup)
        except Exception:
            found, ran = f"{setup}: {traceback.format_exc()}", 0
        scripts, statements, faults = scripts + 1, statements + ran, faults + bool(found)
        if found:
            print(f"\n{found}", flush=True)
    print(f"{scripts} scripts, {statements} statements, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
