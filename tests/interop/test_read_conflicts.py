"""delta-spark reads what two writers made of a table who got in each other's way. delta-rs reads it in every scenario."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

import deltasql
from tests.interop.readers import delta_spark, own_rows
from tests.session.concurrency.play import IDLE, OK, SERIALIZABLE, WRITE_SERIALIZABLE, Case, Stage, both_ways
from tests.session.concurrency.statements import (
    DELETE_P0,
    OPTIMIZE,
    PURGE,
    ZORDER,
    delete,
    delete_where,
    insert,
    late,
    merge,
    overwrite,
    update,
)
from tests.session.concurrency.tables import Tables

CASES = [
    Case("vectors united", (update(5), update(6)), OK, kinds="R", marked=(2,)),
    Case("three writers of a file", (update(5), merge(6), delete(7)), OK, kinds="Rr", marked=(3,)),
    Case("the last rows of a file", (delete_where("id < 6", lambda row: row.id < 6), delete(15)), OK, kinds="R"),
    Case("a blind append", (insert(5), update(5)), OK, "DELTA_CONCURRENT_APPEND.ROW_LEVEL_CHANGES", kinds="R"),
    *both_ways(Case("a compacted file", (OPTIMIZE, update(5)), OK, kinds="R", marked=(1,))),
    *both_ways(Case("rows in another order", (ZORDER, merge(5)), OK, kinds="Rr", marked=(1,))),
    Case("a move taken back", (OPTIMIZE, delete(5)), OK, kinds="Rc", undone=1),
    Case("a bin given up", (merge(5), OPTIMIZE), IDLE, kinds="Rc"),
    *both_ways(Case("a purge", (PURGE, update(5)), OK, kinds="R", before=(delete(3), delete(13)))),
    *both_ways(Case("a compacted partition", (OPTIMIZE, update(5, 0)), OK, kinds="PD", marked=(1,))),
    Case("a partition that goes", (DELETE_P0, update(15, 1)), OK, kinds="P"),
    Case("rows that come and go", (update(5), late(overwrite(1))), OK, kinds="Rr"),
]


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    place = tmp_path_factory.mktemp("conflicts")
    with ExitStack() as opened:
        sessions = [opened.enter_context(deltasql.connect(str(place / "warehouse" / name))) for name in "abc"]
        yield Stage(Tables(sessions[0], place), sessions)


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_delta_spark_reads_what_came_of_it(stage: Stage, case: Case) -> None:
    level = WRITE_SERIALIZABLE if case.comes_first else SERIALIZABLE

    def look(path: Path) -> None:
        assert delta_spark(path) == own_rows(stage.sessions[0], f"SELECT * FROM delta.`{path}`")

    stage.play(case, case.kinds, level, look)
