"""A standalone cluster whose worker is a process of its own, which sees one of two disks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from deltasql import connect
from tests.clusters.conftest import spark_of
from tests.clusters.servers import cluster
from tests.clusters.statements import check_not_shared, check_refusals, run_script

pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module", autouse=True)
def workers(java: None, place: Path, hidden: Path | None) -> Iterator[None]:
    with cluster(place / "cluster", hidden) as master, spark_of(master):
        yield


def test_executors_move_files_of_a_shared_disk(disk: Path) -> None:
    with connect(str(disk / "shared")) as session:
        run_script(session)
        check_refusals(session)
        master = session.sql("SELECT 1").df.sparkSession.sparkContext.master
    assert master.startswith("spark://")


def test_a_disk_that_is_not_shared_is_told(own_disk: Path) -> None:
    with connect(str(own_disk / "told")) as session:
        check_not_shared(session)


def test_the_driver_needs_no_shared_disk(own_disk: Path) -> None:
    with connect(str(own_disk / "driver")) as session:
        session.sql("SET deltasql.io.mode = DRIVER")
        run_script(session)
        check_refusals(session)
