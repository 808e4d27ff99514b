"""Session settings about writes and their data files. The registry's other settings are in `session_settings`."""

from __future__ import annotations

from deltasql.base.registry.readers import any_text, byte_size
from deltasql.base.settings.setting import REGISTRY, Setting, flag, maybe, switch

_WRITES = "writes"


def _mebibytes(text: str) -> int:
    """Bytes of a size; a number alone counts mebibytes."""
    return byte_size(f"{text.strip()}m" if text.strip().isdecimal() else text)


_VECTORS = "Changed rows are marked in deletion vectors, if the table has them; false: their files are rewritten."
DELETE_VECTORS = flag(
    "spark.databricks.delta.delete.deletionVectors.persistent", "true", "DELETE", _VECTORS, listed=False
)
UPDATE_VECTORS = flag(
    "spark.databricks.delta.update.deletionVectors.persistent", "true", "UPDATE", _VECTORS, listed=False
)
MERGE_VECTORS = flag("spark.databricks.delta.merge.deletionVectors.persistent", "true", "MERGE", _VECTORS, listed=False)
CONSTRAINT_MAY_MISS = flag(
    "spark.databricks.delta.constraints.assumesDropIfExists.enabled",
    "false",
    "DROP CONSTRAINT",
    "A missing constraint is no error, as with IF EXISTS.",
    listed=False,
)
COLLECT_STATISTICS = flag(
    "spark.databricks.delta.stats.collect",
    "true",
    _WRITES,
    "New files have statistics of their columns; false: only their numbers of rows.",
    listed=False,
)
METRICS = flag(
    "spark.databricks.delta.history.metricsEnabled",
    "true",
    "commits",
    "The history has the counts of each operation.",
    listed=False,
)
LAST_COMMIT_VERSION = maybe(
    "spark.databricks.delta.lastCommitVersionInSession",
    any_text,
    "a version",
    "commits",
    "Set by each commit of the session: its version, for time travel to what the session has written.",
)
STATISTICS_SKIP = flag(
    "spark.databricks.delta.stats.skipping",
    "true",
    "queries, UPDATE, DELETE, MERGE",
    "Files are left out whose statistics show that no row fits; false: only partitions are.",
    listed=False,
)
OPTIMIZE_WRITE = maybe(
    "spark.databricks.delta.optimizeWrite.enabled",
    switch,
    "true or false",
    _WRITES,
    "Spark shuffles rows into fewer, larger files; it overrides `delta.autoOptimize.optimizeWrite`.",
)
OPTIMIZE_WRITE_BIN = REGISTRY.add(
    Setting(
        "spark.databricks.delta.optimizeWrite.binSize",
        _mebibytes,
        "a size such as 512 (MB) or 1g",
        "512",
        "How much shuffled data goes into one file of an optimized write; `delta.targetFileSize` beats it.",
        _WRITES,
        listed=False,
    )
)
