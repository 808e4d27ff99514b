"""`python -m tests.metastores.glue_server PORT`: moto's Glue, which compares versions of tables as AWS does.

By itself moto ignores VersionId, and drops a database with its tables at once but finds them again in a new one.
"""

from __future__ import annotations

import json
import socket
import sys
from threading import Lock
from typing import Any


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
