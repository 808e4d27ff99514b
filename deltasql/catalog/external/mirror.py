"""The part of a table's log that other catalogs repeat: for their own users, and for tools that read no log.

Facts on a Delta table that an external catalog takes when its name is registered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

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


@dataclass(frozen=True, slots=True)
class TableFacts:
    """The newest version of a table, in the terms of its log: `schema` is the JSON of its columns."""

    version: int
    timestamp: int
    schema: Mapping[str, Any]
    partition_columns: Sequence[str]
    properties: Mapping[str, str]
    protocol: Mapping[str, Any]
    domains: Mapping[str, Mapping[str, Any]]
    comment: str | None = None


ReadFacts: TypeAlias = Callable[[str], TableFacts]
"""Reads the facts of the table at a location. Raises a DeltaSqlError."""
