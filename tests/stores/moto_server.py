"""`python -m tests.stores.moto_server PORT`: moto, which creates an object only once for all writers as S3 does.

By itself moto looks whether an object is there and writes it in two steps, between which another writer may come.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

_ROOT = Path(__file__).parents[2]
# Whatever proxy the machine has, the server is here.
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class OneWriter:
    """A WSGI application (PEP 3333) that lets one PUT after the other into another one."""

    def __init__(self, application: Callable[..., Iterable[bytes]]) -> None:
        self._application = application
        self._lock = Lock()

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ["REQUEST_METHOD"] != "PUT":
            return self._application(environ, start_response)
        with self._lock:
            return self._application(environ, start_response)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def serving(module: str = "tests.stores.moto_server", page: str = "") -> Iterator[str]:
    """The address of a server that a module runs in a new process, which answers at the path `page`.

    Raises ChildProcessError where moto is incomplete.
    """
    port = free_port()
    command = [sys.executable, "-m", module, str(port)]
    server = subprocess.Popen(command, cwd=_ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait_for(f"http://127.0.0.1:{port}/{page}", server)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.kill()
        server.wait()


def _wait_for(address: str, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise ChildProcessError(f"moto ended at once, with {server.returncode}: is the extra 'test' installed?")
        try:
            with DIRECT.open(address, timeout=1):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise AssertionError("moto does not answer")


if __name__ == "__main__":
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
    from werkzeug.serving import run_simple

    application = OneWriter(DomainDispatcherApplication(create_backend_app))
    run_simple("127.0.0.1", int(sys.argv[1]), application, threaded=True, request_handler=MotoRequestHandler)
