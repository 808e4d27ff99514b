"""EXPLAIN names the way that a statement is then computed, in this process or by an engine."""

from __future__ import annotations

import pytest

from deltasql import Session
from deltasql.engines.local import aggregates, selections
from deltasql.engines.local import rewrites as rewritten_here
from deltasql.plan import ComputedBy
from tests.ways.compare import StartedError

CORNERS = (
    "UPDATE e SET v = 'x' WHERE id = 1",
    "UPDATE e SET v = 'x'",
    "UPDATE e SET v = upper(v) WHERE id = 1",
    "UPDATE e SET p = 7 WHERE id = 2",
    "DELETE FROM e WHERE id > 1 OR v IS NULL",
    "DELETE FROM e WHERE id IN (SELECT id FROM s)",
    "MERGE INTO e USING s ON e.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT *",
    "MERGE INTO e USING s ON e.id = s.id AND e.p = s.p WHEN MATCHED AND e.v = 'a' THEN DELETE",
    "MERGE INTO e USING s ON e.id > s.id WHEN MATCHED THEN DELETE",
    "MERGE INTO e USING s ON e.id = s.id WHEN NOT MATCHED BY SOURCE THEN UPDATE SET v = 'gone'",
    "INSERT INTO e SELECT id, v, p FROM s WHERE id > 1",
    "SELECT v, p FROM e WHERE id > 1 ORDER BY v LIMIT 1",
    "SELECT p, count(*), max(v) FROM e GROUP BY p",
)
"""Statements over columns whose types are known without an engine: else it is asked for these, by EXPLAIN as well."""


@pytest.mark.parametrize("small", [True, False])
@pytest.mark.parametrize(
    "clauses",
    [
        "",
        " PARTITIONED BY (p)",
        " TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')",
        " TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')",
        " TBLPROPERTIES ('delta.enableRowTracking' = 'true')",
        " TBLPROPERTIES ('delta.columnMapping.mode' = 'name')",
    ],
)
def test_explain_names_the_way_that_is_taken(
    sleeping: Session, monkeypatch: pytest.MonkeyPatch, clauses: str, small: bool
) -> None:
    for module in (rewritten_here, selections, aggregates):
        monkeypatch.setattr(module, "is_small", lambda _: small)
    sleeping.sql("CREATE TABLE s (id INT, v STRING, p INT)")
    sleeping.sql("INSERT INTO s VALUES (1, 's', 1), (9, 'n', 2)")
    for statement in CORNERS:
        sleeping.sql(f"CREATE OR REPLACE TABLE e (id INT, v STRING, p INT){clauses}")
        sleeping.sql("INSERT INTO e VALUES (1, 'a', 1), (2, 'b', 1), (3, NULL, 2)")
        (plan,) = sleeping.sql(f"EXPLAIN {statement}").collect()[0]
        said = plan.partition("== Rows ==\n")[2].partition("\n")[0]
        try:
            result = sleeping.sql(statement)
            result.collect()
            taken = "computed in this process"
            assert [way.by for way in result.ways] == [ComputedBy.PROCESS], statement
        except StartedError:
            taken = "computed by the engine"
        assert said.startswith(taken), f"{statement}: {said}"
