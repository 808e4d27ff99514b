"""What the footers of data files say that the log does not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

from deltasql.errors.log import LostDataFileError, UnreadableDataFileError
from deltasql.log.storage.local_files import require_regular
from deltasql.log.storage.locations import is_local, local_path
from deltasql.log.storage.stores import Stores
from deltasql.schema.column_mapping import physical_name
from deltasql.schema.types import ArrayType, DataType, MapType, StructType

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

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
