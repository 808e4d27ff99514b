"""The function calls with equal results on Sail and Spark, by the types of their arguments.

The table `functions.json` has the calls that were compared, over a grid of values, in two time zones, with ANSI
and without it; `python -m tests.sail.functions` makes it. A call that is not in it is refused, unless
`deltasql.sail.unproven` is ALLOW.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TypeAlias

from deltasql.schema.text import sql_text
from deltasql.schema.types import ArrayType, DataType, DecimalType, MapType, StructType
from deltasql.sql.functions.spark_names import FUNCTIONS

TABLE = Path(__file__).with_name("functions.json")

_STRUCTURAL = frozenset(
    """
    AND BETWEEN CASE CAST DIV EXISTS IF IFF ILIKE IN LIKE NOT NULLIF OR REGEXP RLIKE TRY_CAST WHEN
    BIGINT BINARY BOOLEAN DATE DECIMAL DOUBLE FLOAT INT SMALLINT STRING TIMESTAMP TINYINT
    """.split()  # noqa: SIM905 - thirty quoted words
)
"""Operators and casts that are written like calls: other checks compare the types of their values."""
_OF_THE_SESSION = frozenset(
    """
    ASSERT_TRUE CURDATE CURRENT_CATALOG CURRENT_DATABASE CURRENT_DATE CURRENT_SCHEMA CURRENT_TIMESTAMP CURRENT_TIMEZONE
    LOCALTIMESTAMP MONOTONICALLY_INCREASING_ID NOW RAISE_ERROR RAND RANDN RANDOM RANGE SPARK_PARTITION_ID UUID
    """.split()  # noqa: SIM905 - twenty quoted words
)
"""Functions whose results are no function of their arguments, so that no two runs can be compared."""
_EACH = {
    **dict.fromkeys(("count", "hash", "struct", "xxhash64"), (0, 1)),
    **dict.fromkeys(("concat", "concat_ws"), (1, 1)),
    "named_struct": (0, 2),
}
"""Functions of any number of arguments: how many come first, and how many of the others belong together."""
_WHOLE = re.compile(r"-?\s*\d+")
_POSITIVE = re.compile(r"\d+|greatest\(length\(.*\), \d+\)", re.DOTALL)
"""A number that is written, or to how many characters a CHAR is filled up."""
_STRUCT = re.compile(r"(?:named_)?struct\s*\(", re.IGNORECASE)
_TEXT = re.compile(r"'(?:[^'\\]|\\.)*'", re.DOTALL)
_DATE_FIELDS = r"yyyy|yy|y|MMMM|MMM|MM|M|dd|d|HH|H|hh|mm|m|ss|s|SSSSSS|SSS|a|EEEE|EEE|E"
_CLASS = r"\[\^?(?:[\w ,;:/-]|\\\\[dws.])+\]"
_PATTERNS = {
    "date": re.compile(rf"(?:{_DATE_FIELDS})(?:[-/:., ]+(?:{_DATE_FIELDS}))*"),
    "regex": re.compile(rf"\^?(?:(?:[\w ,;:/=@#%&<>!~-]|\\\\[dws.]|{_CLASS}|[()|.])(?:[*+?]|\{{\d+(?:,\d*)?\}})?)*\$?"),
    "like": re.compile(r"(?:[^\\]|\\\\[%_])*", re.DOTALL),
    "separator": re.compile(r"[^\\]*", re.DOTALL),
    "path": re.compile(r"\$(?:\.\w+|\[\d+\]|\['\w+'\])*"),
}
"""Texts that are made of compared ones. Of any other kind (units, fields, zones) only the compared texts are taken."""
Kind: TypeAlias = Callable[[], DataType | None]


def is_compared(name: str, arguments: Sequence[tuple[str, Kind]], *, ansi: bool) -> bool:
    """Whether the results of a call were compared with Spark's; `arguments` are texts, and what asks for their types.

    A name that is none of Spark's functions is left to the engine.
    """
    if name in _STRUCTURAL or name in _OF_THE_SESSION or name not in FUNCTIONS:
        return True
    signatures = _table()["ansi" if ansi else "without ansi"].get(name.lower(), ())
    return all(
        any(_fits(signature, part) for signature in signatures) for part in _parts(name.lower(), list(arguments))
    )


def _parts(name: str, arguments: list[tuple[str, Kind]]) -> list[list[tuple[str, Kind]]]:
    """The calls that a call with many arguments consists of."""
    fixed, step = _EACH.get(name, (0, 0))
    if not step or len(arguments) <= fixed + step:
        return [arguments]
    return [arguments[:fixed] + arguments[at : at + step] for at in range(fixed, len(arguments), step)]


@cache
def _table() -> Mapping[str, Mapping[str, Sequence[Sequence[str]]]]:
    table: Mapping[str, Mapping[str, Sequence[Sequence[str]]]] = json.loads(TABLE.read_text(encoding="utf-8"))
    return table


def _fits(signature: Sequence[str], arguments: Sequence[tuple[str, Kind]]) -> bool:
    specs = list(signature)
    if specs and specs[-1].startswith("..."):
        step = int(specs.pop()[3:] or 1)
        while len(specs) < len(arguments):
            specs += specs[-step:]
    return len(specs) == len(arguments) and all(map(_is_of, specs, arguments))


def _is_of(spec: str, argument: tuple[str, Kind]) -> bool:
    text, kind = argument[0].strip(), argument[1]
    if spec in {"ANY", text}:
        return True
    match spec[0]:
        case "#":
            return (_POSITIVE if spec == "#+" else _WHOLE).fullmatch(text) is not None
        case "$":
            return _TEXT.fullmatch(text) is not None
        case "@":
            return _is_pattern(spec[1:], text)
        case "'" | "*":
            return False
    if spec == "STRUCT" and _STRUCT.match(text):
        return True
    result_type = kind()
    return result_type is not None and spec in type_classes(result_type)


def _is_pattern(kind: str, text: str) -> bool:
    if kind not in _PATTERNS:
        return "->" in text
    return _TEXT.fullmatch(text) is not None and _PATTERNS[kind].fullmatch(text[1:-1]) is not None


def type_classes(kind: DataType) -> tuple[str, ...]:
    """The names that the table has for a type: itself, and for one with parts what it is without them."""
    match kind:
        case DecimalType():
            return ("DECIMAL",)
        case ArrayType(element=StructType()):
            return ("ARRAY<STRUCT>", "ARRAY")
        case ArrayType():
            return (sql_text(kind), "ARRAY")
        case MapType():
            return (sql_text(kind), "MAP")
        case StructType():
            return ("STRUCT",)
        case _:
            return (sql_text(kind),)
