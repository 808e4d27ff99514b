"""New data files that no commit names yet."""

from __future__ import annotations

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
