"""A server that speaks S3 for a case, and what stands before it to count requests."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

GIVEN = "DELTASQL_TEST_S3"
"""The environment variable that names a running server; else moto is started."""

_DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))
_REQUEST = re.compile(rb"(?:^|\r\n\r\n|\n)(?:GET|PUT|POST|HEAD|DELETE) /[^\r\n]* HTTP/1\.1\r\n")


@dataclass(frozen=True, slots=True)
class Bucket:
    """A new bucket, and the counter of all requests that reach it."""

    name: str
    counter: Counter

    def put(self, key: str, file: Path) -> None:
        """Copies a file into the bucket."""
        url = f"{self.counter.endpoint}/{self.name}/{key}"
        # Without a type it is said to be a form, which moto would take apart.
        kind = {"Content-Type": "application/octet-stream"}
        request = urllib.request.Request(url, data=file.read_bytes(), headers=kind, method="PUT")
        with _DIRECT.open(request, timeout=60):
            pass


@contextmanager
def bucket(name: str) -> Iterator[Bucket]:
    """A bucket; processes that are started meanwhile find it by their environment."""
    with _server() as endpoint, Counter(endpoint) as counter:
        with _DIRECT.open(urllib.request.Request(f"{endpoint}/{name}", method="PUT"), timeout=60):
            pass
        found = {
            "AWS_ENDPOINT_URL": counter.endpoint,
            "AWS_ACCESS_KEY_ID": "benchmark",
            "AWS_SECRET_ACCESS_KEY": "benchmark",
            "AWS_REGION": "us-east-1",
            "AWS_ALLOW_HTTP": "true",
        }
        before = {key: os.environ.get(key) for key in found}
        os.environ.update(found)
        try:
            yield Bucket(name, counter)
        finally:
            for key, value in before.items():
                if value is None:
                    del os.environ[key]
                else:
                    os.environ[key] = value


@contextmanager
def _server() -> Iterator[str]:
    given = os.environ.get(GIVEN)
    if given:
        yield given.rstrip("/")
        return
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "tests.stores.moto_server", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait_for(port)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.kill()
        server.wait()


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError("moto does not answer")


class Counter:
    """Passes bytes to a server and back, and counts the requests among them."""

    def __init__(self, endpoint: str) -> None:
        host, _, port = endpoint.removeprefix("http://").partition(":")
        self._server = host, int(port)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._lock = threading.Lock()
        self._requests = 0
        self.endpoint = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def take(self) -> int:
        """The requests since it was last asked."""
        with self._lock:
            taken, self._requests = self._requests, 0
        return taken

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            server = socket.create_connection(self._server)
            for connection in (client, server):
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._pass, args=(client, server, True), daemon=True).start()
            threading.Thread(target=self._pass, args=(server, client, False), daemon=True).start()

    def _pass(self, source: socket.socket, sink: socket.socket, counts: bool) -> None:
        try:
            while data := source.recv(1 << 16):
                if counts:
                    with self._lock:
                        self._requests += len(_REQUEST.findall(data))
                sink.sendall(data)
        except OSError:
            # One side has gone: so does the other.
            pass
        finally:
            for connection in (source, sink):
                connection.close()

    def __enter__(self) -> Counter:
        return self

    def __exit__(self, *_: object) -> None:
        self._listening.close()
