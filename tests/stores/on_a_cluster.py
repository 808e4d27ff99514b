"""`python -m tests.stores.on_a_cluster MASTER WAREHOUSE FOLDER`: tasks that fail, run twice, or lose their executor.

Prints what each statement came to and left in the store, as JSON. This is a process of its own, because a Spark has the
jars that it was started with. FOLDER is of this machine's disk.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from deltasql import DeltaSqlError, Session, connect
from deltasql.engines.spark.session.local import connector_settings
from deltasql.log.storage.stores import Stores
from tests.clusters.test_failing_tasks import ROWS, SETTINGS, functions


def main(master: str, warehouse: str, folder: Path) -> None:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {**SETTINGS, **connector_settings("s3a")}
    spark = SparkSession.builder.master(master).config(map=settings).getOrCreate()
    for name, function in functions().items():
        spark.udf.register(name, function, "int")
    with connect(warehouse, spark=spark) as session:
        print(json.dumps([ran(session, warehouse, statement) for statement in statements(folder)]))


def statements(folder: Path) -> list[str]:
    source = f"range(0, {ROWS}, 1, 4)"
    numbers = "CAST(id AS INT), CAST(id % 3 AS INT)"
    using = f"(SELECT CAST(id AS INT) AS id FROM {source})"
    merge = f"MERGE INTO t USING {using} AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET"
    for name in ("once", "always"):
        (folder / name).mkdir()
    return [
        "SET deltasql.io.mode = EXECUTORS",
        "SET spark.databricks.delta.retentionDurationCheck.enabled = false",
        "CREATE TABLE t (id INT, v INT, k INT) PARTITIONED BY (k)",
        f"INSERT INTO t SELECT slow(CAST(id AS INT)), {numbers} FROM {source}",
        f"{merge} v = failing(t.id) + 1",
        f"{merge} v = deadly(t.id, '{folder / 'once'}', 1) + 2",
        f"{merge} v = deadly(t.id, '{folder / 'always'}', 99) + 3",
        "VACUUM t RETAIN 0 HOURS",
    ]


def ran(session: Session, warehouse: str, statement: str) -> dict[str, Any]:
    """What a statement came to: its rows or condition, the table, the files that commits name and that are there."""
    try:
        outcome: Any = session.sql(statement).collect()
    except DeltaSqlError as error:
        outcome = error.condition
    if statement.startswith("SET"):
        return {}
    store = Stores().open(f"{warehouse}/t")
    entries = [entry.path for entry in store.list_below("")]
    named, live = set[str](), set[str]()
    for path in sorted(path for path in entries if path.startswith("_delta_log/") and path.endswith(".json")):
        actions = [json.loads(line) for line in store.read(path).splitlines()]
        live -= {action["remove"]["path"] for action in actions if "remove" in action}
        live |= {action["add"]["path"] for action in actions if "add" in action}
        named |= live
    return {
        "outcome": outcome,
        "rows": session.sql("SELECT count(*), count(DISTINCT id), sum(v) FROM t").collect()[0],
        "version": session.log("t").snapshot().version,
        "named": sorted(named),
        "live": sorted(live),
        "there": sorted(path for path in entries if path.endswith(".parquet") and "_delta_log" not in path),
    }


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
