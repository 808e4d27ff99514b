"""The tables of a Unity Catalog as its server describes them, by location for those that the session has looked up.

Tables of other formats have data sources, which the older API describes.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import RLock
from typing import Any, TypeVar

from deltasql.catalog.entries import TableSource
from deltasql.catalog.store import TableKey
from deltasql.log import TableCommits, table_location
from deltasql.schema import StructField, StructType, field_from_json

_T = TypeVar("_T")

_FRESH = 2.0
"""Seconds for which the answer to a look-up of a name also is the answer to the question for the latest version."""


@dataclass(frozen=True, slots=True)
class UnityTable:
    """One table. `details` is its metadata in the Delta API, empty for a table that was found by the older one."""

    key: TableKey
    id: str
    location: str
    managed: bool
    created_at: int
    commits: TableCommits | None = None
    details: Mapping[str, Any] = field(default_factory=dict, repr=False)
    source: TableSource | None = None
    """The data source of a table of another format."""
    staged: str | None = None
    """The location as the server has chosen it, of a table that has a place and no name yet."""


def loaded(key: TableKey, answer: Mapping[str, Any]) -> UnityTable:
    """A table of an answer of the Delta API. Raises KeyError, TypeError, ValueError for an answer of another shape."""
    details = answer["metadata"]
    managed = details["table-type"] == "MANAGED"
    latest = answer.get("latest-table-version")
    commits = {int(item["version"]): _file(item["file-name"]) for item in answer.get("commits") or ()}
    state = TableCommits(int(latest), commits) if managed and latest is not None else None
    place = table_location(str(details["location"]))
    return UnityTable(key, str(details["table-uuid"]), place, managed, int(details["created-time"]), state, details)


def listed(info: Mapping[str, Any]) -> UnityTable:
    """A table of an answer of the older API. Raises KeyError, TypeError, ValueError."""
    key = (str(info["catalog_name"]).lower(), str(info["schema_name"]).lower(), str(info["name"]).lower())
    place = table_location(str(info.get("storage_location") or ""))
    managed = info.get("table_type") == "MANAGED"
    source = source_of(info) if info.get("data_source_format") in READABLE else None
    return UnityTable(key, str(info["table_id"]), place, managed, int(info.get("created_at") or 0), source=source)


def _file(name: Any) -> str:
    if not isinstance(name, str) or "/" in name:
        raise ValueError(f"{name!r} is no name of a staged commit")
    return name


def around(places: Mapping[str, _T], location: str) -> _T | None:
    """The entry of a location, or of the nearest folder around it; None if there is none."""
    place = location
    while place not in places and "/" in place:
        place = place.rpartition("/")[0]
    return places.get(place)


class KnownTables:
    """The tables that a session has looked up, by location. Safe for threads."""

    def __init__(self) -> None:
        self._tables: dict[str, UnityTable] = {}
        self._fresh: dict[str, float] = {}
        self._lock = RLock()

    def remember(self, table: UnityTable, *, fresh: bool = False) -> UnityTable:
        """Remembers a table; `fresh`: the next question for its latest version is answered by it as well."""
        with self._lock:
            self._tables[table.location] = table
            if fresh:
                self._fresh[table.location] = time.monotonic()
            else:
                self._fresh.pop(table.location, None)
        return table

    def notice(self, table: UnityTable) -> UnityTable:
        """Remembers a table of a listing, unless more is known of it."""
        with self._lock:
            known = self._tables.get(table.location)
            if known is None or known.id != table.id:
                self._tables[table.location] = table
        return table

    def at(self, location: str) -> UnityTable | None:
        """The table at a location; None if no look-up has found one there."""
        return self._tables.get(location)

    def around(self, location: str) -> UnityTable | None:
        """The table that a location belongs to, such as that of a file of the table."""
        return around(self._tables, location)

    def taken_fresh(self, location: str) -> UnityTable | None:
        """The table if its look-up is a moment ago; the second question is not answered by it."""
        with self._lock:
            since = self._fresh.pop(location, None)
        return self._tables.get(location) if since is not None and time.monotonic() - since < _FRESH else None

    def forget(self, location: str) -> None:
        with self._lock:
            self._tables.pop(location, None)
            self._fresh.pop(location, None)


READABLE = frozenset({"CSV", "JSON", "PARQUET", "ORC", "TEXT", "AVRO"})
"""Formats of the API that a data source reads."""


def source_of(info: Mapping[str, Any]) -> TableSource:
    """The data source of a table whose format is READABLE. Raises KeyError, TypeError, ValueError for damaged JSON."""
    columns = sorted(info.get("columns") or (), key=lambda item: item.get("position") or 0)
    partitioned = [item for item in columns if item.get("partition_index") is not None]
    fields = tuple(map(_field, columns))
    return TableSource(
        str(info["data_source_format"]).lower(),
        {},
        StructType(fields) if fields else None,
        tuple(str(item["name"]) for item in sorted(partitioned, key=lambda item: int(item["partition_index"]))),
        info.get("comment"),
        {str(key): str(value) for key, value in (info.get("properties") or {}).items()},
    )


def _field(column: Mapping[str, Any]) -> StructField:
    """A column; its JSON is that of a field of a schema, or of the type alone."""
    found = json.loads(column["type_json"])
    document = found if isinstance(found, dict) and "name" in found else {"type": found}
    given = {"nullable": column.get("nullable", True), "metadata": {}, **document, "name": column["name"]}
    return field_from_json(given)
