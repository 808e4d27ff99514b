"""Compression and number of rows of new data files: table property, options of writes, settings of Spark."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltasql import Session, connect
from deltasql.base.errors import IllegalOptionError
from deltasql.base.session_settings import COMPUTE, IO_MODE

CODECS = {
    "zstd": ("ZSTD", ".zstd.parquet"),
    "snappy": ("SNAPPY", ".snappy.parquet"),
    "gzip": ("GZIP", ".gz.parquet"),
    "lz4": ("LZ4", ".lz4raw.parquet"),
    "brotli": ("BROTLI", ".br.parquet"),
    "none": ("UNCOMPRESSED", ".parquet"),
    "uncompressed": ("UNCOMPRESSED", ".parquet"),
}
MERGE = """
MERGE INTO t USING (SELECT * FROM VALUES (2, 9), (10, 9) AS v (id, p)) AS s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *
"""
ROWS = pa.table({"id": pa.array(range(10), pa.int32())})


@pytest.fixture
def opened(tmp_path: Path) -> Session:
    return connect(str(tmp_path / "warehouse"))


def paths(session: Session, table: str = "t") -> list[str]:
    """The data files of the table's last version."""
    log = session.log(table)
    return [f"{log.location}/{path}" for path in log.snapshot().files(("path",)).column("path").to_pylist()]


def compressions(session: Session, table: str = "t") -> Counter[str]:
    """How many files of the table have which compression; the names say the same."""
    found = Counter[str]()
    for path in paths(session, table):
        compression = pq.read_metadata(path).row_group(0).column(0).compression
        ends = {ending for name, ending in CODECS.values() if name == compression}
        assert path.endswith(ends.pop()), (path, compression)
        found[compression] += 1
    return found


def row_counts(session: Session, table: str = "t") -> list[int]:
    return sorted(pq.read_metadata(path).num_rows for path in paths(session, table))


def ids(session: Session, table: str = "t") -> list[Any]:
    return sorted(row[0] for row in session.sql(f"SELECT id FROM {table}").collect())


def page_versions(session: Session) -> set[int]:
    """The versions of the data pages of a table's files, by the type in the header of the first page."""
    found = set()
    for path in paths(session):
        column = pq.read_metadata(path).row_group(0).column(0)
        header = Path(path).read_bytes()[column.data_page_offset :][:2]
        found.add({b"\x15\x00": 1, b"\x15\x06": 2}[header])
    return found


@pytest.mark.parametrize(("version", "pages"), [("1.0.0", 1), ("2.12.0", 2)])
def test_the_property_says_which_pages_files_have(opened: Session, version: str, pages: int) -> None:
    opened.sql(f"CREATE TABLE t (id INT, p INT) TBLPROPERTIES ('delta.parquet.format.version' = '{version}')")
    opened.sql("INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)")
    opened.sql("UPDATE t SET p = 7 WHERE id = 1")
    opened.sql(MERGE)
    assert page_versions(opened) == {pages}
    opened.sql("OPTIMIZE t")
    assert page_versions(opened) == {pages}
    assert ids(opened) == [1, 2, 3, 10]
    assert not opened.spark_started


@pytest.mark.spark
def test_the_property_says_which_pages_spark_writes(session: Session) -> None:
    session.sql(f"SET {COMPUTE.name} = ENGINE")
    session.sql("CREATE TABLE t (id INT, p INT) TBLPROPERTIES ('delta.parquet.format.version' = '2.12.0')")
    session.sql("INSERT INTO t SELECT CAST(id AS INT), hash(id) FROM range(3)")
    assert page_versions(session) == {2}
    session.sql("UPDATE t SET p = hash(id) WHERE id = 1")
    session.sql("ALTER TABLE t UNSET TBLPROPERTIES ('delta.parquet.format.version')")
    session.sql("INSERT INTO t SELECT CAST(id AS INT), hash(id) FROM range(3)")
    assert page_versions(session) == {1, 2}
    assert ids(session) == [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize("codec", CODECS)
def test_the_property_says_how_files_are_compressed(opened: Session, codec: str) -> None:
    opened.sql(f"CREATE TABLE t (id INT, p INT) TBLPROPERTIES ('delta.parquet.compression.codec' = '{codec}')")
    opened.sql("INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)")
    opened.sql("INSERT INTO t SELECT id, p FROM t")
    opened.sql("UPDATE t SET p = 7 WHERE id = 1")
    opened.sql("DELETE FROM t WHERE id = 3")
    opened.sql(MERGE)
    assert set(compressions(opened)) == {CODECS[codec][0]}
    opened.sql("OPTIMIZE t")
    assert compressions(opened) == {CODECS[codec][0]: 1}
    assert ids(opened) == [1, 1, 2, 2, 10]
    assert not opened.spark_started


def test_the_property_counts_from_its_statement_on(opened: Session) -> None:
    opened.sql("CREATE TABLE t (id INT, p STRING) PARTITIONED BY (p)")
    opened.sql("INSERT INTO t VALUES (1, 'a')")
    opened.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.parquet.compression.codec' = 'ZSTD')")
    opened.sql("INSERT INTO t VALUES (2, 'a'), (3, 'b')")
    assert compressions(opened) == {"SNAPPY": 1, "ZSTD": 2}
    opened.sql("ALTER TABLE t UNSET TBLPROPERTIES ('delta.parquet.compression.codec')")
    opened.sql("INSERT INTO t VALUES (4, 'b')")
    assert compressions(opened) == {"SNAPPY": 2, "ZSTD": 2}
    assert ids(opened) == [1, 2, 3, 4]


def test_the_option_beats_the_property(opened: Session) -> None:
    opened.sql("CREATE TABLE t (id INT) TBLPROPERTIES ('delta.parquet.compression.codec' = 'zstd')")
    opened.write(ROWS).mode("append").option("COMPRESSION", "Gzip").saveAsTable("t")
    opened.write(ROWS).mode("append").saveAsTable("t")
    assert compressions(opened) == {"GZIP": 1, "ZSTD": 1}
    opened.write(ROWS).option("compression", "lz4").saveAsTable("new")
    assert compressions(opened, "new") == {"LZ4": 1}


def test_a_file_has_at_most_so_many_rows(opened: Session) -> None:
    opened.write(ROWS).option("maxRecordsPerFile", 4).saveAsTable("t")
    assert row_counts(opened) == [2, 4, 4]
    opened.write(ROWS).option("maxRecordsPerFile", 0).mode("overwrite").saveAsTable("t")
    assert row_counts(opened) == [10]
    parts = pa.table({"id": range(10), "p": [n % 2 for n in range(10)]})
    opened.writeTo(parts, "parted").partitionedBy("p").option("maxrecordsperfile", "2").create()
    assert row_counts(opened, "parted") == [1, 1, 2, 2, 2, 2]
    assert ids(opened, "parted") == list(range(10))


@pytest.mark.parametrize(("option", "value"), [("compression", "lzo"), ("maxRecordsPerFile", "-1")])
def test_other_values_are_refused(opened: Session, option: str, value: str) -> None:
    with pytest.raises(IllegalOptionError, match=option):
        opened.write(ROWS).option(option, value).saveAsTable("t")


@pytest.mark.spark
@pytest.mark.parametrize("mode", ["EXECUTORS", "DRIVER"])
def test_rows_of_spark(opened: Session, mode: str) -> None:
    opened.sql(f"SET {COMPUTE.name} = ENGINE")
    opened.sql(f"SET {IO_MODE.name} = {mode}")
    opened.sql("CREATE TABLE t (id BIGINT) TBLPROPERTIES ('delta.parquet.compression.codec' = 'lz4')")
    opened.sql("INSERT INTO t SELECT id FROM range(10)")
    assert set(compressions(opened)) == {"LZ4"}
    frame = opened.sql("SELECT id FROM range(0, 100, 1, 1)").df
    opened.write(frame).options(compression="zstd", maxRecordsPerFile=40).saveAsTable("new")
    assert (row_counts(opened, "new"), set(compressions(opened, "new"))) == ([20, 40, 40], {"ZSTD"})
    opened.sql("SET spark.sql.files.maxRecordsPerFile = 50")
    opened.sql("SET spark.sql.parquet.compression.codec = gzip")
    opened.sql("CREATE TABLE third AS SELECT id FROM range(0, 100, 1, 1)")
    assert (row_counts(opened, "third"), set(compressions(opened, "third"))) == ([50, 50], {"GZIP"})
    opened.write(ROWS).saveAsTable("rows")
    assert set(compressions(opened, "rows")) == {"GZIP"}


@pytest.mark.spark
@pytest.mark.parametrize("by", ["", "PARTITIONED BY (p)"])
@pytest.mark.parametrize(
    ("table", "setting", "option", "optimized"),
    [
        ("false", None, None, False),
        ("true", None, None, True),
        ("true", "false", None, False),
        ("false", "true", "false", False),
        ("false", None, "true", True),
    ],
)
def test_an_optimized_write_has_few_files(
    opened: Session, by: str, table: str, setting: str | None, option: str | None, optimized: bool
) -> None:
    opened.sql(f"SET {COMPUTE.name} = ENGINE")
    opened.sql(f"SET {IO_MODE.name} = EXECUTORS")
    if setting is not None:
        opened.sql(f"SET spark.databricks.delta.optimizeWrite.enabled = {setting}")
    property_ = f"TBLPROPERTIES ('delta.autoOptimize.optimizeWrite' = '{table}')"
    opened.sql(f"CREATE TABLE t (id BIGINT, p BIGINT) {by} {property_}")
    frame = opened.sql("SELECT id, id % 2 AS p FROM range(0, 1000, 1, 8)").df
    opened.write(frame).mode("append").option("optimizeWrite", option).saveAsTable("t")
    # Rows of one partition are together anyway.
    assert len(paths(opened)) == (2 if by else 1 if optimized else 8)
    assert len(ids(opened)) == 1000


@pytest.mark.spark
def test_an_optimized_write_fills_several_files(opened: Session) -> None:
    opened.sql(f"SET {IO_MODE.name} = EXECUTORS")
    opened.sql("SET spark.databricks.delta.optimizeWrite.enabled = true")
    opened.sql("SET spark.databricks.delta.optimizeWrite.binSize = 1")
    opened.sql("CREATE TABLE t AS SELECT id, rand() AS r FROM range(0, 500000, 1, 16)")
    assert 1 < len(paths(opened)) < 16
    opened.sql("CREATE TABLE small TBLPROPERTIES ('delta.targetFileSize' = '1g') AS SELECT * FROM t")
    assert len(paths(opened, "small")) == 1


@pytest.mark.spark
def test_brotli_is_written_by_this_process(opened: Session) -> None:
    opened.sql(f"SET {IO_MODE.name} = EXECUTORS")
    opened.sql("CREATE TABLE t TBLPROPERTIES ('delta.parquet.compression.codec' = 'brotli') AS SELECT id FROM range(9)")
    assert compressions(opened) == {"BROTLI": 1}


@pytest.mark.spark
@pytest.mark.parametrize(
    ("hint", "files"),
    [("REPARTITION(3)", 3), ("coalesce(1)", 1), ("BROADCAST(t), REPARTITION ( 2 )", 2), ("BROADCAST(t)", 1)],
)
def test_a_hint_says_how_many_files_a_write_makes(opened: Session, hint: str, files: int) -> None:
    opened.write(ROWS).saveAsTable("t")
    opened.sql("CREATE TABLE filled (id INT)")
    opened.sql(f"INSERT INTO filled SELECT /*+ {hint} */ id FROM t")
    assert (len(paths(opened, "filled")), ids(opened, "filled")) == (files, list(range(10)))
    opened.sql(f"CREATE TABLE new AS SELECT /*+ {hint} */ id FROM t")
    assert (len(paths(opened, "new")), ids(opened, "new")) == (files, list(range(10)))


def test_a_hint_in_a_comment_leaves_rows_to_this_process(opened: Session) -> None:
    opened.write(ROWS).saveAsTable("t")
    opened.sql("CREATE TABLE new AS SELECT /* + REPARTITION(3) */ id FROM t")
    opened.sql("CREATE TABLE other AS SELECT /*+ BROADCAST(t) */ id FROM t -- REPARTITION(3)")
    assert not opened.spark_started
