"""Rows of the change data feed beside the rows of a rewrite. Source: Delta protocol, Change Data Files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from deltasql.engines.spark.rewrites.action_sql import NOTHING, output_sql, unchanged_sql
from deltasql.lazy import F
from deltasql.plan.hidden import ACTION, IMAGE, NEW_IMAGE, OLD_IMAGE, ROW_ID, ROW_VERSION
from deltasql.plan.operators import Rewrite, RowAction, RowEffect
from deltasql.schema.checks import CHANGE_TYPE
from deltasql.schema.literals import sql_literal

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

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
