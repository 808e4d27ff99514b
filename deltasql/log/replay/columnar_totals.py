"""Totals over columns of files."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deltasql.log.actions.actions import BOUNDARIES, FileTotals


def count_files(sizes: pa.ChunkedArray, vectors: pa.ChunkedArray) -> FileTotals:
    """Counts, bytes and the histogram of these files; one row per file in both columns."""
    values = sizes.fill_null(0).to_numpy()
    bins = np.searchsorted(np.array(BOUNDARIES), values, side="right") - 1
    counts = np.bincount(bins, minlength=len(BOUNDARIES))
    # Weights would make them floats, which cannot hold the bytes of a big table.
    bytes_ = np.zeros(len(BOUNDARIES), dtype=np.int64)
    np.add.at(bytes_, bins, values)
    present = len(vectors) - vectors.null_count
    rows = pc.sum(pc.struct_field(vectors, "cardinality")).as_py() if present else 0
    return FileTotals(
        len(values), int(values.sum()), tuple(counts.tolist()), tuple(bytes_.tolist()), present, int(rows or 0)
    )


def totals_after(totals: FileTotals, adds: pa.Table, removes: pa.Table) -> FileTotals | None:
    """`totals` with a big commit on top, which adds new files and removes live ones; None if a size is not known."""
    if removes["size"].null_count:
        return None
    more = count_files(adds["size"], adds["deletionVector"])
    less = count_files(removes["size"], removes["deletionVector"])
    return FileTotals(
        totals.files + more.files - less.files,
        totals.bytes + more.bytes - less.bytes,
        _sums(totals.bin_files, more.bin_files, less.bin_files),
        _sums(totals.bin_bytes, more.bin_bytes, less.bin_bytes),
        _sum(totals.vectors, more.vectors, less.vectors),
        _sum(totals.deleted_rows, more.deleted_rows, less.deleted_rows),
    )


def _sum(base: int | None, more: int | None, less: int | None) -> int | None:
    return None if base is None or more is None or less is None else base + more - less


def _sums(
    base: tuple[int, ...] | None, more: tuple[int, ...] | None, less: tuple[int, ...] | None
) -> tuple[int, ...] | None:
    if base is None or more is None or less is None:
        return None
    return tuple(a + b - c for a, b, c in zip(base, more, less, strict=True))
