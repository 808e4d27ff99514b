"""JSON objects of many texts at once, as Arrow columns; the statistics of files are such texts."""

from __future__ import annotations

import json
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from deltasql.lazy import pa, pc


def read_objects(texts: pa.StringArray, fields: Iterable[pa.Field]) -> pa.Table:
    """One row for each text, with the columns `fields`; other fields of the objects are ignored.

    A null gives a row of nulls. Raises ArrowInvalid where a text is not one object, or a value has another type.
    """
    import pyarrow.json

    from deltasql.log.storage.arrow_values import strings

    texts = texts if texts.null_count == 0 else pc.fill_null(texts, strings(["{}"])[0])
    # Arrow's reader ends the whole process at a `null` between objects.
    if not pc.all(pc.and_(pc.starts_with(texts, "{"), pc.ends_with(texts, "}"))).as_py():
        raise pa.ArrowInvalid("a text is not one object")
    buffer = _text(texts)
    table = pyarrow.json.read_json(
        pa.BufferReader(buffer),
        # Within one block the reader parses consecutive objects without separators.
        read_options=pyarrow.json.ReadOptions(block_size=buffer.size + 1, use_threads=False),
        parse_options=pyarrow.json.ParseOptions(
            explicit_schema=pa.schema(list(fields)), unexpected_field_behavior="ignore"
        ),
    )
    if table.num_rows != len(texts):
        raise pa.ArrowInvalid("a text is not one object")
    return table


def parsed_object(text: str) -> dict[str, Any] | None:
    """The object of one text, with Decimal for numbers that are not whole; None if it is not an object."""
    try:
        value = json.loads(text, parse_float=Decimal)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _text(texts: pa.StringArray) -> pa.Buffer:
    """The concatenated bytes of all `texts`, without a copy."""
    _, offsets, data = texts.buffers()
    if data is None:
        return pa.py_buffer(b"")
    positions = memoryview(offsets).cast("i")
    first, last = positions[texts.offset], positions[texts.offset + len(texts)]
    return data.slice(first, last - first)
