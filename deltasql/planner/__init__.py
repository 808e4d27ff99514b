"""Statement nodes into plans: one pure rule per statement, in one module per statement family."""

from deltasql.planner import (
    clustering,
    columns,
    constraints,
    delete,
    explain,
    features,
    insert,
    inspect,
    merge,
    optimize,
    properties,
    query,
    session_settings,
    table,
    update,
    vacuum,
    view,
)
from deltasql.planner.rule import plan

__all__ = [
    "clustering",
    "columns",
    "constraints",
    "delete",
    "explain",
    "features",
    "insert",
    "inspect",
    "merge",
    "optimize",
    "plan",
    "properties",
    "query",
    "session_settings",
    "table",
    "update",
    "vacuum",
    "view",
]
