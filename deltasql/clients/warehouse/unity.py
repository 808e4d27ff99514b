"""Unity Catalog's part of the REST interface: catalogs, schemas, tables, volumes and functions, read and made by SQL.

Source: Databricks' REST reference. A call becomes statements, whose errors are the answer's.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from deltasql.base import DeltaSqlError
from deltasql.schema import quote_name, quote_text

_PREFIX = "/api/2.1/unity-catalog"


class QueryRunner(Protocol):
    """Runs the statements of a call."""

    def query(self, sql: str) -> list[dict[str, Any]]:
        """The rows of a statement by the names of its columns. Raises DeltaSqlError."""


def _name(*parts: Any) -> str:
    return ".".join(quote_name(str(part)) for part in parts)


def _full(asked: dict[str, Any]) -> str:
    return _name(*asked["name"].split("."))


def _comment(asked: dict[str, Any]) -> str:
    return f" COMMENT {quote_text(asked['comment'])}" if asked.get("comment") else ""


def _catalog(name: str) -> dict[str, Any]:
    return {"name": name, "full_name": name, "catalog_type": "MANAGED_CATALOG", "securable_type": "CATALOG"}


def catalogs(runs: QueryRunner, asked: dict[str, Any]) -> Any:
    return {"catalogs": [_catalog(row["catalog"]) for row in runs.query("SHOW CATALOGS")]}


def catalog(runs: QueryRunner, asked: dict[str, Any]) -> Any:
    rows = runs.query(f"DESCRIBE CATALOG {_full(asked)}")
    comment = next((row["info_value"] for row in rows if row["info_name"] == "Comment"), None)
    return {**_catalog(asked["name"]), "comment": comment}


def create_catalog(runs: QueryRunner, asked: dict[str, Any]) -> Any:
    runs.query(f"CREATE CATALOG {_name(asked['name'])}{_comment(asked)}")
    return _catalog(asked["name"])


def drop_catalog(runs: QueryRunner, asked: dict[str, Any]) -> Any:
    runs.query(f"DROP CATALOG {_full(asked)}{_cascade(asked)}")
    return {}


def _cascade(asked: dict[str, Any]) -> str:
    return " CASCADE" if str(asked.get("force", "")).lower() == "true" else ""


def _schema(catalog_name: str, name: str, comment: Any = None) -> dict[str, Any]:
    return {"name": name, "catalog_name": catalog_name, "full_name": f"{catalog_name}.{name}", "comment": comment}


def schemas(runs: QueryRunner, asked: dict[str, Any]) -> Any:
    inside = str(asked["catalog_name"])
    rows = runs.query(f"SHOW SCHEMAS IN {_name(inside)}")
    return {"schemas": [_schema(inside, next(iter(row.values()))) for row in rows]}


def schema(runs: QueryRunner, asked: dict[str, Any]) -> Any:
    runs.query(f"DESCRIBE SCHEMA {_full(asked)}")
    inside, _, name = asked["name"].partition(".")
    return _schema(inside, name)


def create_schema(runs: QueryRunner, asked: dict[str, Any]) -> Any:
    runs.query(f"CREATE SCHEMA {_name(asked['catalog_name'], asked['name'])}{_comment(asked)}")
    return _schema(asked["catalog_name"], asked["name"], asked.get("comment"))


def drop_schema(runs: QueryRunner, asked: dict[str, Any]) -> Any:
    runs.query(f"DROP SCHEMA {_full(asked)}{_cascade(asked)}")
    return {}


def tables(runs: QueryRunner, asked: dict[str, Any]) -> Any:
    inside, name = str(asked["catalog_name"]), str(asked["schema_name"])
    rows = runs.query(f"SHOW TABLES IN {_name(inside, name)}")
    found = [_table(runs, f"{inside}.{name}.{row['tableName']}") for row in rows if not row["isTemporary"]]
    return {"tables": found}


def table_summaries(runs: QueryRunner, asked: dict[str, Any]) -> Any:
    inside = str(asked["catalog_name"])
    rows = runs.query(
        "SELECT table_schema, table_name, table_type FROM "
        f"{_name(inside)}.information_schema.tables WHERE table_schema <> 'information_schema'"
    )
    found = [(f"{inside}.{row['table_schema']}.{row['table_name']}", row["table_type"]) for row in rows]
    return {"tables": [{"full_name": name, "table_type": kind} for name, kind in found]}


def table(runs: QueryRunner, asked: dict[str, Any]) -> Any:
    return _table(runs, asked["name"])


def table_exists(runs: QueryRunner, asked: dict[str, Any]) -> Any:
    try:
        runs.query(f"DESCRIBE TABLE {_full(asked)}")
    except DeltaSqlError:
        return {"table_exists": False}
    return {"table_exists": True}


def _table(runs: QueryRunner, full_name: str) -> dict[str, Any]:
    parts = full_name.split(".")
    answer: dict[str, Any] = {
        "name": parts[-1],
        "catalog_name": parts[0],
        "schema_name": parts[1] if len(parts) > 2 else None,
        "full_name": full_name,
    }
    rows = runs.query(f"DESCRIBE TABLE EXTENDED {_name(*parts)} AS JSON")
    document = json.loads(next(iter(rows[0].values())))
    return answer | {
        "table_type": _table_type(runs, parts, str(document.get("type", "MANAGED"))),
        "data_source_format": str(document.get("provider") or "DELTA").upper(),
        "storage_location": document.get("location"),
        "comment": document.get("comment"),
        "owner": document.get("owner"),
        "properties": document.get("table_properties") or {},
        "columns": list(_columns(document)),
    }


def _table_type(runs: QueryRunner, parts: list[str], kind: str) -> str:
    """The type of a table, whose `kind` DESCRIBE tells: it does not tell shallow clones apart."""
    if kind in {"VIEW", "MATERIALIZED_VIEW", "STREAMING_TABLE"} or len(parts) != 3:
        return kind
    inside, name, table_name = parts
    rows = runs.query(
        f"SELECT table_type FROM {_name(inside)}.information_schema.tables "
        f"WHERE table_schema = {quote_text(name.lower())} AND table_name = {quote_text(table_name.lower())}"
    )
    return str(rows[0]["table_type"]) if rows else "EXTERNAL" if kind == "EXTERNAL" else "MANAGED"


def _columns(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for number, column in enumerate(document.get("columns") or ()):
        kind = column.get("type")
        name = str(kind.get("name") if isinstance(kind, dict) else kind)
        yield {
            "name": column.get("name"),
            "type_name": name.upper(),
            "type_text": name,
            "type_json": json.dumps(kind),
            "position": number,
            "nullable": column.get("nullable", True),
            "comment": column.get("comment"),
        }


def drop_table(runs: QueryRunner, asked: dict[str, Any]) -> Any:
    runs.query(f"DROP TABLE {_full(asked)}")
    return {}


def _volume(row: dict[str, Any]) -> dict[str, Any]:
    inside, name = row["catalog"], row["database"]
    return {
        "name": row["name"],
        "catalog_name": inside,
        "schema_name": name,
        "full_name": f"{inside}.{name}.{row['name']}",
        "volume_type": str(row["volume_type"]).upper(),
        "storage_location": row["storage_location"],
        "comment": row["comment"],
        "owner": row["owner"],
    }


def volumes(runs: QueryRunner, asked: dict[str, Any]) -> Any:
    inside, name = str(asked["catalog_name"]), str(asked["schema_name"])
    rows = runs.query(f"SHOW VOLUMES IN {_name(inside, name)}")
    names = [_name(inside, name, row["volume_name"]) for row in rows]
    return {"volumes": [_volume(runs.query(f"DESCRIBE VOLUME {item}")[0]) for item in names]}


def volume(runs: QueryRunner, asked: dict[str, Any]) -> Any:
    return _volume(runs.query(f"DESCRIBE VOLUME {_full(asked)}")[0])


def create_volume(runs: QueryRunner, asked: dict[str, Any]) -> Any:
    name = _name(asked["catalog_name"], asked["schema_name"], asked["name"])
    is_external = str(asked.get("volume_type", "MANAGED")).upper() == "EXTERNAL"
    location = f" LOCATION {quote_text(str(asked.get('storage_location')))}" if is_external else ""
    runs.query(f"CREATE {'EXTERNAL ' * is_external}VOLUME {name}{location}{_comment(asked)}")
    return _volume(runs.query(f"DESCRIBE VOLUME {name}")[0])


def drop_volume(runs: QueryRunner, asked: dict[str, Any]) -> Any:
    runs.query(f"DROP VOLUME {_full(asked)}")
    return {}


def functions(runs: QueryRunner, asked: dict[str, Any]) -> Any:
    inside, name = str(asked["catalog_name"]), str(asked["schema_name"])
    rows = runs.query(f"SHOW USER FUNCTIONS IN {_name(inside, name)}")
    names = [str(row["function"]).rsplit(".", 1)[-1] for row in rows]
    return {
        "functions": [
            {"name": item, "catalog_name": inside, "schema_name": name, "full_name": f"{inside}.{name}.{item}"}
            for item in names
        ]
    }


def metastore(runs: QueryRunner, asked: dict[str, Any]) -> Any:
    return {"metastore_id": "00000000-0000-0000-0000-000000000000", "name": "deltasql", "default_catalog_name": "main"}


_Work = Callable[[Any, dict[str, Any]], Any]
ROUTES: list[tuple[str, str, _Work]] = [
    ("GET", f"{_PREFIX}/catalogs", catalogs),
    ("POST", f"{_PREFIX}/catalogs", create_catalog),
    ("GET", f"{_PREFIX}/catalogs/{{name}}", catalog),
    ("DELETE", f"{_PREFIX}/catalogs/{{name}}", drop_catalog),
    ("GET", f"{_PREFIX}/schemas", schemas),
    ("POST", f"{_PREFIX}/schemas", create_schema),
    ("GET", f"{_PREFIX}/schemas/{{name}}", schema),
    ("DELETE", f"{_PREFIX}/schemas/{{name}}", drop_schema),
    ("GET", f"{_PREFIX}/tables", tables),
    ("GET", f"{_PREFIX}/table-summaries", table_summaries),
    ("GET", f"{_PREFIX}/tables/{{name}}", table),
    ("GET", f"{_PREFIX}/tables/{{name}}/exists", table_exists),
    ("DELETE", f"{_PREFIX}/tables/{{name}}", drop_table),
    ("GET", f"{_PREFIX}/volumes", volumes),
    ("POST", f"{_PREFIX}/volumes", create_volume),
    ("GET", f"{_PREFIX}/volumes/{{name}}", volume),
    ("DELETE", f"{_PREFIX}/volumes/{{name}}", drop_volume),
    ("GET", f"{_PREFIX}/functions", functions),
    ("GET", f"{_PREFIX}/metastore_summary", metastore),
    ("GET", f"{_PREFIX}/current-metastore-assignment", metastore),
]
"""Methods, paths and what answers them."""
