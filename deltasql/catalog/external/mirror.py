"""The part of a table's log that other catalogs repeat: for their own users, and for tools that read no log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from deltasql.schema.types import StructType


@dataclass(frozen=True, slots=True)
class MirroredTable:
    """A version of a table, as its log says it. `timestamp` is milliseconds since the epoch.

    `changed`: its schema or properties differ from those of the version before, which has had the properties `dropped`.
    """

    version: int
    timestamp: int
    schema: StructType
    partition_columns: tuple[str, ...] = ()
    comment: str | None = None
    properties: Mapping[str, str] = field(default_factory=dict)
    dropped: frozenset[str] = frozenset()
    changed: bool = True
