"""The rows of several data files, which are read ahead."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from deltasql.datafiles.reading.file_reader import FileReader
from deltasql.datafiles.reading.missing_files import missing_file
from deltasql.datafiles.threads import awaited, working
from deltasql.errors.log import LostDataFileError
from deltasql.plan.operators import Scan

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa


def file_numbers(operator: Scan) -> dict[str, int]:
    """The numbers of a scan's files in the places of rows, by location."""
    return {path: number for number, path in enumerate(operator.files.column("location").to_pylist())}


def file_tables(
    reader: FileReader,
    paths: Sequence[str],
    *,
    may_be_missing: bool = False,
    marked: Mapping[str, Callable[[], np.ndarray[Any, Any]]],
) -> Iterator[tuple[str, pa.Table]]:
    """The rows of each file with the reader's columns, under their names: see `FileReader`. Ctrl-C waits for no file.

    Files are read ahead, several at once.
    """

    def read(number: int, path: str) -> pa.Table | None:
        try:
            return reader.rows(path, marked.get(path), number)
        except LostDataFileError:
            if may_be_missing:
                return None
            raise missing_file(reader.operator, path) from None

    numbers = file_numbers(reader.operator)

    with working(len(paths)) as threads:
        waiting = [(path, threads.submit(read, numbers[path], path)) for path in paths]
        for path, future in waiting:
            table = awaited(future)
            if table is not None:
                yield path, table
