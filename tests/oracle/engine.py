"""delta-spark in a process of its own: reads one script per line from stdin, writes one outcome per line to stdout.

A line is JSON: `{"id", "directory", "statements": [text, …]}` → `{"id", "outcomes": [outcome, …]}`. An outcome is
`{"columns": [[name, type], …], "rows": [...]}` or `{"condition", "sqlstate", "message"}`. Each script has a session and
a schema of its own, whose tables lie in `directory`. The first line out is "ready".
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from pathlib import Path
from typing import Any, TextIO

from pyspark.sql import DataFrame, SparkSession

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.oracle.frames import evaluated, is_python
from tests.oracle.values import plain_row

PACKAGE = "io.delta:delta-spark_4.2_2.13:4.4.0"
SETTINGS = {
    "spark.jars.packages": PACKAGE,
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.databricks.delta.snapshotPartitions": "1",
    # Each checksum reads the whole table's state; what others find in one is for tests/interop.
    "spark.databricks.delta.writeChecksumFile.enabled": "false",
    "spark.databricks.delta.stateReconstructionValidation.enabled": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "1",
    "spark.default.parallelism": "2",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    # A few rows each: generating code for them takes longer than they do.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    "spark.cleaner.referenceTracking": "false",
    "spark.sql.ui.retainedExecutions": "1",
    "spark.ui.retainedJobs": "1",
    "spark.ui.retainedStages": "1",
    "spark.driver.memory": "3g",
}
# Much code that runs a few times each: compiling it well takes longer than running it. Measured 96 s → 68 s of CPU for
# 35 scripts, together with the settings above.
JVM_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xms1500m"
WORKERS = 2


def main() -> None:
    """Runs until stdin ends. Scripts run two at a time, so outcomes may come in another order than they were asked."""
    # Whatever else the JVM or Ivy prints goes to stderr.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    spark = _start()
    _send(answers, "ready")
    scripts: queue.Queue[dict[str, Any] | None] = queue.Queue()
    workers = [threading.Thread(target=_work, args=(spark, scripts, answers), daemon=True) for _ in range(WORKERS)]
    for worker in workers:
        worker.start()
    for line in sys.stdin:
        scripts.put(json.loads(line))
    for _ in workers:
        scripts.put(None)
    for worker in workers:
        worker.join()
    spark.stop()


def _start() -> SparkSession:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]")
    for key, value in SETTINGS.items():
        builder = builder.config(key, value)
    home = os.environ.get("DELTASQL_ORACLE_HOME")
    options = f"{JVM_OPTIONS} -Duser.home={home}" if home else JVM_OPTIONS
    builder = builder.config("spark.driver.extraJavaOptions", options)
    return builder.config("spark.sql.warehouse.dir", sys.argv[1]).getOrCreate()


_sending = threading.Lock()


def _send(answers: TextIO, document: object) -> None:
    with _sending:
        answers.write(json.dumps(document) + "\n")
        answers.flush()


def _work(spark: SparkSession, scripts: queue.Queue[dict[str, Any] | None], answers: TextIO) -> None:
    while (script := scripts.get()) is not None:
        session = spark.newSession()
        schema = f"s{script['id']}"
        session.sql(f"CREATE SCHEMA {schema} LOCATION '{script['directory']}'")
        session.sql(f"USE {schema}")
        outcomes = [_outcome(session, text) for text in script["statements"]]
        _send(answers, {"id": script["id"], "outcomes": outcomes})


def _outcome(session: SparkSession, text: str) -> dict[str, Any]:
    try:
        frame = _frame(session, text)
        if frame is None:
            return {"columns": [], "rows": []}
        return {"columns": _columns(frame), "rows": [plain_row(row) for row in frame.collect()]}
    except Exception as error:
        condition, state = _condition(error)
        return {"condition": condition, "sqlstate": state, "message": str(error)[:2000]}


def _frame(session: SparkSession, text: str) -> DataFrame | None:
    """The rows that a statement gives; a write in Python gives none."""
    if not is_python(text):
        return session.sql(text)
    found: DataFrame | None = evaluated(
        text,
        write=lambda query: session.sql(query).write.format("delta"),
        writeTo=lambda query, table: session.sql(query).writeTo(table).using("delta"),
        read=session.read.format("delta"),
    )
    return found


def _columns(frame: DataFrame) -> list[list[Any]]:
    return [[field.name, field.dataType.jsonValue()] for field in frame.schema]


def _condition(error: Exception) -> tuple[str, str]:
    """The condition and SQLSTATE of an error; of its innermost cause that has one, when a job failed."""
    found = (_call(error, "getCondition"), _call(error, "getSqlState"))
    cause = getattr(error, "_origin", None) or getattr(error, "java_exception", None)
    while cause is not None:
        condition = _call(cause, "getCondition")
        if condition:
            found = (condition, _call(cause, "getSqlState"))
        cause = _call(cause, "getCause")
    return found[0] or type(error).__name__, found[1] or ""


def _call(thing: Any, method: str) -> Any:
    try:
        return getattr(thing, method)()
    except Exception:
        return None


if __name__ == "__main__":
    main()
