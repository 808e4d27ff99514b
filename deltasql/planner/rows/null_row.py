"""A row of a table that is not there yet, so that Spark can tell the types of expressions over it."""

from __future__ import annotations

from deltasql.plan.base import quote
from deltasql.plan.operators import Query
from deltasql.schema.text import sql_text
from deltasql.schema.types import StructType


def null_row(schema: StructType) -> Query:
    """One row with NULL in each column of `schema`."""
    nulls = ", ".join(f"CAST(NULL AS {sql_text(field.type)}) AS {quote(field.name)}" for field in schema)
    return Query(f"SELECT {nulls}", {}, "columns")
