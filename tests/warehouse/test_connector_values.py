"""Values through databricks-sql-connector: parameters and results of all types, in all forms of the wire."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pyarrow as pa
import pytest
from databricks.sql import exc, parameters
from databricks.sql.thrift_api.TCLIService import ttypes

from deltasql.clients.warehouse.thrift import MOST_BATCH_BYTES
from deltasql.warehouse import Address
from tests.warehouse.conftest import Connect, connection, execute, rows_of

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
    columns = execute(connect(), query, canReadArrowResult=False).directResults.resultSet.results.columns
    assert [column.stringVal.values for column in columns] == [['{"a":[1,null]}'], [""]]


@pytest.mark.spark
def test_columns_of_thrift(typed: None, connect: Connect) -> None:
    """A client without Arrow gets columns with a bit for each NULL."""
    opened = connect()
    answer = execute(opened, "SELECT * FROM typed ORDER BY i4 DESC", canReadArrowResult=False)
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


@pytest.mark.spark
def test_decimals_within_nested_values_have_all_digits(connect: Connect) -> None:
    opened = connect(_use_arrow_native_complex_types=False)
    rows_of(opened, "CREATE OR REPLACE TABLE digits (s STRUCT<d: DECIMAL(30, 2), t: STRING>)")
    text = "12345678901234567890123456.70"
    values = f"named_struct('d', CAST('{text}' AS DECIMAL(30, 2)), 't', 'it\"s')"
    rows_of(opened, f"INSERT INTO digits VALUES ({values})")
    assert rows_of(opened, "SELECT s FROM digits") == [(f'{{"d":{text},"t":"it\\"s"}}',)]
