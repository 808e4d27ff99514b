"""Checks find what is wrong with statements without running them, and nothing in those that are right."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import deltasql
from deltasql.catalog.entries import RefreshDefinition, Refreshed, ViewDefinition
from deltasql.clients.checking import Checker
from deltasql.schema.types import INTEGER, StructField, StructType
from deltasql.session.session import Session


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with deltasql.connect(str(tmp_path_factory.mktemp("tables") / "warehouse")) as session:
        session.sql("CREATE SCHEMA shop")
        session.sql("CREATE TABLE shop.orders (id INT, name STRING, place STRUCT<city: STRING>, day DATE)")
        session.sql("CREATE VIEW names AS SELECT id, name FROM shop.orders")
        session.sql("CREATE VOLUME shop.landing")
        for kind, name in ((Refreshed.MATERIALIZED_VIEW, "ids"), (Refreshed.STREAMING_TABLE, "seen")):
            session.sql(f"CREATE TABLE shop.{name} (id INT)")
            columns = StructType((StructField("id", INTEGER),))
            query = "SELECT id FROM STREAM(shop.orders)" if name == "seen" else "SELECT id FROM shop.orders"
            view = ViewDefinition(query, ("spark_catalog", "default"), {}, ("id",), columns)
            session.catalog.define(("spark_catalog", "shop", name), RefreshDefinition(kind, view))
        session.sql("CREATE CATALOG other")
        session.sql("CREATE TABLE other.default.far (x INT)")
        yield session


def found(script: str, warehouse: Session | None = None, *, complete: bool = True) -> list[str]:
    """`line:column CONDITION` of each finding."""
    with Checker(warehouse, complete=complete) as checker:
        return [f"{item.line}:{item.column} {item.condition}" for item in checker.check(script)]


RIGHT = (
    "SELECT o.id, count(*) AS n FROM shop.orders o WHERE day > current_date() GROUP BY o.id HAVING n > 1 ORDER BY n",
    "SELECT q.m FROM (SELECT max(id) AS m FROM shop.orders) q",
    "SELECT place.city, o.place.city FROM shop.orders AS o",
    "WITH c AS (SELECT id AS i FROM names) SELECT d.i, abs(i) FROM c d JOIN other.default.far ON x = d.i",
    "SELECT filter(array(id), x -> x > 1), extract(YEAR FROM day) FROM shop.orders",
    "SELECT * FROM shop.orders LATERAL VIEW explode(array(1)) t AS y WHERE y = 1",
    "SELECT id FROM shop.orders VERSION AS OF 17",
    "SELECT id FROM shop.orders WHERE id = :id AND name = ?",
    "SELECT `ID`, NAME FROM SHOP.`orders`",
    "UPDATE shop.orders o SET name = upper(o.name) WHERE id IN (SELECT id FROM names)",
    "DELETE FROM shop.orders WHERE id = 1",
    "MERGE INTO shop.orders t USING names s ON t.id = s.id WHEN MATCHED THEN UPDATE SET t.name = s.name "
    "WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)",
    "MERGE INTO shop.orders AS t USING (SELECT id AS of, 'x' AS name FROM names) s ON t.id = s.of "
    "WHEN NOT MATCHED THEN INSERT (ID, t.name) VALUES (s.of, DEFAULT)",
    "MERGE WITH SCHEMA EVOLUTION INTO shop.orders t USING (SELECT 1 AS id, 2 AS new) s ON t.id = s.id "
    "WHEN MATCHED THEN UPDATE SET new = s.new WHEN NOT MATCHED THEN INSERT (id, new) VALUES (s.id, s.new)",
    "ALTER TABLE shop.orders ADD CONSTRAINT c CHECK (ID > 0 AND orders.name <> '')",
    "INSERT INTO shop.orders SELECT id, name, NULL, current_date() FROM names",
    "OPTIMIZE shop.orders",
    "DESCRIBE HISTORY shop.orders",
    "SET spark.sql.session.timeZone = UTC",
    "BEGIN DECLARE x INT; SET x = 1; END",
    "RESTORE TABLE shop.orders TO VERSION AS OF 3",
)


@pytest.mark.parametrize("statement", RIGHT)
def test_nothing_is_found_in_what_is_right(statement: str, warehouse: Session) -> None:
    assert found(statement, warehouse) == []


WRONG = {
    "SELECT id,\n  nmae FROM shop.orders": "2:3 UNRESOLVED_COLUMN.WITH_SUGGESTION",
    "SELECT o.idd FROM shop.orders o": "1:8 UNRESOLVED_COLUMN.WITH_SUGGESTION",
    "SELECT * FROM shop.order": "1:15 TABLE_OR_VIEW_NOT_FOUND",
    "SELECT * FROM shp.orders": "1:15 TABLE_OR_VIEW_NOT_FOUND",
    "DROP TABLE `shop`.`gone`": "1:12 TABLE_OR_VIEW_NOT_FOUND",
    "/* a note */ WHRE x": "1:14 PARSE_SYNTAX_ERROR",
    "DELETE FROM shop.orders WHERE idd = 1": "1:31 UNRESOLVED_COLUMN.WITH_SUGGESTION",
    "UPDATE shop.orders SET y = 1": "1:24 DELTA_MISSING_SET_COLUMN",
    "UPDATE shop.orders SET name = y": "1:31 UNRESOLVED_COLUMN.WITH_SUGGESTION",
    "MERGE INTO shop.orders t USING names s ON t.id = s.iid WHEN MATCHED THEN DELETE": (
        "1:50 UNRESOLVED_COLUMN.WITH_SUGGESTION"
    ),
    "MERGE INTO shop.orders t USING names s ON t.id = s.id WHEN MATCHED THEN UPDATE SET t.nam = s.name": (
        "1:84 DELTA_MERGE_UNRESOLVED_EXPRESSION"
    ),
    "MERGE INTO shop.orders t USING (SELECT 1 AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET nam = 'x'": (
        "1:95 UNRESOLVED_COLUMN.WITH_SUGGESTION"
    ),
    "MERGE INTO shop.orders t USING (SELECT iid FROM names) s ON true WHEN MATCHED THEN DELETE": (
        "1:40 UNRESOLVED_COLUMN.WITH_SUGGESTION"
    ),
    "MERGE INTO shop.orders t USING (SELECT 1 AS id) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (nam) VALUES (1)": (
        "1:96 UNRESOLVED_COLUMN.WITH_SUGGESTION"
    ),
    "MERGE INTO shop.orders t USING names s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id) VALUES (s.iid)": (
        "1:97 UNRESOLVED_COLUMN.WITH_SUGGESTION"
    ),
    "ALTER TABLE shop.orders ADD CONSTRAINT c CHECK (nam <> '')": "1:49 UNRESOLVED_COLUMN.WITH_SUGGESTION",
    "CREATE TABLE shop.orders (x INT)": "1:14 TABLE_OR_VIEW_ALREADY_EXISTS",
    "ALTER TABLE shop.orders DROP COLUMN nope": "1:37 DELTA_COLUMN_NOT_FOUND_IN_SCHEMA",
    "OPTIMIZE shop.orders ZORDER BY (q)": "1:33 DELTA_ZORDERING_COLUMN_DOES_NOT_EXIST",
    "CREATE VIEW v AS SELECT nope FROM names": "1:25 UNRESOLVED_COLUMN.WITH_SUGGESTION",
    "BEGIN SELEC 1; END": "1:7 PARSE_SYNTAX_ERROR",
}


@pytest.mark.parametrize("statement", WRONG)
def test_the_place_of_what_is_wrong(statement: str, warehouse: Session) -> None:
    assert found(statement, warehouse) == [WRONG[statement]]


def test_statements_see_the_changes_of_those_before_them(warehouse: Session) -> None:
    script = """
        ALTER TABLE shop.orders ADD COLUMN extra INT;
        SELECT extra FROM shop.orders;
        CREATE TABLE made (a INT) TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
        INSERT INTO made VALUES (1);
        ALTER TABLE made RENAME COLUMN a TO b;
        CREATE TABLE plain AS SELECT b FROM made;
        SELECT b FROM plain;
        SELECT a FROM plain;
        CREATE VIEW v AS SELECT b FROM made;
        SELECT nope FROM v;
        CREATE TABLE copied SHALLOW CLONE made;
        SELECT nope FROM copied;
        DROP TABLE shop.orders;
        SELECT 1 FROM shop.orders;
        CREATE TABLE by_engine AS SELECT b, count(*) AS n FROM made GROUP BY b;
        SELECT n FROM by_engine;
        DROP TABLE by_engine;
        USE SCHEMA shop;
        SELECT id FROM orders;
    """
    assert found(script, warehouse) == [
        "9:16 UNRESOLVED_COLUMN.WITH_SUGGESTION",
        "11:16 UNRESOLVED_COLUMN.WITH_SUGGESTION",
        "13:16 UNRESOLVED_COLUMN.WITH_SUGGESTION",
        "15:23 TABLE_OR_VIEW_NOT_FOUND",
        "20:24 TABLE_OR_VIEW_NOT_FOUND",
    ]


def test_nothing_is_run(warehouse: Session, tmp_path: Path) -> None:
    place = tmp_path / "place"
    script = f"""
        CREATE TABLE away (x INT) LOCATION '{place}';
        INSERT INTO away VALUES (1);
        CREATE SCHEMA apart LOCATION '{place}';
        CREATE TABLE apart.t (x INT);
        DROP SCHEMA shop CASCADE;
        DROP CATALOG other CASCADE;
        INSERT INTO delta.`{warehouse.log("other.default.far").location}` VALUES (1);
        ALTER TABLE delta.`{warehouse.log("other.default.far").location}` ADD COLUMN y INT;
    """
    before = warehouse.log("shop.orders").snapshot().version, warehouse.catalog.catalogs()
    assert found(script, warehouse) == []
    assert (warehouse.log("shop.orders").snapshot().version, warehouse.catalog.catalogs()) == before
    assert warehouse.log("other.default.far").snapshot().version == 0
    assert not place.exists()


def test_without_tables_only_what_is_certain_is_found() -> None:
    assert found("SELECT a FROM b.c; SELEC 1; CREATE TABLE t (x INT); SELECT y FROM t", complete=False) == [
        "1:20 PARSE_SYNTAX_ERROR",
        "1:60 UNRESOLVED_COLUMN.WITH_SUGGESTION",
    ]


def test_offsets_and_help() -> None:
    text = "SELECT 'ä😀';\n  SELEC 1"
    with Checker() as checker:
        (item,) = checker.check(text)
    assert text[item.start : item.end] == "SELEC"
    assert (item.end_line, item.end_column) == (2, 8)
    assert "What to do" in item.help
    assert item.text("f.sql").startswith("f.sql:2:3: [PARSE_SYNTAX_ERROR] No statement starts with 'SELEC'.")


def test_refreshed_tables_and_volumes_of_a_warehouse(warehouse: Session) -> None:
    script = """SELECT id FROM shop.ids;
SELECT idd FROM shop.seen;
INSERT INTO shop.ids VALUES (1);
ALTER MATERIALIZED VIEW shop.ids DROP SCHEDULE;
DROP MATERIALIZED VIEW shop.ids;
REFRESH STREAMING TABLE shop.seen;
SELECT id FROM shop.ids;
LIST '/Volumes/spark_catalog/shop/landing';
REMOVE '/Volumes/spark_catalog/shop/landing/a.csv';
DESCRIBE VOLUME shop.land;
DROP VOLUME shop.landing"""
    assert found(script, warehouse) == [
        "2:8 UNRESOLVED_COLUMN.WITH_SUGGESTION",
        "3:13 REFRESHED_TABLE_NOT_WRITABLE",
        "7:16 TABLE_OR_VIEW_NOT_FOUND",
        "10:17 VOLUME_NOT_FOUND",
    ]
    assert [entry.name for entry in warehouse.catalog.volumes(("shop",))] == ["landing"]
    assert warehouse.catalog.find(("shop", "ids")) is not None


def test_refreshed_tables_of_a_script(warehouse: Session) -> None:
    script = """CREATE MATERIALIZED VIEW shop.m AS SELECT idd FROM shop.orders;
CREATE STREAMING TABLE shop.s AS SELECT upper(name) AS n FROM STREAM(shop.orders);
REFRESH STREAMING TABLE shop.s;
SELECT n FROM shop.s;
CREATE STREAMING TABLE shop.z AS SELECT o.id FROM shop.orders o LEFT JOIN STREAM(shop.orders) p ON o.id = p.id"""
    assert found(script, warehouse) == [
        "1:43 UNRESOLVED_COLUMN.WITH_SUGGESTION",
        "5:34 STREAMING_TABLE_QUERY_NOT_SUPPORTED",
    ]


def test_files_of_other_machines_are_no_errors(warehouse: Session) -> None:
    """Statements read them where they run."""
    script = """SELECT * FROM read_files('/not/on/this/machine/x.csv');
COPY INTO shop.orders FROM '/not/on/this/machine' FILEFORMAT = CSV;
SELECT * FROM read_files('no/such/folder');
CREATE TABLE from_files USING csv OPTIONS (header 'true') LOCATION '/not/on/this/machine/csv';
SELECT any_name FROM from_files;
CREATE TABLE elsewhere LOCATION '/not/on/this/machine/delta';
SELECT any_name FROM elsewhere;
CONVERT TO DELTA parquet.`/not/on/this/machine/parquet`;
SELECT * FROM delta.`/not/on/this/machine/delta`"""
    assert found(script, warehouse) == []


@pytest.mark.parametrize(
    ("script", "found_at"),
    [
        ("SELECT 1\nSELECT 2", "2:1"),
        ("CREATE VIEW v AS SELECT 1 AS a\n-- next\nSELECT 2", "3:1"),
        ("WITH a AS (SELECT 1 AS x) SELECT x FROM a SELECT 2", "1:43"),
        ("SELECT id FROM shop.orders WHERE id IN (SELECT 1) select 2;", "1:51"),
        ("INSERT INTO shop.orders SELECT * FROM shop.orders SELECT * FROM shop.orders", "1:51"),
    ],
)
def test_queries_that_run_together(script: str, found_at: str, warehouse: Session) -> None:
    assert found(script, warehouse) == [f"{found_at} PARSE_SYNTAX_ERROR"]


@pytest.mark.parametrize(
    "script",
    [
        "SELECT 1 AS a UNION ALL SELECT 2 MINUS SELECT 3 INTERSECT DISTINCT SELECT 4 UNION ALL BY NAME SELECT 5 AS a",
        "WITH a AS (SELECT 1 AS x), b AS (SELECT 2 AS x) SELECT x FROM a EXCEPT (SELECT x FROM b)",
        "FROM shop.orders SELECT id",
        "SELECT 1 AS `select`, (SELECT 2) AS b, 'SELECT 3' AS c -- SELECT 4",
    ],
)
def test_queries_that_do_not_run_together(script: str, warehouse: Session) -> None:
    assert found(script, warehouse) == []


def test_columns_behind_all_parts_of_a_table(warehouse: Session) -> None:
    script = """SELECT spark_catalog.shop.orders.id, shop.orders.id, orders.place.city FROM spark_catalog.shop.orders;
SELECT spark_catalog.shop.orders.place.city FROM shop.orders;
SELECT spark_catalog.shop.orders.idd FROM shop.orders"""
    assert found(script, warehouse) == ["3:8 UNRESOLVED_COLUMN.WITH_SUGGESTION"]


def test_names_in_identifier_clauses_and_variables(warehouse: Session) -> None:
    script = """CREATE TABLE IDENTIFIER('shop.`new`') (IDENTIFIER('id') INT);
SELECT IDENTIFIER('id') FROM shop.new;
DECLARE OR REPLACE VARIABLE least, other INT DEFAULT 3;
SELECT id FROM shop.new WHERE id > least AND id < session.other;
DROP TABLE IDENTIFIER('shop.nothing')"""
    assert found(script, warehouse) == ["5:12 TABLE_OR_VIEW_NOT_FOUND"]


def test_functions_and_tables_that_need_an_engine(warehouse: Session) -> None:
    script = """CREATE FUNCTION shop.plus(a INT) RETURNS INT RETURN a + 1;
DESCRIBE FUNCTION shop.plus;
CREATE TABLE shop.written USING csv AS SELECT id, upper(name) AS n FROM shop.orders;
INSERT INTO shop.written VALUES (1, 'a');
DROP TABLE shop.written"""
    assert found(script, warehouse) == []


def test_partitions_of_a_table_without_rows(warehouse: Session) -> None:
    script = """CREATE TABLE shop.parts (id INT, p INT) PARTITIONED BY (p);
OPTIMIZE shop.parts WHERE pmod(p, 2) = 1"""
    assert found(script, warehouse) == []
