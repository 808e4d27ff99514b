"""delta-spark on a Hive metastore, in a process of its own: one statement per line in, one outcome per line out.

`python -m tests.metastores.delta_spark URI WAREHOUSE`. The first line out is "ready". An outcome is a list of rows, or
a text that says what went wrong.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[2]


class DeltaSpark:
    """The process, from the side of the tests."""

    def __init__(self, uri: str, place: Path, home: str = "") -> None:
        command = [sys.executable, "-m", "tests.metastores.delta_spark", uri, str(place / "warehouse")]
        environment = {**os.environ, "TZ": "UTC", "_JAVA_OPTIONS": "-Xmx2g"}
        if home:
            environment["DELTASQL_ORACLE_HOME"] = home
        self._log = (place / "delta-spark.log").open("a")
        self._process = subprocess.Popen(
            command,
            cwd=_ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )

    def is_ready(self) -> bool:
        """Whether it has started; waits for that."""
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip() == '"ready"'

    def sql(self, text: str) -> list[list[Any]]:
        """The rows of a statement, which must not fail."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(text) + "\n")
        self._process.stdin.flush()
        outcome = json.loads(self._process.stdout.readline())
        assert isinstance(outcome, list), f"{text}\n{outcome}"
        return outcome

    def close(self) -> None:
        """Ends the process."""
        self._process.kill()
        for stream in (self._process.stdin, self._process.stdout, self._log):
            if stream is not None:
                stream.close()
        self._process.wait()


@contextmanager
def running(uri: str, place: Path) -> Iterator[DeltaSpark]:
    """delta-spark on the metastore at `uri`. Raises ChildProcessError."""
    # A local Maven repository in HOME that holds a POM without its jar stops Ivy; another home has none.
    for home in ("", str(place / "home")):
        engine = DeltaSpark(uri, place, home)
        try:
            if engine.is_ready():
                yield engine
                return
        finally:
            engine.close()
    log = (place / "delta-spark.log").read_text(errors="replace")
    raise ChildProcessError("delta-spark did not start; its jar comes from Maven Central:\n" + log[-2000:])


def main() -> None:
    """Answers statements until stdin ends."""
    from pyspark.sql import SparkSession

    from tests.oracle.engine import JVM_OPTIONS, SETTINGS

    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    builder = SparkSession.builder.master("local[2]").enableHiveSupport()
    for key, value in SETTINGS.items():
        builder = builder.config(key, value)
    home = os.environ.get("DELTASQL_ORACLE_HOME")
    # The heap is that of _JAVA_OPTIONS.
    options = JVM_OPTIONS.partition(" -Xms")[0] + (f" -Duser.home={home}" if home else "")
    settings = {
        "spark.hadoop.hive.metastore.uris": sys.argv[1],
        "spark.sql.warehouse.dir": sys.argv[2],
        "spark.driver.extraJavaOptions": options,
        "spark.driver.memory": "1g",
    }
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    print('"ready"', file=answers, flush=True)
    for line in sys.stdin:
        try:
            outcome: object = [list(row) for row in spark.sql(json.loads(line)).collect()]
        except Exception as error:
            outcome = str(error)[:2000]
        print(json.dumps(outcome, default=str), file=answers, flush=True)


if __name__ == "__main__":
    main()
