"""The catalogs, schemas and tables of the test server, and its answers by path."""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import RLock
from typing import Any

from tests.unity.managed import ManagedTable, created, staged, updated

Path = tuple[str, ...]
PAGE = 2
"""Items on a page: small, so that every listing has several."""


@dataclass(frozen=True)
class Answer:
    status: int
    body: Any = None

    @classmethod
    def error(cls, status: int, kind: str, message: str) -> Answer:
        """An error of the Delta API."""
        return cls(status, {"error": {"message": message, "type": kind, "code": status}})

    @classmethod
    def old_error(cls, status: int, code: str, message: str) -> Answer:
        """An error of the older API."""
        return cls(status, {"error_code": code, "message": message, "details": []})


@dataclass
class Catalogs:
    """All state. Without `delta` it is an older server, which has no Delta API."""

    root: str
    delta: bool = True
    credentials: dict[str, Any] = field(default_factory=dict)
    """Answers to requests for credentials, by operation; an operation that is missing is denied."""
    schemas: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    tables: dict[tuple[str, str, str], dict[str, Any]] = field(default_factory=dict)
    managed: dict[str, ManagedTable] = field(default_factory=dict)
    """Managed and staged tables by id."""
    lent: list[str] = field(default_factory=list)
    """Operations of the credentials that were lent."""

    def __post_init__(self) -> None:
        self.lock = RLock()
        self.names = {"main"}
        for schema in ("default", "sales"):
            self.add_schema("main", schema)

    def add_schema(self, catalog: str, name: str, **more: Any) -> dict[str, Any]:
        info = {
            "name": name,
            "catalog_name": catalog,
            "full_name": f"{catalog}.{name}",
            "created_at": now(),
            "schema_id": str(uuid.uuid4()),
            "properties": {},
            **more,
        }
        self.schemas[(catalog, name)] = info
        return info

    def answer(self, method: str, path: Path, query: Mapping[str, str], body: Mapping[str, Any]) -> Answer:
        with self.lock:
            match path:
                case ("delta", *_) if not self.delta:
                    return Answer(404, "404 Not Found")
                case ("delta", "v1", *rest):
                    return self._delta(method, tuple(rest), query, body)
                case ("catalogs", name):
                    return self._catalog(name)
                case ("schemas", *rest):
                    return self._schemas(method, tuple(rest), query, body)
                case ("tables", *rest):
                    return self._tables(method, tuple(rest), query, body)
                case ("temporary-table-credentials",):
                    return self._credentials(body)
                case ("temporary-path-credentials",):
                    return self._of_path(body)
                case _:
                    return Answer(404, "404 Not Found")

    def _catalog(self, name: str) -> Answer:
        if name not in self.names:
            return Answer.old_error(404, "CATALOG_NOT_FOUND", f"Catalog not found: {name}")
        return Answer(200, {"name": name, "comment": "the catalog of the test", "created_at": 1700000000000, "id": "1"})

    def _schemas(self, method: str, path: Path, query: Mapping[str, str], body: Mapping[str, Any]) -> Answer:
        if not path:
            if method == "POST":
                key = (body["catalog_name"], body["name"])
                if key in self.schemas:
                    return Answer.old_error(409, "SCHEMA_ALREADY_EXISTS", f"Schema already exists: {key[1]}")
                more = {name: value for name, value in body.items() if name not in {"name", "catalog_name"}}
                return Answer(200, self.add_schema(*key, **more))
            if query["catalog_name"] not in self.names:
                return Answer.old_error(404, "CATALOG_NOT_FOUND", "Catalog not found")
            found = [info for key, info in self.schemas.items() if key[0] == query["catalog_name"]]
            return page("schemas", found, query)
        catalog, name = path[0].split(".")
        key = (catalog, name)
        if key not in self.schemas:
            return Answer.old_error(404, "SCHEMA_NOT_FOUND", f"Schema not found: {path[0]}")
        if method == "PATCH":
            self.schemas[key] |= body
        if method == "DELETE":
            inner = [table for table in self.tables if table[:2] == key]
            if inner and query.get("force") != "true":
                return Answer.old_error(400, "FAILED_PRECONDITION", "Cannot delete schema with tables")
            for table in inner:
                self._forget(table)
            del self.schemas[key]
            return Answer(200)
        return Answer(200, self.schemas[key])

    def _tables(self, method: str, path: Path, query: Mapping[str, str], body: Mapping[str, Any]) -> Answer:
        if not path:
            key = (body.get("catalog_name") or query["catalog_name"], body.get("schema_name") or query["schema_name"])
            if key not in self.schemas:
                return Answer.old_error(404, "SCHEMA_NOT_FOUND", f"Schema not found: {key[1]}")
            if method == "POST":
                return self._added((*key, body["name"]), body)
            return page("tables", [info for name, info in self.tables.items() if name[:2] == key], query)
        catalog, schema, name = path[0].split(".")
        found = self.tables.get((catalog, schema, name))
        if found is None:
            return Answer.old_error(404, "TABLE_NOT_FOUND", f"Table not found: {path[0]}")
        if method == "DELETE":
            self._forget((catalog, schema, name))
            return Answer(200)
        return Answer(200, found)

    def _forget(self, key: tuple[str, str, str]) -> None:
        self.managed.pop(self.tables.pop(key)["table_id"], None)

    def _added(self, key: tuple[str, str, str], body: Mapping[str, Any]) -> Answer:
        if key in self.tables:
            return Answer.old_error(409, "TABLE_ALREADY_EXISTS", f"Table already exists: {key[2]}")
        info = {**body, "table_id": str(uuid.uuid4()), "created_at": now(), "updated_at": now()}
        self.tables[key] = info
        return Answer(200, info)

    def _credentials(self, body: Mapping[str, Any]) -> Answer:
        if not any(info["table_id"] == body["table_id"] for info in self.tables.values()):
            return Answer.old_error(404, "TABLE_NOT_FOUND", "Table not found")
        if body["operation"] not in self.credentials:
            return Answer.old_error(403, "PERMISSION_DENIED", f"no {body['operation']} for you")
        self.lent.append(body["operation"])
        return Answer(200, self._current(body["operation"]))

    def _of_path(self, body: Mapping[str, Any]) -> Answer:
        if "PATH" not in self.credentials or body["operation"] != "PATH_CREATE_TABLE":
            return Answer.old_error(403, "PERMISSION_DENIED", "no such place for you")
        self.lent.append("PATH")
        return Answer(200, self._current("PATH"))

    def _current(self, operation: str) -> Any:
        found = self.credentials[operation]
        return found() if callable(found) else found

    # The Delta API

    def _delta(self, method: str, path: Path, query: Mapping[str, str], body: Mapping[str, Any]) -> Answer:
        match path:
            case ("config",):
                if query["catalog"] not in self.names:
                    return Answer.error(404, "NoSuchCatalogException", "no such catalog")
                return Answer(200, {"endpoints": list(ENDPOINTS), "protocol-version": "1.0"})
            case ("staging-tables", identity, "credentials"):
                lent = self._current("STAGING") if "STAGING" in self.credentials else {"storage-credentials": []}
                found = identity in self.managed
                return Answer(200, lent) if found else Answer.error(404, "NoSuchTableException", "no such table")
            case ("catalogs", catalog, "schemas", schema, *rest):
                if (catalog, schema) not in self.schemas:
                    return Answer.error(404, "NoSuchSchemaException", f"Schema not found: {schema}")
                return self._of_schema(method, (catalog, schema), tuple(rest), body)
            case _:
                return Answer(404, "404 Not Found")

    def _of_schema(self, method: str, schema: tuple[str, str], path: Path, body: Mapping[str, Any]) -> Answer:
        if path == ("staging-tables",):
            if (*schema, body["name"]) in self.tables:
                return Answer.error(409, "AlreadyExistsException", "Table already exists")
            table = staged(self.root)
            self.managed[table.id] = table
            return Answer(200, table.staging_answer())
        if path == ("tables",):
            return self._promoted((*schema, body["name"]), body)
        key = (*schema, path[1])
        if key not in self.tables:
            return Answer.error(404, "NoSuchTableException", f"Table not found: {path[1]}")
        if len(path) == 3:
            return self._renamed(key, (*schema, body["new-name"]))
        return self._table(method, key, body)

    def _promoted(self, key: tuple[str, str, str], body: Mapping[str, Any]) -> Answer:
        if key in self.tables:
            return Answer.error(409, "AlreadyExistsException", "Table already exists")
        found = next((table for table in self.managed.values() if table.location == body["location"]), None)
        if found is None:
            return Answer.error(404, "NoSuchTableException", "no staging table at this location")
        wrong = created(found, body)
        if wrong is not None:
            return Answer.error(400, "InvalidParameterValueException", wrong)
        self.tables[key] = {
            "name": key[2],
            "catalog_name": key[0],
            "schema_name": key[1],
            "table_type": "MANAGED",
            "data_source_format": "DELTA",
            "storage_location": found.location,
            "table_id": found.id,
            "created_at": now(),
            "properties": found.properties,
        }
        return Answer(200, found.answer())

    def _renamed(self, key: tuple[str, str, str], new: tuple[str, str, str]) -> Answer:
        if new in self.tables:
            return Answer.error(409, "AlreadyExistsException", "Table already exists")
        self.tables[new] = {**self.tables.pop(key), "name": new[2]}
        return Answer(204)

    def _table(self, method: str, key: tuple[str, str, str], body: Mapping[str, Any]) -> Answer:
        info = self.tables[key]
        if info.get("data_source_format") != "DELTA":
            return Answer.error(400, "UnsupportedTableFormatException", "not a Delta table")
        table = self.managed.get(info["table_id"])
        if method == "GET":
            return Answer(200, external(info) if table is None else table.answer())
        if table is None:
            return Answer.error(400, "InvalidParameterValueException", "add-commit needs a MANAGED table")
        wrong = updated(table, body)
        return Answer(200, table.answer()) if wrong is None else Answer.error(*wrong)


ENDPOINTS = (
    "POST /v1/catalogs/{catalog}/schemas/{schema}/staging-tables",
    "POST /v1/catalogs/{catalog}/schemas/{schema}/tables",
    "GET /v1/catalogs/{catalog}/schemas/{schema}/tables/{table}",
    "POST /v1/catalogs/{catalog}/schemas/{schema}/tables/{table}",
    "POST /v1/catalogs/{catalog}/schemas/{schema}/tables/{table}/rename",
    "GET /v1/staging-tables/{table_id}/credentials",
)


def external(info: Mapping[str, Any]) -> dict[str, Any]:
    """An external table in the Delta API."""
    return {
        "metadata": {
            "etag": "e",
            "table-type": "EXTERNAL",
            "table-uuid": info["table_id"],
            "location": info["storage_location"],
            "created-time": info["created_at"],
            "updated-time": info["created_at"],
            "columns": {"type": "struct", "fields": []},
            "properties": info.get("properties") or {},
        },
        "commits": [],
    }


def page(name: str, items: list[Any], query: Mapping[str, str]) -> Answer:
    """One page of a listing."""
    start = int(query.get("page_token") or 0)
    following = {"next_page_token": str(start + PAGE)} if start + PAGE < len(items) else {"next_page_token": None}
    return Answer(200, {name: items[start : start + PAGE], **following})


def now() -> int:
    return time.time_ns() // 1_000_000
