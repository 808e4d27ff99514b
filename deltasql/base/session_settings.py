"""Session settings, stored by SET, and the registry of them. Source: Delta's SQLConf.

Keys are matched as written, as Spark does. A new setting needs one declaration in this module, and code that reads its
value: `settings[RETRY_ATTEMPTS]`. Settings are classified by whether they change the meaning of a query, of the
literals in it, or of rows that are read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any, TypeVar

from deltasql.base import errors
from deltasql.base.registry.entries import (
    Registry,
    RegistryEntry,
    any_text,
    boolean,
    byte_size,
    compaction,
    count,
    one_of,
    share,
)
from deltasql.base.timezone import is_zone, machine_zone_name

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Setting(RegistryEntry[T]):
    """One setting. `listed`: SET without a key shows its default too; others have Spark's default, or none."""

    listed: bool = True

    def refusal(self, text: str) -> Exception:
        """InvalidSettingError."""
        return errors.InvalidSettingError(key=self.name, value=text, expected=self.legal)


REGISTRY: Registry[Setting[Any]] = Registry()


def name_list(text: str) -> tuple[str, ...]:
    """The names in a text, with commas between them; blanks around them do not count."""
    return tuple(name for part in text.split(",") if (name := part.strip()))


def switch(text: str) -> bool:
    return boolean((text or "false").strip())


def choice(*words: str) -> Callable[[str], str]:
    """A parser of one of these words, in any case and with blanks around it."""
    read = one_of(*words)
    return lambda text: read(text.strip())


def flag(name: str, default: str, applies: str, documentation: str, *, listed: bool = True) -> Setting[bool]:
    return REGISTRY.add(Setting(name, switch, "true or false", default, documentation, applies, listed))


def word(name: str, words: tuple[str, ...], default: str, applies: str, documentation: str) -> Setting[str]:
    return REGISTRY.add(Setting(name, choice(*words), " or ".join(words), default, documentation, applies))


def number(name: str, default: str, applies: str, documentation: str) -> Setting[int]:
    return REGISTRY.add(Setting(name, count(), "a whole number", default, documentation, applies))


def maybe(name: str, read: Callable[[str], T], legal: str, applies: str, documentation: str) -> Setting[T | None]:
    """Adds a setting without a default."""
    return REGISTRY.add(Setting(name, read, legal, None, documentation, applies, listed=False))


SETTINGS = REGISTRY
"""All session settings."""

PROPERTY_DEFAULTS = "spark.databricks.delta.properties.defaults."
"""The prefix of keys that give new tables their properties; the property's name without `delta.` follows."""


def _zone_name(text: str) -> str:
    if not is_zone(text):
        raise ValueError(text)
    return text


_SIZES = "a size such as 104857600 or 100mb"
_WRITES, _RACES = "writes", "lost races"

AUTO_MERGE = flag(
    "spark.databricks.delta.schema.autoMerge.enabled",
    "false",
    _WRITES,
    "Every write may add columns, as if it said WITH SCHEMA EVOLUTION.",
)
USER_METADATA = maybe(
    "spark.databricks.delta.commitInfo.userMetadata",
    any_text,
    "any text",
    "commits",
    "A note that goes into the history of each commit.",
)
ARBITRARY_PROPERTIES = flag(
    "spark.databricks.delta.allowArbitraryProperties.enabled",
    "false",
    "TBLPROPERTIES",
    "Unknown properties that begin with `delta.` are taken.",
)
TXN_APP_ID = maybe(
    "spark.databricks.delta.write.txnAppId",
    any_text,
    "any text",
    _WRITES,
    "The application that writes, for idempotent writes.",
)
TXN_VERSION = maybe(
    "spark.databricks.delta.write.txnVersion",
    any_text,
    "a whole number",
    _WRITES,
    "The number of the application's write; one that is not above the last is skipped.",
)
TXN_AUTO_RESET = flag(
    "spark.databricks.delta.write.txnVersion.autoReset.enabled",
    "false",
    _WRITES,
    "The number of the write is forgotten once its commit is there.",
)
PARTITION_OVERWRITE_MODE = word(
    "spark.sql.sources.partitionOverwriteMode",
    ("STATIC", "DYNAMIC"),
    "STATIC",
    "INSERT OVERWRITE",
    "DYNAMIC: only the partitions that rows fall into are replaced.",
)
STRUCTS_BY_NAME = flag(
    "spark.databricks.delta.resolveMergeUpdateStructsByName.enabled",
    "true",
    "MERGE",
    "Fields of structs are assigned by name; false: by position.",
)
CASE_SENSITIVE = flag(
    "spark.sql.caseSensitive", "false", "queries", "Whether Spark tells names apart that differ in letter case alone."
)
REPLACE_WHERE_CHECK = flag(
    "spark.databricks.delta.replaceWhere.constraintCheck.enabled",
    "true",
    "REPLACE WHERE",
    "New rows must satisfy the condition of what they replace.",
)
STORE_ASSIGNMENT = word(
    "spark.sql.storeAssignmentPolicy",
    ("ANSI", "LEGACY", "STRICT"),
    "ANSI",
    _WRITES,
    "The casts that a write makes automatically.",
)
ANSI = SETTINGS.add(
    Setting(
        "spark.sql.ansi.enabled",
        switch,
        "true or false",
        "true",
        "Whether Spark raises an error where a cast or a calculation fails.",
        "queries",
        listed=False,
    )
)
TIME_ZONE = maybe(
    "spark.sql.session.timeZone",
    _zone_name,
    "a name without quotes, such as UTC or Europe/Paris",
    "queries, TIMESTAMP AS OF",
    "The zone of timestamps; the machine's, where nobody says.",
)
AUTOMATIC_WIDENING = word(
    "spark.databricks.delta.typeWidening.allowAutomaticWidening",
    ("ALWAYS", "SAME_FAMILY_TYPE", "NEVER"),
    "ALWAYS",
    "schema evolution",
    "Whether columns of tables with type widening become wider with what is written.",
)
CHANGES_OUT_OF_RANGE = flag(
    "spark.databricks.delta.changeDataFeed.timestampOutOfRange.enabled",
    "false",
    "table_changes",
    "Bounds after the last commit give no rows; false: they are an error.",
)
STRICT_UNSET = flag(
    "deltasql.unsetProperties.strict",
    "true",
    "UNSET TBLPROPERTIES",
    "UNSET of a missing property is an error; false: it is ignored.",
)
OPTIMIZE_MIN_FILE_SIZE = maybe(
    "spark.databricks.delta.optimize.minFileSize",
    byte_size,
    _SIZES,
    "OPTIMIZE",
    "Files below this are put together; the table's target where it is not set.",
)
OPTIMIZE_MAX_FILE_SIZE = maybe(
    "spark.databricks.delta.optimize.maxFileSize",
    byte_size,
    _SIZES,
    "OPTIMIZE",
    "How big new files are; `delta.targetFileSize` or 1 GiB where it is not set.",
)
AUTO_COMPACT = maybe(
    "spark.databricks.delta.autoCompact.enabled",
    compaction,
    "true, auto, legacy or false",
    _WRITES,
    "Small files are put together after writes; it overrides `delta.autoOptimize.autoCompact`.",
)
AUTO_COMPACT_MIN_FILES = number(
    "spark.databricks.delta.autoCompact.minNumFiles",
    "50",
    _WRITES,
    "How many small files a partition has before they are put together after a write.",
)
AUTO_COMPACT_MAX_FILE_SIZE = SETTINGS.add(
    Setting(
        "spark.databricks.delta.autoCompact.maxFileSize",
        byte_size,
        _SIZES,
        "134217728",
        "How big the files are that are put together after a write; `delta.targetFileSize` where it is not set.",
        _WRITES,
    )
)
AUTO_COMPACT_MIN_FILE_SIZE = maybe(
    "spark.databricks.delta.autoCompact.minFileSize",
    byte_size,
    _SIZES,
    _WRITES,
    "Files below this are put together after a write; half of `maxFileSize` where it is not set.",
)
AUTO_COMPACT_WRITTEN_ONLY = flag(
    "spark.databricks.delta.autoCompact.modifiedPartitionsOnly.enabled",
    "true",
    _WRITES,
    "After a write only files of the partitions that it wrote to are put together; false: of all.",
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
ZORDER_STATS_CHECK = flag(
    "spark.databricks.delta.optimize.zorder.checkStatsCollection.enabled",
    "true",
    "OPTIMIZE ZORDER BY",
    "Columns without statistics are refused.",
    listed=False,
)
RETENTION_CHECK = flag(
    "spark.databricks.delta.retentionDurationCheck.enabled",
    "true",
    "VACUUM",
    "Retentions below the table's own are refused.",
)
VACUUM_LITE = flag(
    "spark.databricks.delta.vacuum.lite.enabled", "false", "VACUUM", "VACUUM is LITE where it does not say FULL."
)
VACUUM_LOGGING = maybe(
    "spark.databricks.delta.vacuum.logging.enabled",
    switch,
    "true or false",
    "VACUUM",
    "Whether VACUUM notes its begin and end in the history; by the kind of storage, where it is not set.",
)
RESTORE_DOWNGRADE = flag(
    "spark.databricks.delta.restore.protocolDowngradeAllowed",
    "false",
    "RESTORE",
    "The protocol goes back as well.",
)
CONVERT_IGNORES_CASTS = flag(
    "spark.databricks.delta.convert.partitionValues.ignoreCastFailure",
    "false",
    "CONVERT TO DELTA",
    "A folder's text that is no value of its partition column's type is NULL, not an error.",
)
FSCK_MOST_ROWS = number(
    "spark.databricks.delta.fsck.maxNumEntriesInResult", "1000", "FSCK", "How many files the result lists at most."
)
DROPPED_DAYS = number(
    "deltasql.dropped.days",
    "7",
    "DROP TABLE, UNDROP TABLE",
    "How many days UNDROP TABLE can bring a managed table back; 0 removes its files at once.",
)
BYPASS_LOCATION_CHECK = flag(
    "spark.databricks.delta.alterLocation.bypassSchemaCheck",
    "false",
    "ALTER TABLE … SET LOCATION",
    "The table there may have another schema.",
)
ANSWER_FROM_LOG = flag(
    "spark.databricks.delta.optimizeMetadataQuery.enabled",
    "true",
    "queries",
    "COUNT, MIN, MAX, DISTINCT and GROUP BY are answered by the log where it knows the rows; false: files are read.",
)
IGNORE_MISSING_FILES = SETTINGS.add(
    Setting(
        "spark.sql.files.ignoreMissingFiles",
        switch,
        "true or false",
        "false",
        "Data files that are gone are passed over.",
        "reads, RESTORE",
        listed=False,
    )
)
ROW_LEVEL = flag(
    "deltasql.rowLevelConcurrency.enabled", "true", _RACES, "Rows decide what is a conflict; false: files do."
)
ROW_LEVEL_SUBQUERIES = flag(
    "deltasql.rowLevelConcurrency.subqueries",
    "true",
    _RACES,
    "Rows decide for statements with a sub-query too; false: files do.",
)
ROW_LEVEL_FILES = number(
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
ROW_LEVEL_SECONDS = number(
    "deltasql.rowLevelConcurrency.maxSeconds", "60", _RACES, "How long a commit may read new files to tell rows apart."
)
FOLLOW_ROWS = flag(
    "deltasql.optimizeRelaxation.enabled",
    "true",
    _RACES,
    "Rows are followed to where OPTIMIZE moves them; false: it conflicts as in a table without deletion vectors.",
)
STRICT_WRITE_SERIALIZABLE = flag(
    "deltasql.strictWriteSerializable",
    "true",
    _RACES,
    "The rare circle of three is refused: a statement that was put before an append, and a reader of both.",
)
FSYNC = flag(
    "deltasql.commit.fsync",
    "true",
    "commits",
    "Commits wait for the disk; false: a crash of the machine may lose the last ones (see "
    "[durability](security.md#durability)).",
)
COMMIT_PROBE = flag(
    "deltasql.commit.probe",
    "true",
    "object stores",
    "Before its first commit in a bucket a process asks whether the store creates an object only once; false: nobody "
    "asks (see [object stores](object-stores.md#what-a-commit-asks-of-a-store)).",
)
RETRY_ATTEMPTS = number(
    "deltasql.retry.maxAttempts", "10", _RACES, "How often `session.sql` tries a statement that loses its races."
)
RETRY_STATEMENTS = word(
    "deltasql.retry.statements",
    ("DETERMINISTIC", "ALL", "NONE"),
    "DETERMINISTIC",
    _RACES,
    "Which statements are tried again; ALL: random ones too.",
)

IO_MODE = word(
    "deltasql.io.mode",
    ("AUTO", "EXECUTORS", "DRIVER"),
    "AUTO",
    "reads, writes",
    "Who reads and writes data files: Spark's executors, or this process; AUTO: by where the table lies, and how much "
    "is moved (see [object stores](object-stores.md)).",
)

AUTO_CREATE = flag(
    "deltasql.catalog.autoCreate",
    "false",
    "USE, CREATE, RENAME TO",
    "Catalogs and schemas that do not exist are created by the first statement that creates something in them or makes "
    "them current (see [several catalogs](catalog.md#several-catalogs)).",
)

GOVERNANCE = word(
    "deltasql.governance",
    ("ERROR", "WARN", "RECORD"),
    "RECORD",
    "GRANT, REVOKE, OWNER TO, ROW FILTER, MASK …",
    "RECORD: statements about privileges, owners, filters, masks and shares are stored in the catalog, and shown "
    "again. WARN: they are ignored, with a warning. ERROR: they are refused (see [governance](governance.md)).",
)
GOVERNANCE_FILTERS = flag(
    "deltasql.governance.filters",
    "false",
    "queries, writes",
    "Recorded row filters and column masks apply to the statements of the session (see "
    "[governance](governance.md#row-filters-and-column-masks-that-apply)).",
)

USER = maybe(
    "deltasql.user",
    any_text,
    "any text",
    "current_user(), session_user(), user()",
    "The user of the session, by `connect(user=…)`, `--user` or DELTASQL_USER; the engine's, where nobody says (see "
    "[governance](governance.md#the-user-of-a-session)).",
)
GROUPS = maybe(
    "deltasql.groups",
    name_list,
    "names with commas between them",
    "is_member, is_account_group_member",
    "The groups of the session's user, by `connect(groups=…)`, `--groups` or DELTASQL_GROUPS.",
)
_BY_ENVIRONMENT = {USER.name: "DELTASQL_USER", GROUPS.name: "DELTASQL_GROUPS"}
"""Environment variables with the values of settings in every session."""

MEMORY_LIMIT = maybe(
    "deltasql.memory.limit",
    byte_size,
    _SIZES,
    "queries, UPDATE, DELETE, MERGE, INSERT … SELECT",
    "How much memory rows take at most that this process holds for one statement; the engine computes statements that "
    "need more. Unset: half of the memory of the machine, or of what its cgroup or `ulimit -v` allows.",
)

COMPUTE = word(
    "deltasql.compute",
    ("AUTO", "LOCAL", "ENGINE"),
    "AUTO",
    "queries, UPDATE, DELETE, MERGE, INSERT … SELECT",
    "AUTO: this process computes rows without an engine where its result is that of Spark. "
    "LOCAL: statements that need an engine are refused, with the reason. "
    "ENGINE: the engine computes all rows; only literals of INSERT … VALUES need none.",
)

_ORDERS = (("spark",), ("sail", "spark"))


def engine_order(text: str) -> tuple[str, ...]:
    """The names of engines in a text, in one of the orders that there are."""
    names = name_list(text.lower())
    if names not in _ORDERS:
        raise ValueError(text)
    return names


ENGINES = REGISTRY.add(
    Setting(
        "deltasql.engines",
        engine_order,
        " or ".join(map(", ".join, _ORDERS)),
        "spark",
        "The engines that a query over tables of this machine goes to, in their order, where this process does not "
        "compute it. `sail, spark`: [Sail](sail.md#sail-beside-spark), in a separate process, where its answer was "
        "compared with Spark's; Spark for all else.",
        "queries",
    )
)

UNPROVEN = word(
    "deltasql.sail.unproven",
    ("REFUSE", "ALLOW"),
    "REFUSE",
    "calls of functions on Sail",
    "REFUSE: a function runs on Sail only with types of arguments for which its results were compared with Spark's. "
    "ALLOW: any other runs too, and may give other values than Spark.",
)

DEFAULTS = {key: item.default for key, item in SETTINGS.items() if item.listed and item.default is not None}
"""The defaults of the settings that SET lists, by key."""


WIDGET_PREFIX = "deltasql.widget."
"""Of the settings that are the values of widgets, with the name of the widget behind it."""


class SessionSettings:
    """The settings of one session. The session passes those on that Spark needs as well."""

    def __init__(self) -> None:
        self._values: dict[str, str] = {}
        found = {key: os.environ.get(variable) for key, variable in _BY_ENVIRONMENT.items()}
        self._given = {key: value for key, value in found.items() if value}
        self.machine_zone = machine_zone_name()
        """The time zone of the machine as the session began, which counts where TIME_ZONE is not set; None: unknown."""

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(sorted({**DEFAULTS, **self._given, **self._values}.items()))

    def __getitem__(self, entry: Setting[T]) -> T:
        """The value of a setting, or of its default. Raises InvalidSettingError."""
        return entry.value(self.get(entry.name))

    def copy(self) -> SessionSettings:
        """The settings as they are now, for another session."""
        copied = copy(self)
        copied._values, copied._given = dict(self._values), dict(self._given)
        return copied

    @property
    def time_zone(self) -> str | None:
        """The name of the session's time zone, None where neither SET nor the machine names one."""
        return self._values.get(TIME_ZONE.name) or self.machine_zone

    def names(self) -> Iterator[str]:
        """The names of the settings that were set."""
        return iter(tuple(self._values))

    def changed(self) -> list[tuple[str, str]]:
        """The settings that were set, by key."""
        return sorted(self._values.items())

    def get(self, key: str) -> str | None:
        """The text of a setting, its listed default, or None."""
        return self._values.get(key, self._given.get(key, DEFAULTS.get(key)))

    def give(self, key: str, value: str) -> None:
        """Begins the session with a value, which a reset of the setting brings back."""
        self._given[key] = value

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


MEANING = (
    *(TIME_ZONE.name, ANSI.name, CASE_SENSITIVE.name, "spark.sql.timestampType"),
    *("spark.sql.ansi.doubleQuotedIdentifiers", "spark.sql.mapKeyDedupPolicy"),
)
"""Settings that change the meaning of a query. A Spark session's values count too; of other settings only SET's."""

_NO_MEANING = ("optimizer.", "codegen.", "execution.", "shuffle.", "adaptive.", "maxNestedViewDepth")


def changes_query_meaning(key: str) -> bool:
    """Whether a view stores this setting. As in Spark: all of SQL's, except those of execution."""
    prefix, rest = key[: len("spark.sql.")], key[len("spark.sql.") :]
    return prefix == "spark.sql." and not rest.startswith(_NO_MEANING)


_DELTASQL_PREFIXES = ("spark.databricks.", "deltasql.")
_HARMLESS = frozenset(
    {
        *(CASE_SENSITIVE.name, IGNORE_MISSING_FILES.name, PARTITION_OVERWRITE_MODE.name, STORE_ASSIGNMENT.name),
        *(TIME_ZONE.name, ANSI.name, "spark.sql.shuffle.partitions"),
    }
)


def preserve_literal_values(keys: Iterable[str]) -> bool:
    """Whether changed settings leave the reading of literals unchanged, or are checked where they affect it."""
    return all(key in _HARMLESS or key.startswith(_DELTASQL_PREFIXES) for key in keys)


_READING = (
    *("spark.sql.files.ignoreMissingFiles", "spark.sql.files.ignoreCorruptFiles"),
    *("spark.sql.groupByOrdinal", "spark.sql.orderByOrdinal", "spark.sql.groupByAliases"),
)
_USUAL = ("false", "false", "true", "true", "true")


def has_plain_meaning(settings: SessionSettings, engine: Callable[[str], str | None]) -> bool:
    """Whether no setting changes the rows of tables, or the meaning of a plain query over them.

    `engine` gives the settings of a running engine.
    """
    if any(key.startswith("spark.sql.legacy.") for key in settings.names()):
        return False
    pairs = ((settings.stored(key) or engine(key) or usual, usual) for key, usual in zip(_READING, _USUAL, strict=True))
    return all(value.strip().lower() == usual for value, usual in pairs)


_WRITE_SETTINGS_WRITES = "writes"


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
    _WRITE_SETTINGS_WRITES,
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
    _WRITE_SETTINGS_WRITES,
    "Spark shuffles rows into fewer, larger files; it overrides `delta.autoOptimize.optimizeWrite`.",
)
OPTIMIZE_WRITE_BIN = REGISTRY.add(
    Setting(
        "spark.databricks.delta.optimizeWrite.binSize",
        _mebibytes,
        "a size such as 512 (MB) or 1g",
        "512",
        "How much shuffled data goes into one file of an optimized write; `delta.targetFileSize` beats it.",
        _WRITE_SETTINGS_WRITES,
        listed=False,
    )
)
