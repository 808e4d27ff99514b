"""How data files name the partition columns. Source: Delta protocol, Column Mapping."""

from __future__ import annotations

from deltasql.log.actions.actions import Metadata
from deltasql.schema.column_mapping import PHYSICAL_NAME


def partition_keys(metadata: Metadata) -> list[str]:
    """The keys of `partitionValues` in file actions, in the order of the partition columns.

    They are physical names where the table maps columns, else the names of the columns.
    """
    if not metadata.properties.maps_columns:
        return list(metadata.partition_columns)
    names = []
    for name in metadata.partition_columns:
        column = metadata.schema.find(name)
        names.append(str(column.metadata.get(PHYSICAL_NAME, name)) if column else name)
    return names
