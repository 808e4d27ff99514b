"""Parsing every statement of the goldens and the examples, warm. sqlglot parses the same ones for comparison."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from statistics import median

from benchmarks.bench import Bench, note
from benchmarks.figures import Figure
from benchmarks.statements import STATEMENTS
from benchmarks.workers import ROOT

REPEATS = 5
EVERY = 20
"""In a sample each so-many-eth statement is parsed, once."""


class Names(dict[str, str]):
    """A name for each placeholder of a statement: its own."""

    def __missing__(self, key: str) -> str:
        return key


def figures(bench: Bench) -> list[Figure]:
    """The median over statements of the fastest of a few parses each."""
    import sqlglot

    from deltasql.base.errors import DeltaSqlError
    from deltasql.sql.parser import parse

    repeats = bench.sizes.some(REPEATS)
    statements = corpus()[:: EVERY if bench.sizes.sample else 1]
    note(f"{len(statements)} statements")
    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)
    ours = _fastest(statements, parse, repeats, DeltaSqlError)
    # Of some pipes it raises what it does not mean to: that is a refusal, too.
    refusals = sqlglot.ParseError, AttributeError
    theirs = _fastest(statements, lambda text: sqlglot.parse_one(text, dialect="databricks"), repeats, *refusals)
    slowest = max(ours)
    return [
        Figure("parse a statement, median", "s", median(ours), median(theirs), "sqlglot", at_most=0.001),
        Figure("parse a statement, slowest", "s", slowest, max(theirs), "sqlglot"),
    ]


def corpus() -> list[str]:
    """The statements of all goldens and examples, and those of the benchmarks."""
    from deltasql.sql.parser import split

    files = [*ROOT.glob("tests/golden/**/*.sql"), *ROOT.glob("sql_examples/**/*.sql")]
    texts = [statement.text for file in sorted(files) for statement in split(file.read_text(encoding="utf-8"))]
    return texts + [text.format_map(Names()) for text in STATEMENTS.values()]


def _fastest(
    statements: list[str], parse: Callable[[str], object], repeats: int, *refusals: type[Exception]
) -> list[float]:
    """Seconds per statement; a statement that is refused took its time as well."""
    seconds = []
    for text in statements:
        runs = []
        for _ in range(repeats):
            start = time.perf_counter()
            with suppress(*refusals):
                parse(text)
            runs.append(time.perf_counter() - start)
        seconds.append(min(runs))
    return seconds
