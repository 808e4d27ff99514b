"""Counts and sums over the live files of a version, with a histogram of their sizes."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from deltasql.log.actions.actions import Json

_KB, _MB, _GB = 1 << 10, 1 << 20, 1 << 30


def _boundaries() -> tuple[int, ...]:
    small = [0, *(_KB * (8 << step) for step in range(7))]
    middle = [1, 2, 4, *range(8, 44, 4), *range(48, 128, 8), *range(124, 148, 4), *range(160, 592, 16)]
    large = [*range(640, 1472, 64), *range(1536, 2176, 128), *range(2304, 4352, 256)]
    return (*small, *(_MB * item for item in middle + large), *(_GB * (8 << step) for step in range(6)))


# Delta's default bins of file sizes: each begins at its boundary, in bytes.
BOUNDARIES = _boundaries()


@dataclass(frozen=True, slots=True)
class FileTotals:
    """Sums over the live files: bytes, and per size bin of `BOUNDARIES` the files and their bytes."""

    files: int = 0
    bytes: int = 0
    bin_files: tuple[int, ...] | None = (0,) * len(BOUNDARIES)
    bin_bytes: tuple[int, ...] | None = (0,) * len(BOUNDARIES)
    vectors: int | None = 0
    deleted_rows: int | None = 0

    def after(self, adds: Iterable[Json], removes: Iterable[Json]) -> FileTotals | None:
        """The totals once some files are added and removed; None if a removed file's size is not known."""
        counts, sizes = list(self.bin_files or ()), list(self.bin_bytes or ())
        files, total, vectors, rows = self.files, self.bytes, 0, 0
        for sign, actions in ((1, adds), (-1, removes)):
            for action in actions:
                size = action.get("size")
                if size is None:
                    return None
                files += sign
                total += sign * size
                if counts:
                    index = bisect_right(BOUNDARIES, size) - 1
                    counts[index] += sign
                    sizes[index] += sign * size
                vector = action.get("deletionVector")
                if vector is not None:
                    vectors += sign
                    rows += sign * vector["cardinality"]
        return FileTotals(
            files,
            total,
            tuple(counts) or None,
            tuple(sizes) or None,
            None if self.vectors is None else self.vectors + vectors,
            None if self.deleted_rows is None else self.deleted_rows + rows,
        )

    @property
    def is_plausible(self) -> bool:
        """Whether no sum is below zero, as one is once a file was removed that had not been counted."""
        return self.files >= 0 and self.bytes >= 0 and min(self.bin_files or (0,)) >= 0
