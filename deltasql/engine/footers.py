"""What the footers of data files say that the log does not."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from deltasql.schema.column_mapping import physical_name
from deltasql.schema.types import ArrayType, DataType, MapType, StructType

if TYPE_CHECKING:
    import pyarrow as pa

_THREADS = 8
# Row ids and commit versions stand in columns that belong to the table and to no schema.
_ROW_TRACKING = ("_row-id-col-", "_row-commit-version-col-")


def foreign_columns(paths: Sequence[str], schema: StructType) -> list[bool]:
    """Which Parquet files hold a column or nested field that `schema` does not have, by physical names."""

    def has_foreign(path: str) -> bool:
        import pyarrow as pa
        import pyarrow.parquet as pq

        return _is_foreign(pa.struct(list(pq.read_metadata(path).schema.to_arrow_schema())), schema)

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
