"""The rows of a view of the information schema, in memory, for whoever evaluates the query over them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from deltasql.plan.operators import MemoryRows
from deltasql.planner.information import constraints, privileges, relations, routines
from deltasql.planner.information.inventory import Asked, Inventory

if TYPE_CHECKING:
    from deltasql.catalog.entries import ViewEntry
    from deltasql.planner.context import Context

_ROWS: Mapping[str, Callable[[Inventory], Iterator[relations.Row]]] = {
    "catalog_privileges": privileges.catalog_privilege_rows,
    "catalog_tags": relations.catalog_tag_rows,
    "catalogs": relations.catalog_rows,
    "check_constraints": constraints.check_rows,
    "column_masks": privileges.column_mask_rows,
    "column_tags": relations.column_tag_rows,
    "columns": relations.column_rows,
    "constraint_column_usage": constraints.constraint_column_rows,
    "constraint_table_usage": constraints.constraint_table_rows,
    "information_schema_catalog_name": relations.catalog_name_rows,
    "key_column_usage": constraints.key_column_rows,
    "parameters": routines.parameter_rows,
    "referential_constraints": constraints.referential_rows,
    "routine_columns": routines.routine_column_rows,
    "routine_privileges": privileges.routine_privilege_rows,
    "routines": routines.routine_rows,
    "row_filters": privileges.row_filter_rows,
    "schema_privileges": privileges.schema_privilege_rows,
    "schema_tags": relations.schema_tag_rows,
    "schemata": relations.schema_rows,
    "table_constraints": constraints.constraint_rows,
    "table_privileges": privileges.table_privilege_rows,
    "table_tags": relations.table_tag_rows,
    "tables": relations.table_rows,
    "views": relations.view_rows,
    "volumes": relations.volume_rows,
}


def information_rows(context: Context, view: ViewEntry, asked: Asked) -> MemoryRows:
    """The rows of a built-in view, as the catalog and the logs of its tables are now."""
    import pyarrow as pa

    from deltasql.result_arrow import arrow_type

    schema = view.definition.schema
    rows = list(_ROWS[view.name](Inventory(context, view.catalog, asked)))
    columns = [pa.array([row.get(field.name) for row in rows], arrow_type(field.type)) for field in schema]
    return MemoryRows(schema, pa.table(columns, names=list(schema.names)))
