"""Type checks of Spark's analyser that Sail lacks: conditions must be BOOLEAN, and casts must exist.

The types come from the engine's analyser, asked once per statement before any row is computed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from deltasql.base.errors.engine import NotOnSailError
from deltasql.engines.sail.guards.unsupported import unsupported_condition
from deltasql.engines.spark.failures.spark_errors import translated
from deltasql.engines.spark.failures.write_errors import Failure, WriteContext
from deltasql.plan import marks
from deltasql.plan.hidden import LOOKUP
from deltasql.plan.operators import Check, Operator, Project, Rewrite, children
from deltasql.schema.text import sql_text
from deltasql.schema.type_lattice import is_integral, is_number
from deltasql.schema.types import (
    BINARY,
    BOOLEAN,
    DATE,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VOID,
    ArrayType,
    DataType,
    MapType,
    StructType,
)
from deltasql.sql.cursor import TokenCursor
from deltasql.sql.tokens import Token, tokenize

Scope: TypeAlias = Sequence[tuple[Operator, str]]
Types: TypeAlias = Callable[[Scope, Sequence[str]], Sequence[DataType]]
"""The types of expressions over some rows, each under its alias."""

_LOOKED_UP = re.compile(rf"(?:(?:`(?:[^`]|``)*`|\w+)\.)?{LOOKUP}\b")


def check_rewrite(operator: Rewrite, types: Types, sql: str, write: WriteContext) -> None:
    """Raises Spark's error for an invalid condition or cast of UPDATE, DELETE or MERGE. Raises NotOnSailError, too."""
    join = operator.join
    conditions = [action.condition for action in operator.actions if action.condition]
    conditions += [join.on] if join is not None else []
    # Of our own, and no column of the source as it is here.
    conditions = [_LOOKED_UP.sub("FALSE", condition) for condition in conditions]
    _refuse(conditions)
    nothing = replace(operator.target, files=operator.target.files.slice(0, 0))
    scope: list[tuple[Operator, str]] = [(nothing, operator.target_alias)]
    scope += [(join.source, join.alias)] if join is not None else []
    values = [value for action in operator.actions for value in action.values]
    _check(scope, conditions, values, types, sql, write)


def check_write(operator: Operator, types: Types, sql: str, write: WriteContext) -> None:
    """Raises Spark's error for an invalid cast in the values of an INSERT, or an invalid REPLACE WHERE condition.

    Raises NotOnSailError, too.
    """
    if isinstance(operator, Project):
        values = [value for _, value in operator.columns]
        _check([(operator.child, "x")], [], values, types, sql, write)
    elif isinstance(operator, Check):
        conditions = [item.condition for item in operator.conditions if item.name == marks.REPLACE_WHERE]
        _refuse(conditions)
        _check([(operator.child, "x")], conditions, [], types, sql, write)
    for child in children(operator):
        check_write(child, types, sql, write)


def check_casts(scope: Scope, expressions: Sequence[str], types: Types, sql: str) -> None:
    """Raises Spark's error for an invalid cast in expressions over the joined rows of `scope`."""
    _check(scope, [], expressions, types, sql, None)


def _refuse(conditions: Sequence[str]) -> None:
    for condition in conditions:
        if what := unsupported_condition(condition):
            raise NotOnSailError(what=what)


def _check(
    scope: Scope, conditions: Sequence[str], values: Sequence[str], types: Types, sql: str, write: WriteContext | None
) -> None:
    casts = list(dict.fromkeys(cast for text in (*conditions, *values) for cast in casts_in(text)))
    expressions = [*conditions, *(part for inner, kind in casts for part in (inner, f"CAST(NULL AS {kind})"))]
    if not expressions:
        return
    kinds_found = types(scope, expressions)
    for condition, kind in zip(conditions, kinds_found, strict=False):
        if kind not in {BOOLEAN, VOID}:
            text = f'The condition "({condition})" is of type "{sql_text(kind)}", not BOOLEAN.'
            raise translated(Failure("DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN", "42K09", text, {}), sql, None)
    kinds = kinds_found[len(conditions) :]
    for (inner, kind_name), source, target in zip(casts, kinds[::2], kinds[1::2], strict=True):
        if not has_cast(source, target):
            raise translated(_no_cast(inner, kind_name, source, target), sql, write)


def _no_cast(inner: str, kind: str, source: DataType, target: DataType) -> Failure:
    old, new = sql_text(source), sql_text(target)
    text = f'Cannot resolve "CAST({inner} AS {kind})" due to data type mismatch: cannot cast "{old}" to "{new}".'
    values = {"srcType": f'"{old}"', "targetType": f'"{new}"'}
    if is_integral(source) and target == DATE:
        values["functionNames"] = "`DATE_FROM_UNIX_DATE`"
        text += f'\nTo convert values from "{old}" to "{new}", you can use the functions `DATE_FROM_UNIX_DATE` instead.'
    return Failure("DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION", "42K09", text, values)


_GROUPS: dict[DataType, str] = {
    BOOLEAN: "boolean",
    DATE: "date",
    TIMESTAMP: "time",
    TIMESTAMP_NTZ: "plain time",
    BINARY: "binary",
}
_NO_CASTS = {
    "number": {"date", "plain time", "parts"},
    "boolean": {"date", "time", "plain time", "binary", "parts"},
    "date": {"number", "boolean", "binary", "parts"},
    "time": {"boolean", "binary", "parts"},
    "plain time": {"number", "boolean", "binary", "parts"},
    "binary": {"number", "boolean", "date", "time", "plain time", "parts"},
    "parts": {"number", "boolean", "date", "time", "plain time", "binary"},
    "text": {"parts"},
}
"""Groups of target types that a group of source types has no cast to, in ANSI mode. Source: Spark, ANSI compliance,
Cast.
"""


def has_cast(source: DataType, target: DataType) -> bool:
    """Whether Spark has a cast from `source` to `target`; True for any two nested types."""
    if source in {VOID, target}:
        return True
    return target != VOID and _group(target) not in _NO_CASTS.get(_group(source), ())


def _group(kind: DataType) -> str:
    if is_number(kind):
        return "number"
    if isinstance(kind, (ArrayType, MapType, StructType)):
        return "parts"
    return "text" if kind == STRING else _GROUPS.get(kind, "other")


def casts_in(expression: str) -> Iterator[tuple[str, str]]:
    """Operand and type of each CAST in an expression; none if it has a lambda, whose parameter may be the operand."""
    if "->" in expression or "cast" not in expression.lower():
        return
    tokens = tokenize(expression)
    for number, token in enumerate(tokens[:-1]):
        if token.key != "CAST" or tokens[number + 1].key != "(":
            continue
        group = TokenCursor(tokens[number + 1 :]).group()
        split = _last_as(group)
        if split is None or group[-1].key != ")":
            continue
        inner = expression[group[0].end : split.start].strip()
        if inner and inner.upper() != "NULL":
            yield inner, expression[split.end : group[-1].start].strip()


def refuse_stray(expressions: Sequence[str], kinds: Sequence[DataType], sql: str) -> None:
    """Raises Spark's syntax error for a stray word after an expression, which in brackets would pass as a field name.

    `kinds` are the types of the expressions.
    """
    for text, kind in zip(expressions, kinds, strict=True):
        tokens = tokenize(text)
        if not isinstance(kind, StructType) or len(kind) != 1 or len(tokens) < 2:
            continue
        before, last = tokens[-2], tokens[-1]
        is_operand = before.is_name or before.kind in {"string", "number"} or before.key in {")", "]"}
        if is_operand and kind.fields[0].name == last.name and last.kind in {"word", "quoted", "number"}:
            near = f"Syntax error at or near '{last.text}'."
            raise translated(Failure("PARSE_SYNTAX_ERROR", "42601", near, {}, (last.text,)), sql, None)


def _last_as(group: Sequence[Token]) -> Token | None:
    """The AS between operand and type in the bracketed tokens of a CAST; None if there is none."""
    depth, position = 0, None
    for item in group:
        depth += (item.key == "(") - (item.key == ")")
        if depth == 1 and item.key == "AS":
            position = item
    return position
