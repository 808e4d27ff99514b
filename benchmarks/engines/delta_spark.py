"""delta-spark, tuned as its own tests tune it. Its jar comes from Maven Central when the session starts."""

from __future__ import annotations

import itertools
import os
import random
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from benchmarks.statements import STATEMENTS

PACKAGE = "io.delta:delta-spark_4.2_2.13:4.4.0"
CONFIG = {
    "spark.jars.packages": PACKAGE,
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.databricks.delta.snapshotPartitions": "2",
    "spark.sql.shuffle.partitions": "4",
    # Of 10,000, the default, VACUUM makes as many tasks for each level of folders.
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "4",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.memory": "4g",
    "spark.log.level": "OFF",
}
S3 = {
    "spark.jars.packages": ",".join(
        (
            PACKAGE,
            "org.apache.hadoop:hadoop-aws:3.5.0",
            *(
                f"software.amazon.awssdk:{part}:2.35.4"
                for part in ("s3", "s3-transfer-manager", "sts", "apache-client")
            ),
        )
    ),
    "spark.jars.excludes": "software.amazon.awssdk:bundle",
    "spark.hadoop.fs.s3a.path.style.access": "true",
    "spark.hadoop.fs.s3a.connection.ssl.enabled": "false",
}
"""For tables in an object store, where the environment names its server."""
LONGEST_PAUSE = 4.0


class DeltaSpark:
    """One session for the life of the process."""

    def __init__(self, folder: Path) -> None:
        from pyspark.sql import SparkSession

        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        builder = SparkSession.builder.master(os.environ["DELTASQL_MASTER"])
        for key, value in (CONFIG | _of_store() | {"spark.sql.warehouse.dir": str(folder / "warehouse")}).items():
            builder = builder.config(key, value)
        self._spark = builder.getOrCreate()

    def run(self, work: str, values: Mapping[str, str]) -> None:
        if work == "expect":
            rows = [", ".join(map(str, row)) for row in self._spark.sql(values["query"]).collect()]
            assert rows == [values["rows"]], rows
            return
        for _ in range(int(values.get("times", 1))):
            self._until_it_wins(STATEMENTS[work].format(**values))

    def _until_it_wins(self, statement: str) -> None:
        """Runs a statement, and again for as long as it loses races, as its users write it by hand.

        The pauses grow and are drawn at random: without them all writers lose to each other for longer.
        """
        for lost in itertools.count(1):
            try:
                self._spark.sql(statement).collect()
                return
            except Exception as error:
                if "DELTA_CONCURRENT" not in str(error) and "Concurrent" not in type(error).__name__:
                    raise
                time.sleep(random.uniform(0, min(0.25 * 2**lost, LONGEST_PAUSE)))


def _of_store() -> dict[str, str]:
    endpoint = os.environ.get("AWS_ENDPOINT_URL")
    if endpoint is None:
        return {}
    keys = {"access.key": "AWS_ACCESS_KEY_ID", "secret.key": "AWS_SECRET_ACCESS_KEY", "endpoint.region": "AWS_REGION"}
    given = {f"spark.hadoop.fs.s3a.{name}": os.environ[variable] for name, variable in keys.items()}
    return {**S3, **given, "spark.hadoop.fs.s3a.endpoint": endpoint}
