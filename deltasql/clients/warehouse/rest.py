"""The REST interface of a warehouse: statements, sessions, warehouses, the user, and files of volumes.

Source: Databricks' REST reference. Unity Catalog's part is in `unity`. Any other path gets an error in JSON.
"""

from __future__ import annotations

import base64
import datetime as dt
import json
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias
from urllib.parse import unquote

from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse, Response

from deltasql.base import DeltaSqlError, errors
from deltasql.clients.warehouse import unity
from deltasql.clients.warehouse.execution import DELETE, GET, PUT, Request, Staging, configure, execute, parameter, use
from deltasql.clients.warehouse.operations import Rows, RunningStatement, State, Warehouse, WarehouseClient
from deltasql.clients.warehouse.results import ResultLinks
from deltasql.clients.warehouse.wire import Wire, csv_rows, json_rows, rows_per_chunk, sql_name
from deltasql.schema import ArrayType, DataType, DecimalType, MapType, PrimitiveType, StructType, quote_text

Json: TypeAlias = "dict[str, Any]"
_CHUNK_BYTES = 16 << 20
_INLINE_BYTES = 4 << 20
"""Bytes of Arrow data up to which a client of INLINE_OR_EXTERNAL_LINKS gets them within the answer."""
_DEFAULT_WAIT = 10.0
_NAMES = {"byte": "BYTE", "short": "SHORT", "integer": "INT", "long": "LONG", "void": "NULL"}
"""TableNames of types of the statement execution API that are not those of SQL."""


class RestError(Exception):
    """A call that is refused, with HTTP's status and Databricks' code of the error."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code = status, code


def refusal(status: int, code: str, message: str) -> Response:
    """An error in the form of Databricks' REST interface."""
    return JSONResponse({"error_code": code, "message": message}, status)


class Form:
    """How the rows of a statement are sent: the parameters of its call."""

    def __init__(self, asked: Mapping[str, Any]) -> None:
        self.disposition = str(asked.get("disposition") or "INLINE")
        self.format = str(asked.get("format") or "JSON_ARRAY")
        self.compression = asked.get("result_compression") or None
        if self.disposition not in {"INLINE", "EXTERNAL_LINKS", "INLINE_OR_EXTERNAL_LINKS"}:
            raise RestError(400, "INVALID_PARAMETER_VALUE", f"There is no disposition {self.disposition}.")
        if self.format not in {"JSON_ARRAY", "ARROW_STREAM", "CSV"}:
            raise RestError(400, "INVALID_PARAMETER_VALUE", f"There is no format {self.format}.")
        if self.disposition == "INLINE" and self.format != "JSON_ARRAY":
            message = f"The disposition INLINE has the format JSON_ARRAY only: choose EXTERNAL_LINKS for {self.format}."
            raise RestError(400, "INVALID_PARAMETER_VALUE", message)
        self.wire = Wire(lz4=self.compression == "LZ4_FRAME", links=True, intervals=True)

    def is_inline(self, rows: Rows) -> bool:
        if self.disposition == "INLINE" or rows.is_staging:
            return True
        return self.disposition == "INLINE_OR_EXTERNAL_LINKS" and rows.table.nbytes <= _INLINE_BYTES

    def stream(self, rows: Rows, start: int, end: int) -> bytes:
        """A part of the rows as the file that a link leads to."""
        if self.format == "ARROW_STREAM":
            return self.wire.stream(rows, start, end)
        data = csv_rows(rows, start, end) if self.format == "CSV" else _json(json_rows(rows, start, end))
        return self.wire.packed(data)


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


class Rest:
    """Answers the calls of the REST interface."""

    def __init__(self, warehouse: Warehouse, staging: Staging, links: ResultLinks) -> None:
        self.warehouse, self.staging, self.links = warehouse, staging, links

    def is_open(self, path: str) -> bool:
        """Whether a path is answered without a token: telemetry, and descriptions of how to log in."""
        return path in {"/telemetry-unauth", "/telemetry-ext"} or path.startswith("/oidc/")

    def answer(self, request: HttpRequest, body: bytes) -> Response:
        """The answer to a call, an error as JSON."""
        path = request.url.path.rstrip("/")
        for method, pattern, work in _ROUTES:
            match = pattern.fullmatch(path)
            if match is not None and method == request.method:
                try:
                    asked = _asked(request, body)
                    result = work(self, {**asked, **{key: unquote(text) for key, text in match.groupdict().items()}})
                except RestError as error:
                    return refusal(error.status, error.code, str(error))
                except DeltaSqlError as error:
                    return refusal(*_http(error), str(error))
                except (KeyError, ValueError) as error:
                    message = f"The call lacks a parameter, or has a wrong one: {error}."
                    return refusal(400, "INVALID_PARAMETER_VALUE", message)
                return result if isinstance(result, Response) else JSONResponse(result)
        code = "ENDPOINT_NOT_FOUND" if path.startswith("/api/") else "NOT_FOUND"
        return refusal(404, code, f"This warehouse has no {request.method} {path}: it answers what SQL needs.")

    def moved(self, method: str, path: str, body: bytes | None, overwrite: bool) -> Response:
        """Reads, writes or removes a file of a volume."""
        try:
            if method == PUT:
                self.staging.put(path, body or b"", overwrite)
                return Response(status_code=204)
            if method == DELETE:
                self.staging.remove(path)
                return Response(status_code=204)
            return Response(self.staging.get(path), media_type="application/octet-stream")
        except DeltaSqlError as error:
            return refusal(*_http(error), str(error))

    # Statements

    def begin_statement(self, asked: Json) -> Any:
        form, request = Form(asked), _request(asked)
        wait, on_timeout = _seconds(asked.get("wait_timeout")), str(asked.get("on_wait_timeout") or "CONTINUE")
        client = self._client(asked)
        with self.warehouse.call(client):
            statement = client.begin(request.sql, lambda: execute(client, request, self.staging))
            statement.wire = form
            if not statement.wait(wait) and wait and on_timeout == "CANCEL":
                statement.cancel()
                statement.wait(5)
            return self._described(statement)

    def _client(self, asked: Json) -> WarehouseClient:
        """The session of a call; one of its own, which ends when it is idle, for a call without one."""
        catalog, schema = asked.get("catalog"), asked.get("schema")
        if asked.get("session_id"):
            client = self.warehouse.client(_guid(str(asked["session_id"])))
            use(client.session, catalog, schema)
            return client
        return self.warehouse.open(lambda client: configure(client, catalog, schema, {}))

    def statement(self, asked: Json) -> Any:
        return self._described(self._found(asked))

    def chunk(self, asked: Json) -> Any:
        statement = self._found(asked)
        if statement.rows is None:
            raise RestError(404, "NOT_FOUND", "The statement has no result: it runs, has failed, or is closed.")
        number, count = int(asked["chunk"]), len(_chunks(statement.rows))
        if number >= count:
            raise RestError(404, "NOT_FOUND", f"The result has no chunk {number}: it has {count}.")
        return self._part(statement, number)

    def cancel(self, asked: Json) -> Any:
        self._found(asked).cancel()
        return {}

    def close(self, asked: Json) -> Any:
        client, statement = self.warehouse.statement(_guid(asked["id"]))
        client.forget_statement(statement)
        return {}

    def _found(self, asked: Json) -> RunningStatement:
        client, statement = self.warehouse.statement(_guid(asked["id"]))
        with self.warehouse.call(client):
            return statement

    def _described(self, statement: RunningStatement) -> Json:
        """A statement with its state, the description of its result, and the first part of that."""
        status: Json = {"state": statement.state.value}
        if statement.state is State.FAILED:
            code = "BAD_REQUEST" if isinstance(statement.error, DeltaSqlError) else "INTERNAL_ERROR"
            status["error"] = {"error_code": code, "message": str(statement.error)}
            status["sql_state"] = getattr(statement.error, "sqlstate", "XXKDS")
        answer: Json = {"statement_id": statement.hex, "status": status}
        rows = statement.rows
        if rows is not None:
            answer["manifest"] = _manifest(rows, statement.wire)
            answer["result"] = self._part(statement, 0) if rows.table.num_rows else {}
            if not rows.table.num_rows and statement.wire.is_inline(rows):
                answer["result"] = {"data_array": []} if statement.wire.format == "JSON_ARRAY" else {}
        return answer

    def _part(self, statement: RunningStatement, number: int) -> Json:
        """One part of a result: its rows, or a link to them."""
        rows, form = statement.rows, statement.wire
        assert rows is not None
        chunks = _chunks(rows)
        start, end = chunks[number]
        part: Json = {"chunk_index": number, "row_offset": start, "row_count": end - start}
        if number + 1 < len(chunks):
            part["next_chunk_index"] = number + 1
            part["next_chunk_internal_link"] = f"/api/2.0/sql/statements/{statement.hex}/result/chunks/{number + 1}"
        if not form.is_inline(rows):
            url, expires = self.links.link(statement, start, end, form)
            part["external_link"] = url
            part["byte_count"] = rows.table.slice(start, end - start).nbytes
            part["expiration"] = dt.datetime.fromtimestamp(expires, dt.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")
            return {"external_links": [part]}
        if form.format == "JSON_ARRAY" or rows.is_staging:
            return {**part, "data_array": json_rows(rows, start, end)}
        return {**part, "attachment": base64.b64encode(form.stream(rows, start, end)).decode()}

    # Sessions, warehouses, the user

    def open_session(self, asked: Json) -> Any:
        settings = {str(key): str(value) for key, value in (asked.get("session_confs") or {}).items()}
        settings |= {str(key): str(value) for key, value in (asked.get("session_configuration") or {}).items()}
        client = self.warehouse.open(
            lambda client: configure(client, asked.get("catalog"), asked.get("schema"), settings)
        )
        return {"session_id": client.guid.hex()}

    def close_session(self, asked: Json) -> Any:
        self.warehouse.clients.end(self.warehouse.client(_guid(asked["id"])))
        return {}

    def warehouses(self, asked: Json) -> Any:
        return {"warehouses": [_warehouse("deltasql")]}

    def one_warehouse(self, asked: Json) -> Any:
        return _warehouse(asked["id"])

    def nothing(self, asked: Json) -> Any:
        return {}

    def telemetry(self, asked: Json) -> Any:
        """Telemetry is taken and thrown away."""
        return {"errors": [], "numProtoSuccess": len(asked.get("protoLogs") or ()), "numSuccess": 0}

    def feature_flags(self, asked: Json) -> Any:
        return {"flags": [], "ttl_seconds": 900}

    def me(self, asked: Json) -> Any:
        client = self.warehouse.open(lambda client: None)
        try:
            name = str(client.session.sql("SELECT current_user()").collect()[0][0])
        finally:
            self.warehouse.clients.end(client)
        answer = {"id": "1", "userName": name, "displayName": name, "active": True}
        answer["emails"] = [{"value": name, "primary": True}]
        return JSONResponse(answer, headers={"X-Databricks-Org-Id": "0"})

    # Files of volumes

    def read_file(self, asked: Json) -> Any:
        return self.moved(GET, asked["path"], None, True)

    def write_file(self, asked: Json) -> Any:
        overwrite = str(asked.get("overwrite", "false")).lower() == "true"
        return self.moved(PUT, asked["path"], asked[_BODY], overwrite)

    def remove_file(self, asked: Json) -> Any:
        return self.moved(DELETE, asked["path"], None, True)

    def has_file(self, asked: Json) -> Any:
        response = self.moved(GET, asked["path"], None, True)
        size = len(response.body)
        return Response(status_code=response.status_code, headers={"content-length": str(size)})

    def folder(self, asked: Json) -> Any:
        path = asked["path"].rstrip("/")
        rows = self.query(f"LIST {quote_text(path)}")
        contents = [
            {
                "path": row["path"].rstrip("/"),
                "name": row["name"].rstrip("/"),
                "is_directory": row["path"].endswith("/"),
                "file_size": row["size"],
                "last_modified": row["modification_time"],
            }
            for row in rows
        ]
        return {"contents": contents}

    def query(self, sql: str) -> list[Json]:
        """The rows of a statement in a session of its own. Raises DeltaSqlError."""
        client = self.warehouse.open(lambda client: None)
        try:
            names = (result := client.session.sql(sql)).columns
            return [dict(zip(names, row, strict=True)) for row in result.collect()]
        finally:
            self.warehouse.clients.end(client)


_BODY = "(body)"
"""The key of the bytes of a call, beside its parameters."""


def _asked(request: HttpRequest, body: bytes) -> Json:
    """The parameters of a call: those of its URL, and those of a JSON object. Raises RestError."""
    asked: Json = dict(request.query_params)
    if request.url.path.startswith("/api/2.0/fs/files/"):
        return {**asked, _BODY: body}
    if body.strip():
        try:
            document = json.loads(body)
        except (ValueError, RecursionError):
            raise RestError(400, "MALFORMED_REQUEST", "The call is not JSON.") from None
        if not isinstance(document, dict):
            raise RestError(400, "MALFORMED_REQUEST", "The call is no JSON object.")
        asked |= document
    return asked


def _request(asked: Json) -> Request:
    """The statement of a call. Raises RestError."""
    sql = asked.get("statement")
    if not isinstance(sql, str) or not sql.strip():
        raise RestError(400, "INVALID_PARAMETER_VALUE", "The call has no statement.")
    given = asked.get("parameters") or []
    if not isinstance(given, list) or not all(isinstance(item, dict) for item in given):
        raise RestError(400, "INVALID_PARAMETER_VALUE", "The parameters are no list of objects.")
    values = [parameter(item.get("name") or None, item.get("type"), _text(item.get("value"))) for item in given]
    limit = asked.get("row_limit")
    return Request(sql, values, int(limit) if isinstance(limit, (int, str)) and str(limit).isdigit() else None)


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value)


def _seconds(text: Any) -> float:
    """The seconds of a wait: 0, or 5 to 50. Raises RestError."""
    if text is None:
        return _DEFAULT_WAIT
    match = re.fullmatch(r"(\d+)s", str(text))
    if match is None or int(match[1]) > 50 or 0 < int(match[1]) < 5:
        raise RestError(400, "INVALID_PARAMETER_VALUE", f"wait_timeout is 0s, or 5s to 50s, not {text}.")
    return float(match[1])


def _guid(text: str) -> bytes:
    """The 16 bytes of an id. Raises RestError."""
    try:
        guid = bytes.fromhex(text.replace("-", ""))
    except ValueError:
        guid = b""
    if len(guid) != 16:
        raise RestError(404, "NOT_FOUND", f"There is no session or statement {text}.")
    return guid


def _http(error: DeltaSqlError) -> tuple[int, str]:
    """HTTP's status and Databricks' code for an error."""
    is_gone = isinstance(error, (errors.HandleNotFoundError, errors.SessionGoneError))
    if is_gone or error.sqlstate in {"42P01", "42704", "42883"} or "NOT_FOUND" in error.condition:
        return 404, "NOT_FOUND"
    if "ALREADY_EXISTS" in error.condition:
        return 409, "ALREADY_EXISTS"
    return 400, "BAD_REQUEST"


def _chunks(rows: Rows) -> list[tuple[int, int]]:
    """The parts of a result, as numbers of rows: from, to."""
    count, size = rows.table.num_rows, rows_per_chunk(rows, _CHUNK_BYTES)
    return [(start, min(count, start + size)) for start in range(0, count, size)] or [(0, 0)]


def _manifest(rows: Rows, form: Form) -> Json:
    chunks = _chunks(rows) if rows.table.num_rows else []
    columns = [_column(item.name, item.type, number) for number, item in enumerate(rows.columns)]
    manifest: Json = {
        "format": form.format,
        "schema": {"column_count": len(columns), "columns": columns},
        "total_chunk_count": len(chunks),
        "chunks": [
            {
                "chunk_index": number,
                "row_offset": start,
                "row_count": end - start,
                "byte_count": rows.table.slice(start, end - start).nbytes,
            }
            for number, (start, end) in enumerate(chunks)
        ],
        "total_row_count": rows.table.num_rows,
        "total_byte_count": rows.table.nbytes,
        "truncated": rows.is_truncated,
        "is_volume_operation": rows.is_staging,
    }
    if form.compression and not (form.is_inline(rows) and form.format == "JSON_ARRAY"):
        manifest["result_compression"] = form.compression
    return manifest


def _column(name: str, kind: DataType, number: int) -> Json:
    column: Json = {"name": name, "type_text": sql_name(kind), "type_name": api_type(kind), "position": number}
    if isinstance(kind, DecimalType):
        column |= {"type_precision": kind.precision, "type_scale": kind.scale}
    elif column["type_name"] == "INTERVAL":
        column["type_interval_type"] = sql_name(kind).removeprefix("INTERVAL ")
    return column


def api_type(kind: DataType) -> str:
    """The name of a type in Databricks' REST interface."""
    match kind:
        case DecimalType():
            return "DECIMAL"
        case ArrayType():
            return "ARRAY"
        case MapType():
            return "MAP"
        case StructType():
            return "STRUCT"
        case PrimitiveType(name=name):
            return "INTERVAL" if name.startswith("interval") else _NAMES.get(name, name.partition("(")[0].upper())
        case _:
            return "STRING"


def _warehouse(name: str) -> Json:
    return {
        "id": name,
        "name": name,
        "state": "RUNNING",
        "cluster_size": "2X-Small",
        "warehouse_type": "PRO",
        "enable_serverless_compute": True,
        "num_clusters": 1,
        "jdbc_url": "",
    }


_Work = Callable[[Rest, Json], Any]


def _route(method: str, path: str, work: _Work) -> tuple[str, re.Pattern[str], _Work]:
    pattern = re.sub(r"\{(\w+)\}", lambda match: f"(?P<{match[1]}>{'.+' if match[1] == 'path' else '[^/]+'})", path)
    return method, re.compile(pattern), work


_STATEMENTS, _SESSIONS, _WAREHOUSES = "/api/2.0/sql/statements", "/api/2.0/sql/sessions", "/api/2.0/sql/warehouses"
_FILES, _FOLDERS = "/api/2.0/fs/files{path}", "/api/2.0/fs/directories{path}"
_ROUTES = [
    _route("POST", _STATEMENTS, Rest.begin_statement),
    _route("GET", f"{_STATEMENTS}/{{id}}", Rest.statement),
    _route("DELETE", f"{_STATEMENTS}/{{id}}", Rest.close),
    _route("POST", f"{_STATEMENTS}/{{id}}/cancel", Rest.cancel),
    _route("GET", f"{_STATEMENTS}/{{id}}/result/chunks/{{chunk}}", Rest.chunk),
    _route("POST", _SESSIONS, Rest.open_session),
    _route("DELETE", f"{_SESSIONS}/{{id}}", Rest.close_session),
    _route("GET", _WAREHOUSES, Rest.warehouses),
    _route("GET", f"{_WAREHOUSES}/{{id}}", Rest.one_warehouse),
    _route("POST", f"{_WAREHOUSES}/{{id}}/start", Rest.nothing),
    _route("POST", f"{_WAREHOUSES}/{{id}}/stop", Rest.nothing),
    _route("GET", "/api/2.0/preview/scim/v2/Me", Rest.me),
    _route("GET", "/api/2.0/connector-service/feature-flags/{name}/{version}", Rest.feature_flags),
    _route("POST", "/telemetry-ext", Rest.telemetry),
    _route("POST", "/telemetry-unauth", Rest.telemetry),
    _route("GET", _FILES, Rest.read_file),
    _route("HEAD", _FILES, Rest.has_file),
    _route("PUT", _FILES, Rest.write_file),
    _route("DELETE", _FILES, Rest.remove_file),
    _route("GET", _FOLDERS, Rest.folder),
    _route("HEAD", _FOLDERS, Rest.folder),
    _route("PUT", _FOLDERS, Rest.nothing),
    _route("DELETE", _FOLDERS, Rest.nothing),
    *(_route(method, path, work) for method, path, work in unity.ROUTES),
]
