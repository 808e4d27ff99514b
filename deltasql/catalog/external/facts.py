"""Facts on a Delta table that an external catalog takes when its name is registered."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias


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
