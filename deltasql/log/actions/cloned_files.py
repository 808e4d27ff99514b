"""File actions of SHALLOW and DEEP CLONE: adds and removes of the target, and the files to copy before its commit.

Adds are tables of schema `file_tables.ADD`, one row per file. No Python object is made for a file that is not copied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple
from uuid import NAMESPACE_URL, uuid5

import pyarrow as pa
import pyarrow.compute as pc

from deltasql.base import np
from deltasql.log.actions.deletion_vectors import vector_file, vector_path, z85_encode
from deltasql.log.actions.file_tables import (
    DELETION_VECTOR,
    absolute_paths,
    canonical_paths,
    file_locations,
    one_array,
    with_column,
)
from deltasql.log.storage.listing import encode_path, hadoop_location, located, table_uri
from deltasql.log.storage.log_store import Copy
from deltasql.schema import TRUE, flags, strings

OF_TARGET = ("path", "size", "stats", "deletionVector", "baseRowId")
"""Columns of the target's live files that `shallow_files` and `deep_files` compare."""

_UUID_LENGTH = 20
"""Characters of a Z85-encoded UUID, the last part of `pathOrInlineDv` of a deletion vector file."""
_COPIED = r"^[0-9a-f]{32}/(?P<name>part-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.parquet)$"


class Amount(NamedTuple):
    """Number of files, and their total bytes."""

    files: int = 0
    size: int = 0


@dataclass(frozen=True, slots=True)
class ClonedFiles:
    """File actions of a clone: `added` are add actions, `removed` live files of the target to remove (`path`, `size`).

    Data files (`data`: from `place` to `path`) and deletion vector files (`vectors`) are copied before the commit.
    `removed_amount` counts the removed files except those that are added again with another deletion vector.
    """

    added: pa.Table
    removed: pa.Table
    removed_amount: Amount
    data: pa.Table
    vectors: tuple[Copy, ...] = ()

    @property
    def copied(self) -> Amount:
        """Number and bytes of the data files to copy."""
        return _amount(self.data)

    def copies(self) -> Iterator[Copy]:
        """All files to copy, deletion vector files first."""
        yield from self.vectors
        for batch in self.data.to_batches(max_chunksize=1024):
            yield from map(Copy, *(column.to_pylist() for column in batch.columns))


def shallow_files(source: pa.Table, root: str, target: pa.Table, location: str, *, numbered: bool) -> ClonedFiles:
    """File actions of a shallow clone at `location`; `source` are the adds of a table at `root`.

    `target` (OF_TARGET) are the live files of the clone so far; with `numbered`, those without a base row id are added
    again. Paths are absolute URIs, as delta-spark writes them.
    """
    base = encode_path(hadoop_location(table_uri(root)))

    def elsewhere(kind: str, name: str) -> str:
        return f"{base}/{encode_path(vector_path(name))}" if kind == "u" else name

    adds = with_column(_fresh(source), "path", absolute_paths(source["path"], base))
    adds = with_column(adds, "deletionVector", _moved(source["deletionVector"], "p", elsewhere))
    nothing = pa.table([adds["path"], adds["path"], adds["size"]], names=["place", "path", "size"]).slice(0, 0)
    if not len(target):
        return ClonedFiles(adds, nothing.select(["path", "size"]), Amount(), nothing)
    pairs = _Pairs(adds, one_array(canonical_paths(adds["path"], location)), _vector_keys(adds, whole=True))
    existing = _Pairs(target, one_array(canonical_paths(target["path"], location)), _vector_keys(target, whole=True))
    matches = _matched(pairs, existing, numbered)
    return ClonedFiles(adds.filter(pc.invert(matches.same)), matches.removed, matches.removed_amount, nothing)


def deep_files(source: pa.Table, root: str, target: pa.Table, folder: str, *, numbered: bool) -> ClonedFiles:
    """File actions of a deep clone; `source` are the adds of a table at `root`, new copies get paths below `folder`.

    The name of a copy is a hash of its source's path, size and modification time. So the next clone finds the copies
    that the target (OF_TARGET) has already, whatever has changed in their actions since.
    """
    locations = file_locations(source["path"], root)
    known_by = (locations, source["size"], source["modificationTime"])
    names = strings([_copy_name(*row) for row in zip(*(column.to_pylist() for column in known_by), strict=True)])
    vectors: dict[str, str] = {}

    def copied_vector(kind: str, name: str) -> str:
        path = vector_file({"storageType": kind, "pathOrInlineDv": name}, root)
        assert path is not None
        location = located(path, root)
        vectors[location] = folder + z85_encode(uuid5(NAMESPACE_URL, location).bytes)
        return vectors[location]

    adds = with_column(_fresh(source), "deletionVector", _moved(source["deletionVector"], "u", copied_vector))
    copied = pc.struct_field(pc.extract_regex(one_array(target["path"]), _COPIED), "name")
    matches = _matched(_Pairs(adds, names, _vector_keys(adds)), _Pairs(target, copied, _vector_keys(target)), numbered)
    new = pc.binary_join_element_wise(folder, names, "/")
    adds = with_column(adds, "path", pc.coalesce(one_array(target["path"]).take(matches.rows), new))
    is_new = pc.is_null(matches.rows)
    data = pa.table([locations, new, source["size"]], names=["place", "path", "size"]).filter(is_new)
    added = adds.filter(pc.invert(matches.same))
    needed = set(pc.unique(pc.struct_field(added["deletionVector"], "pathOrInlineDv")).to_pylist())
    copies = tuple(Copy(location, vector_path(name), 0) for location, name in vectors.items() if name in needed)
    return ClonedFiles(added, matches.removed, matches.removed_amount, data, copies)


class _Pairs(NamedTuple):
    """Files, the name by which each is matched, and the key of its deletion vector ("" for none)."""

    files: pa.Table
    names: pa.Array
    vectors: pa.Array


class _Matched(NamedTuple):
    """Per source file, the row index of its file in the target (null for none), and whether its action is unchanged.

    `removed` and `removed_amount` as in ClonedFiles.
    """

    rows: pa.Array
    same: pa.Array
    removed: pa.Table
    removed_amount: Amount


def _matched(source: _Pairs, target: _Pairs, numbered: bool) -> _Matched:
    rows = pc.index_in(source.names, value_set=target.names)
    stays = pc.equal(source.vectors, target.vectors.take(rows)).fill_null(False)
    stats = [one_array(files["stats"]).fill_null("") for files in (source.files, target.files)]
    same = pc.and_(stays, pc.equal(stats[0], stats[1].take(rows)).fill_null(False))
    if numbered:
        same = pc.and_(same, pc.is_valid(one_array(target.files["baseRowId"]).take(rows)))
    files = target.files.select(["path", "size"])
    return _Matched(rows, same, _others(files, rows.filter(stays)), _amount(_others(files, rows.drop_null())))


def _others(files: pa.Table, rows: pa.Array) -> pa.Table:
    """`files` without the rows at the indices `rows`."""
    mask = np.ones(len(files), dtype=bool)
    mask[rows.to_numpy(zero_copy_only=False).astype(np.int64)] = False
    return files.filter(flags(mask))


def _amount(files: pa.Table) -> Amount:
    return Amount(len(files), pc.sum(files["size"]).as_py() or 0)


def _fresh(source: pa.Table) -> pa.Table:
    """The adds as data changes without row ids, which the target's commit assigns."""
    nothing = pa.nulls(len(source), pa.int64())
    adds = with_column(source, "dataChange", pa.repeat(TRUE, len(source)))
    return with_column(with_column(adds, "baseRowId", nothing), "defaultRowCommitVersion", nothing)


def _copy_name(location: str, size: int, modified: int) -> str:
    text = blake2b(f"{location}\0{size}\0{modified}".encode(), digest_size=16).hexdigest()
    return f"part-{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}.parquet"


def _moved(vectors: pa.ChunkedArray, to: str, move: Callable[[str, str], str]) -> pa.ChunkedArray | pa.Array:
    """Deletion vectors with storage type `to` and the path `move(storage type, path)`, except inline ones."""
    kind, name, *numbers = one_array(vectors).flatten()
    if kind.null_count == len(kind):
        return vectors
    stored = pc.or_(pc.equal(kind, "u"), pc.equal(kind, "p")).fill_null(False)
    both = pc.if_else(stored, pc.binary_join_element_wise(kind, name, ""), pa.scalar(None, pa.string()))
    codes = both.dictionary_encode()
    moved = strings([move(text[0], text[1:]) for text in codes.dictionary.to_pylist()]).take(codes.indices)
    parts = [pc.if_else(stored, to, kind), pc.coalesce(moved, name), *numbers]
    return pa.StructArray.from_arrays(parts, fields=list(DELETION_VECTOR), mask=pc.is_null(kind))


def _vector_keys(files: pa.Table, *, whole: bool = False) -> pa.Array:
    """A key per file that identifies its deletion vector; "" for none.

    Unless `whole`, the key of a vector file in the table's folder has only its UUID, so that copies compare equal.
    """
    kind, name, offset, *_ = one_array(files["deletionVector"]).flatten()
    if not whole:
        name = pc.if_else(pc.equal(kind, "u"), pc.utf8_slice_codeunits(name, -_UUID_LENGTH), name)
    offsets = pc.coalesce(offset.cast(pa.string()), "")
    return pc.coalesce(pc.binary_join_element_wise(kind, name, "@", offsets, ""), "")
