"""Row indexes, by file, of the rows that actions change: the content of new deletion vectors."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from deltasql.base.lazy import np
from deltasql.files.reading.file_reader import spark_uri, split_addresses


@dataclass(frozen=True, slots=True)
class Positions:
    """Sorted row indexes by file URI (spelled as Spark does), and number of rows by 1-based action number.

    `fired` counts a row once for every source row that it matched.
    """

    rows: Mapping[str, np.ndarray[Any, Any]] = field(default_factory=dict)
    counts: Mapping[int, int] = field(default_factory=dict)
    fired: int = 0

    @property
    def marked(self) -> int:
        return sum(len(rows) for rows in self.rows.values())

    def counts_of(self, actions: int) -> dict[str, int]:
        """The counters of a rewrite that inserts nothing, by the names of `ActedRows.counters`."""
        return {f"action{number}": self.counts.get(number, 0) for number in range(1, actions + 1)}


def listed_positions(changed: Iterable[tuple[str, int, int]]) -> Positions:
    """Positions from tuples (file URI, row index, action number)."""
    rows: dict[str, set[int]] = defaultdict(set)
    counts: Counter[int] = Counter()
    fired = 0
    for file, row, action in changed:
        rows[file].add(row)
        counts[action] += 1
        fired += 1
    return Positions({file: np.array(sorted(items), np.uint64) for file, items in rows.items()}, counts, fired)


def positions_of(addresses: np.ndarray[Any, Any], actions: np.ndarray[Any, Any], paths: Sequence[str]) -> Positions:
    """Positions from ROW_ADDRESS values (file number and row index in one integer) and the action number of each.

    `paths` are the files by number.
    """
    distinct, first = np.unique(addresses, return_index=True)
    numbers, rows = split_addresses(distinct)
    files, starts = np.unique(numbers, return_index=True)
    parts = np.split(rows.astype(np.uint64), starts[1:])
    pairs = (
        {spark_uri(paths[file]): part for file, part in zip(files.tolist(), parts, strict=True)}
        if len(distinct)
        else {}
    )
    kinds, counts = np.unique(actions[first], return_counts=True)
    return Positions(pairs, dict(zip(kinds.tolist(), counts.tolist(), strict=True)), len(addresses))
