"""Arrow arrays and scalars made from their buffers.

`pa.array`, `pa.scalar` and `to_numpy` import pandas at their first use: 0.25 s and 40 MB that the planning of a scan
can do without.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa


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
    """The value that Arrow reads from `text`. Raises ArrowInvalid."""
    return strings([text]).cast(kind)[0]


def places_of(mask: pa.Array) -> np.ndarray:
    """The numbers of the true values of a boolean array, sorted. Null counts as false."""
    import pyarrow.compute as pc

    found = pc.indices_nonzero(mask)
    return np.frombuffer(found.buffers()[1], dtype=np.uint64, count=len(found)).astype(np.int64)


TRUE, ZERO, EMPTY = flags([True])[0], integers([0])[0], strings([""])[0]
