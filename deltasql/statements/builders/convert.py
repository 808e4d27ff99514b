"""CONVERT TO DELTA."""

from __future__ import annotations

from typing import Any

from deltasql.schema.types import with_default_collation
from deltasql.sql.parser.automaton import Tree
from deltasql.sql.parser.build import builds
from deltasql.statements.nodes.table import PartitionColumn


@builds("source_partition")
def _source_partition(children: list[Any], tree: Tree, text: str) -> PartitionColumn:
    """`start` and `end` are those of the column's name."""
    clause = tree.children[0]
    assert clause is not None
    return PartitionColumn(
        children[0], with_default_collation(children[1], None), children[2], clause.start, clause.end
    )
