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
    # Types that a test of columns expects, and one that it asks dbt for.
    (r"\btype: text\b", "type: string"),
    (r"\btype: integer\b", "type: bigint"),
    (r"( text)(?= \)| ?,)", " string"),
    (r"::double precision\b", "::double"),
    (r"::numeric\b", "::decimal(10, 0)"),
    # Columns of a primary key are NOT NULL.
    (r"(?m)^( +)- type: primary_key$(?!\n +columns)", r"\1- type: primary_key\n\1- type: not_null"),
    (r'as "GROUP"', "as `GROUP`"),
    # A header that has no effect on other tests: settings of Spark are those of all.
    (r"set session time zone '([^']*)'", r"declare or replace variable place string default '\1'"),
    (r"current_setting\('timezone'\)", "place"),
    (r"\bvarchar\b(?!\()", "string"),
)
# Delta adds no column with a default, for the rows that there are.
_ADDED_DEFAULT = re.compile(r"(add column [^;]+?) default [^;]+", re.IGNORECASE)
_DEFINES = re.compile(r"\s*(?:create|insert|update|delete|drop|alter)\b", re.IGNORECASE)


def translated(value: Any) -> Any:
    """Texts in a fixture's value, in Spark's words."""
    if isinstance(value, dict):
        return {key: translated(item) for key, item in value.items()}
    if isinstance(value, list):
        return [translated(item) for item in value]
    if isinstance(value, str):
        for pattern, word in _WORDS:
            value = re.sub(pattern, word, value, flags=re.IGNORECASE)
    return value


def statements(sql: str) -> Iterator[str]:
    """The statements of a script of Postgres, each for Spark. What sqlglot does not know is left as it is."""
    if not _DEFINES.match(re.sub(r"(?m)^\s*--.*$", "", sql)) and '"' not in sql:
        yield sql
        return
    sql = _ADDED_DEFAULT.sub(r"\1", translated(sql))
    try:
        trees = sqlglot.parse(sql, read="postgres")
    except sqlglot.errors.SqlglotError:
        trees = []
    if not trees or any(isinstance(tree, sqlglot.exp.Command) for tree in trees):
        # What sqlglot does not know.
        yield from (part for part in re.sub(r"\btext\b", "string", sql, flags=re.IGNORECASE).split(";") if part.strip())
        return
    yield from (tree.sql(dialect="databricks") for tree in trees if tree is not None)
