"""Delta's builder API for Python, name for name, on the statements of a session: `DeltaTable.forPath(spark, path)`.

Each method composes a statement in SQL and runs it, so that nothing here knows logs, plans or engines. Belongs here:
names, arguments and return values as delta-spark has them.
"""

from __future__ import annotations

from deltasql.clients.tables.definition import (
    DeltaColumnBuilder,
    DeltaMergeBuilder,
    DeltaTableBuilder,
    IdentityGenerator,
)
from deltasql.clients.tables.table import DeltaOptimizeBuilder, DeltaTable

__all__ = [
    "DeltaColumnBuilder",
    "DeltaMergeBuilder",
    "DeltaOptimizeBuilder",
    "DeltaTable",
    "DeltaTableBuilder",
    "IdentityGenerator",
]
