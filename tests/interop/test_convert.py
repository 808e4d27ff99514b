"""Folders of Parquet files and tables of Iceberg that we have converted: other engines read what we read."""

from __future__ import annotations

from datetime import date, datetime, timezone
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import deltasql
from tests.interop.readers import READERS, delta_spark, own_rows

ROWS = pa.table(
    {
        "id": pa.array([1, 2], pa.int32()),
        "u": pa.array([1, 2**32 - 1], pa.uint32()),
        "d": pa.array([Decimal("1.25"), None], pa.decimal128(10, 2)),
        "at": pa.array([datetime(2024, 1, 1, tzinfo=timezone.utc), None], pa.timestamp("us", "UTC")),
        "s": pa.array([{"x": 1, "l": [1, None]}, None], pa.struct([("x", pa.int64()), ("l", pa.list_(pa.int64()))])),
    }
)


def test_a_folder_of_parquet_files(session: deltasql.Session, tmp_path: Path) -> None:
    root = tmp_path / "raw"
    for place, rows in (
        ("p=1/q=a b%2Fü", ROWS),
        ("p=2/q=__HIVE_DEFAULT_PARTITION__", ROWS.select(["id", "s"])),
    ):
        (root / place).mkdir(parents=True)
        pq.write_table(rows, root / place / "x.parquet")
    session.sql(f"CONVERT TO DELTA parquet.`{root}` PARTITIONED BY (p INT, q STRING)")
    query = f"SELECT * FROM delta.`{root}`"
    rows = own_rows(session, query)
    assert len(rows) == 4
    for name, read in READERS.items():
        assert read(root, None) == rows, name
    session.sql(f"UPDATE delta.`{root}` SET u = 7 WHERE p = 2 AND id = 1")
    session.sql(f"INSERT INTO delta.`{root}` (id, p, q) VALUES (9, 3, 'new')")
    rows = own_rows(session, query)
    assert delta_spark(root) == rows
    assert [row for row in delta_spark(root) if 7 in row]


@pytest.mark.filterwarnings("ignore")
def test_a_table_of_icebergs(session: deltasql.Session, tmp_path: Path) -> None:
    pytest.importorskip("pyiceberg")
    from pyiceberg import types
    from pyiceberg.partitioning import PartitionField, PartitionSpec
    from pyiceberg.schema import Schema
    from pyiceberg.transforms import IdentityTransform

    from tests.iceberg_tables import append, iceberg_table

    root = tmp_path / "iceberg"
    element = types.ListType(4, types.LongType(), element_required=False)
    fields = [("a", types.IntegerType()), ("p", types.DateType()), ("l", element)]
    schema = Schema(*(types.NestedField(number, name, kind) for number, (name, kind) in enumerate(fields, 1)))
    table = iceberg_table(str(root), schema, PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "p")))
    append(
        table,
        a=pa.array([1, 2], pa.int32()),
        p=pa.array([date(2024, 1, 1), None]),
        l=pa.array([[1, None], []], pa.list_(pa.int64())),
    )
    with table.update_schema() as change:
        change.rename_column("a", "b").add_column("c", types.StringType())
    session.sql(f"CONVERT TO DELTA iceberg.`{root}`")
    session.sql(f"INSERT INTO delta.`{root}` VALUES (3, DATE '2024-01-02', array(3), 'new')")
    rows = own_rows(session, f"SELECT * FROM delta.`{root}`")
    assert len(rows) == 3
    assert delta_spark(root) == rows
