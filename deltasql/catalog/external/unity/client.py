"""Requests to a Unity Catalog server: addresses, authorization, retries, and errors in deltasql's words."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator, Mapping
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode
from urllib.request import HTTPRedirectHandler, OpenerDirector, Request, build_opener

from deltasql.base.errors.external_catalog import (
    CatalogAccessError,
    CatalogConfigurationError,
    CatalogRequestError,
    CatalogUnavailableError,
)
from deltasql.catalog.external.configuration import CatalogOptions
from deltasql.catalog.external.unity.authorization import Authorization, authorization_of, is_address, is_header

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
            raise CatalogConfigurationError(catalog=options.name, reason=reason)
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

    def failed(self, operation: str, reason: str) -> CatalogRequestError:
        """The error for an operation that the server refuses, or answers in a way that cannot be understood."""
        return CatalogRequestError(
            catalog=self.catalog, type=TYPE, uri=self.uri, operation=operation, reason=reason.rstrip(".")
        )

    def _denied(self, reason: str) -> CatalogAccessError:
        return CatalogAccessError(catalog=self.catalog, type=TYPE, uri=self.uri, reason=reason.rstrip("."))

    def _unavailable(self, reason: str) -> CatalogUnavailableError:
        return CatalogUnavailableError(catalog=self.catalog, type=TYPE, uri=self.uri, reason=reason.rstrip("."))


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
