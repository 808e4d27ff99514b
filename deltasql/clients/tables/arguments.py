"""Arguments of Delta's API as parts of SQL: conditions, assignments, names; with the errors that delta-spark has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from deltasql.base.errors.usage import ArgumentEntryTypeError, ArgumentKindError, ArgumentTypeError, ArgumentValueError
from deltasql.schema.text import quote_name, quote_text
from deltasql.session.frames.columns.columns import column_sql, is_column
from deltasql.session.frames.columns.texts import Owner, name_parts, one_expression
from deltasql.sql.parser import keywords

_EXPRESSION = "a Spark SQL Column or a string with an expression in SQL"
_EXPRESSIONS = "Spark SQL Columns or strings with expressions in SQL"


def exact_name(parts: Iterable[str]) -> str:
    """A name in SQL, its parts in back-ticks where they are keywords or no plain words."""
    reserved = keywords()
    return ".".join(f"`{part}`" if part.upper() in reserved else quote_name(part) for part in parts)


def expression(value: Any, argument: str, owner: Owner | None = None) -> str:
    """SQL of a Column or of a text. Raises ArgumentTypeError, ParseSyntaxError, UnsupportedColumnError."""
    if is_column(value):
        return column_sql(value, owner)
    if not isinstance(value, str):
        raise ArgumentTypeError(argument, _EXPRESSION, type(value).__name__)
    return one_expression(value)


def assignments(values: Any, argument: str, owner: Owner | None = None) -> list[tuple[str, str]]:
    """The columns and values of a dict, as SQL. Raises what `expression` raises, and ArgumentValueError for none."""
    if values is None:
        raise ArgumentValueError(argument, "None", "it maps columns to their new values")
    if not isinstance(values, Mapping):
        raise ArgumentTypeError(argument, "a dict of columns and their values", type(values).__name__)
    if not values:
        raise ArgumentValueError(argument, "empty", "it maps columns to their new values")
    found = []
    for name, value in values.items():
        if not isinstance(name, str):
            raise ArgumentEntryTypeError(f"Keys of dict in {argument}", "names of columns", type(name).__name__)
        if not is_column(value) and not isinstance(value, str):
            raise ArgumentEntryTypeError(f"Values of dict in {argument}", _EXPRESSIONS, type(value).__name__)
        found.append((exact_name(name_parts(name)), expression(value, argument, owner)))
    return found


def given(value: Any, kind: type, argument: str) -> Any:
    """An argument that must be of a type; a bool is no int. Raises ArgumentTypeError."""
    if not _is(value, kind):
        raise ArgumentTypeError(argument, _CALLED.get(kind, kind.__name__), type(value).__name__)
    return value


def checked(value: Any, kind: type, argument: str) -> Any:
    """As `given`, for arguments for which Delta's package raises a ValueError. Raises ArgumentKindError."""
    if not _is(value, kind):
        raise ArgumentKindError(argument, _CALLED.get(kind, kind.__name__), str(type(value)))
    return value


def _is(value: Any, kind: type) -> bool:
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


_CALLED = {str: "a string", int: "an int", bool: "a boolean", dict: "a dict"}


def column_names(columns: Sequence[Any], argument: str) -> str:
    """Names of columns as SQL, from names or from one list of names. Raises ArgumentTypeError, ArgumentValueError."""
    names = columns[0] if len(columns) == 1 and isinstance(columns[0], (list, tuple)) else columns
    if not names:
        raise ArgumentValueError(argument, "empty", "name at least one column")
    return ", ".join(exact_name(name_parts(given(name, str, argument))) for name in names)


def property_list(properties: Mapping[Any, Any]) -> str:
    """Table properties as SQL. Raises ArgumentTypeError for a key or value that is no text."""
    pairs = [
        (given(key, str, "The key of a property"), given(value, str, f"The property {key}"))
        for key, value in properties.items()
    ]
    return ", ".join(f"{quote_text(key)} = {quote_text(value)}" for key, value in pairs)
