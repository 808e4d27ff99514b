"""Errors for queries that Spark cannot parse or resolve, with suggestions of the intended SQL."""

from __future__ import annotations

from collections.abc import Sequence

from deltasql.base.errors.base import Caret, DeltaSqlError
from deltasql.base.errors.engine import SparkError
from deltasql.base.errors.suggestion import closest
from deltasql.engines.spark.failures.write_errors import Failure
from deltasql.sql.functions.spark_names import FUNCTIONS
from deltasql.sql.misspelt import meant, unfinished, without_from
from deltasql.sql.parser.advice import advice
from deltasql.sql.parser.unsupported import refusal
from deltasql.sql.queries.outline import find, outline

# Spark's conditions for a query without FROM: its parser takes FROM at the end for an alias.
_WITHOUT_TABLE = frozenset({"INVALID_USAGE_OF_STAR_OR_REGEX", "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION"})

_OF_PROCEDURES = ("< CALL >", "DESCRIBE|DESC < PROCEDURE >")
_NO_TABLE_FUNCTION = "UNRESOLVABLE_TABLE_VALUED_FUNCTION"
_NO_STREAM = "_LEGACY_ERROR_TEMP_1008"
"""Spark's condition for SELECT … FROM STREAM t."""
_FILES = "Files are read by their format: SELECT * FROM csv.`/path`, json.`/path`, parquet.`/path` …."
_INSTEAD = {
    "read_files": _FILES,
    "cloud_files": _FILES,
    "event_log": "DESCRIBE HISTORY t tells what was done to a table.",
    "read_kafka": "To fill a table from a stream: session.writeStream(df).toTable(name).",
    "read_kinesis": "To fill a table from a stream: session.writeStream(df).toTable(name).",
}
"""Table functions of other products, each with its replacement."""


def misspelt_error(failure: Failure, sql: str, carets: Sequence[Caret]) -> DeltaSqlError | None:
    """The error for SQL in which a parser stopped at one of `carets`; None where the parser's message is best."""
    refused = next(filter(None, (refusal(sql, caret.start) for caret in carets)), None)
    if refused:
        return refused
    # A misspelt word is guessed from its neighbours, which is unreliable if there are several candidate places.
    ways = (_guessed, _advised) if len(carets) == 1 else (_advised, _guessed)
    error = next(filter(None, (way(sql, caret) for way in ways for caret in carets)), None)
    if error is None and len(carets) != 1:
        error = unfinished(sql)
    return error and SparkError(failure.condition, failure.state, error[0], failure.text).at(error[1])


def _guessed(sql: str, caret: Caret) -> tuple[str, Caret] | None:
    return meant(sql, caret.start)


def _advised(sql: str, caret: Caret) -> tuple[str, Caret] | None:
    sentence = advice(sql, caret.start)
    return (f"Syntax error at or near '{sql[caret.start : caret.end]}'. {sentence}", caret) if sentence else None


def unresolved_error(failure: Failure, sql: str) -> DeltaSqlError | None:
    """The error for a query whose FROM is empty or missing, or for an unknown function or procedure; else None."""
    if failure.condition in _WITHOUT_TABLE:
        error = unfinished(sql) or without_from(sql)
        return SparkError("PARSE_SYNTAX_ERROR", "42601", error[0], failure.text).at(error[1]) if error else None
    if failure.condition == "UNRESOLVED_ROUTINE":
        name = failure.parameters.get("routineName", "").replace("`", "")
        if any(find(pattern, outline(sql)) for pattern in _OF_PROCEDURES):
            sentence = f"There is no procedure {name}. A Python function around session.sql does what one would do."
            return SparkError(failure.condition, failure.state, sentence, failure.text)
        similar = closest(name.upper(), FUNCTIONS).lower()
        advice = f"Did you mean {similar}?" if similar else "SHOW FUNCTIONS lists all of them."
        sentence = f"There is no function {name}. {advice}"
        return SparkError(failure.condition, failure.state, sentence, failure.text)
    if failure.condition == _NO_TABLE_FUNCTION:
        name = failure.parameters.get("name", "").replace("`", "")
        advice = _INSTEAD.get(name.lower(), "SHOW FUNCTIONS lists all of them.")
        sentence = f"There is no function {name} that gives rows. {advice}"
        return SparkError(failure.condition, failure.state, sentence, failure.text)
    return refusal(sql) if failure.condition == _NO_STREAM else None
