"""Writes what becomes of each statement into the files: `python -m tests.dialect.accept [NAME …]`.

Read each line that it changes: is it what somebody who pastes the statement expects?
"""

from __future__ import annotations

import os
import sys

from tests.dialect.script import files, read, run, written


def main(names: list[str]) -> None:
    """Runs the files whose names are given, or all; prints what is refused and what is told of it."""
    os.environ.setdefault("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
    for path in files():
        if not names or path.stem in names:
            outcomes = []
            for outcome in run(read(path)):
                outcomes.append(outcome)
                if outcome.defect or outcome.told != outcome.statement.expected:
                    defect = f" DEFECT, {outcome.defect}" * bool(outcome.defect)
                    print(f"{path.name}: {outcome.told}{defect}: {outcome.statement.text}\n    {outcome.message}")
            path.write_text(written(iter(outcomes)), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
