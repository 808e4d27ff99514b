"""Facts about data files that only their footers contain: unexpected columns, and reliability of bounds.

Thread pools for parallel I/O in this process, and waits that Ctrl-C interrupts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from typing import TypeVar

from deltasql.base import AGAIN_AFTER, check, errors, pa, pq
from deltasql.log import OLD_DAYS, Stores, is_local, local_path, require_regular
from deltasql.schema import ArrayType, DataType, MapType, StructType, physical_name

NAN_SAFE_KEY = "deltasql.bounds.nan"
"""Footer key of files of which deltasql guarantees that no column chunk with NaN has bounds, which would ignore NaN."""
UNSURE_BOUNDS = ("parquet.filter.stats.enabled", "parquet.filter.columnindex.enabled")
"""Options of Spark's reader that enable data skipping by row group and page bounds."""
_SURE_WRITERS = re.compile(r"parquet-mr version (?:1\.\d\d|[2-9])")
"""`created_by` of writers whose bounds are NaN if a value is NaN: readers then ignore the bounds of the chunk."""
_SPARK_VERSION, _FIRST_NEW_DAYS = b"org.apache.spark.version", b"3.0.0"
_MOST_LOOKED_AT = 1024
"""With more files than this, their footers are not inspected."""

_THREADS = 8
# Row ids and commit versions stand in columns that belong to the table and to no schema.
_ROW_TRACKING = ("_row-id-col-", "_row-commit-version-col-")


@contextmanager
def readable(path: str) -> Iterator[None]:
    """Context for reading a data file: raises LostDataFileError if it is missing, else UnreadableDataFileError."""
    try:
        if is_local(path):
            require_regular(local_path(path))
        yield
    except FileNotFoundError as error:
        raise errors.LostDataFileError(path) from error
    except (pa.ArrowException, OSError, ValueError, OverflowError, RecursionError) as error:
        reason = str(error).strip().splitlines() or [type(error).__name__]
        raise errors.UnreadableDataFileError(path, reason[0].rstrip(".")) from error


def footer(stores: Stores, path: str) -> pq.FileMetaData:
    """The footer of a data file at an absolute path. Raises LostDataFileError, UnreadableDataFileError.

    Do not read its column chunks for files of other writers: pyarrow aborts the process for some damaged footers.
    """
    with readable(path):
        return pq.read_metadata(stores.open_file(path))


def bounds_are_sure(stores: Stores, paths: Sequence[str]) -> bool:
    """Whether no file has bounds of floating-point columns that ignore NaN.

    Spark's reader skips row groups by such bounds, though NaN is greater than any number. Bounds of writers other than
    Spark's are not trusted, nor those of unreadable files, nor those of more than _MOST_LOOKED_AT files.
    """
    return len(paths) <= _MOST_LOOKED_AT and all(sure_bounds(stores, paths))


def sure_bounds(stores: Stores, paths: Sequence[str]) -> list[bool]:
    """For each file, whether it certainly has no bounds of floating-point columns that ignore NaN."""
    with ThreadPoolExecutor(min(_THREADS, max(1, len(paths)))) as threads:
        return list(threads.map(partial(_has_sure_bounds, stores), paths))


def _has_sure_bounds(stores: Stores, path: str) -> bool:
    try:
        metadata = footer(stores, path)
    except (errors.LostDataFileError, errors.UnreadableDataFileError, errors.StorageError):
        return False
    return bool(
        _SURE_WRITERS.match(metadata.created_by or "")
        or NAN_SAFE_KEY.encode() in (metadata.metadata or {})
        or not float_leaves(metadata)
    )


def says_old_calendar(properties: Mapping[bytes, bytes], since: bytes = _FIRST_NEW_DAYS) -> bool:
    """Whether the properties of a footer say that its days are of the Julian calendar before 1582.

    So are those of versions of Spark before `since`.
    """
    return not OLD_DAYS.isdisjoint(properties) or properties.get(_SPARK_VERSION, since) < since


def float_leaves(footer: pq.FileMetaData) -> list[int]:
    """Indexes of a file's leaf columns that are FLOAT or DOUBLE."""
    return [at for at in range(footer.num_columns) if footer.schema.column(at).physical_type in {"FLOAT", "DOUBLE"}]


def foreign_columns(stores: Stores, paths: Sequence[str], schema: StructType) -> list[bool]:
    """For each Parquet file, whether it has a column or nested field that `schema` lacks, by physical names."""

    def has_foreign(path: str) -> bool:
        with readable(path):
            return _is_foreign(pa.struct(list(footer(stores, path).schema.to_arrow_schema())), schema)

    with ThreadPoolExecutor(_THREADS) as threads:
        return list(threads.map(has_foreign, paths))


def _is_foreign(file_type: pa.DataType, table_type: DataType) -> bool:
    """Whether a file's type has a field that the table's type lacks; other differences are ignored."""
    match table_type:
        case StructType() if pa.types.is_struct(file_type):
            fields = {physical_name(field): field.type for field in table_type}
            present = [field for field in file_type if not field.name.startswith(_ROW_TRACKING)]
            return any(field.name not in fields or _is_foreign(field.type, fields[field.name]) for field in present)
        case ArrayType(element=element) if hasattr(file_type, "value_field"):
            return _is_foreign(file_type.value_type, element)
        case MapType(key=key, value=value) if pa.types.is_map(file_type):
            return _is_foreign(file_type.key_type, key) or _is_foreign(file_type.item_type, value)
        case _:
            return False


Result = TypeVar("Result")


@contextmanager
def working(pieces: int, most: int = _THREADS, *, settles: bool = False) -> Iterator[ThreadPoolExecutor]:
    """Context: a thread pool for `pieces` tasks, with at most `most` threads. Its end cancels tasks not yet begun.

    With `settles` the end also waits for running tasks.
    """
    threads = ThreadPoolExecutor(min(most, max(1, pieces)))
    try:
        yield threads
    finally:
        threads.shutdown(wait=settles, cancel_futures=True)


def awaited(future: Future[Result]) -> Result:
    """The result of a future. Raises the task's exception, and KeyboardInterrupt.

    Ctrl-C does not interrupt the wait for a thread, so it is polled.
    """
    while not wait((future,), AGAIN_AFTER).done:
        check()
    return future.result()
