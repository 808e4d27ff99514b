"""SQL texts of a rewrite: which action a row gets, and the value of each output column.

Rows of the change data feed beside the rows of a rewrite. Source: Delta protocol, Change Data Files.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from deltasql.base.lazy import F
from deltasql.plan.hidden import (
    ACTION,
    IMAGE,
    NEW_IMAGE,
    OLD_IMAGE,
    ROW_ID,
    ROW_VERSION,
    SOURCE_PRESENT,
    TARGET_PRESENT,
)
from deltasql.plan.operators import Rewrite, RowAction, RowEffect, RowKind
from deltasql.schema.checks import CHANGE_TYPE
from deltasql.schema.text import sql_literal, sql_text

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


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


_CHANGES = {
    RowEffect.UPDATE: (("update_preimage", OLD_IMAGE), ("update_postimage", NEW_IMAGE)),
    RowEffect.DELETE: (("delete", OLD_IMAGE),),
    RowEffect.INSERT: (("insert", NEW_IMAGE),),
}


def with_change_rows(acted: DataFrame, operator: Rewrite, extra: Sequence[Column], inserted_only: bool) -> DataFrame:
    """Output columns, `extra`, and CHANGE_TYPE: NULL for the rows of the table, else for its change feed."""
    images = {
        NEW_IMAGE: _struct(output_sql(operator, inserted_only)),
        OLD_IMAGE: _struct(unchanged_sql(operator, inserted_only)),
    }
    used = acted.filter(f"{ACTION} <> {NOTHING}").withColumns({name: F.expr(sql) for name, sql in images.items()})
    rows = used.select(*extra, F.expr(f"inline({_images_sql(operator)}) AS ({CHANGE_TYPE}, {IMAGE})"))
    columns = [F.expr(f"{IMAGE}.c{index}").alias(field.name) for index, field in enumerate(operator.output)]
    table_columns = [_of_table_rows(name) for name in rows.columns if name not in {CHANGE_TYPE, IMAGE}]
    return rows.select(*columns, *table_columns, CHANGE_TYPE)


def _of_table_rows(name: str) -> Column:
    """A column that comes with an acted row. The feed has no row ids: they belong to the rows of the table."""
    column = F.col(name)
    return F.when(F.col(CHANGE_TYPE).isNull(), column).alias(name) if name in {ROW_ID, ROW_VERSION} else column


def _images_sql(operator: Rewrite) -> str:
    """SQL of the array of images that an acted row comes to; a row without an action only stays."""
    cases = " ".join(f"WHEN {number} THEN {_array(action)}" for number, action in enumerate(operator.actions, start=1))
    return f"CASE {ACTION} {cases} ELSE array({_row(None, OLD_IMAGE)}) END"


def _array(action: RowAction) -> str:
    images = [_row(change, image) for change, image in _CHANGES[action.effect]]
    if action.effect is not RowEffect.DELETE:
        images.insert(0, _row(None, NEW_IMAGE))
    return f"array({', '.join(images)})"


def _row(change: str | None, image: str) -> str:
    kind = "CAST(NULL AS STRING)" if change is None else sql_literal(change)
    return f"named_struct('{CHANGE_TYPE}', {kind}, '{IMAGE}', {image})"


def _struct(values: list[str]) -> str:
    fields = ", ".join(f"'c{index}', {value}" for index, value in enumerate(values))
    return f"named_struct({fields})"
