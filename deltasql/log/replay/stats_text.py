"""Typed statistics of files as the JSON texts of their add actions, column by column.

A checkpoint may have statistics as structs only, and every add action that is written anew needs their text.
Source: Delta protocol, Per-file Statistics.
"""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.compute as pc

# A string with one of these is no JSON as it stands.
_ESCAPED = r'["\\\x00-\x1f]'


def stats_to_json(stats: pa.StructArray) -> pa.Array:
    """Each struct as the JSON text of an add action; null where the struct is null or says nothing."""
    texts = _object(stats)
    return pc.if_else(pc.equal(texts, "{}"), pa.scalar(None, pa.string()), texts)


def _value(array: pa.Array) -> pa.Array:
    """JSON texts of one field, null where it has no value. A decimal keeps its digits, which no float does."""
    kind = array.type
    if pa.types.is_struct(kind):
        return _object(array)
    if pa.types.is_floating(kind):
        return _number(array)
    if pa.types.is_timestamp(kind):
        # Truncated to milliseconds, which readers allow for.
        whole = pc.floor_temporal(array, unit="millisecond").cast(pa.timestamp("ms", kind.tz))
        return _quoted(pc.replace_substring(whole.cast(pa.string()), " ", "T", max_replacements=1))
    text = array.cast(pa.string())
    return _quoted(_escaped(text)) if pa.types.is_date(kind) or pa.types.is_string(kind) else text


def _object(array: pa.StructArray) -> pa.Array:
    fields = zip(array.type, array.flatten(), strict=True)
    texts = [pc.binary_join_element_wise(f",{json.dumps(field.name)}:", _value(child), "") for field, child in fields]
    # Arrow can skip nulls when it joins, but then loses the rows that are null throughout.
    joined = pc.binary_join_element_wise(*texts, "", null_handling="replace", null_replacement="")
    whole = pc.binary_join_element_wise("{", pc.utf8_slice_codeunits(joined, 1), "}", "")
    return pc.if_else(array.is_valid(), whole, pa.scalar(None, pa.string()))


def _number(array: pa.Array) -> pa.Array:
    text = array.cast(pa.string())
    if pc.all(pc.is_finite(array)).as_py() is not False:
        return text
    names = pc.if_else(pc.is_nan(array), '"NaN"', pc.if_else(pc.greater(array, 0), '"Infinity"', '"-Infinity"'))
    return pc.if_else(pc.is_finite(array), text, names)


def _escaped(text: pa.Array) -> pa.Array:
    odd = pc.match_substring_regex(text, _ESCAPED)
    if not pc.any(odd).as_py():
        return text
    spelled = [json.dumps(value, ensure_ascii=False)[1:-1] for value in text.filter(odd).to_pylist()]
    return pc.replace_with_mask(text, odd.fill_null(False), pa.array(spelled, pa.string()))


def _quoted(text: pa.Array) -> pa.Array:
    return pc.binary_join_element_wise('"', text, '"', "")
