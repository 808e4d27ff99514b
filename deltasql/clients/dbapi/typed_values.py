"""Values of parameter markers with types: objects with `name`, `value` and `CAST_EXPR`, as SQL.

The drop-in for databricks-sql-connector and the SQL warehouse bind them alike.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, Protocol, TypeGuard

from deltasql.clients.dbapi.types import NotSupportedError
from deltasql.schema import quote_text, sql_literal
from deltasql.sql import SqlValue

_PYFORMAT = re.compile(r"%\((\w+)\)s")
_INLINE = re.compile(r"%\((\w+)\)s|%s|%%")


class TypedValue(Protocol):
    """A value with a type."""

    name: str | None
    value: Any
    CAST_EXPR: str


def bound(operation: str, parameters: Any, *, inline: bool) -> tuple[str, Mapping[str, Any] | Sequence[Any] | None]:
    """The text and the arguments for `Session.sql`. Raises NotSupportedError for a value that has no SQL.

    `inline` enables the connector's old markers, `%(name)s` and `%s`; the former is always accepted.
    """
    if parameters is None:
        return operation, None
    if inline:
        return _inlined(operation, parameters), None
    if isinstance(parameters, Mapping):
        return _PYFORMAT.sub(r":\1", operation), {name: _value(value) for name, value in parameters.items()}
    markers = list(parameters)
    names = [item.name if _is_typed(item) else None for item in markers]
    values = [_value(item) for item in markers]
    named = {name: value for name, value in zip(names, values, strict=True) if name is not None}
    if markers and len(named) == len(markers):
        return _PYFORMAT.sub(r":\1", operation), named
    return operation, values


def _is_typed(value: Any) -> TypeGuard[TypedValue]:
    return hasattr(value, "CAST_EXPR") and hasattr(value, "value")


def _value(value: Any) -> Any:
    """A value for `bind_parameters`: an SqlValue with a cast for a typed one or a naive datetime, else unchanged."""
    if isinstance(value, datetime) and value.tzinfo is None:
        return SqlValue(f"TIMESTAMP {quote_text(value.isoformat(sep=' '))}", value)
    return SqlValue(_sql(value), value.value) if _is_typed(value) else value


def _sql(value: Any) -> str:
    """The SQL of a value, typed or not. Raises NotSupportedError for a value without a SQL type."""
    if not _is_typed(value):
        try:
            return sql_literal(value)
        except TypeError as error:
            raise NotSupportedError(f"A {error} has no SQL type. Name one, as in StringParameter(…).") from None
    match value.CAST_EXPR:
        case _ if value.value is None:
            return "NULL"
        case "ARRAY":
            return f"array({', '.join(map(_sql, value.value))})"
        case "MAP":
            return f"map({', '.join(map(_sql, _entries(value.value)))})"
        case kind:
            kind = _decimal(value) if "{" in kind else kind
            return f"CAST({quote_text(str(value.value))} AS {kind})"


def _entries(value: Any) -> Sequence[Any]:
    """Alternating keys and values of a mapping; a sequence, as of the connector's MapParameter, is unchanged."""
    return [item for pair in value.items() for item in pair] if isinstance(value, Mapping) else value


def _decimal(value: Any) -> str:
    if getattr(value, "scale", None) and getattr(value, "precision", None):
        return f"DECIMAL({value.scale},{value.precision})"
    _, digits, exponent = Decimal(value.value).as_tuple()
    scale = max(0, -int(exponent))
    return f"DECIMAL({max(len(digits) + max(0, int(exponent)), scale, 1)},{scale})"


def _inlined(operation: str, parameters: Any) -> str:
    """The statement with its markers replaced by values."""
    values = parameters if isinstance(parameters, Mapping) else iter(parameters)

    def text(match: re.Match[str]) -> str:
        if match[0] == "%%":
            return "%"
        value = values[match[1]] if isinstance(values, Mapping) else next(values)
        if isinstance(value, (list, tuple)):
            return f"({', '.join(map(_sql, value))})"
        return _sql(value)

    return _INLINE.sub(text, operation)
