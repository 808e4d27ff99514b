"""databricks-sql-connector against a warehouse: limits of types, nested NULLs, parts, patterns, lost sessions."""

from __future__ import annotations

import datetime as dt
import io
import json
import threading
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from databricks.sql import exc, parameters
from databricks.sql.thrift_api.TCLIService import ttypes

from deltasql.warehouse import Address
from tests.warehouse.conftest import Connect, connection, execute, rows_of

pytestmark = pytest.mark.spark
UTC = dt.timezone.utc


@pytest.mark.parametrize(
    ("sql", "value"),
    [
        ("CAST('9' AS DECIMAL(1, 0))", Decimal(9)),
        (f"CAST('-{'9' * 38}' AS DECIMAL(38, 0))", Decimal(f"-{'9' * 38}")),
        (f"CAST('0.{'1' * 38}' AS DECIMAL(38, 38))", Decimal(f"0.{'1' * 38}")),
        ("127Y", 127),
        ("-32768S", -32768),
        ("-2147483648", -(1 << 31)),
        ("9223372036854775807L", (1 << 63) - 1),
        ("CAST('-9223372036854775808' AS BIGINT)", -(1 << 63)),
        ("DATE'0001-01-01'", dt.date(1, 1, 1)),
        ("DATE'9999-12-31'", dt.date(9999, 12, 31)),
        ("TIMESTAMP'1899-12-31 23:59:59.999999Z'", dt.datetime(1899, 12, 31, 23, 59, 59, 999999, UTC)),
        ("TIMESTAMP'0001-01-01 00:00:00Z'", dt.datetime(1, 1, 1, tzinfo=UTC)),
        ("TIMESTAMP_NTZ'0001-01-01 00:00:00.000001'", dt.datetime(1, 1, 1, 0, 0, 0, 1)),
        ("TIMESTAMP_NTZ'9999-12-31 23:59:59.999999'", dt.datetime(9999, 12, 31, 23, 59, 59, 999999)),
        ("CAST('-0.0' AS DOUBLE)", -0.0),
        ("''", ""),
        ("'\U0001f600 \\u0000'", "\U0001f600 \x00"),
        ("X''", b""),
        ("INTERVAL '1-2' YEAR TO MONTH", "1-2"),
        ("INTERVAL '-3' YEAR", "-3-0"),
        ("INTERVAL '1 02:03:04.5' DAY TO SECOND", "1 02:03:04.500000000"),
        ("INTERVAL '-90' MINUTE", "-0 01:30:00.000000000"),
    ],
)
def test_values_at_limits(connect: Connect, sql: str, value: Any) -> None:
    assert rows_of(connect(), f"SELECT {sql} AS x") == [(value,)]


def test_times_of_old_zones(connect: Connect) -> None:
    """Before 1900 zones are off by odd numbers of seconds."""
    opened = connect(session_configuration={"TIMEZONE": "Europe/Berlin"})
    ((found,),) = rows_of(opened, "SELECT TIMESTAMP'1850-01-01 00:00:00' AS x")
    assert found.astimezone(UTC) == dt.datetime(1849, 12, 31, 23, 6, 32, tzinfo=UTC)
    texts = connect(session_configuration={"TIMEZONE": "Europe/Berlin"}, _use_arrow_native_timestamps=False)
    assert rows_of(texts, "SELECT TIMESTAMP'1850-01-01 00:00:00' AS x") == [("1850-01-01 00:00:00",)]


NESTED = (
    "named_struct('a', CAST(NULL AS INT), 'b', array(1, NULL), 'c', map('k', NULL, 'l', 2.5D), "
    "'d', array(named_struct('e', NULL, 'f', DATE'2020-01-02')), 'g', CAST(NULL AS STRUCT<h: STRING>))"
)


def test_nulls_in_nested_values(connect: Connect) -> None:
    with connect().cursor() as cursor:
        cursor.execute(f"SELECT {NESTED} AS s, CAST(NULL AS ARRAY<INT>) AS n")
        found, nothing = cursor.fetchall_arrow().to_pydict().values()
    (value,) = found
    assert nothing == [None]
    assert dict(value.pop("c")) == {"k": None, "l": 2.5}
    assert value == {"a": None, "b": [1, None], "d": [{"e": None, "f": dt.date(2020, 1, 2)}], "g": None}
    ((text,),) = rows_of(connect(_use_arrow_native_complex_types=False), f"SELECT {NESTED} AS s")
    assert json.loads(text) == {
        "a": None,
        "b": [1, None],
        "c": {"k": None, "l": 2.5},
        "d": [{"e": None, "f": "2020-01-02"}],
        "g": None,
    }


@pytest.mark.parametrize("options", [{}, {"_use_arrow_native_complex_types": False}, {"use_inline_params": "silent"}])
def test_empty_collections(connect: Connect, options: dict[str, Any]) -> None:
    opened = connect(**options)
    rows = rows_of(
        opened, "SELECT array() AS a, map() AS m, array(array()) AS n, named_struct('a', array()) AS s, NULL AS v"
    )
    if options.get("_use_arrow_native_complex_types") is False:
        assert rows == [("[]", "{}", "[[]]", '{"a":[]}', None)]
    else:
        ((items, pairs, nested, struct, nothing),) = rows
        assert (list(items), list(pairs), [list(item) for item in nested]) == ([], [], [[]])
        assert (list(struct["a"]), nothing) == ([], None)


def test_empty_parameters(connect: Connect) -> None:
    opened = connect()
    given = [parameters.ArrayParameter([]), parameters.MapParameter({})]
    ((items, pairs),) = rows_of(opened, "SELECT ?, ?", given)
    assert (list(items), list(pairs)) == ([], [])
    ((count,),) = rows_of(opened, "SELECT size(:a) + size(:m)", {"a": [], "m": {}})
    assert count == 0
    ((nested,),) = rows_of(opened, "SELECT :a", {"a": [[], []]})
    assert [list(item) for item in nested] == [[], []]
    assert rows_of(opened, "SELECT array_contains(CAST(:a AS ARRAY<INT>), 1)", {"a": []}) == [(False,)]


def test_parameters_of_all_kinds(connect: Connect) -> None:
    opened = connect()
    given = {
        "text": "it's \\ :x ? %s \n \U0001f600",
        "number": 1 << 40,
        "exact": Decimal("123456789012345678901234567890.12345678"),
        "day": dt.date(1, 1, 1),
        "at": dt.datetime(2020, 1, 2, 3, 4, 5, 6, UTC),
        "flag": False,
        "nothing": None,
        "ratio": 1e300,
    }
    markers = ", ".join(f":{name} AS {name}" for name in given)
    (row,) = rows_of(opened, f"SELECT {markers}", given)
    assert dict(zip(given, row, strict=True)) == given
    local = dt.datetime(1850, 1, 2, 3, 4, 5)
    assert rows_of(opened, "SELECT ?", [parameters.TimestampNTZParameter(local)]) == [(local,)]
    rows_of(opened, "CREATE OR REPLACE TABLE given (a INT, b STRING)")
    with opened.cursor() as cursor:
        cursor.executemany("INSERT INTO given VALUES (:a, :b)", [{"a": 1, "b": "x"}, {"a": None, "b": None}])
    assert rows_of(opened, "SELECT * FROM given WHERE a = ? OR b IS NULL ORDER BY a", [1]) == [(None, None), (1, "x")]
    inline = connect(use_inline_params="silent")
    assert rows_of(inline, "SELECT %(a)s", {"a": "100%"}) == [("100%",)]
    assert rows_of(inline, "SELECT * FROM given WHERE array_contains(%(a)s, a)", {"a": [1, 2]}) == [(1, "x")]
    with pytest.raises(exc.Error):
        rows_of(opened, "SELECT ?, ?", [1])


def test_variants(connect: Connect) -> None:
    opened = connect()
    rows_of(opened, "CREATE OR REPLACE TABLE variants (v VARIANT, a ARRAY<VARIANT>)")
    rows_of(opened, """INSERT INTO variants SELECT parse_json('{"a": [1, null, "x"]}'), array(parse_json('1'))""")
    rows_of(opened, "INSERT INTO variants VALUES (NULL, NULL)")
    with opened.cursor() as cursor:
        cursor.execute("SELECT v FROM variants ORDER BY v IS NULL")
        assert cursor.description[0][:2] == ("v", "variant")
        assert [row[0] for row in cursor.fetchall()] == ['{"a":[1,null,"x"]}', None]
    ((first,), (second,)) = rows_of(opened, "SELECT a FROM variants ORDER BY v IS NULL")
    assert (list(first), second) == (["1"], None)


@pytest.mark.parametrize("options", [{"use_cloud_fetch": False}, {"use_cloud_fetch": True}])
def test_arrow_in_parts(connect: Connect, options: dict[str, Any]) -> None:
    count = 300_000
    with connect(**options).cursor(arraysize=70_000) as cursor:
        cursor.execute(f"SELECT id, repeat('x', 20) AS t FROM range({count})")
        parts = []
        while (part := cursor.fetchmany_arrow(50_001)).num_rows:
            parts.append(part)
        assert cursor.rownumber == count
    table = pa.concat_tables(parts)
    assert table.column("id").to_pylist() == list(range(count))
    assert parts[0].num_rows == 50_001


def test_rows_one_by_one(connect: Connect) -> None:
    with connect().cursor() as cursor:
        cursor.execute("SELECT id FROM range(5)")
        assert cursor.fetchone() == (0,)
        assert [row.id for row in cursor.fetchmany(2)] == [1, 2]
        assert [row["id"] for row in cursor] == [3, 4]
        assert cursor.fetchone() is None
        assert cursor.fetchmany(2) == []
        cursor.execute("SELECT 1 AS a, 2 AS a WHERE 1 = 0")
        assert (cursor.fetchall(), [item[0] for item in cursor.description]) == ([], ["a", "a"])


def test_cancel_while_rows_are_computed(connect: Connect) -> None:
    opened = connect()
    with opened.cursor() as cursor:
        # The id of a statement comes with the first answer, after two seconds.
        timer = threading.Timer(5, cursor.cancel)
        timer.start()
        with pytest.raises(exc.Error):
            cursor.execute("SELECT max(a.id * b.id) FROM range(100000000) a CROSS JOIN range(100000) b")
        timer.join()
        cursor.execute("SELECT 1")
        assert cursor.fetchall() == [(1,)]


def test_cancel_while_rows_are_fetched(connect: Connect) -> None:
    opened = connect(use_cloud_fetch=False)
    with opened.cursor(arraysize=1000) as cursor:
        cursor.execute("SELECT id FROM range(100000)")
        assert cursor.fetchmany(10)[0] == (0,)
        # What has run to its end is left as it is.
        cursor.cancel()
        assert len(cursor.fetchall()) == 99990


def test_statements_that_run_by_themselves(connect: Connect) -> None:
    opened = connect()
    with opened.cursor() as cursor:
        cursor.execute_async("SELECT :a AS a", {"a": 3})
        assert cursor.query_id
        deadline = time.monotonic() + 60
        while cursor.is_query_pending() and time.monotonic() < deadline:
            time.sleep(0.05)
        cursor.get_async_execution_result()
        assert cursor.fetchall() == [(3,)]
        cursor.execute_async("SELECT * FROM missing_for_ever")
        with pytest.raises(exc.ServerOperationError, match="TABLE_OR_VIEW_NOT_FOUND"):
            cursor.get_async_execution_result()
        cursor.execute_async("CREATE OR REPLACE TABLE by_itself AS SELECT 1 AS a")
        cursor.get_async_execution_result()
    assert rows_of(opened, "SELECT * FROM by_itself") == [(1,)]


def test_metadata_by_patterns(connect: Connect) -> None:
    opened = connect()
    rows_of(opened, "CREATE SCHEMA IF NOT EXISTS main.`odd-schema`")
    rows_of(opened, "CREATE OR REPLACE TABLE main.`odd-schema`.`a_b` (`x-y` INT, `x_y` STRING)")
    rows_of(opened, "CREATE OR REPLACE TABLE main.`odd-schema`.`acb` (z INT)")
    rows_of(opened, "CREATE OR REPLACE VIEW main.`odd-schema`.`v` (z) AS SELECT 1 AS z")

    def found(call: str, *names: Any, **options: Any) -> list[tuple[Any, ...]]:
        with opened.cursor() as cursor:
            return [tuple(row) for row in getattr(cursor, call)(*names, **options).fetchall()]

    def tables(pattern: str, **options: Any) -> list[str]:
        return [row[2] for row in found("tables", "main", "odd-schema", pattern, **options)]

    assert tables("a_b") == ["a_b", "acb"]
    assert tables(r"a\_b") == ["a_b"]
    assert tables("A%") == ["a_b", "acb"]
    assert tables("%") == ["a_b", "acb", "v"]
    assert tables("%", table_types=["VIEW"]) == ["v"]
    assert tables("%", table_types=["TABLE"]) == ["a_b", "acb"]
    assert tables("none") == []
    assert [row[3] for row in found("columns", "main", "odd-schema", "a_b", "x%")][:2] == ["x-y", "x_y"]
    assert [row[3] for row in found("columns", "main", "odd-schema", r"a\_b", r"x\_y")] == ["x_y"]
    assert [row[0] for row in found("schemas", "main", "odd%")] == ["odd-schema"]
    assert ("main",) in found("catalogs")
    assert found("schemas", "missing", None) == []


def test_tags_of_queries(connect: Connect) -> None:
    opened = connect(session_configuration={"query_tags": "team:a,empty"})
    with opened.cursor() as cursor:
        cursor.execute("SELECT 1", query_tags={"team": "b", "x": None})
        assert cursor.fetchall() == [(1,)]
    assert rows_of(opened, "SET QUERY_TAGS['team'] = 'c'") is not None


def test_a_session_that_is_gone(warehouse: Address) -> None:
    opened = connection(warehouse)
    backend = opened.session.backend
    handle = opened.session._session_id.to_thrift_handle()
    backend.make_request(backend._client.CloseSession, ttypes.TCloseSessionReq(handle))
    with opened.cursor() as cursor, pytest.raises(exc.DatabaseError, match="session"):
        cursor.execute("SELECT 1")
    opened.close()
    with pytest.raises(exc.Error):
        opened.cursor()
    again = connection(warehouse)
    assert rows_of(again, "SELECT 1") == [(1,)]
    again.close()


def test_large_files_of_volumes(connect: Connect, tmp_path: Path) -> None:
    opened = connect(staging_allowed_local_path=str(tmp_path))
    rows_of(opened, "CREATE VOLUME IF NOT EXISTS main.default.large")
    data = bytes(range(256)) * (8 << 12)
    (tmp_path / "it's a.bin").write_bytes(data)

    def run(statement: str, **options: Any) -> None:
        with opened.cursor() as cursor:
            cursor.execute(statement, **options)

    run(f"PUT '{tmp_path}/it\\'s a.bin' INTO '/Volumes/main/default/large/deep/er/a b%20.bin' OVERWRITE")
    run(f"GET '/Volumes/main/default/large/deep/er/a b%20.bin' TO '{tmp_path}/back.bin'")
    assert (tmp_path / "back.bin").read_bytes() == data
    run("PUT '__input_stream__' INTO '/Volumes/main/default/large/empty' OVERWRITE", input_stream=io.BytesIO())
    assert [row[1:3] for row in rows_of(opened, "LIST '/Volumes/main/default/large/empty'")] in ([("empty", 0)], [])
    with pytest.raises(exc.ProgrammingError):
        run("PUT '/etc/hostname' INTO '/Volumes/main/default/large/b.bin' OVERWRITE")
    with pytest.raises(exc.OperationalError, match="404"):
        run("REMOVE '/Volumes/main/default/large/missing.bin'")


def test_native_intervals(connect: Connect) -> None:
    """A client of Java asks for Arrow's intervals, of which pyarrow has durations alone."""
    query = "SELECT INTERVAL '-1-2' YEAR TO MONTH AS m, INTERVAL '1 02:03:04.5' DAY TO SECOND AS d, 7 AS n, NULL AS v"
    native = ttypes.TSparkArrowTypes(
        timestampAsArrow=True, decimalAsArrow=True, complexTypesAsArrow=True, intervalTypesAsArrow=True
    )
    opened = connect()
    rows_of(opened, query)
    answer = execute(opened, query, canReadArrowResult=True, useArrowNativeTypes=native)
    schema = answer.directResults.resultSetMetadata.arrowSchema
    kinds = pa.ipc.read_schema(pa.py_buffer(schema)).types
    assert list(map(str, kinds[:3])) == ["month_interval", "duration[us]", "int32"]
    (batch,) = answer.directResults.resultSet.results.arrowBatches
    readable = pa.schema(list(zip("mdnv", [pa.int32(), pa.duration("us"), pa.int32(), pa.string()], strict=True)))
    rows = pa.ipc.read_record_batch(pa.py_buffer(batch.batch), readable).to_pylist()
    assert rows == [{"m": -14, "d": dt.timedelta(days=1, hours=2, minutes=3, seconds=4.5), "n": 7, "v": None}]
    kinds_of_thrift = [
        column.typeDesc.types[0].primitiveEntry.type for column in answer.directResults.resultSetMetadata.schema.columns
    ]
    assert kinds_of_thrift[:2] == [ttypes.TTypeId.INTERVAL_YEAR_MONTH_TYPE, ttypes.TTypeId.INTERVAL_DAY_TIME_TYPE]
