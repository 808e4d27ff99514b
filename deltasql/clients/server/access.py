"""Authentication and identification of clients: the server's token, and client ids in the headers of calls.

A client gets its id both as a cookie and as a bearer token: JDBC drivers return the former, ADBC drivers the latter.
"""

from __future__ import annotations

import base64
import binascii
import hmac
from collections.abc import Mapping, Sequence
from http.cookies import CookieError, SimpleCookie
from typing import Any

import pyarrow.flight as fl

from deltasql.base.errors.server import AuthenticationError
from deltasql.clients.server.clients import Client, Clients
from deltasql.clients.server.messages import answered
from deltasql.clients.server.statements import keeps_zones

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

    def __init__(self, clients: Clients, token: str | None) -> None:
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
            raise AuthenticationError(how=_HOW)
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
