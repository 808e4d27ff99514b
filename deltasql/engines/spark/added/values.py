"""Arrow columns of arguments as values of Python and as shapes, and results as Arrow columns.

This module and those beside it run in Spark's workers, which get their code by value: they must not refer to modules of
deltasql. Results that are shapes are in `shape_values`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from deltasql.plan import base

_MARK = base.RAISED

Values = Sequence[Any]
"""The values of an argument, one for each row."""
Column = Any
"""An Arrow array."""
Reader = Callable[[Column, str], Values]
"""Reads an Arrow array as an argument, which the text names in an error."""


class RaisedError(Exception):
    """An error of a condition of Databricks; the engine makes a typed one of its text."""

    def __init__(self, condition: str, message: str, state: str = "22023") -> None:
        self.condition = condition
        super().__init__(f"{_MARK}{condition}|{state}|{message}|")


def unfit(argument: str, expected: str, kind: object) -> RaisedError:
    """The error for an argument of another type."""
    return RaisedError(
        "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE", f"{argument} must be {expected}, and it is of type {kind}.", "42K09"
    )


def by_row(function: Callable[..., Any], readers: Sequence[Reader], kind: Any, name: str) -> Callable[..., Column]:
    """A function of Arrow columns that calls `function` for each row without a NULL. `kind` is the type in Arrow."""

    def columns(*arrays: pa.Array) -> pa.Array:
        values = [
            reader(array, f"Argument {at} of {name}")
            for at, (array, reader) in enumerate(zip(arrays, readers, strict=True), 1)
        ]
        return pa.array(
            [None if any(item is None for item in row) else function(*row) for row in zip(*values, strict=True)], kind
        )

    return columns


def integers(array: Column, argument: str) -> Values:
    """An argument of the type INT or BIGINT."""
    kind = array.type
    if pa.types.is_null(kind) or pa.types.is_integer(kind):
        return list(array.to_pylist())
    if pa.types.is_string(kind):
        return [None if text is None else _whole_number(text) for text in array.to_pylist()]
    raise unfit(argument, "an INT", kind)


def _whole_number(text: str) -> int:
    if re.fullmatch(r"\s*[+-]?\d+\s*", text) is None:
        raise RaisedError("CAST_INVALID_INPUT", f"The value '{text}' of the type STRING is no INT.", "22018")
    return int(text)


def doubles(array: Column, argument: str) -> Values:
    """An argument of the type DOUBLE, or of another type of numbers."""
    kind = array.type
    if pa.types.is_null(kind):
        return list(array.to_pylist())
    if pa.types.is_string(kind) or not (
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    ):
        raise unfit(argument, "a DOUBLE", kind)
    return list(pc.cast(array, pa.float64()).to_pylist())


def booleans(array: Column, argument: str) -> Values:
    """An argument of the type BOOLEAN."""
    if not (pa.types.is_null(array.type) or pa.types.is_boolean(array.type)):
        raise unfit(argument, "a BOOLEAN", array.type)
    return list(array.to_pylist())


def texts(array: Column, argument: str) -> Values:
    """An argument of the type STRING."""
    if not (pa.types.is_null(array.type) or pa.types.is_string(array.type)):
        raise unfit(argument, "a STRING", array.type)
    return list(array.to_pylist())


def texts_or_bytes(array: Column, argument: str) -> Values:
    """An argument of the type STRING or BINARY."""
    kind = array.type
    if not (pa.types.is_null(kind) or pa.types.is_string(kind) or pa.types.is_binary(kind)):
        raise unfit(argument, "a BINARY or a STRING", kind)
    return list(array.to_pylist())


def binaries(array: Column, argument: str) -> Values:
    """An argument of the type BINARY."""
    if not (pa.types.is_null(array.type) or pa.types.is_binary(array.type)):
        raise unfit(argument, "a BINARY", array.type)
    return list(array.to_pylist())


def shown(number: float) -> str:
    """A coordinate as Databricks' functions of H3 write it."""
    return f"{number:.14g}"


def pairs(points: Iterable[tuple[float, float]], between: str) -> list[str]:
    """Points, as pairs of longitude and latitude."""
    return [f"{shown(x)}{between}{shown(y)}" for x, y in points]
