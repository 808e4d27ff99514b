"""Writes the outcome of each refusal into its table: python -m tests.refusals --accept [FAMILY …]"""

from __future__ import annotations

import argparse

from tests.refusals.table import FOLDER, read, run

parser = argparse.ArgumentParser(prog="python -m tests.refusals", description=__doc__)
parser.add_argument("--accept", action="store_true", required=True)
parser.add_argument("family", nargs="*")
for path in sorted(FOLDER.glob("*.txt")):
    if not (wanted := parser.parse_args().family) or path.stem in wanted:
        path.write_text("\n".join(run(section) for section in read(path)), encoding="utf-8")
