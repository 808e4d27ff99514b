"""Spark Connect: a server that has our disk, and one that has not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from deltasql import connect
from deltasql.golden import run_file, temporary_sessions
from tests.clusters.servers import connect_server
from tests.clusters.statements import check_not_shared, check_refusals, run_script

pytestmark = pytest.mark.cluster

pytest.importorskip("grpc", reason="the extra 'connect' is not installed")

GOLDEN = Path(__file__).parents[1] / "golden"


@pytest.fixture(scope="module")
def shared(java: None, place: Path) -> Iterator[str]:
    with connect_server(place / "shared") as address:
        yield address
        _forget()


@pytest.fixture(scope="module")
def apart(namespace: None, place: Path, disk: Path) -> Iterator[str]:
    with connect_server(place / "apart", disk) as address:
        yield address
        _forget()


def _forget() -> None:
    """Ends the client of a server that ends: at its own end it would wait for an answer."""
    from pyspark.sql.connect.session import SparkSession

    if (active := SparkSession.getActiveSession()) is not None:
        active.stop()


def test_the_server_moves_files_of_a_shared_disk(shared: str, disk: Path) -> None:
    with connect(str(disk / "shared"), shared) as session:
        run_script(session)
        check_refusals(session)


@pytest.mark.parametrize("name", ["merge/clauses", "update/update", "query/query", "optimize/optimize"])
def test_goldens(shared: str, name: str) -> None:
    outcome = run_file(GOLDEN / f"{name}.sql", temporary_sessions(shared))
    assert outcome.ok, f"{outcome.defects}\n{outcome.diff}"


def test_a_disk_that_is_not_shared_is_told(apart: str, disk: Path) -> None:
    with connect(str(disk / "told"), apart) as session:
        check_not_shared(session)


def test_the_driver_needs_no_shared_disk(apart: str, disk: Path) -> None:
    with connect(str(disk / "driver"), apart) as session:
        session.sql("SET deltasql.io.mode = DRIVER")
        run_script(session)
        check_refusals(session)
