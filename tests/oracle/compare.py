"""Outcomes of one statement on both engines → what differs, in words; nothing where the difference is decided."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

import deltasql
from deltasql.base.errors.base import DeltaSqlError
from deltasql.schema.json import type_to_json
from tests.oracle.differences import SAME_CONDITION, comparable
from tests.oracle.frames import evaluated, is_python
from tests.oracle.values import in_order, plain_row

Outcome = dict[str, Any]


def ours(session: deltasql.Session, text: str) -> Outcome:
    """The outcome of a statement here, in the oracle's form. Errors that are no DeltaSqlError are defects: raised."""
    try:
        result = _result(session, text)
        columns = [[field.name, type_to_json(field.type)] for field in result.schema]
        return {"columns": columns, "rows": [plain_row(row) for row in result.collect()]}
    except DeltaSqlError as error:
        return {"condition": error.condition, "sqlstate": error.sqlstate, "message": str(error)}


def _result(session: deltasql.Session, text: str) -> deltasql.Result:
    if not is_python(text):
        return session.sql(text)
    found: deltasql.Result | None = evaluated(
        text,
        write=lambda query: session.write(session.sql(query)),
        writeTo=lambda query, table: session.writeTo(session.sql(query), table),
        session=session,
    )
    return deltasql.Result.of() if found is None else found


def difference(text: str, theirs: Outcome, own: Outcome) -> str:
    """What differs, or ""."""
    if "condition" in theirs or "condition" in own:
        return _error_difference(theirs, own)
    if not theirs["columns"] and [name for name, _ in own["columns"]] == ["num_affected_rows", "num_inserted_rows"]:
        # The oracle returns nothing from INSERT; see insert-result in docs/differences.md.
        return ""
    theirs, own = comparable(text, theirs), comparable(text, own)
    if theirs["columns"] != own["columns"]:
        return f"columns\n  oracle: {theirs['columns']}\n  ours:   {own['columns']}"
    ordered = re.search(r"\bORDER BY\b|^\s*(DESC|SHOW)", text, re.IGNORECASE)
    first, second = map(_without_zeros, (theirs, own))
    if not ordered:
        first, second = in_order(first), in_order(second)
    return "" if first == second else f"rows\n  oracle: {first}\n  ours:   {second}"


def _without_zeros(outcome: Outcome) -> list[list[Any]]:
    """The rows; of decimals no zero at the end, for the JVM gives very small ones more of them than their type has."""
    kinds = [str(kind) for _, kind in outcome["columns"]]
    decimals = {place for place, kind in enumerate(kinds) if kind.startswith("decimal")}

    def plain(row: list[Any]) -> list[Any]:
        if len(row) != len(kinds):
            return row
        return [
            f"{Decimal(value).normalize():f}" if place in decimals and value is not None else value
            for place, value in enumerate(row)
        ]

    return [plain(row) for row in outcome["rows"]]


def _error_difference(theirs: Outcome, own: Outcome) -> str:
    first, second = condition_of(theirs), own.get("condition")
    if first and second and _same_condition(first, second):
        return ""
    return f"error\n  oracle: {_error(theirs)}\n  ours:   {_error(own)}"


def condition_of(outcome: Outcome) -> str | None:
    """The oracle's condition. PySpark knows no words for some of Delta's: its own error names the one it looked for."""
    unknown = re.search(r"Cannot find main error class '(\w+)'", outcome.get("message", ""))
    return unknown[1] if unknown else outcome.get("condition")


def _same_condition(theirs: str, own: str) -> bool:
    """Equal without the subclass, or a pair of names for one thing."""
    first, second = theirs.split(".", maxsplit=1)[0], own.split(".", maxsplit=1)[0]
    return first == second or second in SAME_CONDITION.get(first, ())


def _error(outcome: Outcome) -> str:
    if "condition" not in outcome:
        return f"rows {outcome['rows']}"
    return f"{outcome['condition']} ({outcome['sqlstate']}): {outcome.get('message', '')[:600]}"
