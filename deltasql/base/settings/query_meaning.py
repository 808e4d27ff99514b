"""Which settings change the meaning of a query, of the literals in it, or of rows that are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from deltasql.base.settings.session_settings import (
    ANSI,
    CASE_SENSITIVE,
    IGNORE_MISSING_FILES,
    PARTITION_OVERWRITE_MODE,
    STORE_ASSIGNMENT,
    TIME_ZONE,
    SessionSettings,
)

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
