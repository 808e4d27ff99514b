"""Times for clients on a JVM: the JDBC driver has no value for a TIMESTAMP with a time zone.

Such a client gets the local time in its session's time zone, as SQL shows it. Nested values stay unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.compute as pc

from deltasql.base.timezone import machine_zone_name, zone
from deltasql.clients.server.clients import ClientRows

ZONES, KEEP = "zones", "keep"
"""The header, or property of a connection of JDBC, by which a client says that it reads zones; and its value."""
_ON_JVM = "grpc-java"


def keeps_zones(headers: Mapping[str, Sequence[Any]]) -> bool:
    """Whether the client of a call gets zones: one that says so, and each that is not on a JVM."""
    said, agents = ([str(value).lower() for value in headers.get(name, ())] for name in (ZONES, "user-agent"))
    return KEEP in said or not any(agent.startswith(_ON_JVM) for agent in agents)


def without_zones(schema: pa.Schema) -> pa.Schema:
    """The columns, of which none has a zone."""
    return pa.schema([_clock(item) for item in schema], schema.metadata)


@dataclass(frozen=True, slots=True)
class ClockRows:
    """Rows whose times are local times in the session's zone."""

    rows: ClientRows

    @property
    def schema(self) -> pa.Schema:
        return without_zones(self.rows.schema)

    @property
    def count(self) -> int:
        return self.rows.count

    @property
    def time_zone(self) -> str:
        return self.rows.time_zone

    def table(self) -> pa.Table:
        table, name = self.rows.table(), _arrow_name(self.time_zone)
        columns = [
            pc.local_timestamp(column.cast(pa.timestamp("us", name))) if _has_zone(column.type) else column
            for column in table.columns
        ]
        return pa.table(columns, schema=without_zones(table.schema))


def _has_zone(kind: pa.DataType) -> bool:
    return pa.types.is_timestamp(kind) and kind.tz is not None


def _clock(item: pa.Field) -> pa.Field:
    return item.with_type(pa.timestamp("us")) if _has_zone(item.type) else item


def _arrow_name(name: str) -> str:
    """A time zone of a session as Arrow calls it."""
    info = zone(name or machine_zone_name())
    if isinstance(info, ZoneInfo):
        return info.key
    text = datetime.now(info).strftime("%z")
    return f"{text[:3]}:{text[3:5]}"
