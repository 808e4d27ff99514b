"""Masks of the files that a scan keeps, with True or False for all files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import TYPE_CHECKING, TypeAlias, Union

from deltasql.base.lazy import np, pa, pc
from deltasql.log.skipping.conditions import AllOf, AnyOf, Condition, Leaf, Unknown

if TYPE_CHECKING:
    FileMask: TypeAlias = Union[pa.ChunkedArray, pa.Array, bool]
    """A mask with true for each file to keep, or True or False for all of them."""

_FEW_RUNS = 4096


def file_mask(selection: Condition, of_leaf: Callable[[Leaf], FileMask]) -> FileMask:
    """The files that a condition keeps, from those that its leaves keep; an Unknown part keeps all."""
    match selection:
        case Unknown():
            return True
        case AllOf() | AnyOf():
            return combined(isinstance(selection, AllOf), [file_mask(part, of_leaf) for part in selection.parts])
    return of_leaf(selection)


def combined(is_all: bool, parts: Sequence[FileMask]) -> FileMask:
    """The files that all of `parts` keep, or any of them."""
    if any(part is (not is_all) for part in parts):
        return not is_all
    masks = [part for part in parts if not isinstance(part, bool)]
    return reduce(pc.and_ if is_all else pc.or_, masks) if masks else is_all


def filtered(files: pa.Table, mask: FileMask) -> pa.Table:
    if isinstance(mask, bool):
        return files if mask else files.slice(0, 0)
    if pc.all(mask, min_count=0).as_py():
        return files
    runs = _runs(mask)
    return files.filter(mask) if runs is None else pa.concat_tables([files.slice(*run) for run in runs])


def _runs(mask: pa.Array | pa.ChunkedArray) -> list[tuple[int, int]] | None:
    """Start and length of each run of true, at least one; None if there are many.

    A slice of a table is no copy; a filter copies the texts of statistics, which takes 2 s for a million files.
    """
    mask = mask.combine_chunks() if isinstance(mask, pa.ChunkedArray) else mask
    changes = pc.indices_nonzero(pc.xor(mask.slice(1), mask.slice(0, len(mask) - 1)))
    if len(changes) > _FEW_RUNS:
        return None
    edges = [0, *(change + 1 for change in changes.to_pylist()), len(mask)]
    first = 0 if mask[0].as_py() else 1
    return [(start, end - start) for start, end in zip(edges[first::2], edges[first + 1 :: 2], strict=False)] or [
        (0, 0)
    ]


def first_numbers(count: int) -> np.ndarray:
    """The numbers of the first `count` files."""
    return np.arange(count)


def rows_of(mask: FileMask) -> np.ndarray | None:
    """The numbers of the files to keep, sorted; None for all."""
    from deltasql.schema.arrow_values import flags, indexes_of

    if isinstance(mask, bool):
        return None if mask else indexes_of(flags([]))
    return indexes_of(mask.combine_chunks() if isinstance(mask, pa.ChunkedArray) else mask)
