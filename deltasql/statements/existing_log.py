"""CREATE TABLE over an existing log: the table only gets a name, and declarations must agree with the log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from deltasql.base.errors.statements.table import (
    CreatedColumnsDifferError,
    CreatedPartitioningDiffersError,
    CreatedPropertiesDifferError,
)
from deltasql.log.properties.property_registry import COLUMN_TAGS, DELTASQL_PROPERTIES, PROPERTIES, TAGS, UNITY_TABLE_ID
from deltasql.log.reading.change_feed import AUTO_PROPERTY
from deltasql.planner.changes import Answer, Plan
from deltasql.schema.checks import HIGH_WATER_MARK
from deltasql.schema.column_mapping import ID, PHYSICAL_NAME
from deltasql.schema.edits import without_metadata
from deltasql.schema.paths import folded
from deltasql.schema.types import StructField, StructType
from deltasql.schema.widening import TYPE_CHANGES
from deltasql.statements.clustering_columns import check_same_clustering
from deltasql.statements.nodes.table import ClusterBy
from deltasql.statements.show.create_text import column_text
from deltasql.statements.target import Target, registration

OF_ONE_TABLE = frozenset(
    {
        AUTO_PROPERTY,
        TAGS,
        COLUMN_TAGS,
        UNITY_TABLE_ID,
        *(item.name for item in PROPERTIES.values() if item.of_one_table),
    }
)
"""Properties of one table's own history: they are neither declared nor copied to another table."""
_OF_ONE_COLUMN = frozenset({ID, PHYSICAL_NAME, HIGH_WATER_MARK, TYPE_CHANGES})


@dataclass(frozen=True, slots=True)
class Declared:
    """The table's definition in a statement; None for a part that it does not declare, where the log alone counts."""

    columns: StructType | None = None
    partitioned_by: Sequence[str] | None = None
    clustered_by: ClusterBy | None = None
    properties: Mapping[str, str] | None = None


def adopted(target: Target, declared: Declared) -> Plan:
    """Registers a name for the log at the target's location; nothing is committed.

    Raises UnsupportedFeaturesForReadError, CreatedColumnsDifferError, CreatedPartitioningDiffersError,
    CreatedClusteringDiffersError, CreatedPropertiesDifferError.
    """
    snapshot = target.snapshot
    assert snapshot is not None
    location = target.log.location
    snapshot.check_readable()
    if declared.columns is not None and not same_columns(declared.columns, snapshot.schema):
        raise CreatedColumnsDifferError(location=location, differences=_differences(declared.columns, snapshot.schema))
    partitions = declared.partitioned_by
    if partitions is not None and folded(tuple(partitions)) != folded(snapshot.partition_columns):
        raise CreatedPartitioningDiffersError(
            location=location, declared=tuple(partitions), existing=snapshot.partition_columns
        )
    if declared.columns is not None or declared.clustered_by is not None:
        check_same_clustering(declared.clustered_by or ClusterBy(()), snapshot)
    if declared.properties is not None:
        _check_same_properties(location, declared.properties, snapshot.configuration)
    return registration(target) or Answer()


def same_columns(first: StructType, second: StructType) -> bool:
    """Whether two tables have the same columns, in any order: name, type, NOT NULL, comment, generation, default."""
    return _by_name(first) == _by_name(second)


def _by_name(schema: StructType) -> dict[str, StructField]:
    """The columns by name, without the metadata that only the log has."""
    return {field.name: field for field in without_metadata(schema, _OF_ONE_COLUMN)}


def _differences(declared: StructType, existing: StructType) -> str:
    """One line for each column that differs: declared … there …"""
    first, second = _by_name(declared), _by_name(existing)
    pairs = [(first.get(name), second.get(name)) for name in dict.fromkeys((*first, *second))]
    return "\n".join(
        f"declared: {'-' if one is None else column_text(one)}; there: {'-' if other is None else column_text(other)}"
        for one, other in pairs
        if one != other
    )


def _check_same_properties(location: str, declared: Mapping[str, str], existing: Mapping[str, str]) -> None:
    nothing = "(not set)"
    for key in sorted({*declared, *existing} - OF_ONE_TABLE - DELTASQL_PROPERTIES):
        first, second = declared.get(key, nothing), existing.get(key, nothing)
        if first != second:
            raise CreatedPropertiesDifferError(location=location, key=key, declared=first, existing=second)
