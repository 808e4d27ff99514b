"""`numSourceRows` of a MERGE by Spark: each source row counts once, whether or not it matches a row of the target."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from deltasql import Session
from tests.ways.compare import CDF, MAPPED, TRACKED, VECTORS

pytestmark = pytest.mark.spark

SOURCE = "(SELECT * FROM s WHERE v > 0)"
"""Twenty rows with keys from 5; the target has ten, with keys from 0."""


@pytest.fixture(params=[MAPPED, VECTORS, f"{VECTORS}, {CDF}", f"{TRACKED}, {CDF}"])
def merged(session: Session, request: pytest.FixtureRequest) -> Iterator[Session]:
    session.sql("SET deltasql.compute = ENGINE")
    session.sql(f"CREATE TABLE t (k BIGINT, v BIGINT) TBLPROPERTIES ({request.param})")
    session.sql("INSERT INTO t SELECT id, id FROM range(10)")
    session.sql("CREATE TABLE s AS SELECT id AS k, id AS v FROM range(5, 25)")
    yield session
    session.sql("RESET deltasql.compute")


@pytest.mark.parametrize(
    ("on", "clauses", "changed"),
    [
        ("t.k = s.k", "WHEN MATCHED THEN UPDATE SET v = s.v + 1", 5),
        ("t.k = s.k", "WHEN MATCHED THEN DELETE", 5),
        ("t.k = s.k", "WHEN NOT MATCHED THEN INSERT *", 15),
        ("t.k = s.k", "WHEN MATCHED AND s.k = 6 THEN DELETE WHEN NOT MATCHED AND s.k > 20 THEN INSERT *", 5),
        ("t.k = s.k", "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED BY SOURCE THEN DELETE", 10),
        ("t.k % 2 = s.k - 7", "WHEN MATCHED THEN UPDATE SET v = -1", 10),
        ("t.k % 2 = s.k - 7", "WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT *", 28),
        ("t.k <= s.k", "WHEN MATCHED AND s.k = 9 THEN UPDATE SET v = 0", 10),
        ("t.k <= s.k", "WHEN MATCHED AND s.k = 9 THEN DELETE", 10),
        ("t.k = s.k AND t.k > 100", "WHEN MATCHED THEN DELETE", 0),
    ],
)
def test_each_source_row_counts_once(merged: Session, on: str, clauses: str, changed: int) -> None:
    done = merged.sql(f"MERGE INTO t USING {SOURCE} AS s ON {on} {clauses}")
    assert (done.metrics["numSourceRows"], done.collect()[0][0]) == (20, changed)


def test_an_empty_table_has_a_source_too(merged: Session) -> None:
    merged.sql("DELETE FROM t")
    for clause, changed in {"MATCHED THEN DELETE": 0, "NOT MATCHED THEN INSERT *": 20}.items():
        done = merged.sql(f"MERGE INTO t USING {SOURCE} AS s ON t.k = s.k WHEN {clause}")
        assert (done.metrics["numSourceRows"], done.collect()[0][0]) == (20, changed)
