"""The files of a relation ``parquet.`path` ``, and their columns, as Spark's reader has them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from deltasql.base.errors.base import LeftToEngineError
from deltasql.base.errors.engine import NotOnSailError
from deltasql.base.errors.sources import UnknownParquetTypeError
from deltasql.base.errors.statements.copy_into import SourceNotFoundError
from deltasql.base.lazy import pa, pq
from deltasql.files.foreign.footers import fetch_footers
from deltasql.files.foreign.parquet_types import file_schema
from deltasql.files.inspection import readable
from deltasql.files.reading.file_reader import OLD_DAYS, has_old_days, reader_schema
from deltasql.files.reading.pieces import Piece, group_ranges, group_sizes, groups_together, tables_of
from deltasql.log.storage.locations import absolute_location
from deltasql.log.storage.source_files import SPECIAL, Choice, ListedFile, find_source, glob_expression
from deltasql.log.storage.stores import Stores
from deltasql.schema.types import StructType


def parquet_files(stores: Stores, location: str) -> tuple[list[str], StructType]:
    """The absolute places of the files of a folder, a file or a pattern, and the columns that all of them have.

    Raises NotOnSailError where Spark's columns are not certain: several schemas, folders that are partitions.
    Raises SourceNotFoundError, SourceFileError, StorageError.
    """
    files = _files(stores, location)
    schemas = [_schema(stores, file) for file in files]
    if any(schema != schemas[0] for schema in schemas):
        raise NotOnSailError(what=f"the files of {location}, which have several schemas")
    names = [name.lower() for name in schemas[0].names]
    if len(set(names)) < len(names) or not names:
        raise NotOnSailError(what=f"the columns of {location}, of which two share a name")
    return [file.path for file in files], schemas[0]


def _files(stores: Stores, root: str) -> Sequence[ListedFile]:
    location = absolute_location(root)
    try:
        files = find_source(stores.open, location, Choice()).files
    except (FileNotFoundError, ValueError) as error:
        raise SourceNotFoundError(location=root, reason="no such file or folder") from error
    if not files:
        raise SourceNotFoundError(location=root, reason="no file is there")
    if any("=" in _folders_below(location, file.path) for file in files):
        raise NotOnSailError(what="columns from the names of folders")
    return files


def _folders_below(location: str, path: str) -> str:
    """The folders between what is read and a file of it; a file that a pattern names has none."""
    if SPECIAL.search(location):
        return "" if glob_expression(location).fullmatch(path) else path.rpartition("/")[0]
    return path.removeprefix(location).rpartition("/")[0]


def _schema(stores: Stores, file: ListedFile) -> StructType:
    store, name = stores.of_file(file.path)
    (footer,) = fetch_footers(store, [(name, file.size)])
    try:
        return file_schema(footer, file.path)
    except UnknownParquetTypeError as error:
        raise NotOnSailError(what=f"the type of a column in {file.path}") from error


def read_columns(stores: Stores, files: Sequence[str], columns: StructType) -> pa.Table:
    """Columns of all rows of some files. Raises what `column_pieces` raises."""
    tables = list(tables_of(column_pieces(stores, files, columns)))
    return pa.concat_tables(tables) if tables else reader_schema(columns).empty_table()


def column_pieces(stores: Stores, files: Sequence[str], columns: StructType) -> Iterator[Piece]:
    """Columns of all rows of some files, piece by piece, in their order.

    Raises LeftToEngineError for days of another calendar, UnreadableDataFileError, here or where a piece is read.
    """
    names, target = list(columns.names), reader_schema(columns)

    def read(path: str, footer: pq.FileMetaData, groups: Sequence[int]) -> pa.Table:
        with readable(path), pq.ParquetFile(stores.open_file(path), metadata=footer) as file:
            rows = file.read_row_groups(groups, names)
            if has_old_days(footer, rows):
                raise LeftToEngineError(OLD_DAYS)
            return rows.select(names).cast(target, safe=False)

    for path in files:
        with readable(path), stores.open_file(path) as source:
            size, footer = source.size(), pq.read_metadata(source)
        for piece_size, some in groups_together(footer, group_ranges(group_sizes(footer)), size):
            yield Piece(piece_size, partial(read, path, footer, [group for group, _, _ in some]))
