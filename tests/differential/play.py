"""Scripts drawn while they run, statement by statement, and cut down to what a difference needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from deltasql import connect

from .engines import Ours, PlainSpark, compared
from .kinds import LEAVES, Leaf
from .scripts import Drawing, Step, World

STATEMENTS = 25


@dataclass(frozen=True)
class Played:
    """The statements up to the first that differs, and in what, or ""."""

    steps: Sequence[Step]
    found: str

    @property
    def script(self) -> str:
        return ";\n".join(step.sql for step in self.steps) + ";\n"


@contextmanager
def both(handed_in: bool) -> Iterator[tuple[Ours, PlainSpark]]:
    """A session of ours, or one over a Spark session that is handed in, and the judge, in one JVM."""
    with TemporaryDirectory() as name:
        directory = Path(name)
        starter = connect(str(directory / "starter"))
        spark = starter.sql("SELECT 1").df.sparkSession
        session = connect(str(directory / "warehouse"), spark=spark.newSession() if handed_in else None)
        judge = PlainSpark(spark.newSession(), directory / "plain")
        try:
            yield Ours(session), judge
        finally:
            session.close()
            starter.close()
            judge.close()


def play(seed: int, leaves: Sequence[Leaf] = LEAVES) -> Played:
    """Draws a script for tables of these types and runs it. Every third seed hands a Spark session in."""
    world, steps = World(), list[Step]()
    drawing = Drawing(Random(seed), world, leaves)
    with both(handed_in=seed % 3 == 2) as (ours, judge):
        while len(steps) < STATEMENTS:
            for step in [drawing.next()] if steps else drawing.first():
                steps.append(step)
                found, succeeded = compared(ours, judge, step)
                if found:
                    return Played(steps, found)
                if succeeded:
                    world.take(step)
    return Played(steps, "")


def shrunk(seed: int, played: Played) -> Played:
    """The script without the statements that its difference does not need."""
    kind = played.found.partition("\n")[0]
    for index in reversed(range(len(played.steps) - 1)):
        fewer = [*played.steps[:index], *played.steps[index + 1 :]]
        again = _again(seed, fewer)
        if len(again.steps) == len(fewer) and again.found.startswith(kind):
            played = again
    return played


def _again(seed: int, steps: Sequence[Step]) -> Played:
    with both(handed_in=seed % 3 == 2) as (ours, judge):
        for index, step in enumerate(steps):
            found, _ = compared(ours, judge, step)
            if found:
                return Played(steps[: index + 1], found)
    return Played(steps, "")
