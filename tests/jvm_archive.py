"""`python -m tests.jvm_archive FILE` keeps the classes that Spark loads; with the file a JVM starts in half the time.

Prints the options of Java that use it, for JDK_JAVA_OPTIONS. Where this Java makes none they are those without it.
On the way the jars of delta-spark are fetched, once for all JVMs to come, where the oracle is asked.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

SHORT_RUNS = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:+UseSerialGC -XX:MetaspaceSize=400m"
"""For much code that runs a few times each: to compile it well takes longer than to run it.

With the first compiler alone a JVM keeps 48 MB of code, which is too little: it throws away and compiles again.
"""
HEAP = "-Xms1g -Xmx3g -Xmn512m"
"""What a JVM of the tests has, for _JAVA_OPTIONS, which win over what Spark says: up to eight run side by side.

One that begins small is cleaned whole at each step of its growth, which took a quarter of the JVMs' time.
"""
LARGE_HEAP = "-Xms1g -Xmx5g -Xmn512m"
"""What the one has that runs delta-spark for all tests, and keeps the tables of each: full of them, with 2 GB, it was
cleaned whole 126 times, for 247 of its 1,200 seconds.
"""
_QUIET = "-Xlog:cds=off -Xlog:cds+dynamic=off -Xlog:class+path=off"
_MOST_SECONDS = 180

_STATEMENTS = """
CREATE TABLE t (id INT, name STRING, tags ARRAY<STRING>, place STRUCT<x: INT, y: DOUBLE>);
INSERT INTO t SELECT CAST(id AS INT), 'a', array('b'), named_struct('x', 1, 'y', 2.5) FROM range(50000);
MERGE INTO t USING (SELECT 5 AS id, 'b' AS name) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET name = upper(s.name) WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, s.name);
UPDATE t SET name = upper(name) WHERE id < 7;
DELETE FROM t WHERE id IN (SELECT id FROM t WHERE id = 3);
OPTIMIZE t;
SELECT name, count(*), sum(id), explode(tags) FROM t GROUP BY name, tags ORDER BY 1
"""


def made(place: Path) -> bool:
    """Whether the archive could be made at a place; a JVM runs a statement of each kind for it and ends."""
    options = f"{SHORT_RUNS} {_QUIET} -XX:ArchiveClassesAtExit={place}"
    command = [sys.executable, "-m", "tests.jvm_archive", "--run"]
    for jars in _jars():
        env = {**os.environ, "JDK_JAVA_OPTIONS": options, **jars}
        try:
            subprocess.run(command, env=env, check=True, timeout=_MOST_SECONDS, stdout=subprocess.DEVNULL)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
            continue
        return place.is_file()
    return False


def _jars() -> Iterator[dict[str, str]]:
    """What has Spark fetch jars before it starts; nothing, where they are not to be had."""
    # What these modules start takes its options from here.
    from tests.oracle.client import NO_ORACLE
    from tests.oracle.engine import PACKAGE

    if not os.environ.get(NO_ORACLE):
        yield {"PYSPARK_SUBMIT_ARGS": f"--packages {PACKAGE} pyspark-shell"}
    yield {}


def run() -> None:
    """Runs the statements, and waits until their JVM is gone: it writes the archive at its end."""
    from pyspark import SparkContext

    import deltasql

    with tempfile.TemporaryDirectory() as warehouse, deltasql.connect(warehouse) as session:
        for statement in _STATEMENTS.split(";"):
            session.sql(statement).collect()
    gateway = SparkContext._gateway
    assert gateway is not None
    gateway.shutdown()
    gateway.proc.stdin.close()
    gateway.proc.wait()


def main(arguments: list[str]) -> None:
    """The command."""
    if arguments == ["--run"]:
        run()
        return
    place = Path(arguments[0]).absolute()
    with_it = f" {_QUIET} -XX:SharedArchiveFile={place}" if made(place) else ""
    print(f"{SHORT_RUNS}{with_it}")


if __name__ == "__main__":
    main(sys.argv[1:])
