"""The log as Iceberg metadata: the schemas, the specs and the bounds of a table, and where it says them."""

from __future__ import annotations

import json
from datetime import date, datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pyiceberg.conversions import from_bytes

import deltasql
from deltasql.log import operations
from deltasql.log.actions.actions import AddFile
from deltasql.log.commit.transaction import Transaction
from tests.unit.log.iceberg_log import PROPERTIES, STATS, entries, metadata

KINDS: tuple[tuple[str, Any, Any, Any], ...] = (
    ("TINYINT", -1, 7, None),
    ("INT", -5, 2**31 - 1, None),
    ("BIGINT", -(2**40), 2**62, None),
    ("FLOAT", -1.5, 2.25, None),
    ("DOUBLE", -1.5, 1e300, None),
    ("STRING", "ä", "ü", None),
    ("DATE", "1969-12-31", "2024-02-29", (date(1969, 12, 31), date(2024, 2, 29))),
    ("DECIMAL(20,3)", -1.125, 99.5, (Decimal("-1.125"), Decimal("99.500"))),
)


def bounds(tmp_path: Path, kind: str, low: Any, high: Any) -> tuple[Any, Any]:
    """The bounds of a column in Iceberg's metadata, in its own type."""
    with deltasql.connect(str(tmp_path / "warehouse")) as session:
        session.sql(f"CREATE TABLE t (s STRUCT<x: {kind}>) TBLPROPERTIES ({PROPERTIES})")
        log = session.log("t")
    field = log.snapshot().schema.fields[0]
    inner = field.type.fields[0]  # type: ignore[union-attr]
    outer, name = (str(item.metadata["delta.columnMapping.physicalName"]) for item in (field, inner))
    stats = {"numRecords": 3, "minValues": {outer: {name: low}}, "maxValues": {outer: {name: high}}}
    stats["nullCount"] = {outer: {name: 1}}
    files = [AddFile("f", {}, 1, 1, stats=json.dumps(stats)), AddFile("g", {}, 1, 1, stats=STATS)]
    Transaction(log, log.snapshot()).commit(operations.WRITE, {}, files)
    file, other = (entry.data_file for entry in entries(log))
    number = inner.metadata["delta.columnMapping.id"]
    assert (other.lower_bounds, other.null_value_counts, other.record_count) == ({}, {}, 2)
    assert (file.value_counts, file.null_value_counts) == ({number: 3}, {number: 1})
    column = metadata(log).schema().find_type(number)
    return tuple(  # type: ignore[return-value]
        from_bytes(column, side[number]) if number in side else None for side in (file.lower_bounds, file.upper_bounds)
    )


@pytest.mark.parametrize(("kind", "low", "high", "expected"), KINDS)
def test_bounds(tmp_path: Path, kind: str, low: Any, high: Any, expected: Any) -> None:
    assert bounds(tmp_path, kind, low, high) == (expected or (low, high)) or kind == "DATE"
    if kind == "DATE":
        days = [(day - date(1970, 1, 1)).days for day in expected]
        assert list(bounds(tmp_path / "again", kind, low, high)) == days


def test_bounds_of_moments_are_widened(tmp_path: Path) -> None:
    low, high = "2024-01-01T10:00:00.123Z", "2024-01-01T10:00:00.123Z"
    start = int(datetime(2024, 1, 1, 10, tzinfo=timezone.utc).timestamp()) * 1_000_000 + 123_000
    assert bounds(tmp_path, "TIMESTAMP", low, high) == (start, start + 1000)


def test_nan_bounds_nothing(tmp_path: Path) -> None:
    assert bounds(tmp_path, "DOUBLE", -1.5, "NaN") == (-1.5, None)


def test_schemas_and_specs(tmp_path: Path) -> None:
    with deltasql.connect(str(tmp_path / "warehouse")) as session:
        session.sql(
            "CREATE TABLE t (k INT NOT NULL COMMENT 'a key', l ARRAY<MAP<STRING, INT>>, p DATE) PARTITIONED BY (p) "
            f"TBLPROPERTIES ({PROPERTIES})"
        )
        first = metadata(session.log("t"))
        assert [str(field) for field in first.schema().fields] == [
            "1: k: required int (a key)",
            "2: l: optional list<map<string, int>>",
            "3: p: optional date",
        ]
        assert sorted(first.schema()._lazy_id_to_name) == [1, 2, 3, 4, 5, 6]
        session.sql("ALTER TABLE t ADD COLUMN z STRING FIRST")
        session.sql("ALTER TABLE t RENAME COLUMN p TO q")
        session.sql("ALTER TABLE t ALTER COLUMN k DROP NOT NULL")
        session.sql("COMMENT ON TABLE t IS 'x'")
        last = metadata(session.log("t"))
    assert [field.name for field in last.schema().fields] == ["z", "k", "l", "q"]
    assert (len(last.schemas), last.current_schema_id, last.last_column_id) == (4, 3, 7)
    assert [(spec.spec_id, spec.fields[0].name, spec.fields[0].source_id) for spec in last.partition_specs] == [
        (0, "q", 3)
    ]
    assert last.table_uuid == first.table_uuid
    assert last.snapshots == []
    assert len(last.metadata_log) == 4


def test_describe_says_what_is_converted(tmp_path: Path) -> None:
    with deltasql.connect(str(tmp_path / "warehouse")) as session:
        session.sql(f"CREATE TABLE t (k INT) TBLPROPERTIES ({PROPERTIES})")
        session.sql("COMMENT ON TABLE t IS 'x'")
        rows = [tuple(row)[:2] for row in session.sql("DESCRIBE EXTENDED t").collect()]
        location = session.log("t").location
        session.sql("ALTER TABLE t UNSET TBLPROPERTIES ('delta.universalFormat.enabledFormats')")
        after = [row[0] for row in session.sql("DESCRIBE EXTENDED t").collect()]
    start = rows.index(("# Delta Uniform Iceberg", ""))
    assert rows[start + 1 : start + 3] == [
        ("Metadata location", f"file://{location}/metadata/v2.metadata.json"),
        ("Converted delta version", "1"),
    ]
    assert rows[start + 3][1].endswith("+00:00")
    assert "# Delta Uniform Iceberg" not in after
