"""The rows of a view's query with the columns that the view had when it was made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltasql.engines.spark.session.spark_types import frame_schema
from deltasql.errors.statements.view import ViewSchemaChangedError
from deltasql.plan.base import quote
from deltasql.plan.operators import ViewColumns
from deltasql.schema.evolution import as_nullable
from deltasql.schema.text import sql_text
from deltasql.schema.type_lattice import can_up_cast
from deltasql.schema.types import StructField, StructType

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def shown(rows: DataFrame, view: ViewColumns) -> DataFrame:
    """The rows of a view's query with the columns that the view had when it was made.

    Raises ViewSchemaChangedError where the query has lost one of them, or its values no longer fit.
    """
    schema = frame_schema(rows)
    if view.typed and [(field.name, as_nullable(field.type)) for field in schema] == [
        (field.name, as_nullable(field.type)) for field in view.schema
    ]:
        return rows
    return rows.selectExpr(
        *(_shown(view, schema, name, field) for name, field in zip(view.names, view.schema, strict=True))
    )


def _shown(view: ViewColumns, schema: StructType, name: str, field: StructField) -> str:
    matches = [item for item in schema if item.name.lower() == name.lower()]
    if len(matches) != 1:
        change = f"its query gives {len(matches) or 'no'} column {quote(name)}"
        raise ViewSchemaChangedError(view.view, change, view.remedy)
    kind = matches[0].type
    if not view.typed or as_nullable(kind) == as_nullable(field.type):
        return f"{quote(name)} AS {quote(field.name)}"
    if not view.cast and not can_up_cast(kind, field.type):
        change = f"{quote(name)} is {sql_text(kind)} now, and was {sql_text(field.type)}"
        raise ViewSchemaChangedError(view.view, change, view.remedy)
    return f"CAST({quote(name)} AS {sql_text(field.type)}) AS {quote(field.name)}"
