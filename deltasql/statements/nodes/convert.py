"""CONVERT TO DELTA."""

from __future__ import annotations

from dataclasses import dataclass

from deltasql.plan.base import LogicalPlan, TableName
from deltasql.statements.nodes.table import PartitionColumn


@dataclass(frozen=True, slots=True)
class Convert(LogicalPlan):
    """CONVERT TO DELTA {parquet.path | iceberg.path | t} [NO STATISTICS] [PARTITIONED BY (name type, …)]"""

    source: TableName
    no_statistics: bool
    partitioned_by: tuple[PartitionColumn, ...]
