"""Spark as processes of its own, out of the PySpark that is installed: a standalone cluster, a Spark Connect server."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

import pyspark

from tests.stores.moto_server import free_port

HOST = "127.0.0.1"
_SECONDS = 90.0
_SMALL = {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.memory": "1g",
    "spark.executor.memory": "1g",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.warehouse.dir": "unused-warehouse",
}


class Server:
    """A process with a log, in `place`; it sees an empty folder where `hidden` is, and starts `python` for workers."""

    def __init__(
        self,
        command: list[str],
        place: Path,
        hidden: Path | None = None,
        host: str = HOST,
        python: str = sys.executable,
    ) -> None:
        if hidden is not None:
            # The executors that a worker starts see what it sees.
            mounted = 'mount -t tmpfs none "$0" && exec "$@"'
            command = ["unshare", "-m", "sh", "-c", mounted, str(hidden), *command]
        place.mkdir(parents=True)
        self.log = place / "log"
        home = str(Path(pyspark.__file__).parent)
        own = {
            "SPARK_HOME": home,
            "SPARK_LOCAL_IP": host,
            "SPARK_WORKER_DIR": str(place / "work"),
            "SPARK_DAEMON_MEMORY": "512m",
            "PYSPARK_PYTHON": python,
        }
        with self.log.open("wb") as out:
            self.process = subprocess.Popen(
                [part.replace("SPARK_HOME", home) for part in command],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                cwd=place,
                env={**os.environ, **own},
                start_new_session=True,
            )

    def wait_for(self, text: str) -> None:
        """Returns when the log has this text."""
        deadline = time.monotonic() + _SECONDS
        while text not in (log := self.log.read_text(errors="replace")):
            assert self.process.poll() is None, log
            assert time.monotonic() < deadline, log
            time.sleep(0.1)

    def stop(self) -> None:
        """Ends the process and all that it has started."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@contextmanager
def cluster(
    place: Path, hidden: Path | None = None, workers: int = 1, memory: str = "2g", cores: int = 2
) -> Iterator[str]:
    """The address of a standalone master, whose workers have `cores` each and do not see the files in `hidden`."""
    port = free_port()
    address = f"spark://{HOST}:{port}"
    start, ui = "SPARK_HOME/bin/spark-class", ["--webui-port", "0"]
    at = ["--host", HOST, "--port", str(port), *ui]
    servers = [Server([start, "org.apache.spark.deploy.master.Master", *at], place / "master")]
    try:
        servers[0].wait_for("I have been elected leader")
        for number in range(1, workers + 1):
            # A host for each, because Spark tries a task a second time on another host only.
            size = ["--host", f"127.0.0.{number}", "--cores", str(cores), "--memory", memory]
            command = [start, "org.apache.spark.deploy.worker.Worker", *size, *ui, address]
            servers.append(Server(command, place / f"worker{number}", hidden, f"127.0.0.{number}"))
        for server in servers[1:]:
            server.wait_for("Successfully registered")
        yield address
    finally:
        for server in reversed(servers):
            server.stop()


@contextmanager
def connect_server(place: Path, hidden: Path | None = None, python: str = sys.executable) -> Iterator[str]:
    """The address of a Spark Connect server over a local Spark of two cores, which does not see `hidden`."""
    port = free_port()
    settings = {**_SMALL, "spark.connect.grpc.binding.port": str(port), "spark.connect.grpc.binding.address": HOST}
    given = [part for key, value in settings.items() for part in ("--conf", f"{key}={value}")]
    started = ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "--master", "local[2]"]
    server = Server(["SPARK_HOME/bin/spark-submit", *started, *given, "spark-internal"], place, hidden, python=python)
    try:
        server.wait_for("Spark Connect server started")
        yield f"sc://{HOST}:{port}"
    finally:
        server.stop()


@cache
def why_no_namespace() -> str:
    """Why no process can have a disk of its own here; "" where it can."""
    if shutil.which("unshare") is None:
        return "there is no unshare"
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", "mount -t tmpfs none /mnt"], capture_output=True, text=True, check=False
    )
    return "" if done.returncode == 0 else f"a mount namespace is not allowed: {done.stderr.strip()}"


def why_no_java() -> str:
    return "" if shutil.which("java") or "JAVA_HOME" in os.environ else "there is no Java"
