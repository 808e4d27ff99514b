"""Iceberg tables of the catalog: read by their metadata, and refused by name where that is not possible."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import deltasql
from deltasql import DeltaSqlError, Session

pytest.importorskip("pyiceberg")

from pyiceberg import types as iceberg
from pyiceberg.partitioning import UNPARTITIONED_PARTITION_SPEC, PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import BucketTransform, IdentityTransform, Transform

from tests.iceberg_tables import append, iceberg_table

pytestmark = pytest.mark.filterwarnings("ignore")

FIELDS = (
    iceberg.NestedField(1, "a", iceberg.IntegerType(), doc="first"),
    iceberg.NestedField(2, "p", iceberg.StringType()),
)
ROWS = {"a": pa.array([1, 2], pa.int32()), "p": pa.array(["x", "y"])}


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with deltasql.connect(str(tmp_path / "warehouse")) as opened:
        yield opened
        assert not opened.spark_started


def made(folder: Path, transform: Transform[Any, Any] | None = None) -> Any:
    """A table of two rows, partitioned by a transform of its column p."""
    spec = UNPARTITIONED_PARTITION_SPEC
    if transform is not None:
        spec = PartitionSpec(PartitionField(2, 1000, transform, "part"))
    table = iceberg_table(str(folder), Schema(*FIELDS), spec)
    append(table, **ROWS)
    return table


def rows(session: Session, sql: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in session.sql(sql).collect()]


@pytest.mark.parametrize("transform", [None, IdentityTransform()])
def test_rows_and_columns(session: Session, tmp_path: Path, transform: Transform[Any, Any] | None) -> None:
    table = made(tmp_path / "i", transform)
    session.sql(f"CREATE TABLE i USING Iceberg COMMENT 'lake' LOCATION '{tmp_path}/i'")
    assert rows(session, "SELECT * FROM i ORDER BY a") == [(1, "x"), (2, "y")]
    assert rows(session, "SELECT a FROM spark_catalog.default.i WHERE p = 'y'") == [(2,)]
    assert rows(session, "DESCRIBE i")[:2] == [("a", "int", "first"), ("p", "string", None)]
    append(table, **ROWS)
    assert len(rows(session, "SELECT * FROM i")) == 4
    session.sql("CREATE TABLE d AS SELECT * FROM i")
    assert len(rows(session, "SELECT * FROM d")) == 4
    (text,) = rows(session, "SHOW CREATE TABLE i")
    expected = f"USING iceberg\nCOMMENT 'lake'\nLOCATION '{tmp_path}/i'\n"
    assert text == (f"CREATE TABLE spark_catalog.default.i\n{expected}",)
    found = rows(
        session, "SELECT data_source_format, is_insertable_into FROM information_schema.tables WHERE table_name = 'i'"
    )
    assert found == [("ICEBERG", "NO")]


def test_partitions_that_are_computed(session: Session, tmp_path: Path) -> None:
    """The columns are in the files, whatever the partitions are."""
    pytest.importorskip("pyiceberg_core")
    made(tmp_path / "i", BucketTransform(4))
    session.sql(f"CREATE TABLE i USING iceberg LOCATION '{tmp_path}/i'")
    assert rows(session, "SELECT a, p FROM i ORDER BY a") == [(1, "x"), (2, "y")]


def test_a_metadata_file_by_its_name(session: Session, tmp_path: Path) -> None:
    """Catalogs name the current metadata, which need not be the newest file."""
    table = made(tmp_path / "i")
    append(table, **ROWS)
    files = sorted((tmp_path / "i" / "metadata").glob("*.metadata.json"))
    session.sql(f"CREATE TABLE i USING iceberg OPTIONS (metadata_location '{files[-2]}') LOCATION '{tmp_path}/i'")
    assert len(rows(session, "SELECT * FROM i")) == 2
    session.sql("ALTER TABLE i SET TBLPROPERTIES ('metadata_location' = '/missing/metadata.json')")
    with pytest.raises(DeltaSqlError, match=r"/missing/metadata\.json is not there") as caught:
        session.sql("SELECT * FROM i")
    assert caught.value.condition == "DELTA_MISSING_ICEBERG_TABLE"


def test_statements_that_are_refused(session: Session, tmp_path: Path) -> None:
    made(tmp_path / "i")
    session.sql(f"CREATE TABLE i USING iceberg LOCATION '{tmp_path}/i'")
    for sql, condition in (
        ("INSERT INTO i VALUES (1, 'x')", "UNSUPPORTED_FEATURE.TABLE_OPERATION"),
        ("INSERT OVERWRITE i VALUES (1, 'x')", "UNSUPPORTED_FEATURE.TABLE_OPERATION"),
        ("DELETE FROM i", "DELTA_TABLE_ONLY_OPERATION"),
        ("SELECT * FROM i VERSION AS OF 1", "DELTA_TABLE_ONLY_OPERATION"),
    ):
        with pytest.raises(DeltaSqlError) as caught:
            session.sql(sql)
        assert caught.value.condition == condition
    assert len(rows(session, "SELECT * FROM i")) == 2


def test_deletes_and_types_are_refused_by_name(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    iceberg_table(str(tmp_path / "u"), Schema(iceberg.NestedField(1, "u", iceberg.UUIDType())))
    with pytest.raises(DeltaSqlError, match="its column u is a uuid") as caught:
        session.sql(f"CREATE TABLE u USING iceberg LOCATION '{tmp_path}/u'")
    assert caught.value.condition == "DELTA_ICEBERG_TABLE_NOT_READABLE"
    made(tmp_path / "i")
    from pyiceberg.manifest import DataFile, DataFileContent

    monkeypatch.setattr(DataFile, "content", property(lambda item: DataFileContent.POSITION_DELETES))
    with pytest.raises(DeltaSqlError, match="it has position deletes") as caught:
        session.sql(f"CREATE TABLE i USING iceberg LOCATION '{tmp_path}/i'")
    assert caught.value.condition == "DELTA_ICEBERG_TABLE_NOT_READABLE"
