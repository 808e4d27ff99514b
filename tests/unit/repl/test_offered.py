"""What Tab offers, over real tables and without Spark."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

import deltasql
from deltasql.clients.repl.completion import SqlCompleter
from deltasql.session.session import Session


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with deltasql.connect(str(tmp_path_factory.mktemp("completion"))) as made:
        made.sql(
            "CREATE TABLE stock (item STRING, place STRUCT<hall: INT, at: STRUCT<x: INT>>, tags ARRAY<STRUCT<k: INT>>)"
        )
        made.sql("CREATE TABLE s (other INT)")
        made.sql("CREATE SCHEMA sales")
        made.sql("ALTER TABLE stock SET TBLPROPERTIES ('a' = 'b')")
        yield made


def offered(session: Session, text: str) -> list[str]:
    """What is offered where the | stands."""
    before, _, after = text.partition("|")
    document = Document(before + after, len(before))
    return [item.text for item in SqlCompleter(session).get_completions(document, CompleteEvent())]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("SELECT s.place.| FROM stock s", ["hall", "at"]),
        ("SELECT place.| FROM stock", ["hall", "at"]),
        ("SELECT PLACE.at.| FROM stock", ["x"]),
        ("SELECT tags.element.| FROM stock", ["k"]),
        ("ALTER TABLE stock ADD COLUMN place.h|", ["hall"]),
        ("ALTER TABLE stock DROP COLUMN pl|", ["place"]),
        ("UPDATE stock SET |", ["item", "place", "tags"]),
        # The alias is no table, though there is one of that name.
        ("SELECT o| FROM stock s", ["offset", "on", "or", "order", "outer", "over", "octet_length", "overlay"]),
        ("SELECT coun|", ["count", "count_if", "count_min_sketch"]),
        ("SELECT * FROM stock VERSION AS OF |", ["1", "0"]),
        ("RESTORE TABLE stock TO VERSION AS OF |", ["1", "0"]),
        ("ALTER TABLE stock SET TBLPROPERTIES ('delta.appe|", ["'delta.appendOnly'"]),
        ('ALTER TABLE stock SET TBLPROPERTIES ("x" = 1, "delta.appe|', ['"delta.appendOnly"']),
        ("ALTER TABLE stock SET TBLPROPERTIES (delta.appe|", ["delta.appendOnly"]),
        ("ALTER TABLE stock SET TBLPROPERTIES ('delta.appendOnly' = |", ["'true'", "'false'"]),
        ("set spark.sql.sources.partitionOverwriteMode = |", ["STATIC", "DYNAMIC"]),
        ("SET spark.sql.storeA|", ["spark.sql.storeAssignmentPolicy"]),
        ("SELECT CAST(item AS da|", ["date"]),
        ("CREATE TABLE x (a |", ["STRING", "INT", "BIGINT"]),
        ("CREATE TABLE x (a INT, b str|", ["string", "struct"]),
        ("CREATE TABLE x (a INT N|", ["NOT NULL"]),
        ("ALTER TABLE stock ADD COLUMNS (x |", ["STRING", "INT", "BIGINT"]),
        ("SELECT * FROM stock ORDER |", ["BY"]),
        ("DROP TABLE |", ["stock", "s", "default", "sales", "IF"]),
        ("USE sa|", ["sales"]),
        ("SELECT ';' FROM st|", ["stock"]),
        ("BEGIN |", ["BEGIN", "DECLARE", "IF"]),
        ("BEGIN TR|", ["TRANSACTION"]),
        ("BEGIN DECLARE x INT; wh|", ["while"]),
        ("BEGIN DECLARE EXIT |", ["HANDLER FOR"]),
        ("BEGIN DECLARE EXIT HANDLER FOR N|", ["NOT FOUND"]),
        ("BEGIN IF true THEN SELECT 1; END |", ["IF", "WHILE"]),
        ("BEGIN SELECT * FROM st|", ["stock"]),
        ("\\d st|", ["stock"]),
        ("\\history sales.|", []),
        ("\\pset pager |", ["on", "off"]),
        ("\\x |", ["on", "off", "auto"]),
    ],
)
def test_offered(session: Session, text: str, first: list[str]) -> None:
    found = offered(session, text)
    assert found[: len(first)] == first or set(first) <= set(found[:12])


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("DROP TABLE |", {"ALL", "AND", "AS", "BETWEEN"}),
        ("DESCRIBE HISTORY |", {"ALL", "AND", "BETWEEN"}),
        ("CREATE TABLE x (a |", {"ALL", "AND", "SELECT", "abs"}),
        ("SELECT * FROM stock VERSION AS OF |", {"item", "ALL"}),
        ("ALTER TABLE stock ADD COLUMN |", {"item", "ALL"}),
        ("SELECT | FROM stock s", {"other"}),
        ("SELECT | FROM stock", {"abs", "count"}),
    ],
)
def test_not_offered(session: Session, text: str, wrong: set[str]) -> None:
    assert not wrong & set(offered(session, text))


def test_files(session: Session, tmp_path: Path) -> None:
    (tmp_path / "a.sql").touch()
    (tmp_path / "a.txt").touch()
    (tmp_path / "below").mkdir()
    assert offered(session, f"\\i {tmp_path}/|") == [f"{tmp_path}/a.sql", f"{tmp_path}/below/"]
    assert offered(session, f"\\i {tmp_path}/none/|") == []


def test_what_is_offered_is_told(session: Session) -> None:
    document = Document("SELECT  FROM stock", 7)
    first = next(iter(SqlCompleter(session).get_completions(document, CompleteEvent())))
    assert (first.text, first.display_meta_text) == ("item", "string of stock")


def test_names_of_other_catalogs(tmp_path: Path) -> None:
    with deltasql.connect(str(tmp_path)) as session:
        assert {"samples", "spark_catalog"} <= {*offered(session, "SELECT * FROM s|")}
        for sql in ("CREATE CATALOG main", "CREATE SCHEMA main.sales", "CREATE TABLE main.sales.orders (id INT)"):
            session.sql(sql)
        assert offered(session, "SELECT * FROM ma|")[:1] == ["main"]
        assert offered(session, "USE ma|")[:1] == ["main"]
        assert offered(session, "SELECT * FROM main.|") == ["default", "sales"]
        assert offered(session, "SELECT * FROM main.sales.|") == ["orders"]
        assert offered(session, "SELECT * FROM main.nope.|") == []
        assert offered(session, "SELECT | FROM main.sales.orders")[:1] == ["id"]
        assert "tables" in offered(session, "SELECT * FROM main.information_schema.|")
        assert offered(session, "\\dt main.sales.|") == ["main.sales.orders"]
