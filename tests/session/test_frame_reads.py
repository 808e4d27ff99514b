"""Tables as DataFrames: versions, times and changes, by PySpark's options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from deltasql import DeltaSqlError, Session

pytestmark = pytest.mark.spark


@pytest.fixture
def table(session: Session) -> Session:
    session.sql("CREATE TABLE t (id INT) TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')")
    session.sql("INSERT INTO t VALUES (1)")
    session.sql("INSERT INTO t VALUES (2)")
    return session


def ids(rows: Any) -> list[int]:
    return sorted(row.id for row in rows.collect())


def test_a_table_by_name_and_by_path(table: Session) -> None:
    assert ids(table.table("t")) == [1, 2]
    assert ids(table.table("t@v1")) == [1]
    assert ids(table.read.table("`t`")) == [1, 2]
    location = table.log("t").location
    assert ids(table.read.format("delta").load(location)) == [1, 2]
    assert ids(table.read.option("path", location).load(versionAsOf=1)) == [1]


def test_a_version_and_a_time(table: Session) -> None:
    assert ids(table.read.option("versionAsOf", 1).table("t")) == [1]
    at = table.sql("DESCRIBE HISTORY t").collect()[0].timestamp.isoformat()
    assert ids(table.read.option("timestampAsOf", at).table("t")) == [1, 2]


def test_changes(table: Session) -> None:
    changes = table.read.option("readChangeFeed", True)
    rows = changes.option("startingVersion", 1).table("t")
    assert sorted((row.id, row._change_type, row._commit_version) for row in rows.collect()) == [
        (1, "insert", 1),
        (2, "insert", 2),
    ]
    assert ids(changes.option("endingVersion", 1).table("t")) == [1]
    assert ids(changes.option("endingVersion", 1).load(table.log("t").location)) == [1]


@pytest.mark.parametrize(
    ("read", "condition"),
    [
        (lambda r: r.options(versionAsOf=0, timestampAsOf="2020-01-01").table("t"), "DELTA_ONEOF_IN_TIMETRAVEL"),
        (lambda r: r.option("versionAsOf", "x").table("t"), "DELTA_TIME_TRAVEL_INVALID_BEGIN_VALUE"),
        (lambda r: r.option("versionAsOf", 9).table("t"), "DELTA_VERSION_NOT_FOUND"),
        (lambda r: r.option("timestampAsOf", "zzz").table("t"), "DELTA_TIMESTAMP_INVALID"),
        (lambda r: r.option("readChangeFeed", True).table("t"), "DELTA_NO_START_FOR_CDC_READ"),
        (lambda r: r.option("readChangeFeed", "maybe").table("t"), "DELTA_ILLEGAL_OPTION"),
        (
            lambda r: r.options(readChangeFeed=True, startingVersion=0, startingTimestamp="2020-01-01").table("t"),
            "DELTA_MULTIPLE_CDC_BOUNDARY",
        ),
        (
            lambda r: r.options(readChangeFeed=True, startingVersion=0, endingVersion=1, endingTimestamp="x").table(
                "t"
            ),
            "DELTA_MULTIPLE_CDC_BOUNDARY",
        ),
        (lambda r: r.options(readChangeFeed=True, startingVersion="x").table("t"), "DELTA_ILLEGAL_OPTION"),
        (lambda r: r.schema("id INT").table("t"), "DELTA_UNSUPPORTED_SCHEMA_DURING_READ"),
        (lambda r: r.load(), "DELTA_MISSING_PATH"),
        (lambda r: r.format("csv").table("t"), "DELTA_OPERATION_NOT_ALLOWED"),
    ],
)
def test_what_a_reader_refuses(table: Session, read: Callable[[Any], object], condition: str) -> None:
    with pytest.raises(DeltaSqlError) as caught:
        read(table.read)
    assert caught.value.condition == condition
