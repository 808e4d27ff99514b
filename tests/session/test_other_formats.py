"""Tables of other formats: what plain Spark does with the same statements, and what needs no engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import deltasql
from deltasql import DeltaSqlError, Session
from deltasql.base.errors import TableAlreadyExistsError
from deltasql.session.opening import described

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def rows(session: Session, sql: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in session.sql(sql).collect()]


@pytest.fixture
def quiet(tmp_path: Path) -> Iterator[Session]:
    """A session that starts no engine."""
    with deltasql.connect(str(tmp_path / "warehouse")) as opened:
        yield opened
        assert not opened.spark_started


def written(folder: Path, **columns: pa.Array) -> None:
    folder.mkdir(parents=True)
    pq.write_table(pa.table(columns), folder / "part-0.parquet")


def test_parquet_needs_no_engine(quiet: Session, tmp_path: Path) -> None:
    ids = pa.array([1, 2], pa.int64())
    written(tmp_path / "f" / "day=2024-01-31" / "q=a%2Fb", id=ids, v=pa.array(["x", "y"]))
    written(tmp_path / "f" / "day=2024-02-01" / "q=__HIVE_DEFAULT_PARTITION__", id=ids, v=pa.array(["z", None]))
    quiet.sql(f"CREATE TABLE p USING parquet LOCATION '{tmp_path}/f'")
    found = [row[:2] for row in rows(quiet, "DESCRIBE p")]
    assert found[:4] == [("id", "bigint"), ("v", "string"), ("day", "date"), ("q", "string")]
    assert rows(quiet, "SELECT id, q FROM p WHERE day = DATE'2024-01-31' ORDER BY id") == [(1, "a/b"), (2, "a/b")]
    assert rows(quiet, "SELECT v FROM p WHERE q IS NULL AND id = 2") == [(None,)]
    assert [row[1] for row in rows(quiet, "SHOW PARTITIONS p PARTITION (day = '2024-02-01')")] == [None]
    quiet.sql("CREATE TABLE d AS SELECT id, v FROM p WHERE q = 'a/b'")
    assert rows(quiet, "SELECT * FROM d ORDER BY id") == [(1, "x"), (2, "y")]
    assert described(quiet, ("p",)).partition_columns == ("day", "q")


def test_other_columns_than_the_files_have(quiet: Session, tmp_path: Path) -> None:
    """Names are compared without regard to case, and a column that no file has is NULL."""
    written(tmp_path / "f", Id=pa.array([1], pa.int32()), v=pa.array(["x"]))
    quiet.sql(f"CREATE TABLE p (ID BIGINT, more STRING, v STRING) USING parquet LOCATION '{tmp_path}/f'")
    assert rows(quiet, "SELECT * FROM p") == [(1, None, "x")]


def test_source_of_a_merge(quiet: Session, tmp_path: Path) -> None:
    written(tmp_path / "f", id=pa.array([1, 3], pa.int32()))
    quiet.sql(f"CREATE TABLE p USING parquet LOCATION '{tmp_path}/f'")
    quiet.sql("CREATE TABLE d (id INT)")
    quiet.sql("INSERT INTO d VALUES (1), (2)")
    quiet.sql("MERGE INTO d USING p ON d.id = p.id WHEN NOT MATCHED THEN INSERT *")
    assert rows(quiet, "SELECT * FROM d ORDER BY id") == [(1,), (2,), (3,)]


def test_folders_that_do_not_agree(quiet: Session, tmp_path: Path) -> None:
    written(tmp_path / "f" / "p=1", id=pa.array([1]))
    written(tmp_path / "f" / "q=1", id=pa.array([1]))
    with pytest.raises(DeltaSqlError, match="different partition columns: p in some, q in others"):
        quiet.sql(f"CREATE TABLE t USING parquet LOCATION '{tmp_path}/f'")
    quiet.sql(f"CREATE TABLE t (id BIGINT, p INT) USING parquet PARTITIONED BY (p) LOCATION '{tmp_path}/f'")
    with pytest.raises(DeltaSqlError) as caught:
        quiet.sql("SELECT * FROM t")
    assert caught.value.condition == "DELTA_UNEXPECTED_PARTITION_COLUMN_FROM_FILE_NAME"


def test_of_two_that_create_one_name_one_wins(quiet: Session, tmp_path: Path) -> None:
    with deltasql.connect(str(tmp_path / "warehouse")) as other:
        other.sql(f"CREATE TABLE t (a INT) USING csv LOCATION '{tmp_path}/f'")
    with pytest.raises(TableAlreadyExistsError):
        quiet.sql(f"CREATE TABLE t (a INT) USING json LOCATION '{tmp_path}/f'")


@pytest.fixture
def spark(session: Session) -> SparkSession:
    return session.sql("SELECT 1").df.sparkSession


SAME = (
    ("csv", "OPTIONS (header 'true', inferSchema 'true')"),
    ("csv", ""),
    ("json", ""),
    ("parquet", ""),
    ("orc", ""),
)


@pytest.mark.spark
@pytest.mark.parametrize(("source", "options"), SAME)
def test_as_plain_spark(session: Session, spark: SparkSession, tmp_path: Path, source: str, options: str) -> None:
    """Columns, partitions and rows are those of the same statements in Spark's own catalog."""
    data = spark.sql("SELECT id AS n, concat('v', id) AS v, id % 2 AS p, DATE'2024-01-01' AS d FROM range(6)")
    writer = data.write.format(source).partitionBy("p", "d")
    (writer.option("header", "true") if "header" in options else writer).save(str(tmp_path / "f"))
    create = f"USING {source} {options} LOCATION '{tmp_path}/f'"
    try:
        spark.sql(f"CREATE TABLE formats_inferred {create}")
        session.sql(f"CREATE TABLE inferred {create}")
        theirs = [tuple(row) for row in spark.sql("DESCRIBE formats_inferred").collect()]
        assert rows(session, "DESCRIBE inferred") == theirs
        # Spark stores the partitions, and deltasql lists them.
        spark.sql("MSCK REPAIR TABLE formats_inferred")
        theirs = sorted(tuple(row) for row in spark.sql("SELECT * FROM formats_inferred").collect())
        assert sorted(rows(session, "SELECT * FROM inferred")) == theirs
    finally:
        spark.sql("DROP TABLE IF EXISTS formats_inferred")


@pytest.mark.spark
@pytest.mark.parametrize("source", ["csv", "json", "parquet", "orc"])
def test_files_as_plain_spark_writes_them(session: Session, spark: SparkSession, tmp_path: Path, source: str) -> None:
    query = "SELECT id AS n, IF(id = 1, NULL, 'a \"b\"') AS v, id % 2 AS p FROM range(3)"
    try:
        spark.sql(f"CREATE TABLE formats_theirs USING {source} PARTITIONED BY (p) LOCATION '{tmp_path}/t' AS {query}")
        session.sql(f"CREATE TABLE ours USING {source} PARTITIONED BY (p) LOCATION '{tmp_path}/o' AS {query}")
        theirs = sorted(map(tuple, spark.sql("SELECT * FROM formats_theirs").collect()), key=str)
        assert sorted(rows(session, "SELECT * FROM ours"), key=str) == theirs
        back = spark.read.schema("n BIGINT, v STRING, p BIGINT").format(source).load(str(tmp_path / "o")).collect()
        assert sorted(map(tuple, back), key=str) == theirs
        names = {path.parent.name for path in (tmp_path / "o").rglob("part-*")}
        assert names == {"p=0", "p=1"}
        assert not list((tmp_path / "o").glob("_*"))
    finally:
        spark.sql("DROP TABLE IF EXISTS formats_theirs")


@pytest.mark.spark
def test_a_write_that_fails_leaves_the_table(session: Session, tmp_path: Path) -> None:
    session.sql(f"CREATE TABLE t USING csv LOCATION '{tmp_path}/f' AS SELECT 1 AS a")
    before = sorted((tmp_path / "f").rglob("*"))
    with pytest.raises(DeltaSqlError):
        session.sql("INSERT OVERWRITE t SELECT CAST(raise_error('no') AS INT) FROM range(10)")
    assert sorted((tmp_path / "f").rglob("*")) == before
    with pytest.raises(DeltaSqlError):
        session.sql(f"CREATE TABLE u USING csv LOCATION '{tmp_path}/g' AS SELECT CAST(raise_error('no') AS INT) AS a")
    assert rows(session, "SHOW TABLES") == [("default", "t", False)]
    assert not list((tmp_path / "g").rglob("*"))
    session.sql(f"CREATE TABLE u USING csv LOCATION '{tmp_path}/g' AS SELECT 2 AS a")
    assert rows(session, "SELECT * FROM u") == [(2,)]
