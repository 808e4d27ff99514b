"""A refresh dies at every point of its commit: afterwards each row of the source is in the table exactly once."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from deltasql import connect

from .writers import ended

_REFRESH = """
import sys
import deltasql
from tests.faults.writers import die_at

warehouse, statement, part, moment = sys.argv[1:]
die_at(moment, part, folder="/seen")
deltasql.connect(warehouse).sql(statement)
"""


@pytest.mark.parametrize("moment", ["before", "staging", "after"])
def test_a_refresh_that_is_killed(tmp_path: Path, moment: str) -> None:
    """The rows and the version that they are of are one commit."""
    warehouse = str(tmp_path / "wh")
    with connect(warehouse) as session:
        session.sql("CREATE TABLE events (id INT)")
        session.sql("INSERT INTO events VALUES (1), (2)")
        session.sql("CREATE STREAMING TABLE seen AS SELECT id FROM STREAM(events)")
        session.sql("INSERT INTO events VALUES (3)")
    code, errors = ended(_REFRESH, warehouse, "REFRESH STREAMING TABLE seen", f"_delta_log/{2:020d}.json", moment)
    assert code == -signal.SIGKILL, errors
    with connect(warehouse) as session:
        found = [row.id for row in session.sql("SELECT id FROM seen ORDER BY id").collect()]
        assert found == ([1, 2, 3] if moment == "after" else [1, 2])
        session.sql("INSERT INTO events VALUES (4)")
        session.sql("REFRESH STREAMING TABLE seen")
        assert [row.id for row in session.sql("SELECT id FROM seen ORDER BY id").collect()] == [1, 2, 3, 4]


@pytest.mark.parametrize(("version", "moment"), [(0, "before"), (0, "after"), (1, "before"), (1, "after")])
def test_a_creation_that_is_killed(tmp_path: Path, version: int, moment: str) -> None:
    """A repeated CREATE, or a REFRESH where the table is in the catalog already, completes an interrupted creation."""
    warehouse = str(tmp_path / "wh")
    create = "CREATE OR REFRESH STREAMING TABLE seen AS SELECT id FROM STREAM(events)"
    with connect(warehouse) as session:
        session.sql("CREATE TABLE events (id INT)")
        session.sql("INSERT INTO events VALUES (1), (2)")
    code, errors = ended(_REFRESH, warehouse, create, f"_delta_log/{version:020d}.json", moment)
    assert code == -signal.SIGKILL, errors
    with connect(warehouse) as session:
        if session.catalog.find("seen") is None and version == 0 and moment == "after":
            # As for CREATE TABLE AS: a table without a name is at the location.
            session.sql(f"CREATE TABLE seen USING delta LOCATION '{warehouse}/seen'")
            session.sql("DROP TABLE seen")
            return
        session.sql(create)
        assert [row.id for row in session.sql("SELECT id FROM seen ORDER BY id").collect()] == [1, 2]
