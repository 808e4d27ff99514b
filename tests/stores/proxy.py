"""A HTTP proxy that counts what goes through it, and answers late, wrongly or not at all when it is told to."""

from __future__ import annotations

import http.client
import random
import threading
import time
from collections.abc import Callable
from enum import Enum, auto
from http.server import BaseHTTPRequestHandler
from types import TracebackType
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from tests.stores.tiny_s3 import Server

_OF_ONE_CONNECTION = {"connection", "keep-alive", "transfer-encoding", "content-length"}


class Fate(Enum):
    """What becomes of a request. Those named `AFTER` have reached the server when they fail, as has one that is `CUT`.

    `TWICE` reaches it two times, and the second answer is given; of a `CUT` answer half of the bytes come.
    """

    PASS = auto()
    DELAY = auto()
    BUSY = auto()
    DROP_BEFORE = auto()
    DROP_AFTER = auto()
    ERROR_AFTER = auto()
    BUSY_AFTER = auto()
    CONFLICT = auto()
    ERROR = auto()
    TWICE = auto()
    CUT = auto()


_REFUSALS = {
    Fate.BUSY: (503, b"<Error><Code>SlowDown</Code></Error>"),
    Fate.CONFLICT: (409, b"<Error><Code>ConditionalRequestConflict</Code></Error>"),
    Fate.ERROR: (500, b"<Error><Code>InternalError</Code></Error>"),
}
_LATE_REFUSALS = {Fate.BUSY_AFTER: Fate.BUSY, Fate.ERROR_AFTER: Fate.ERROR}


class Request(NamedTuple):
    """`path` is decoded and without the query; `is_condition` says of a put that it must create its object.

    `is_copy` says of a put that it copies another object.
    """

    method: str
    path: str
    query: str
    is_condition: bool
    is_copy: bool = False


Rule = Callable[[Request], Fate]


class Proxy:
    """Stands before the server at `upstream`; used in `with`. `rule` says of each request what becomes of it."""

    def __init__(self, upstream: str, rule: Rule = lambda request: Fate.PASS) -> None:
        self.rule = rule
        self._upstream = urlsplit(upstream).netloc
        self._seen: list[Request] = []
        self._lock = threading.Lock()
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # Head and body of an answer go together.
            wbufsize = -1

            def relay(self) -> None:
                proxy._relay(self)

            do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = relay

            def handle_expect_100(self) -> bool:
                """Amazon's SDK for Java waits for this three seconds with each body that it sends."""
                super().handle_expect_100()
                self.wfile.flush()
                return True

            def log_message(self, *_: object) -> None:
                pass

        self._server = Server(("127.0.0.1", 0), Handler)
        self.endpoint = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Proxy:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()

    def requests(self) -> list[Request]:
        """What came since the last call, in the order of arrival."""
        with self._lock:
            seen, self._seen = self._seen, []
        return seen

    def _relay(self, client: BaseHTTPRequestHandler) -> None:
        body = client.rfile.read(int(client.headers.get("Content-Length") or 0))
        target = urlsplit(client.path)
        is_condition = client.headers.get("If-None-Match") == "*"
        is_copy = "x-amz-copy-source" in client.headers
        request = Request(client.command, unquote(target.path), target.query, is_condition, is_copy)
        with self._lock:
            self._seen.append(request)
            fate = self.rule(request)
        if fate is Fate.DELAY:
            time.sleep(0.1)
        if fate in _REFUSALS:
            return _answer(client, *_REFUSALS[fate])
        if fate is Fate.DROP_BEFORE:
            client.close_connection = True
            return None
        if fate is Fate.TWICE:
            self._forwarded(client, body)
        status, headers, data = self._forwarded(client, body)
        if fate is Fate.DROP_AFTER:
            client.close_connection = True
            return None
        if fate in _LATE_REFUSALS:
            return _answer(client, *_REFUSALS[_LATE_REFUSALS[fate]])
        return _answer(client, status, data, headers, cut=fate is Fate.CUT)

    def _forwarded(self, client: BaseHTTPRequestHandler, body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
        connection = http.client.HTTPConnection(self._upstream, timeout=300)
        try:
            headers = {name: value for name, value in client.headers.items() if name.lower() != "connection"}
            connection.request(client.command, client.path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.getheaders(), answer.read()
        finally:
            connection.close()


def _answer(
    client: BaseHTTPRequestHandler,
    status: int,
    data: bytes,
    headers: list[tuple[str, str]] | None = None,
    *,
    cut: bool = False,
) -> None:
    client.send_response_only(status)
    length = str(len(data))
    for name, value in headers or []:
        if name.lower() == "content-length" and client.command == "HEAD":
            length = value
        if name.lower() not in _OF_ONE_CONNECTION:
            client.send_header(name, value)
    client.send_header("Content-Length", length)
    client.end_headers()
    if client.command != "HEAD":
        client.wfile.write(data[: len(data) // 2] if cut else data)
    client.close_connection = client.close_connection or cut


def bad_weather(seed: int, share: float = 0.15) -> Rule:
    """Of so many requests, whatever they ask, the answer is late, a refusal or lost; by chance, but repeatably."""
    chance = random.Random(seed)
    troubles = [fate for fate in Fate if fate not in {Fate.PASS, Fate.CONFLICT}]
    return lambda request: chance.choice(troubles) if chance.random() < share else Fate.PASS


def once(fate: Fate, applies: Callable[[Request], bool]) -> Rule:
    """The first request for each path that `applies` says yes to has this fate."""
    met: set[tuple[str, str]] = set()

    def rule(request: Request) -> Fate:
        key = (request.method, request.path)
        if key in met or not applies(request):
            return Fate.PASS
        met.add(key)
        return fate

    return rule
