"""What Spark raises → the typed errors of deltasql, placed in the user's own SQL."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from deltasql.engine.frames import VIOLATION_MARK
from deltasql.engine.misread import in_users_words, misread_part
from deltasql.errors.base import Caret, DeltaSqlError
from deltasql.errors.columns import IdentityOverflowError
from deltasql.errors.engine import (
    CheckViolationError,
    InsertOverflowError,
    NotNullViolationError,
    SparkError,
    WriteOverflowError,
)
from deltasql.errors.write import ExceedLengthError, MergeUnresolvedError, ReplaceWhereMismatchError
from deltasql.parser.unsupported import refusal
from deltasql.plan.hidden import HIDDEN_PREFIX
from deltasql.plan.operators import Constraint
from deltasql.planner.char_types import LENGTH_CHECK
from deltasql.planner.generated import GENERATED_CHECK
from deltasql.planner.identity import OVERFLOW_MARK
from deltasql.planner.replace_where import REPLACE_WHERE

if TYPE_CHECKING:
    from pyspark.errors import PySparkException

# Raised by a row; a plan that Spark prints holds the mark as well, but no row behind it.
_VIOLATION = re.compile(re.escape(VIOLATION_MARK) + r"([^|]*)\|(\{.*\})")
_OVERFLOW = re.compile(re.escape(OVERFLOW_MARK) + r"([^|]*)\|")


@dataclass(frozen=True, slots=True)
class WriteContext:
    """What a failed write was about: the table, its constraints by name, and the statement."""

    table: str
    constraints: tuple[Constraint, ...]
    insert: bool = False
    merge: bool = False


@contextmanager
def retold(sql: str, write: WriteContext | None = None) -> Iterator[None]:
    """Within the context, errors of Spark come out as DeltaSqlErrors with a caret in `sql` where the place is known."""
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as error:
        raise _translate(error, sql, write) from error
    except Exception as error:
        # A Py4JError is a failure of the bridge or of the JVM below PySpark's own error classes.
        if type(error).__module__.startswith("py4j"):
            raise _bridge_error(str(error)) from error
        raise


def _translate(error: PySparkException, sql: str, write: WriteContext | None) -> DeltaSqlError:
    name = error.getCondition() or "SPARK_ERROR"
    text = str(error)
    violation = _VIOLATION.search(text) if write is not None else None
    if violation is not None and write is not None:
        return _violation(violation, write)
    overflow = _OVERFLOW.search(text)
    if overflow is not None:
        return IdentityOverflowError(unquote(overflow[1]))
    if name == "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE" and write is not None:
        # A condition reaches Spark inside a CASE of ours, which its message would show.
        values = error.getMessageParameters() or {}
        sentence = f"The condition {values.get('inputSql')} is of type {values.get('inputType')}, not BOOLEAN."
        if values.get("sqlExpr", "").startswith('"CASE WHEN'):
            return SparkError("DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN", "42K09", sentence, text)
    if write is not None and (name == "CAST_OVERFLOW" or name.startswith("NUMERIC_VALUE_OUT_OF_RANGE")):
        return _overflow(error, write)
    if name.startswith("UNRESOLVED_COLUMN") and write is not None and write.merge:
        return _unresolved(error).at(_place(error, sql))
    state, sentence = error.getSqlState() or "XX000", _sentence(text, name)
    if name == "PARSE_SYNTAX_ERROR":
        place = misread_part(_before_stack(text), sql)
        refused = refusal(sql, place.start) if place else None
        if refused:
            return refused
        return SparkError(name, state, in_users_words(sentence, place), text).at(place)
    return SparkError(name, state, sentence, text).at(_place(error, sql))


def _bridge_error(text: str) -> SparkError:
    """Spark's condition and sentence out of a Java stack, where it holds one."""
    match = re.search(r"\[([A-Z]\w+(?:\.[A-Z]\w+)?)\] (.*?)(?: SQLSTATE: (\w{5}).*)?$", text, re.MULTILINE)
    if match is None:
        return SparkError("SPARK_JVM_ERROR", "XX000", _first_line(text), text)
    return SparkError(match[1], match[3] or "XX000", match[2].strip(), text)


def _violation(match: re.Match[str], write: WriteContext) -> DeltaSqlError:
    constraint = next(item for item in write.constraints if quote(item.name) == match[1])
    if constraint.name == REPLACE_WHERE:
        return ReplaceWhereMismatchError(predicate=constraint.condition, values=_values(match[2], constraint))
    if constraint.name.startswith(LENGTH_CHECK):
        column, limit = constraint.name.removeprefix(LENGTH_CHECK), constraint.condition.rpartition(" ")[2]
        return ExceedLengthError(column=column, limit=limit, values=_values(match[2], constraint))
    if constraint.column is not None:
        return NotNullViolationError(column=constraint.column, table=write.table)
    # All generated columns share one name in Delta.
    name = GENERATED_CHECK.strip() if constraint.name.startswith(GENERATED_CHECK) else constraint.name
    return CheckViolationError(
        constraint=name, expression=f"({constraint.condition})", values=_values(match[2], constraint)
    )


def _values(text: str, constraint: Constraint) -> str:
    """The row's values for the columns that the condition mentions, sorted by name."""
    try:
        row = json.loads(text)
    except ValueError:
        return text
    words = {word.lower() for word in re.findall(r"\w+", constraint.condition)}
    mentioned = {key: value for key, value in row.items() if key.lower() in words} or row
    return ", ".join(f"{key} = {json.dumps(mentioned[key], ensure_ascii=False)}" for key in sorted(mentioned))


def _overflow(error: PySparkException, write: WriteContext) -> DeltaSqlError:
    values = error.getMessageParameters() or {}
    kind = InsertOverflowError if write.insert else WriteOverflowError
    # Of a decimal Spark tells precision and scale instead of types.
    decimal = f"DECIMAL({values.get('precision')},{values.get('scale')})"
    return kind(
        table=write.table,
        source=values.get("sourceType", "number").strip('"'),
        target=values.get("targetType", decimal).strip('"'),
        value=values.get("value", ""),
    )


def _unresolved(error: PySparkException) -> DeltaSqlError:
    values = error.getMessageParameters() or {}
    proposals = _hide_views(values.get("proposal", "")).replace("`", "").split(", ")
    name = values.get("objectName", "").replace("`", "")
    return MergeUnresolvedError(expression=name, clause="the MERGE", columns=tuple(item for item in proposals if item))


def _sentence(text: str, name: str) -> str:
    """Spark's message without its condition, SQLSTATE, plan dump and stack."""
    body = re.split(r";\n'?[A-Z]\w+|\n== SQL|\n'?(?:Project|Filter|Aggregate|Join)\b", _before_stack(text))[0]
    body = re.sub(rf"^\[{re.escape(name)}\]\s*", "", body.strip())
    # Line and position are those of the text that Spark was given.
    body = re.sub(r"\s*SQLSTATE: \w{5}(?:; line \d+ pos \d+| \(line \d+, pos \d+\))?", "", body)
    return _hide_views(body.strip())


def _before_stack(text: str) -> str:
    return text.split("\n\nJVM stacktrace:", maxsplit=1)[0]


def _hide_views(text: str) -> str:
    """No hidden column or view of ours in a message that a user reads."""
    text = re.sub(rf",? ?`(?:\w+`\.`)?{HIDDEN_PREFIX}\w+`", "", text)
    return re.sub(r"\[, ", "[", text)


def _first_line(text: str) -> str:
    return text.strip().splitlines()[0] if text.strip() else "no message"


def _place(error: PySparkException, sql: str) -> Caret | None:
    """The fragment that Spark complains of, found in the user's SQL: texts reach Spark in pieces, but verbatim."""
    try:
        contexts = error.getQueryContext()
    except (NotImplementedError, AttributeError):
        return None
    for context in contexts:
        fragment = _fragment(context)
        # As whole words: the column `a` is not the a in SELECT a.
        found = re.search(rf"(?<![\w`]){re.escape(fragment)}(?![\w`])", sql) if fragment else None
        if found is not None:
            return Caret(sql, found.start(), found.end())
    return None


def _fragment(context: object) -> str:
    from pyspark.errors.exceptions.base import QueryContext, QueryContextType

    if not isinstance(context, QueryContext) or context.contextType() != QueryContextType.SQL:
        return ""
    return str(context.fragment())
