"""Tables whose protocol a transaction has raised, as another reader finds them."""

from __future__ import annotations

from pathlib import Path

import pytest
from deltalake import DeltaTable

import deltasql


@pytest.mark.sail
@pytest.mark.parametrize(
    ("change", "features"),
    [
        ("ADD CONSTRAINT k CHECK (a > 0)", None),
        ("SET TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')", {"changeDataFeed"}),
        ("SET TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'true')", {"inCommitTimestamp"}),
        ("SET TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')", {"allowColumnDefaults"}),
    ],
)
def test_a_protocol_of_a_transaction(change: str, features: set[str] | None, tmp_path: Path) -> None:
    with deltasql.connect(str(tmp_path), engine="sail") as session:
        for sql in (
            "CREATE TABLE c (a INT)",
            "BEGIN TRANSACTION",
            f"ALTER TABLE c {change}",
            "INSERT INTO c VALUES (1), (2)",
            "UPDATE c SET a = 7 WHERE a = 2" if features is None else "INSERT INTO c VALUES (7)",
            "COMMIT",
        ):
            session.sql(sql)
    table = DeltaTable(str(tmp_path / "c"))
    protocol = table.protocol()
    assert (table.version(), set(table.to_pyarrow_table()["a"].to_pylist()) >= {1, 7}) == (1, True)
    assert (protocol.min_writer_version == 3) if features is None else features <= set(protocol.writer_features or ())
