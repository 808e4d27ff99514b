"""The last refresh of a materialized view or streaming table, as its table stores it with the rows.

It is part of the commit that changes the rows, so that a refresh happens once or not at all.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from deltasql.log.actions.actions import Metadata
from deltasql.log.properties.property import REFRESH
from deltasql.log.replay.snapshot import Snapshot
from deltasql.planner.changes import RowChange


@dataclass(frozen=True, slots=True)
class RefreshState:
    """A refresh: the id of the definition, the versions of the tables that it has read, by their ids, and its mode.

    `time` is in ms since the epoch.
    """

    definition: str
    sources: Mapping[str, int] = field(default_factory=dict)
    mode: str = "FULL"
    time: int = 0

    @classmethod
    def of(cls, snapshot: Snapshot) -> RefreshState | None:
        """The refresh that a version of the table has recorded; None where there is none that can be read."""
        try:
            value = json.loads(snapshot.configuration.get(REFRESH) or "null")
            sources = {str(key): int(version) for key, version in value["sources"].items()}
            return cls(str(value["definition"]), sources, str(value["mode"]), int(value["time"]))
        except (ValueError, TypeError, KeyError, AttributeError):
            return None

    def recorded(self, change: RowChange, **spec: Any) -> RowChange:
        """A change of the table's rows that records this refresh; `spec` are other fields of its commit."""
        value = {"definition": self.definition, "sources": dict(self.sources), "mode": self.mode}
        text = json.dumps({**value, "time": time.time_ns() // 1_000_000})
        configuration = MappingProxyType({**change.metadata.configuration, REFRESH: text})
        metadata = replace(change.metadata, configuration=configuration)
        others = tuple(action for action in change.commit.actions if not isinstance(action, Metadata))
        return replace(change, metadata=metadata).committing(actions=(*others, metadata), **spec)
