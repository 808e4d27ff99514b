"""Spark as processes of its own, out of the PySpark that is installed: a standalone cluster, a Spark Connect server."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

import pyspark

HOST = "127.0.0.1"
_SECONDS = 90.0
_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
_SMALL = {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.memory": "1g",
    "spark.executor.memory": "1g",
    "spark.sql.warehouse.dir": "unused-warehouse",
}


class Server:
    """A process with a log, in `place`; it sees an empty folder where `hidden` is."""

    def __init__(self, command: list[str], place: Path, hidden: Path | None = None) -> None:
        if hidden is not None:
            # The executors that a worker starts see what it sees.
            mounted = 'mount -t tmpfs none "$0" && exec "$@"'
            command = ["unshare", "-m", "sh", "-c", mounted, str(hidden), *command]
        place.mkdir(parents=True)
        self.log = place / "log"
        home = str(Path(pyspark.__file__).parent)
        own = {
            "SPARK_HOME": home,
            "SPARK_LOCAL_IP": HOST,
            "SPARK_WORKER_DIR": str(place / "work"),
            "SPARK_DAEMON_MEMORY": "512m",
            "PYSPARK_PYTHON": sys.executable,
            "JDK_JAVA_OPTIONS": _JAVA,
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
def cluster(place: Path, hidden: Path | None = None) -> Iterator[str]:
    """The address of a standalone master with one worker of two cores, which does not see the files in `hidden`."""
    port = free_port()
    address = f"spark://{HOST}:{port}"
    program = "SPARK_HOME/bin/spark-class"
    ui = ["--webui-port", "0"]
    named = ["--host", HOST, *ui]
    master = Server([program, "org.apache.spark.deploy.master.Master", "--port", str(port), *named], place / "master")
    try:
        master.wait_for("I have been elected leader")
        size = ["--cores", "2", "--memory", "2g"]
        worker = Server(
            [program, "org.apache.spark.deploy.worker.Worker", *named, *size, address], place / "worker", hidden
        )
        try:
            worker.wait_for("Successfully registered")
            yield address
        finally:
            worker.stop()
    finally:
        master.stop()


@contextmanager
def connect_server(place: Path, hidden: Path | None = None) -> Iterator[str]:
    """The address of a Spark Connect server over a local Spark of two cores, which does not see `hidden`."""
    port = free_port()
    settings = {**_SMALL, "spark.connect.grpc.binding.port": str(port), "spark.connect.grpc.binding.address": HOST}
    given = [part for key, value in settings.items() for part in ("--conf", f"{key}={value}")]
    started = ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "--master", "local[2]"]
    server = Server(["SPARK_HOME/bin/spark-submit", *started, *given, "spark-internal"], place, hidden)
    try:
        server.wait_for("Spark Connect server started")
        yield f"sc://{HOST}:{port}"
    finally:
        server.stop()


def executors(place: Path) -> list[int]:
    """The ids of the processes of the executors that the worker in `place` has started."""
    found = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            words = (entry / "cmdline").read_bytes().split(b"\0")
            if b"org.apache.spark.executor.CoarseGrainedExecutorBackend" in words and str(place).encode() in (
                entry / "environ"
            ).read_bytes():
                found.append(int(entry.name))
    return found


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


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
