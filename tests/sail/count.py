"""Counts the statements of golden files that give the same on Sail: python -m tests.sail.count [DIR [TEXT]].

With a TEXT only files whose path holds it, and what differs there. Files that expect no JVM need no engine, and do not
count.
"""

from __future__ import annotations

import sys

from deltasql.golden.compare import difference
from deltasql.golden.script import expects_no_jvm
from deltasql.golden.suite import discover, run_file, temporary_sessions


def main(directory: str = "tests/golden", only: str = "") -> None:
    files = whole = statements = alike = 0
    for path in discover(directory, only):
        if expects_no_jvm(path):
            continue
        outcome = run_file(path, temporary_sessions(engine="sail"))
        expected, actual = (_blocks(text) for text in (outcome.expected or "", outcome.actual))
        same = sum(left == right for left, right in zip(expected, actual, strict=False))
        print(f"{same:4}/{len(expected):<4} {path}", flush=True)
        if only:
            print(difference(outcome.expected or "", outcome.actual))
        files, whole = files + 1, whole + outcome.ok
        statements, alike = statements + len(expected), alike + same
    print(f"{alike} of {statements} statements, {whole} of {files} files")


def _blocks(text: str) -> list[str]:
    return [block.rstrip() for block in f"\n{text}".split("\n-- statement")[1:]]


if __name__ == "__main__":
    main(*sys.argv[1:])
