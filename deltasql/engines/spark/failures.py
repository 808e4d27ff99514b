"""Translation of Spark's exceptions to the typed errors of deltasql, with carets in the user's SQL.

An error about a written row names its column or constraint. An error about a query that Spark cannot parse or resolve
has suggestions of the intended SQL.
"""

from __future__ import annotations

import json
import logging
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import unquote

from deltasql.base import Caret, DeltaSqlError, closest, errors, tokenize
from deltasql.engines.choice import violation_error
from deltasql.engines.spark.loading import load_pyspark
from deltasql.log import is_local, local_path, may_make, may_read
from deltasql.plan import BOUND_VALUES, JSON_NAME, Constraint, Operator, Project, Rewrite, base, children
from deltasql.schema import HIDDEN_PREFIX
from deltasql.sql import (
    FUNCTIONS,
    HIDDEN_FUNCTION,
    advice,
    as_called,
    corresponding,
    find,
    meant,
    outline,
    unfinished,
    unreadable_part,
    unsupported,
    without_from,
)

if TYPE_CHECKING:
    from pyspark.errors import PySparkException


# Raised for a row; a plan that Spark prints contains the marks as well, but no row after them.
_VIOLATION = re.compile(re.escape(base.VIOLATION) + r"([^|]*)\|([^|]*)\|([^|]*)\|(\{.*\})")
_OVERFLOW = re.compile(re.escape(base.IDENTITY_OVERFLOW) + r"([^|]*)\|")
_CAST = re.compile(re.escape(base.CAST) + r"([^|]*)\|([^|]*)\|([a-z][^|]*)\|(.*?)(?: SQLSTATE: P0001|$)", re.MULTILINE)


_RULES = (errors.CheckViolationError, errors.NotNullViolationError)


@dataclass(frozen=True, slots=True)
class WriteContext:
    """Context of a write for its error messages: table, SQL of each column's value, and kind of statement.

    Without `insert` and `merge` the statement is UPDATE or DELETE.
    """

    table: str
    values: tuple[tuple[str, str], ...] = ()
    insert: bool = False
    merge: bool = False
    replacing: str | None = None
    """The clause REPLACE USING or REPLACE ON of an INSERT."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An error of Spark: condition, SQLSTATE, text, message parameters, and the SQL fragments that it quotes."""

    condition: str
    state: str
    text: str
    parameters: Mapping[str, str]
    fragments: tuple[str, ...] = ()


def rewrite_context(operator: Rewrite, table: str, *, merge: bool, insert: bool) -> WriteContext:
    """The error context of a rewrite; `merge` and `insert` select the statement, otherwise UPDATE or DELETE."""
    lookup = None if operator.join is None else operator.join.lookup
    replacing = None if lookup is None else lookup.clause
    return WriteContext(table, assigned_sql(operator), insert=insert, merge=merge, replacing=replacing)


def assigned_sql(operator: Operator) -> tuple[tuple[str, str], ...]:
    """Pairs of column name and SQL of its value, for all values that `operator` and its inputs compute."""
    assigned: list[tuple[str, str]] = []
    if isinstance(operator, Project):
        assigned += operator.columns
    elif isinstance(operator, Rewrite):
        for action in operator.actions:
            assigned += zip(operator.output.names, action.values, strict=False)
    return (*assigned, *(item for child in children(operator) for item in assigned_sql(child)))


def marked_error(failure: Failure, write: WriteContext | None, sql: str) -> DeltaSqlError | None:
    """The error encoded by a mark (see `plan.marks`) in Spark's message; None if there is none."""
    table = "the table" if write is None else write.table
    violation = _VIOLATION.search(failure.text)
    if violation is not None:
        error = _violation(violation, table)
        if write is None or write.replacing is None or not isinstance(error, _RULES):
            return error
        return errors.ReplaceViolationError(clause=write.replacing, violation=error.message)
    overflow = _OVERFLOW.search(failure.text)
    if overflow is not None:
        return errors.IdentityOverflowError(unquote(overflow[1]))
    unfit = _CAST.search(failure.text)
    if unfit is None:
        return None
    column, target, source, value = unquote(unfit[1]), unquote(unfit[2]), unfit[3].upper(), unfit[4]
    if source == "STRING":
        value = f"'{value}'"
        return errors.InvalidInputError(f"column {column}", table, source, target, value).at(_written(None, value, sql))
    kind = errors.InsertOverflowError if write is None or write.insert else errors.WriteOverflowError
    return kind(f"column {column}", table, source, target, value).at(_written(None, value, sql))


def cast_error(failure: Failure, write: WriteContext, sql: str) -> DeltaSqlError | None:
    """The error for a value that cannot be cast to its column's type; None for a failed cast in the user's SQL."""
    if not failure.condition.startswith(_FAILED_CASTS):
        return None
    overflow = failure.condition.startswith(_OVERFLOWS)
    values = failure.parameters
    # For a decimal, Spark reports precision and scale instead of types.
    target = values.get("targetType", f"DECIMAL({values.get('precision')},{values.get('scale')})").strip('"')
    fragment = failure.fragments[0] if failure.fragments else None
    if fragment is not None and fragment in sql:
        return None
    columns = _columns(write.values, fragment or f" AS {target})")
    if not columns:
        return None
    column = f"column {' or '.join(columns)}"
    if failure.condition.startswith(_NO_CAST):
        return _no_cast(column, write.table, target, values).at(_written(fragment, "", sql))
    source = values.get("sourceType", "DECIMAL").strip('"')
    value = values.get("expression", values.get("value", ""))
    kind = (
        errors.InvalidInputError
        if not overflow
        else errors.InsertOverflowError
        if write.insert
        else errors.WriteOverflowError
    )
    error = kind(column, write.table, source, target, value)
    return error.at(_written(fragment, value, sql))


_OVERFLOWS = ("CAST_OVERFLOW", "NUMERIC_VALUE_OUT_OF_RANGE")
_NO_CAST = "DATATYPE_MISMATCH.CAST_"
_FAILED_CASTS = (*_OVERFLOWS, _NO_CAST, "CAST_INVALID_INPUT")
"""Prefixes of Spark's conditions for failed casts."""


def _no_cast(column: str, table: str, target: str, values: Mapping[str, str]) -> errors.NoCastError:
    functions = values.get("functionNames", "").replace("`", "")
    advice = f"Convert it: {functions}." if functions else "Convert it yourself."
    return errors.NoCastError(column, table, values.get("srcType", "").strip('"'), target, advice)


def _columns(values: Iterable[tuple[str, str]], text: str) -> list[str]:
    """The columns whose values are computed with `text`, each once."""
    folded = _folded(text)
    # NULL is of any type, and always fits.
    null = f"cast(null{folded}"
    return list(dict.fromkeys(name for name, sql in values if folded in _folded(sql).replace(null, "")))


def _folded(sql: str) -> str:
    return sql.replace(" ", "").lower()


def _written(fragment: str | None, value: str, sql: str) -> Caret | None:
    """The position in `sql` of the expression that was cast, or of the literal `value` if it occurs exactly once."""
    inner = fragment[len("CAST(") : fragment.rfind(" AS ")] if fragment and fragment.startswith("CAST(") else ""
    for text in (inner, value):
        matches = list(re.finditer(rf"(?<![\w`.']){re.escape(text)}(?![\w`.'])", sql)) if text else []
        if len(matches) == 1:
            return Caret(sql, matches[0].start(), matches[0].end())
    return None


def _violation(match: re.Match[str], table: str) -> DeltaSqlError:
    name, condition, column = (unquote(match[number]) for number in (1, 2, 3))
    try:
        row = json.loads(match[4])
    except ValueError:
        row = match[4]
    return violation_error(Constraint(name, as_called(condition), column or None), row, table)


# Spark's conditions for a query without FROM: its parser takes FROM at the end for an alias.
_WITHOUT_TABLE = frozenset({"INVALID_USAGE_OF_STAR_OR_REGEX", "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION"})

_OF_PROCEDURES = ("< CALL >", "DESCRIBE|DESC < PROCEDURE >")
_NO_TABLE_FUNCTION = "UNRESOLVABLE_TABLE_VALUED_FUNCTION"
_IN_OTHER_CATALOG = "REQUIRES_SINGLE_PART_NAMESPACE"
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
    refused = next(filter(None, (unsupported(sql, caret.start) for caret in carets)), None)
    if refused:
        return refused
    # A misspelt word is guessed from its neighbours, which is unreliable if there are several candidate places.
    ways = (_guessed, _advised) if len(carets) == 1 else (_advised, _guessed)
    error = next(filter(None, (way(sql, caret) for way in ways for caret in carets)), None)
    if error is None and len(carets) != 1:
        error = unfinished(sql)
    return error and errors.SparkError(failure.condition, failure.state, error[0], failure.text).at(error[1])


def _guessed(sql: str, caret: Caret) -> tuple[str, Caret] | None:
    return meant(sql, caret.start)


def _advised(sql: str, caret: Caret) -> tuple[str, Caret] | None:
    sentence = advice(sql, caret.start)
    return (f"Syntax error at or near '{sql[caret.start : caret.end]}'. {sentence}", caret) if sentence else None


def unresolved_error(failure: Failure, sql: str) -> DeltaSqlError | None:
    """The error for a query whose FROM is empty or missing, or for an unknown function or procedure; else None."""
    if failure.condition in _WITHOUT_TABLE:
        error = unfinished(sql) or without_from(sql)
        return errors.SparkError("PARSE_SYNTAX_ERROR", "42601", error[0], failure.text).at(error[1]) if error else None
    if failure.condition == "UNRESOLVED_ROUTINE":
        name = failure.parameters.get("routineName", "").replace("`", "")
        if any(find(pattern, outline(sql)) for pattern in _OF_PROCEDURES):
            sentence = f"There is no procedure {name}. A Python function around session.sql does what one would do."
            return errors.SparkError(failure.condition, failure.state, sentence, failure.text)
        similar = closest(name.upper(), FUNCTIONS).lower()
        advice = f"Did you mean {similar}?" if similar else "SHOW FUNCTIONS lists all of them."
        sentence = f"There is no function {name}. {advice}"
        return errors.SparkError(failure.condition, failure.state, sentence, failure.text)
    if failure.condition == _IN_OTHER_CATALOG:
        # Tables of other catalogs are never looked up by Spark.
        name = failure.parameters.get("identifier", "").replace("`", "")
        sentence = f"There is no function {name}. SHOW FUNCTIONS lists all of them."
        return errors.SparkError("UNRESOLVED_ROUTINE", "42883", sentence, failure.text)
    if failure.condition == _NO_TABLE_FUNCTION:
        name = failure.parameters.get("name", "").replace("`", "")
        advice = _INSTEAD.get(name.lower(), "SHOW FUNCTIONS lists all of them.")
        sentence = f"There is no function {name} that gives rows. {advice}"
        return errors.SparkError(failure.condition, failure.state, sentence, failure.text)
    return unsupported(sql) if failure.condition == _NO_STREAM else None


# Messages of Python's datetime for values that PySpark cannot convert.
_OUT_OF_RANGE = re.compile(r"year -?\d+ is out of range|ordinal must be|date value out of range|timestamp out of range")


_NO_VALUES = {"NOT_IMPLEMENTED", "UNSUPPORTED_DATA_TYPE_FOR_ARROW_CONVERSION", "UNSUPPORTED_DATA_TYPE_FOR_ARROW"}
_MONTHS = re.compile(r"YearMonthInterval|month_interval")
"""PySpark's messages about an interval type that it can fetch neither as rows nor as Arrow."""


_RAISED_BY_US = re.compile(re.escape(base.RAISED) + r"([^|]*)\|([^|]*)\|([^|]*)\|")
_PYTHON_FUNCTION = re.compile(r'File "<function ([^"]+)>", line (\d+)')
"""A line of the traceback of a function of Python."""
_RAISED = re.compile(r"^(?!Traceback|SQLSTATE)(?P<error>[A-Za-z_][\w.]*(?::.*)?)$", re.MULTILINE)
"""The exception at the end of a traceback."""


_JSON_NAME = re.compile(re.escape(JSON_NAME) + r"([^|]*)\|")
_PLACE = re.compile(r'^\s*File "([^"]+)"', re.MULTILINE)
_OF_CONVERSION = re.compile(r"^pyarrow/|[/\\](?:pyarrow|pyspark)[/\\]|pyspark\.zip")
"""Files in which values of Python become those of Spark."""
_CSV_HEADER = re.compile(r"CSV header does not conform to the schema|Number of column in CSV header is not equal")


@contextmanager
def translated_errors(
    sql: str, write: WriteContext | None = None, read_failure: FailureReader | None = None
) -> Iterator[None]:
    """Context: errors of Spark are translated to DeltaSqlErrors, with a caret in `sql` where the position is known.

    `read_failure` reads errors without a condition, of an engine other than Spark.
    """
    load_pyspark()
    from pyspark.errors import PySparkException

    try:
        with _unlogged():
            yield
    except PySparkException as error:
        raise _translated_error(error, sql, write, read_failure) from error
    except RecursionError as error:
        raise errors.TooComplexError from error
    except Exception as error:
        if isinstance(error, (ValueError, OverflowError)) and _OUT_OF_RANGE.search(str(error)):
            raise errors.TimeOutOfRangeError from error
        if _is_lost(error):
            raise errors.EngineLostError from error
        # A Py4JError is a failure of the bridge or of the JVM below PySpark's own error classes.
        if type(error).__module__.startswith("py4j"):
            raise translated(_bridge_failure(str(error)), sql, write) from error
        if isinstance(error, AssertionError) and _origin(error).startswith("pyspark."):
            raise translated(_NO_ANSWER, sql, write) from error
        raise


FailureReader: TypeAlias = "Callable[[PySparkException], Failure | DeltaSqlError]"

_NO_ANSWER = Failure(
    "SAIL_ERROR", "XX000", 'The engine ended the query without an answer. Try it with engine="spark".', {}
)
"""Stands for PySpark's assertion that a stream has a first batch, which fails when a thread of Sail panics."""


def _is_lost(error: BaseException) -> bool:
    """Whether the socket to the JVM is closed, or refused."""
    kind = type(error)
    closed = kind.__module__.startswith("py4j") and kind.__name__ == "Py4JNetworkError"
    return closed or (isinstance(error, ConnectionError) and _origin(error).startswith("py4j."))


def _origin(error: BaseException) -> str:
    """The name of the module in which an error was raised."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "" if trace is None else str(trace.tb_frame.f_globals.get("__name__", ""))


@contextmanager
def _unlogged() -> Iterator[None]:
    """Context: suppresses PySpark's log records of failed queries (JSON with a JVM stack) of this thread only."""
    from pyspark.logger import PySparkLogger

    thread = threading.get_ident()

    def is_of_another(record: logging.LogRecord) -> bool:
        return record.thread != thread

    loggers = [PySparkLogger.getLogger(name) for name in _QUERY_LOGGERS]
    for logger in loggers:
        logger.addFilter(is_of_another)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(is_of_another)


_QUERY_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")


def _translated_error(
    error: PySparkException, sql: str, write: WriteContext | None, read_failure: FailureReader | None
) -> DeltaSqlError:
    raised = _RAISED_BY_US.search(str(error))
    if raised is not None:
        return errors.SparkError(raised[1], raised[2], raised[3], str(error))
    failed = _PYTHON_FUNCTION.findall(str(error))
    if failed:
        return _python_failure(str(error), *failed[-1])
    if error.getCondition() == "PYTHON_EXCEPTION":
        return _foreign_failure(str(error))
    if _MONTHS.search(str(error)) and error.getCondition() in _NO_VALUES:
        return errors.MonthsInResultError()
    # Spark's own errors have a condition; those of Java, such as for a regular expression, have none.
    if error.getCondition() is not None or type(error).__module__.endswith(".captured"):
        return translated(failure_of(error), sql, write)
    failure = failure_of(error) if read_failure is None else read_failure(error)
    return failure if isinstance(failure, DeltaSqlError) else translated(failure, sql, write)


def _python_failure(text: str, function: str, line: str) -> DeltaSqlError:
    """The error for an exception that the code of a function of Python has raised."""
    after = text[text.rindex(f'File "<function {function}>"') :]
    raised = _RAISED.search(after.partition("\n")[2])
    return errors.PythonFunctionFailedError(
        function, int(line), raised["error"] if raised else "it raised an exception"
    )


def _foreign_failure(text: str) -> DeltaSqlError:
    """The error for an exception in a Python worker of Spark, outside of the code of a function of the catalog."""
    raised = [*_RAISED.finditer(text)]
    reason = raised[-1]["error"] if raised else "it raised an exception"
    places = _PLACE.findall(text)
    if places and _OF_CONVERSION.search(places[-1]):
        return errors.PythonResultError(reason.partition(": ")[2] or "a value of another kind")
    return errors.SparkError("PYTHON_EXCEPTION", "38000", f"Code in Python failed: {reason}", text)


def translated(failure: Failure, sql: str, write: WriteContext | None) -> DeltaSqlError:
    """The DeltaSqlError for a failure that Spark has reported, or would have reported."""
    name, text = failure.condition, failure.text
    error = marked_error(failure, write, sql)
    if error is None and write is not None:
        error = cast_error(failure, write, sql)
    if error is not None:
        return error
    error = None if write is None else _error_of_write(failure, write, sql)
    error = error or unreached_error(failure) or _path_error(failure)
    if error is not None:
        return error
    if _GROUPED_SHAPE in text:
        return errors.GroupedShapesError()
    if name == "UNBOUND_SQL_PARAMETER":
        return _unbound(failure).at(_fragment_caret(failure, sql))
    if name == "PARSE_SYNTAX_ERROR":
        return _misread(failure, _sentence(text, name), sql)
    return (unresolved_error(failure, sql) or _other_error(failure)).at(_fragment_caret(failure, sql))


_GROUPED_SHAPE = "MatchError: org.apache.spark.unsafe.types.BinaryView"
"""Spark has no hash of a shape."""
_OF_NO_CONDITION = {"SPARK_JVM_ERROR", "SPARK_ERROR"}


def _other_error(failure: Failure) -> DeltaSqlError:
    """Spark's condition and sentence, for an error that has no class of its own; its internal errors with advice."""
    name, text = failure.condition, failure.text
    sentence = _first_line(text) if name == "SPARK_JVM_ERROR" else _sentence(text, name)
    if name != "INTERNAL_ERROR" and not (name in _OF_NO_CONDITION and "[INTERNAL_ERROR]" in text):
        return errors.SparkError(name, failure.state, sentence, text)
    if "'PARSE_SYNTAX_ERROR'" in text:
        return errors.ParseSyntaxError("Spark cannot read the statement, and does not say where.")
    sentence = (
        f"Spark ended with an internal error, which is no mistake in the statement: {sentence.rstrip('.')}. "
        "Write the part at fault in another way, or divide the statement: a sub-query as a temporary view."
    )
    return errors.SparkError("INTERNAL_ERROR", "XX000", sentence, text)


def _path_error(failure: Failure) -> DeltaSqlError | None:
    """The error for a path in JSON, which functions look up: several fields match, or the operand has a wrong type."""
    name = _JSON_NAME.search(failure.text)
    if name is not None and failure.condition == "USER_RAISED_EXCEPTION":
        return errors.AmbiguousJsonNameError(unquote(name[1]))
    if "json_object_keys(namedlambdavariable())" not in failure.parameters.get("sqlExpr", ""):
        return None
    return errors.JsonPathOperandError(failure.parameters.get("inputType", "another type").strip('"'))


def _error_of_write(failure: Failure, write: WriteContext, sql: str) -> DeltaSqlError | None:
    """The error for a failure that is specific to writing statements; None for any other failure."""
    values = failure.parameters
    if failure.condition == "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE":
        # A condition reaches Spark inside a generated CASE, which its message would show.
        sentence = f"The condition {values.get('inputSql')} is of type {values.get('inputType')}, not BOOLEAN."
        if values.get("sqlExpr", "").startswith('"CASE WHEN'):
            return errors.SparkError(
                "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN", "42K09", _hide_views(sentence), failure.text
            )
    header = _CSV_HEADER.search(failure.text)
    if header is not None:
        return errors.CsvHeaderError()
    if failure.condition.startswith("UNRESOLVED_COLUMN") and write.merge and failure.parameters.get("proposal", "-"):
        return _unresolved(failure).at(_fragment_caret(failure, sql))
    return None


def failure_of(error: PySparkException) -> Failure:
    return Failure(
        error.getCondition() or "SPARK_ERROR",
        error.getSqlState() or "XX000",
        str(error),
        error.getMessageParameters() or {},
        tuple(_fragments(error)),
    )


_JAVA_CALL = re.compile(r"\AAn error occurred while calling \S+\.\n: (?:[a-z]\w*\.)+\w+: ")
"""Prefix of a Py4J message: the name of a handle and the class of the exception."""


def _bridge_failure(text: str) -> Failure:
    """The Spark condition and message found in a Java stack trace; SPARK_JVM_ERROR if it contains none."""
    match = re.search(r"\[([A-Z]\w+(?:\.[A-Z]\w+)?)\] (.*?)(?: SQLSTATE: (\w{5}).*)?$", text, re.MULTILINE)
    if match is None:
        return Failure("SPARK_JVM_ERROR", "XX000", _JAVA_CALL.sub("", text).strip(), {})
    cause = _CSV_HEADER.search(text)
    message = match[2].strip() if cause is None else f"{match[2].strip()}\n{cause[0]}"
    return Failure(match[1], match[3] or "XX000", message, {})


def _unbound(failure: Failure) -> DeltaSqlError:
    name = failure.parameters.get("name", "")
    # Spark names a ? by its offset.
    return errors.UnboundParameterError.of("?" if name.startswith("_") else f":{name}")


def _unresolved(failure: Failure) -> DeltaSqlError:
    values = failure.parameters
    proposals = _hide_views(values.get("proposal", "")).replace("`", "").split(", ")
    name = values.get("objectName", "").replace("`", "")
    return errors.MergeUnresolvedError(
        expression=name, clause="the MERGE", columns=tuple(item for item in proposals if item)
    )


def _sentence(text: str, name: str) -> str:
    """Spark's message without its condition, SQLSTATE, plan dump and stack."""
    body = re.split(r";\n'?[A-Z]\w+|\n== SQL|\n'?(?:Project|Filter|Aggregate|Join)\b", _before_stack(text))[0]
    body = re.sub(rf"^\[{re.escape(name)}\]\s*", "", body.strip())
    # Some messages quote a part of the plan, and in it the check that stands around a condition.
    body = re.split(r",?(?: found:)? '?(?:Filter |Project )?\[?CASE WHEN (?=.*DELTASQL_)", body, flags=re.DOTALL)[0]
    # Line and position are those of the text that Spark was given.
    body = re.sub(r"\s*SQLSTATE: \w{5}(?:; line \d+ pos \d+| \(line \d+, pos \d+\))?", "", body)
    return _hide_views(body.strip())


def _before_stack(text: str) -> str:
    return text.split("\n\nJVM stacktrace:", maxsplit=1)[0]


def _hide_views(text: str) -> str:
    """`text` without the names of hidden columns and views, for messages to users."""
    text = re.sub(r"\blambda (\w+)#\d+", r"\1", HIDDEN_FUNCTION.sub(r"\1", text))
    text = re.sub(rf",? ?`(?:\w+`\.`)?{HIDDEN_PREFIX}\w+`(?!\.)", "", text)
    text = re.sub(rf", {HIDDEN_PREFIX}\w+(?:: [A-Z]+(?: NOT NULL)?)?(?=[,)>])", "", text)
    text = re.sub(rf"`?{HIDDEN_PREFIX}\w+`?\.", "", text)
    text = re.sub(rf"\b(?:{HIDDEN_PREFIX}\w+|{BOUND_VALUES})\b", "value", text)
    return re.sub(r"\[, ", "[", text)


def _first_line(text: str) -> str:
    return text.strip().splitlines()[0] if text.strip() else "no message"


def _fragment_caret(failure: Failure, sql: str) -> Caret | None:
    """The position in `sql` of the fragment that Spark's error quotes: texts reach Spark in pieces, but verbatim."""
    for fragment in failure.fragments:
        # As whole words: the column `a` is not the a in SELECT, nor that in t.a.
        match = re.search(rf"(?<![\w`.]){re.escape(fragment)}(?![\w`])", sql)
        if match is not None:
            return Caret(sql, match.start(), match.end())
    return None


def _misread(failure: Failure, sentence: str, sql: str) -> DeltaSqlError:
    """The error for a syntax error: with a suggestion if there is one, else with the parser's own `sentence`."""
    carets = _misread_carets(failure, sql)
    wrong = misspelt_error(failure, sql, carets)
    if wrong:
        return wrong
    caret = carets[0] if len(carets) == 1 else None
    return errors.SparkError(failure.condition, failure.state, in_users_words(sentence, caret), failure.text).at(caret)


def _misread_carets(failure: Failure, sql: str) -> list[Caret]:
    """The positions at which a parser may have stopped: Spark reports one, Sail only a token, which may occur often.

    If the token that Sail reports does not occur in `sql`, the positions are those of the first tokens.
    """
    caret = misread_part(_before_stack(failure.text), sql)
    if caret is not None or not failure.fragments:
        return [caret] if caret else []
    near, tokens = failure.fragments[0].lower(), tokenize(sql)
    named = [token for token in tokens if near == token.text.lower() or (token.kind == "symbol" and near in token.text)]
    return [Caret(sql, token.start, token.end) for token in named or tokens[:_FEW_TOKENS]]


_FEW_TOKENS = 100


def _fragments(error: PySparkException) -> Iterator[str]:
    from pyspark.errors.exceptions.base import QueryContext, QueryContextType

    try:
        contexts = error.getQueryContext()
    except (NotImplementedError, AttributeError):
        return
    for context in contexts:
        if isinstance(context, QueryContext) and context.contextType() == QueryContextType.SQL and context.fragment():
            yield str(context.fragment())


_POSITION = re.compile(r"\(line (\d+), pos (\d+)\)")
_NEAR = re.compile(r"at or near '(.*?)'[.:]")


def misread_part(message: str, sql: str) -> Caret | None:
    """The position in `sql` at which Spark's parser stopped, from its message, which quotes the text; else None."""
    position, query_text = _POSITION.search(message), message.partition("== SQL ==\n")[2]
    if position is None or not query_text:
        return None
    number, column = int(position[1]), int(position[2])
    lines = query_text.splitlines(keepends=True)
    query, offset = "".join(lines[:number] + lines[number + 1 :]), len("".join(lines[: number - 1])) + column
    if query.startswith(HIDDEN_PREFIX, offset):
        # Within a generated CASE, Spark reports only that some part of it is wrong.
        return unreadable_part(sql)
    return corresponding(query, offset, sql)


def in_users_words(sentence: str, caret: Caret | None) -> str:
    """Spark's `sentence` if the text that it quotes is the user's text at `caret`; else one that quotes the latter."""
    match = _NEAR.search(sentence)
    if match is None:
        return sentence
    if caret is None:
        return "Syntax error in an expression." if match[1].startswith(HIDDEN_PREFIX) else sentence
    written = caret.sql[caret.start : caret.end]
    if written.lower() == match[1].lower():
        return sentence
    return f"Syntax error at or near '{written}'." if written else "Syntax error at or near end of input."


_NOT_READ = re.compile(r"(?:[Ee]rror while reading file|Path does not exist:) (file:[^\n]*?)\.(?: |$)", re.MULTILINE)
_NOT_WRITTEN = re.compile(r"Mkdirs failed to create (file:[^\n]*?)(?: \(exists=|$)", re.MULTILINE)
_NO_WAY = re.compile(r"FileNotFoundException|AccessControlException|Permission denied")


def unreached_error(failure: Failure) -> errors.FilesNotSharedError | None:
    """The error for a local file that Spark has not found or may not read, or a folder that it cannot make.

    None where this process cannot do so either.
    """
    if _is_unread(failure):
        path = _readable(failure)
        return errors.FilesNotSharedError("read", path) if path else None
    unmade = _NOT_WRITTEN.search(failure.text)
    if unmade is not None and may_make(local_path(unmade[1])):
        return errors.FilesNotSharedError("write", local_path(unmade[1]).partition("/_temporary/")[0])
    return None


def _is_unread(failure: Failure) -> bool:
    if failure.condition in {"PATH_NOT_FOUND", "FAILED_READ_FILE.FILE_NOT_EXIST"}:
        return True
    return failure.condition.startswith("FAILED_READ_FILE") and _NO_WAY.search(failure.text) is not None


def _readable(failure: Failure) -> str | None:
    """The local file that Spark speaks of, if this process may read it."""
    match = _NOT_READ.search(failure.text)
    named = failure.parameters.get("path") or (match[1] if match else "")
    if not is_local(named):
        return None
    # Spark writes one of the two conditions with a URI, and the other with a path.
    return next((path for path in (local_path(named), unquote(local_path(named))) if may_read(path)), None)
