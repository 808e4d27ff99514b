"""Tables with one thing in them that is not as it should be, and what statements make of them.

`python -m tests.faults.hostile_tables --cases 20000 --seed 1` makes as many tables, each a copy of a whole one in which
a field of an action, a checkpoint, a deletion vector, an aid or the catalog was changed. Each statement must give an
answer or a DeltaSqlError in time and without much memory, must leave alone what lies outside of the table, and must not
end the process.
"""

from __future__ import annotations

import argparse
import json
import random
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .hostile_mutations import mutated
from .hostile_templates import TEMPLATES, make_table

SECONDS, MEBIBYTES = 10, 1024
"""Limits of a statement: of its processor time, and of the memory of its process."""
_ROOT = Path(__file__).parents[2]
STATEMENTS = (
    "SELECT count(*) FROM {t}",
    "SELECT a, b FROM {t} WHERE a > 1 ORDER BY a",
    "SELECT a FROM {t} VERSION AS OF 2 WHERE a > 0",
    "SELECT min(a), max(a) FROM {t}",
    "DESCRIBE DETAIL {t}",
    "DESCRIBE HISTORY {t}",
    "DESCRIBE TABLE EXTENDED {t}",
    "SHOW TBLPROPERTIES {t}",
    "SHOW CREATE TABLE {t}",
    "INSERT INTO {t} (a, b, p) VALUES (100, 'new', 'x')",
    "DELETE FROM {t} WHERE a = 3",
    "UPDATE {t} SET b = 'u' WHERE a = 2",
    "MERGE INTO {t} AS t USING (SELECT 1 AS k) AS s ON t.a = s.k WHEN MATCHED THEN UPDATE SET b = 'm'",
    "ALTER TABLE {t} SET TBLPROPERTIES ('k' = 'v')",
    "ALTER TABLE {t} ADD COLUMN z INT",
    "ALTER TABLE {t} CLUSTER BY NONE",
    "CREATE TABLE delta.`{c}` SHALLOW CLONE {t}",
    "SELECT count(*) FROM delta.`{c}`",
    "RESTORE TABLE {t} TO VERSION AS OF 1",
    "VACUUM {t} RETAIN 0 HOURS DRY RUN",
    "OPTIMIZE {t}",
    "REORG TABLE {t} APPLY (PURGE)",
    "DELETE FROM {t}",
    "VACUUM {t} RETAIN 0 HOURS",
)
_READS = 4
"""So many of the first statements read rows, and have the same answer before any other."""
# Damaged tables need not outlive anything: a disk in memory serves.
_MEMORY = Path("/dev/shm")


class Worker:
    """The process that runs the statements; another takes its place where it ends or does not answer."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def run(self, case: Path, table: str, statements: Sequence[str]) -> tuple[list[list[Any]], int]:
        """The outcome of each statement, and the MiB that the process has needed at most."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.faults.hostile_worker"], cwd=_ROOT, stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0,
            )  # fmt: skip
        process = self._process
        assert process.stdin is not None
        process.stdin.write(json.dumps([str(case), table, statements]).encode() + b"\n")
        begun = "connect"
        # A busy machine leaves little of a processor: what is measured is in the answer.
        deadline = time.monotonic() + 30 * SECONDS
        while True:
            answer = self._line(process, deadline)
            if answer is None or "found" in answer:
                break
            begun, deadline = answer["begun"], time.monotonic() + 30 * SECONDS
        if answer is None:
            died = process.poll()
            self.close()
            kind = "hangs" if died is None else "ends the process"
            return [[begun, kind, str(died), 0.0]], 0
        if answer["mebibytes"] > MEBIBYTES:
            self.close()
        return answer["found"], answer["mebibytes"]

    @staticmethod
    def _line(process: subprocess.Popen[bytes], deadline: float) -> Any:
        assert process.stdout is not None
        if not select.select([process.stdout], [], [], max(0.0, deadline - time.monotonic()))[0]:
            return None
        line = process.stdout.readline()
        if not line:
            process.wait()
            return None
        return json.loads(line)

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    pipe.close()
            self._process = None


@dataclass
class Report:
    """Numbers of outcomes, and each fault with the case that shows it."""

    cases: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    conditions: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        numbers = ", ".join(f"{kind} {count}" for kind, count in sorted(self.outcomes.items()))
        return f"{self.cases} cases: {numbers}; {len(self.faults)} faults"


class Hunt:
    """Makes cases, and has a worker run the statements on each."""

    def __init__(self, folder: Path, share: float = 0.35) -> None:
        self._share, self._folder, self._case = share, folder, folder / "case"
        self._worker = Worker()
        self._right: dict[str, dict[str, str]] = {}
        self.report = Report()
        for template in TEMPLATES:
            # The catalog has the place of its table, which is that of a case.
            shutil.rmtree(self._case, ignore_errors=True)
            make_table(self._case, template)
            self._case.rename(folder / template)
            self._renewed(template)
            found, _ = self._worker.run(self._case, "t", STATEMENTS[:_READS])
            self._right[template] = {statement: detail for statement, kind, detail, _ in found if kind == "answer"}

    def _renewed(self, template: str) -> Path:
        """A new copy of a whole table in the folder of the case."""
        shutil.rmtree(self._case, ignore_errors=True)
        shutil.copytree(self._folder / template, self._case)
        return next((self._case / "warehouse").rglob("_delta_log")).parent

    def run(self, seed: str) -> list[str]:
        """The faults of one case."""
        chance = random.Random(seed)
        template = chance.choice(list(TEMPLATES))
        table = self._renewed(template)
        mutation, in_catalog = mutated(table, chance)
        by_name = in_catalog or chance.random() < 0.1
        # Some of them, in their order: what one leaves is what the next one reads.
        chosen = [statement for statement in STATEMENTS if chance.random() < self._share]
        found, peak = self._worker.run(self._case, "t" if by_name else f"delta.`{table}`", chosen)
        right = self._right[template] if mutation.same_rows else {}
        faults = [fault for outcome in found if (fault := self._fault(outcome, right))]
        if peak > MEBIBYTES:
            faults.append(f"takes {peak} MiB")
        if [(path.name, path.read_text()) for path in (self._case / "outside").iterdir()] != [("canary", "canary")]:
            faults.append("touches what lies outside")
        self.report.cases += 1
        self.report.faults += [f"{fault} | {seed} {template} {mutation.what}" for fault in faults]
        return self.report.faults[len(self.report.faults) - len(faults) :]

    def _fault(self, outcome: list[Any], right: Mapping[str, str]) -> str | None:
        statement, kind, detail, seconds = outcome
        self.report.outcomes[kind] += 1
        if kind == "error":
            self.report.conditions[detail] += 1
        if kind not in ("answer", "error", "engine"):
            return f"{kind}: {detail} | {statement}"
        if seconds > SECONDS:
            return f"takes {seconds:.0f} s | {statement}"
        if kind == "answer" and right.get(statement, detail) != detail:
            return f"answers {detail}, not {right[statement]} | {statement}"
        return None

    def close(self) -> None:
        self._worker.close()


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--cases", type=int, default=20000)
    options.add_argument("--seed", default="1")
    options.add_argument("--seconds", type=float, default=float("inf"))
    given = options.parse_args()
    end = time.monotonic() + given.seconds
    with tempfile.TemporaryDirectory(dir=_MEMORY if _MEMORY.is_dir() else None) as folder:
        hunt = Hunt(Path(folder))
        for number in range(given.cases):
            if time.monotonic() > end:
                break
            for fault in hunt.run(f"{given.seed}/{number}"):
                print(fault.encode("utf-8", "backslashreplace").decode(), flush=True)
            if number % 100 == 99:
                print(hunt.report, file=sys.stderr, flush=True)
        hunt.close()
        print(hunt.report)
        print(hunt.report.conditions.most_common())
        return 1 if hunt.report.faults else 0


if __name__ == "__main__":
    sys.exit(main())
