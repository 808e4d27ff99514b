"""Schema changes of tables that hold rows: what was written before is read as the table is now."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from deltasql import DeltaSqlError, Session

pytestmark = pytest.mark.spark

MAPPED = "ALTER TABLE t SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"


@pytest.fixture
def table(session: Session) -> Session:
    """A partitioned table with a struct; its one file was written before its columns were mapped."""
    session.sql("CREATE TABLE t (a INT, s STRUCT<x: INT, y: STRING>, p STRING) PARTITIONED BY (p)")
    session.sql("INSERT INTO t VALUES (1, named_struct('x', 1, 'y', 'one'), 'p1'), (2, NULL, 'p2')")
    return session


def rows(session: Session, what: str = "*") -> list[tuple[object, ...]]:
    return [tuple(row) for row in session.sql(f"SELECT {what} FROM t ORDER BY 1").collect()]


def test_renamed_columns_read_old_and_new_files(table: Session) -> None:
    table.sql(MAPPED)
    for change in ("a TO `the id`", "s.y TO z", "p TO part"):
        table.sql(f"ALTER TABLE t RENAME COLUMN {change}")
    table.sql("INSERT INTO t VALUES (3, named_struct('x', 3, 'z', 'three'), 'p1')")
    assert rows(table) == [(1, (1, "one"), "p1"), (2, None, "p2"), (3, (3, "three"), "p1")]
    assert rows(table, "`the id`, s.z, part") == [(1, "one", "p1"), (2, None, "p2"), (3, "three", "p1")]
    assert table.sql("SELECT * FROM t WHERE part = 'p2'").count() == 1
    assert table.sql("UPDATE t SET s.z = 'new' WHERE `the id` = 1").collect() == [(1,)]
    assert rows(table, "`the id`, s.z")[0] == (1, "new")


def test_a_dropped_column_does_not_come_back(table: Session) -> None:
    table.sql(MAPPED)
    table.sql("ALTER TABLE t DROP COLUMNS (s.x, a)")
    table.sql("ALTER TABLE t ADD COLUMN a STRING")
    assert sorted(rows(table, "a, p"), key=str) == [(None, "p1"), (None, "p2")]
    assert table.sql("DESCRIBE t s").collect()[1][1] == "struct<y:string>"


def test_new_files_carry_physical_names_and_field_ids(session: Session) -> None:
    session.sql("CREATE TABLE t (`a b` INT, s STRUCT<x: INT>) TBLPROPERTIES ('delta.columnMapping.mode' = 'id')")
    session.sql("INSERT INTO t VALUES (1, named_struct('x', 2))")
    (file,) = Path(session.log("t").location).rglob("*.parquet")
    schema = pq.read_schema(file)
    assert all(name.startswith("col-") for name in schema.names)
    assert [field.metadata[b"PARQUET:field_id"] for field in schema] == [b"1", b"2"]
    assert schema.field(1).type.field(0).metadata[b"PARQUET:field_id"] == b"3"
    assert rows(session) == [(1, (2,))]


def test_evolution_of_a_mapped_table(table: Session) -> None:
    table.sql(MAPPED)
    merged = table.sql(
        "MERGE WITH SCHEMA EVOLUTION INTO t USING (SELECT 2 AS a, 'new' AS extra) s ON t.a = s.a "
        "WHEN MATCHED THEN UPDATE SET extra = s.extra"
    )
    assert merged.collect() == [(1, 1, 0, 0)]
    assert rows(table, "a, extra") == [(1, None), (2, "new")]


def test_not_null_and_check_look_at_the_rows(table: Session) -> None:
    for statement, condition in (
        ("ALTER COLUMN s SET NOT NULL", "DELTA_NEW_NOT_NULL_VIOLATION"),
        ("ADD CONSTRAINT small CHECK (a < 2)", "DELTA_NEW_CHECK_CONSTRAINT_VIOLATION"),
        ("ADD CONSTRAINT known CHECK (s.x > 0)", "DELTA_NEW_CHECK_CONSTRAINT_VIOLATION"),
        ("ADD CONSTRAINT number CHECK (a + 1)", "DELTA_NON_BOOLEAN_CHECK_CONSTRAINT"),
    ):
        with pytest.raises(DeltaSqlError) as caught:
            table.sql(f"ALTER TABLE t {statement}")
        assert caught.value.condition == condition
    assert table.log("t").snapshot().version == 1
    table.sql("ALTER TABLE t ALTER COLUMN a SET NOT NULL")
    table.sql("ALTER TABLE t ADD CONSTRAINT positive CHECK (a > 0)")
    for statement, condition in (
        ("INSERT INTO t VALUES (-1, NULL, 'p1')", "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES"),
        ("UPDATE t SET a = NULL", "DELTA_NOT_NULL_CONSTRAINT_VIOLATED"),
    ):
        with pytest.raises(DeltaSqlError) as caught:
            table.sql(statement)
        assert caught.value.condition == condition
    table.sql("ALTER TABLE t DROP CONSTRAINT positive")
    table.sql("INSERT INTO t VALUES (-1, NULL, 'p1')")
