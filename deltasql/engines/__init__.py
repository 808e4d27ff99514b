"""Engines that compute rows, side by side: `spark`, `sail` as a kind of it, and in-process evaluation in `local`.

`door` is their interface to planner and execution. An engine decides nothing about a table and commits nothing.
"""

from __future__ import annotations

from deltasql.base.doors import door

__getattr__, __dir__ = door(
    __name__,
    """
    engine: SessionEngine session_engine
    """,
)
