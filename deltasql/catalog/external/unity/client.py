"""Requests to a Unity Catalog server: addresses, authorization, retries, lent credentials, and the Delta API's JSON.

Requests are authorized by a token, by OAuth 2.0 client credentials, or not at all. Credentials for the storage of
tables are fetched when needed, and renewed in time. Errors have the words of deltasql.
"""

from __future__ import annotations

import base64
import json
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from http.client import HTTPException
from threading import Lock
from typing import Any, Protocol, TypeAlias
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, Request, build_opener

from deltasql.base import DeltaSqlError, conceal, errors, reveal
from deltasql.catalog.external.routing import CatalogOptions, TableFacts
from deltasql.catalog.external.unity.tables import KnownTables, UnityTable, around
from deltasql.log import Lent

_DATABRICKS = "/oidc/v1/token"
"""The token endpoint of a Databricks workspace, which is the default."""
_SCOPE = "all-apis"
_LIFETIME = 3600.0
"""Seconds that a token is valid if its endpoint does not say so."""
_MARGIN = 60.0
"""Seconds before its end at which a token is renewed; at most a fifth of its lifetime."""

TokenAnswer = Callable[[str, Mapping[str, str], str], Mapping[str, Any]]
"""Asks a token endpoint: address, form, and header of the client; returns the answer."""


class Authorization(Protocol):
    """Makes the header of requests."""

    def header(self) -> str | None:
        """The value of `Authorization`; None for a request without one. Raises CatalogAccessError."""

    def renew(self) -> bool:
        """Whether another header may be accepted, after the server has rejected the last one."""


class FixedToken:
    """A token that the configuration has; None for a server without authorization."""

    def __init__(self, token: str | None) -> None:
        self._token = token

    def header(self) -> str | None:
        return None if self._token is None else f"Bearer {self._token}"

    def renew(self) -> bool:
        return False


class ClientCredentials:
    """Tokens that an endpoint gives for a client's id and secret, renewed before they expire."""

    def __init__(self, options: CatalogOptions, endpoint: str, ask: TokenAnswer) -> None:
        self._endpoint, self._ask = endpoint, ask
        name, secret = (quote(options.options[option], safe="") for option in ("client_id", "client_secret"))
        conceal(encoded := base64.b64encode(f"{name}:{secret}".encode()).decode())
        self._client = f"Basic {encoded}"
        self._scope = options.get("scope") or _SCOPE
        self._token, self._until = "", 0.0
        self._lock = Lock()

    def header(self) -> str | None:
        with self._lock:
            if time.monotonic() >= self._until:
                self._fetch()
            return f"Bearer {self._token}"

    def renew(self) -> bool:
        with self._lock:
            self._until = 0.0
        return True

    def _fetch(self) -> None:
        form = {"grant_type": "client_credentials", "scope": self._scope}
        answer = self._ask(self._endpoint, form, self._client)
        reveal(self._token)
        self._token = answer["access_token"]
        conceal(self._token)
        lifetime = answer.get("expires_in")
        seconds = float(lifetime) if isinstance(lifetime, (int, float)) and lifetime > 0 else _LIFETIME
        self._until = time.monotonic() + seconds - min(_MARGIN, seconds / 5)


def is_address(text: str) -> bool:
    """Whether a text is an address of HTTP, with a host, and without a user or a password."""
    try:
        parts = urlsplit(text)
        # Reading the port checks it.
        is_complete = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    return is_complete and "@" not in parts.netloc and is_header(text) and " " not in text


def is_header(text: str) -> bool:
    """Whether a text can stand in a header of HTTP."""
    return text.isascii() and text.isprintable()


def authorization_of(options: CatalogOptions, uri: str, ask: TokenAnswer) -> Authorization:
    """The authorization that a configuration describes. Raises CatalogConfigurationError."""
    token, client, secret = (options.get(name) for name in ("token", "client_id", "client_secret"))
    if client is None and secret is None:
        if token is not None and not is_header(token):
            raise errors.CatalogConfigurationError(
                catalog=options.name, reason="its token has characters that no header can have"
            )
        return FixedToken(token)
    if token is not None:
        raise errors.CatalogConfigurationError(
            catalog=options.name, reason="it has a token and a client_id: give one of them"
        )
    if client is None or secret is None:
        raise errors.CatalogConfigurationError(
            catalog=options.name, reason="client_id and client_secret belong together"
        )
    endpoint = options.get("oauth_uri") or f"{uri}{_DATABRICKS}"
    if not is_address(endpoint):
        reason = "its oauth_uri is no address such as https://host/path, without a user"
        raise errors.CatalogConfigurationError(catalog=options.name, reason=reason)
    return ClientCredentials(options, endpoint, ask)


API = "/api/2.1/unity-catalog"
TYPE = "unity"
_TIMEOUT = 30.0
"""Seconds for one request with all its tries, unless the option `timeout` is given."""
_TRIES = 3
"""Tries that fit into that time if none of them is answered."""
_LONGEST_PAUSE = 1.0
_PAGE = 1000


class _NoRedirects(HTTPRedirectHandler):
    """Follows no redirect: the token belongs to one server."""

    def redirect_request(self, *_: Any) -> None:
        return None


class UnityClient:
    """Sends requests to one server. A request without an answer is repeated; all requests may be sent twice."""

    def __init__(self, options: CatalogOptions) -> None:
        self.catalog = options.name
        self.uri = options.options["uri"].rstrip("/").removesuffix(API)
        if not is_address(self.uri) or "?" in self.uri or "#" in self.uri:
            reason = "its uri is no address such as https://host:8080, without a user"
            raise errors.CatalogConfigurationError(catalog=options.name, reason=reason)
        self._seconds = options.seconds("timeout", _TIMEOUT)
        self._opener: OpenerDirector = build_opener(_NoRedirects)
        self._authorization: Authorization = authorization_of(options, self.uri, self._token_answer)

    def get(self, *path: str, operation: str, **query: str) -> Any:
        """The answer to GET, which has a body. Raises what `send` raises."""
        answer = self.send("GET", path, operation, query=query)
        if answer is None:
            raise self.failed(operation, "its answer is empty")
        return answer

    def pages(self, *path: str, operation: str, items: str, **query: str) -> Iterator[Any]:
        """The items of all pages of a listing. Raises what `send` raises."""
        token = ""
        while True:
            given = {**query, "max_results": str(_PAGE), **({"page_token": token} if token else {})}
            answer = self.get(*path, operation=operation, **given)
            found = answer.get(items) or []
            if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
                raise self.failed(operation, f"{items} of its answer is no list of objects")
            yield from found
            following = str(answer.get("next_page_token") or "")
            if not following or following == token:
                return
            token = following

    def post(self, *path: str, operation: str, body: Mapping[str, Any]) -> Any:
        """The answer to POST. Raises what `send` raises."""
        return self.send("POST", path, operation, body=body)

    def send(
        self,
        method: str,
        path: tuple[str, ...],
        operation: str,
        *,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, str] | None = None,
    ) -> Any:
        """The answer to a request, as JSON; None without a body. `operation` is for messages.

        Raises CatalogUnavailableError without an answer in time, CatalogAccessError, and CatalogRequestError for other
        answers, with their status and type.
        """
        url = f"{self.uri}{API}/{'/'.join(quote(part, safe='') for part in path)}"
        url += f"?{urlencode(query)}" if query else ""
        data = None if body is None else json.dumps(body).encode()
        return self._sent(method, url, data, operation)

    def _sent(self, method: str, url: str, data: bytes | None, operation: str) -> Any:
        deadline = time.monotonic() + self._seconds
        repeated, renewed, tries = False, False, 0
        while True:
            tries += 1
            status, answer = 0, b""
            try:
                headers = {"Authorization": header} if (header := self._authorization.header()) else {}
                status, answer = self._asked(method, url, data, headers, deadline)
                reason = f"status {status}"
            except (URLError, HTTPException, OSError) as error:
                reason = _reason(error)
            if 200 <= status < 300:
                return self._parsed(answer, operation)
            if status == 401 and not renewed and self._authorization.renew():
                renewed = True
                continue
            if status and not _may_pass(status, answer):
                raise self._refusal(status, answer, operation, repeated=repeated)
            repeated = True
            pause = min(0.05 * 2**tries, _LONGEST_PAUSE) * random.uniform(0.5, 1)
            if time.monotonic() + pause >= deadline:
                seconds = f"{self._seconds:.0f} seconds, {tries} tries"
                raise self._unavailable(f"{_message(answer)[1] or reason} ({seconds})")
            time.sleep(pause)

    def _asked(
        self, method: str, url: str, data: bytes | None, headers: Mapping[str, str], deadline: float
    ) -> tuple[int, bytes]:
        """Status and body of one try. Raises URLError, HTTPException, OSError."""
        given = {"Accept": "application/json", **headers}
        if data is not None:
            given["Content-Type"] = "application/json"
        left = max(min(self._seconds / _TRIES, deadline - time.monotonic()), 0.05)
        try:
            with self._opener.open(Request(url, data, given, method=method), timeout=left) as response:
                return response.status, response.read()
        except HTTPError as error:
            with error:
                return error.code, error.read()

    def _token_answer(self, url: str, form: Mapping[str, str], header: str) -> Mapping[str, Any]:
        """The answer of a token endpoint. Raises CatalogAccessError, CatalogUnavailableError."""
        headers = {"Authorization": header, "Accept": "application/json"}
        request = Request(url, urlencode(form).encode(), headers, method="POST")
        try:
            with self._opener.open(request, timeout=self._seconds / _TRIES) as response:
                answer = json.loads(response.read())
        except HTTPError as error:
            with error:
                reason = f"the token endpoint answers with status {error.code}"
            if error.code >= 500:
                raise self._unavailable(reason) from None
            raise self._denied(reason) from None
        except (URLError, HTTPException, OSError) as error:
            raise self._unavailable(f"no token: {_reason(error)}") from None
        except ValueError:
            raise self._denied("the answer of the token endpoint is no JSON") from None
        if not isinstance(answer, dict) or not isinstance(answer.get("access_token"), str):
            raise self._denied("the answer of the token endpoint has no access_token")
        if not is_header(answer["access_token"]):
            raise self._denied("the token of the token endpoint has characters that no header can have")
        return answer

    def _parsed(self, answer: bytes, operation: str) -> Any:
        if not answer.strip():
            return None
        try:
            value = json.loads(answer)
        except ValueError:
            value = None
        if not isinstance(value, dict):
            raise self.failed(operation, "its answer is no JSON object")
        return value

    def _refusal(self, status: int, answer: bytes, operation: str, *, repeated: bool) -> Exception:
        kind, message = _message(answer)
        reason = message or f"status {status}"
        if status in {401, 403}:
            return self._denied(reason)
        error = self.failed(operation, f"{reason} ({kind})" if kind else reason)
        error.status, error.kind, error.repeated = status, kind, repeated
        return error

    def failed(self, operation: str, reason: str) -> errors.CatalogRequestError:
        """The error for an operation that the server refuses, or answers in a way that cannot be understood."""
        return errors.CatalogRequestError(
            catalog=self.catalog, type=TYPE, uri=self.uri, operation=operation, reason=reason.rstrip(".")
        )

    def _denied(self, reason: str) -> errors.CatalogAccessError:
        return errors.CatalogAccessError(catalog=self.catalog, type=TYPE, uri=self.uri, reason=reason.rstrip("."))

    def _unavailable(self, reason: str) -> errors.CatalogUnavailableError:
        return errors.CatalogUnavailableError(catalog=self.catalog, type=TYPE, uri=self.uri, reason=reason.rstrip("."))


def _may_pass(status: int, answer: bytes) -> bool:
    """Whether the same request may succeed later. Too many unpublished commits do not pass by waiting."""
    if status == 429:
        return _message(answer)[0] != "ResourceExhaustedException"
    return status >= 500 and status != 501


def _message(answer: bytes) -> tuple[str, str]:
    """Type and message of an error; "" for what the answer does not have."""
    try:
        value = json.loads(answer)
        error = value["error"] if isinstance(value.get("error"), dict) else value
        return str(error.get("type") or error.get("error_code") or ""), str(error.get("message") or "")
    except (ValueError, AttributeError, KeyError):
        return "", ""


def _reason(error: Exception) -> str:
    cause = error.reason if isinstance(error, URLError) else error
    if isinstance(cause, TimeoutError):
        return "timed out"
    text = cause.strerror if isinstance(cause, OSError) and cause.strerror else str(cause)
    return text or type(cause).__name__


_CREDENTIALS_MARGIN = 300.0
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
    """The credentials for one table: see `Lent`."""

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
        except errors.CatalogAccessError:
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
        self._renew_at, self._renew_unattended_at = (
            end - min(_CREDENTIALS_MARGIN, left / 3),
            end - min(_UNATTENDED, left / 2),
        )


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
        except (errors.CatalogRequestError, errors.CatalogAccessError):
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


_DERIVED = ("delta.feature.", "delta.minReaderVersion", "delta.minWriterVersion", "delta.clusteringColumns")
_DERIVED_NAMES = {"delta.rowTracking.rowIdHighWaterMark", "delta.lastUpdateVersion", "delta.lastCommitTimestamp"}
"""Properties that the server derives, and that no client sends."""
_NAMES = {
    "elementType": "element-type",
    "containsNull": "contains-null",
    "keyType": "key-type",
    "valueType": "value-type",
    "valueContainsNull": "value-contains-null",
}
"""The API's names of the parts of a type, by those in a schema of the log."""
_DOMAINS = {"delta.clustering": "clusteringColumns", "delta.rowTracking": "rowIdHighWaterMark"}
"""The domains that the API has a shape for, with the one entry of each."""
_PROTOCOL = {
    "minReaderVersion": "min-reader-version",
    "minWriterVersion": "min-writer-version",
    "readerFeatures": "reader-features",
    "writerFeatures": "writer-features",
}


def columns(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of a table, of the JSON of its schema in the log."""
    converted = _type(schema)
    assert isinstance(converted, dict)
    return converted


def _type(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    if value.get("type") == "struct":
        return {"type": "struct", "fields": [_field(field) for field in value["fields"]]}
    return {_NAMES.get(name, name): _type(part) for name, part in value.items()}


def _field(field: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": field["name"],
        "type": _type(field["type"]),
        "nullable": field.get("nullable", True),
        "metadata": dict(field.get("metadata") or {}),
    }


def protocol(action: Mapping[str, Any]) -> dict[str, Any]:
    """A protocol action of the log, in the API's names."""
    return {_PROTOCOL[name]: value for name, value in action.items() if name in _PROTOCOL and value is not None}


def creation(name: str, location: str, facts: TableFacts, *, managed: bool) -> dict[str, Any]:
    """The request that registers a table."""
    domains = {domain: _domain(domain, value) for domain, value in facts.domains.items() if domain in _DOMAINS}
    return {
        "name": name,
        "location": location,
        "table-type": "MANAGED" if managed else "EXTERNAL",
        "columns": columns(facts.schema),
        "partition-columns": list(facts.partition_columns),
        "protocol": protocol(facts.protocol),
        "properties": dict(facts.properties),
        "last-commit-timestamp-ms": facts.timestamp,
        **({"comment": facts.comment} if facts.comment else {}),
        **({"domain-metadata": domains} if domains else {}),
    }


@dataclass(frozen=True, slots=True)
class CommitLines:
    """The actions of a commit that the server wants to know: its time, and changes of what it has of the table."""

    timestamp: int
    metadata: Mapping[str, Any] | None
    protocol: Mapping[str, Any] | None
    domains: Sequence[Mapping[str, Any]]


def read_commit(data: bytes) -> CommitLines:
    """The lines of a commit, of which file actions are not parsed. Raises KeyError, ValueError, TypeError."""
    first, _, rest = data.partition(b"\n")
    found: dict[str, list[Mapping[str, Any]]] = {"metaData": [], "protocol": [], "domainMetadata": []}
    for line in rest.splitlines():
        # The action's name is the first word of its line.
        name = line[:20].partition(b'"')[2].partition(b'"')[0].decode("ascii", "replace")
        if name in found:
            found[name].append(json.loads(line)[name])
    info = json.loads(first)["commitInfo"]
    return CommitLines(
        int(info.get("inCommitTimestamp") or info["timestamp"]),
        found["metaData"][-1] if found["metaData"] else None,
        found["protocol"][-1] if found["protocol"] else None,
        found["domainMetadata"],
    )


def updates(lines: CommitLines, known: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The updates that go with a commit; `known` is the table as the server last described it."""
    if lines.metadata is not None:
        yield from _metadata_updates(lines.metadata, known)
    if lines.protocol is not None:
        yield {"action": "set-protocol", "protocol": protocol(lines.protocol)}
    domains = [item for item in lines.domains if item["domain"] in _DOMAINS]
    kept = {
        item["domain"]: _domain(item["domain"], json.loads(item["configuration"]))
        for item in domains
        if not item.get("removed")
    }
    if kept:
        yield {"action": "set-domain-metadata", "updates": kept}
    removed = [item["domain"] for item in domains if item.get("removed")]
    if removed:
        yield {"action": "remove-domain-metadata", "domains": removed}


def _domain(name: str, configuration: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in configuration.items() if key == _DOMAINS[name]}


def _metadata_updates(metadata: Mapping[str, Any], known: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    new = columns(json.loads(metadata["schemaString"]))
    if new != known.get("columns"):
        yield {"action": "set-columns", "columns": new}
    yield from _property_updates(_own(known.get("properties")), _own(metadata.get("configuration")))
    partitions = list(metadata.get("partitionColumns") or ())
    if partitions != list(known.get("partition-columns") or ()):
        yield {"action": "set-partition-columns", "partition-columns": partitions}
    if (comment := metadata.get("description")) is not None:
        yield {"action": "set-table-comment", "comment": comment}


def _property_updates(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    if changed := {key: value for key, value in after.items() if before.get(key) != value}:
        yield {"action": "set-properties", "updates": changed}
    if removals := [key for key in before if key not in after]:
        yield {"action": "remove-properties", "removals": removals}


def _own(properties: Mapping[str, str] | None) -> dict[str, str]:
    """The properties without those that the server derives."""
    return {key: value for key, value in (properties or {}).items() if not _is_derived(key)}


def _is_derived(key: str) -> bool:
    return key.startswith(_DERIVED) or key in _DERIVED_NAMES


def column_infos(facts: TableFacts) -> list[dict[str, Any]]:
    """The columns of a table for the API of older servers."""
    return [
        {
            "name": field["name"],
            "type_text": _text(field["type"]),
            "type_json": json.dumps(field),
            "type_name": _type_name(field["type"]),
            "position": position,
            "nullable": field.get("nullable", True),
            **_decimal(field["type"]),
            **({"comment": comment} if (comment := (field.get("metadata") or {}).get("comment")) else {}),
            **_partition(facts.partition_columns, field["name"]),
        }
        for position, field in enumerate(facts.schema["fields"])
    ]


_SIMPLE = {
    "byte": ("tinyint", "BYTE"),
    "short": ("smallint", "SHORT"),
    "integer": ("int", "INT"),
    "long": ("bigint", "LONG"),
}


def _type_name(kind: Any) -> str:
    if isinstance(kind, Mapping):
        return str(kind["type"]).upper()
    name = str(kind).partition("(")[0]
    return _SIMPLE[name][1] if name in _SIMPLE else name.upper()


def _text(kind: Any) -> str:
    """A type as SQL writes it."""
    if not isinstance(kind, Mapping):
        return _SIMPLE[kind][0] if kind in _SIMPLE else str(kind)
    match kind["type"]:
        case "array":
            return f"array<{_text(kind['elementType'])}>"
        case "map":
            return f"map<{_text(kind['keyType'])},{_text(kind['valueType'])}>"
        case _:
            fields = ",".join(f"{field['name']}:{_text(field['type'])}" for field in kind["fields"])
            return f"struct<{fields}>"


def _decimal(kind: Any) -> dict[str, int]:
    if not isinstance(kind, str) or not kind.startswith("decimal("):
        return {}
    precision, _, scale = kind.removeprefix("decimal(").rstrip(")").partition(",")
    return {"type_precision": int(precision), "type_scale": int(scale or 0)}


def _partition(partition_columns: Sequence[str], name: str) -> dict[str, int]:
    return {"partition_index": list(partition_columns).index(name)} if name in partition_columns else {}
