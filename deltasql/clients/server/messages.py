"""Messages of Flight SQL, errors as Flight sends them, and authentication and identification of clients.

Messages are built at run time: no maintained package has them compiled for Python. Source: FlightSql.proto and
Flight.proto of Apache Arrow. Fields are numbered in the order of this file.

An error has the whole text, caret included, under the status by which drivers distinguish errors. Flight's errors carry
condition and SQLSTATE beside the text, for programs, but have few statuses. Those of wrong SQL and missing things come
from Arrow's errors instead, which have no field for anything beside the text.

Clients present the server's token, and get an id both as a cookie and as a bearer token: JDBC drivers return the
former, ADBC drivers the latter.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import json
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.cookies import CookieError, SimpleCookie
from typing import Any

import pyarrow as pa
import pyarrow.flight as fl
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import DecodeError
from google.protobuf.message_factory import GetMessageClass

from deltasql.base import DeltaSqlError, errors, without_secrets
from deltasql.clients.dbapi.types import InternalError, NotSupportedError, ProgrammingError, class_of
from deltasql.clients.server.clients import Client, Clients
from deltasql.clients.server.statements import keeps_zones

MOST_BYTES = 16 << 20
"""Limit on the bytes of a command with its statement: longer ones would occupy the parser for seconds."""
_SQL = "arrow.flight.protocol.sql"
_FLIGHT = "arrow.flight.protocol"

_OF_SQL: Mapping[str, str] = {
    "CommandGetSqlInfo": "info: uint32*",
    "CommandGetXdbcTypeInfo": "data_type: int32?",
    "CommandGetCatalogs": "",
    "CommandGetDbSchemas": "catalog: string?, db_schema_filter_pattern: string?",
    "CommandGetTables": (
        "catalog: string?, db_schema_filter_pattern: string?, table_name_filter_pattern: string?, "
        "table_types: string*, include_schema: bool"
    ),
    "CommandGetTableTypes": "",
    "CommandGetPrimaryKeys": "catalog: string?, db_schema: string?, table: string",
    "CommandGetExportedKeys": "catalog: string?, db_schema: string?, table: string",
    "CommandGetImportedKeys": "catalog: string?, db_schema: string?, table: string",
    "CommandGetCrossReference": (
        "pk_catalog: string?, pk_db_schema: string?, pk_table: string, "
        "fk_catalog: string?, fk_db_schema: string?, fk_table: string"
    ),
    "CommandStatementQuery": "query: string, transaction_id: bytes?",
    "CommandStatementUpdate": "query: string, transaction_id: bytes?",
    "CommandPreparedStatementQuery": "prepared_statement_handle: bytes",
    "CommandPreparedStatementUpdate": "prepared_statement_handle: bytes",
    "TableDefinitionOptions": "if_not_exist: int32, if_exists: int32",
    "CommandStatementIngest": (
        "table_definition_options: TableDefinitionOptions, table: string, schema: string?, catalog: string?, "
        "temporary: bool, transaction_id: bytes?"
    ),
    "TicketStatementQuery": "statement_handle: bytes",
    "DoPutUpdateResult": "record_count: int64",
    "ActionCreatePreparedStatementRequest": "query: string, transaction_id: bytes?",
    "ActionCreatePreparedStatementResult": (
        "prepared_statement_handle: bytes, dataset_schema: bytes, parameter_schema: bytes"
    ),
    "ActionClosePreparedStatementRequest": "prepared_statement_handle: bytes",
    "ActionCancelQueryRequest": "info: bytes",
    "ActionCancelQueryResult": "result: int32",
}
"""`*` is repeated, `?` is optional. An enum is given as its number, which is equal on the wire."""

_OF_FLIGHT: Mapping[str, str] = {
    "CancelFlightInfoRequest": "info: bytes",
    "CancelFlightInfoResult": "status: int32",
    "StringListValue": "values: string*",
    "SessionOptionValue": (
        "string_value: string|, bool_value: bool|, int64_value: sfixed64|, double_value: double|, "
        "string_list_value: StringListValue|"
    ),
    "SessionOption": "key: string, value: SessionOptionValue",
    "SetSessionOptionsRequest": "session_options: SessionOption*",
    "SessionOptionFault": "value: int32",
    "SessionOptionError": "key: string, value: SessionOptionFault",
    "SetSessionOptionsResult": "errors: SessionOptionError*",
    "GetSessionOptionsRequest": "",
    "GetSessionOptionsResult": "session_options: SessionOption*",
    "CloseSessionRequest": "",
    "CloseSessionResult": "status: int32",
}
"""`|` is one of the alternatives of a value. A map is given as its entries, as on the wire."""

CREATE_MISSING, FAIL_IF_MISSING = 1, 2
FAIL_IF_THERE, APPEND, REPLACE = 1, 2, 3
"""Actions of an ingestion for a missing and for an existing table; 0 means that the client chose none."""
CANCELLED, CLOSED = 1, 1
"""Status of a cancelled query, and of a closed session."""
INVALID_NAME, INVALID_VALUE = 1, 2
"""Faults of a session option."""


def _described(package: str, messages: Mapping[str, str]) -> FileDescriptorProto:
    file = FileDescriptorProto(name=f"{package}.proto", package=package, syntax="proto3")
    for name, fields in messages.items():
        message = file.message_type.add(name=name)
        for number, text in enumerate(filter(None, fields.split(", ")), start=1):
            _add_field(message, package, number, *text.split(": "))
    return file


def _add_field(message: DescriptorProto, package: str, number: int, name: str, kind: str) -> None:
    field = message.field.add(name=name, number=number, label=FieldDescriptorProto.LABEL_OPTIONAL)
    base, mark = kind.rstrip("*?|"), kind[-1]
    if base[0].isupper():
        field.type, field.type_name = FieldDescriptorProto.TYPE_MESSAGE, f".{package}.{base}"
    else:
        field.type = FieldDescriptorProto.Type.Value(f"TYPE_{base.upper()}")
    if mark == "*":
        field.label = FieldDescriptorProto.LABEL_REPEATED
    elif mark == "?":
        field.proto3_optional = True
        field.oneof_index = len(message.oneof_decl)
        message.oneof_decl.add(name=f"_{name}")
    elif mark == "|":
        if not message.oneof_decl:
            message.oneof_decl.add(name="option_value")
        field.oneof_index = 0


def _classes() -> dict[str, type[Any]]:
    # A separate pool: another package of the process may have registered the same messages.
    pool = DescriptorPool()
    classes = {}
    for package, messages in ((_SQL, _OF_SQL), (_FLIGHT, _OF_FLIGHT)):
        pool.Add(_described(package, messages))
        for name in messages:
            classes[name] = GetMessageClass(pool.FindMessageTypeByName(f"{package}.{name}"))
    return classes


_CLASSES = _classes()


def message(kind: str, **values: Any) -> Any:
    """A message of Flight SQL, or of Flight's sessions, by its name."""
    return _CLASSES[kind](**values)


def packed(kind: str, **values: Any) -> bytes:
    """A serialized message within an Any, as Flight SQL sends commands, requests and tickets."""
    packed = AnyMessage()
    packed.Pack(message(kind, **values))
    return bytes(packed.SerializeToString())


def unpacked(data: bytes) -> tuple[str, Any]:
    """The name of a message within an Any, and the message.

    Raises UnknownCommandMessageError and TooManyBytesError.
    """
    _refuse_long(data)
    outer = AnyMessage()
    try:
        outer.ParseFromString(data)
        package, _, name = outer.type_url.rpartition("/")[2].rpartition(".")
        if package == _SQL and name in _OF_SQL:
            return name, _CLASSES[name].FromString(outer.value)
    except DecodeError:
        name = ""
    raise errors.UnknownCommandMessageError(kind=name or "bytes that are no message")


def requested(kind: str, data: bytes) -> Any:
    """The message of this kind within an Any. Raises UnknownCommandMessageError and TooManyBytesError."""
    name, request = unpacked(data)
    if name != kind:
        raise errors.UnknownCommandMessageError(kind=f"{name} in place of {kind}")
    return request


def parsed(kind: str, data: bytes) -> Any:
    """A message without an Any. Raises UnknownCommandMessageError and TooManyBytesError."""
    _refuse_long(data)
    try:
        return _CLASSES[kind].FromString(data)
    except DecodeError:
        raise errors.UnknownCommandMessageError(kind=f"{kind} that cannot be read") from None


def _refuse_long(data: bytes) -> None:
    if len(data) > MOST_BYTES:
        raise errors.TooManyBytesError(limit=MOST_BYTES)


_MISSING = {"42P01", "42704", "42883"}


class _WithoutStack(Exception):  # noqa: N818 - named by the statuses, here and below
    """pyarrow adds the stack, with the paths of this machine, to the text of an error that is none of Flight's.

    It reads the cause meanwhile, and leaves the stack out where that fails.
    """

    @property
    def __cause__(self) -> BaseException | None:  # type: ignore[override]
        raise AttributeError("__cause__")


class InvalidArgument(_WithoutStack, pa.ArrowInvalid):  # type: ignore[misc]
    """INVALID_ARGUMENT: the SQL is wrong."""


class NotFound(_WithoutStack, pa.ArrowKeyError):  # type: ignore[misc]
    """NOT_FOUND: a table, a schema, a handle."""


class Unimplemented(_WithoutStack, pa.ArrowNotImplementedError):  # type: ignore[misc]
    """UNIMPLEMENTED: something that there is not."""


@contextmanager
def answered() -> Iterator[None]:
    """Errors within become those of Flight. What deltasql does not expect goes to stderr, too."""
    try:
        yield
    except (fl.FlightError, _WithoutStack):
        raise
    except DeltaSqlError as error:
        raise _answer(error) from None
    except KeyboardInterrupt as interrupt:
        raise fl.FlightCancelledError(str(interrupt) or "The statement was cancelled.") from None
    except Exception as error:
        print(without_secrets(traceback.format_exc()), file=sys.stderr)
        text = f"{type(error).__name__}: {without_secrets(str(error))}. This is not an error that deltasql expects."
        raise fl.FlightInternalError(text) from None


def _answer(error: DeltaSqlError) -> Exception:
    """An error of deltasql as Flight's or Arrow's: that with the status for its class in PEP 249."""
    text, kind = str(error), class_of(error.sqlstate)
    answer: Exception
    if isinstance(error, errors.HandleNotFoundError) or error.sqlstate in _MISSING:
        answer = NotFound(text)
    elif issubclass(kind, NotSupportedError):
        answer = Unimplemented(text)
    elif issubclass(kind, ProgrammingError):
        answer = InvalidArgument(text)
    else:
        details = json.dumps({"condition": error.condition, "sqlstate": error.sqlstate, "message": error.message})
        status = fl.FlightServerError
        if isinstance(error, (errors.AuthenticationError, errors.SessionGoneError)):
            status = fl.FlightUnauthenticatedError
        elif issubclass(kind, InternalError):
            status = fl.FlightInternalError
        answer = status(text, details.encode())
    return answer


COOKIE = "deltasql-session"
MIDDLEWARE = "client"
_HOW = "as a bearer token (`authorization: Bearer …`), or as the password of any user"


class Caller(fl.ServerMiddleware):  # type: ignore[misc]
    """The client of one call; sends it its id in the response headers."""

    def __init__(self, client: Client) -> None:
        super().__init__()
        self.client = client

    def sending_headers(self) -> dict[str, str]:
        return {
            "authorization": f"Bearer {self.client.id}",
            "set-cookie": f"{COOKIE}={self.client.id}; Path=/; HttpOnly",
        }


class Access(fl.ServerMiddlewareFactory):  # type: ignore[misc]
    """Finds the client of each call by its headers. With a `token`, a new client must present it."""

    def __init__(self, clients: Clients[Client], token: str | None) -> None:
        super().__init__()
        self._clients, self._token = clients, token

    def start_call(self, info: Any, headers: Mapping[str, Sequence[Any]]) -> Caller:
        """The client of a call. Raises a FlightUnauthenticatedError."""
        with answered():
            return Caller(self._client(info.method == fl.FlightMethod.HANDSHAKE, headers))

    def _client(self, is_handshake: bool, headers: Mapping[str, Sequence[Any]]) -> Client:
        kind, credentials = _authorization(headers)
        bearer = credentials if kind == "bearer" else ""
        # A handshake begins a new session, whatever id is sent.
        ids = () if is_handshake else (*_cookies(headers), bearer)
        for given_id in ids:
            if (client := self._clients.client(given_id)) is not None:
                return client
        if self._token is not None and not hmac.compare_digest(credentials.encode(), self._token.encode()):
            raise errors.AuthenticationError(how=_HOW)
        return self._clients.begin(keeps_zones(headers))


class NoHandshake(fl.ServerAuthHandler):  # type: ignore[misc]
    """Accepts every handshake: Access has checked its headers before."""

    def authenticate(self, outgoing: Any, incoming: Any) -> None: ...

    def is_valid(self, token: Any) -> bytes:
        return b""


def _values(headers: Mapping[str, Sequence[Any]], name: str) -> list[str]:
    matches = [value for key, values in headers.items() if key.lower() == name for value in values]
    return [value.decode("latin-1") if isinstance(value, bytes) else str(value) for value in matches]


def _authorization(headers: Mapping[str, Sequence[Any]]) -> tuple[str, str]:
    """`bearer` and a token, or `basic` and a password; two empty texts for anything else."""
    for value in _values(headers, "authorization"):
        kind, _, credentials = value.partition(" ")
        if kind.lower() == "bearer":
            return "bearer", credentials.strip()
        if kind.lower() == "basic":
            try:
                return "basic", base64.b64decode(credentials.strip() + "==").decode().partition(":")[2]
            except (binascii.Error, UnicodeDecodeError):
                return "", ""
    return "", ""


def _cookies(headers: Mapping[str, Sequence[Any]]) -> list[str]:
    cookies = []
    for value in _values(headers, "cookie"):
        try:
            cookie = SimpleCookie(value).get(COOKIE)
        except CookieError:
            continue
        if cookie is not None:
            cookies.append(cookie.value)
    return cookies
