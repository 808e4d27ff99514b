"""Credentials that a Unity Catalog lends for the storage of its tables: fetched when needed, renewed in time."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from datetime import datetime, timezone
from threading import Lock
from typing import Any, TypeAlias

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.errors.external_catalog import CatalogAccessError, CatalogRequestError
from deltasql.base.errors.secrets import conceal, reveal
from deltasql.catalog.external.unity.client import UnityClient
from deltasql.catalog.external.unity.tables import KnownTables, UnityTable, around
from deltasql.log.storage.credentials import Lent

_MARGIN = 300.0
"""Seconds before their end at which credentials are renewed, at most a third of the time that they are valid."""
_UNATTENDED = 2700.0
"""Seconds of validity that remain for work that cannot renew them, such as a job of Spark's executors; at most half of
the time that they are valid."""
_OPTIONS = {
    "s3.access-key-id": "aws_access_key_id",
    "s3.secret-access-key": "aws_secret_access_key",
    "s3.session-token": "aws_session_token",
    "azure.sas-token": "azure_storage_sas_key",
    "gcs.oauth-token": "google_oauth_token",
}
"""Options of obstore by the names of the Delta API; Google's token has none of obstore's."""
_OF_OLDER = {
    ("aws_temp_credentials", "access_key_id"): "aws_access_key_id",
    ("aws_temp_credentials", "secret_access_key"): "aws_secret_access_key",
    ("aws_temp_credentials", "session_token"): "aws_session_token",
    ("azure_user_delegation_sas", "sas_token"): "azure_storage_sas_key",
    ("gcp_oauth_token", "oauth_token"): "google_oauth_token",
}


_Answered: TypeAlias = tuple[Mapping[str, str], "datetime | None"]
"""Options of obstore, and when they expire."""


class LentCredentials:
    """The credentials for one table: `Lent` of `log.storage.lending`."""

    def __init__(self, name: str, fetch: Callable[[str], _Answered]) -> None:
        self.name = name
        self._fetch = fetch
        self._operation = "READ_WRITE"
        self._options: Mapping[str, str] = {}
        self._replaced: Mapping[str, str] = {}
        self._expires: datetime | None = None
        self._renew_at = self._renew_unattended_at = 0.0
        self._lock = Lock()

    def options(self, *, unattended: bool = False) -> tuple[Mapping[str, str], datetime | None]:
        """The current options, and when they expire. Raises a DeltaSqlError."""
        with self._lock:
            if time.time() >= (self._renew_unattended_at if unattended else self._renew_at):
                self._renew()
            return self._options, self._expires

    def _renew(self) -> None:
        try:
            options, expires = self._fetch(self._operation)
        except CatalogAccessError:
            if self._operation == "READ":
                raise
            # Who may not write may still read.
            options, expires = self._fetch("READ")
            self._operation = "READ"
        except DeltaSqlError:
            # The old ones are valid for a while.
            if self._expires is None or time.time() >= self._expires.timestamp() - 1:
                raise
            return
        # Those that are replaced are valid for a while, and in use.
        for value in _secrets(self._replaced):
            reveal(value)
        for value in (*_secrets(self._options), *_secrets(options)):
            conceal(value)
        self._replaced, self._options = self._options, options
        if expires is None:
            self._expires, self._renew_at, self._renew_unattended_at = None, float("inf"), float("inf")
            return
        self._expires, end = expires, expires.timestamp()
        left = max(end - time.time(), 0)
        self._renew_at, self._renew_unattended_at = end - min(_MARGIN, left / 3), end - min(_UNATTENDED, left / 2)


def _secrets(options: Mapping[str, str]) -> list[str]:
    """The options that are secrets; the id of a key is none."""
    return [value for name, value in options.items() if name != "aws_access_key_id"]


def lent_options(answer: Mapping[str, Any]) -> _Answered:
    """Options and end of the credentials of an answer, of either API. Raises KeyError, TypeError, ValueError,
    AttributeError, OverflowError, OSError for an answer of another shape."""
    lists = answer.get("storage-credentials")
    if lists:
        best = max(lists, key=lambda item: len(item.get("prefix") or ""))
        options = {_OPTIONS[name]: str(value) for name, value in best["config"].items() if name in _OPTIONS and value}
        return options, _moment(best.get("expiration-time-ms"))
    found = {option: (answer.get(kind) or {}).get(name) for (kind, name), option in _OF_OLDER.items()}
    return {option: str(value) for option, value in found.items() if value}, _moment(answer.get("expiration_time"))


def _moment(milliseconds: Any) -> datetime | None:
    return None if milliseconds is None else datetime.fromtimestamp(int(milliseconds) / 1000, timezone.utc)


class Lender:
    """Lends credentials for the locations of the tables that the session knows."""

    def __init__(self, client: UnityClient, tables: KnownTables) -> None:
        self._client, self._tables = client, tables
        self._lent: dict[str, LentCredentials] = {}
        self._paths: dict[str, LentCredentials] = {}
        self._lock = Lock()

    def lend_path(self, location: str) -> None:
        """Has a place that is to become a table served as well, if the catalog lends credentials for it."""
        with self._lock:
            self._paths[location] = LentCredentials(location, lambda operation: self._of_path(location, operation))

    def at(self, location: str) -> Lent | None:
        """The credentials for a location; None if it belongs to no table of the catalog."""
        table = self._tables.around(location)
        if table is None:
            return around(self._paths, location)
        with self._lock:
            if table.id not in self._lent:
                self._lent[table.id] = LentCredentials(table.id, lambda operation: self._fetched(table, operation))
            return self._lent[table.id]

    def _of_path(self, location: str, operation: str) -> _Answered:
        """The credentials for a place, which may be a table by now; empty if the catalog lends none for places."""
        table = self._tables.around(location)
        if table is not None:
            return self._fetched(table, operation)
        body = {"url": location, "operation": "PATH_CREATE_TABLE"}
        try:
            answer = self._client.post("temporary-path-credentials", operation="lend credentials", body=body)
        except (CatalogRequestError, CatalogAccessError):
            return {}, None
        return self._understood(answer)

    def _fetched(self, table: UnityTable, operation: str) -> _Answered:
        current = self._tables.at(table.location) or table
        named = f"lend credentials for {table.key[2]}"
        if current.staged is not None:
            path = ("delta", "v1", "staging-tables", current.id, "credentials")
            answer = self._client.get(*path, operation=named)
        else:
            body = {"table_id": current.id, "operation": operation}
            answer = self._client.post("temporary-table-credentials", operation=named, body=body)
        return self._understood(answer)

    def _understood(self, answer: Any) -> _Answered:
        try:
            return lent_options(answer or {})
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError, OSError):
            # What the answer has in place of credentials may be a part of them.
            raise self._client.failed("lend credentials", "its answer is of another shape") from None
