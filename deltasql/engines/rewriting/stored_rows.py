"""The rows of a table's files in their stored form, copied from file to file within this process."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote

from deltasql.base.errors.log import LostDataFileError
from deltasql.base.lazy import np, pa, pc, pq
from deltasql.base.settings.session_settings import IGNORE_MISSING_FILES
from deltasql.engines.choice import copied_in_process, only_for_spark
from deltasql.files.facts import SessionFacts
from deltasql.files.inspection import readable
from deltasql.files.reading.file_reader import (
    FileReader,
    footer_columns,
    is_of_old_calendar,
    reader_schema,
    row_group_rows,
)
from deltasql.files.reading.file_tables import (
    deleted_by_file,
    file_pieces,
    missing_file,
    readable_files,
    vector_positions,
)
from deltasql.files.reading.pieces import Piece, group_sizes
from deltasql.files.stage import FileStage
from deltasql.files.thresholds import FILE_BYTES
from deltasql.files.writing.arrow_files import as_stored, directory_name
from deltasql.files.writing.spliced_files import may_splice_from
from deltasql.files.writing.successors import FileInMemory
from deltasql.plan.operators import Scan
from deltasql.schema.column_mapping import physical_name, physical_schema
from deltasql.schema.lengths import with_lengths, without_lengths
from deltasql.schema.types import VOID, StructType


def may_copy_rows(
    session: SessionFacts, target: Scan, stage: FileStage, sizes: pa.Array | pa.ChunkedArray, most: int = FILE_BYTES
) -> bool:
    """As `are_copyable`, if the session leaves it to this process. Starts the engine.

    Only Spark passes over files that may be missing. Raises what `copied_in_process` raises.
    """
    if (session.current_value(IGNORE_MISSING_FILES.name) or "").lower() == "true":
        return False
    if not are_copyable(target, stage, sizes, most):
        return False
    return copied_in_process(session, target.table.location, pc.sum(sizes).as_py() or 0)


def are_copyable(target: Scan, stage: FileStage, sizes: pa.Array | pa.ChunkedArray, most: int) -> bool:
    """Whether this process may make files of such sizes, in bytes, at most `most`, of rows of the target's.

    Ids of rows depend on where they stand.
    """
    parted = stage.stores_partitions and target.partition_columns
    if parted or target.row_ids is not None or only_for_spark(target.schema):
        return False
    return int(pc.max(sizes).as_py() or 0) <= most


class StoredRows:
    """The rows of some files of the target, with the columns that files of `schema` have."""

    def __init__(self, session: SessionFacts, target: Scan, schema: StructType, paths: Sequence[str]) -> None:
        """`paths` are the files: see `readable_files`, which checks that they exist, and for its errors."""
        readable_files(target, paths, may_be_missing=False)
        self._stores, self._target, self._schema = session.stores, target, schema
        partitions = {name.lower() for name in target.partition_columns}
        stored = tuple(item for item in schema if item.name.lower() not in partitions and item.type != VOID)
        self._in_memory = without_lengths(physical_schema(with_lengths(StructType(stored))))
        self._columns = as_stored(reader_schema(self._in_memory).empty_table(), schema).schema
        self._vectors = deleted_by_file(target, paths)

    def pieces(self, paths: Iterable[str]) -> Iterator[Piece]:
        """The live rows of some files, piece by piece, in their order.

        Raises LeftToEngineError for dates of another calendar, DataFileNotFoundError, UnreadableDataFileError, here or
        where a piece is read.
        """
        reader = FileReader(self._stores, self._target, self._in_memory)
        marked = {path: partial(self._marked, path) for path in self._vectors}
        for _, piece in file_pieces(reader, paths, marked=marked):
            yield piece.mapped(partial(as_stored, schema=self._schema))

    def opened(self, path: str, statistics: str | None, *, spliceable: bool) -> FileInMemory:
        """A file with its statistics in the log. Raises what `pieces` raises.

        One whose days are those of another calendar is not spliceable: new ones are not, and would be taken for such.
        """
        store, name = self._stores.of_file(path)
        with self._existing(path), readable(path):
            data = store.read_buffer(name)
            footer = pq.read_metadata(pa.BufferReader(data))
        with_statistics, repeating = footer_columns(footer)
        is_alike = may_splice_from(footer.created_by) and not is_of_old_calendar(footer)
        return _OpenedFile(
            path=path,
            data=memoryview(data).cast("B"),
            sizes=group_sizes(footer),
            stored=self._in_memory,
            schema=self._schema,
            columns=self._columns,
            marked=self._marked(path),
            statistics=statistics,
            dictionaries=[*repeating, *(item.name for item in self._in_memory if item.name not in with_statistics)],
            spliceable=spliceable and is_alike,
        )

    def _marked(self, path: str) -> np.ndarray[Any, Any]:
        """The positions that a file's deletion vector marks."""
        vector = self._vectors.get(path)
        return np.array([], np.int64) if vector is None else vector_positions(self._stores, self._target, vector)

    @contextmanager
    def _existing(self, path: str) -> Iterator[None]:
        try:
            yield
        except LostDataFileError:
            raise missing_file(self._target, path) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class _OpenedFile:
    """See FileInMemory. `stored` are the columns that files of `schema` have."""

    path: str
    data: memoryview
    sizes: Sequence[int]
    stored: StructType
    schema: StructType
    columns: pa.Schema
    marked: np.ndarray[Any, Any]
    statistics: str | None
    dictionaries: Sequence[str]
    spliceable: bool

    def rows(self, group: int, names: Collection[str]) -> pa.Table:
        columns = StructType(tuple(item for item in self.stored if item.name in names))
        return as_stored(row_group_rows(self.path, self.data, group, columns), self.schema)


def partition_values(
    schema: StructType, partition_columns: Sequence[str], files: pa.Table
) -> list[dict[str, str | None]]:
    """The partition values of each file as in the log, by physical name."""
    fields = [field for name in partition_columns if (field := schema.find(name)) is not None]
    rows = files.column("partitionValues").to_pylist() if fields else [{}] * files.num_rows
    folded = ({name.lower(): value for name, value in row.items()} for row in rows)
    return [{physical_name(field): row.get(field.name.lower()) for field in fields} for row in folded]


def partition_folder(path: str, values: Mapping[str, str | None]) -> str:
    """The folders of a file of some partition values, as its writer spelled them; in our words where it has none."""
    folders = PurePosixPath(path).parent.parts[-len(values) :] if values else ()
    if [unquote(folder.partition("=")[0]) for folder in folders] == list(values):
        return "/".join(folders)
    return "/".join(directory_name(name, value) for name, value in values.items())
