"""File actions as Arrow tables, one row per action: the shape that the log's columnar paths share.

Changes of one commit to data files, classified by their effect on rows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from operator import attrgetter

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pj

from deltasql.log.actions.action_fields import ACTIONS, has_odd_bytes, parse_line
from deltasql.log.actions.actions import AddFile, Json, RemoveFile
from deltasql.log.storage.locations import canonical
from deltasql.schema.arrow_values import EMPTY, flags, from_python, integers, no_rows, strings

ENCODED_STRING = pa.dictionary(pa.int32(), pa.string())
STRING_MAP = pa.map_(pa.string(), pa.string())
DELETION_VECTOR = pa.struct(
    [
        ("storageType", pa.string()),
        ("pathOrInlineDv", pa.string()),
        ("offset", pa.int32()),
        ("sizeInBytes", pa.int32()),
        ("cardinality", pa.int64()),
    ]
)
ADD = pa.schema(
    [
        ("path", pa.string()),
        ("partitionValues", STRING_MAP),
        ("size", pa.int64()),
        ("modificationTime", pa.int64()),
        ("dataChange", pa.bool_()),
        ("tags", STRING_MAP),
        ("deletionVector", DELETION_VECTOR),
        ("baseRowId", pa.int64()),
        ("defaultRowCommitVersion", pa.int64()),
        ("clusteringProvider", pa.string()),
        ("stats", pa.string()),
    ]
)
REMOVE = pa.schema(
    [
        ("path", pa.string()),
        ("deletionTimestamp", pa.int64()),
        ("dataChange", pa.bool_()),
        ("extendedFileMetadata", pa.bool_()),
        ("partitionValues", STRING_MAP),
        ("size", pa.int64()),
        ("deletionVector", DELETION_VECTOR),
        ("baseRowId", pa.int64()),
        ("defaultRowCommitVersion", pa.int64()),
    ]
)

# The same fields, by the names that the actions' classes give them.
_ATTRIBUTES = {
    len(schema): [re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", name) for name in schema.names]
    for schema in (ADD, REMOVE)
}

_SCHEME = "^[A-Za-z][A-Za-z0-9+.-]*:"
_LOCAL_URI = "^file:(?://[^/]*)?/*"

# Arrow copies strings when it filters; a table that loses few rows is cut into slices of itself instead.
_MOST_SLICES = 256

_TAGS = re.compile(rb'"tags"\s*:\s*\{\s*"')


def from_actions(actions: Sequence[Json], schema: pa.Schema) -> pa.Table:
    """JSON objects of add or remove actions as a table of `schema`; missing fields are null."""
    if not actions:
        return no_rows(schema)
    arrays = []
    for column in schema:
        values = [action.get(column.name) for action in actions]
        arrays.append(from_python(values, column.type))
    return pa.table(arrays, schema=schema)


def from_files(files: Sequence[AddFile] | Sequence[RemoveFile], schema: pa.Schema) -> pa.Table:
    """Action objects as a table of `schema`, converted by column without JSON in between."""
    arrays = [_attribute(files, name, column) for name, column in zip(_ATTRIBUTES[len(schema)], schema, strict=True)]
    return pa.table(arrays, schema=schema)


def _attribute(files: Sequence[AddFile] | Sequence[RemoveFile], name: str, column: pa.Field) -> pa.Array:
    values = list(map(attrgetter(name), files))
    if column.name == "deletionVector":
        values = [None if value is None else value.to_json() for value in values]
    elif pa.types.is_map(column.type):
        return _maps(values)
    return pa.array(values, type=column.type)


def _maps(values: Sequence[Mapping[str, str | None] | None]) -> pa.Array:
    first = values[0] if values else None
    if first is None or any(value is None or value.keys() != first.keys() for value in values):
        return pa.array([None if value is None else list(value.items()) for value in values], STRING_MAP)
    keys = list(first)
    columns = [pa.array([value[key] for value in values if value is not None], pa.string()) for key in keys]
    return _to_maps(pa.StructArray.from_arrays(columns, names=keys) if keys else no_columns(len(values)), keys)


def no_columns(rows: int) -> pa.StructArray:
    """An array of `rows` structs without fields."""
    return pa.StructArray.from_buffers(pa.struct([]), rows, [None])


def parse_file_lines(text: bytes, path: str, table: str) -> tuple[pa.Table, pa.Table]:
    """The add and the remove actions of a commit's text. Raises InvalidLogJsonError."""
    # Arrow's JSON reader has no maps: tags with keys of their own take the slow way.
    if _TAGS.search(text) is None and not has_odd_bytes(text):
        # One odd value anywhere fails the whole batch; the slow way takes it, or names the damaged line.
        with suppress(pa.ArrowInvalid, ValueError, TypeError, AttributeError, KeyError):
            adds, removes = _parse_columnar(text)
            if _are_whole(adds, "add") and _are_whole(removes, "remove"):
                return adds, removes
    return _parse_rows(text, path, table)


def _are_whole(actions: pa.Table, kind: str) -> bool:
    """Whether no required field of the actions and of their deletion vectors is null."""
    vectors = actions["deletionVector"].drop_null()
    columns = [actions[name] for name in ACTIONS[kind].required]
    columns += [pc.struct_field(vectors, name) for name in DELETION_VECTOR.names if name != "offset"]
    return not any(column.null_count for column in columns)


def partition_struct(maps: pa.ChunkedArray, keys: Sequence[str], names: Sequence[str]) -> pa.ChunkedArray:
    """Partition values as a struct with one string field per name; a missing or empty value is null."""
    kind = pa.struct([(name, pa.string()) for name in names])
    return pa.chunked_array([_struct_chunk(chunk, keys, kind) for chunk in maps.chunks], type=kind)


def encoded_partitions(maps: Iterable[pa.ChunkedArray], keys: Sequence[str]) -> pa.StructArray:
    """Partition values as a struct with one dictionary-encoded string field per key; empty or missing is null."""
    chunks: list[list[pa.Array]] = [[] for _ in keys]
    for column in maps:
        for chunk in column.chunks:
            for index, key in enumerate(keys):
                chunks[index].append(_lookup(chunk, key, index, len(keys)).dictionary_encode())
    columns = [_one_dictionary(pieces) for pieces in chunks]
    return pa.StructArray.from_arrays(columns, fields=[pa.field(key, ENCODED_STRING) for key in keys])


def joined_partitions(parts: Sequence[pa.StructArray], keys: Sequence[str]) -> pa.StructArray:
    """Results of `encoded_partitions` as one, with one dictionary for each key."""
    columns = [_one_dictionary([part.field(index) for part in parts]) for index in range(len(keys))]
    return pa.StructArray.from_arrays(columns, fields=[pa.field(key, ENCODED_STRING) for key in keys])


def with_field_names(structs: pa.ChunkedArray, names: Sequence[str]) -> pa.ChunkedArray:
    """`structs` with their fields renamed to `names`, in order."""
    kind = pa.struct([(name, ENCODED_STRING) for name in names])
    chunks = [
        pa.StructArray.from_arrays([chunk.field(index) for index in range(len(names))], fields=list(kind))
        if names
        else chunk
        for chunk in structs.chunks
    ]
    return pa.chunked_array(chunks, type=kind)


def _one_dictionary(pieces: list[pa.Array]) -> pa.Array:
    encoded = pa.chunked_array(pieces, type=ENCODED_STRING).unify_dictionaries().combine_chunks()
    encoded = encoded.chunk(0) if isinstance(encoded, pa.ChunkedArray) else encoded
    is_empty = pc.equal(encoded.dictionary, EMPTY)
    if not pc.any(is_empty).as_py():
        return encoded
    indices = pc.if_else(is_empty.take(encoded.indices), pa.nulls(1, pa.int32())[0], encoded.indices)
    return pa.DictionaryArray.from_arrays(indices, encoded.dictionary)


def action_keys(table: pa.Table, root: str) -> list[str]:
    """The identity of each row's file: its canonical path, and its deletion vector if it has one."""
    paths: list[str] = canonical_paths(table["path"], root).to_pylist()
    vectors = table["deletionVector"]
    if vectors.null_count == len(vectors):
        return paths
    suffixes = vector_suffixes(vectors)
    return [path if suffix is None else f"{path}\0{suffix}" for path, suffix in zip(paths, suffixes, strict=True)]


def without_files(table: pa.Table, paths: Collection[str], root: str) -> pa.Table:
    """`table` without the rows of the files `paths` (canonical)."""
    is_listed = pc.is_in(canonical_paths(table["path"], root), value_set=pa.array(list(paths), pa.string()))
    return table.filter(pc.invert(is_listed))


def canonical_paths(paths: pa.ChunkedArray, root: str) -> pa.ChunkedArray:
    """The canonical paths of files; `paths` are as in the log. No copy where they are written canonically."""
    if not needs_decoding(paths):
        return paths
    return pa.chunked_array([_canonical_chunk(chunk, root) for chunk in paths.chunks], pa.string())


def _canonical_chunk(paths: pa.Array, root: str) -> pa.Array:
    """`paths.canonical` of each path; evaluated row by row only for rare spellings."""
    if not is_oddly_spelled(paths):
        return paths
    plain = paths
    if pc.all(pc.starts_with(paths, "file:/")).as_py() and not pc.any(pc.starts_with(paths, "file://")).as_py():
        # How a shallow clone names all of its files.
        plain = pc.utf8_slice_codeunits(paths, len("file:"))
        if not _has_byte(paths, b"%") and not pc.any(pc.starts_with(plain, f"{root}/")).as_py():
            return plain
    plain = pc.replace_substring_regex(plain, _LOCAL_URI, "/")
    plain = pc.replace_substring_regex(plain, "^s3[an]:", "s3:")
    below = pc.starts_with(plain, f"{root}/")
    plain = pc.if_else(below, pc.utf8_slice_codeunits(plain, len(root) + 1), plain)
    # An escape, or a scheme that is neither one of ours nor an alias of one.
    rare = pc.or_(pc.match_substring(paths, "%"), pc.match_substring_regex(plain, _SCHEME))
    rare = pc.and_(rare, pc.invert(pc.match_substring_regex(plain, "^(?:s3|gs|abfss):[^%]*$")))
    if not pc.any(rare).as_py():
        return plain
    spelt = [canonical(path, root) for path in paths.filter(rare).to_pylist()]
    return pc.replace_with_mask(plain, rare, strings(spelt))


def absolute_paths(paths: pa.ChunkedArray, base: str) -> pa.ChunkedArray:
    """Paths of files, as in the log, as absolute URIs; `base` is the encoded URI of the table.

    Paths that are absolute already are unchanged.
    """
    above, slash = strings([base, "/"])
    joined = pc.binary_join_element_wise(above, paths, slash)
    return pc.if_else(_are_absolute(paths), paths, joined) if needs_decoding(paths) else joined


def _are_absolute(paths: pa.ChunkedArray | pa.Array) -> pa.ChunkedArray | pa.Array:
    return pc.or_(pc.starts_with(paths, "/"), pc.match_substring_regex(paths, _SCHEME))


def one_array(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    """A column as one contiguous array."""
    if not isinstance(column, pa.ChunkedArray):
        return column
    return column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays([pa.nulls(0, column.type), *column.chunks])


def vector_suffixes(vectors: pa.ChunkedArray) -> list[str | None]:
    """The unique id of each row's deletion vector, None where there is none."""
    result: list[str | None] = []
    for value in vectors.to_pylist():
        if value is None or value["storageType"] is None:
            result.append(None)
            continue
        offset = value.get("offset")
        result.append(value["storageType"] + value["pathOrInlineDv"] + ("" if offset is None else f"@{offset}"))
    return result


def needs_decoding(paths: pa.ChunkedArray) -> bool:
    """True if a path may be spelled otherwise than canonically: it holds an escape or is absolute."""
    return any(is_oddly_spelled(chunk) for chunk in paths.chunks)


def is_oddly_spelled(paths: pa.Array) -> bool:
    return len(paths) > 0 and (_has_byte(paths, b"%:") or _starts_with_slash(paths))


def regrouped(tables: Iterable[pa.Table], rows: int) -> Iterator[pa.Table]:
    """The rows of `tables` regrouped into tables of `rows` rows each; the last may have fewer. No table for no rows."""
    waiting: list[pa.Table] = []
    count = 0
    for table in tables:
        waiting.append(table)
        count += table.num_rows
        while count >= rows:
            whole = pa.concat_tables(waiting)
            yield whole.slice(0, rows)
            waiting, count = [whole.slice(rows)], count - rows
    if count:
        yield pa.concat_tables(waiting)


def without_rows(table: pa.Table, drop: np.ndarray) -> pa.Table:
    """`table` without the rows at the sorted indices `drop`; a zero-copy view where these are few."""
    if len(drop) == 0:
        return table
    if len(drop) > _MOST_SLICES:
        mask = np.ones(table.num_rows, dtype=bool)
        mask[drop] = False
        return table.filter(flags(mask))
    edges = [-1, *(int(row) for row in drop), table.num_rows]
    pieces = [table.slice(a + 1, b - a - 1) for a, b in pairwise(edges) if b - a > 1]
    return pa.concat_tables(pieces) if pieces else table.slice(0, 0)


def _struct_chunk(maps: pa.MapArray, keys: Sequence[str], kind: pa.StructType) -> pa.StructArray:
    if not keys:
        return pa.StructArray.from_buffers(kind, len(maps), [None])
    values = [_empty_to_null(_lookup(maps, key, index, len(keys))) for index, key in enumerate(keys)]
    return pa.StructArray.from_arrays(values, fields=list(kind))


def _lookup(maps: pa.MapArray, key: str, index: int, width: int) -> pa.Array:
    """Each map's value for `key`. Writers keep one order of keys, so usually it is every `width`-th value."""
    offsets = np.frombuffer(maps.offsets.buffers()[1], dtype=np.int32)[maps.offsets.offset :][: len(maps) + 1]
    regular = maps.null_count == 0 and offsets[-1] - offsets[0] == width * len(maps)
    if regular and bool(np.all(np.diff(offsets) == width)):
        indexes = integers(np.arange(offsets[0] + index, offsets[-1] + index, width))
        if pc.all(pc.equal(maps.keys.take(indexes), strings([key])[0])).as_py() in (True, None):
            return maps.items.take(indexes)
    return pc.map_lookup(maps, strings([key])[0], "first")


def _empty_to_null(values: pa.Array) -> pa.Array:
    empty = pc.equal(values, EMPTY)
    if not pc.any(empty).as_py():
        return values
    return pc.if_else(empty, pa.nulls(1, pa.string())[0], values)


def _has_byte(chunk: pa.Array, sought: bytes) -> bool:
    data = chunk.buffers()[2]
    if data is None or chunk.type != pa.string():
        return data is not None
    offsets = np.frombuffer(chunk.buffers()[1], dtype=np.int32)
    start, stop = int(offsets[chunk.offset]), int(offsets[chunk.offset + len(chunk)])
    text = data.slice(start, stop - start).to_pybytes()
    return any(byte in text for byte in sought)


def _starts_with_slash(chunk: pa.Array) -> bool:
    return bool(pc.any(pc.starts_with(chunk, "/")).as_py())


def _parse_columnar(text: bytes) -> tuple[pa.Table, pa.Table]:
    adds = _read_kind(text, "add", ADD)
    removes = _read_kind(text, "remove", REMOVE)
    return adds, removes


def _read_kind(text: bytes, kind: str, schema: pa.Schema) -> pa.Table:
    keys = _partition_keys(text, kind)
    if keys is None:
        return no_rows(schema)
    values = pa.struct([(key, pa.string()) for key in keys])
    fields = [(f.name, values if f.name == "partitionValues" else f.type) for f in schema if f.name != "tags"]
    table = pj.read_json(
        pa.BufferReader(text),
        # A line must fit its block, whatever its length.
        read_options=pj.ReadOptions(block_size=min(max(1 << 20, _longest_line(text) + 2), (1 << 31) - 1)),
        parse_options=pj.ParseOptions(
            explicit_schema=pa.schema([(kind, pa.struct(fields))]), unexpected_field_behavior="ignore"
        ),
    )
    chunks = [chunk.drop_null() for chunk in table[kind].chunks if chunk.null_count < len(chunk)]
    return pa.concat_tables([_normal(chunk, schema, keys) for chunk in chunks]) if chunks else no_rows(schema)


def _normal(chunk: pa.StructArray, schema: pa.Schema, keys: Sequence[str]) -> pa.Table:
    arrays = []
    for column in schema:
        if column.name == "tags":
            arrays.append(pa.nulls(len(chunk), column.type))
        elif column.name == "partitionValues":
            arrays.append(_to_maps(pc.struct_field(chunk, column.name), keys))
        else:
            arrays.append(pc.struct_field(chunk, column.name))
    return pa.table(arrays, schema=schema)


def _to_maps(values: pa.StructArray, keys: Sequence[str]) -> pa.MapArray:
    rows, width = len(values), len(keys)
    names = pa.array(list(keys), pa.string()).take(pa.array(np.tile(np.arange(width), rows)))
    if width == 0:
        items = pa.array([], pa.string())
    else:
        # Field by field they lie one after another; a map wants them row by row.
        columns = pa.concat_arrays([pc.struct_field(values, key) for key in keys])
        items = columns.take(pa.array(np.arange(rows * width).reshape(width, rows).T.ravel()))
    offsets = pa.array(np.arange(rows + 1, dtype=np.int32) * np.int32(width))
    return pa.MapArray.from_arrays(offsets, names, items)


def _partition_keys(text: bytes, kind: str) -> list[str] | None:
    """The keys of the first action's partition values; every action of a table has the same. None: no action."""
    # Quotes inside of strings are escaped, so this is never found in one.
    match = re.search(rb'\{\s*"%s"\s*:\s*\{' % kind.encode(), text)
    if match is None:
        return None
    stop = text.find(b"\n", match.start())
    action = json.loads(text[match.start() : len(text) if stop < 0 else stop])[kind]
    return list(action.get("partitionValues") or {})


def _longest_line(text: bytes) -> int:
    ends = np.flatnonzero(np.frombuffer(text, dtype=np.uint8) == ord("\n"))
    return int(np.diff(np.concatenate(([-1], ends, [len(text)]))).max())


def _parse_rows(text: bytes, path: str, table: str) -> tuple[pa.Table, pa.Table]:
    actions = [parse_line(line, number, path, table) for number, line in enumerate(text.splitlines(), 1)]
    adds, removes = ([action[kind] for action in actions if action.get(kind)] for kind in ("add", "remove"))
    return from_actions(adds, ADD), from_actions(removes, REMOVE)


def file_locations(paths: pa.ChunkedArray, root: str) -> pa.ChunkedArray:
    """Absolute, decoded locations of files; `paths` are as in the log, `root` is decoded."""
    above, slash = strings([root, "/"])
    if not needs_decoding(paths):
        return pc.binary_join_element_wise(above, paths, slash)
    locations = canonical_paths(paths, root)
    return pc.if_else(_are_absolute(locations), locations, pc.binary_join_element_wise(above, locations, slash))
