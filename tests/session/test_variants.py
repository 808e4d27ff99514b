"""Variants: values of any JSON, their files, statistics and text."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest

from deltasql import DeltaSqlError, Session
from deltasql.files.rendering.values import Grid, value_json, value_text
from deltasql.schema.types import VARIANT

pytestmark = pytest.mark.spark


@pytest.fixture
def events(session: Session) -> Session:
    session.sql(
        "CREATE TABLE events (k INT, v VARIANT, s STRUCT<w: VARIANT, n: INT>, a ARRAY<VARIANT>, m MAP<STRING, VARIANT>)"
    )
    session.sql(
        'INSERT INTO events VALUES (1, parse_json(\'{"a": [1, null], "b": "x"}\'), '
        "named_struct('w', parse_json('1.5'), 'n', 7), array(parse_json('true'), NULL), map('k', parse_json('\"t\"')))"
    )
    session.sql("INSERT INTO events VALUES (2, NULL, NULL, NULL, NULL), (3, parse_json('null'), NULL, array(), map())")
    return session


def stats(session: Session, table: str) -> list[dict[str, object]]:
    return [json.loads(text) for text in session.log(table).snapshot().files(("stats",)).column("stats").to_pylist()]


def parts(session: Session, table: str) -> set[tuple[str, ...]]:
    """What the table's files hold of column `v`."""
    import pyarrow.parquet as pq

    files = session.log(table).snapshot().files(("location",)).column("location").to_pylist()
    return {tuple(sorted(part.name for part in pq.read_schema(file).field("v").flatten())) for file in files}


def test_rows_and_their_text(events: Session) -> None:
    result = events.sql("SELECT * FROM events ORDER BY k")
    first = result.collect()[0]
    assert first.v.toPython() == {"a": [1, None], "b": "x"}
    assert value_text(first.v, VARIANT) == value_json(first.v, VARIANT) == '{"a":[1,null],"b":"x"}'
    shown = io.StringIO()
    result.show(truncate=False, file=shown)
    assert '{"a":[1,null],"b":"x"}' in shown.getvalue()
    assert '{k -> "t"}' in shown.getvalue()
    assert Grid(result.schema, result.collect()) is not None


def test_arrow_has_variants_as_json(events: Session) -> None:
    table = events.sql("SELECT *, k AS v FROM events ORDER BY k").to_arrow()
    assert table.column_names == ["k", "v", "s", "a", "m", "v"]
    assert table.column(1).to_pylist() == ['{"a":[1,null],"b":"x"}', None, "null"]
    assert table.column(2).to_pylist() == [{"w": "1.5", "n": 7}, None, None]
    assert table.column(3).to_pylist() == [["true", None], None, []]
    assert table.column(4).to_pylist() == [[("k", '"t"')], None, []]
    assert len(events.sql("SELECT * FROM events").toPandas()) == 3


def test_statistics_count_nulls_only(events: Session) -> None:
    first, second = sorted(stats(events, "events"), key=lambda item: str(item["numRecords"]))
    assert "v" not in first["minValues"]  # type: ignore[operator]
    assert (first["nullCount"]["v"], second["nullCount"]["v"]) == (0, 1)  # type: ignore[index]
    plan = str(events.sql("EXPLAIN SELECT k FROM events WHERE v IS NULL").collect())
    assert re.search(r"files: 1 read \([\d,]+ bytes\), 1 pruned", plan)


def test_files_are_shredded_only_where_the_table_says_so(session: Session) -> None:
    values = "SELECT id AS k, parse_json(concat('{\"a\": ', id, '}')) AS v FROM range(0, 10, 1, 1)"
    session.sql(f"CREATE TABLE plain AS {values}")
    session.sql(f"CREATE TABLE apart TBLPROPERTIES ('delta.enableVariantShredding' = 'true') AS {values}")
    assert parts(session, "plain") == {("v.metadata", "v.value")}
    assert parts(session, "apart") == {("v.metadata", "v.typed_value", "v.value")}
    for table in ("plain", "apart"):
        assert stats(session, table)[0]["nullCount"] == {"k": 0, "v": 0}
        assert session.sql(f"SELECT k FROM {table} WHERE v:a::int = 7").collect() == [(7,)]
    assert session.sql("DELETE FROM apart WHERE try_variant_get(v, '$.a', 'int') = 2").collect() == [(1,)]
    assert session.sql("UPDATE apart SET k = 80 WHERE v:a::double = 8").collect() == [(1,)]
    merge = "MERGE INTO apart t USING plain s ON t.k = s.k WHEN MATCHED AND t.v:a::smallint = 9 THEN DELETE"
    assert session.sql(merge).collect() == [(1, 0, 1, 0)]
    assert session.sql("SELECT count(*), max(v:a::int) FROM apart").collect() == [(8, 8)]
    # What was switched off concerns new files alone.
    session.sql("ALTER TABLE apart SET TBLPROPERTIES ('delta.enableVariantShredding' = 'false')")
    session.sql("INSERT INTO apart SELECT * FROM plain WHERE k = 3")
    assert session.sql("SELECT count(*) FROM apart WHERE v:a::int = 3").collect() == [(2,)]


def test_change_feed_and_column_mapping(session: Session, tmp_path: Path) -> None:
    session.sql(
        "CREATE TABLE t (k INT, v VARIANT) TBLPROPERTIES ('delta.columnMapping.mode' = 'name', "
        "'delta.enableDeletionVectors' = 'true', 'delta.enableChangeDataFeed' = 'true')"
    )
    session.sql("INSERT INTO t VALUES (1, parse_json('[1]')), (2, parse_json('2'))")
    session.sql("ALTER TABLE t RENAME COLUMN v TO u")
    session.sql("UPDATE t SET u = parse_json('\"two\"') WHERE u::string = '2'")
    assert session.sql("SELECT k, to_json(u) FROM t ORDER BY k").collect() == [(1, "[1]"), (2, '"two"')]


def test_what_variants_cannot_do(session: Session) -> None:
    for text, condition in (
        ("CREATE TABLE p (k INT, v VARIANT) PARTITIONED BY (v)", "DELTA_INVALID_PARTITION_COLUMN_TYPE"),
        ("SELECT v FROM t ORDER BY v", "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE"),
    ):
        session.sql("CREATE TABLE IF NOT EXISTS t (k INT, v VARIANT)")
        with pytest.raises(DeltaSqlError) as caught:
            session.sql(text).collect()
        assert caught.value.condition == condition
