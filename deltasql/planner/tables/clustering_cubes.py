"""Cubes: the files that one OPTIMIZE of a clustered table has ordered together, identified by their tags."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from deltasql.lazy import pa, pc
from deltasql.log.reading.clustering import CUBE_COLUMNS, CUBE_ID
from deltasql.planner.layout_result import Cubes


@dataclass(frozen=True, slots=True)
class CubeChoice:
    """The files to order anew, and the files that were considered."""

    files: pa.Table
    cubes: Cubes


def chosen_for_clustering(files: pa.Table, columns: str, full_size: int, *, full: bool) -> CubeChoice:
    """Files without a cube, and those of cubes below `full_size` bytes; with `full` all files of the table.

    `columns` is the present CUBE_COLUMNS: cubes of others are only taken by `full`. Nothing is chosen where one cube of
    the present columns is all there would be.
    """
    ids = cube_ids(files)
    in_cube, current = pc.is_valid(ids), pc.fill_null(pc.equal(_tag(files, CUBE_COLUMNS), columns), False)
    counted = in_cube if full else pc.and_(in_cube, current)
    sizes = _sizes(ids.filter(counted), files.filter(counted))
    cubes = Cubes(_total(files.filter(counted)), _total(files.filter(pc.invert(counted))), len(sizes))
    if full:
        single = len(sizes) == 1 and pc.all(pc.and_(in_cube, current)).as_py()
        return CubeChoice(files.slice(0, 0) if single else files, cubes)
    small = pc.and_(current, pc.is_in(ids, _names(size for size in sizes.items() if size[1] < full_size)))
    chosen = files.filter(pc.or_(small, pc.invert(in_cube)))
    nothing_new = pc.all(in_cube, min_count=0).as_py() and len(pc.unique(cube_ids(chosen))) < 2
    return CubeChoice(chosen.slice(0, 0) if nothing_new else chosen, cubes)


def cube_ids(files: pa.Table) -> pa.ChunkedArray:
    """The cube of each file, null for one in none."""
    return _tag(files, CUBE_ID)


def _tag(files: pa.Table, key: str) -> pa.ChunkedArray:
    values = pc.map_lookup(files.column("tags"), key, "first")
    return values.cast(pa.string())


def _sizes(ids: pa.ChunkedArray, files: pa.Table) -> dict[str, int]:
    """Bytes by cube."""
    table = pa.table({"id": ids, "size": files.column("size")}).group_by("id").aggregate([("size", "sum")])
    pairs = zip(table.column("id").to_pylist(), table.column("size_sum").to_pylist(), strict=True)
    return {cube: size for cube, size in pairs if cube is not None}


def _names(sizes: Iterable[tuple[str, int]]) -> pa.Array:
    return pa.array([cube for cube, _ in sizes], pa.string())


def _total(files: pa.Table) -> tuple[int, int]:
    return files.num_rows, int(pc.sum(files.column("size")).as_py() or 0)
