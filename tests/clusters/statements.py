"""Statements of each family, with the rows that they give: the same on every cluster and whoever moves the files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from deltasql import Session
from deltasql.base.errors import FilesNotSharedError, StagedRowsMissingError
from deltasql.base.errors.base import DeltaSqlError

FEED = "TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')"
VECTORS = "TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"

_MERGED = (
    "USING (SELECT CAST(id AS INT) AS id, 'merged' AS v FROM range(4, 8)) AS s ON t.id = s.id "
    "WHEN MATCHED AND s.id = 4 THEN DELETE WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
)
_CHANGES = "SELECT _change_type, count(*), sum(id) FROM table_changes('{}', {}) GROUP BY ALL ORDER BY 1"

SCRIPT: Sequence[tuple[str, Sequence[tuple[Any, ...]] | None]] = (
    # Rows that are rewritten, with their change data feed.
    (f"CREATE TABLE plain (id INT, v STRING) {FEED}", []),
    ("INSERT INTO plain VALUES (1, 'a'), (2, NULL)", [(2, 2)]),
    ("INSERT INTO plain SELECT CAST(id AS INT), 'x' FROM range(3, 6)", [(3, 3)]),
    ("SELECT count(*), sum(id), max(v) FROM plain", [(5, 15, "x")]),
    ("UPDATE plain SET v = upper(v) WHERE id > 3", [(2,)]),
    ("DELETE FROM plain WHERE id IN (SELECT id FROM plain WHERE id = 2)", [(1,)]),
    (f"MERGE INTO plain AS t {_MERGED}", [(4, 1, 1, 2)]),
    ("SELECT * FROM plain ORDER BY id", [(1, "a"), (3, "x"), (5, "merged"), (6, "merged"), (7, "merged")]),
    (
        _CHANGES.format("plain", 1),
        [("delete", 2, 6), ("insert", 7, 28), ("update_postimage", 3, 14), ("update_preimage", 3, 14)],
    ),
    ("SELECT count(*) FROM plain VERSION AS OF 1", [(2,)]),
    ("OPTIMIZE plain", None),
    ("SELECT count(*), sum(id) FROM plain", [(5, 22)]),
    ("SELECT a.id FROM plain a LEFT ANTI JOIN (SELECT 1 AS id) b ON a.id = b.id ORDER BY 1 LIMIT 2", [(3,), (5,)]),
    # Rows that are marked.
    (f"CREATE TABLE marked (id BIGINT, s STRUCT<a: INT, b: ARRAY<STRING>>, m MAP<STRING, INT>) {VECTORS}", []),
    ("INSERT INTO marked SELECT id, struct(id, array('q', NULL)), map('k', id) FROM range(20)", [(20, 20)]),
    ("DELETE FROM marked WHERE id < 3", [(3,)]),
    ("UPDATE marked SET s.a = s.a * 10, m = NULL WHERE id BETWEEN 10 AND 11", [(2,)]),
    (
        "MERGE INTO marked AS t USING (VALUES (5), (90) AS s(id)) AS s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET s.a = -1 WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id) "
        "WHEN NOT MATCHED BY SOURCE AND t.id = 19 THEN DELETE",
        [(3, 1, 1, 1)],
    ),
    ("SELECT count(*), sum(id), sum(s.a), count(m), max(s.b[0]) FROM marked", [(17, 258, 351, 14, "q")]),
    ("REORG TABLE marked APPLY (PURGE)", None),
    ("SELECT count(*), sum(id) FROM marked", [(17, 258)]),
    # Partitions, whose values become directories.
    (
        "CREATE TABLE parted (id INT, day DATE, kind STRING, big BIGINT GENERATED ALWAYS AS (CAST(id AS BIGINT) * 2)) "
        "PARTITIONED BY (day, kind)",
        [],
    ),
    (
        "INSERT INTO parted (id, day, kind) SELECT CAST(id AS INT), date_add(DATE'2024-01-01', CAST(id % 2 AS INT)), "
        "CASE WHEN id < 2 THEN 'a b/ü' END FROM range(6)",
        [(6, 6)],
    ),
    ("SELECT day, kind, count(*), sum(big) FROM parted WHERE kind IS NOT NULL GROUP BY ALL ORDER BY day", None),
    ("UPDATE parted SET kind = 'c' WHERE id = 4", [(1,)]),
    ("DELETE FROM parted WHERE day = DATE'2024-01-02' AND kind IS NULL", [(2,)]),
    ("INSERT OVERWRITE parted (id, day, kind) SELECT id + 100, day, kind FROM parted", [(4, 4)]),
    (
        "SELECT id, kind, big FROM parted ORDER BY id",
        [(100, "a b/ü", 200), (101, "a b/ü", 202), (102, None, 204), (104, "c", 208)],
    ),
    # Columns with numbers of their own, other names, other values.
    (
        "CREATE TABLE counted (n BIGINT GENERATED ALWAYS AS IDENTITY, x INT DEFAULT 7) "
        "TBLPROPERTIES ('delta.columnMapping.mode' = 'name', 'delta.feature.allowColumnDefaults' = 'supported')",
        [],
    ),
    ("INSERT INTO counted (x) VALUES (DEFAULT), (1)", [(2, 2)]),
    ("ALTER TABLE counted RENAME COLUMN x TO y", []),
    ("ALTER TABLE counted ADD CONSTRAINT small CHECK (y < 9)", None),
    ("INSERT INTO counted (y) SELECT CAST(id AS INT) FROM range(3)", [(3, 3)]),
    # Tasks take numbers in blocks: how many tasks there are is the matter of the cluster.
    ("SELECT count(DISTINCT n), min(n), sum(y) FROM counted", [(5, 1, 11)]),
    # Order, layout, upkeep.
    ("CREATE TABLE ordered CLUSTER BY (a) AS SELECT id AS a, id % 7 AS b FROM range(500)", None),
    ("OPTIMIZE ordered FULL", None),
    ("OPTIMIZE plain ZORDER BY (id)", None),
    ("SELECT count(*), sum(a), max(b) FROM ordered", [(500, 124750, 6)]),
    ("CREATE OR REPLACE TABLE ordered AS SELECT * FROM ordered WHERE a < 10", None),
    ("RESTORE TABLE ordered TO VERSION AS OF 0", None),
    ("SELECT count(*) FROM ordered", [(500,)]),
    # Views and names that only Spark's analyser resolves.
    ("CREATE TEMPORARY VIEW seen AS SELECT id FROM plain WHERE id > 4", None),
    ("SELECT count(*) FROM seen", [(3,)]),
    ("WITH w AS (SELECT * FROM seen) SELECT max(id) FROM w WHERE id NOT IN (SELECT id FROM marked)", [(None,)]),
    ("SELECT 1 AS one UNION ALL SELECT 2 ORDER BY 1", [(1,), (2,)]),
    ("VACUUM plain DRY RUN", None),
    ("FSCK REPAIR TABLE plain DRY RUN", None),
)

REFUSED = (
    ("INSERT INTO counted (y) VALUES (10)", "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES"),
    ("INSERT INTO plain VALUES ('no number', 'x')", "CAST_INVALID_INPUT"),
    ("SELECT nothing FROM plain", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
    ("SELECT * FROM plain WHERE", "PARSE_SYNTAX_ERROR"),
    ("SELECT raise_error('mine')", "USER_RAISED_EXCEPTION"),
    (
        "MERGE INTO plain AS t USING (VALUES (1, 'p'), (1, 'q') AS s(id, v)) AS s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET *",
        "DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE",
    ),
)
"""What is refused once the script has run, with the condition that says so."""


def run_script(session: Session) -> None:
    """Runs all, and says which statement gave something else."""
    for sql, expected in SCRIPT:
        rows = [tuple(row) for row in session.sql(sql).collect()]
        assert expected is None or rows == list(expected), (sql, rows)


def check_refusals(session: Session) -> None:
    """Once the script has run: each is refused with its own condition, and changes nothing."""
    for sql, condition in REFUSED:
        with pytest.raises(DeltaSqlError) as caught:
            session.sql(sql).collect()
        assert caught.value.condition == condition, sql
    assert session.sql("SELECT count(*), sum(id) FROM plain").collect() == [(5, 22)]


def check_not_shared(session: Session) -> None:
    """Spark does not see the session's disk: whatever reads or writes says so, and changes nothing."""
    session.sql(f"CREATE TABLE here (id INT, v STRING) {VECTORS}")
    session.sql("SET deltasql.io.mode = DRIVER")
    for _ in range(2):
        session.sql("INSERT INTO here SELECT 1, 'a'")
    for mode in ("AUTO", "EXECUTORS"):
        session.sql(f"SET deltasql.io.mode = {mode}")
        for sql in NEED_THE_DISK:
            # Nor is a file passed over that is there, and only Spark does not see.
            for missing in ("false", "true"):
                session.sql(f"SET spark.sql.files.ignoreMissingFiles = {missing}")
                with pytest.raises((StagedRowsMissingError, FilesNotSharedError), match=r"deltasql\.io\.mode = DRIVER"):
                    session.sql(sql).collect()
    assert newest_version(session, "here") == 2
    session.sql("SET deltasql.io.mode = DRIVER")
    assert session.sql("SELECT * FROM here").collect() == [(1, "a"), (1, "a")]
    session.sql("RESET")


NEED_THE_DISK = (
    "SELECT * FROM here",
    "INSERT INTO here SELECT CAST(id AS INT), 'b' FROM range(10)",
    "UPDATE here SET v = 'b'",
    "DELETE FROM here WHERE v LIKE '%a'",
    "MERGE INTO here AS t USING (SELECT 1 AS id) AS s ON t.id = s.id WHEN MATCHED THEN DELETE",
    "OPTIMIZE here",
)


def newest_version(session: Session, table: str) -> int:
    return max(int(row[0]) for row in session.sql(f"DESCRIBE HISTORY {table}").collect())
