"""Tables with many features at once: each is tested alone elsewhere, here they meet."""

from __future__ import annotations

from pathlib import Path

import pytest

import deltasql
from tests.interop.readers import Rows, own_rows, versions_of_delta_spark
from tests.oracle.client import oracle

PROPERTIES = {
    "delta.enableDeletionVectors": "true",
    "delta.enableChangeDataFeed": "true",
    "delta.enableRowTracking": "true",
    "delta.enableInCommitTimestamps": "true",
    "delta.enableTypeWidening": "true",
    "delta.checkpointPolicy": "v2",
    "delta.checkpointInterval": "4",
    "delta.feature.allowColumnDefaults": "supported",
}
COLUMNS = (
    "id BIGINT NOT NULL, n SMALLINT, v STRING DEFAULT 'none', d DATE, s STRUCT<x: INT, `y z`: STRING>, "
    "g INT GENERATED ALWAYS AS (year(d)), p STRING"
)
SCRIPT = (
    "INSERT INTO {t} (id, n, d, s, p) SELECT id, cast(id AS SMALLINT), date_add(DATE'2024-01-01', cast(id * 40 AS INT)), "
    "named_struct('x', cast(id AS INT), 'y z', 'q'), concat('p ', id % 2) FROM range(0, 20, 1, 1)",
    "UPDATE {t} SET v = 'u', s.x = -1 WHERE id IN (1, 2)",
    "ALTER TABLE {t} ALTER COLUMN n TYPE INT",
    "DELETE FROM {t} WHERE id IN (3, 4)",
    "ALTER TABLE {t} ADD COLUMN extra STRING AFTER n",
    "MERGE INTO {t} t USING (SELECT * FROM VALUES (5L, 70000), (6L, 6), (50L, 50) AS q(id, n)) q ON t.id = q.id "
    "WHEN MATCHED AND q.id = 6 THEN DELETE WHEN MATCHED THEN UPDATE SET n = q.n, d = DATE'2030-01-01' "
    "WHEN NOT MATCHED THEN INSERT (id, n, d, p) VALUES (q.id, q.n, DATE'2031-05-05', 'new')",
    "ALTER TABLE {t} ADD CONSTRAINT positive CHECK (id >= 0)",
    "INSERT INTO {t} (id, d, p) VALUES (60, DATE'2032-02-02', NULL)",
    "UPDATE {t} SET p = 'moved' WHERE id = 10",
    "DELETE FROM {t} WHERE p = 'p 1' AND id > 15",
    "OPTIMIZE {t}",
    "UPDATE {t} SET extra = 'late' WHERE id < 12",
)
AFTER_SCHEMA_CHANGES = 6
"""delta-spark reads no feed across a type that was widened."""
FEED = "SELECT id, n, v, g, p, _change_type, _commit_version FROM table_changes_by_path('{path}', {start})"
IDS = "SELECT id, _metadata.row_id, _metadata.row_commit_version FROM {t}"


def script(table: str, mapping: str, layout: str) -> list[str]:
    properties = PROPERTIES | {"delta.columnMapping.mode": mapping}
    listed = ", ".join(f"'{key}' = '{value}'" for key, value in properties.items())
    # Without column mapping a name must not hold a blank.
    columns = COLUMNS if mapping != "none" else COLUMNS.replace("`y z`", "yz")
    create = f"CREATE TABLE {table} ({columns}) USING delta {layout} TBLPROPERTIES ({listed})"
    return [
        create,
        *(text.format(t=table).replace("'y z'", "'y z'" if mapping != "none" else "'yz'") for text in SCRIPT),
    ]


def ordered(rows: Rows) -> Rows:
    return sorted(rows, key=str)


@pytest.mark.parametrize(("mapping", "layout"), [("none", "PARTITIONED BY (p)"), ("name", "CLUSTER BY (id)")])
def test_both_write_in_turn_and_read_the_same(
    mapping: str, layout: str, session: deltasql.Session, tmp_path: Path
) -> None:
    path = tmp_path / "together"
    table = f"delta.`{path}`"
    for number, text in enumerate(script(table, mapping, layout)):
        if number % 2 == 0:
            session.sql(text)
        else:
            oracle().run(text)
    versions = range(session.log(table).snapshot().version + 1)
    for version, theirs in zip(versions, versions_of_delta_spark(path, versions), strict=True):
        found = own_rows(session, f"SELECT * FROM {table} VERSION AS OF {version}")
        assert found == theirs, f"version {version}"
    feed = FEED.format(path=path, start=AFTER_SCHEMA_CHANGES)
    assert ordered(own_rows(session, feed)) == ordered(oracle().run(feed)[0]["rows"])
    ids = IDS.format(t=table)
    assert ordered(own_rows(session, ids)) == ordered(oracle().run(ids)[0]["rows"])
    assert len({row[1] for row in own_rows(session, ids)}) == len(own_rows(session, ids))
