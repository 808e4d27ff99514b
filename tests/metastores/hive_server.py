"""A Hive metastore out of PySpark's own jars, with its database in a folder. It starts in some 12 seconds."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from tests.stores.moto_server import free_port

_SETTINGS = {
    "javax.jdo.option.ConnectionURL": "jdbc:derby:;databaseName={place}/names;create=true",
    "datanucleus.schema.autoCreateAll": "true",
    "hive.metastore.schema.verification": "false",
    # Else a class of Log4j is missing.
    "hive.async.log.enabled": "false",
    # The pool that is the default is not among Spark's jars: DROP DATABASE needs none.
    "datanucleus.connectionPoolingType": "none",
    "hive.metastore.warehouse.dir": "{place}/warehouse",
}
_MOST_SECONDS = 120


@contextmanager
def serving(place: Path) -> Iterator[str]:
    """The address of a metastore in a process of its own, whose files are in `place`. Raises ChildProcessError."""
    port, jars = free_port(), _jars()
    conf = place / "conf"
    conf.mkdir()
    properties = "".join(
        f"<property><name>{name}</name><value>{value.format(place=place)}</value></property>"
        for name, value in _SETTINGS.items()
    )
    (conf / "hive-site.xml").write_text(f"<configuration>{properties}</configuration>")
    command = ["java", "-cp", f"{conf}:{jars}/*", "org.apache.hadoop.hive.metastore.HiveMetaStore", "-p", str(port)]
    environment = {**os.environ, "_JAVA_OPTIONS": "-Xmx600m"}
    with (place / "log").open("w") as log:
        server = subprocess.Popen(command, cwd=place, env=environment, stdout=log, stderr=log)
    try:
        _wait_for(port, server, place / "log")
        yield f"thrift://127.0.0.1:{port}"
    finally:
        server.kill()
        server.wait()


def _jars() -> Path:
    spec = find_spec("pyspark")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "jars"


def _wait_for(port: int, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + _MOST_SECONDS
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise ChildProcessError("the metastore ended:\n" + log.read_text(errors="replace")[-2000:])
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise ChildProcessError("the metastore does not listen:\n" + log.read_text(errors="replace")[-2000:])
