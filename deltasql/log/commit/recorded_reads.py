"""The read set of a transaction, which decides which commits it conflicts with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from deltasql.log.commit.conflict import ReadPredicate, ReadSet
from deltasql.log.storage.paths import canonical


class RecordedReads:
    """Reads of a statement on one table so far; paths are canonical."""

    def __init__(self, root: str) -> None:
        self._root = root
        self.predicates: list[ReadPredicate] = []
        self.files: set[str] = set()
        self.whole_table = False
        self.app_ids: set[str] = set()

    def record(
        self,
        predicate: str | None,
        files: Iterable[str] | None,
        whole_table: bool,
        matches: Callable[[Mapping[str, str | None]], bool] | None,
    ) -> None:
        """Adds a scan: see `Transaction.record_read`."""
        self.whole_table |= whole_table or (predicate is None and files is None)
        self.predicates.append(ReadPredicate(predicate if predicate is not None else "true", matches))
        self.files.update(canonical(path, self._root) for path in files or ())

    @property
    def read_set(self) -> ReadSet:
        """The recorded reads as input of the conflict rules."""
        return ReadSet(tuple(self.predicates), frozenset(self.files), self.whole_table, frozenset(self.app_ids))
