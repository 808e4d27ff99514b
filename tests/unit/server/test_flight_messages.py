"""Calls of Flight SQL as any client makes them, written out in its messages."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.flight as fl
import pytest

from deltasql.base.interrupts import check
from deltasql.clients.server.messages import message, packed, parsed, unpacked

OWNER = "CREATE TABLE owner (a INT NOT NULL, b INT NOT NULL, CONSTRAINT k PRIMARY KEY (b, a))"
PET = "CREATE TABLE pet (x INT, y INT, CONSTRAINT f FOREIGN KEY (x, y) REFERENCES owner (b, a))"


class Caller:
    """A client that keeps the id of its session where `keeps`."""

    def __init__(self, uri: str, *, keeps: bool = True) -> None:
        self.client = fl.connect(uri)
        self.options = fl.FlightCallOptions()
        if keeps:
            self.options = fl.FlightCallOptions(headers=[self.client.authenticate_basic_token("anybody", "")])

    def info(self, kind: str, **values: Any) -> Any:
        descriptor = fl.FlightDescriptor.for_command(packed(kind, **values))
        return self.client.get_flight_info(descriptor, self.options)

    def rows(self, kind: str, **values: Any) -> list[tuple[Any, ...]]:
        info = self.info(kind, **values)
        table = self.client.do_get(info.endpoints[0].ticket, self.options).read_all()
        assert table.schema == info.schema
        return [tuple(row.values()) for row in table.to_pylist()]

    def sql(self, text: str) -> list[tuple[Any, ...]]:
        return self.rows("CommandStatementQuery", query=text)

    def update(self, text: str) -> int:
        descriptor = fl.FlightDescriptor.for_command(packed("CommandStatementUpdate", query=text))
        writer, reader = self.client.do_put(descriptor, pa.schema([]), self.options)
        writer.done_writing()
        answer = reader.read()
        writer.close()
        return int(parsed("DoPutUpdateResult", answer.to_pybytes()).record_count)

    def act(self, kind: str, body: bytes) -> list[bytes]:
        return [item.body.to_pybytes() for item in self.client.do_action(fl.Action(kind, body), self.options)]


@pytest.fixture
def caller(uri: str) -> Caller:
    return Caller(uri)


def test_counts_of_updates(caller: Caller) -> None:
    assert caller.update("CREATE TABLE t (a INT)") == 0
    assert caller.update("INSERT INTO t VALUES (1), (2)") == 2


def test_keys(caller: Caller) -> None:
    caller.update(OWNER)
    caller.update(PET)
    at = ("spark_catalog", "default")
    assert caller.rows("CommandGetPrimaryKeys", table="owner") == [
        (*at, "owner", "b", "k", 1),
        (*at, "owner", "a", "k", 2),
    ]
    foreign = [
        (*at, "owner", parent, *at, "pet", child, number, "f", "k", 3, 3)
        for number, (parent, child) in enumerate([("b", "x"), ("a", "y")], start=1)
    ]
    assert caller.rows("CommandGetImportedKeys", table="pet") == foreign
    assert caller.rows("CommandGetExportedKeys", table="OWNER") == foreign
    assert caller.rows("CommandGetCrossReference", pk_table="owner", fk_table="pet") == foreign
    assert caller.rows("CommandGetImportedKeys", table="owner") == []


def test_filters_of_names(caller: Caller) -> None:
    for name in ("a_1", "ab1", "b"):
        caller.update(f"CREATE TABLE {name} (x INT)")
    caller.update("CREATE SCHEMA s")
    caller.update("CREATE TABLE s.ab1 (x INT)")

    def names(**values: Any) -> list[tuple[Any, ...]]:
        return [row[1:3] for row in caller.rows("CommandGetTables", **{"catalog": "spark_catalog"} | values)]

    assert names() == [("default", "a_1"), ("default", "ab1"), ("default", "b"), ("s", "ab1")]
    assert names(table_name_filter_pattern="A%", db_schema_filter_pattern="def%") == [
        ("default", "a_1"),
        ("default", "ab1"),
    ]
    assert names(table_name_filter_pattern=r"a\_1") == [("default", "a_1")]
    assert names(table_name_filter_pattern="a_1", db_schema_filter_pattern="s") == [("s", "ab1")]
    assert names(catalog="") == names(catalog="nope") == names(table_types=["VIEW"]) == []
    assert caller.rows("CommandGetDbSchemas", catalog="spark_catalog") == [
        ("spark_catalog", "default"),
        ("spark_catalog", "s"),
    ]
    assert ("samples", "tpch") in caller.rows("CommandGetDbSchemas")
    assert caller.rows("CommandGetCatalogs") == [
        (name,) for name in ("hive_metastore", "main", "samples", "spark_catalog", "system")
    ]


def test_a_table_that_cannot_be_read_does_not_hide_the_others(caller: Caller, tmp_path: Any) -> None:
    caller.update("CREATE TABLE good (x INT)")
    caller.update("CREATE TABLE bad (x INT)")
    for file in (tmp_path / "warehouse").rglob("bad/_delta_log/*"):
        file.write_text("no log")
    found = {
        row[2]: pa.ipc.read_schema(pa.py_buffer(row[4])) for row in caller.rows("CommandGetTables", include_schema=True)
    }
    assert (found["good"].names, found["bad"].names) == (["x"], [])


def test_information_and_types(caller: Caller) -> None:
    assert caller.rows("CommandGetSqlInfo", info=[0, 504, 8, 999_999, 3]) == [
        (0, "deltasql"),
        (504, "`"),
        (8, 0),
        (3, False),
    ]
    everything = dict(caller.rows("CommandGetSqlInfo"))
    assert {*range(10), *range(500, 577)} - everything.keys() == {6, 7}
    assert "MERGE" in everything[508]
    functions = [everything[number] for number in (509, 510, 511, 512)]
    assert all(name in names for name, names in zip(("ABS", "TRIM", "COALESCE", "TO_DATE"), functions, strict=True))
    assert len(set().union(*functions)) == sum(map(len, functions))
    assert [row[:2] for row in caller.rows("CommandGetXdbcTypeInfo", data_type=93)] == [
        ("TIMESTAMP", 93),
        ("TIMESTAMP_NTZ", 93),
    ]
    assert {"STRING", "DECIMAL"} < {row[0] for row in caller.rows("CommandGetXdbcTypeInfo")}


def test_a_prepared_statement(caller: Caller) -> None:
    def prepared(sql: str) -> Any:
        (body,) = caller.act("CreatePreparedStatement", packed("ActionCreatePreparedStatementRequest", query=sql))
        return unpacked(body)[1]

    caller.update("CREATE TABLE t (a INT, b STRING)")
    show, insert = prepared("SHOW TABLES"), prepared("INSERT INTO t VALUES (:a, :b)")
    told = pa.ipc.read_schema(pa.py_buffer(show.dataset_schema))
    assert told.names == ["namespace", "tableName", "isTemporary"]
    assert insert.dataset_schema == b""
    assert pa.ipc.read_schema(pa.py_buffer(insert.parameter_schema)).names == ["a", "b"]
    descriptor = fl.FlightDescriptor.for_command(
        packed("CommandPreparedStatementUpdate", prepared_statement_handle=insert.prepared_statement_handle)
    )
    # By name, in another order than they stand.
    batch = pa.record_batch({"b": ["x", "y"], "a": [1, 2]})
    writer, reader = caller.client.do_put(descriptor, batch.schema, caller.options)
    writer.write_batch(batch)
    writer.done_writing()
    assert parsed("DoPutUpdateResult", reader.read().to_pybytes()).record_count == 2
    writer.close()
    handle = show.prepared_statement_handle
    assert caller.rows("CommandPreparedStatementQuery", prepared_statement_handle=handle) == [("default", "t", False)]
    caller.act(
        "ClosePreparedStatement", packed("ActionClosePreparedStatementRequest", prepared_statement_handle=handle)
    )
    with pytest.raises(pa.ArrowKeyError, match=r"INVALID_HANDLE\.FORMAT.*prepared statement"):
        caller.info("CommandPreparedStatementQuery", prepared_statement_handle=handle)


def test_rows_are_fetched_once(caller: Caller) -> None:
    info = caller.info("CommandStatementQuery", query="SHOW SCHEMAS")
    assert info.total_records == 1
    ticket = info.endpoints[0].ticket
    assert caller.client.do_get(ticket, caller.options).read_all().num_rows == 1
    with pytest.raises(pa.ArrowKeyError, match="There is no result"):
        caller.client.do_get(ticket, caller.options)


@pytest.mark.parametrize(
    ("action", "body"),
    [
        ("CancelFlightInfo", lambda info: message("CancelFlightInfoRequest", info=info).SerializeToString()),
        ("CancelQuery", lambda info: packed("ActionCancelQueryRequest", info=info)),
    ],
)
def test_rows_that_nobody_wants_are_dropped(caller: Caller, action: str, body: Callable[[bytes], bytes]) -> None:
    info = caller.info("CommandStatementQuery", query="SHOW SCHEMAS")
    assert caller.act(action, body(info.serialize())) != []
    with pytest.raises(pa.ArrowKeyError, match="There is no result"):
        caller.client.do_get(info.endpoints[0].ticket, caller.options)


def test_a_client_without_memory_still_gets_its_rows(uri: str) -> None:
    forgetful = Caller(uri, keeps=False)
    assert forgetful.sql("SHOW SCHEMAS") == [("default",)]


def test_options_of_the_session(caller: Caller) -> None:
    caller.update("CREATE SCHEMA s")
    value = message("SessionOptionValue", string_value="s")
    number = message("SessionOptionValue", int64_value=1)
    given = {"schema": value, "catalog": number, "volume": value}
    options = [message("SessionOption", key=key, value=item) for key, item in given.items()]
    (body,) = caller.act(
        "SetSessionOptions", message("SetSessionOptionsRequest", session_options=options).SerializeToString()
    )
    errors = {item.key: item.value.value for item in parsed("SetSessionOptionsResult", body).errors}
    assert errors == {"catalog": 2, "volume": 1}
    (body,) = caller.act("GetSessionOptions", b"")
    told = {item.key: item.value.string_value for item in parsed("GetSessionOptionsResult", body).session_options}
    assert told == {"catalog": "spark_catalog", "schema": "s"}


def test_a_session_that_was_closed_is_gone(caller: Caller) -> None:
    caller.sql("SHOW SCHEMAS")
    caller.act("CloseSession", b"")
    with pytest.raises(fl.FlightUnauthenticatedError, match=r"INVALID_HANDLE\.SESSION_NOT_FOUND"):
        caller.sql("SHOW SCHEMAS")


def test_cookies_are_as_good(uri: str) -> None:
    told = Caller(uri).options  # Only to have met the server before.
    assert told is not None
    client = fl.connect(uri)
    name, bearer = client.authenticate_basic_token("a", "b")
    cookie = (b"cookie", b'other=1; deltasql-session="' + bearer.removeprefix(b"Bearer ") + b'"')
    options = fl.FlightCallOptions(headers=[cookie])
    command = packed("CommandStatementQuery", query="USE default")
    client.get_flight_info(fl.FlightDescriptor.for_command(command), options)
    assert name.lower() == b"authorization"


@pytest.mark.parametrize(
    "command",
    [
        packed("TicketStatementQuery", statement_handle=b"x"),
        packed("CommandStatementQuery", query="SHOW TABLES", transaction_id=b"x"),
        b"no message",
        b"",
    ],
)
def test_what_is_not_known_is_refused_by_name(caller: Caller, command: bytes) -> None:
    with pytest.raises(pa.ArrowNotImplementedError, match="FLIGHT_SQL_NOT_SUPPORTED"):
        caller.client.get_flight_info(fl.FlightDescriptor.for_command(command), caller.options)


def test_actions(caller: Caller) -> None:
    assert {item.type for item in caller.client.list_actions(caller.options)} >= {"CreatePreparedStatement"}
    with pytest.raises(pa.ArrowNotImplementedError, match="the action BeginTransaction"):
        caller.act("BeginTransaction", b"")


class Endless:
    """Rows that a statement computes until it is stopped."""

    schema, count, time_zone = pa.schema([("a", pa.int32())]), -1, ""

    def __init__(self) -> None:
        self.begun = threading.Event()

    def table(self) -> pa.Table:
        self.begun.set()
        while True:
            check()
            time.sleep(0.01)


@pytest.mark.spark
@pytest.mark.parametrize("closes", ["statement", "result"])
def test_what_is_closed_does_not_run_on(caller: Caller, monkeypatch: pytest.MonkeyPatch, closes: str) -> None:
    """The JDBC driver may lose the stream of a query that it cancels, and then closes its statement."""
    rows = Endless()
    monkeypatch.setattr("deltasql.clients.server.flight.rows_of_prepared", lambda session, prepared: rows)
    (made,) = caller.act("CreatePreparedStatement", packed("ActionCreatePreparedStatementRequest", query="SELECT 1"))
    handle = unpacked(made)[1].prepared_statement_handle
    infos = [caller.info("CommandPreparedStatementQuery", prepared_statement_handle=handle) for _ in range(2)]
    ended: list[str] = []

    def fetch(number: int) -> None:
        with pytest.raises((fl.FlightError, pa.ArrowKeyError)) as refused:
            caller.client.do_get(infos[number].endpoints[0].ticket, caller.options).read_all()
        ended.append(str(refused.value))

    fetching = threading.Thread(target=fetch, args=(0,))
    fetching.start()
    assert rows.begun.wait(300)
    if closes == "statement":
        caller.act(
            "ClosePreparedStatement", packed("ActionClosePreparedStatementRequest", prepared_statement_handle=handle)
        )
        fetching.join(300)
        # The result that nobody has fetched is gone with it.
        fetch(1)
        assert "result" in ended[1]
    else:
        request = message("CancelFlightInfoRequest", info=infos[0].serialize()).SerializeToString()
        caller.act("CancelFlightInfo", request)
        fetching.join(300)
    assert "ancelled" in ended[0]
