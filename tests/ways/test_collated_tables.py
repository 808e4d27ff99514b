"""Tables with collations as a whole: copies, views, constraints, generated columns, the change data feed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from deltasql.base.errors.base import DeltaSqlError
from deltasql.schema.json import schema_to_json
from tests.ways.collated import COLLATIONS, COLUMNS, COMPARED, VIEW, WAYS, Grid, frame_of, opened, sample

QUERIES = (
    "SELECT * FROM {t}",
    "SELECT id FROM {t} WHERE name = 'ADA' OR s.x = 'BEN' OR m['k'] = 'fin'",
    "SELECT id FROM {t} WHERE array_contains(tags, 'KÖLN')",
    "SELECT id FROM {t} ORDER BY name, id",
    "SELECT min(id), count(*) FROM {t} GROUP BY name",
    "SELECT a.id, b.id FROM {t} AS a JOIN {t} AS b ON a.s.x = b.name AND a.id < b.id",
    "SELECT collation(name), collation(plain), collation(s.x), collation(tags[0]), collation(m['k']) FROM {t} LIMIT 1",
)
COPIES = {
    "deep clone": "CREATE TABLE x DEEP CLONE t",
    "shallow clone": "CREATE TABLE x SHALLOW CLONE t",
    "like": "CREATE TABLE x LIKE t; INSERT INTO x SELECT * FROM t",
    "query": "CREATE TABLE x AS SELECT * FROM t",
    "replaced": "CREATE TABLE x (a INT); CREATE OR REPLACE TABLE x AS SELECT * FROM t",
    "partitions": "CREATE TABLE x PARTITIONED BY (id) AS SELECT * FROM t",
    "view": "CREATE VIEW x AS SELECT * FROM t",
    "temporary view": "CREATE TEMPORARY VIEW x AS SELECT * FROM t",
    "view of a view": "CREATE VIEW y AS SELECT * FROM t; CREATE VIEW x AS SELECT * FROM y",
    "restored": "CREATE TABLE x AS SELECT * FROM t; DELETE FROM x WHERE name > 'A'; ALTER TABLE x ALTER COLUMN name "
    "TYPE STRING COLLATE de_CI; RESTORE x TO VERSION AS OF 0",
    "optimized": "CREATE TABLE x SHALLOW CLONE t; OPTIMIZE x ZORDER BY (name)",
    "mapped": "CREATE TABLE x DEEP CLONE t; ALTER TABLE x SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name'); "
    "ALTER TABLE x RENAME COLUMN name TO other; ALTER TABLE x RENAME COLUMN other TO name",
    "moved": "CREATE TABLE x DEEP CLONE t; INSERT OVERWRITE x SELECT * FROM t WHERE id % 2 = 0; INSERT INTO x BY NAME "
    "SELECT m, s, tags, plain, name, id FROM t WHERE id % 2 = 1",
    "time travel": "CREATE TABLE y DEEP CLONE t; DELETE FROM y; CREATE VIEW x AS SELECT * FROM y VERSION AS OF 0",
    "materialized view": "CREATE MATERIALIZED VIEW x AS SELECT * FROM t",
}


@pytest.fixture(params=COMPARED)
def grid(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Grid]:
    with opened(request.param, tmp_path / "warehouse") as rows:
        yield rows


def test_copies(grid: Grid) -> None:
    found = []
    for name in sample(list(COPIES), COLLATIONS.index(grid.collation), 5):
        for way in WAYS:
            grid.session.sql(f"SET deltasql.compute = {way}")
            for text in COPIES[name].split("; "):
                grid.session.sql(text)
            found += [f"{name}: {text}" for query in QUERIES for text in grid.differences(query, query, "x", [way])]
            _drop(grid)
    assert not found, "\n".join(found)


def _drop(grid: Grid) -> None:
    for name in "xy":
        for kind in ("MATERIALIZED VIEW", "VIEW", "TABLE"):
            try:
                grid.session.sql(f"DROP {kind} IF EXISTS {name}")
            except DeltaSqlError:
                continue


@pytest.mark.parametrize("further", [1, 3])
def test_rows_of_another_collation_take_that_of_the_table(grid: Grid, further: int) -> None:
    """Also the ones in arrays, structs and maps."""
    other = COLLATIONS[(COLLATIONS.index(grid.collation) + further) % len(COLLATIONS)]
    frame_of(grid.spark, other).createOrReplaceTempView(VIEW)
    found = []
    for way in WAYS:
        grid.session.sql(f"SET deltasql.compute = {way}")
        grid.session.sql(f"CREATE OR REPLACE TABLE x ({COLUMNS.format(c=other)})")
        grid.session.sql("INSERT INTO x SELECT * FROM t WHERE id < 12")
        grid.session.sql("MERGE INTO x USING t ON x.id = t.id WHEN NOT MATCHED THEN INSERT *")
        grid.session.sql("UPDATE x SET name = upper(name), s = named_struct('x', 'none') WHERE id < 3")
        grid.session.sql("MERGE INTO x USING t ON x.id = t.id AND t.id < 3 WHEN MATCHED THEN UPDATE SET *")
        found += [text for query in QUERIES for text in grid.differences(query, query, "x", [way])]
    assert not found, "\n".join(found)


def test_a_change_of_the_collation(grid: Grid) -> None:
    """Files, and their statistics, stay those of before."""
    grid.session.sql("CREATE TABLE x DEEP CLONE t")
    kind = "STRING COLLATE UNICODE_AI"
    for column in ("name", "tags.element", "s.x", "m.value"):
        grid.session.sql(f"ALTER TABLE x ALTER COLUMN {column} TYPE {kind}")
    frame_of(grid.spark, "UNICODE_AI").createOrReplaceTempView(VIEW)
    found = [text for query in QUERIES for text in grid.differences(query, query, "x")]
    assert not found, "\n".join(found)


def test_the_change_data_feed(grid: Grid) -> None:
    grid.session.sql("CREATE TABLE x DEEP CLONE t TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')")
    grid.session.sql("DELETE FROM x WHERE name = 'ADA'")
    grid.session.sql("UPDATE x SET name = 'ZOE' WHERE s.x = 'BEN'")
    expected = (
        "SELECT id, name, 'delete' AS change FROM {t} WHERE name = 'ADA' UNION ALL "
        "SELECT id, name, 'update_preimage' FROM {t} WHERE s.x = 'BEN' UNION ALL "
        "SELECT id, CAST('ZOE' AS STRING COLLATE {c}), 'update_postimage' FROM {t} WHERE s.x = 'BEN'"
    )
    changes = "(SELECT id, name, _change_type AS change FROM table_changes('x', 1))"
    found = list(grid.differences(f"SELECT * FROM {changes}", expected))
    found += grid.differences(
        f"SELECT id FROM {changes} WHERE name = 'ada' OR name = 'zoe' ORDER BY name, id",
        f"SELECT id FROM ({expected}) WHERE name = 'ada' OR name = 'zoe' ORDER BY name, id",
    )
    assert not found, "\n".join(found)


def _is_true(grid: Grid, condition: str) -> bool:
    (row,) = grid.spark.sql(f"SELECT {condition.format(c=grid.collation)}").collect()
    return bool(row[0])


@pytest.mark.parametrize("way", WAYS)
def test_constraints_and_generated_columns(grid: Grid, way: str) -> None:
    session = grid.session
    session.sql(f"SET deltasql.compute = {way}")
    session.sql(
        f"CREATE TABLE x (id INT, name STRING COLLATE {grid.collation}, is_ada BOOLEAN GENERATED ALWAYS AS "
        "(name = 'ADA'), CONSTRAINT k CHECK (name IS NULL OR name <> 'NOBODY'))"
    )
    session.sql("INSERT INTO x (id, name) VALUES (1, 'ada'), (2, 'ADA '), (3, 'Ada'), (4, NULL), (5, 'ADA')")
    session.sql("INSERT INTO x (id, name) SELECT id + 5, name FROM x WHERE id < 4")
    is_ada = [_is_true(grid, f"'{text}' COLLATE {{c}} = 'ADA'") for text in ("ada", "ADA ", "Ada")]
    assert session.sql("SELECT is_ada FROM x ORDER BY id").collect() == [
        *((value,) for value in is_ada),
        (None,),
        (True,),
        *((value,) for value in is_ada),
    ]
    for text in ("nobody", "NOBODY ", "Nobody"):
        for write in (f"INSERT INTO x (id, name) VALUES (9, '{text}')", f"UPDATE x SET name = '{text}' WHERE id = 1"):
            if _is_true(grid, f"'{text}' COLLATE {{c}} = 'NOBODY'"):
                with pytest.raises(DeltaSqlError) as caught:
                    session.sql(write)
                assert caught.value.condition == "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES"
            else:
                session.sql(write)
    session.sql("DELETE FROM x WHERE id = 9 OR id = 1")
    if _is_true(grid, "'ADA' COLLATE {c} = 'aDA'"):
        with pytest.raises(DeltaSqlError, match="DELTA_NEW_CHECK_CONSTRAINT_VIOLATION"):
            session.sql("ALTER TABLE x ADD CONSTRAINT more CHECK (name IS NULL OR name <> 'aDA')")
    else:
        session.sql("ALTER TABLE x ADD CONSTRAINT more CHECK (name IS NULL OR name <> 'aDA')")


def test_keys_that_are_equal_by_the_collation(grid: Grid) -> None:
    """Two rows of the source for one of the target."""
    key = f"CAST(k AS STRING COLLATE {grid.collation}) AS k"
    source = f"(SELECT {key}, w FROM VALUES ('ada', 'a'), ('ADA', 'b') AS v (k, w)) AS v"
    merge = f"MERGE INTO x USING {source} ON x.name = v.k WHEN MATCHED THEN UPDATE SET plain = v.w"
    for way in WAYS:
        grid.session.sql(f"SET deltasql.compute = {way}")
        grid.session.sql("CREATE OR REPLACE TABLE x DEEP CLONE t")
        if _is_true(grid, "'ada' COLLATE {c} = 'ADA'"):
            with pytest.raises(DeltaSqlError, match="DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE"):
                grid.session.sql(merge)
        else:
            assert grid.session.sql(merge).collect()[0][0] >= 2


def test_the_information_schema(grid: Grid) -> None:
    query = (
        "SELECT column_name, full_data_type, data_type FROM information_schema.columns WHERE table_name = 't' "
        "ORDER BY ordinal_position"
    )
    kind = "string" if grid.collation == "UTF8_BINARY" else f"string collate {grid.collation}"
    assert grid.session.sql(query).collect() == [
        ("id", "int", "INT"),
        ("name", kind, "STRING"),
        ("plain", "string", "STRING"),
        ("tags", f"array<{kind}>", "ARRAY"),
        ("s", f"struct<x:{kind}>", "STRUCT"),
        ("m", f"map<string,{kind}>", "MAP"),
    ]
    assert [row[1] for row in grid.session.sql("DESCRIBE t").collect()][:2] == ["int", kind]


def test_columns_that_cannot_have_one(grid: Grid) -> None:
    """A table is neither partitioned nor clustered by them."""
    for clause in ("PARTITIONED BY", "CLUSTER BY"):
        text = f"CREATE TABLE x {clause} (name) AS SELECT * FROM t"
        if grid.collation == "UTF8_BINARY":
            grid.session.sql(text)
            grid.session.sql("DROP TABLE x")
            continue
        with pytest.raises(DeltaSqlError) as caught:
            grid.session.sql(text)
        assert caught.value.condition in {
            "DELTA_INVALID_PARTITION_COLUMN_TYPE",
            "DELTA_CLUSTERING_COLUMNS_DATATYPE_NOT_SUPPORTED",
        }
        assert "name" in str(caught.value)


def test_the_schema_is_written_as_spark_writes_it(grid: Grid) -> None:
    """`__COLLATIONS` in the metadata of fields, with the same identifiers."""
    own = json.loads(schema_to_json(grid.session.log("t").snapshot().schema))
    assert own == json.loads(grid.spark.table(VIEW).schema.json())


@pytest.mark.parametrize("way", WAYS)
def test_a_refreshed_view(grid: Grid, way: str) -> None:
    """Groups of keys that are equal by the collation, of which a later row has another text."""
    grid.session.sql(f"SET deltasql.compute = {way}")
    grid.session.sql("CREATE TABLE x DEEP CLONE t TBLPROPERTIES ('delta.enableRowTracking' = 'true')")
    grid.session.sql("CREATE MATERIALIZED VIEW y AS SELECT name, count(*) AS n, min(id) AS least FROM x GROUP BY name")
    grid.session.sql("INSERT INTO x (id, name) VALUES (90, 'aDA'), (91, 'bEN'), (92, 'new')")
    grid.session.sql("DELETE FROM x WHERE id IN (0, 7)")
    grid.session.sql("UPDATE x SET name = 'NEW' WHERE id = 10")
    grid.session.sql("REFRESH MATERIALIZED VIEW y")
    expected = grid.session.sql("SELECT count(*) AS n, min(id) AS least FROM x GROUP BY name").collect()
    assert sorted(grid.session.sql("SELECT n, least FROM y").collect()) == sorted(expected)
    grid.session.sql("DROP MATERIALIZED VIEW y")


@pytest.mark.parametrize("way", WAYS)
def test_partitions_computed_from_a_collated_column(grid: Grid, way: str) -> None:
    """The partition of a text is not that of all texts which are equal to it."""
    session = grid.session
    session.sql(f"SET deltasql.compute = {way}")
    session.sql(
        f"CREATE TABLE x (id INT, name STRING COLLATE {grid.collation}, p STRING GENERATED ALWAYS AS "
        "(CAST(substring(name, 1, 1) AS STRING))) PARTITIONED BY (p)"
    )
    session.sql("INSERT INTO x (id, name) SELECT id, name FROM t")
    for condition in ("name = 'ADA'", "name IN ('ben', 'FIN')", "name < 'b'", "name LIKE 'a%'"):
        found = list(
            grid.differences(f"SELECT id FROM {{t}} WHERE {condition}", f"SELECT id FROM {{t}} WHERE {condition}", "x")
        )
        assert not found, found
