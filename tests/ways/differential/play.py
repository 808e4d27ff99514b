"""Scripts drawn while they run, statement by statement, and cut down to what a difference needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from unittest.mock import patch

from deltasql import connect
from deltasql.base.session_settings import COMPUTE

from .engines import Ours, PlainSpark, compared
from .kinds import LEAVES, Leaf
from .scripts import Drawing
from .world import Step, World

STATEMENTS = 25
_NONE_IS_SMALL = (
    ("deltasql.engines.choice.FEW_BYTES", 0),
    ("deltasql.files.reading.file_reader.PIECE_BYTES", 0),
    ("deltasql.files.reading.file_reader.PIECE_BYTES", 1),
    ("deltasql.files.writing.arrow_files.PIECE_BYTES", 1),
    ("deltasql.files.writing.arrow_files.FILE_BYTES", 2 << 10),
    ("deltasql.engines.local.rewrites._BATCH_BYTES", 1 << 10),
    ("deltasql.engines.local.sources._LEAST_ROWS", 1),
    ("deltasql.engines.spark.rewrites.rewrite.FEW_BYTES", 0),
    ("deltasql.engines.spark.rewrites.position_search.FEW_ROWS", 0),
    ("deltasql.engines.spark.rewrites.position_search.LARGE_PART", 100),
)
"""Limits under which a table of a few rows is changed as a large one.

Rows are searched, and the others copied; files are read and written piece by piece.
"""


@dataclass(frozen=True)
class Setup:
    """How a script is run, which its seed says: the least significant digits of it."""

    seed: int
    compute: str = "AUTO"

    @property
    def handed_in(self) -> bool:
        """Whether the Spark session is the caller's. Then this process computes no rows."""
        return self.seed % 3 == 2

    @property
    def as_large(self) -> bool:
        """Whether tables are changed as large ones are."""
        return self.seed % 2 == 1

    def __str__(self) -> str:
        session = "a session handed in" if self.handed_in else "a session of ours"
        size = "large" if self.as_large else "small"
        return f"seed {self.seed}, {self.compute}, {session}, tables are changed as {size} ones"


@dataclass(frozen=True)
class Played:
    """The statements up to the first that differs, and in what, or ""."""

    steps: Sequence[Step]
    found: str

    @property
    def script(self) -> str:
        return ";\n".join(step.sql for step in self.steps) + ";\n"


@contextmanager
def both(setup: Setup) -> Iterator[tuple[Ours, PlainSpark]]:
    """A session of ours, or one over a Spark session that is handed in, and the judge, in one JVM."""
    with TemporaryDirectory() as name, ExitStack() as stack:
        for limit, value in _NONE_IS_SMALL if setup.as_large else ():
            stack.enter_context(patch(limit, value))
        directory = Path(name)
        starter = connect(str(directory / "starter"))
        spark = starter.sql("SELECT 1").df.sparkSession
        session = connect(str(directory / "warehouse"), spark=spark.newSession() if setup.handed_in else None)
        session.sql(f"SET {COMPUTE.name} = {setup.compute}")
        judge = PlainSpark(spark.newSession(), directory / "plain")
        try:
            yield Ours(session), judge
        finally:
            session.close()
            starter.close()
            judge.close()


def play(setup: Setup, leaves: Sequence[Leaf] = LEAVES) -> Played:
    """Draws a script for tables of these types and runs it."""
    world, steps = World(), list[Step]()
    drawing = Drawing(Random(setup.seed), world, leaves)
    with both(setup) as (ours, judge):
        while len(steps) < STATEMENTS:
            for step in [drawing.next()] if steps else drawing.first():
                steps.append(step)
                found, succeeded = compared(ours, judge, step)
                if found:
                    return Played(steps, found)
                if succeeded:
                    world.take(step)
    return Played(steps, "")


def shrunk(setup: Setup, played: Played) -> Played:
    """The script without the statements that its difference does not need."""
    kind = played.found.partition("\n")[0]
    for index in reversed(range(len(played.steps) - 1)):
        fewer = [*played.steps[:index], *played.steps[index + 1 :]]
        again = _again(setup, fewer)
        if len(again.steps) == len(fewer) and again.found.startswith(kind):
            played = again
    return played


def _again(setup: Setup, steps: Sequence[Step]) -> Played:
    with both(setup) as (ours, judge):
        for index, step in enumerate(steps):
            found, _ = compared(ours, judge, step)
            if found:
                return Played(steps[: index + 1], found)
    return Played(steps, "")


def failure(setup: Setup) -> tuple[str, int]:
    """What differs in the script of a seed, with the statements that show it, or ""; and how many statements ran."""
    played = play(setup)
    if not played.found:
        return "", len(played.steps)
    print(f"{setup}: {played.found}\n", flush=True)
    least = shrunk(setup, played)
    fetched = " (fetched as Arrow)" if least.steps[-1].arrow else ""
    return f"{setup}: the last statement{fetched} differs in {least.found}\n\n{least.script}", len(played.steps)
