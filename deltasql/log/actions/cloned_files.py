"""The files of one table as those of another: which actions a clone takes, and what has to be copied before.

Adds are `file_tables.ADD`, one row per file. No Python object is made for a file that stays where it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple
from uuid import NAMESPACE_URL, uuid5

import pyarrow as pa
import pyarrow.compute as pc

from deltasql.log.actions.add_table import with_column
from deltasql.log.actions.deletion_vectors import vector_file, vector_path, z85_encode
from deltasql.log.actions.file_tables import (
    DELETION_VECTOR,
    absolute_paths,
    canonical_paths,
    file_locations,
    one_array,
)
from deltasql.log.storage.arrow_values import TRUE, flags, strings
from deltasql.log.storage.copying import Copy
from deltasql.log.storage.locations import hadoop_location, table_uri
from deltasql.log.storage.paths import encode_path, located

OF_TARGET = ("path", "size", "stats", "deletionVector", "baseRowId")
"""What must be known of the files that a clone has already."""

_UUID_LENGTH = 20
"""Characters of a UUID in Z85, with which the name of a vector's file ends."""
_COPIED = r"^[0-9a-f]{32}/(?P<name>part-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.parquet)$"


class Amount(NamedTuple):
    """Some files, and their bytes."""

    files: int = 0
    size: int = 0


@dataclass(frozen=True, slots=True)
class ClonedFiles:
    """What becomes of files: `added` are add actions, `removed` live files of the target that leave (`path`, `size`).

    `data` (`place`, `path`, `size`) and `vectors` are copied first. `gone` counts the removed files but for those that
    only get another deletion vector.
    """

    added: pa.Table
    removed: pa.Table
    gone: Amount
    data: pa.Table
    vectors: tuple[Copy, ...] = ()

    @property
    def copied(self) -> Amount:
        """The data files that are copied."""
        return _amount(self.data)

    def copies(self) -> Iterator[Copy]:
        """All that has to be copied, one file after the other."""
        yield from self.vectors
        for batch in self.data.to_batches(max_chunksize=1024):
            yield from map(Copy, *(column.to_pylist() for column in batch.columns))


def shallow_files(source: pa.Table, root: str, target: pa.Table, place: str, *, numbered: bool) -> ClonedFiles:
    """The files of `source`, a table at `root`, for a clone at `place` that leaves them where they are.

    `target` (OF_TARGET) are the live files of the clone so far; with `numbered` each file of it needs row ids.
    Paths are absolute URIs, as delta-spark writes them.
    """
    base = encode_path(hadoop_location(table_uri(root)))

    def elsewhere(kind: str, name: str) -> str:
        return f"{base}/{encode_path(vector_path(name))}" if kind == "u" else name

    adds = with_column(_fresh(source), "path", absolute_paths(source["path"], base))
    adds = with_column(adds, "deletionVector", _moved(source["deletionVector"], "p", elsewhere))
    nothing = pa.table([adds["path"], adds["path"], adds["size"]], names=["place", "path", "size"]).slice(0, 0)
    if not len(target):
        return ClonedFiles(adds, nothing.select(["path", "size"]), Amount(), nothing)
    pairs = _Pairs(adds, one_array(canonical_paths(adds["path"], place)), _vector_keys(adds, whole=True))
    known = _Pairs(target, one_array(canonical_paths(target["path"], place)), _vector_keys(target, whole=True))
    found = _matched(pairs, known, numbered)
    return ClonedFiles(adds.filter(pc.invert(found.same)), found.removed, found.gone, nothing)


def deep_files(source: pa.Table, root: str, target: pa.Table, folder: str, *, numbered: bool) -> ClonedFiles:
    """The files of `source`, a table at `root`, for a clone that has its own copies; new ones lie in its `folder`.

    A copy is called by what it is a copy of, so that the next clone finds those which the target (OF_TARGET) has
    already, whoever has marked rows in them or has written its log since.
    """
    places = file_locations(source["path"], root)
    known_by = (places, source["size"], source["modificationTime"])
    names = strings([_copy_name(*row) for row in zip(*(column.to_pylist() for column in known_by), strict=True)])
    vectors: dict[str, str] = {}

    def own(kind: str, name: str) -> str:
        path = vector_file({"storageType": kind, "pathOrInlineDv": name}, root)
        assert path is not None
        place = located(path, root)
        vectors[place] = folder + z85_encode(uuid5(NAMESPACE_URL, place).bytes)
        return vectors[place]

    adds = with_column(_fresh(source), "deletionVector", _moved(source["deletionVector"], "u", own))
    known = pc.struct_field(pc.extract_regex(one_array(target["path"]), _COPIED), "name")
    found = _matched(_Pairs(adds, names, _vector_keys(adds)), _Pairs(target, known, _vector_keys(target)), numbered)
    new = pc.binary_join_element_wise(folder, names, "/")
    adds = with_column(adds, "path", pc.coalesce(one_array(target["path"]).take(found.rows), new))
    is_new = pc.is_null(found.rows)
    data = pa.table([places, new, source["size"]], names=["place", "path", "size"]).filter(is_new)
    added = adds.filter(pc.invert(found.same))
    needed = set(pc.unique(pc.struct_field(added["deletionVector"], "pathOrInlineDv")).to_pylist())
    copies = tuple(Copy(place, vector_path(name), 0) for place, name in vectors.items() if name in needed)
    return ClonedFiles(added, found.removed, found.gone, data, copies)


class _Pairs(NamedTuple):
    """Files, what each is known by, and the key of its deletion vector ("" for none)."""

    files: pa.Table
    names: pa.Array
    vectors: pa.Array


class _Matched(NamedTuple):
    """For each file of the source the row of the target's (null: it has none), and whether nothing changes about it.

    `removed` and `gone` as in ClonedFiles.
    """

    rows: pa.Array
    same: pa.Array
    removed: pa.Table
    gone: Amount


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
    """The files but those with the numbers `rows`."""
    import numpy as np

    mask = np.ones(len(files), dtype=bool)
    mask[rows.to_numpy(zero_copy_only=False).astype(np.int64)] = False
    return files.filter(flags(mask))


def _amount(files: pa.Table) -> Amount:
    return Amount(len(files), pc.sum(files["size"]).as_py() or 0)


def _fresh(source: pa.Table) -> pa.Table:
    """The adds as rows that are new to the target: it gives them ids of its own."""
    nothing = pa.nulls(len(source), pa.int64())
    adds = with_column(source, "dataChange", pa.repeat(TRUE, len(source)))
    return with_column(with_column(adds, "baseRowId", nothing), "defaultRowCommitVersion", nothing)


def _copy_name(place: str, size: int, modified: int) -> str:
    text = blake2b(f"{place}\0{size}\0{modified}".encode(), digest_size=16).hexdigest()
    return f"part-{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}.parquet"


def _moved(vectors: pa.ChunkedArray, to: str, move: Callable[[str, str], str]) -> pa.ChunkedArray | pa.Array:
    """Deletion vectors with those in files as storage type `to`; `move` gives the place from storage type and place."""
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
    """What tells a file's deletion vector from another one; of a vector file of the table only the UUID unless `whole`.

    Where it was copied to does not matter then.
    """
    kind, name, offset, *_ = one_array(files["deletionVector"]).flatten()
    if not whole:
        name = pc.if_else(pc.equal(kind, "u"), pc.utf8_slice_codeunits(name, -_UUID_LENGTH), name)
    offsets = pc.coalesce(offset.cast(pa.string()), "")
    return pc.coalesce(pc.binary_join_element_wise(kind, name, "@", offsets, ""), "")
