"""File actions as Arrow tables, one row per action, so that no Python object is made per file.

Adds that a caller gives as an Arrow table have the shape of `ADD`. Source: Delta protocol, Add File and Remove File.
Row ids are assigned to the files of such a table column by column. Source: Delta protocol, Row Tracking.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import pairwise
from json.encoder import encode_basestring_ascii
from operator import attrgetter

import pyarrow.json as pj

from deltasql.base import errors, np, pa, pc
from deltasql.log.actions.action_fields import ACTIONS, has_odd_bytes, parse_line
from deltasql.log.actions.actions import AddFile, Json, RemoveFile, record_count
from deltasql.log.storage.listing import canonical
from deltasql.schema import EMPTY, flags, from_python, integers, no_rows, strings

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
        raise errors.InvalidCommitError(table, f"add actions have no field {unknown[0]}")
    try:
        columns = [
            adds[field.name].cast(field.type) if field.name in adds.column_names else pa.nulls(len(adds), field.type)
            for field in ADD
        ]
    except pa.ArrowException as error:
        raise errors.InvalidCommitError(table, f"the table of add actions has another type: {error}") from error
    conformed = pa.table(columns, schema=ADD)
    lacking = next((name for name in _REQUIRED if conformed[name].null_count), None)
    if lacking is not None:
        raise errors.InvalidCommitError(table, f"an add action lacks {lacking}")
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


def numbered_adds(adds: pa.Table, highest: int, version: int, table: str) -> tuple[pa.Table, int]:
    """The adds of commit `version` with ids for files that lack them, and the highest id; `highest` is that before.

    Raises RowIdsWithoutStatisticsError for a file whose number of rows is not known.
    """
    adds = adds.combine_chunks()
    base_ids = adds["baseRowId"]
    fresh = pc.is_null(base_ids)
    rows = pc.if_else(fresh, pa.chunked_array([row_counts(adds["stats"])]), 0)
    if rows.null_count:
        path = adds["path"].filter(pc.is_null(rows))[0].as_py()
        raise errors.RowIdsWithoutStatisticsError(table, path)
    ends = pc.add(pc.cumulative_sum(rows), highest)
    first = pc.add(pc.subtract(ends, rows), 1)
    adds = with_column(adds, "baseRowId", pc.if_else(fresh, first, base_ids))
    adds = with_column(adds, "defaultRowCommitVersion", adds["defaultRowCommitVersion"].fill_null(version))
    return adds, max(highest, int(ends[-1].as_py())) if len(adds) else highest


def with_backfilled_ids(adds: pa.Table, backfilled: Mapping[str, tuple[int | None, int | None]], root: str) -> pa.Table:
    """The adds with ids that a backfill gave to their files, where they have none; `backfilled` by canonical path."""
    lacking = pc.is_null(adds["baseRowId"]).to_pylist()
    paths = canonical_paths(adds["path"], root).to_pylist()
    ids = [
        backfilled.get(path, (None, None)) if lacks else (None, None)
        for path, lacks in zip(paths, lacking, strict=True)
    ]
    for number, name in enumerate(("baseRowId", "defaultRowCommitVersion")):
        values = pa.chunked_array([pa.array([pair[number] for pair in ids], pa.int64())])
        adds = with_column(adds, name, pc.coalesce(values, adds[name]))
    return adds
