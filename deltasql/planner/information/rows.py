"""Rows of the information schema, and of SHOW and DESCRIBE, in memory, for the query that reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from deltasql.plan.operators import MemoryRows
from deltasql.planner.information import relations
from deltasql.planner.information.inventory import Asked, Inventory
from deltasql.schema.types import StructType

if TYPE_CHECKING:
    from deltasql.catalog.entries import ViewEntry
    from deltasql.planner.context import Context

_ROWS: Mapping[str, Callable[[Inventory], Iterator[relations.Row]]] = {
    "catalog_privileges": relations.catalog_privilege_rows,
    "catalog_tags": relations.catalog_tag_rows,
    "catalogs": relations.catalog_rows,
    "check_constraints": relations.check_rows,
    "column_masks": relations.column_mask_rows,
    "column_tags": relations.column_tag_rows,
    "columns": relations.column_rows,
    "constraint_column_usage": relations.constraint_column_rows,
    "constraint_table_usage": relations.constraint_table_rows,
    "information_schema_catalog_name": relations.catalog_name_rows,
    "key_column_usage": relations.key_column_rows,
    "parameters": relations.parameter_rows,
    "referential_constraints": relations.referential_rows,
    "routine_columns": relations.routine_column_rows,
    "routine_privileges": relations.routine_privilege_rows,
    "routines": relations.routine_rows,
    "row_filters": relations.row_filter_rows,
    "schema_privileges": relations.schema_privilege_rows,
    "schema_tags": relations.schema_tag_rows,
    "schemata": relations.schema_rows,
    "table_constraints": relations.constraint_rows,
    "table_privileges": relations.table_privilege_rows,
    "table_tags": relations.table_tag_rows,
    "tables": relations.table_rows,
    "views": relations.view_rows,
    "volumes": relations.volume_rows,
}


def information_rows(context: Context, view: ViewEntry, asked: Asked) -> MemoryRows:
    """The rows of a built-in view, as the catalog and the logs of its tables are now."""
    schema = view.definition.schema
    rows = list(_ROWS[view.name](Inventory(context, view.catalog, asked)))
    return memory_rows(schema, [[row.get(field.name) for row in rows] for field in schema])


def memory_rows(schema: StructType, columns: Sequence[Sequence[Any]]) -> MemoryRows:
    """Rows in memory: the values of each column of `schema`."""
    import pyarrow as pa

    from deltasql.schema.result_arrow import arrow_type

    arrays = [pa.array(values, arrow_type(field.type)) for values, field in zip(columns, schema, strict=True)]
    return MemoryRows(schema, pa.table(arrays, names=list(schema.names)))
