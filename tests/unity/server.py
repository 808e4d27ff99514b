"""A small Unity Catalog server, written from its specification: real HTTP, real JSON, all state in memory.

Source: unitycatalog/unitycatalog, api/all.yaml, api/delta.yaml, spec/protocols/ManagedTablesSpec.md.
"""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from tests.unity.state import Answer, Catalogs

API = "/api/2.1/unity-catalog"


@dataclass
class Faults:
    """Network faults of the test server. `lost`: every request whose path holds the text loses its answer once."""

    lost: str | None = None
    twice: str | None = None
    """Requests that arrive two times; the second answer is sent."""
    late: float = 0.0
    """Seconds before an answer is sent."""
    deaf: bool = False
    """No request is answered, before the client hangs up."""
    busy: int = 0
    """As many of the next requests are answered with 503."""


@dataclass
class UnityServer:
    """A running server. `token` is what clients must send, None for a server without authorization."""

    catalogs: Catalogs
    token: str | None = None
    faults: Faults = field(default_factory=Faults)
    requests: list[str] = field(default_factory=list)
    """Method and path of each request, below the root of the API."""
    tokens_given: int = 0
    token_seconds: float = 3600.0
    uri: str = ""

    def __post_init__(self) -> None:
        self.lock = threading.RLock()
        self.seen: Counter[str] = Counter()
        self.given: dict[str, float] = {}

    def counted(self, text: str = "") -> int:
        """The number of requests whose method and path hold a text."""
        return sum(text in request for request in self.requests)

    def is_allowed(self, header: str | None) -> bool:
        if self.token is None:
            return True
        given = (header or "").removeprefix("Bearer ")
        return given == self.token or self.given.get(given, 0.0) > time.monotonic()

    def new_token(self) -> str:
        with self.lock:
            self.tokens_given += 1
            token = f"access-token-{self.tokens_given}-of-the-test"
            self.given[token] = time.monotonic() + self.token_seconds
        return token


class _Handler(BaseHTTPRequestHandler):
    server_of_tests: UnityServer
    protocol_version = "HTTP/1.1"

    def _handle(self) -> None:
        server = self.server_of_tests
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = urlsplit(self.path)
        if parts.path == "/oauth/token":
            return self._token(body)
        name = f"{self.command} {unquote(parts.path.removeprefix(API))}"
        server.requests.append(name + (f"?{parts.query}" if parts.query else ""))
        faults = server.faults
        if faults.deaf:
            time.sleep(60)
            return None
        if faults.busy > 0:
            faults.busy -= 1
            return self._send(Answer(503, {"error": {"message": "busy", "type": "Unavailable", "code": 503}}))
        if not server.is_allowed(self.headers.get("Authorization")):
            return self._send(Answer.error(401, "NotAuthorizedException", "the token is not valid"))
        query = {key: values[-1] for key, values in parse_qs(parts.query).items()}
        path = tuple(unquote(part) for part in parts.path.removeprefix(API).strip("/").split("/"))
        answer = server.catalogs.answer(self.command, path, query, json.loads(body or b"{}"))
        if faults.twice is not None and faults.twice in name:
            answer = server.catalogs.answer(self.command, path, query, json.loads(body or b"{}"))
        time.sleep(faults.late)
        with server.lock:
            server.seen[name + str(hash(body))] += 1
            first = server.seen[name + str(hash(body))] % 2 == 1
        if faults.lost is not None and faults.lost in name and first:
            self.close_connection = True
            self.connection.close()
            return None
        return self._send(answer)

    do_GET = do_POST = do_DELETE = do_PATCH = _handle  # noqa: N815 - names of http.server

    def _token(self, body: bytes) -> None:
        import base64

        server = self.server_of_tests
        client = base64.b64decode(self.headers.get("Authorization", "").removeprefix("Basic ")).decode()
        form = parse_qs(body.decode())
        if client != "me:client-secret-of-the-test" or form.get("grant_type") != ["client_credentials"]:
            return self._send(Answer(401, {"error": "invalid_client"}))
        return self._send(
            Answer(
                200, {"access_token": server.new_token(), "token_type": "bearer", "expires_in": server.token_seconds}
            )
        )

    def _send(self, answer: Answer) -> None:
        data = b"" if answer.body is None else json.dumps(answer.body).encode()
        if isinstance(answer.body, str):
            data = answer.body.encode()
        try:
            self.send_response(answer.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
        except OSError:
            self.close_connection = True

    def log_message(self, *_: Any) -> None:
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that has hung up, or whose answer was lost, is no error."""


@contextmanager
def running(catalogs: Catalogs, token: str | None = None) -> Iterator[UnityServer]:
    """Context: a server on a free port of this machine."""
    unity = UnityServer(catalogs, token)
    handler = type("Handler", (_Handler,), {"server_of_tests": unity})
    server = _Server(("127.0.0.1", 0), handler)
    unity.uri = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=lambda: server.serve_forever(poll_interval=0.02), daemon=True)
    thread.start()
    try:
        yield unity
    finally:
        server.shutdown()
        server.server_close()
