"""Counts the statements of golden files by what they give on Sail: python -m tests.sail.count [DIR [TEXT]].

With a TEXT only files whose path holds it, and what differs there. Files that expect no JVM need no engine, and do not
count.
"""

from __future__ import annotations

import sys
from collections import Counter

from deltasql.clients.golden.compare import Verdict, difference, verdicts
from deltasql.clients.golden.record import expects_no_jvm
from deltasql.clients.golden.suite import discover, run_file, temporary_sessions


def main(directory: str = "tests/golden", only: str = "") -> None:
    counts, files, whole = Counter[Verdict](), 0, 0
    for path in discover(directory, only):
        if expects_no_jvm(path):
            continue
        outcome = run_file(path, temporary_sessions(engine="sail"))
        found = verdicts(outcome.expected or "", outcome.actual)
        same = sum(verdict is Verdict.SAME for _, verdict in found)
        print(f"{same:4}/{len(found):<4} {path}", flush=True)
        for text, verdict in found:
            if verdict is not Verdict.SAME:
                print(f"     {verdict.name}: {_told(text)}")
        if only:
            print(difference(outcome.expected or "", outcome.actual))
        counts.update(verdict for _, verdict in found)
        files, whole = files + 1, whole + outcome.ok
    print(f"{counts[Verdict.SAME]} of {counts.total()} statements, {whole} of {files} files")
    for verdict in Verdict:
        print(f"{counts[verdict]:5} {verdict.value}")


def _told(text: str) -> str:
    """The error of a statement, or its beginning."""
    lines = text.splitlines()
    errors = [index for index, line in enumerate(lines) if line.startswith("-- error ")]
    return " ".join(lines[errors[0] : errors[0] + 2] if errors else lines[:3])[:220]


if __name__ == "__main__":
    main(*sys.argv[1:])
