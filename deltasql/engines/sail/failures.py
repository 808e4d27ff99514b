"""Translation of Sail's error messages, which have no error conditions, to Spark's conditions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from deltasql.base import DeltaSqlError, errors, similar_names
from deltasql.engines.spark.failures import Failure

if TYPE_CHECKING:
    from pyspark.errors import PySparkException

_TYPES = {
    "Int8": "TINYINT",
    "Int16": "SMALLINT",
    "Int32": "INT",
    "Int64": "BIGINT",
    "Float32": "FLOAT",
    "Float64": "DOUBLE",
    "Boolean": "BOOLEAN",
    "Date32": "DATE",
    "Utf8": "STRING",
}
_IDENTIFIER = re.compile(r'Identifier\("((?:[^"\\]|\\.)*)"\)')


_STATES = {
    "ARITHMETIC_OVERFLOW": "22003",
    "CAST_INVALID_INPUT": "22018",
    "CAST_OVERFLOW": "22003",
    "DATATYPE_MISMATCH": "42K09",
    "INVALID_ARRAY_INDEX": "22003",
    "USER_RAISED_EXCEPTION": "P0001",
}


def _unresolved(match: re.Match[str]) -> Failure:
    parts = [re.sub(r"\\(.)", r"\1", part) for part in _IDENTIFIER.findall(match[1])]
    name = ".".join(f"`{part}`" for part in parts)
    text = f"A column, variable, or function parameter with name {name} cannot be resolved."
    values = {"objectName": name}
    # With the dots first: the last part alone may stand elsewhere too.
    return Failure("UNRESOLVED_COLUMN.WITHOUT_SUGGESTION", "42703", text, values, (".".join(parts), parts[-1]))


def _ambiguous(match: re.Match[str]) -> Failure:
    name = ".".join(f"`{part}`" for part in _IDENTIFIER.findall(match[1]))
    return Failure(
        "AMBIGUOUS_REFERENCE", "42704", f"Reference {name} is ambiguous.", {"name": name}, (name.strip("`"),)
    )


def _malformed(match: re.Match[str]) -> Failure:
    target = _TYPES.get(match[2], match[2].upper())
    text = f'The value \'{match[1]}\' of the type "STRING" cannot be cast to "{target}" because it is malformed.'
    values = {"expression": f"'{match[1]}'", "sourceType": '"STRING"', "targetType": f'"{target}"'}
    return Failure("CAST_INVALID_INPUT", "22018", text, values)


def _overflow(match: re.Match[str]) -> Failure:
    target = _TYPES.get(match[2], match[2].upper())
    source = "BIGINT" if re.fullmatch(r"-?\d+", match[1]) else "DOUBLE"
    text = f'The value {match[1]} cannot be cast to "{target}" due to an overflow.'
    values = {"value": match[1], "sourceType": f'"{source}"', "targetType": f'"{target}"'}
    return Failure("CAST_OVERFLOW", "22003", text, values)


def _too_wide(match: re.Match[str]) -> Failure:
    scale = len(match[3].partition(".")[2])
    text = f"{match[1]} cannot be represented as Decimal({match[2]}, {scale})."
    values = {"value": match[1], "precision": match[2], "scale": str(scale)}
    return Failure("NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION", "22003", text, values)


def _misread(match: re.Match[str]) -> Failure:
    near = match[1]
    text = f"Syntax error at or near '{near}'." if near != "end of input" else "Syntax error at or near end of input."
    advice = ' So Sail says, the engine of this session; what Spark reads, run with engine="spark".'
    return Failure("PARSE_SYNTAX_ERROR", "42601", text + advice, {}, (near,))


def _conditioned(match: re.Match[str]) -> Failure:
    return Failure(match[1], _STATES.get(match[1].split(".")[0], "XX000"), match[2], {})


def _named(condition: str, state: str, sentence: str) -> Callable[[re.Match[str]], Failure]:
    def failure(match: re.Match[str]) -> Failure:
        name = match[1] if match.re.groups else ""
        values = {"routineName": f"`{name}`"} if condition == "UNRESOLVED_ROUTINE" else {}
        return Failure(condition, state, sentence.format(name=name), values, (name,) if name else ())

    return failure


def _no_parts(match: re.Match[str]) -> Failure:
    kind = _TYPES.get(match[1], match[1].upper())
    text = f'A value is extracted from what is no complex type [STRUCT, ARRAY, MAP] but "{kind}".'
    return Failure("INVALID_EXTRACT_BASE_FIELD_TYPE", "42000", text, {})


def _no_result(match: re.Match[str]) -> Failure:
    # The traceback has no line of the user's code: that a result does not fit its type is found behind it.
    return Failure("PYTHON_EXCEPTION", "38000", f"The result of a function of Python was refused: {match[1]}", {})


def _unbound(match: re.Match[str]) -> Failure:
    return Failure("UNBOUND_SQL_PARAMETER", "42P02", match[0], {"name": match[1]}, (f":{match[1]}",))


_CONDITIONS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Failure]], ...] = tuple(
    (re.compile(pattern), make)
    for pattern, make in (
        (r"(?s)\A\s*An exception was thrown from the Python worker\b.*\n(\w[\w.]*: [^\n]+)", _no_result),
        (r"Placeholder ':(\w+)' was not provided", _unbound),
        (
            r'(?s)No field named \S*"#\d+"\.\s+Valid fields are (?:(?!"#\d).)*\Z',
            _named(
                "MISSING_GROUP_BY",
                "42803",
                "The query does not include a GROUP BY clause. Add GROUP BY or turn it into the window functions using "
                "OVER clauses.",
            ),
        ),
        (r"cannot extract value from data type: (\w+)", _no_parts),
        (r"ambiguous attribute: ObjectName\(\[(.*?)\]\)", _ambiguous),
        (r"attribute ObjectName\(\[(.*?)\]\) is missing from the schema", _unresolved),
        (r"(?s)\A\[([A-Z]\w+(?:\.[A-Z]\w+)?)\] (.*)", _conditioned),
        (r"(?s)Cannot cast string '(.*)' to value of (\w+) type", _malformed),
        (r"(?s)Cannot cast value '(.*)' to value of (\w+) type", _malformed),
        (r"(-?[\d.]+) is too large to store in a Decimal\d+ of precision (\d+)\. Max is ([\d.]+)", _too_wide),
        (r"(-?[\d.]+) is too small to store in a Decimal\d+ of precision (\d+)\. Min is (-?[\d.]+)", _too_wide),
        (r"Can't cast value (\S+) to type (\w+)", _overflow),
        (r"(?s)\Ainvalid argument: found (.+?) at \d+:\d+ expected ", _misread),
        (r"\Ainvalid argument: found (end of input) expected ", _misread),
        (r"(?i)divi(?:de|sion) by zero|remainder by zero", _named("DIVIDE_BY_ZERO", "22012", "Division by zero.")),
        (
            r"Scalar subquery returned more than one row|\Aone row only\b",
            _named(
                "SCALAR_SUBQUERY_TOO_MANY_ROWS",
                "21000",
                "More than one row returned by a subquery used as an expression.",
            ),
        ),
        (
            r"(?:unknown (?:table )?function|Function not found): (\w+)",
            _named("UNRESOLVED_ROUTINE", "42883", "There is no function {name}."),
        ),
        (
            r"Table not found: .*?not found: (\S+)",
            _named("TABLE_OR_VIEW_NOT_FOUND", "42P01", "There is no table {name}. Run SHOW TABLES to see what exists."),
        ),
        (
            r"\A(\w+) (?:value|argument)s? expected: \[",
            _named(
                "WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
                "42605",
                "A function that takes {name} argument(s) is called with another number of them.",
            ),
        ),
        (
            r"Cannot infer common argument type for comparison operation|Can not find compatible types to compare",
            _named(
                "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES",
                "42K09",
                "A comparison has values of two types that have no common one. Cast one of them.",
            ),
        ),
        (
            r"non-boolean predicate|[Cc]ondition must be boolean",
            _named("DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN", "42K09", "A condition is not BOOLEAN."),
        ),
    )
)
_UNSUPPORTED = (
    (
        re.compile(r"Physical plan does not support logical expression (?:InSubquery|Exists)"),
        "IN and EXISTS (SELECT …) outside of WHERE",
    ),
    (re.compile(r"monotonically_increasing_id\(\) was not rewritten"), "numbers of rows in such a query"),
    (
        re.compile(r"Arithmetic overflow: Overflow happened on: -?\d+ \*"),
        "a DECIMAL of more than 38 digits on the way: cast the operands to shorter ones",
    ),
    (re.compile(r"arrow\.parquet\.variant|(?i:\bvariant\b)"), "VARIANT"),
    (re.compile(r'No field named "\?table\?"'), "a LATERAL sub-query that names columns beside it"),
    (re.compile(r"Nested comparison: "), "comparisons of structs in arrays"),
    (
        re.compile(r"Failed to allocate additional .* memory pool"),
        "it needs more memory than Sail's operators may use, 40 % of the available memory "
        "(the environment variable SAIL_RUNTIME__MEMORY_POOL__FAIR__MAX_SIZE sets another limit, in bytes)",
    ),
    (re.compile(r"(?s)\A\[UNSUPPORTED_FEATURE\.SAIL\] (.*)"), ""),
    (re.compile(r"(?s)(?:not supported|This feature is not implemented|not implemented): *(.*)"), ""),
)


def sail_error(error: PySparkException) -> Failure | DeltaSqlError:
    """Error for an exception of Sail: NotOnSailError for an unsupported feature, else the matching Spark condition."""
    text = str(error)
    missing = unsupported_feature(text, unsupported=type(error).__name__ == "UnsupportedOperationException")
    return sail_failure(text) if missing is None else missing


def with_proposals(failure: Failure, columns: Iterable[str]) -> Failure:
    """An unresolved name with the columns that it resembles most, as Spark proposes them; Sail names none."""
    name = failure.parameters.get("objectName", "").rpartition(".")[2].strip("`")
    names = similar_names(name, columns, most=_MOST_PROPOSED, cutoff=0.0)
    proposals = ["`" + column.replace("`", "``") + "`" for column in names]
    if failure.condition != _UNRESOLVED or not proposals:
        return failure
    text = f"{failure.text} Did you mean one of the following? [{', '.join(proposals)}]."
    values = {**failure.parameters, "proposal": ", ".join(proposals)}
    return replace(failure, condition="UNRESOLVED_COLUMN.WITH_SUGGESTION", text=text, parameters=values)


_UNRESOLVED, _MOST_PROPOSED = "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION", 5


def sail_failure(text: str) -> Failure:
    """The Spark condition that matches a message of Sail; SAIL_ERROR if there is none."""
    for pattern, make in _CONDITIONS:
        match = pattern.search(text)
        if match is not None:
            failure = make(match)
            return Failure(failure.condition, failure.state, failure.text, failure.parameters, failure.fragments)
    return Failure("SAIL_ERROR", "XX000", text, {})


def unsupported_feature(text: str, *, unsupported: bool) -> DeltaSqlError | None:
    """NotOnSailError for a message about an unsupported feature; None for any other message.

    `unsupported`: Sail raised UnsupportedOperationException.
    """
    for pattern, what in _UNSUPPORTED:
        match = pattern.search(text)
        if match is not None:
            return errors.NotOnSailError(what=what or _line(match[1]))
    has_condition = any(pattern.search(text) for pattern, _ in _CONDITIONS)
    return errors.NotOnSailError(what=_line(text)) if unsupported and not has_condition else None


def _line(text: str) -> str:
    return (text.strip().splitlines() or ["this statement"])[0].rstrip(".")
