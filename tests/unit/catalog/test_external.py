"""External catalogs beside that of the warehouse: which store is asked, and how they are configured."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

import deltasql
from deltasql.base.errors import (
    CatalogAlreadyExistsError,
    CatalogConfigurationError,
    CatalogLibraryMissingError,
    CatalogOperationError,
    RenameAcrossCatalogsError,
    SchemaNotFoundError,
    TableNotFoundError,
)
from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.errors.secrets import REDACTED
from deltasql.catalog.entries import Entry, StoredSchema, TableEntry
from deltasql.catalog.external.routing import TYPES, CatalogOptions, CatalogType, ExternalStore, configured, of_spark
from deltasql.catalog.store import Kind, NameMissingError, NameTakenError, SchemaKey, TableKey
from deltasql.clients import dbapi
from deltasql.clients.cli import main
from deltasql.clients.command.options import catalog_option

TOKEN = "t0ken-of-the-test"


class ListedStore(ExternalStore):
    """A store of names in this process, shared by all sessions; it counts look-ups."""

    type = "listed"
    tables: dict[TableKey, TableEntry]
    looked_up: list[TableKey]

    def __init__(self, options: CatalogOptions) -> None:
        super().__init__(options)
        self.folder = options.options["uri"]

    def schemas(self, catalog: str) -> Sequence[StoredSchema]:
        return [StoredSchema(catalog, name, None, f"{self.folder}/{name}", 0) for name in ("default", "sales")]

    def schema(self, key: SchemaKey) -> StoredSchema | None:
        return next((found for found in self.schemas(key[0]) if found.name == key[1]), None)

    def entries(self, schema: SchemaKey) -> Sequence[Entry]:
        if self.schema(schema) is None:
            raise NameMissingError(Kind.SCHEMA)
        return [entry for key, entry in self.tables.items() if key[:2] == schema]

    def entry(self, key: TableKey) -> Entry | None:
        self.looked_up.append(key)
        return self.tables.get(key)

    def add_table(self, entry: TableEntry) -> None:
        if entry.parts in self.tables:
            raise NameTakenError
        self.tables[entry.parts] = entry

    def remove_entry(self, key: TableKey, kind: Kind) -> Entry:
        if kind is Kind.VIEW or key not in self.tables:
            raise NameMissingError(kind)
        return self.tables.pop(key)


@pytest.fixture(autouse=True)
def listed(monkeypatch: pytest.MonkeyPatch) -> None:
    kind = CatalogType(__name__, "ListedStore", needed=("uri",), others=("token",), extra="listed")
    monkeypatch.setitem(sys.modules, __name__, sys.modules[__name__])
    monkeypatch.setattr("deltasql.catalog.external.routing.TYPES", {**TYPES, "listed": kind})
    monkeypatch.setattr("deltasql.catalog.external.routing.TYPES", {**TYPES, "listed": kind})
    ListedStore.tables, ListedStore.looked_up = {}, []


@pytest.fixture
def catalogs(tmp_path: Path) -> dict[str, dict[str, str]]:
    return {"Main": {"type": "listed", "uri": str(tmp_path / "elsewhere"), "token": TOKEN}}


@pytest.fixture
def session(tmp_path: Path, catalogs: dict[str, dict[str, str]]) -> Iterator[deltasql.Session]:
    with deltasql.connect(str(tmp_path / "warehouse"), catalogs=catalogs) as opened:
        yield opened


def rows(session: deltasql.Session, sql: str) -> list[tuple[object, ...]]:
    return [tuple(row) for row in session.sql(sql).collect()]


def test_tables_of_both_in_one_session(session: deltasql.Session, tmp_path: Path) -> None:
    session.sql("CREATE TABLE main.sales.orders (id INT)")
    session.sql("INSERT INTO MAIN.`Sales`.orders VALUES (1), (2)")
    session.sql("CREATE TABLE here (id INT)")
    session.sql("INSERT INTO here SELECT * FROM main.sales.orders WHERE id > 1")
    assert rows(session, "SELECT * FROM here") == [(2,)]
    assert (tmp_path / "elsewhere/sales/orders/_delta_log").is_dir()
    assert {("main",), ("spark_catalog",)} <= {*rows(session, "SHOW CATALOGS")}
    assert rows(session, "SHOW TABLES IN main.sales") == [("sales", "orders", False)]
    assert [row[0] for row in rows(session, "SHOW SCHEMAS IN main")] == ["default", "sales"]
    session.sql("DROP TABLE main.sales.orders")
    assert not (tmp_path / "elsewhere/sales/orders").exists()


@pytest.mark.spark
def test_current_names(session: deltasql.Session) -> None:
    session.sql("USE CATALOG main")
    session.sql("USE sales")
    session.sql("CREATE TABLE orders (id INT)")
    assert rows(session, "SELECT current_catalog(), current_schema()") == [("main", "sales")]
    assert rows(session, "SHOW TABLES") == [("sales", "orders", False)]
    session.sql("USE spark_catalog.default")
    assert rows(session, "SELECT count(*) FROM main.sales.orders") == [(0,)]


def test_describe_catalog_has_its_type(session: deltasql.Session) -> None:
    assert rows(session, "DESCRIBE CATALOG main") == [
        ("Catalog Name", "main"),
        ("Comment", ""),
        ("Catalog Type", "listed"),
    ]
    assert ("Catalog Type", "listed") in rows(session, "DESCRIBE CATALOG EXTENDED Main")
    assert not any(name == "Catalog Type" for name, _ in rows(session, "DESCRIBE CATALOG spark_catalog"))


def test_information_schema(session: deltasql.Session) -> None:
    session.sql("CREATE TABLE main.sales.orders (id INT)")
    found = rows(
        session, "SELECT table_schema, table_name FROM main.information_schema.tables WHERE table_schema = 'sales'"
    )
    assert found == [("sales", "orders")]
    found = rows(session, "SELECT column_name FROM main.information_schema.columns WHERE table_name = 'orders'")
    assert found == [("id",)]


@pytest.mark.spark
def test_a_name_is_looked_up_once_for_a_statement_and_again_for_the_next(session: deltasql.Session) -> None:
    session.sql("CREATE TABLE main.sales.orders (id INT)")
    for _ in range(2):
        ListedStore.looked_up.clear()
        rows(session, "SELECT count(*) FROM main.sales.orders AS a JOIN main.sales.orders AS b ON a.id = b.id")
        assert ListedStore.looked_up == [("main", "sales", "orders")]
    del ListedStore.tables[("main", "sales", "orders")]
    with pytest.raises(TableNotFoundError):
        session.sql("SELECT * FROM main.sales.orders")


def test_names_that_do_not_exist(session: deltasql.Session) -> None:
    session.sql("CREATE TABLE main.sales.orders (id INT)")
    with pytest.raises(TableNotFoundError) as missing:
        session.sql("SELECT * FROM main.sales.order")
    assert missing.value.similar == ("main.sales.orders",)
    with pytest.raises(SchemaNotFoundError, match="sales"):
        session.sql("CREATE TABLE main.sale.orders (id INT)")


@pytest.mark.spark
@pytest.mark.parametrize(
    ("statement", "operation"),
    [
        ("CREATE VIEW main.sales.v AS SELECT 1 AS a", "views"),
        ("CREATE OR REPLACE FUNCTION main.sales.f() RETURNS INT RETURN 1", "functions"),
        ("CREATE SCHEMA main.other", "CREATE SCHEMA"),
        ("DROP SCHEMA main.sales CASCADE", "DROP SCHEMA"),
        ("DROP CATALOG main CASCADE", "DROP CATALOG"),
        ("DROP CATALOG IF EXISTS main", "DROP CATALOG"),
        ("COMMENT ON CATALOG main IS 'x'", "comments"),
        ("COMMENT ON SCHEMA main.sales IS 'x'", "comments"),
        ("SET TAG ON CATALOG main a = b", "comments"),
        ("ALTER TABLE main.sales.orders RENAME TO main.sales.sold", "RENAME TO"),
        ("ALTER TABLE main.sales.orders SET LOCATION '{other}'", "SET LOCATION"),
    ],
)
def test_what_the_catalog_cannot_do_is_refused_by_name(
    session: deltasql.Session, tmp_path: Path, statement: str, operation: str
) -> None:
    session.sql("CREATE TABLE main.sales.orders (id INT)")
    session.sql(f"CREATE TABLE delta.`{tmp_path}/other` (id INT)")
    before = dict(ListedStore.tables)
    with pytest.raises(CatalogOperationError) as refused:
        session.sql(statement.format(other=f"{tmp_path}/other"))
    assert refused.value.catalog == "main"
    assert "of type listed" in str(refused.value)
    assert operation in str(refused.value)
    assert ListedStore.tables == before


def test_a_catalog_of_this_name_cannot_be_created(session: deltasql.Session) -> None:
    with pytest.raises(CatalogAlreadyExistsError):
        session.sql("CREATE CATALOG main")
    session.sql("CREATE CATALOG IF NOT EXISTS main")


@pytest.mark.parametrize("names", ["main.sales.orders TO spark_catalog.default.orders", "here TO main.sales.here"])
def test_no_table_is_renamed_into_another_system(session: deltasql.Session, names: str) -> None:
    session.sql("CREATE TABLE main.sales.orders (id INT)")
    session.sql("CREATE TABLE here (id INT)")
    old, new = names.split(" TO ")
    with pytest.raises(RenameAcrossCatalogsError, match="listed") as refused:
        session.sql(f"ALTER TABLE {old} RENAME TO {new}")
    assert "the warehouse" in str(refused.value)


# Configuration


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"uri": "x"}, "it has no type"),
        ({"type": "listing", "uri": "x"}, "no type listing"),
        ({"type": "listed"}, "uri is missing"),
        ({"type": "listed", "uri": "x", "tokn": TOKEN}, "no option tokn (did you mean token)"),
        ({"type": "listed", "uri": "x", "token": "${env:DELTASQL_NOTHING}"}, "DELTASQL_NOTHING"),
        ("listed", "no mapping"),
    ],
)
def test_wrong_configurations(tmp_path: Path, options: object, reason: str) -> None:
    with pytest.raises(CatalogConfigurationError) as refused:
        deltasql.connect(str(tmp_path), catalogs={"main": options})  # type: ignore[dict-item]
    assert reason in str(refused.value)
    assert TOKEN not in str(refused.value)


@pytest.mark.parametrize("name", ["spark_catalog", "system", "", "a.b"])
def test_names_that_no_external_catalog_has(name: str) -> None:
    with pytest.raises(CatalogConfigurationError, match="cannot have this name"):
        configured({name: {"type": "listed", "uri": "x"}})


def test_a_value_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DELTASQL_TEST_TOKEN", TOKEN)
    found = configured({"main": {"type": "listed", "uri": "x", "token": "${env:DELTASQL_TEST_TOKEN}"}})
    assert found["main"].get("token") == TOKEN
    assert TOKEN not in repr(found)


def test_a_library_that_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = CatalogType("no_such_library", "Store", needed=(), others=(), extra="none")
    monkeypatch.setattr("deltasql.catalog.external.routing.TYPES", {"none": kind})
    with deltasql.connect(str(tmp_path), catalogs={"main": {"type": "none"}}) as session:
        session.sql("CREATE TABLE t (id INT)")
        with pytest.raises(CatalogLibraryMissingError, match=r"pip install 'deltasql\[none\]'"):
            session.sql("SHOW SCHEMAS IN main")


@pytest.mark.parametrize(
    ("text", "name", "options"),
    [
        ("main=unity,uri=http://h:1,token=a=b", "main", {"type": "unity", "uri": "http://h:1", "token": "a=b"}),
        (r"main=unity,scope=a\,b", "main", {"type": "unity", "scope": "a,b"}),
        ("hms=hive", "hms", {"type": "hive"}),
    ],
)
def test_the_option_of_the_command_line(text: str, name: str, options: dict[str, str]) -> None:
    assert catalog_option(text) == (name, options)


@pytest.mark.parametrize("text", ["main=", "=unity", "main=unity,uri", "main=uri=x", "main,token=value-of-a-token"])
def test_wrong_options_of_the_command_line(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--catalog", text, "-e", "SELECT 1"])
    shown = capsys.readouterr().err
    assert "OPTION=VALUE" in shown
    assert "value-of-a-token" not in shown


@pytest.mark.spark
def test_command_and_file_of_settings(
    tmp_path: Path, catalogs: dict[str, dict[str, str]], capsys: pytest.CaptureFixture[str]
) -> None:
    uri, settings = catalogs["Main"]["uri"], tmp_path / "config.toml"
    settings.write_text(f'catalog = "main"\n[catalogs.main]\ntype = "listed"\nuri = "{uri}"\n')
    common = ["--warehouse", str(tmp_path / "wh"), "--config", str(settings), "--format", "csv"]
    assert main([*common, "-e", "SELECT current_catalog() AS c; CREATE TABLE sales.t (id INT)"]) == 0
    assert capsys.readouterr().out.split() == ["c", "main"]
    assert ("main", "sales", "t") in ListedStore.tables
    settings.write_text("")
    given = ["--catalog", f"main=listed,uri={uri},token={TOKEN}"]
    assert main([*common, *given, "-e", "SELECT current_catalog() AS c; SHOW TABLES IN main.sales"]) == 0
    assert capsys.readouterr().out.split()[:2] == ["c", "spark_catalog"]
    assert main([*common, *given, "--catalog", "main", "-e", "SELECT current_catalog() AS c"]) == 0
    assert capsys.readouterr().out.split() == ["c", "main"]
    settings.write_text('[catalogs]\nmain = "listed"\n')
    assert main([*common, "-e", "SELECT 1"]) != 0
    assert "catalogs.main must be a table" in capsys.readouterr().err


def test_settings_of_a_spark_session() -> None:
    settings = {
        "spark.sql.catalog.spark_catalog": "io.unitycatalog.spark.UCSingleCatalog",
        "spark.sql.catalog.main": "io.unitycatalog.spark.UCSingleCatalog",
        "spark.sql.catalog.main.uri": "http://h",
        "spark.sql.catalog.main.token": TOKEN,
        "spark.sql.catalog.main.renewCredential.enabled": "true",
        "spark.sql.catalog.oauth": "io.unitycatalog.spark.UCSingleCatalog",
        "spark.sql.catalog.oauth.uri": "http://h",
        "spark.sql.catalog.oauth.auth.type": "oauth",
        "spark.sql.catalog.oauth.auth.oauth.uri": "http://h/token",
        "spark.sql.catalog.oauth.auth.oauth.clientId": "me",
        "spark.sql.catalog.oauth.auth.oauth.clientSecret": TOKEN,
        "spark.sql.catalog.other": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.shuffle.partitions": "2",
    }
    assert of_spark(settings.items()) == {
        "main": {"type": "unity", "uri": "http://h", "token": TOKEN},
        "oauth": {
            "type": "unity",
            "uri": "http://h",
            "oauth_uri": "http://h/token",
            "client_id": "me",
            "client_secret": TOKEN,
        },
    }


@pytest.mark.spark
def test_the_database_api(tmp_path: Path, catalogs: dict[str, dict[str, str]]) -> None:
    with dbapi.connect(str(tmp_path), catalogs=catalogs, catalog="main", schema="sales") as connection:
        assert connection.cursor().execute("SELECT current_schema()").fetchall() == [("sales",)]


@pytest.mark.parametrize(
    "show",
    [
        lambda session: repr(vars(session)) + repr(vars(session.catalog)) + repr(vars(session.catalog.external)),
        lambda session: str(session.sql("SET").collect()),
        lambda session: str(session.sql("DESCRIBE CATALOG EXTENDED main").collect()),
        lambda session: str(session.sql("EXPLAIN SELECT * FROM main.sales.orders").collect()),
        lambda session: str(error_of(session, f"SELECT * FROM main.sales.`{TOKEN}`")),
    ],
)
def test_no_token_is_shown(session: deltasql.Session, show: Callable[[deltasql.Session], str]) -> None:
    session.sql("CREATE TABLE main.sales.orders (id INT)")
    assert TOKEN not in show(session)


def error_of(session: deltasql.Session, sql: str) -> DeltaSqlError:
    with pytest.raises(DeltaSqlError) as error:
        session.sql(sql)
    return error.value


def test_a_concealed_secret_in_an_error(session: deltasql.Session) -> None:
    error = error_of(session, f"SELECT * FROM main.sales.`{TOKEN}`")
    assert REDACTED in error.message or "*" in error.message
