"""How requests are authorized: not at all, by a token, or by OAuth 2.0 client credentials."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any, Protocol
from urllib.parse import quote, urlsplit

from deltasql.base.errors.external_catalog import CatalogConfigurationError
from deltasql.base.errors.secrets import conceal, reveal
from deltasql.catalog.external.configuration import CatalogOptions

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
            raise CatalogConfigurationError(
                catalog=options.name, reason="its token has characters that no header can have"
            )
        return FixedToken(token)
    if token is not None:
        raise CatalogConfigurationError(catalog=options.name, reason="it has a token and a client_id: give one of them")
    if client is None or secret is None:
        raise CatalogConfigurationError(catalog=options.name, reason="client_id and client_secret belong together")
    endpoint = options.get("oauth_uri") or f"{uri}{_DATABRICKS}"
    if not is_address(endpoint):
        reason = "its oauth_uri is no address such as https://host/path, without a user"
        raise CatalogConfigurationError(catalog=options.name, reason=reason)
    return ClientCredentials(options, endpoint, ask)
