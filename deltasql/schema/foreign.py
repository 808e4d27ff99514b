"""Validation of a schema read from a log, which may have been written by any writer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from deltasql.base.errors.schema import ColumnMetadataError, HiddenColumnNameError, UnknownTypesError
from deltasql.schema.checks import ALLOW_EXPLICIT, HIDDEN_PREFIX, HIGH_WATER_MARK, START, STEP, unstorable
from deltasql.schema.column_mapping import ID, NESTED_IDS, PHYSICAL_NAME
from deltasql.schema.paths import Path, walk
from deltasql.schema.text import path_text
from deltasql.schema.types import StructField, StructType
from deltasql.schema.widening import TYPE_CHANGES

_SHOWN = 80


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63


def _are_numbers(value: Any) -> bool:
    return isinstance(value, Mapping) and all(map(_is_number, value.values()))


def _are_changes(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, Mapping) and _is_change(item) for item in value)


def _is_change(item: Mapping[str, Any]) -> bool:
    path, version = item.get("fieldPath", ""), item.get("tableVersion", 0)
    return all(_is_text(text) for text in (item.get("fromType"), item.get("toType"), path)) and _is_number(version)


_RULES: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    **dict.fromkeys(
        ("comment", "CURRENT_DEFAULT", "delta.generationExpression", "__CHAR_VARCHAR_TYPE_STRING", PHYSICAL_NAME),
        (_is_text, "a text"),
    ),
    **dict.fromkeys((ID, START, HIGH_WATER_MARK), (_is_number, "a whole number of 64 bits")),
    STEP: (lambda value: _is_number(value) and value != 0, "a whole number of 64 bits, and not 0"),
    ALLOW_EXPLICIT: (lambda value: isinstance(value, bool), "true or false"),
    NESTED_IDS: (_are_numbers, "an object of whole numbers"),
    TYPE_CHANGES: (_are_changes, "a list of type changes"),
}


def check_foreign(schema: StructType, table: str) -> None:
    """Validates a schema from a log. Raises UnknownTypesError, HiddenColumnNameError and ColumnMetadataError."""
    unknown = [f"{path_text(path)} {_shortened(name)}" for path, name in unstorable(schema)]
    if unknown:
        raise UnknownTypesError(table, unknown)
    for field in schema:
        if field.name.lower().startswith(HIDDEN_PREFIX):
            raise HiddenColumnNameError(path_text((field.name,)), table, HIDDEN_PREFIX)
    for path, field in walk(schema):
        for key, expected in _wrong_metadata(path, field):
            shown = _shortened(repr(field.metadata[key]))
            raise ColumnMetadataError(key.lstrip("_"), path_text(path), table, shown, expected)


def _wrong_metadata(path: Path, field: StructField) -> Iterator[tuple[str, str]]:
    for key, (rule, expected) in _RULES.items():
        # Some writers store null for a missing entry.
        if key in field.metadata and field.metadata[key] is not None and not rule(field.metadata[key]):
            yield key, expected
    if (START in field.metadata) != (STEP in field.metadata):
        yield (START if START in field.metadata else STEP), f"there together with {STEP} and {START}"


def _shortened(text: str) -> str:
    shown = text if text.isprintable() else repr(text)[1:-1]
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
