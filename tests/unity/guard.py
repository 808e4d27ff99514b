"""A proxy before a server of S3 that lets only keys through that were lent, for as long as they are valid."""

from __future__ import annotations

import itertools
import re
import time
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.stores.proxy import Proxy, _answer

_EXPIRED = b"<Error><Code>ExpiredToken</Code><Message>The token has expired</Message></Error>"
_KEY = re.compile(r"Credential=(?P<key>[^/]+)/")
_TABLE = re.compile(r"/__unitystorage/tables/(?P<id>[^/?]+)")


class Guard(Proxy):
    """`lend` is the catalog's answer to a request for credentials. A key belongs to the table that first uses it."""

    def __init__(self, upstream: str) -> None:
        super().__init__(upstream)
        self.seconds = 3600.0
        self.valid: dict[str, float] = {}
        self.tables: dict[str, str] = {}
        self.agents: dict[str, set[str]] = {}
        """The clients that have used each key."""
        self.denied: list[str] = []
        self._numbers = itertools.count(1)

    def __enter__(self) -> Guard:
        super().__enter__()
        return self

    def lend(self, *, older: bool = True) -> dict[str, Any]:
        key = f"LENT{next(self._numbers)}"
        self.valid[key] = time.time() + self.seconds
        end, secret, token = int(self.valid[key] * 1000), f"secret-of-{key}", f"token-of-{key}"
        if older:
            keys = {"access_key_id": key, "secret_access_key": secret, "session_token": token}
            return {"aws_temp_credentials": keys, "expiration_time": end}
        config = {"s3.access-key-id": key, "s3.secret-access-key": secret, "s3.session-token": token}
        item = {"prefix": "s3://", "operation": "READ_WRITE", "expiration-time-ms": end, "config": config}
        return {"storage-credentials": [item]}

    def secrets(self) -> list[str]:
        """All that no text may show."""
        return [f"{word}-of-{key}" for key in self.valid for word in ("secret", "token")]

    def keys_of_executors(self) -> list[str]:
        """Keys that the JVM has used."""
        return [key for key, agents in self.agents.items() if any("aws-sdk-java" in agent for agent in agents)]

    def _relay(self, client: BaseHTTPRequestHandler) -> None:
        found = _KEY.search(client.headers.get("Authorization") or "")
        key = found["key"] if found else "nobody"
        table = _TABLE.search(client.path)
        with self._lock:
            self.agents.setdefault(key, set()).add(client.headers.get("User-Agent") or "")
            of_table = self.tables.setdefault(key, table["id"]) if table else None
        fresh = self.valid.get(key, 0.0) > time.time()
        signed = client.headers.get("x-amz-security-token") == f"token-of-{key}"
        if fresh and signed and (table is None or of_table == table["id"]):
            return super()._relay(client)
        self.denied.append(f"{client.command} {client.path} by {key}")
        client.rfile.read(int(client.headers.get("Content-Length") or 0))
        return _answer(client, 403, _EXPIRED)
