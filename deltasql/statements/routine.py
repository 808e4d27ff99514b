"""EXECUTE IMMEDIATE: runs a statement whose text is a value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

from deltasql.base import Caret, Token, closing, comma_separated, errors
from deltasql.plan import ColumnPath, LogicalPlan, SqlQuery, SqlText
from deltasql.planner import Context, LogRows, Plan, QueryRows, SparkCommand, binding, plan
from deltasql.sql import SqlValue, bind_identifiers, bind_parameters, is_script, parse, unquote
from deltasql.statements.idempotency import plan_statement
from deltasql.statements.query import Query as QueryStatement


@dataclass(frozen=True, slots=True)
class ExecuteImmediate(LogicalPlan):
    """EXECUTE IMMEDIATE text [INTO variable, …] [USING value [AS name], …]"""

    text: SqlText
    variables: tuple[ColumnPath, ...]
    values: SqlText | None


_DEEPEST = 8
_NAMED_MARKER = re.compile(r"(?<![\w:`\])\"']):[A-Za-z_]")
_NO_ALIAS = frozenset({"NULL", "TRUE", "FALSE", "END"})
_UNITS = re.compile(r"(YEAR|QUARTER|MONTH|WEEK|DAY|HOUR|MINUTE|SECOND|MILLISECOND|MICROSECOND)S?")


@plan.register
def plan_execute_immediate(statement: ExecuteImmediate, context: Context) -> Plan:
    """The plan of the statement in the text. Its errors are placed in that text."""
    text = _text(statement.text, context)
    if is_script(text):
        raise errors.ScriptInImmediateError().at(context.caret(statement.text.start, statement.text.end))
    arguments = None if statement.values is None else _arguments(statement.values, text, context)
    depth = context.depth + 1
    if depth > _DEEPEST:
        raise errors.NestedImmediateError(depth=_DEEPEST).at(context.caret(statement.text.start, statement.text.end))
    try:
        bound = bind_parameters(text, _no_values(text) if arguments is None else arguments)
    except errors.UnboundParameterError as error:
        raise errors.ImmediateParameterError(name=error.name).at(error.caret) from None
    # Asking for the method alone would wake the engine.
    bound = bind_identifiers(bound, lambda name: context.analyst.value(name))  # noqa: PLW0108
    node = parse(bound.sql)
    change = plan_statement(node, replace(context, sql=bound.sql, bound=bound, depth=depth))
    if not statement.variables:
        return change
    change = change.query() if isinstance(change, LogRows) else change
    if not (isinstance(node, (QueryStatement, ExecuteImmediate)) and isinstance(change, QueryRows)):
        verb = bound.sql.split(maxsplit=1)[0].upper()
        raise errors.ImmediateIntoError(statement=verb).at(context.caret(statement.text.start, statement.text.end))
    assert isinstance(change.operator, SqlQuery)
    variables = ", ".join(str(variable) for variable in statement.variables)
    return SparkCommand(f"SET VARIABLE ({variables}) = (\n{change.operator.sql}\n)", change.operator.relations)


def _no_values(text: str) -> Mapping[str, Any] | Sequence[Any]:
    """The arguments of EXECUTE IMMEDIATE without USING: {} for a text with named markers, else ()."""
    return {} if _NAMED_MARKER.search(text) else ()


def _text(expression: SqlText, context: Context) -> str:
    """The text of the statement. Literals need no Spark. Raises ImmediateTextError."""
    tokens = expression.tokens
    if tokens and all(token.kind == "string" for token in tokens):
        return "".join(unquote(token.text) for token in tokens)
    value = context.analyst.value(expression.text)
    if not isinstance(value, str):
        text = expression.text
        error = errors.ImmediateTextError(expression=text, found=f"of type {type(value).__name__}")
        wrong = errors.NullImmediateError(expression=text) if value is None else error
        raise wrong.at(context.caret(expression.start, expression.end))
    return value


def _arguments(values: SqlText, text: str, context: Context) -> Mapping[str, Any] | Sequence[Any]:
    """The values of USING: by name where they have names and the text has named markers, else in order."""
    items = [_named(item) for item in _items(values.tokens)]
    _refuse_missing(items, context.caret(values.start, values.end))
    spans = [values.text[tokens[0].start : tokens[-1].end] for tokens, _ in items]
    arguments = [_value(tokens, sql, context) for (tokens, _), sql in zip(items, spans, strict=True)]
    # A variable goes by its own name.
    names = [name or (tokens[0].name if _is_variable(tokens) else "") for tokens, name in items]
    if any(name for _, name in items) or (all(names) and _NAMED_MARKER.search(text)):
        if not all(names):
            value = spans[names.index("")]
            raise errors.UnnamedParameterError(value=value).at(context.caret(values.start, values.end))
        _refuse_twice(names, context.caret(values.start, values.end))
        return dict(zip(names, arguments, strict=True))
    return arguments


def _refuse_missing(items: Sequence[tuple[Sequence[Token], str | None]], caret: Caret) -> None:
    """Raises ParseSyntaxError for a name without a value: USING AS a."""
    if not all(tokens for tokens, _ in items):
        raise errors.ParseSyntaxError("No value stands before AS.", "AS").at(caret)


def _refuse_twice(names: Sequence[str], caret: Caret) -> None:
    """Raises DuplicateAliasError for a name of two values."""
    twice = next((name for index, name in enumerate(names) if name in names[:index]), None)
    if twice is not None:
        raise errors.DuplicateAliasError(name=twice).at(caret)


def _items(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """The tokens of each item between top-level commas; brackets around all of them are left out."""
    if tokens and tokens[0].key == "(" and closing(tokens, 0) == len(tokens) - 1 and tokens[1].key != "SELECT":
        tokens = tokens[1:-1]
    yield from (item for item in comma_separated(tokens) if item)


def _named(item: Sequence[Token]) -> tuple[Sequence[Token], str | None]:
    """The tokens of an item's expression, and the name behind it or None."""
    if len(item) < 2 or not item[-1].is_name:
        return item, None
    if item[-2].key == "AS":
        return item[:-2], item[-1].name
    before = item[-2]
    is_operand = before.is_name or before.kind in {"string", "number"} or before.key in {")", "]"}
    is_word = item[-1].key in _NO_ALIAS or _UNITS.fullmatch(item[-1].key) is not None
    return (item[:-1], item[-1].name) if is_operand and not is_word else (item, None)


def _is_variable(tokens: Sequence[Token]) -> bool:
    return len(tokens) == 1 and tokens[0].is_name and tokens[0].key not in _NO_ALIAS


def _value(tokens: Sequence[Token], sql: str, context: Context) -> Any:
    """The value of a constant; whole numbers and strings need no Spark."""
    if len(tokens) == 1 and tokens[0].text.isdecimal():
        return int(tokens[0].text)
    if all(token.kind == "string" for token in tokens):
        return "".join(unquote(token.text) for token in tokens)
    value = context.analyst.value(*binding.bind(context, sql))
    if len(tokens) == 1 and value is None and tokens[0].key == "NULL":
        return None
    # Of the others a literal would lose the type: TIMESTAMP, FLOAT, structs, NULL of a type …
    return (
        value
        if isinstance(value, (str, int, date, bytes)) and not isinstance(value, datetime)
        else SqlValue(sql, value)
    )
