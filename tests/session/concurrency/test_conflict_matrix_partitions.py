"""Two writers of a partitioned table: a partition that both statements name is what they conflict about."""

from __future__ import annotations

import itertools

import pytest

from tests.session.concurrency.cells import cells
from tests.session.concurrency.play import CA_IN, CDD_IN, CDR_IN, IDLE, OK, RANDOM, Case, Stage, both_ways
from tests.session.concurrency.statements import (
    BOTH,
    DELETE_P0,
    OPTIMIZE,
    OPTIMIZE_P0,
    OPTIMIZE_P1,
    PURGE,
    ZORDER,
    ZORDER_P1,
    Statement,
    delete,
    insert,
    insert_self,
    late,
    merge,
    merge_by,
    overwrite,
    update,
    update_set,
    update_where,
)

pytestmark = pytest.mark.spark

CHANGES = (update, delete, merge)
IN_P0, IN_P1 = "[p=0]", "[p=1]"
UPDATE_P0, UPDATE_P1 = update(5, p=0), update(15, p=1)


def merge_on_p(id_: int) -> Statement:
    """MERGE whose source, not whose condition, says which partition it is about."""
    return merge_by(" AND t.p = s.p", BOTH, id_, merge(id_).effect)


def in_nested(p: int, q: int) -> Statement:
    return update_where(f"p = {p} AND q = {q}", lambda row: row.p == p and row.id % 5 == q)


DYNAMIC = {"spark.sql.sources.partitionOverwriteMode": "DYNAMIC"}
ONE_NULL = (insert(50, p=None),)

REWRITES = [
    Case("M2-60", (insert(100, p=1), UPDATE_P0), OK),
    Case("M2-61", (insert(100, p=0), UPDATE_P0), OK, CA_IN, partition=IN_P0),
    Case("M2-62", (insert(100, p=1), update(5)), OK, CA_IN, partition=IN_P1),
    *(
        case
        for a, b in itertools.product(CHANGES, CHANGES)
        for case in both_ways(Case(f"M2-63-{a.__name__}-{b.__name__}", (a(5, 0), b(15, 1)), OK))
    ),
    Case("M2-64", (UPDATE_P0, update(15)), CA_IN, partition=IN_P0),
    Case("M2-65", (UPDATE_P0, update(6, p=0)), CA_IN, partition=IN_P0),
    Case("M2-66", (merge_on_p(5), merge_on_p(15)), CA_IN, partition=IN_P0),
    Case("M2-67", (merge(5, 0), merge(15, 1)), OK),
    Case("M2-68", (DELETE_P0, UPDATE_P1), OK),
    Case("M2-69", (DELETE_P0, UPDATE_P0), CDR_IN, partition=IN_P0),
    Case(
        "M2-70",
        (update_set("p = 1", "p = 0", lambda row: row.p == 0, lambda row: row._replace(p=1)), delete(15, 1)),
        CA_IN,
        partition=IN_P1,
    ),
    Case("M2-71", (in_nested(0, 1), in_nested(0, 2)), OK, kinds="PQ"),
    Case("M2-71-same", (in_nested(0, 1), in_nested(0, 1)), CA_IN, kinds="PQ", partition="[p=0, q=1]"),
    Case("M2-72", (insert_self(5, p="NULL"), update_where("p = 0", lambda row: row.p == 0)), OK, before=ONE_NULL),
    Case(
        "M2-73",
        (insert_self(5, p="NULL"), update_where("p IS NULL", lambda row: row.p is None)),
        CA_IN,
        before=ONE_NULL,
        partition="[p=null]",
    ),
    Case("M2-74", (UPDATE_P1, Statement("DELETE FROM {t} WHERE p = 0 AND rand() < 2")), RANDOM),
    Case("M2-75", (UPDATE_P1, Statement("DELETE FROM {t} WHERE p = 0 OR rand() < 2")), RANDOM),
    Case(
        "M2-76",
        (insert(100, p=0), overwrite(200, where="p = 0", gone=lambda row: row.p == 0)),
        OK,
        CA_IN,
        partition=IN_P0,
    ),
    *both_ways(Case("M2-77", (UPDATE_P0, overwrite(210, where="p = 1", gone=lambda row: row.p == 1)), OK)),
    Case("M2-78", (UPDATE_P0, overwrite(210, gone=lambda row: row.p == 1)), OK, settings=DYNAMIC),
    Case(
        "M2-79",
        (UPDATE_P0, overwrite(200, gone=lambda row: row.p == 0)),
        CA_IN,
        settings=DYNAMIC,
        partition=IN_P0,
    ),
    *both_ways(Case("M2-80", (OPTIMIZE_P0, UPDATE_P1), OK)),
    *both_ways(Case("M2-80-insert", (OPTIMIZE_P0, insert(100)), OK)),
    Case("M2-81", (OPTIMIZE_P0, UPDATE_P0), CA_IN, partition=IN_P0),
    *both_ways(Case("M2-82", (OPTIMIZE_P0, OPTIMIZE_P1), OK)),
]

MARKED = (delete(3), delete(13))

VECTORS = [
    *(Case(f"M2-90-{x.__name__}", (UPDATE_P0, x(6, 0)), CA_IN, partition=IN_P0) for x in CHANGES),
    Case("M2-91", (delete(5, 0), delete(6, 0)), CA_IN, partition=IN_P0),
    Case("M2-92-update", (OPTIMIZE, UPDATE_P0), OK, marked=(1,)),
    *(Case(f"M2-92-{x.__name__}", (OPTIMIZE, x(5)), OK, marked=(1,)) for x in (delete, merge)),
    Case("M2-93-update", (UPDATE_P0, OPTIMIZE), OK, marked=(1,)),
    *(Case(f"M2-93-{x.__name__}", (x(5), OPTIMIZE), OK, marked=(1,)) for x in (delete, merge)),
    Case("M2-94", (OPTIMIZE, OPTIMIZE), IDLE),
    Case("M2-95", (ZORDER, UPDATE_P0), CDD_IN, partition=IN_P0),
    Case("M2-95-changed-about", (UPDATE_P0, ZORDER), CDD_IN, partition=IN_P0),
    Case("M2-96", (ZORDER, ZORDER), CDD_IN),
    *both_ways(Case("M2-97", (PURGE, UPDATE_P0), OK, before=MARKED)),
    *both_ways(Case("M2-98", (OPTIMIZE_P0, ZORDER_P1), OK)),
    Case("M2-99", (OPTIMIZE_P0, late(DELETE_P0), insert_self(5)), CDR_IN, kinds="PDr PD"),
]


@pytest.mark.parametrize(("case", "kind", "level"), cells(REWRITES, "P"))
def test_rewritten_partitions(stage: Stage, case: Case, kind: str, level: str) -> None:
    stage.play(case, kind, level)


@pytest.mark.parametrize(("case", "kind", "level"), cells(VECTORS, "PD"))
def test_partitions_with_vectors(stage: Stage, case: Case, kind: str, level: str) -> None:
    stage.play(case, kind, level)
