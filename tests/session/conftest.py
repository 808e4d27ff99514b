"""One warehouse per test; the process's one Spark session behind all of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from deltasql import Session, connect

os.environ.setdefault("DELTASQL_MASTER", "local[2]")


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with connect(str(tmp_path / "warehouse")) as opened:
        yield opened


@pytest.fixture
def people(session: Session) -> Session:
    """A table `people` of three rows, one of them with a NULL."""
    session.sql("CREATE TABLE people (id INT NOT NULL, name STRING, tags ARRAY<STRING>)")
    session.sql("INSERT INTO people VALUES (1, 'ann', array('a')), (2, 'bob', NULL), (3, NULL, array())")
    return session
