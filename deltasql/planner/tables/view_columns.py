"""The columns of a view that is to come: those of its query, under the names that were given."""

from __future__ import annotations

from dataclasses import replace

from deltasql.errors.statements.view import DuplicateViewColumnError, ViewArityError
from deltasql.plan.base import SqlText, TableName, quote
from deltasql.plan.statements.view import ViewColumn
from deltasql.planner import binding
from deltasql.planner.context import Context
from deltasql.schema.types import StructField, StructType
from deltasql.settings.session_settings import TIME_ZONE
from deltasql.sql.queries.query_columns import derived_columns


def query_columns(query: SqlText, context: Context) -> StructType:
    """The columns of a view's query. Raises what is wrong with the query."""
    bound = binding.query(context, query)
    # The time zone changes no type.
    plain = context.analyst.is_plain and set(context.meaning) <= {TIME_ZONE.name}
    derived = derived_columns(query.text, bound)
    if derived is not None and plain:
        return derived
    schema = context.analyst.schema(bound)
    if derived is None or derived.names != schema.names:
        return schema
    # Spark does not tell the comments of a table's columns.
    commented = zip(schema, derived, strict=True)
    return StructType(
        tuple(replace(field, metadata={**field.metadata, **column.metadata}) for field, column in commented)
    )


def view_schema(name: TableName, schema: StructType, columns: tuple[ViewColumn, ...]) -> StructType:
    """The columns of the view, with the names and comments that were given.

    Raises ViewArityError, DuplicateViewColumnError.
    """
    if columns and len(columns) != len(schema):
        raise ViewArityError(view=str(name), named=len(columns), given=len(schema), columns=schema.names)
    fields = list(schema)
    if columns:
        fields = [
            StructField(column.name, field.type, metadata={"comment": column.comment} if column.comment else {})
            for column, field in zip(columns, schema, strict=True)
        ]
    seen = set[str]()
    for field in fields:
        if field.name.lower() in seen:
            raise DuplicateViewColumnError(view=str(name), column=quote(field.name))
        seen.add(field.name.lower())
    return StructType(tuple(fields))
