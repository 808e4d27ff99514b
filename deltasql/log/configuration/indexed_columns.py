"""Which columns of a table have statistics in the log. Source: Delta protocol, Per-file Statistics.

How data files name the partition columns. Source: Delta protocol, Column Mapping.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from deltasql.log.actions.actions import Metadata
from deltasql.log.properties.property_registry import INDEXED_COLUMNS, STATS_COLUMNS, STATS_STRING_PREFIX
from deltasql.log.properties.table_properties import TableProperties
from deltasql.schema.column_mapping import PHYSICAL_NAME, physical_name
from deltasql.schema.paths import folded
from deltasql.schema.types import DataType, StructType


@dataclass(frozen=True, slots=True)
class IndexRule:
    """Which leaf columns get statistics: those at or below `columns`, or else the first `leaves` (-1: all).

    `columns` are paths in lower case.
    """

    columns: tuple[tuple[str, ...], ...] | None = None
    leaves: int = 32
    string_prefix: int = 32


@dataclass(frozen=True, slots=True)
class IndexedColumn:
    """A column that statistics are about; an array or map is one leaf.

    `path` has physical names, `names` has those of the schema.
    """

    path: tuple[str, ...]
    type: DataType
    names: tuple[str, ...] = ()


def index_rule(configuration: Mapping[str, str]) -> IndexRule:
    """The rule that a table's properties set (`delta.dataSkipping…`). Raises PropertyValueError."""
    properties = TableProperties(configuration)
    columns = properties[STATS_COLUMNS]
    return IndexRule(
        None if columns is None else tuple(folded(path) for path in columns),
        properties[INDEXED_COLUMNS],
        properties[STATS_STRING_PREFIX],
    )


def indexed_leaves(schema: StructType, partition_columns: Sequence[str], rule: IndexRule) -> list[IndexedColumn]:
    """Leaf columns of the data files that `rule` selects, in schema order."""
    partitions = {name.lower() for name in partition_columns}
    data = StructType(tuple(item for item in schema if item.name.lower() not in partitions))
    leaves = list(_leaves(data, (), ()))
    if rule.columns is not None:
        return [leaf for leaf in leaves if any(folded(leaf.names)[: len(path)] == path for path in rule.columns)]
    return leaves[: None if rule.leaves < 0 else rule.leaves]


def _leaves(parent: StructType, names: tuple[str, ...], path: tuple[str, ...]) -> Iterator[IndexedColumn]:
    for item in parent:
        below = (*names, item.name), (*path, physical_name(item))
        if isinstance(item.type, StructType):
            yield from _leaves(item.type, *below)
        else:
            yield IndexedColumn(below[1], item.type, below[0])


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
