"""Tables that are none of Delta's, as their files and their metadata have them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from deltasql.schema.types import StructType


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A data file of a foreign table; `path` is canonical, `size` in bytes, `modified` in ms.

    `partitions` are the partition columns that it is known by, in their order, with the texts of their values.
    """

    path: str
    size: int
    modified: int
    partitions: tuple[tuple[str, str | None], ...] = ()


@dataclass(frozen=True, slots=True)
class SourceTable:
    """A foreign table, described by its files and its metadata.

    `schema` has the columns of the files. `partition_columns` is None where only the user knows them and their types,
    else they are columns of `schema`. `properties` are those of the table that it becomes. `footers` is the engine's.
    """

    location: str
    schema: StructType
    files: tuple[SourceFile, ...]
    partition_columns: tuple[str, ...] | None = None
    properties: Mapping[str, str] = field(default_factory=dict)
    footers: Any = None
