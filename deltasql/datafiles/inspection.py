"""What the footers of data files say that the log does not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from deltasql.errors.log import LostDataFileError, StorageError, UnreadableDataFileError
from deltasql.log.storage.local_files import require_regular
from deltasql.log.storage.locations import is_local, local_path
from deltasql.log.storage.stores import Stores
from deltasql.schema.column_mapping import physical_name
from deltasql.schema.types import ArrayType, DataType, MapType, StructType

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

SURE_BOUNDS = "deltasql.bounds.nan"
"""The key of footers of which this process has made sure: no column chunk has bounds and NaN, which they leave out."""
UNSURE_BOUNDS = ("parquet.filter.stats.enabled", "parquet.filter.columnindex.enabled")
"""Options of Spark's reader, by which it passes over nothing where they are false."""
_SURE_WRITERS = re.compile(r"parquet-mr version (?:1\.\d\d|[2-9])")
"""Whose bounds are NaN where NaN is among the values: readers then take the chunk to have none."""
_MOST_LOOKED_AT = 1024
"""Of more files it is not asked who wrote them."""

_THREADS = 8
# Row ids and commit versions stand in columns that belong to the table and to no schema.
_ROW_TRACKING = ("_row-id-col-", "_row-commit-version-col-")


@contextmanager
def readable(path: str) -> Iterator[None]:
    """The block reads a data file. Raises LostDataFileError, and UnreadableDataFileError for whatever else is wrong."""
    import pyarrow as pa

    try:
        if is_local(path):
            require_regular(local_path(path))
        yield
    except FileNotFoundError as error:
        raise LostDataFileError(path) from error
    except (pa.ArrowException, OSError, ValueError, OverflowError, RecursionError) as error:
        reason = str(error).strip().splitlines() or [type(error).__name__]
        raise UnreadableDataFileError(path, reason[0].rstrip(".")) from error


def footer(stores: Stores, path: str) -> pq.FileMetaData:
    """The footer of a data file at an absolute place. Raises LostDataFileError, UnreadableDataFileError.

    Of its column chunks pyarrow must not be asked where others wrote it: for some damage it ends the process.
    """
    import pyarrow.parquet as pq

    with readable(path):
        return pq.read_metadata(stores.open_file(path))


def bounds_are_sure(stores: Stores, paths: Sequence[str]) -> bool:
    """Whether some Parquet files are known to have no bounds of floating-point columns that leave out NaN.

    Spark's reader passes over row groups by such bounds, though NaN is greater than any number. Those of files that
    other writers than Spark's made are not to be believed, nor those of files that cannot be looked at.
    """
    if len(paths) > _MOST_LOOKED_AT:
        return False
    with ThreadPoolExecutor(min(_THREADS, max(1, len(paths)))) as threads:
        return all(threads.map(partial(_has_sure_bounds, stores), paths))


def _has_sure_bounds(stores: Stores, path: str) -> bool:
    try:
        found = footer(stores, path)
    except (LostDataFileError, UnreadableDataFileError, StorageError):
        return False
    return bool(
        _SURE_WRITERS.match(found.created_by or "")
        or SURE_BOUNDS.encode() in (found.metadata or {})
        or not float_leaves(found)
    )


def float_leaves(found: pq.FileMetaData) -> list[int]:
    """The numbers of the leaf columns of a file that are floating-point numbers."""
    return [at for at in range(found.num_columns) if found.schema.column(at).physical_type in {"FLOAT", "DOUBLE"}]


def foreign_columns(stores: Stores, paths: Sequence[str], schema: StructType) -> list[bool]:
    """Which Parquet files hold a column or nested field that `schema` does not have, by physical names."""

    def has_foreign(path: str) -> bool:
        import pyarrow as pa

        with readable(path):
            return _is_foreign(pa.struct(list(footer(stores, path).schema.to_arrow_schema())), schema)

    with ThreadPoolExecutor(_THREADS) as threads:
        return list(threads.map(has_foreign, paths))


def _is_foreign(found: pa.DataType, known: DataType) -> bool:
    """Whether a type of a file has a field that the table's type lacks; other differences are for readers to judge."""
    import pyarrow as pa

    match known:
        case StructType() if pa.types.is_struct(found):
            fields = {physical_name(field): field.type for field in known}
            present = [field for field in found if not field.name.startswith(_ROW_TRACKING)]
            return any(field.name not in fields or _is_foreign(field.type, fields[field.name]) for field in present)
        case ArrayType(element=element) if pa.types.is_list(found):
            return _is_foreign(found.value_type, element)
        case MapType(key=key, value=value) if pa.types.is_map(found):
            return _is_foreign(found.key_type, key) or _is_foreign(found.item_type, value)
        case _:
            return False
