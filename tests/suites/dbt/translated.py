"""dbt's suite speaks Postgres: its files and statements in the words of Spark."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import sqlglot

_WORDS = (
    (r"\bdata_type: text\b", "data_type: string"),
    (r"\bdata_type: integer\b", "data_type: int"),
    (r"\btimestamp without time zone\b", "timestamp"),
    (r"\btimestamptz\b", "timestamp"),
    (r"\bcharacter varying(?:\(\d+\))?", "string"),
    (r"::\s*text\b", "::string"),
    (r"\bas text\b", "as string"),
    (r"\bvarchar\b(?!\()", "string"),
)
_DEFINES = re.compile(r"\s*(?:create|insert|update|delete|drop|alter)\b", re.IGNORECASE)


def translated(value: Any) -> Any:
    """Texts in a fixture's value, in Spark's words."""
    if isinstance(value, dict):
        return {key: translated(item) for key, item in value.items()}
    if isinstance(value, str):
        for pattern, word in _WORDS:
            value = re.sub(pattern, word, value, flags=re.IGNORECASE)
    return value


def statements(sql: str) -> Iterator[str]:
    """The statements of a script of Postgres, each for Spark. What sqlglot does not know is left as it is."""
    # dbt-spark has no database before a schema.
    sql = re.sub(r"\bNone\.", "", sql)
    if not _DEFINES.match(re.sub(r"(?m)^\s*--.*$", "", sql)):
        yield sql
        return
    try:
        trees = sqlglot.parse(sql, read="postgres")
    except sqlglot.errors.SqlglotError:
        yield from (part for part in sql.split(";") if part.strip())
        return
    yield from (tree.sql(dialect="databricks") for tree in trees if tree is not None)
