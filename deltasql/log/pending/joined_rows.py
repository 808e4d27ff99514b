"""Questions about rows to a transaction, which depends on a row if one of its statements does."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from deltasql.lazy import np
from deltasql.log.actions.actions import AddFile
from deltasql.log.actions.vector_writer import MarkedFile
from deltasql.log.commit.moved_rows import Follower, NewPositions
from deltasql.log.commit.row_rebase import RowPositions, RowQuestions


class JoinedRows:
    """Answers RowQuestions for several statements, and as a Follower for the version that the first of them has read.

    A row that no statement would have acted on stays as it is until the next statement, so that it is enough to ask
    each by itself.
    """

    def __init__(self, read: Follower, statements: Sequence[RowQuestions]) -> None:
        self._read, self._statements = read, statements

    def candidates(self, adds: Sequence[AddFile]) -> Sequence[AddFile]:
        """The files that may hold a row on which some statement depends, by their statistics."""
        paths = {add.path for statement in self._statements for add in statement.candidates(adds)}
        return [add for add in adds if add.path in paths]

    def selects(self, adds: Sequence[AddFile], only: RowPositions | None = None) -> bool:
        """Whether some statement would act on a live row of these files, or depends on one being there."""
        return any(statement.selects(adds, only) for statement in self._statements)

    def seen(self, paths: Collection[str]) -> Mapping[str, MarkedFile]:
        """The rows of some files of the version that was read, which some statement has found."""
        marked: dict[str, MarkedFile] = {}
        for statement in self._statements:
            for path, item in statement.seen(paths).items():
                earlier = marked.get(path)
                marked[path] = item if earlier is None else replace(earlier, rows=np.union1d(earlier.rows, item.rows))
        # As they were read: an earlier statement may have marked rows of them.
        before = self._read.as_read([item.add.path for item in marked.values()])
        return {path: replace(item, add=before.get(path, item.add)) for path, item in marked.items()}

    def follow(self, moved: Mapping[str, MarkedFile], outputs: Mapping[str, AddFile]) -> NewPositions | None:
        """Where rows of `moved` are in `outputs`, by their row ids."""
        return self._read.follow(moved, outputs)

    def as_read(self, paths: Collection[str]) -> Mapping[str, AddFile]:
        """Files of the version that was read, by canonical path."""
        return self._read.as_read(paths)

    def count_rows(self, add: AddFile) -> int:
        """All rows of a file, deleted ones too."""
        return self._read.count_rows(add)
