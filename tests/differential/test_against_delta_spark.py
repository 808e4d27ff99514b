"""Random scripts give what delta-spark gives: the rows of queries, which statements fail, and the tables in the end.

Left out are texts of limited length, since delta-spark finds no rows of a CHAR column by a shorter text, and REPLACE
WHERE, which it takes for simple conditions only.
"""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

from deltasql import connect
from tests.oracle.client import Oracle, Outcome, oracle
from tests.oracle.compare import difference, ours

from .kinds import LEAVES
from .scripts import SCHEMAS, Drawing, Step, World

pytestmark = [pytest.mark.spark, pytest.mark.oracle]

UNLIMITED = [leaf for leaf in LEAVES if leaf.family not in {"CHAR", "VARCHAR"}]
STATEMENTS = 25


@pytest.mark.parametrize("seed", range(2))
def test_scripts_give_what_delta_spark_gives(seed: int, tmp_path: Path) -> None:
    own, texts = _played(seed, tmp_path)
    theirs = _judged(oracle(), seed, texts)
    defects = []
    for text, first, second in zip(texts, theirs, own, strict=True):
        # How errors are called is compared scenario by scenario.
        if "condition" in first and "condition" in second:
            continue
        is_query = re.match(r"SELECT|WITH", text)
        found = difference(text, first, second) if is_query or "condition" in {*first, *second} else ""
        if found:
            defects.append(f"{text}\n  {found}")
    assert not defects, f"seed {seed}\n" + "\n\n".join(defects)


def _played(seed: int, directory: Path) -> tuple[list[Outcome], list[str]]:
    """Our outcomes of a script that is drawn meanwhile, and its statements; the tables are read in the end."""
    world = World()
    outcomes, texts = list[Outcome](), list[str]()
    with connect(str(directory / "warehouse")) as session:
        for schema in SCHEMAS:
            session.sql(f"CREATE SCHEMA {schema}")

        def run(step: Step) -> None:
            texts.append(step.sql)
            outcomes.append(ours(session, step.sql))
            if "condition" not in outcomes[-1]:
                world.take(step)

        run(Step("SET spark.sql.session.timeZone = UTC"))
        run(Step(f"USE {SCHEMAS[0]}", schema=SCHEMAS[0]))
        drawing = Drawing(Random(seed), world, UNLIMITED, replaces_where=False)
        for step in drawing.first():
            run(step)
        while len(texts) < STATEMENTS:
            run(drawing.next())
        for table in world.tables.values():
            run(Step(f"SELECT * FROM {table.full_name}"))
    return outcomes, texts


def _judged(engine: Oracle, seed: int, texts: list[str]) -> list[Outcome]:
    """The oracle's outcomes, in schemas of this script."""
    directory = engine.root / f"differential{seed}"
    directory.mkdir()
    prefix = f"d{seed}_"
    own = [f"CREATE SCHEMA {prefix}{schema} LOCATION '{directory / schema}'" for schema in SCHEMAS]
    renamed = [re.sub(r"\b(?=sx\d\b)", prefix, text) for text in texts]
    return engine.submit([*own, *renamed], directory).result(600)[len(own) :]
