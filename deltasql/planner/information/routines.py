"""Rows about functions of the catalog, and their parameters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deltasql.catalog.entries import FunctionEntry
from deltasql.planner.information.inventory import Inventory, moment, yes_or_no
from deltasql.planner.information.relations import Row, TypeFacts, text_facts
from deltasql.sql.function_text import FunctionText, Parameter, function_text

_PARTS = ("specific_catalog", "specific_schema", "specific_name")


def routine_rows(inventory: Inventory) -> Iterator[Row]:
    for entry in inventory.functions(_PARTS):
        text = function_text(entry.definition.text)
        created = moment(entry.created_at)
        yield {
            **_named(entry),
            **dict(zip(("routine_catalog", "routine_schema", "routine_name"), entry.parts, strict=True)),
            "routine_owner": entry.governance.owner,
            "routine_type": "FUNCTION",
            **_returned(text),
            "routine_body": "SQL" if text.language in {None, "SQL"} else "EXTERNAL",
            "routine_definition": text.body or (text.python and text.python.code),
            "external_language": None if text.language == "SQL" else text.language,
            "parameter_style": "SQL",
            "is_deterministic": yes_or_no(text.deterministic),
            "sql_data_access": text.data_access,
            "is_null_call": "YES",
            "security_type": "DEFINER",
            "as_locator": "NO",
            "comment": text.comment,
            "created": created,
            "last_altered": created,
        }


def parameter_rows(inventory: Inventory) -> Iterator[Row]:
    flags = {"parameter_mode": "IN", "is_result": "NO", "as_locator": "NO"}
    for entry in inventory.functions(_PARTS):
        for row in _columns(entry, function_text(entry.definition.text).parameters, "parameter_name"):
            yield {**row, **flags}


def routine_column_rows(inventory: Inventory) -> Iterator[Row]:
    for entry in inventory.functions(_PARTS):
        yield from _columns(entry, function_text(entry.definition.text).columns or (), "column_name")


def _columns(entry: FunctionEntry, items: Sequence[Parameter], column: str) -> Iterator[Row]:
    for position, item in enumerate(items, start=1):
        yield {
            **_named(entry),
            "ordinal_position": position,
            column: item.name,
            **text_facts(item.type),
            "parameter_default": item.default,
            "comment": item.comment,
        }


def _returned(text: FunctionText) -> TypeFacts:
    return {"data_type": "TABLE", "full_data_type": "TABLE"} if text.is_table else text_facts(text.returns)


def _named(entry: FunctionEntry) -> Row:
    return dict(zip(_PARTS, entry.parts, strict=True))
