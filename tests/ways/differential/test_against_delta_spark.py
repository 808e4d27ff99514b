"""Random scripts give what delta-spark gives: the rows of queries, which statements fail, and the tables in the end.

Left out are texts of limited length, since delta-spark finds no rows of a CHAR column by a shorter text, REPLACE
WHERE, which it takes for simple conditions only, identity columns, which its SQL has not, and partitions by most types:
it refuses PARTITION (flag = TRUE), and stores another moment in the hour that a clock shows twice.
"""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

from deltasql import connect
from deltasql.base.session_settings import COMPUTE, DEFAULTS
from tests.oracle.answers import RANDOM, Said, as_kept, is_due, keep, kept, mode
from tests.oracle.client import Oracle, Outcome, oracle
from tests.oracle.compare import difference, ours
from tests.oracle.scenario import Scenario, Statement

from .kinds import LEAVES
from .scripts import Drawing
from .world import SCHEMAS, Step, World

pytestmark = [pytest.mark.spark, pytest.mark.oracle]

UNLIMITED = [leaf for leaf in LEAVES if leaf.family not in {"CHAR", "VARCHAR"}]
STATEMENTS = 25


@pytest.mark.parametrize("compute", ["AUTO", "ENGINE"])
@pytest.mark.parametrize("seed", [0, 2])
def test_scripts_give_what_delta_spark_gives(
    seed: int, compute: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(DEFAULTS, COMPUTE.name, compute)
    own, texts = _played(seed, tmp_path)
    theirs = _said(seed, texts)
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
        drawing = Drawing(Random(seed), world, UNLIMITED, for_delta=True)
        for step in drawing.first():
            run(step)
        while len(texts) < STATEMENTS:
            run(drawing.next())
        for table in world.tables.values():
            run(Step(f"SELECT * FROM {table.full_name}"))
    return outcomes, texts


_JUDGED = dict[Scenario, Said]()
"""What the oracle said in this process."""


def _said(seed: int, texts: list[str]) -> list[Outcome]:
    """The oracle's outcomes: those that are kept, unless it is their turn, or the script has become another one."""
    prefix = f"d{seed}_"
    own = [f"CREATE SCHEMA {prefix}{schema} LOCATION '{{dir}}/{schema}'" for schema in SCHEMAS]
    renamed = [re.sub(r"\b(?=sx\d\b)", prefix, text) for text in texts]
    scenario = Scenario(RANDOM, f"seed {seed}", tuple(map(Statement, [*own, *renamed])))
    known = None if is_due(scenario) else kept(scenario)
    if known is None:
        # Rows that this process computes, and rows that Spark computes, have one script.
        known = _JUDGED.get(scenario) or _judged(oracle(), scenario)
        _JUDGED[scenario] = known
        if mode() == "record":
            keep({scenario: known})
    return known.outcomes[len(own) :]


def _judged(engine: Oracle, scenario: Scenario) -> Said:
    """What the oracle says now."""
    directory = engine.root / scenario.name
    directory.mkdir()
    texts = [statement.text.replace("{dir}", str(directory)) for statement in scenario.statements]
    return as_kept(Said(engine.submit(texts, directory).result(600), {}), directory)
