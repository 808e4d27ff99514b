"""delta-rs reads from S3 what we wrote there, and we read and change what it wrote."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

from deltasql import Session, connect
from tests.stores.conftest import Store

deltalake = pytest.importorskip("deltalake")

pytestmark = pytest.mark.spark

os.environ.setdefault("DELTASQL_MASTER", "local[2]")


@pytest.fixture
def session(s3: Store) -> Iterator[Session]:
    with connect(s3.url("wh")) as opened:
        opened.sql("SET deltasql.io.mode = DRIVER")
        yield opened
        opened.sql("RESET")


def theirs(s3: Store, name: str) -> Any:
    return deltalake.DeltaTable(s3.url(name), storage_options=s3.environment)


def rows(table: Any) -> list[dict[str, Any]]:
    return sorted(pa.table(table.to_pyarrow_table()).to_pylist(), key=lambda row: row["id"])


def test_they_read_ours(s3: Store, session: Session) -> None:
    session.sql("CREATE TABLE t (id BIGINT, d DOUBLE, p STRING, at TIMESTAMP) PARTITIONED BY (p)")
    session.sql(
        "INSERT INTO t SELECT id, id / 2, if(id = 1, NULL, 'a b/' || id), timestamp_micros(id) FROM range(0, 4, 1, 1)"
    )
    session.sql("UPDATE t SET d = -0.0D WHERE id = 2")
    session.sql("MERGE INTO t USING (SELECT 3L AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE")
    table = theirs(s3, "wh/t")
    assert table.version() == 3
    assert [(row["id"], row["d"], row["p"]) for row in rows(table)] == [
        (0, 0.0, "a b/0"),
        (1, 0.5, None),
        (2, 0, "a b/2"),
    ]
    assert rows(table)[1]["at"].microsecond == 1
    (found,) = table.to_pyarrow_table(filters=[("id", "=", 2)]).to_pylist()
    assert found["p"] == "a b/2"


def test_we_change_theirs(s3: Store, session: Session) -> None:
    data = pa.table({"id": [1, 2, 3], "p": ["a/b", None, "ü x"], "s": [{"x": 1.5}, None, {"x": None}]})
    deltalake.write_deltalake(s3.url("theirs"), data, partition_by=["p"], storage_options=s3.environment)
    table = f"delta.`{s3.url('theirs')}`"
    assert sorted(session.sql(f"SELECT id, p, s.x FROM {table}").collect()) == [
        (1, "a/b", 1.5),
        (2, None, None),
        (3, "ü x", None),
    ]
    session.sql(f"UPDATE {table} SET s = named_struct('x', 9D) WHERE p = 'ü x'")
    session.sql(f"DELETE FROM {table} WHERE p IS NULL")
    deltalake.write_deltalake(s3.url("theirs"), data.slice(0, 1), mode="append", storage_options=s3.environment)
    session.sql(
        f"MERGE INTO {table} t USING (SELECT 7L AS id, 'new' AS p) s ON t.id = s.id "
        "WHEN NOT MATCHED THEN INSERT (id, p) VALUES (s.id, s.p)"
    )
    want = [(1, "a/b"), (1, "a/b"), (3, "ü x"), (7, "new")]
    assert sorted(tuple(row) for row in session.sql(f"SELECT id, p FROM {table}").collect()) == want
    assert sorted((row["id"], row["p"]) for row in rows(theirs(s3, "theirs"))) == want
