"""`python -m tests.metastores.glue_server PORT`: moto's Glue, which compares versions of tables as AWS does.

By itself moto ignores VersionId, and drops a database with its tables at once but finds them again in a new one.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
import urllib.error
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

from tests.metastores.hive_server import free_port
from tests.stores.moto_server import DIRECT

_ROOT = Path(__file__).parents[2]


@contextmanager
def serving() -> Iterator[str]:
    """The address of a server that runs in a process of its own. Raises ChildProcessError where moto is incomplete."""
    port = free_port()
    command = [sys.executable, "-m", "tests.metastores.glue_server", str(port)]
    server = subprocess.Popen(command, cwd=_ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait_for(port, server)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.kill()
        server.wait()


def _wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise ChildProcessError(f"moto ended at once, with {server.returncode}: is the extra 'test' installed?")
        try:
            with DIRECT.open(f"http://127.0.0.1:{port}/moto-api/", timeout=1):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise ChildProcessError("moto does not answer")


def _compare_versions() -> None:
    """Has moto's UpdateTable refuse the version of a table that is no longer its last one, one request at a time."""
    from moto.core.exceptions import JsonRESTError
    from moto.core.responses import ActionResult
    from moto.glue.responses import GlueResponse

    update, lock = GlueResponse.update_table, Lock()

    def compared(self: Any) -> ActionResult:
        wanted = json.loads(self.body)
        with lock:
            table = self.glue_backend.get_table(wanted["DatabaseName"], wanted["TableInput"]["Name"])
            if wanted.get("VersionId") not in {None, table.as_dict()["VersionId"]}:
                raise JsonRESTError("ConcurrentModificationException", "Update table failed due to concurrent changes.")
            return update(self)

    setattr(GlueResponse, "update_table", compared)  # noqa: B010 - mypy allows no other way


if __name__ == "__main__":
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
    from werkzeug.serving import run_simple

    _compare_versions()
    socket.setdefaulttimeout(60)
    application = DomainDispatcherApplication(create_backend_app)
    run_simple("127.0.0.1", int(sys.argv[1]), application, threaded=True, request_handler=MotoRequestHandler)
