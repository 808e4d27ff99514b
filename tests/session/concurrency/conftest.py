"""Tables and sessions that all scenarios of a run share, and which of the scenarios are run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from deltasql import connect
from tests.session.concurrency.play import Stage
from tests.session.concurrency.tables import Tables

MOST_WRITERS = 5


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    place = tmp_path_factory.mktemp("concurrency")
    with ExitStack() as opened:
        sessions = [
            opened.enter_context(connect(str(place / "warehouse" / str(number)))) for number in range(MOST_WRITERS)
        ]
        yield Stage(Tables(sessions[0], place), sessions)
