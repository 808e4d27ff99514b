"""Add actions that a caller gives as an Arrow table, so that no Python object is made for a file.

The shape is `file_tables.ADD`, one row per file. Source: Delta protocol, Add File and Remove File.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from json.encoder import encode_basestring_ascii

from deltasql.base.errors.log import InvalidCommitError
from deltasql.base.lazy import np, pa, pc
from deltasql.log.actions.actions import AddFile
from deltasql.log.actions.file_tables import ADD
from deltasql.log.actions.record_count import record_count

_REQUIRED = ("path", "size", "modificationTime")
# What JSON in ASCII writes as an escape, besides quotes and backslashes.
_ESCAPED = r"[^ -~]"
# Lines are put together in pieces of so many: an array of strings holds 2 GB at most.
_PIECE = 4096
_FEW_PIECES = 4
_FIRST_FIELD = r'^\s*\{\s*"numRecords"\s*:\s*(?P<rows>[0-9]+)\s*[,}]'


def conformed_adds(adds: pa.Table, table: str) -> pa.Table:
    """`adds` with all columns of ADD in order: those that it lacks are null, and data change unless it says otherwise.

    Raises InvalidCommitError for a column that add actions do not have, for values of another type, and for a file
    without a path, a size or a time.
    """
    unknown = sorted(set(adds.column_names) - set(ADD.names))
    if unknown:
        raise InvalidCommitError(table, f"add actions have no field {unknown[0]}")
    try:
        columns = [
            adds[field.name].cast(field.type) if field.name in adds.column_names else pa.nulls(len(adds), field.type)
            for field in ADD
        ]
    except pa.ArrowException as error:
        raise InvalidCommitError(table, f"the table of add actions has another type: {error}") from error
    conformed = pa.table(columns, schema=ADD)
    lacking = next((name for name in _REQUIRED if conformed[name].null_count), None)
    if lacking is not None:
        raise InvalidCommitError(table, f"an add action lacks {lacking}")
    return with_column(conformed, "dataChange", conformed["dataChange"].fill_null(True))


def with_column(adds: pa.Table, name: str, values: pa.ChunkedArray | pa.Array) -> pa.Table:
    """`adds` with other values of one column."""
    return adds.set_column(adds.column_names.index(name), adds.schema.field(name), values)


def add_objects(adds: pa.Table) -> list[AddFile]:
    """The add actions as objects; meant for few rows, which have to be looked at one by one."""
    return [AddFile.from_json(action) for action in adds.to_pylist(maps_as_pydicts="lossy")]


def has_vector(adds: pa.Table) -> pa.BooleanArray:
    """A mask of the add actions whose file has a deletion vector."""
    kinds = pc.struct_field(adds["deletionVector"], "storageType")
    return pc.is_valid(kinds).combine_chunks()


def row_counts(stats: pa.ChunkedArray) -> pa.Int64Array:
    """Physical rows of each file from the text of its statistics, null where they do not tell: see `record_count`."""
    texts = stats.combine_chunks()
    texts = pa.concat_arrays(texts.chunks) if isinstance(texts, pa.ChunkedArray) else texts
    counts = pc.struct_field(pc.extract_regex(texts, _FIRST_FIELD), "rows").cast(pa.int64())
    odd = pc.and_(pc.is_null(counts), pc.is_valid(texts))
    if not pc.any(odd).as_py():
        return counts
    others = [record_count(text) for text in texts.filter(odd).to_pylist()]
    return pc.replace_with_mask(counts, odd, pa.array(others, pa.int64()))


def encode_adds(adds: pa.Table, before: bytes = b"") -> bytes:
    """One line of JSON per row of `adds`: what `commit_text.encode_actions` makes of the same files as objects.

    The lines follow the text `before`.
    """
    pieces = [adds.slice(start, _PIECE) for start in range(0, len(adds), _PIECE)]
    if len(pieces) < _FEW_PIECES:
        return b"".join([before, *map(_lines, pieces)])
    # Arrow works on strings without Python's lock.
    with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
        return b"".join([before, *threads.map(_lines, pieces)])


def _lines(adds: pa.Table) -> bytes:
    adds = adds.combine_chunks()
    column = {name: _one_chunk(adds[name]) for name in adds.column_names}
    optional = [
        pc.coalesce(pc.binary_join_element_wise(f',"{name}":', spelled(column[name]), ""), "")
        for name, spelled in _OPTIONAL.items()
        if column[name].null_count < len(adds)
    ]
    lines = pc.binary_join_element_wise(
        '{"add":{"path":',
        _quoted(column["path"]),
        ',"partitionValues":',
        pc.coalesce(_objects(column["partitionValues"]), "{}"),
        ',"size":',
        _number(column["size"]),
        ',"modificationTime":',
        _number(column["modificationTime"]),
        ',"dataChange":',
        column["dataChange"].cast(pa.string()),
        *optional,
        "}}\n",
        "",
    )
    # The texts lie one after another: that is the text of all lines.
    offsets = np.frombuffer(lines.buffers()[1], dtype=np.int32)[lines.offset :][: len(lines) + 1]
    text: bytes = lines.buffers()[2].slice(int(offsets[0]), int(offsets[-1] - offsets[0])).to_pybytes()
    return text


def _one_chunk(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks)


def _number(values: pa.Array) -> pa.Array:
    return values.cast(pa.string())


def _quoted(texts: pa.Array) -> pa.Array:
    """Strings as JSON in ASCII, null where they are null."""
    escaped = pc.replace_substring(pc.replace_substring(texts, "\\", "\\\\"), '"', '\\"')
    quoted = pc.binary_join_element_wise('"', escaped, '"', "")
    odd = pc.match_substring_regex(texts, _ESCAPED).fill_null(False)
    if not pc.any(odd).as_py():
        return quoted
    spelled = [encode_basestring_ascii(text) for text in texts.filter(odd).to_pylist()]
    return pc.replace_with_mask(quoted, odd, pa.array(spelled, pa.string()))


def _objects(maps: pa.MapArray) -> pa.Array:
    """Maps of strings as JSON objects, null where the map is null."""
    offsets = np.frombuffer(maps.offsets.buffers()[1], dtype=np.int32)[maps.offsets.offset :][: len(maps) + 1]
    start, count = int(offsets[0]), int(offsets[-1] - offsets[0])
    values = pc.coalesce(_quoted(maps.items.slice(start, count)), "null")
    entries = pc.binary_join_element_wise(_quoted(maps.keys.slice(start, count)), values, ":")
    lists = pa.ListArray.from_arrays(pa.array(offsets - start), entries)
    texts = pc.binary_join_element_wise("{", pc.binary_join(lists, ","), "}", "")
    return pc.if_else(maps.is_valid(), texts, pa.scalar(None, pa.string()))


def _vectors(vectors: pa.StructArray) -> pa.Array:
    """Descriptors of deletion vectors as JSON objects, null where there is none."""
    kind, location, offset, size, rows = vectors.flatten()
    offsets, sizes, counts = (
        pc.binary_join_element_wise(f'"{name}":', values.cast(pa.string()), "")
        for name, values in (("offset", offset), ("sizeInBytes", size), ("cardinality", rows))
    )
    shift = pc.coalesce(pc.binary_join_element_wise(offsets, ",", ""), "")
    return pc.binary_join_element_wise(
        '{"storageType":',
        _quoted(kind),
        ',"pathOrInlineDv":',
        _quoted(location),
        ",",
        shift,
        sizes,
        ",",
        counts,
        "}",
        "",
    )


# Fields that an add action may lack, in the order of the text.
_OPTIONAL = {
    "stats": _quoted,
    "tags": _objects,
    "deletionVector": _vectors,
    "baseRowId": _number,
    "defaultRowCommitVersion": _number,
    "clusteringProvider": _quoted,
}


def keys_of_maps(maps: pa.ChunkedArray, keys: list[str]) -> bool:
    """Whether every map has exactly these keys, in whatever order."""
    key_array = pa.array(sorted(keys), pa.string())
    return all(_have_keys(chunk, key_array) for chunk in maps.chunks if len(chunk))


def _have_keys(maps: pa.MapArray, keys: pa.Array) -> bool:
    width = len(keys)
    offsets = np.frombuffer(maps.offsets.buffers()[1], dtype=np.int32)[maps.offsets.offset :][: len(maps) + 1]
    if not np.all(np.diff(offsets) == width):
        return False
    if width == 0:
        return True
    numbers = pc.index_in(maps.keys.slice(int(offsets[0]), width * len(maps)), value_set=keys)
    if numbers.null_count:
        return False
    rows = np.sort(numbers.to_numpy().reshape(len(maps), width), axis=1)
    return bool(np.all(rows == np.arange(width)))


def first_repeated(paths: pa.ChunkedArray) -> str | None:
    """A repeated path; None if all are distinct."""
    if pc.count_distinct(paths).as_py() == len(paths):
        return None
    counts = pc.value_counts(paths)
    repeated = counts.filter(pc.greater(pc.struct_field(counts, "counts"), 1))
    path: str = repeated[0]["values"].as_py()
    return path
