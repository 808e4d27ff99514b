"""SQL texts of a rewrite: which action a row gets, and the value of each output column."""

from __future__ import annotations

from collections.abc import Sequence

from deltasql.plan.hidden import ACTION, ROW_ID, ROW_VERSION, SOURCE_PRESENT, TARGET_PRESENT
from deltasql.plan.operators import Rewrite, RowAction, RowEffect, RowKind
from deltasql.schema.text import sql_text

KEEP, NOTHING = 0, -1
"""Values of ACTION besides the 1-based number of an action: the target's row stays; the source's row is not used."""


def action_sql(actions: Sequence[RowAction]) -> str:
    """SQL of ACTION over target rows outer-joined to source rows; a side that is missing has NULL for its flag."""
    return (
        f"CASE WHEN {TARGET_PRESENT} IS NULL THEN {cases(actions, RowKind.NOT_MATCHED, NOTHING)} "
        f"WHEN {SOURCE_PRESENT} IS NULL THEN {cases(actions, RowKind.NOT_MATCHED_BY_SOURCE, KEEP)} "
        f"ELSE {cases(actions, RowKind.MATCHED, KEEP)} END"
    )


def cases(actions: Sequence[RowAction], kind: RowKind, otherwise: int) -> str:
    """SQL of ACTION for rows of one kind: the number of the first action whose condition holds."""
    whens = [
        f"WHEN ({action.condition or 'TRUE'}) THEN {number}"
        for number, action in enumerate(actions, start=1)
        if action.kind is kind
    ]
    return f"CASE {' '.join(whens)} ELSE {otherwise} END" if whens else str(otherwise)


def not_written(actions: Sequence[RowAction]) -> str:
    """SQL that is TRUE for rows that a rewrite leaves out."""
    deleted = [str(number) for number, action in enumerate(actions, start=1) if action.effect is RowEffect.DELETE]
    return f"{ACTION} IN ({', '.join([str(NOTHING), *deleted])})"


def output_sql(operator: Rewrite, inserted_only: bool = False) -> list[str]:
    """SQL of each output column. With `inserted_only` the rows have no target side whose value could stay."""
    keeps = unchanged_sql(operator, inserted_only)
    return [_value(operator, index, keep, inserted_only) for index, keep in enumerate(keeps)]


def unchanged_sql(operator: Rewrite, inserted_only: bool = False) -> list[str]:
    """SQL of each output column as it was before."""
    if not inserted_only:
        return list(operator.unchanged)
    return [f"CAST(NULL AS {sql_text(field.type)})" for field in operator.output]


def _value(operator: Rewrite, index: int, unchanged: str, inserted_only: bool) -> str:
    whens = [
        f"WHEN {ACTION} = {number} THEN {action.values[index]}"
        for number, action in enumerate(operator.actions, start=1)
        if action.values
        and action.values[index] != unchanged
        and (not inserted_only or action.kind is RowKind.NOT_MATCHED)
    ]
    return f"CASE {' '.join(whens)} ELSE {unchanged} END" if whens else unchanged


def written_ids(operator: Rewrite, inserted_only: bool) -> dict[str, str]:
    """SQL of ROW_ID and ROW_VERSION of written rows: they keep their id, and unless they were changed their version."""
    if operator.target.row_ids is None:
        return {}
    none = "CAST(NULL AS BIGINT)"
    if inserted_only:
        return {ROW_ID: none, ROW_VERSION: none}
    return {ROW_ID: ROW_ID, ROW_VERSION: f"CASE WHEN {ACTION} = {KEEP} THEN {ROW_VERSION} END"}
