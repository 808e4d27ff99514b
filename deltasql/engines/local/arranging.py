"""Rows of a table in new files along a space-filling curve (OPTIMIZE … ZORDER BY, CLUSTER BY), by this process.

Each bin of files is read twice. First only the columns of the curve are read, for a sample of the rows. It says where
the ranges of each column begin, and where on the curve each new file does. Then all rows are read, piece by piece, and
dealt out to the new files: in memory if they fit there, else by way of Arrow files in a temporary folder. The rows of
each new file are then sorted by their places on the curve, and written.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path as FilePath
from tempfile import TemporaryDirectory

from deltasql.base import LeftToEngineError, Numbers, np, pa, pc
from deltasql.engines.choice import only_for_spark, require_searching
from deltasql.engines.curves import SAMPLED_ROWS, SEED, Line, boundaries, range_bits
from deltasql.engines.local.selections import plain_pieces, require_plain
from deltasql.engines.rewriting import StoredRows, bin_sizes, data_schema, partition_values
from deltasql.files import (
    UNPACKED,
    CompactionGroup,
    FileStage,
    Piece,
    SessionFacts,
    Staged,
    count_live_rows,
    located,
    memory_limit,
    results_of,
    starts,
    tables_of,
)
from deltasql.plan import ComputedBy, Rearrange, Scan, Way, hidden_names
from deltasql.schema import STRING, DecimalType, PrimitiveType, StructField, physical_name

_KEYS = frozenset(
    {"byte", "short", "integer", "long", "float", "double", "boolean", "date", "timestamp", "timestamp_ntz", "string"}
)
SORTED = "rows are sorted by keys of several columns"
_BUCKET_ROWS = 1 << 19
"""Rows of a part of the curve that are sorted together, and become a row group: so few are near in memory."""
_PREFIX_BYTES = 8
"""Of a text, by which it gets its place."""


def arranged_in_process(session: SessionFacts, operator: Rearrange, stage: FileStage) -> tuple[Staged, tuple[int, ...]]:
    """Stages the new files along the curve; the `origin` of each is a number, and the tuple has the bin of each number.

    Raises LeftToEngineError, with nothing staged, where an engine is needed. Raises DataFileNotFoundError,
    UnreadableDataFileError, StorageError.
    """
    keys = curve_columns(session, operator)
    firsts = np.concatenate([[0], np.cumsum(operator.slices)]).tolist()
    try:
        staged = Staged.united(
            _Bin(session, operator, keys, number, files).staged(stage, firsts[number])
            for number, files in enumerate(_files_of_bins(operator))
        )
    except LeftToEngineError:
        stage.discard()
        raise
    return staged, tuple(number for number, slices in enumerate(operator.slices) for _ in range(slices))


def planned_arrangement(session: SessionFacts, operator: Rearrange) -> Way:
    """The way of an arrangement along a curve, this process or the engine."""
    try:
        curve_columns(session, operator)
    except LeftToEngineError as left:
        return Way(ComputedBy.ENGINE, left.reason)
    return Way(ComputedBy.PROCESS, SORTED)


def curve_columns(session: SessionFacts, operator: Rearrange) -> list[StructField]:
    """The columns of the curve. Raises LeftToEngineError where this process does not arrange the rows by them."""
    session.require_computing()
    target, sizes = operator.target, bin_sizes(operator)
    if target.row_ids is not None or only_for_spark(target.schema):
        raise LeftToEngineError("only the engine copies such columns")
    if operator.stores_partitions:
        raise LeftToEngineError("partition values are stored with the rows")
    columns = [target.schema.find(path[0]) if len(path) == 1 else None for path in operator.columns]
    found = [item for item in columns if item is not None and _has_keys(item)]
    if len(found) < len(columns):
        raise LeftToEngineError("rows are sorted by a nested column, or one without an order in this process")
    require_plain(found, ())
    require_searching(session, target.table.location, pc.sum(sizes).as_py() or 0)
    return found


def _has_keys(item: StructField) -> bool:
    kind = item.type
    return isinstance(kind, DecimalType) or (isinstance(kind, PrimitiveType) and kind.name in _KEYS)


def _files_of_bins(operator: Rearrange) -> Iterator[range]:
    """The numbers of the files of each bin, which stand side by side."""
    bins = operator.bins.to_numpy()
    edges = np.searchsorted(bins, np.arange(len(operator.slices) + 1)).tolist()
    return (range(start, end) for start, end in pairwise(edges))


class _Bin:
    """The files of one bin, whose rows go into `slices` new files."""

    def __init__(
        self, session: SessionFacts, operator: Rearrange, keys: Sequence[StructField], number: int, files: range
    ) -> None:
        self._session, self._operator, self._keys, self._files = session, operator, keys, files
        self._scan: Scan = located(replace(operator.target, identity=False))
        self._slices = operator.slices[number]
        some = self._scan.files.slice(files.start, len(files))
        self._size: int = pc.sum(some.column("size")).as_py() or 0
        self._rows = count_live_rows(session.stores, some)

    def staged(self, stage: FileStage, first: int) -> Staged:
        """The new files; the origins are numbers from `first` on."""
        deal, each = self._dealer()
        paths = self._scan.files.column("location").to_pylist()[self._files.start : self._files.stop]
        stored = StoredRows(self._session, self._scan, data_schema(self._operator), paths)
        with ExitStack() as stack:
            folder = None
            if UNPACKED * self._size > memory_limit(self._session) // 3:
                folder = FilePath(stack.enter_context(TemporaryDirectory(prefix="deltasql-")))
            buckets = [_Bucket(folder and folder / str(at)) for at in range(self._slices * each)]
            for parts in results_of(stored.pieces(paths), deal):
                for number, rows in parts:
                    buckets[number].add(rows)
            files = (buckets[number * each : (number + 1) * each] for number in range(self._slices))
            groups = (self._group(str(number), file) for number, file in enumerate(files, start=first))
            return stage.unite([group for group in groups if group is not None], data_schema(self._operator))

    def _dealer(self) -> tuple[Callable[[pa.Table], list[tuple[int, pa.Table]]], int]:
        """A function that says of rows into which parts of the curve they go, and how many parts each new file has."""
        assert self._operator.curve is not None
        sample = self._sample()
        bits = range_bits(len(self._keys), sample.shape[1])
        line = Line(self._operator.curve, len(self._keys), bits)
        bounds = [np.array(boundaries(values[np.isfinite(values)].tolist(), bits)) for values in sample]
        places = np.sort(_places(line, bounds, list(sample)))
        each = max(1, math.ceil(self._rows / (self._slices * _BUCKET_ROWS)))
        parts = self._slices * each if len(places) else 1
        cuts = places[[at * len(places) // parts for at in range(1, parts)]]

        def deal(rows: pa.Table) -> list[tuple[int, pa.Table]]:
            found = _places(line, bounds, [_key(rows.column(physical_name(item)), item) for item in self._keys])
            placed = rows.append_column(hidden_names.PLACE, pa.array(found))
            return list(_apart(placed, np.searchsorted(cuts, found, "right")))

        return deal, each

    def _group(self, origin: str, buckets: Sequence[_Bucket]) -> CompactionGroup | None:
        """The rows of a new file; None for one that gets none."""
        pieces = [bucket.piece() for bucket in buckets if bucket.rows]
        if not pieces:
            return None
        one = self._scan.files.slice(self._files.start, 1)
        (values,) = partition_values(self._scan.schema, self._scan.partition_columns, one)
        return CompactionGroup(origin, values, self._size // self._slices + 1, partial(iter, pieces))

    def _sample(self) -> np.ndarray:
        """Keys of some rows: an array with a row for each column."""
        share = min(1.0, SAMPLED_ROWS / max(1, self._rows))
        random = np.random.default_rng(SEED)
        found = [np.empty((len(self._keys), 0))]
        for rows in tables_of(plain_pieces(self._session, self._scan, tuple(self._keys), files=self._files)):
            chosen = np.sort(random.choice(rows.num_rows, math.ceil(share * rows.num_rows), replace=False))
            some = rows.take(pa.array(chosen))
            found.append(np.array([_key(some.column(item.name), item) for item in self._keys]))
        return np.concatenate(found, axis=1)


def _places(line: Line, bounds: Sequence[Numbers], keys: Sequence[Numbers]) -> Numbers:
    """The places on the curve of rows with these keys, by column."""
    pairs = zip(bounds, keys, strict=True)
    return line.positions([np.searchsorted(limits, values, "right").astype(np.int64) for limits, values in pairs])


def _key(column: pa.ChunkedArray, item: StructField) -> Numbers:
    """Values as numbers in about the same order, which suffices for clustering; NULL comes first, NaN last."""
    values = column.combine_chunks()
    if item.type == STRING:
        keys = _prefixes(values)
    else:
        if pa.types.is_date(values.type):
            values = values.cast(pa.int32())
        elif pa.types.is_timestamp(values.type):
            values = values.cast(pa.int64())
        keys = pc.fill_null(values.cast(pa.float64(), safe=False), 0.0).to_numpy(zero_copy_only=False)
    keys = np.where(np.isnan(keys), np.inf, keys)
    return np.where(values.is_null().to_numpy(zero_copy_only=False), -np.inf, keys) if values.null_count else keys


def _prefixes(texts: pa.Array) -> Numbers:
    """The first bytes of texts as numbers, of which a DOUBLE holds 52 bits."""
    parts = pc.binary_slice(texts.cast(pa.binary()), 0, _PREFIX_BYTES)
    offsets = np.frombuffer(parts.buffers()[1], np.int32)[parts.offset : parts.offset + len(parts) + 1]
    data = np.frombuffer(parts.buffers()[2] or b"", np.uint8)
    numbers = np.zeros(len(parts), np.uint64)
    for at in range(_PREFIX_BYTES):
        index = offsets[:-1] + at
        has_byte = index < offsets[1:]
        numbers = numbers << np.uint64(8)
        numbers[has_byte] |= data[index[has_byte]]
    keys: Numbers = (numbers >> np.uint64(12)).astype(np.float64)
    return keys


def _apart(rows: pa.Table, numbers: Numbers) -> Iterator[tuple[int, pa.Table]]:
    """The rows of each number, which is beside them."""
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    begins = starts(ordered).tolist()
    taken = rows.take(pa.array(order))
    for start, end in zip(begins, [*begins[1:], len(ordered)], strict=True):
        yield int(ordered[start]), taken.slice(start, end - start)


class _Bucket:
    """Rows of a part of the curve: in memory, or in an Arrow file at `path`, until they are sorted."""

    def __init__(self, path: FilePath | None) -> None:
        self._path, self._tables = path, list[pa.Table]()
        self._writer: pa.RecordBatchFileWriter | None = None
        self.rows = self._bytes = 0

    def add(self, rows: pa.Table) -> None:
        self.rows += rows.num_rows
        self._bytes += rows.nbytes
        if self._path is None:
            self._tables.append(rows)
            return
        if self._writer is None:
            options = pa.ipc.IpcWriteOptions(compression="lz4")
            self._writer = pa.ipc.new_file(self._path, rows.schema, options=options)
        self._writer.write_table(rows)

    def piece(self) -> Piece:
        """The rows along the curve, to be read once: in Parquet they take about a quarter of their memory."""
        if self._writer is not None:
            self._writer.close()
        return Piece(self._bytes // UNPACKED + 1, self._sorted)

    def _sorted(self) -> pa.Table:
        tables, self._tables = self._tables, []
        if self._writer is not None:
            with pa.memory_map(str(self._path)) as file:
                tables = [pa.ipc.open_file(file).read_all()]
        rows = pa.concat_tables(tables).combine_chunks()
        order = np.argsort(rows.column(hidden_names.PLACE).to_numpy(), kind="stable")
        return rows.drop_columns([hidden_names.PLACE]).take(pa.array(order))
