"""The JDBC driver of Arrow Flight SQL, with which DBeaver connects, in a JVM of its own that Python drives."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

ORGANISATION, NAME, RELEASE = "org.apache.arrow", "flight-sql-jdbc-driver", "18.3.0"


def _jars() -> Path:
    import pyspark

    return Path(pyspark.__file__).parent / "jars"


def driver_jar(place: Path) -> Path | str:
    """The jar of the driver (44 MB), which Ivy fetches once from its Maven repository; or why it cannot be had."""
    ivy, found = next(_jars().glob("ivy-*.jar"), None), place / "driver"
    if ivy is None:
        return "this PySpark has no Ivy"
    command = ["java", "-jar", str(ivy), "-dependency", ORGANISATION, NAME, RELEASE, "-notransitive"]
    done = subprocess.run(
        [*command, "-confs", "default", "-cachepath", str(found)], capture_output=True, text=True, check=False
    )
    if done.returncode or not found.exists() or not found.read_text().strip():
        return f"{ORGANISATION}:{NAME}:{RELEASE} cannot be fetched"
    return Path(found.read_text().strip())


@contextmanager
def jvm_with(jar: Path) -> Iterator[Any]:
    """A gateway to a JVM with the driver on its class path, in UTC."""
    from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway

    py4j = str(next(_jars().glob("py4j-*.jar")))
    options = ["--add-opens=java.base/java.nio=ALL-UNNAMED", "-XX:TieredStopAtLevel=1", "-Duser.timezone=UTC"]
    # The classes that the tests' other JVMs share are Spark's.
    without = {key: value for key, value in os.environ.items() if key != "JDK_JAVA_OPTIONS"}
    with patch.dict(os.environ, without, clear=True):
        port, process = launch_gateway(
            jarpath=py4j, classpath=str(jar), javaopts=options, die_on_exit=True, return_proc=True
        )
    gateway = JavaGateway(gateway_parameters=GatewayParameters(port=port, auto_convert=True))
    try:
        yield gateway
    finally:
        gateway.shutdown()
        process.stdin.close()
        process.wait()
        process.stdout.close()


def rows(found: Any) -> list[tuple[Any, ...]]:
    """All rows of a ResultSet, as texts where Python has no such type; closes it."""
    numbers = range(1, found.getMetaData().getColumnCount() + 1)
    read = []
    while found.next():
        read.append(tuple(_plain(found.getObject(number)) for number in numbers))
    found.close()
    return read


def columns(found: Any, *names: str) -> list[tuple[Any, ...]]:
    """Some columns of all rows of a ResultSet, in the order of the names."""
    read = []
    while found.next():
        read.append(tuple(_plain(found.getObject(name)) for name in names))
    found.close()
    return read


def _plain(value: Any) -> Any:
    return str(value.toString()) if hasattr(value, "_get_object_id") else value
