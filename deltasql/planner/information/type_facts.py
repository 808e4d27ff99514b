"""The columns of the information schema that describe a data type. Source: Databricks, INFORMATION_SCHEMA.COLUMNS."""

from __future__ import annotations

from collections.abc import Mapping

from deltasql.errors.base import DeltaSqlError
from deltasql.parser import parse_type
from deltasql.schema.lengths import declared_type
from deltasql.schema.text import kind_text, type_text
from deltasql.schema.types import DataType, DecimalType, PrimitiveType, StructField

_NAMES = {"tinyint": "BYTE", "smallint": "SHORT", "bigint": "LONG"}
"""Types that the information schema calls otherwise than SQL."""
_BITS = {"byte": 8, "short": 16, "integer": 32, "long": 64, "float": 32, "double": 64}
_FRACTIONS = frozenset({"float", "double"})
_TIME_DIGITS = {"date": 0, "timestamp": 3, "timestamp_ntz": 3}

TypeFacts = Mapping[str, object]
"""Values by the name of their column; missing ones are NULL."""


def field_facts(field: StructField) -> TypeFacts:
    """The facts of a column's type, with the length that a CHAR or VARCHAR is declared with."""
    return {**type_facts(field.type), "full_data_type": type_text(declared_type(field))}


def type_facts(kind: DataType) -> TypeFacts:
    """The facts of a type."""
    name = kind_text(kind)
    facts: dict[str, object] = {"data_type": _simple_name(kind, name), "full_data_type": type_text(kind)}
    if isinstance(kind, DecimalType):
        return facts | {
            "numeric_precision": kind.precision,
            "numeric_precision_radix": 10,
            "numeric_scale": kind.scale,
        }
    if not isinstance(kind, PrimitiveType):
        return facts
    if kind.name in _BITS:
        facts |= {"numeric_precision": _BITS[kind.name], "numeric_precision_radix": 2}
        facts |= {} if kind.name in _FRACTIONS else {"numeric_scale": 0}
    if kind.name in _TIME_DIGITS:
        facts["datetime_precision"] = _TIME_DIGITS[kind.name]
    if kind.name.startswith("interval"):
        unit = kind.name.removeprefix("interval").strip().upper()
        facts |= {"interval_type": unit or None, "datetime_precision": 3 if unit.endswith("SECOND") else 0}
    return facts


def text_facts(written: str | None) -> TypeFacts:
    """The facts of a type in SQL; only its text where it is a type that Delta tables do not have."""
    if not written:
        return {}
    try:
        return type_facts(parse_type(written))
    except DeltaSqlError:
        words = " ".join(written.lower().split())
        if words.startswith("interval"):
            return type_facts(PrimitiveType(words))
        return {"data_type": written.partition("(")[0].partition("<")[0].strip().upper(), "full_data_type": written}


def _simple_name(kind: DataType, name: str) -> str:
    if isinstance(kind, DecimalType):
        return "DECIMAL"
    return _NAMES.get(name, name.partition(" ")[0].partition("(")[0].upper())
