"""The command: runs cases, prints their figures side by side with the targets. Nothing here fails for being slow."""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.bench import DELTA_RS, DELTA_SPARK, FULL, QUICK, Bench, note
from benchmarks.cases import CASES
from benchmarks.figures import Figure, table, write_json
from benchmarks.workers import WorkFailedError


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the chosen cases; 0 when they ran, whatever the figures are, 1 when an engine failed at its work."""
    options = _parser().parse_args(argv)
    sizes = QUICK if options.quick else FULL
    if options.scale is not None:
        sizes = replace(sizes, scale=options.scale)
    options.work.mkdir(parents=True, exist_ok=True)
    found: list[Figure] = []
    failed = False
    with (
        tempfile.TemporaryDirectory(dir=options.work, prefix="run-") as scratch,
        Bench(sizes, options.work, Path(scratch), options.without, shares=options.quick) as bench,
    ):
        for name in options.only or CASES:
            note(name)
            try:
                found += CASES[name](bench)
            except (WorkFailedError, OSError) as error:
                failed = True
                print(f"{name} failed: {error}", file=sys.stderr)
    print(table(found))
    if options.json:
        about = {"quick": options.quick, "machine": platform.platform(), "cores": os.cpu_count()}
        write_json(found, options.json, **about)
    return int(failed)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes: a few minutes in all")
    parser.add_argument("--only", action="append", choices=CASES, help="run this case; repeatable")
    parser.add_argument(
        "--without", action="append", default=[], choices=(DELTA_SPARK, DELTA_RS), help="leave out a peer"
    )
    parser.add_argument(
        "--scale", type=float, metavar="N", help="the scale of TPC-H's data: 1 is a gigabyte (each case has a default)"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures as JSON, too")
    parser.add_argument(
        "--work", type=Path, metavar="DIR", default=_default_work(), help="inputs and tables (%(default)s)"
    )
    return parser


def _default_work() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "deltasql-benchmarks"
