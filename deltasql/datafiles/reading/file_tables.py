"""The rows of several data files of a scan, piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from deltasql.datafiles.reading.file_reader import FileReader
from deltasql.datafiles.reading.missing_files import missing_file
from deltasql.datafiles.reading.pieces import Piece
from deltasql.errors.log import LostDataFileError
from deltasql.lazy import np, pa
from deltasql.plan.operators import Scan


def file_numbers(operator: Scan) -> dict[str, int]:
    """The numbers of a scan's files in the places of rows, by location."""
    return {path: number for number, path in enumerate(operator.files.column("location").to_pylist())}


def file_pieces(
    reader: FileReader,
    paths: Iterable[str],
    *,
    may_be_missing: bool = False,
    marked: Mapping[str, Callable[[], np.ndarray[Any, Any]]],
) -> Iterator[tuple[str, Piece]]:
    """Paths, each with a piece of its file, in their order, with the reader's columns under their names.

    See `FileReader.pieces`. Raises DataFileNotFoundError for a file that is gone, unless it `may_be_missing`; such a
    file has no rows.
    """
    numbers, empty = file_numbers(reader.operator), reader.schema.empty_table()

    def read(path: str, piece: Piece) -> pa.Table:
        try:
            return piece.read()
        except LostDataFileError:
            if may_be_missing:
                return empty
            raise missing_file(reader.operator, path) from None

    for path in paths:
        try:
            pieces = reader.pieces(path, marked.get(path), numbers[path])
        except LostDataFileError:
            if may_be_missing:
                continue
            raise missing_file(reader.operator, path) from None
        yield from ((path, Piece(piece.size, partial(read, path, piece))) for piece in pieces)
