"""The types of expressions over columns that may not exist yet: derived from the text, or by Spark's analyser."""

from __future__ import annotations

from deltasql.plan.base import quote
from deltasql.plan.hidden import NULL_ROW
from deltasql.plan.operators import SqlQuery
from deltasql.planner.context import Context
from deltasql.schema.text import sql_text
from deltasql.schema.types import DataType, StructType
from deltasql.sql.expression_types import derived_type


def types_of(schema: StructType, expressions: list[str], context: Context) -> list[DataType]:
    """The types of expressions over a row of `schema`. Spark analyses, and starts for, those that cannot be derived.

    Raises what Spark says against an expression.
    """
    derived = [derived_type(sql, schema) for sql in expressions]
    kinds = [kind for kind in derived if kind is not None]
    return kinds if len(kinds) == len(derived) else context.analyst.types([(null_row(schema), NULL_ROW)], expressions)


def null_row(schema: StructType) -> SqlQuery:
    """One row with NULL in each column of `schema`."""
    nulls = ", ".join(f"CAST(NULL AS {sql_text(field.type)}) AS {quote(field.name)}" for field in schema)
    return SqlQuery(f"SELECT {nulls}", {}, "columns")
