"""Changed rows of many files are fetched from Sail for some files at a time."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sail.process import SailProcess

UPDATE = "UPDATE bounded SET v = upper(v) WHERE k % 3 = 0"
MERGE = (
    "MERGE INTO bounded t USING (SELECT id * 2 AS k, concat('n', id) AS v FROM range(25000)) s ON t.k = s.k"
    " WHEN MATCHED AND t.k % 4 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET v = upper(s.v)"
    " WHEN NOT MATCHED THEN INSERT *"
)
DELETE = "DELETE FROM bounded WHERE right(v, 1) IN ('a', '7')"


@pytest.mark.parametrize("statement", [UPDATE, MERGE, DELETE])
@pytest.mark.parametrize("feed", ["false", "true"])
def test_groups_of_files_give_what_all_at_once_give(sail: SailProcess, statement: str, feed: str) -> None:
    whole = _done(sail, statement, feed)
    sail.rows("SET deltasql.memory.limit = 1")
    try:
        assert _done(sail, statement, feed) == whole
    finally:
        sail.rows("RESET deltasql.memory.limit")


def _done(sail: SailProcess, statement: str, feed: str) -> list[Any]:
    """The counts of a statement on four files, and the rows that it leaves."""
    properties = f"'delta.enableChangeDataFeed' = '{feed}', 'delta.enableDeletionVectors' = 'false'"
    sail.rows(f"CREATE OR REPLACE TABLE bounded (k BIGINT, v STRING) TBLPROPERTIES ({properties})")
    # More than a rewrite in one pass takes.
    for first in range(0, 40_000, 10_000):
        sail.rows(f"INSERT INTO bounded SELECT id, sha2(CAST(id AS STRING), 256) FROM range({first}, {first + 10_000})")
    counts = sail.rows(statement)
    return [counts, sail.rows("SELECT count(*), sum(k), sum(hash(k, v)), min(v) FROM bounded")]
