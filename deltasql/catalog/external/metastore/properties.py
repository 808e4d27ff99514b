"""Properties of tables in a metastore: those of the user, and those of Hive and Spark."""

from __future__ import annotations

from collections.abc import Mapping

COMMENT = "comment"
EXTERNAL_FLAG = "EXTERNAL"
CHANGED = "transient_lastDdlTime"
"""The time of the last change, in seconds since the epoch."""
STILL_MANAGED = "deltasql.managed"
"""Marks a table whose files DROP TABLE of deltasql removes, though it is external for others."""
PROVIDER = "spark.sql.sources.provider"

_OF_SYSTEMS = ("spark.sql.", "view.", "delta.lastUpdate", "delta.lastCommit")
_OF_HIVE = frozenset(
    {
        *(COMMENT, EXTERNAL_FLAG, CHANGED, "bucketing_version", "COLUMN_STATS_ACCURATE", "numFiles", "numPartitions"),
        *("numRows", "rawDataSize", "totalSize", "last_modified_by", "last_modified_time", "presto_view"),
        *(STILL_MANAGED, "numFilesErasureCoded", "external.table.purge", "TRANSLATED_TO_EXTERNAL"),
    }
)


def user_properties(parameters: Mapping[str, str]) -> dict[str, str]:
    """Those properties that a user has set."""
    return {
        key: value
        for key, value in parameters.items()
        if key not in _OF_HIVE and not key.startswith(_OF_SYSTEMS) and value is not None
    }


def own_properties(comment: str | None) -> dict[str, str]:
    """The properties that each record has."""
    return {} if comment is None else {COMMENT: comment}
