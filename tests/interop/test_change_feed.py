"""Change data feeds that one engine writes and another reads."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable

import deltasql
from tests.interop.readers import Rows, own_rows
from tests.oracle.client import oracle
from tests.oracle.values import arrow_rows

PROPERTIES = {
    "copy on write": "'delta.enableChangeDataFeed' = 'true'",
    "deletion vectors": "'delta.enableChangeDataFeed' = 'true', 'delta.enableDeletionVectors' = 'true'",
    "mapped columns": "'delta.enableChangeDataFeed' = 'true', 'delta.columnMapping.mode' = 'id'",
}
SCRIPT = (
    "CREATE TABLE {t} (id INT, v STRING, p INT) USING delta PARTITIONED BY (p) TBLPROPERTIES ({properties})",
    "INSERT INTO {t} SELECT cast(id AS INT), 'v' || id, cast(id % 2 AS INT) FROM range(0, 20, 1, 1)",
    "UPDATE {t} SET v = 'u', p = 3 WHERE id IN (1, 2)",
    "DELETE FROM {t} WHERE id IN (3, 4)",
    "MERGE INTO {t} t USING (SELECT * FROM VALUES (5, 'm', 1), (6, 'd', 0), (50, 'n', 9) AS s(id, v, p)) s ON t.id = s.id "
    "WHEN MATCHED AND s.v = 'd' THEN DELETE WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
    "DELETE FROM {t} WHERE p = 0",
    "INSERT OVERWRITE {t} SELECT 7, 'o', 7",
)
FEED = "SELECT id, v, p, _change_type, _commit_version FROM table_changes_by_path('{path}', 0)"


def theirs(path: Path) -> Rows:
    rows: Rows = oracle().run(FEED.format(path=path))[0]["rows"]
    return sorted(rows, key=str)


def ours(session: deltasql.Session, path: Path) -> Rows:
    return sorted(own_rows(session, FEED.format(path=path)), key=str)


@pytest.mark.parametrize("kind", PROPERTIES)
@pytest.mark.parametrize("writer", ["ours", "delta-spark"])
def test_both_tell_the_same_changes(writer: str, kind: str, session: deltasql.Session, tmp_path: Path) -> None:
    path = tmp_path / "feed"
    script = [text.format(t=f"delta.`{path}`", properties=PROPERTIES[kind]) for text in SCRIPT]
    if writer == "ours":
        for text in script:
            session.sql(text)
    else:
        oracle().run(*script)
    found = ours(session, path)
    assert found == theirs(path)
    assert len(found) == 20 + 4 + 2 + 4 + 8 + 10 + 1
    if kind == "copy on write":
        feed = pa.table(DeltaTable(str(path)).load_cdf(starting_version=0).read_all())
        names = ["id", "v", "p", "_change_type", "_commit_version"]
        assert sorted(arrow_rows(_plain(feed.select(names))), key=str) == found


TRANSACTIONS = (
    "BEGIN ATOMIC INSERT INTO {t} VALUES (30, 'n', 1); UPDATE {t} SET v = 'u' WHERE id = 2; DELETE FROM {t} WHERE id = 4; END",
    "BEGIN ATOMIC DELETE FROM {t} WHERE id = 6; INSERT INTO {t} VALUES (31, 'n', 1), (32, 'n', 0); DELETE FROM {t} WHERE id = 32; END",
    "BEGIN ATOMIC UPDATE {t} SET p = 5 WHERE id IN (8, 9); INSERT INTO {t} VALUES (33, 'n', 0); END",
)


@pytest.mark.parametrize("kind", ["deletion vectors", "mapped columns"])
def test_so_they_do_of_transactions(kind: str, session: deltasql.Session, tmp_path: Path) -> None:
    path = tmp_path / "feed"
    properties = "'delta.enableDeletionVectors' = 'true', " if kind == "mapped columns" else ""
    for text in (*SCRIPT[:2], *TRANSACTIONS):
        session.sql(text.format(t=f"delta.`{path}`", properties=properties + PROPERTIES[kind]))
    found = ours(session, path)
    assert found == theirs(path)
    assert len(found) == 20 + 4 + 2 + 5


def _plain(rows: pa.Table) -> pa.Table:
    return rows.cast(pa.schema([field.with_type(_KINDS.get(field.type, field.type)) for field in rows.schema]))


_KINDS = {pa.string_view(): pa.string()}
