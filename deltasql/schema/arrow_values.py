"""Arrow arrays and scalars made from their buffers.

`pa.array`, `pa.scalar` and `to_numpy` import pandas at their first use: 0.25 s and 40 MB that the planning of a scan
can do without.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import pyarrow as pa

from deltasql.base import pc


def integers(values: Any) -> pa.Int64Array:
    """64-bit integers from a NumPy array or a sequence."""
    numbers = np.ascontiguousarray(values, dtype=np.int64)
    return pa.Array.from_buffers(pa.int64(), len(numbers), [None, pa.py_buffer(numbers)])


def flags(values: Any) -> pa.BooleanArray:
    """Booleans from a NumPy array or a sequence."""
    bits = np.packbits(np.asarray(values, dtype=bool), bitorder="little")
    return pa.Array.from_buffers(pa.bool_(), len(values), [None, pa.py_buffer(bits)])


def strings(values: Sequence[str]) -> pa.StringArray:
    texts = [value.encode() for value in values]
    ends = np.cumsum([0, *map(len, texts)], dtype=np.int32)
    return pa.Array.from_buffers(pa.string(), len(texts), [None, pa.py_buffer(ends), pa.py_buffer(b"".join(texts))])


def no_rows(schema: pa.Schema) -> pa.Table:
    return pa.table([pa.nulls(0, field.type) for field in schema], schema=schema)


def scalar(text: str, kind: pa.DataType) -> pa.Scalar:
    """`text` cast to a scalar of type `kind`. Raises ArrowInvalid."""
    return strings([text]).cast(kind)[0]


# Above, Arrow's own way is as fast as the import of pandas.
_FEW = 1000


def from_python(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """`pa.array` of strings, integers, booleans, and lists, maps and structs of them; None is null.

    Maps and structs are mappings; missing fields of a struct are null. Raises what `pa.array` raises.
    """
    if len(values) <= _FEW and "pandas" not in sys.modules:
        # Unexpected values are left to Arrow, which raises a precise error.
        with suppress(AttributeError, TypeError, ValueError, OverflowError):
            return _built(values, kind)
    return pa.array(values, type=kind)


def _built(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    is_there = [value is not None for value in values]
    valid = None if all(is_there) else flags(is_there).buffers()[1]
    if pa.types.is_struct(kind):
        return pa.Array.from_buffers(kind, len(values), [valid], children=_fields(values, kind))
    if pa.types.is_map(kind) or pa.types.is_list(kind):
        lengths, children = (_entries if pa.types.is_map(kind) else _items)(values, kind)
        ends = pa.py_buffer(np.cumsum([0, *lengths], dtype=np.int32))
        return pa.Array.from_buffers(kind, len(values), [valid, ends], children=[children])
    return pa.Array.from_buffers(kind, len(values), [valid, *_plain(values, kind).buffers()[1:]])


def _fields(values: Sequence[Any], kind: pa.StructType) -> list[pa.Array]:
    """The fields of structs."""
    _check(values, Mapping)
    structs: list[Mapping[str, Any]] = [{} if value is None else value for value in values]
    return [_built([value.get(field.name) for value in structs], field.type) for field in kind]


def _entries(values: Sequence[Any], kind: pa.MapType) -> tuple[list[int], pa.Array]:
    """The number of entries of each map, and all entries as structs."""
    _check(values, Mapping)
    maps: list[Mapping[Any, Any]] = [{} if value is None else value for value in values]
    keys = _built([key for value in maps for key in value], kind.key_type)
    items = _built([item for value in maps for item in value.values()], kind.item_type)
    entries = pa.StructArray.from_arrays([keys, items], fields=[kind.key_field, kind.item_field])
    return [len(value) for value in maps], entries


def _items(values: Sequence[Any], kind: pa.ListType) -> tuple[list[int], pa.Array]:
    """The length of each list, and all items."""
    _check(values, list)
    lists: list[list[Any]] = [[] if value is None else value for value in values]
    return [len(value) for value in lists], _built([item for value in lists for item in value], kind.value_type)


def _plain(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """Strings, booleans or integers, with a placeholder value for each null."""
    if pa.types.is_string(kind):
        _check(values, str)
        return strings([value or "" for value in values])
    if pa.types.is_boolean(kind):
        _check(values, bool)
        return flags([value is True for value in values])
    if not pa.types.is_signed_integer(kind) or any(isinstance(value, bool) for value in values):
        raise TypeError(f"not a plain {kind}")
    _check(values, int)
    return integers([value or 0 for value in values]).cast(kind)


def _check(values: Sequence[Any], kind: type) -> None:
    """Raises TypeError for a value of another type; None is accepted."""
    if not all(value is None or isinstance(value, kind) for value in values):
        raise TypeError(f"a value is no {kind.__name__}")


def indexes_of(mask: pa.Array) -> np.ndarray:
    """The sorted indices of the true values of a boolean array. Null counts as false."""
    indexes = pc.indices_nonzero(mask)
    return np.frombuffer(indexes.buffers()[1], dtype=np.uint64, count=len(indexes)).astype(np.int64)


TRUE, ZERO, EMPTY = flags([True])[0], integers([0])[0], strings([""])[0]
