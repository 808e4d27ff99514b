"""Files of dropped tables, which can come back for some days."""

from __future__ import annotations

import json
from pathlib import Path

import deltasql


def test_expired_tables_beside_it(tmp_path: Path) -> None:
    """VACUUM removes the files of tables that were dropped from its folder too long ago to come back."""
    with deltasql.connect(str(tmp_path)) as session:
        session.sql("CREATE TABLE gone AS SELECT 1 AS a")
        session.sql("CREATE TABLE t AS SELECT 1 AS a")
        session.sql("DROP TABLE gone")
        session.sql("VACUUM t")
        (dropped,) = tmp_path.glob(".*.dropped")
        record = dropped / "_deltasql_dropped.json"
        document = json.loads(record.read_text(encoding="utf-8"))
        record.write_text(json.dumps({**document, "dropped_at": 0}), encoding="utf-8")
        session.sql("VACUUM t DRY RUN")
        assert dropped.exists()
        session.sql("VACUUM t")
        assert not dropped.exists()
