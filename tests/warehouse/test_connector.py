"""databricks-sql-connector against a warehouse: sessions, statements, values, results, files, transactions."""

from __future__ import annotations

import datetime as dt
import io
import threading
import time
import uuid
from decimal import Decimal
from pathlib import Path
from typing import Any

import lz4.frame
import pyarrow as pa
import pytest
from databricks.sql import exc, parameters
from databricks.sql.thrift_api.TCLIService import ttypes

from deltasql.clients.warehouse.results import ResultLinks
from deltasql.clients.warehouse.thrift import MOST_BATCH_BYTES
from deltasql.clients.warehouse.wire import Wire
from deltasql.warehouse import Address, running
from tests.warehouse.conftest import Connect, connection, rows_of


def test_statements(connect: Connect) -> None:
    opened = connect()
    assert rows_of(opened, "CREATE OR REPLACE TABLE s (id INT, name STRING)") == []
    assert rows_of(opened, "INSERT INTO s VALUES (1, 'a'), (2, NULL)") == [(2, 2)]
    assert rows_of(opened, "SELECT * FROM s ORDER BY id") == [(1, "a"), (2, None)]
    assert rows_of(opened, "/* a comment */ UPDATE s SET name = 'b' WHERE id = 2 -- its end") == [(1,)]
    assert rows_of(opened, "SHOW TABLES LIKE 's'") == [("default", "s", False)]
    with opened.cursor() as cursor:
        cursor.execute("DELETE FROM s WHERE id = 1")
        assert cursor.rowcount == 1
        assert [item[:2] for item in cursor.description] == [("num_affected_rows", "bigint")]


def test_an_error_has_its_condition(connect: Connect) -> None:
    with connect().cursor() as cursor:
        with pytest.raises(exc.ServerOperationError, match=r"\[TABLE_OR_VIEW_NOT_FOUND\].*SQLSTATE: 42P01") as caught:
            cursor.execute("SELECT * FROM missing")
        assert caught.value.context["operation-id"]
        cursor.execute("SELECT 1")
        assert cursor.fetchall()[0][0] == 1


def test_a_session_begins_as_its_client_asks(connect: Connect) -> None:
    opened = connect(
        catalog="main", schema="later", session_configuration={"ansi_mode": False, "TIMEZONE": "Asia/Tokyo"}
    )
    assert rows_of(opened, "SET ansi_mode") == [("ansi_mode", "False")]
    assert rows_of(opened, "SET spark.sql.session.timeZone") == [("spark.sql.session.timeZone", "Asia/Tokyo")]
    # The schema may be created later.
    assert rows_of(opened, "CREATE SCHEMA later") == []
    assert rows_of(opened, "CREATE TABLE t (id INT)") == []
    assert rows_of(opened, "SHOW TABLES IN main.later") == [("later", "t", False)]
    with pytest.raises(exc.DatabaseError, match="CATALOG_NOT_FOUND"):
        connect(catalog="missing")


def test_sessions_are_apart(connect: Connect) -> None:
    first, second = connect(), connect()
    rows_of(first, "SET TIMEZONE = Asia/Tokyo")
    assert rows_of(second, "SET TIMEZONE") == [("TIMEZONE", "Etc/UTC")]


TYPED = {
    "int": (parameters.IntegerParameter(5), 5),
    "bigint": (parameters.BigIntegerParameter(1 << 40), 1 << 40),
    "smallint": (parameters.SmallIntParameter(3), 3),
    "tinyint": (parameters.TinyIntParameter(3), 3),
    "string": (parameters.StringParameter("it's \\ \n"), "it's \\ \n"),
    "boolean": (parameters.BooleanParameter(True), True),
    "double": (parameters.DoubleParameter(1.5), 1.5),
    "date": (parameters.DateParameter(dt.date(2020, 1, 2)), dt.date(2020, 1, 2)),
    "decimal": (parameters.DecimalParameter(Decimal("1.25")), Decimal("1.25")),
    "void": (parameters.VoidParameter(None), None),
}


@pytest.mark.spark
@pytest.mark.parametrize("name", TYPED)
def test_typed_parameters(connect: Connect, name: str) -> None:
    given, value = TYPED[name]
    assert rows_of(connect(), "SELECT ? AS x", [given]) == [(value,)]


@pytest.mark.spark
def test_named_nested_and_inline_parameters(connect: Connect) -> None:
    opened = connect()
    ((number, text, items, pairs),) = rows_of(
        opened, "SELECT :n, :t, :a, :m", {"n": 1, "t": "x", "a": [1, 2], "m": {"k": 1.5}}
    )
    assert (number, text, list(items), dict(pairs)) == (1, "x", [1, 2], {"k": 1.5})
    inline = connect(use_inline_params="silent")
    assert rows_of(inline, "SELECT %(a)s, %(b)s", {"a": 1, "b": "it's"}) == [(1, "it's")]
    with pytest.raises(exc.ServerOperationError, match="UNBOUND_SQL_PARAMETER"):
        rows_of(opened, "SELECT :missing", {"other": 1})


COLUMNS = """
    b BOOLEAN, i1 TINYINT, i2 SMALLINT, i4 INT, i8 BIGINT, f4 FLOAT, f8 DOUBLE, d DECIMAL(10, 2), s STRING, x BINARY,
    dt DATE, ts TIMESTAMP, n TIMESTAMP_NTZ, a ARRAY<INT>, m MAP<STRING, DOUBLE>, st STRUCT<p: INT, q: DATE>
"""
VALUES = """
    true, 1, 2, 3, 4, 1.5, 2.5, 12.30, 'text', X'0aff', DATE'2020-01-02', TIMESTAMP'2020-01-02 03:04:05.5',
    TIMESTAMP_NTZ'2020-01-02 03:04:05', array(1, NULL), map('k', 1.5), named_struct('p', 1, 'q', DATE'2020-01-02')
"""
READ = (
    *(True, 1, 2, 3, 4, 1.5, 2.5, Decimal("12.30"), "text", b"\x0a\xff", dt.date(2020, 1, 2)),
    dt.datetime(2020, 1, 2, 3, 4, 5, 500000, dt.timezone.utc),
    dt.datetime(2020, 1, 2, 3, 4, 5),
)


@pytest.fixture(scope="module")
def typed(warehouse: Address) -> None:
    """A table with a row of values, and one of NULL."""
    opened = connection(warehouse)
    rows_of(opened, f"CREATE OR REPLACE TABLE typed ({COLUMNS})")
    rows_of(opened, f"INSERT INTO typed VALUES ({VALUES})")
    rows_of(opened, f"INSERT INTO typed VALUES ({', '.join(['NULL'] * 16)})")
    opened.close()


@pytest.mark.spark
def test_values_of_all_types(typed: None, connect: Connect) -> None:
    with connect().cursor() as cursor:
        cursor.execute("SELECT * FROM typed ORDER BY i4 DESC")
        table = cursor.fetchall_arrow()
        names = [item[1] for item in cursor.description]
    first, second = table.to_pylist()
    assert tuple(first.values())[:13] == READ
    assert first["a"] == [1, None]
    assert dict(first["m"]) == {"k": 1.5}
    assert first["st"] == {"p": 1, "q": dt.date(2020, 1, 2)}
    assert set(second.values()) == {None}
    assert names[:10] == [
        *("boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "decimal", "string", "binary")
    ]
    assert names[10:] == ["date", "timestamp", "timestamp", "array", "map", "struct"]
    assert table.schema.field("ts").type == pa.timestamp("us", "Etc/UTC")
    assert table.schema.field("n").type == pa.timestamp("us")


@pytest.mark.spark
def test_values_as_text(typed: None, connect: Connect) -> None:
    """Clients that read no nested values, times or decimals of Arrow get texts."""
    options = ("_use_arrow_native_complex_types", "_use_arrow_native_timestamps")
    opened = connect(**dict.fromkeys(options, False))
    assert rows_of(opened, "SELECT ts, n, a, m, st FROM typed WHERE i4 = 3") == [
        ("2020-01-02 03:04:05.5", "2020-01-02 03:04:05", "[1,null]", '{"k":1.5}', '{"p":1,"q":"2020-01-02"}')
    ]


@pytest.mark.spark
def test_variants_are_json(connect: Connect) -> None:
    query = """SELECT parse_json('{"a": [1, null]}') AS v, CAST(NULL AS VARIANT) AS n"""
    assert rows_of(connect(), query) == [('{"a":[1,null]}', None)]
    columns = _execute(connect(), query, canReadArrowResult=False).directResults.resultSet.results.columns
    assert [column.stringVal.values for column in columns] == [['{"a":[1,null]}'], [""]]


@pytest.mark.spark
def test_columns_of_thrift(typed: None, connect: Connect) -> None:
    """A client without Arrow gets columns with a bit for each NULL."""
    opened = connect()
    answer = _execute(opened, "SELECT * FROM typed ORDER BY i4 DESC", canReadArrowResult=False)
    columns = answer.directResults.resultSet.results.columns
    assert columns[0].boolVal.values == [True, False]
    assert columns[0].boolVal.nulls == b"\x02"
    assert columns[7].stringVal.values == ["12.30", ""]
    assert columns[9].binaryVal.values == [b"\x0a\xff", b""]
    assert [column.stringVal.values[0] for column in columns[10:]] == [
        *("2020-01-02", "2020-01-02 03:04:05.5", "2020-01-02 03:04:05", "[1,null]", '{"k":1.5}'),
        '{"p":1,"q":"2020-01-02"}',
    ]
    assert answer.directResults.resultSetMetadata.resultFormat == ttypes.TSparkRowSetType.COLUMN_BASED_SET


def _execute(opened: Any, statement: str, **options: Any) -> Any:
    """The answer to ExecuteStatement, as clients of other languages send it."""
    backend = opened.session.backend
    request = ttypes.TExecuteStatementReq(
        sessionHandle=opened.session._session_id.to_thrift_handle(),
        statement=statement,
        getDirectResults=ttypes.TSparkGetDirectResults(maxRows=1000, maxBytes=1 << 20),
        **options,
    )
    return backend.make_request(backend._client.ExecuteStatement, request)


@pytest.mark.parametrize("lz4", [True, False])
def test_rows_come_in_parts(connect: Connect, lz4: bool) -> None:
    opened = connect(use_cloud_fetch=False, enable_query_result_lz4_compression=lz4)
    rows_of(opened, "CREATE OR REPLACE TABLE parts (id INT)")
    rows_of(opened, f"INSERT INTO parts VALUES {', '.join(f'({number})' for number in range(1000))}")
    with opened.cursor(arraysize=64) as cursor:
        cursor.execute("SELECT id FROM parts")
        assert len(cursor.fetchmany(10)) == 10
        assert sorted(row[0] for row in cursor.fetchall()) != list(range(1000))
        cursor.execute("SELECT id FROM parts ORDER BY id")
        assert [row[0] for row in cursor.fetchall()] == list(range(1000))
    with opened.cursor(row_limit=7) as cursor:
        cursor.execute("SELECT id FROM parts")
        assert len(cursor.fetchall()) == 7


@pytest.mark.spark
@pytest.mark.parametrize("links", [True, False])
def test_large_results(connect: Connect, links: bool) -> None:
    """Results above some megabytes are files that the client downloads, or several answers."""
    count = 3 * MOST_BATCH_BYTES // 24
    with connect(use_cloud_fetch=links).cursor() as cursor:
        cursor.execute(f"SELECT id, CAST(id AS STRING) AS text FROM range({count})")
        table = cursor.fetchall_arrow()
    assert table.num_rows == count
    assert table.column("id").to_pylist() == [int(text) for text in table.column("text").to_pylist()]


def test_catalog_functions(connect: Connect) -> None:
    opened = connect()
    rows_of(opened, "CREATE OR REPLACE TABLE listed (id INT NOT NULL, `a_b` DECIMAL(5, 1) COMMENT 'sum')")
    with opened.cursor() as cursor:
        assert ("spark_catalog",) in [tuple(row) for row in cursor.catalogs().fetchall()]
        assert ("default", "spark_catalog") in [tuple(row) for row in cursor.schemas().fetchall()]
        cursor.tables(schema_name="defa%", table_name="listed")
        assert [tuple(row)[:4] for row in cursor.fetchall()] == [("spark_catalog", "default", "listed", "TABLE")]
        assert cursor.description[0][0] == "TABLE_CAT"
        cursor.columns(schema_name="default", table_name="listed", column_name=r"a\_b")
        ((*names, code, kind, size, _, scale, _, _, remarks),) = [tuple(row)[:12] for row in cursor.fetchall()]
    assert (names[3], code, kind, size, scale, remarks) == ("a_b", 3, "DECIMAL(5,1)", 5, 1, "sum")
    rows_of(opened, "CREATE OR REPLACE TABLE nested (s STRUCT<Name: STRING, m: MAP<STRING, ARRAY<INT>>>)")
    with opened.cursor() as cursor:
        cursor.columns(schema_name="default", table_name="nested")
        assert [row[5] for row in cursor.fetchall()] == ["STRUCT<Name: STRING, m: MAP<STRING, ARRAY<INT>>>"]
        types = {name: kind for name, kind, *_ in cursor.description}
    assert (types["BUFFER_LENGTH"], types["SOURCE_DATA_TYPE"], types["DATA_TYPE"]) == ("tinyint", "smallint", "int")


@pytest.mark.parametrize(
    ("call", "request_of", "rows"),
    [
        ("GetTableTypes", ttypes.TGetTableTypesReq, [["TABLE", "VIEW"]]),
        ("GetPrimaryKeys", ttypes.TGetPrimaryKeysReq, [["key_parent"], ["id"], [1], ["pk_p"]]),
        ("GetCrossReference", ttypes.TGetCrossReferenceReq, [["key_parent"], ["id"], ["key_child"], ["of"]]),
        # Spark checks the type of a function's result.
        pytest.param("GetFunctions", ttypes.TGetFunctionsReq, [["twice"]], marks=pytest.mark.spark),
        ("GetTypeInfo", ttypes.TGetTypeInfoReq, []),
    ],
)
def test_calls_of_other_drivers(connect: Connect, call: str, request_of: Any, rows: list[list[Any]]) -> None:
    opened = connect()
    rows_of(opened, "CREATE TABLE IF NOT EXISTS key_parent (id INT NOT NULL, CONSTRAINT pk_p PRIMARY KEY (id))")
    rows_of(
        opened, "CREATE TABLE IF NOT EXISTS key_child (of INT, CONSTRAINT fk FOREIGN KEY (of) REFERENCES key_parent)"
    )
    if call == "GetFunctions":
        rows_of(opened, "CREATE OR REPLACE FUNCTION twice(x INT) RETURNS INT RETURN x * 2")
    asked: dict[str, Any] = {"sessionHandle": opened.session._session_id.to_thrift_handle()}
    if call == "GetPrimaryKeys":
        asked |= {"schemaName": "default", "tableName": "key_parent"}
    elif call == "GetCrossReference":
        asked |= {"foreignSchemaName": "default", "foreignTableName": "key_child"}
    backend = opened.session.backend
    direct = ttypes.TSparkGetDirectResults(maxRows=100, maxBytes=1 << 20)
    answer = backend.make_request(getattr(backend._client, call), request_of(getDirectResults=direct, **asked))
    fetched = answer.directResults.resultSet.results
    # Other drivers read no Arrow here.
    columns = [(column.stringVal or column.i32Val).values for column in fetched.columns]
    assert columns
    assert all(column in columns for column in rows)


@pytest.mark.spark
def test_names_of_parameters_in_back_ticks(connect: Connect) -> None:
    """databricks-sqlalchemy writes them so."""
    opened = connect()
    rows_of(opened, "CREATE OR REPLACE TABLE quoted_names (id INT, name STRING)")
    rows_of(opened, "INSERT INTO quoted_names VALUES (:`id`, :`a name`)", {"id": 1, "a name": "x"})
    assert rows_of(opened, "SELECT * FROM quoted_names WHERE id = :`id`", {"id": 1}) == [(1, "x")]


def test_the_row_of_a_removal_has_no_local_file(connect: Connect) -> None:
    """Drivers of JavaScript check each local file that they find."""
    opened = connect()
    rows_of(opened, "CREATE VOLUME IF NOT EXISTS spark_catalog.default.removed")
    answer = _execute(opened, "REMOVE '/Volumes/spark_catalog/default/removed/a.txt'", canReadArrowResult=True)
    columns = answer.directResults.resultSetMetadata.schema.columns
    assert [column.columnName for column in columns] == ["operation", "presignedUrl", "headers"]


def test_ids_are_uuids(connect: Connect) -> None:
    """Drivers of JavaScript refuse others."""
    opened = connect()
    handle = _execute(opened, "SELECT 1", canReadArrowResult=True).operationHandle.operationId
    for identifier in (handle, opened.session._session_id.to_thrift_handle().sessionId):
        assert uuid.UUID(bytes=identifier.guid).version == 4


def test_catalogs_as_patterns(connect: Connect) -> None:
    """Drivers of Java escape the name of a catalog."""
    opened = connect()
    rows_of(opened, "CREATE TABLE IF NOT EXISTS escaped (id INT)")
    with opened.cursor() as cursor:
        cursor.tables(catalog_name=r"spark\_catalog", table_name="escaped")
        assert [tuple(row)[:3] for row in cursor.fetchall()] == [("spark_catalog", "default", "escaped")]


def test_blocks_of_compressed_results_are_independent() -> None:
    """Drivers of Java read no others."""
    assert lz4.frame.get_frame_info(Wire(lz4=True).packed(bytes(1 << 20)))["block_linked"] is False


def test_links_expire_in_milliseconds(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ResultLinks, "LEAST_BYTES", 1)
    answer = _execute(connect(), "SELECT 1", canReadArrowResult=True, canDownloadResult=True)
    (link,) = answer.directResults.resultSet.results.resultLinks
    assert 0 < link.expiryTime / 1000 - time.time() < 3600


def test_handles_that_are_not_there(connect: Connect) -> None:
    opened = connect()
    backend = opened.session.backend
    answer = _execute(opened, "SELECT 1", canReadArrowResult=True)
    handle = answer.operationHandle
    backend.make_request(backend._client.CloseOperation, ttypes.TCloseOperationReq(handle))
    for call, request in {
        "GetOperationStatus": ttypes.TGetOperationStatusReq(handle),
        "FetchResults": ttypes.TFetchResultsReq(handle, maxRows=1),
        "CancelOperation": ttypes.TCancelOperationReq(handle),
        "GetResultSetMetadata": ttypes.TGetResultSetMetadataReq(handle),
    }.items():
        with pytest.raises(exc.DatabaseError, match="no statement of this handle"):
            backend.make_request(getattr(backend._client, call), request)
    wrong = ttypes.TOperationHandle(ttypes.THandleIdentifier(b"x" * 16, b"y" * 16), 0, True)
    with pytest.raises(exc.DatabaseError):
        backend.make_request(backend._client.GetOperationStatus, ttypes.TGetOperationStatusReq(wrong))


def test_another_secret_opens_no_session(connect: Connect) -> None:
    opened = connect()
    handle = opened.session._session_id.to_thrift_handle()
    handle.sessionId.secret = b"0" * 16
    backend = opened.session.backend
    with pytest.raises(exc.DatabaseError, match="session"):
        backend.make_request(backend._client.GetCatalogs, ttypes.TGetCatalogsReq(sessionHandle=handle))


@pytest.mark.spark
def test_statements_that_are_waited_for_or_cancelled(connect: Connect) -> None:
    opened = connect()
    with opened.cursor() as cursor:
        cursor.execute_async("SELECT count(*) FROM range(1000)")
        cursor.get_async_execution_result()
        assert cursor.fetchall()[0][0] == 1000
        cursor.execute_async("SELECT max(a.id * b.id) FROM range(10000000) a CROSS JOIN range(100000) b")
        assert cursor.is_query_pending()
        cursor.cancel()
        with pytest.raises(exc.DatabaseError, match=r"CANCELLED|OPERATION_CANCELED"):
            cursor.get_async_execution_result()
    assert rows_of(opened, "SELECT 1") == [(1,)]
    rows_of(opened, "SET STATEMENT_TIMEOUT = 1")
    with pytest.raises(exc.DatabaseError, match="STATEMENT_TIMEOUT"):
        rows_of(opened, "SELECT max(a.id * b.id) FROM range(10000000) a CROSS JOIN range(100000) b")
    rows_of(opened, "SET STATEMENT_TIMEOUT = 0")
    assert rows_of(opened, "SELECT 1") == [(1,)]


def test_files_of_volumes(connect: Connect, tmp_path: Path) -> None:
    opened = connect(staging_allowed_local_path=str(tmp_path), catalog="main")
    rows_of(opened, "CREATE VOLUME IF NOT EXISTS main.default.files")
    (tmp_path / "a.txt").write_text("hello")
    put = f"PUT '{tmp_path}/a.txt' INTO '/Volumes/main/default/files/a.txt'"
    rows_of_staging(opened, f"{put} OVERWRITE")
    with pytest.raises(exc.ServerOperationError, match="FILE_IN_STAGING_PATH_ALREADY_EXISTS"):
        rows_of_staging(opened, put)
    rows_of_staging(opened, f"GET '/Volumes/main/default/files/a.txt' TO '{tmp_path}/b.txt'")
    assert (tmp_path / "b.txt").read_text() == "hello"
    stream = "PUT '__input_stream__' INTO '/Volumes/main/default/files/c.txt' OVERWRITE"
    rows_of_staging(opened, stream, input_stream=io.BytesIO(b"streamed"))
    rows_of_staging(opened, "REMOVE '/Volumes/main/default/files/a.txt'")
    assert [row[1] for row in rows_of(opened, "LIST '/Volumes/main/default/files'")] == ["c.txt"]
    with pytest.raises(exc.ServerOperationError, match="NOT_FOUND"):
        rows_of_staging(opened, put.replace("/main/", "/missing/"))
    with pytest.raises(exc.OperationalError, match="404"):
        rows_of_staging(opened, f"GET '/Volumes/main/default/files/a.txt' TO '{tmp_path}/d.txt'")


def rows_of_staging(opened: Any, statement: str, **options: Any) -> None:
    with opened.cursor() as cursor:
        cursor.execute(statement, **options)


def test_transactions(connect: Connect) -> None:
    opened, other = connect(ignore_transactions=False), connect()
    properties = "TBLPROPERTIES ('delta.feature.catalogManaged' = 'supported')"
    for table in ("first", "second"):
        rows_of(other, f"CREATE OR REPLACE TABLE {table} (id INT) {properties}")
    opened.autocommit = False
    rows_of(opened, "INSERT INTO first VALUES (1)")
    assert rows_of(opened, "SELECT * FROM first") == [(1,)]
    assert rows_of(other, "SELECT * FROM first") == []
    opened.rollback()
    for table in ("first", "second"):
        rows_of(opened, f"INSERT INTO {table} VALUES (2)")
    with pytest.raises(exc.TransactionError, match="transaction is open"):
        opened.autocommit = True
    opened.commit()
    assert rows_of(other, "SELECT * FROM second") == rows_of(other, "SELECT * FROM first") == [(2,)]
    opened.autocommit = True
    assert rows_of(opened, "SET AUTOCOMMIT") == [("AUTOCOMMIT", "true")]
    with pytest.raises(exc.TransactionError, match="NO_ACTIVE_TRANSACTION"):
        opened.commit()
    opened.rollback()
    with pytest.raises(exc.DatabaseError, match="AUTOCOMMIT"):
        rows_of(opened, "SET AUTOCOMMIT = perhaps")


@pytest.mark.parametrize(
    "statement",
    [
        *(
            "SHOW TABLES",
            "SHOW SCHEMAS IN spark_catalog",
            "SHOW CATALOGS",
            "SHOW FUNCTIONS",
            "DESCRIBE EXTENDED refused",
        ),
        *("DESCRIBE QUERY SELECT 1", "SELECT * FROM spark_catalog.information_schema.columns"),
    ],
)
def test_statements_about_the_catalog_end_a_transaction(connect: Connect, statement: str) -> None:
    opened = connect(ignore_transactions=False)
    rows_of(opened, "CREATE OR REPLACE TABLE refused (id INT)")
    opened.autocommit = False
    rows_of(opened, "INSERT INTO refused VALUES (1)")
    for allowed in ("SHOW COLUMNS IN refused", "DESCRIBE TABLE refused"):
        assert rows_of(opened, allowed)[0][0] == "id"
    with opened.cursor() as cursor, pytest.raises(exc.DatabaseError, match="multi-statement transaction"):
        cursor.tables()
    with pytest.raises(exc.DatabaseError, match="multi-statement transaction"):
        rows_of(opened, statement)
    with pytest.raises(exc.DatabaseError, match="ROLLBACK_REQUIRED_AFTER_ABORT"):
        rows_of(opened, "INSERT INTO refused VALUES (2)")
    opened.rollback()
    assert rows_of(opened, "SELECT * FROM refused") == []
    rows_of(opened, "INSERT INTO refused VALUES (3)")
    opened.commit()
    assert rows_of(opened, "SELECT * FROM refused") == [(3,)]


def test_create_table_as_has_no_rows(connect: Connect) -> None:
    with connect().cursor() as cursor:
        cursor.execute("/* made by a test */ CREATE OR REPLACE TABLE made AS SELECT 1 AS id")
        assert [name for name, *_ in cursor.description] == ["num_affected_rows", "num_inserted_rows"]
        assert cursor.fetchall() == []
        cursor.execute("SELECT NULL AS n")
        assert cursor.description[0][:2] == ("n", "string")


def test_sessions_at_once(warehouse: Address) -> None:
    """Fifty sessions write and read side by side."""
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            opened = connection(warehouse)
            rows_of(opened, f"CREATE OR REPLACE TABLE at_once_{number} (id INT)")
            rows_of(opened, f"INSERT INTO at_once_{number} VALUES ({number})")
            assert rows_of(opened, f"SELECT * FROM at_once_{number}") == [(number,)]
            opened.close()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_plain_http_is_for_this_machine(tmp_path: Path) -> None:
    with running(tmp_path, {}, plain=True) as address:
        opened = connection(address, _connection_uri=address.url + address.http_path)
        assert rows_of(opened, "SELECT 1") == [(1,)]
        opened.close()


@pytest.mark.spark
def test_decimals_within_nested_values_have_all_digits(connect: Connect) -> None:
    opened = connect(_use_arrow_native_complex_types=False)
    rows_of(opened, "CREATE OR REPLACE TABLE digits (s STRUCT<d: DECIMAL(30, 2), t: STRING>)")
    text = "12345678901234567890123456.70"
    values = f"named_struct('d', CAST('{text}' AS DECIMAL(30, 2)), 't', 'it\"s')"
    rows_of(opened, f"INSERT INTO digits VALUES ({values})")
    assert rows_of(opened, "SELECT s FROM digits") == [(f'{{"d":{text},"t":"it\\"s"}}',)]
