"""Rows that are written while they are read: each piece becomes a row group, and adjacent row groups become a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice

from deltasql.base.lazy import pa
from deltasql.files.reading.pieces import CORES, PIECE_BYTES, Piece, ordered
from deltasql.files.statistics.floats import FloatRange, float_ranges, united
from deltasql.files.threads import awaited, working
from deltasql.files.writing.arrow_files import TableFiles, as_stored, encoded, repeating_columns
from deltasql.files.writing.spliced_files import joined
from deltasql.files.writing.staged_files import WrittenFile
from deltasql.log.storage.log_store import LogStore
from deltasql.plan.file_shape import ANY_SHAPE, FileShape
from deltasql.schema.types import StructType

FILE_BYTES = 128 << 20
"""In Parquet: a file of so many bytes is complete. Spark's writer makes files of about this size."""


@dataclass(frozen=True, slots=True)
class _RowGroup:
    """A Parquet file of one row group, or of none, and the ranges of its floating-point columns by path."""

    data: pa.Buffer
    rows: int
    floats: dict[str, FloatRange]


def packed(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Pieces of at least PIECE_BYTES bytes, each of one piece or of adjacent smaller ones; the last has the rest."""
    size, some = 0, list[Piece]()
    for piece in pieces:
        some.append(piece)
        size += piece.size
        if size >= PIECE_BYTES:
            yield _together(size, some)
            size, some = 0, []
    if some:
        yield _together(size, some)


def _together(size: int, pieces: Sequence[Piece]) -> Piece:
    def read() -> pa.Table:
        return pa.concat_tables([piece.read() for piece in pieces])

    return pieces[0] if len(pieces) == 1 else Piece(size, read)


def write_pieces(
    store: LogStore, directory: str, pieces: Iterable[Piece], schema: StructType, shape: FileShape = ANY_SHAPE
) -> list[WrittenFile]:
    """Writes the rows of pieces, in their order, to files in `directory`, below the table's root.

    The rows have physical names; `schema` is the table's. CORES pieces are decoded side by side; up to two files are in
    memory encoded. Raises what reading a piece raises, and StorageError; no thread writes on then, nor after Ctrl-C.
    """
    files = TableFiles(store, schema, in_partitions=False, shape=shape)
    several = packed(pieces)
    first = list(islice(several, 2))
    if len(first) < 2:
        return [file for piece in first for file in files.write_all(0, directory, as_stored(piece.read(), schema))]
    written = list[Future[WrittenFile]]()
    with working(CORES, CORES, settles=True) as threads, working(1, settles=True) as writer:
        groups = chain.from_iterable(ordered(threads, _encoding(chain(first, several), schema, shape)))
        for number, some in enumerate(_of_file_size(groups, shape)):
            if number:
                # One file is written while the row groups of the next one are encoded.
                awaited(written[-1])
            written.append(writer.submit(_write, files, number, directory, some))
        return [awaited(future) for future in written]


def write_united(
    files: TableFiles,
    number: int,
    directory: str,
    pieces: Iterable[Piece],
    schema: StructType,
    workers: ThreadPoolExecutor,
) -> WrittenFile:
    """Writes all rows of pieces, in their order, to one file, whose row groups `workers` encode: see `write_pieces`."""
    several = packed(pieces)
    first = list(islice(several, 2))
    if len(first) == 1:
        return files.write(number, directory, as_stored(first[0].read(), schema))
    whole = replace(files.shape, most_rows=None)
    groups = list(chain.from_iterable(ordered(workers, _encoding(chain(first, several), schema, whole))))
    return _write(files, number, directory, groups)


def _encoding(
    pieces: Iterable[Piece], schema: StructType, shape: FileShape
) -> Iterator[tuple[int, Callable[[], list[_RowGroup]]]]:
    return ((piece.size, partial(_encode, piece, schema, shape)) for piece in pieces)


def _encode(piece: Piece, schema: StructType, shape: FileShape) -> list[_RowGroup]:
    """The rows of a piece as one row group, or as several of the most rows that a file may have."""
    rows = as_stored(piece.read(), schema)
    most, repeating = max(shape.most_rows or rows.num_rows, 1), repeating_columns(rows)
    slices = [rows.slice(start, most) for start in range(0, rows.num_rows, most)] or [rows]
    return [
        _RowGroup(encoded(some, repeating, max(some.num_rows, 1), shape), some.num_rows, float_ranges(some))
        for some in slices
    ]


def _write(files: TableFiles, number: int, directory: str, groups: Sequence[_RowGroup]) -> WrittenFile:
    floats = {path: found.bounds for path, found in united(group.floats for group in groups).items()}
    return files.write_encoded(number, directory, joined([memoryview(group.data) for group in groups]), floats)


def _of_file_size(groups: Iterable[_RowGroup], shape: FileShape) -> Iterator[list[_RowGroup]]:
    """Lists of adjacent row groups with rows, each for one file."""
    size, some = 0, list[_RowGroup]()
    for group in groups:
        rows = sum(item.rows for item in some)
        if some and shape.most_rows and rows + group.rows > shape.most_rows:
            yield some
            size, some = 0, []
        if group.rows:
            some.append(group)
            size += group.data.size
        if size >= FILE_BYTES:
            yield some
            size, some = 0, []
    if some:
        yield some
