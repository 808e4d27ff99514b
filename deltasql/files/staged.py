"""New data files that no commit names yet."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from deltasql.log.actions.actions import AddCDCFile, AddFile


@dataclass(frozen=True, slots=True)
class StagedFile:
    """A new data file: its action, its number of rows, the value of its directory of ORIGIN, and where it lies."""

    add: AddFile
    rows: int
    origin: str | None
    location: str


@dataclass(frozen=True, slots=True)
class Staged:
    """Files that were written and not yet committed; `changes` are those of the change data feed."""

    files: tuple[StagedFile, ...]
    changes: tuple[AddCDCFile, ...] = ()

    @classmethod
    def united(cls, parts: Iterable[Staged]) -> Staged:
        """The files of all parts."""
        parts = tuple(parts)
        return cls(
            tuple(file for part in parts for file in part.files), tuple(file for part in parts for file in part.changes)
        )

    @property
    def adds(self) -> list[AddFile]:
        return [item.add for item in self.files]

    @property
    def rows(self) -> int:
        return sum(item.rows for item in self.files)

    @property
    def size(self) -> int:
        """Bytes."""
        return sum(item.add.size for item in self.files)
