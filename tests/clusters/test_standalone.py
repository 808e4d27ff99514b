"""A standalone cluster whose worker is a process of its own: with our disk, and with one of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from deltasql import connect
from tests.clusters.conftest import spark_of
from tests.clusters.servers import cluster
from tests.clusters.statements import check_not_shared, check_refusals, run_script

pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def shared(java: None, place: Path) -> Iterator[None]:
    with cluster(place / "shared") as master, spark_of(master):
        yield


@pytest.fixture(scope="module")
def apart(namespace: None, place: Path, disk: Path) -> Iterator[None]:
    with cluster(place / "apart", disk) as master, spark_of(master):
        yield


def test_executors_move_files_of_a_shared_disk(shared: None, disk: Path) -> None:
    with connect(str(disk / "shared")) as session:
        run_script(session)
        check_refusals(session)
        master = session.sql("SELECT 1").df.sparkSession.sparkContext.master
    assert master.startswith("spark://")


def test_a_disk_that_is_not_shared_is_told(apart: None, disk: Path) -> None:
    with connect(str(disk / "told")) as session:
        check_not_shared(session)


def test_the_driver_needs_no_shared_disk(apart: None, disk: Path) -> None:
    with connect(str(disk / "driver")) as session:
        session.sql("SET deltasql.io.mode = DRIVER")
        run_script(session)
        check_refusals(session)
