"""Session settings: what SET stores. Keys are matched as written, as Spark does. Source: Delta's SQLConf."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from deltasql.errors.settings import InvalidSettingError
from deltasql.log.configuration.property_values import byte_size

AUTO_MERGE = "spark.databricks.delta.schema.autoMerge.enabled"
USER_METADATA = "spark.databricks.delta.commitInfo.userMetadata"
ARBITRARY_PROPERTIES = "spark.databricks.delta.allowArbitraryProperties.enabled"
PROPERTY_DEFAULTS = "spark.databricks.delta.properties.defaults."
TXN_APP_ID = "spark.databricks.delta.write.txnAppId"
TXN_VERSION = "spark.databricks.delta.write.txnVersion"
TXN_AUTO_RESET = "spark.databricks.delta.write.txnVersion.autoReset.enabled"
PARTITION_OVERWRITE_MODE = "spark.sql.sources.partitionOverwriteMode"
STRUCTS_BY_NAME = "spark.databricks.delta.resolveMergeUpdateStructsByName.enabled"
CASE_SENSITIVE = "spark.sql.caseSensitive"
REPLACE_WHERE_CHECK = "spark.databricks.delta.replaceWhere.constraintCheck.enabled"
STORE_ASSIGNMENT = "spark.sql.storeAssignmentPolicy"
ANSI = "spark.sql.ansi.enabled"
TIME_ZONE = "spark.sql.session.timeZone"
AUTOMATIC_WIDENING = "spark.databricks.delta.typeWidening.allowAutomaticWidening"
CHANGES_OUT_OF_RANGE = "spark.databricks.delta.changeDataFeed.timestampOutOfRange.enabled"
STRICT_UNSET = "deltasql.unsetProperties.strict"
OPTIMIZE_MIN_FILE_SIZE = "spark.databricks.delta.optimize.minFileSize"
OPTIMIZE_MAX_FILE_SIZE = "spark.databricks.delta.optimize.maxFileSize"
OPTIMIZE_DELETED_RATIO = "spark.databricks.delta.optimize.maxDeletedRowsRatio"
ZORDER_STATS_CHECK = "spark.databricks.delta.optimize.zorder.checkStatsCollection.enabled"
RETENTION_CHECK = "spark.databricks.delta.retentionDurationCheck.enabled"
VACUUM_LITE = "spark.databricks.delta.vacuum.lite.enabled"
VACUUM_LOGGING = "spark.databricks.delta.vacuum.logging.enabled"
RESTORE_DOWNGRADE = "spark.databricks.delta.restore.protocolDowngradeAllowed"
FSCK_MOST_ROWS = "spark.databricks.delta.fsck.maxNumEntriesInResult"
BYPASS_LOCATION_CHECK = "spark.databricks.delta.alterLocation.bypassSchemaCheck"
IGNORE_MISSING_FILES = "spark.sql.files.ignoreMissingFiles"
ROW_LEVEL = "deltasql.rowLevelConcurrency.enabled"
ROW_LEVEL_SUBQUERIES = "deltasql.rowLevelConcurrency.subqueries"
ROW_LEVEL_FILES = "deltasql.rowLevelConcurrency.maxFiles"
ROW_LEVEL_BYTES = "deltasql.rowLevelConcurrency.maxBytes"
ROW_LEVEL_SECONDS = "deltasql.rowLevelConcurrency.maxSeconds"
FOLLOW_ROWS = "deltasql.optimizeRelaxation.enabled"
STRICT_WRITE_SERIALIZABLE = "deltasql.strictWriteSerializable"
FSYNC = "deltasql.commit.fsync"
RETRY_ATTEMPTS = "deltasql.retry.maxAttempts"
RETRY_STATEMENTS = "deltasql.retry.statements"

DEFAULTS = {
    AUTO_MERGE: "false",
    ARBITRARY_PROPERTIES: "false",
    PARTITION_OVERWRITE_MODE: "STATIC",
    TXN_AUTO_RESET: "false",
    STRUCTS_BY_NAME: "true",
    CASE_SENSITIVE: "false",
    REPLACE_WHERE_CHECK: "true",
    STORE_ASSIGNMENT: "ANSI",
    AUTOMATIC_WIDENING: "ALWAYS",
    CHANGES_OUT_OF_RANGE: "false",
    STRICT_UNSET: "true",
    RETENTION_CHECK: "true",
    VACUUM_LITE: "false",
    RESTORE_DOWNGRADE: "false",
    BYPASS_LOCATION_CHECK: "false",
    FSCK_MOST_ROWS: "1000",
    ROW_LEVEL: "true",
    ROW_LEVEL_SUBQUERIES: "true",
    ROW_LEVEL_FILES: "64",
    ROW_LEVEL_BYTES: "256mb",
    ROW_LEVEL_SECONDS: "60",
    FOLLOW_ROWS: "true",
    STRICT_WRITE_SERIALIZABLE: "true",
    FSYNC: "true",
    RETRY_ATTEMPTS: "10",
    RETRY_STATEMENTS: "DETERMINISTIC",
}

CHOICES = {
    PARTITION_OVERWRITE_MODE: ("STATIC", "DYNAMIC"),
    STORE_ASSIGNMENT: ("ANSI", "LEGACY", "STRICT"),
    AUTOMATIC_WIDENING: ("ALWAYS", "SAME_FAMILY_TYPE", "NEVER"),
    RETRY_STATEMENTS: ("DETERMINISTIC", "ALL", "NONE"),
}

MEANING = (
    *(TIME_ZONE, "spark.sql.ansi.enabled", CASE_SENSITIVE, "spark.sql.timestampType"),
    *("spark.sql.ansi.doubleQuotedIdentifiers", "spark.sql.mapKeyDedupPolicy"),
)
"""Settings that say what a query means, as people configure a Spark session of theirs; SET makes any of them known."""

_NO_MEANING = ("optimizer.", "codegen.", "execution.", "shuffle.", "adaptive.", "maxNestedViewDepth")


def says_meaning(key: str) -> bool:
    """Whether a view keeps this setting. As in Spark: all of SQL's, but those that say how queries are run."""
    prefix, rest = key[: len("spark.sql.")], key[len("spark.sql.") :]
    return prefix == "spark.sql." and not rest.startswith(_NO_MEANING)


class Settings:
    """The settings of one session. Those that Spark must know of as well are handed on by the session."""

    def __init__(self) -> None:
        self._values: dict[str, str] = {}

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(sorted({**DEFAULTS, **self._values}.items()))

    def copy(self) -> Settings:
        """The settings as they are now, for another session."""
        copied = Settings()
        copied._values = dict(self._values)
        return copied

    def changed(self) -> list[tuple[str, str]]:
        """The settings that were set, by key."""
        return sorted(self._values.items())

    def get(self, key: str) -> str | None:
        """The value of a setting, its default, or None."""
        return self._values.get(key, DEFAULTS.get(key))

    def own(self, key: str) -> str | None:
        """What SET has stored, or None."""
        return self._values.get(key)

    def set(self, key: str, value: str) -> None:
        self._values[key] = value

    def reset(self, key: str | None) -> None:
        """Forgets one setting, or all."""
        if key is None:
            self._values.clear()
            return
        self._values.pop(key, None)

    def with_prefix(self, prefix: str) -> Mapping[str, str]:
        """Values of the settings that start with `prefix`, by the rest of their keys."""
        return {key[len(prefix) :]: value for key, value in self._values.items() if key.startswith(prefix)}


def as_boolean(key: str, value: str | None) -> bool:
    """A boolean setting; one that is not set is false. Raises InvalidSettingError for any other text."""
    text = (value or "false").strip().lower()
    if text not in {"true", "false"}:
        raise InvalidSettingError(key=key, value=str(value), expected="true or false")
    return text == "true"


def as_bytes(key: str, value: str) -> int:
    """A setting that is a size, such as 1048576 or 100mb. Raises InvalidSettingError for any other text."""
    try:
        return byte_size(value)
    except ValueError:
        raise InvalidSettingError(key=key, value=value, expected="a size such as 104857600 or 100mb") from None


def as_count(key: str, value: str | None) -> int:
    """A setting that is a whole number from 0 on. Raises InvalidSettingError for any other text."""
    if value is None or not value.strip().isdecimal():
        raise InvalidSettingError(key=key, value=str(value), expected="a whole number")
    return int(value)


def as_share(key: str, value: str) -> float:
    """A setting between 0 and 1. Raises InvalidSettingError for any other text."""
    try:
        share = float(value)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise InvalidSettingError(key=key, value=value, expected="a number from 0 to 1")
    return share


def as_choice(key: str, value: str | None) -> str:
    """A setting of CHOICES, in upper case. Raises InvalidSettingError for any other text."""
    text = (value or "").strip().upper()
    if text not in CHOICES[key]:
        raise InvalidSettingError(key=key, value=str(value), expected=" or ".join(CHOICES[key]))
    return text
