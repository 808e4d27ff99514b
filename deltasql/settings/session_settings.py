"""Session settings, stored by SET. Keys are matched as written, as Spark does. Source: Delta's SQLConf.

A new setting needs one declaration here, and code that reads its value: `settings[RETRY_ATTEMPTS]`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from deltasql.errors.statements.settings import InvalidSettingError
from deltasql.registry.entries import Registry, RegistryEntry
from deltasql.registry.readers import any_text, boolean, byte_size, count, one_of, share

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Setting(RegistryEntry[T]):
    """One setting. `listed`: SET without a key shows its default too; others have Spark's default, or none."""

    listed: bool = True

    def refusal(self, text: str) -> Exception:
        """InvalidSettingError."""
        return InvalidSettingError(key=self.name, value=text, expected=self.legal)


SETTINGS: Registry[Setting[Any]] = Registry()

PROPERTY_DEFAULTS = "spark.databricks.delta.properties.defaults."
"""The prefix of keys that give new tables their properties; the property's name without `delta.` follows."""


def _switch(text: str) -> bool:
    return boolean((text or "false").strip())


def _choice(*words: str) -> Callable[[str], str]:
    """A parser of one of these words, in any case and with blanks around it."""
    read = one_of(*words)
    return lambda text: read(text.strip())


def _zone_name(text: str) -> str:
    if text[:1] in {"'", '"'}:
        raise ValueError(text)
    return text


def _flag(name: str, default: str, applies: str, documentation: str, *, listed: bool = True) -> Setting[bool]:
    return SETTINGS.add(Setting(name, _switch, "true or false", default, documentation, applies, listed))


def _word(name: str, words: tuple[str, ...], default: str, applies: str, documentation: str) -> Setting[str]:
    return SETTINGS.add(Setting(name, _choice(*words), " or ".join(words), default, documentation, applies))


def _number(name: str, default: str, applies: str, documentation: str) -> Setting[int]:
    return SETTINGS.add(Setting(name, count(), "a whole number", default, documentation, applies))


def _maybe(name: str, read: Callable[[str], T], legal: str, applies: str, documentation: str) -> Setting[T | None]:
    """Adds a setting without a default."""
    return SETTINGS.add(Setting(name, read, legal, None, documentation, applies, listed=False))


_SIZES = "a size such as 104857600 or 100mb"
_WRITES, _RACES = "writes", "lost races"

AUTO_MERGE = _flag(
    "spark.databricks.delta.schema.autoMerge.enabled",
    "false",
    _WRITES,
    "Every write may add columns, as if it said WITH SCHEMA EVOLUTION.",
)
USER_METADATA = _maybe(
    "spark.databricks.delta.commitInfo.userMetadata",
    any_text,
    "any text",
    "commits",
    "A note that goes into the history of each commit.",
)
ARBITRARY_PROPERTIES = _flag(
    "spark.databricks.delta.allowArbitraryProperties.enabled",
    "false",
    "TBLPROPERTIES",
    "Unknown properties that begin with `delta.` are taken.",
)
TXN_APP_ID = _maybe(
    "spark.databricks.delta.write.txnAppId",
    any_text,
    "any text",
    _WRITES,
    "The application that writes, for idempotent writes.",
)
TXN_VERSION = _maybe(
    "spark.databricks.delta.write.txnVersion",
    any_text,
    "a whole number",
    _WRITES,
    "The number of the application's write; one that is not above the last is skipped.",
)
TXN_AUTO_RESET = _flag(
    "spark.databricks.delta.write.txnVersion.autoReset.enabled",
    "false",
    _WRITES,
    "The number of the write is forgotten once its commit is there.",
)
PARTITION_OVERWRITE_MODE = _word(
    "spark.sql.sources.partitionOverwriteMode",
    ("STATIC", "DYNAMIC"),
    "STATIC",
    "INSERT OVERWRITE",
    "DYNAMIC: only the partitions that rows fall into are replaced.",
)
STRUCTS_BY_NAME = _flag(
    "spark.databricks.delta.resolveMergeUpdateStructsByName.enabled",
    "true",
    "MERGE",
    "Fields of structs are assigned by name; false: by position.",
)
CASE_SENSITIVE = _flag(
    "spark.sql.caseSensitive", "false", "queries", "Whether Spark tells names apart that differ in letter case alone."
)
REPLACE_WHERE_CHECK = _flag(
    "spark.databricks.delta.replaceWhere.constraintCheck.enabled",
    "true",
    "REPLACE WHERE",
    "New rows must satisfy the condition of what they replace.",
)
STORE_ASSIGNMENT = _word(
    "spark.sql.storeAssignmentPolicy",
    ("ANSI", "LEGACY", "STRICT"),
    "ANSI",
    _WRITES,
    "The casts that a write makes automatically.",
)
ANSI = SETTINGS.add(
    Setting(
        "spark.sql.ansi.enabled",
        _switch,
        "true or false",
        "true",
        "Whether Spark raises an error where a cast or a calculation fails.",
        "queries",
        listed=False,
    )
)
TIME_ZONE = _maybe(
    "spark.sql.session.timeZone",
    _zone_name,
    "a name without quotes, such as UTC or Europe/Paris",
    "queries, TIMESTAMP AS OF",
    "The zone of timestamps; the machine's, where nobody says.",
)
AUTOMATIC_WIDENING = _word(
    "spark.databricks.delta.typeWidening.allowAutomaticWidening",
    ("ALWAYS", "SAME_FAMILY_TYPE", "NEVER"),
    "ALWAYS",
    "schema evolution",
    "Whether columns of tables with type widening become wider with what is written.",
)
CHANGES_OUT_OF_RANGE = _flag(
    "spark.databricks.delta.changeDataFeed.timestampOutOfRange.enabled",
    "false",
    "table_changes",
    "Bounds after the last commit give no rows; false: they are an error.",
)
STRICT_UNSET = _flag(
    "deltasql.unsetProperties.strict",
    "true",
    "UNSET TBLPROPERTIES",
    "UNSET of a missing property is an error; false: it is ignored.",
)
OPTIMIZE_MIN_FILE_SIZE = _maybe(
    "spark.databricks.delta.optimize.minFileSize",
    byte_size,
    _SIZES,
    "OPTIMIZE",
    "Files below this are put together; the table's target where it is not set.",
)
OPTIMIZE_MAX_FILE_SIZE = _maybe(
    "spark.databricks.delta.optimize.maxFileSize",
    byte_size,
    _SIZES,
    "OPTIMIZE",
    "How big new files are; `delta.targetFileSize` or 1 GiB where it is not set.",
)
OPTIMIZE_DELETED_RATIO = SETTINGS.add(
    Setting(
        "spark.databricks.delta.optimize.maxDeletedRowsRatio",
        share,
        "a number from 0 to 1",
        "0.05",
        "Files with a larger share of deleted rows are rewritten.",
        "OPTIMIZE",
        listed=False,
    )
)
ZORDER_STATS_CHECK = _flag(
    "spark.databricks.delta.optimize.zorder.checkStatsCollection.enabled",
    "true",
    "OPTIMIZE ZORDER BY",
    "Columns without statistics are refused.",
    listed=False,
)
RETENTION_CHECK = _flag(
    "spark.databricks.delta.retentionDurationCheck.enabled",
    "true",
    "VACUUM",
    "Retentions below the table's own are refused.",
)
VACUUM_LITE = _flag(
    "spark.databricks.delta.vacuum.lite.enabled", "false", "VACUUM", "VACUUM is LITE where it does not say FULL."
)
VACUUM_LOGGING = _maybe(
    "spark.databricks.delta.vacuum.logging.enabled",
    _switch,
    "true or false",
    "VACUUM",
    "Whether VACUUM notes its begin and end in the history; by the kind of storage, where it is not set.",
)
RESTORE_DOWNGRADE = _flag(
    "spark.databricks.delta.restore.protocolDowngradeAllowed",
    "false",
    "RESTORE",
    "The protocol goes back as well.",
)
CONVERT_IGNORES_CASTS = _flag(
    "spark.databricks.delta.convert.partitionValues.ignoreCastFailure",
    "false",
    "CONVERT TO DELTA",
    "A folder's text that is no value of its partition column's type is NULL, not an error.",
)
FSCK_MOST_ROWS = _number(
    "spark.databricks.delta.fsck.maxNumEntriesInResult", "1000", "FSCK", "How many files the result lists at most."
)
BYPASS_LOCATION_CHECK = _flag(
    "spark.databricks.delta.alterLocation.bypassSchemaCheck",
    "false",
    "ALTER TABLE … SET LOCATION",
    "The table there may have another schema.",
)
ANSWER_FROM_LOG = _flag(
    "spark.databricks.delta.optimizeMetadataQuery.enabled",
    "true",
    "queries",
    "COUNT, MIN, MAX, DISTINCT and GROUP BY are answered by the log where it knows the rows; false: files are read.",
)
IGNORE_MISSING_FILES = SETTINGS.add(
    Setting(
        "spark.sql.files.ignoreMissingFiles",
        _switch,
        "true or false",
        "false",
        "Data files that are gone are passed over.",
        "reads, RESTORE",
        listed=False,
    )
)
ROW_LEVEL = _flag(
    "deltasql.rowLevelConcurrency.enabled", "true", _RACES, "Rows decide what is a conflict; false: files do."
)
ROW_LEVEL_SUBQUERIES = _flag(
    "deltasql.rowLevelConcurrency.subqueries",
    "true",
    _RACES,
    "Rows decide for statements with a sub-query too; false: files do.",
)
ROW_LEVEL_FILES = _number(
    "deltasql.rowLevelConcurrency.maxFiles", "64", _RACES, "How many new files a commit may read to tell rows apart."
)
ROW_LEVEL_BYTES = SETTINGS.add(
    Setting(
        "deltasql.rowLevelConcurrency.maxBytes",
        byte_size,
        _SIZES,
        "256mb",
        "How much of new files a commit may read to tell rows apart.",
        _RACES,
    )
)
ROW_LEVEL_SECONDS = _number(
    "deltasql.rowLevelConcurrency.maxSeconds", "60", _RACES, "How long a commit may read new files to tell rows apart."
)
FOLLOW_ROWS = _flag(
    "deltasql.optimizeRelaxation.enabled",
    "true",
    _RACES,
    "Rows are followed to where OPTIMIZE moves them; false: it conflicts as in a table without deletion vectors.",
)
STRICT_WRITE_SERIALIZABLE = _flag(
    "deltasql.strictWriteSerializable",
    "true",
    _RACES,
    "The rare circle of three is refused: a statement that was put before an append, and a reader of both.",
)
FSYNC = _flag(
    "deltasql.commit.fsync",
    "true",
    "commits",
    "Commits wait for the disk; false: a crash of the machine may lose the last ones (see "
    "[durability](security.md#durability)).",
)
COMMIT_PROBE = _flag(
    "deltasql.commit.probe",
    "true",
    "object stores",
    "Before its first commit in a bucket a process asks whether the store creates an object only once; false: nobody "
    "asks (see [object stores](object-stores.md#what-a-commit-asks-of-a-store)).",
)
RETRY_ATTEMPTS = _number(
    "deltasql.retry.maxAttempts", "10", _RACES, "How often `session.sql` tries a statement that loses its races."
)
RETRY_STATEMENTS = _word(
    "deltasql.retry.statements",
    ("DETERMINISTIC", "ALL", "NONE"),
    "DETERMINISTIC",
    _RACES,
    "Which statements are tried again; ALL: random ones too.",
)

IO_MODE = _word(
    "deltasql.io.mode",
    ("AUTO", "EXECUTORS", "DRIVER"),
    "AUTO",
    "reads, writes",
    "Who reads and writes data files: Spark's executors, or this process; AUTO: by where the table lies, and how much "
    "is moved (see [object stores](object-stores.md)).",
)

AUTO_CREATE = _flag(
    "deltasql.catalog.autoCreate",
    "false",
    "USE, CREATE, RENAME TO",
    "Catalogs and schemas that do not exist are created by the first statement that creates something in them or makes "
    "them current (see [several catalogs](catalog.md#several-catalogs)).",
)

GOVERNANCE = _word(
    "deltasql.governance",
    ("ERROR", "WARN", "RECORD"),
    "ERROR",
    "GRANT, REVOKE, OWNER TO, ROW FILTER, MASK …",
    "ERROR: statements about privileges, owners, filters, masks and shares are refused. WARN: they are ignored, with a "
    "warning. RECORD: they are stored in the catalog, and shown again (see [governance](governance.md)).",
)
GOVERNANCE_FILTERS = _flag(
    "deltasql.governance.filters",
    "false",
    "queries, writes",
    "Recorded row filters and column masks apply to the statements of the session (see "
    "[governance](governance.md#row-filters-and-column-masks-that-apply)).",
)

MEMORY_LIMIT = _maybe(
    "deltasql.memory.limit",
    byte_size,
    _SIZES,
    "queries, UPDATE, DELETE, MERGE, INSERT … SELECT",
    "How much memory rows take at most that this process holds for one statement; the engine computes statements that "
    "need more. Unset: half of the memory of the machine, or of what its cgroup or `ulimit -v` allows.",
)

COMPUTE = _word(
    "deltasql.compute",
    ("AUTO", "LOCAL", "ENGINE"),
    "AUTO",
    "queries, UPDATE, DELETE, MERGE, INSERT … SELECT",
    "AUTO: this process computes rows without an engine where its result is that of Spark and few rows change. "
    "LOCAL: statements that need an engine are refused, with the reason. "
    "ENGINE: the engine computes all rows; only literals of INSERT … VALUES need none.",
)

UNPROVEN = _word(
    "deltasql.sail.unproven",
    ("REFUSE", "ALLOW"),
    "REFUSE",
    "calls of functions on Sail",
    "REFUSE: a function runs on Sail only with types of arguments for which its results were compared with Spark's. "
    "ALLOW: any other runs too, and may give other values than Spark.",
)

DEFAULTS = {key: item.default for key, item in SETTINGS.items() if item.listed and item.default is not None}
"""The defaults of the settings that SET lists, by key."""


class SessionSettings:
    """The settings of one session. The session passes those on that Spark needs as well."""

    def __init__(self) -> None:
        self._values: dict[str, str] = {}

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(sorted({**DEFAULTS, **self._values}.items()))

    def __getitem__(self, entry: Setting[T]) -> T:
        """The value of a setting, or of its default. Raises InvalidSettingError."""
        return entry.value(self.get(entry.name))

    def copy(self) -> SessionSettings:
        """The settings as they are now, for another session."""
        copied = SessionSettings()
        copied._values = dict(self._values)
        return copied

    def changed(self) -> list[tuple[str, str]]:
        """The settings that were set, by key."""
        return sorted(self._values.items())

    def get(self, key: str) -> str | None:
        """The text of a setting, its listed default, or None."""
        return self._values.get(key, DEFAULTS.get(key))

    def stored(self, key: str) -> str | None:
        """The value that SET has stored, or None."""
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
