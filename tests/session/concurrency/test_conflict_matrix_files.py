"""Two writers of a table whose files are rewritten: a file is what they conflict about."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.session.concurrency.cells import cells
from tests.session.concurrency.play import CA, CDR, IDLE, OK, Case, Stage, both_ways
from tests.session.concurrency.statements import (
    DELETE_FIRST_FILE,
    OPTIMIZE,
    ZORDER,
    Statement,
    delete,
    insert,
    late,
    merge,
    update,
    update_where,
)

pytestmark = pytest.mark.spark


def without_blind_append(path: Path) -> None:
    """Makes the last commit one of a writer that does not say whether it has looked at the table."""
    commit = max((path / "_delta_log").glob("*.json"))
    actions = [json.loads(line) for line in commit.read_text().splitlines()]
    del actions[0]["commitInfo"]["isBlindAppend"]
    commit.write_text("".join(json.dumps(action) + "\n" for action in actions))


def merge_that_adds_a_column(id_: int) -> Statement:
    sql = f"""MERGE WITH SCHEMA EVOLUTION INTO {{t}} AS t USING (SELECT {id_} AS id, 7 AS v, 1 AS extra) AS s
              ON t.id = s.id WHEN MATCHED THEN UPDATE SET *"""
    return Statement(sql)


NOTHING = update_where("id = 7 AND v < 0", lambda _: False)
# So many rows that their file is not one of those that OPTIMIZE takes.
BIG_FILE = insert(*range(1000, 6000))
ONLY_SMALL_FILES = {"spark.databricks.delta.optimize.minFileSize": "5kb"}

REWRITES = [
    Case("M2-01", (insert(100), insert(101)), OK),
    *(Case(f"M2-10-{x.__name__}", (insert(100), x(5)), OK, CA) for x in (update, delete, merge)),
    *(Case(f"M2-11-{x.__name__}", (x(5), insert(100)), OK) for x in (update, delete, merge)),
    Case("M2-12", (insert(100), Statement("", meddle=without_blind_append), update(5)), CA),
    Case("M2-13", (insert(100), merge_that_adds_a_column(5)), CA),
    *(Case(f"M2-20-{x.__name__}-6", (update(5), x(6)), CA) for x in (update, delete, merge)),
    *(Case(f"M2-20-{x.__name__}-15", (update(5), x(15)), CA) for x in (update, delete)),
    Case("M2-21", (DELETE_FIRST_FILE, update(5)), CDR),
    Case("M2-22", (DELETE_FIRST_FILE, update(15)), OK),
    Case("M2-22-changed-about", (update(15), DELETE_FIRST_FILE), CA),
    Case("M2-23", (delete(5), delete(5)), CA),
    Case("M2-24", (NOTHING, update(5)), OK, first=IDLE),
    Case("M2-25", (update(5), NOTHING), IDLE),
    *both_ways(Case("M2-30", (OPTIMIZE, insert(100)), OK)),
    *(Case(f"M2-40-{x.__name__}", (OPTIMIZE, x(5)), CA) for x in (update, delete, merge)),
    *(Case(f"M2-41-{x.__name__}", (x(5), OPTIMIZE), CDR) for x in (update, delete, merge)),
    Case("M2-42", (update(5000), OPTIMIZE), OK, before=(BIG_FILE,), settings=ONLY_SMALL_FILES),
    Case("M2-43", (insert(100), late(update(100)), OPTIMIZE), OK),
    Case("M2-50", (OPTIMIZE, OPTIMIZE), CDR),
    Case("M2-51", (ZORDER, ZORDER), CDR),
]

WITHOUT_ROWS = {"deltasql.rowLevelConcurrency.enabled": "false"}
WITHOUT_VECTORS = [
    replace(case, name=case.name.replace("M2", "M3"), settings={**case.settings, **WITHOUT_ROWS}) for case in REWRITES
]

NEITHER = {**WITHOUT_ROWS, "deltasql.optimizeRelaxation.enabled": "false"}
NEITHER_WAY = [
    *(Case(f"M3-90-{x.__name__}", (update(5), x(6)), CA) for x in (update, delete, merge)),
    Case("M3-91", (delete(5), delete(6)), CA),
    *(Case(f"M3-92-{x.__name__}", (OPTIMIZE, x(5)), CA) for x in (update, delete, merge)),
    *(Case(f"M3-93-{x.__name__}", (x(5), OPTIMIZE), CDR) for x in (update, delete, merge)),
    Case("M3-94", (OPTIMIZE, OPTIMIZE), CDR),
]


@pytest.mark.parametrize(("case", "kind", "level"), cells(REWRITES, "U"))
def test_rewritten_files(stage: Stage, case: Case, kind: str, level: str) -> None:
    stage.play(case, kind, level)


@pytest.mark.parametrize(("case", "kind", "level"), cells(WITHOUT_VECTORS, "U"))
def test_settings_change_nothing_without_vectors(stage: Stage, case: Case, kind: str, level: str) -> None:
    stage.play(case, kind, level)


@pytest.mark.parametrize(("case", "kind", "level"), cells([replace(x, settings=NEITHER) for x in NEITHER_WAY], "R"))
def test_neither_rows_nor_moves_are_told_apart(stage: Stage, case: Case, kind: str, level: str) -> None:
    stage.play(case, kind, level)
