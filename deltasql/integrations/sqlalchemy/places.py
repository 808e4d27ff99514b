"""URLs of warehouses, with connection options.

deltasql:///warehouse, deltasql:////data/warehouse, deltasql:///s3://bucket/warehouse?storage.aws_region=eu-west-1
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import exc
from sqlalchemy.engine import URL

_STORAGE = "storage."
_KEYS = ("catalog", "schema", "spark", "engine", "autocommit")


def arguments_of(url: URL) -> dict[str, Any]:
    """The keyword arguments of `dbapi.connect`. Raises ArgumentError."""
    if url.host or url.username:
        raise exc.ArgumentError(
            "A warehouse is a place and no server: deltasql:///relative/path, deltasql:////absolute/path, "
            "deltasql:///s3://bucket/path."
        )
    query = _query(url)
    arguments: dict[str, Any] = {"warehouse": url.database or "warehouse"}
    arguments |= {key: query[key] for key in ("catalog", "schema", "spark", "engine") if key in query}
    if "autocommit" in query:
        arguments["autocommit"] = _flag(query["autocommit"])
    storage = {key.removeprefix(_STORAGE): value for key, value in query.items() if key.startswith(_STORAGE)}
    return {**arguments, "storage_options": storage} if storage else arguments


def _query(url: URL) -> dict[str, str]:
    """The query parameters of the URL; of repeated ones the last value. Raises ArgumentError for unknown ones."""
    query = {key: value if isinstance(value, str) else value[-1] for key, value in url.query.items()}
    unknown = sorted(key for key in query if key not in _KEYS and not key.startswith(_STORAGE))
    if unknown:
        names = ", ".join((*_KEYS, f"{_STORAGE}…"))
        raise exc.ArgumentError(f"A URL of deltasql has no {', '.join(unknown)}. It has {names}.")
    return query


def _flag(text: str) -> bool:
    if text.lower() not in {"true", "false"}:
        raise exc.ArgumentError(f"autocommit is true or false, not {text}.")
    return text.lower() == "true"
