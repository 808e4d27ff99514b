"""Servers that are none of a catalog, or are out of order."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress


@contextmanager
def answering(serve: Callable[[socket.socket], None]) -> Iterator[int]:
    """The port of a server that does `serve` with each connection, and then closes it."""
    listener = socket.create_server(("127.0.0.1", 0))
    ended = threading.Event()

    def loop() -> None:
        while not ended.is_set():
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=one, args=(connection,), daemon=True).start()

    def one(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            serve(connection)

    threading.Thread(target=loop, daemon=True).start()
    try:
        yield listener.getsockname()[1]
    finally:
        ended.set()
        listener.close()


def close(connection: socket.socket) -> None:
    """Reads a request and says nothing."""
    connection.recv(1024)


def wait(connection: socket.socket) -> None:
    """Never answers."""
    with suppress(OSError):
        while connection.recv(1024):
            pass


def http(status: str, text: str, content: str = "text/html") -> Callable[[socket.socket], None]:
    """Answers each request as a server of the web does."""

    def serve(connection: socket.socket) -> None:
        connection.recv(65536)
        head = f"HTTP/1.1 {status}\r\nContent-Type: {content}\r\nContent-Length: {len(text.encode())}\r\n"
        connection.sendall(f"{head}Connection: close\r\n\r\n{text}".encode())

    return serve


def aws(status: str, code: str, message: str) -> Callable[[socket.socket], None]:
    """Answers as AWS does to a request that it refuses."""
    return http(status, json.dumps({"__type": code, "message": message}), "application/x-amz-json-1.1")
