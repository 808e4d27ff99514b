"""Two writers of a table whose rows are told apart: every pair of statements, by what the first one leaves to see."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.session.concurrency.cells import cells
from tests.session.concurrency.play import (
    CA,
    CA_ALL,
    CA_BUDGET,
    CA_ROWS,
    CDD,
    CDR_ROWS,
    IDLE,
    OK,
    RANDOM,
    Case,
    Stage,
    both_ways,
)
from tests.session.concurrency.statements import (
    DELETE_ALL,
    DELETE_FIRST_FILE,
    OPTIMIZE,
    PURGE,
    RESTORE,
    ZORDER,
    Row,
    Statement,
    delete,
    delete_where,
    insert,
    insert_self,
    late,
    merge,
    merge_by,
    overwrite,
    unchanged,
    update,
    update_set,
    update_where,
)
from tests.session.concurrency.stored import stored

pytestmark = pytest.mark.spark

INSERTS = [
    Case("M1-01", (insert(100), insert(101)), OK),
    Case("M1-02", (insert(100), insert(100)), OK),
    Case("M1-03", (insert(100), insert(100), insert(101)), OK),
    *(Case(f"M1-1{n}", (insert(5), x(5)), OK, CA_ROWS) for n, x in enumerate((update, delete, merge))),
    Case("M1-13", (insert(200), merge(200)), OK, CA_ROWS),
    *(Case(f"M1-14-{x.__name__}", (insert(100), x(5)), OK) for x in (update, delete, merge)),
    *(Case(f"M1-15-{x.__name__}", (x(5), insert(5)), OK) for x in (update, delete, merge)),
    Case("M1-16", (insert(5), DELETE_ALL), OK, CA),
    # No statistics tell that 5 is not among the new rows: they have to be looked at.
    Case("M1-17", (insert(*(id_ for id_ in range(201) if id_ != 5)), update(5)), OK),
]


def moves_to(old: int, new: int) -> Statement:
    return update_set(f"id = {new}", f"id = {old}", lambda row: row.id == old, lambda row: row._replace(id=new))


def some_of_first_file(row: Row) -> bool:
    return row.id in {0, 1, 2, 3, 4, 7, 8, 9}


NEVER_5_BUT_200 = Statement(
    "MERGE INTO {t} AS t USING (SELECT id, 7 AS v, 0 AS p FROM VALUES (5), (200) AS x(id)) AS s ON t.id = s.id "
    "WHEN MATCHED AND false THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT *",
    lambda rows: (*rows, Row(200, 7, 0)),
)
ONLY_OLD = "WHEN MATCHED AND t.v > 999 THEN UPDATE SET v = s.v"
NEVER = "WHEN MATCHED AND false THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT *"

CHANGES = [
    *both_ways(Case("M1-20", (update(5), update(6)), OK, marked=(2,))),
    *both_ways(Case("M1-21", (update(5), delete(6)), OK, marked=(2,))),
    *both_ways(Case("M1-22", (update(5), merge(6)), OK, marked=(2,))),
    *both_ways(Case("M1-23", (delete(5), delete(6)), OK, marked=(2,))),
    *both_ways(Case("M1-24a", (delete(5), merge(6)), OK, marked=(2,))),
    *both_ways(Case("M1-24b", (merge(5), merge(6)), OK, marked=(2,))),
    *both_ways(Case("M1-25", (update(5), update(15)), OK, marked=(1, 1))),
    Case("M1-26", (update(5), update(5)), CA_ROWS),
    Case("M1-27-delete", (update(5), delete(5)), CA_ROWS),
    Case("M1-27-merge", (update(5), merge(5)), CA_ROWS),
    *(Case(f"M1-28-{x.__name__}", (delete(5), x(5)), CDR_ROWS) for x in (update, delete, merge)),
    Case("M1-29", (merge(5), merge(5)), CA_ROWS),
    Case("M1-30", (merge(200), merge(200)), CA_ROWS),
    *both_ways(Case("M1-31", (merge(200), merge(201)), OK)),
    # On its own version it inserts nothing, and it need not come after the DELETE, which made that true.
    Case("M1-32", (delete(5), merge_by("", NEVER, 5, unchanged)), IDLE),
    Case("M1-32-insert", (delete(5), NEVER_5_BUT_200), CDR_ROWS),
    Case("M1-33", (delete(5), merge_by("", ONLY_OLD, 5, unchanged)), IDLE),
    Case("M1-34", (moves_to(5, 6), update(6)), CA_ROWS),
    Case("M1-35", (moves_to(6, 600), delete_where("id BETWEEN 0 AND 5", lambda row: 0 <= row.id <= 5)), OK),
    Case("M1-36", (DELETE_FIRST_FILE, update(5)), CDR_ROWS),
    *both_ways(Case("M1-37", (DELETE_FIRST_FILE, update(15)), OK, marked=(1,))),
    Case(
        "M1-38",
        (delete(5), delete(6)),
        OK,
        before=(delete_where("id IN (0, 1, 2, 3, 4, 7, 8, 9)", some_of_first_file),),
        marked=(),
    ),
    Case("M1-39", (update(5), update(6), update(7), update(8)), OK, marked=(4,)),
    Case("M1-40", (update(5), update(8), update(8)), CA_ROWS),
    Case(
        "M1-41",
        (update(5), late(delete_where("v = 1005", lambda row: row.v == 1005)), update(6)),
        OK,
        marked=(2,),
    ),
    Case("M1-42", (delete(5), late(RESTORE), update(5)), CDR_ROWS),
    Case(
        "M1-42b",
        (RESTORE, delete_where("id < 7", lambda row: row.id < 7)),
        CA_ROWS,
        before=(delete(5),),
    ),
]


LIMITS = [
    Case("M1-43", (update(5), update_where("s.f = 6", lambda row: row.id == 6)), CA, kinds="Rs"),
    Case("M1-44", (update(5), Statement("DELETE FROM {t} WHERE rand() < 0.5")), RANDOM),
    Case(
        "M1-45",
        (update(5), delete_where("id IN (SELECT max(id) FROM {t})", lambda row: row.id == 19)),
        CA_ALL,
    ),
    Case(
        "M1-46",
        (update(5), delete_where("EXISTS (SELECT 1 FROM {o} AS o WHERE o.k = id)", lambda row: row.id == 6)),
        CA,
    ),
    Case("M1-47", (update(5), delete_where("id IN (SELECT k FROM {o})", lambda row: row.id == 6)), OK),
    Case(
        "M1-47-strict",
        (update(5), delete_where("id IN (SELECT k FROM {o})", lambda row: row.id == 6)),
        CA,
        settings={"deltasql.rowLevelConcurrency.subqueries": "false"},
    ),
    Case("M1-48", (insert_self(5), update(5)), OK),
    Case(
        "M1-48b",
        (insert_self(5), update_where("id >= 1000", lambda row: row.id >= 1000)),
        CA_ROWS,
        before=(insert(1000),),
    ),
    Case("M1-48b-no-row", (insert_self(5), update_where("id >= 1000", lambda row: row.id >= 1000)), IDLE),
    Case("M1-49", (update(5), insert_self(5)), CA_ROWS),
    Case("M1-50", (update(6), insert_self(5)), OK),
    Case(
        "M1-51",
        (update(8), update(18), update_where("v % 100 = 5", lambda row: row.v == 5)),
        CA_BUDGET,
        settings={"deltasql.rowLevelConcurrency.maxFiles": "1"},
    ),
    Case("M1-52", (update(5), overwrite(1)), CA_ALL),
    Case("M1-52-changed-about", (overwrite(1), update(5)), CA_ROWS),
]

MARKED = (delete(3), delete(13))


def without_order_map(path: Path) -> None:
    """Makes the last commit one that does not say where rows went, and deletes the files that it removed."""
    commit = max((path / "_delta_log").glob("*.json"))
    actions = [json.loads(line) for line in commit.read_text().splitlines()]
    for action in actions:
        action.get("add", {}).pop("tags", None)
        if "remove" in action:
            (path / action["remove"]["path"]).unlink()
    commit.write_text("".join(json.dumps(action) + "\n" for action in actions))


LAYOUTS = [
    *both_ways(Case("M1-60", (OPTIMIZE, insert(100)), OK)),
    *both_ways(Case("M1-61", (ZORDER, insert(100)), OK, kinds="R Rr")),
    *(Case(f"M1-62-{x.__name__}", (OPTIMIZE, x(5)), OK, kinds="R Rr", marked=(1,)) for x in (update, delete, merge)),
    Case("M1-63", (OPTIMIZE, update(5), update(6)), OK, kinds="R Rr", marked=(2,)),
    *(Case(f"M1-64-{x.__name__}", (x(5), OPTIMIZE), OK, kinds="R Rr", marked=(1,)) for x in (update, delete, merge)),
    *both_ways(Case("M1-65", (update(5), PURGE), OK, before=MARKED)),
    Case("M1-66", (ZORDER, update(5)), CDD, kinds="R"),
    *both_ways(Case("M1-67", (ZORDER, update(5)), OK, kinds="Rr", marked=(1,))),
    Case("M1-68", (update(5), ZORDER), CDD, kinds="R"),
    Case("M1-69", (OPTIMIZE, Statement("", meddle=without_order_map), update(5)), CDD, kinds="R"),
    Case("M1-70", (OPTIMIZE, OPTIMIZE), IDLE),
    Case("M1-71", (OPTIMIZE, PURGE), IDLE, before=MARKED),
    Case("M1-71-changed-about", (PURGE, OPTIMIZE), IDLE, before=MARKED),
    Case("M1-72", (ZORDER, ZORDER), CDD, kinds="R"),
    Case("M1-72-optimize", (OPTIMIZE, ZORDER), CDD, kinds="R"),
    Case("M1-72-optimize-last", (ZORDER, OPTIMIZE), IDLE, kinds="R"),
    *(Case(f"M1-73-{x.__name__}", (OPTIMIZE, x(5)), OK, kinds="Rc", undone=1) for x in (update, delete, merge)),
    *(Case(f"M1-74-{x.__name__}", (x(5), OPTIMIZE), IDLE, kinds="Rc") for x in (update, delete, merge)),
]

SEVERAL = [
    Case(
        "M1-75",
        (PURGE, delete_where("id BETWEEN 9 AND 21", lambda row: 9 <= row.id <= 21), insert_self(17)),
        CDR_ROWS,
        before=MARKED,
    ),
    Case("M1-76", (OPTIMIZE, delete(6), update(7), update(8)), OK, kinds="R Rr", marked=(3,)),
    # The first of them takes the move back, for the others, too.
    Case("M1-76-clustered", (OPTIMIZE, delete(6), update(7), update(8)), OK, kinds="Rc", undone=1, marked=(3,)),
    Case("M1-77", (insert(12), late(insert_self(12)), update(12)), CA, CA_ROWS),
]


@pytest.mark.parametrize(("case", "kind", "level"), cells([*INSERTS, *CHANGES, *LIMITS, *LAYOUTS, *SEVERAL], "R Rr Rc"))
def test_rows_told_apart(stage: Stage, case: Case, kind: str, level: str) -> None:
    stage.play(case, kind, level)


def test_a_circle_of_three_writers(stage: Stage) -> None:
    """M1-77: the last one has not seen what the second one read. Only when asked to, we let that pass."""
    path = stage.tables.copy("R", "WriteSerializable")
    first, second, last = stage.sessions[:3]
    last.sql("SET deltasql.strictWriteSerializable = false")
    try:
        pending = last.begin(stage.text(update(12), path))
        first.sql(stage.text(insert(12), path))
        second.sql(stage.text(insert_self(12), path))
        pending.commit()
    finally:
        last.sql("RESET deltasql.strictWriteSerializable")
    found = sorted((row.id, row.v) for row in stored(path).rows if row.id % 1000 == 12)
    # The copies are of a row that was not updated yet, and of one that came later.
    assert found == [(12, 12), (12, 1012), (1012, 12), (1012, 12)]
    stage.tables.drop(path)
