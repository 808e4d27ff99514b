"""Tables that PyIceberg made become Delta's, by their metadata: columns under their ids, identity partitions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date, datetime, timezone
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from deltasql import DeltaSqlError, Session

pytest.importorskip("pyiceberg")

from pyiceberg import types as iceberg
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import BucketTransform, IdentityTransform, Transform

import deltasql
from tests.iceberg_tables import iceberg_table

pytestmark = pytest.mark.filterwarnings("ignore")

FIELDS = (
    iceberg.NestedField(1, "a", iceberg.IntegerType(), doc="first"),
    iceberg.NestedField(2, "p", iceberg.DateType()),
    iceberg.NestedField(3, "s", iceberg.StructType(iceberg.NestedField(5, "x", iceberg.StringType()))),
    iceberg.NestedField(4, "l", iceberg.ListType(6, iceberg.LongType(), element_required=False)),
    iceberg.NestedField(7, "at", iceberg.TimestamptzType()),
    iceberg.NestedField(8, "d", iceberg.DecimalType(10, 2)),
)
ARROW = pa.schema(
    [
        ("a", pa.int32()),
        ("p", pa.date32()),
        ("s", pa.struct([("x", pa.string())])),
        ("l", pa.list_(pa.int64())),
        ("at", pa.timestamp("us", "UTC")),
        ("d", pa.decimal128(10, 2)),
    ]
)
ROWS = [
    (1, date(2024, 1, 1), {"x": "u"}, [1, None], datetime(2024, 1, 1, tzinfo=timezone.utc), Decimal("1.25")),
    (2, None, None, None, None, None),
]


def rows() -> pa.Table:
    return pa.Table.from_pylist([dict(zip(ARROW.names, row, strict=True)) for row in ROWS], schema=ARROW)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with deltasql.connect(str(tmp_path / "warehouse")) as opened:
        yield opened
        assert not opened.spark_started


def made(folder: Path, transform: Transform[Any, Any] | None = None, **properties: str) -> Any:
    """A table partitioned by p, or by a transform of a."""
    field = PartitionField(2, 1000, IdentityTransform(), "p")
    if transform is not None:
        field = PartitionField(1, 1000, transform, "a_part")
    return iceberg_table(str(folder), Schema(*FIELDS), PartitionSpec(field), **properties)


def actions(folder: Path, kind: str) -> list[dict[str, Any]]:
    text = (folder / "_delta_log" / f"{0:020}.json").read_text(encoding="utf-8")
    return [json.loads(line)[kind] for line in text.splitlines() if kind in json.loads(line)]


def refusal(session: Session, folder: Path) -> str:
    with pytest.raises(DeltaSqlError) as caught:
        session.sql(f"CONVERT TO DELTA iceberg.`{folder}`")
    assert caught.value.condition == "DELTA_CLONE_INCOMPATIBLE_SOURCE"
    assert not (folder / "_delta_log").exists()
    return str(caught.value)


def test_columns_keep_their_ids_and_files_their_partitions(session: Session, tmp_path: Path) -> None:
    made(tmp_path / "t", k="v", owner="me").append(rows())
    result = session.sql(f"CONVERT TO DELTA iceberg.`{tmp_path / 't'}`")
    assert result.metrics == {"numConvertedFiles": 2}
    (metadata,) = actions(tmp_path / "t", "metaData")
    fields = {field["name"]: field for field in json.loads(metadata["schemaString"])["fields"]}
    # PyIceberg numbers the columns of a new table anew.
    assert [field["metadata"]["delta.columnMapping.id"] for field in fields.values()] == [1, 2, 3, 4, 5, 6]
    assert fields["a"]["metadata"]["comment"] == "first"
    assert (fields["at"]["type"], fields["d"]["type"]) == ("timestamp", "decimal(10,2)")
    configuration = metadata["configuration"]
    assert (configuration["delta.columnMapping.mode"], configuration["k"]) == ("id", "v")
    assert "owner" not in configuration
    assert metadata["partitionColumns"] == ["p"]
    adds = actions(tmp_path / "t", "add")
    assert [add["partitionValues"] for add in adds] == [{"p": "2024-01-01"}, {"p": None}]
    stats = json.loads(adds[0]["stats"])
    assert stats["minValues"] == {"a": 1, "s": {"x": "u"}, "at": "2024-01-01T00:00:00.000Z", "d": 1.25}
    (info,) = actions(tmp_path / "t", "commitInfo")
    assert info["operationParameters"]["sourceFormat"] == "iceberg"


def test_columns_that_were_renamed(session: Session, tmp_path: Path) -> None:
    """The names of the files become physical ones; a new column must not take one of these."""
    table = made(tmp_path / "t")
    table.append(rows())
    with table.update_schema() as change:
        change.rename_column("a", "b").rename_column("p", "q").rename_column("s.x", "z")
    with table.update_schema() as change:
        change.add_column("a", iceberg.StringType())
    session.sql(f"CONVERT TO DELTA iceberg.`{tmp_path / 't'}`")
    schema = session.log(f"delta.`{tmp_path / 't'}`").snapshot().schema
    names = {field.name: field.metadata["delta.columnMapping.physicalName"] for field in schema}
    assert names.pop("a").startswith("col-")
    assert names == {"b": "a", "q": "p", "s": "s", "l": "l", "at": "at", "d": "d"}
    assert actions(tmp_path / "t", "add")[0]["partitionValues"] == {"p": "2024-01-01"}


def test_files_that_call_a_column_differently(session: Session, tmp_path: Path) -> None:
    table = made(tmp_path / "t")
    table.append(rows())
    with table.update_schema() as change:
        change.rename_column("a", "b")
    table.append(rows().rename_columns(["b", *ARROW.names[1:]]))
    assert "is not the column that other files or the table call so" in refusal(session, tmp_path / "t")


def test_a_name_that_stood_for_another_column(session: Session, tmp_path: Path) -> None:
    table = made(tmp_path / "t")
    table.append(rows())
    with table.update_schema() as change:
        change.delete_column("d")
    with table.update_schema() as change:
        change.add_column("d", iceberg.DecimalType(10, 2))
    assert "is not the column" in refusal(session, tmp_path / "t")


def test_a_column_that_became_wider(session: Session, tmp_path: Path) -> None:
    table = made(tmp_path / "t")
    table.append(rows())
    with table.update_schema() as change:
        change.update_column("a", iceberg.LongType())
    assert "column a is of type int, not bigint" in refusal(session, tmp_path / "t")


def test_partitions_that_are_computed(session: Session, tmp_path: Path) -> None:
    made(tmp_path / "t", BucketTransform(4))
    assert "a_part is bucket[4] of a column" in refusal(session, tmp_path / "t")


def test_partitions_that_changed(session: Session, tmp_path: Path) -> None:
    table = made(tmp_path / "t")
    table.append(rows())
    with table.update_spec() as change:
        change.remove_field("p")
    assert "partitioning has changed" in refusal(session, tmp_path / "t")


def test_a_type_that_delta_has_not(session: Session, tmp_path: Path) -> None:
    iceberg_table(str(tmp_path / "t"), Schema(iceberg.NestedField(1, "u", iceberg.UUIDType())))
    assert "column u is a uuid" in refusal(session, tmp_path / "t")


def test_a_table_without_files(session: Session, tmp_path: Path) -> None:
    made(tmp_path / "t")
    session.sql(f"CONVERT TO DELTA iceberg.`{tmp_path / 't'}`")
    assert session.log(f"delta.`{tmp_path / 't'}`").snapshot().num_files == 0


def test_a_file_that_is_gone(session: Session, tmp_path: Path) -> None:
    made(tmp_path / "t").append(rows())
    next((tmp_path / "t").rglob("*.parquet")).unlink()
    with pytest.raises(DeltaSqlError) as caught:
        session.sql(f"CONVERT TO DELTA iceberg.`{tmp_path / 't'}`")
    assert caught.value.condition == "DELTA_FAILED_READ_FILE_FOOTER"


def _given(value: object, file: object) -> object:
    return value


def test_deletes_and_other_formats(session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pyiceberg.manifest import DataFile, DataFileContent, FileFormat

    made(tmp_path / "t").append(rows())
    for name, value, told in (
        ("content", DataFileContent.POSITION_DELETES, "position deletes"),
        ("content", DataFileContent.EQUALITY_DELETES, "equality deletes"),
        ("file_format", FileFormat.ORC, "is of format ORC"),
    ):
        with monkeypatch.context() as patched:
            patched.setattr(DataFile, name, property(partial(_given, value)))
            assert told in refusal(session, tmp_path / "t")
