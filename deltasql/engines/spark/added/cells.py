"""Functions of the grid H3, by the package h3. A cell is a BIGINT or the STRING of its number in hexadecimal digits.

A result whose type is that of the argument is a JSON text with the field `value`, which SQL reads by that type.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import h3.api.basic_int as h3
import pyarrow as pa
from h3 import H3BaseException

from deltasql.engines.spark.added.values import (
    Column,
    RaisedError,
    Values,
    by_row,
    doubles,
    integers,
    pairs,
    shown,
    texts,
    unfit,
)

_STATE = "22000"
_FINEST = 15
_HEXADECIMAL = re.compile(r"[0-9a-fA-F]{1,16}")
_MOST = 1 << 63


class TextCell(int):
    """The number of a cell that was a text."""


def cells(array: Column, argument: str) -> Values:
    """An argument that is a cell. Raises RaisedError for one that is none."""
    return [None if value is None else cell_of(value) for value in candidates(array, argument)]


def candidates(array: Column, argument: str) -> Values:
    """An argument of the type of a cell, be it one or not."""
    if not (pa.types.is_null(array.type) or pa.types.is_integer(array.type) or pa.types.is_string(array.type)):
        raise unfit(argument, "a BIGINT or a STRING", array.type)
    return list(array.to_pylist())


def sets(array: Column, argument: str) -> Values:
    """An argument that is an array of cells; NULLs in it are left out."""
    if pa.types.is_null(array.type):
        return list(array.to_pylist())
    kind = array.type.value_type if pa.types.is_list(array.type) else None
    if kind is None or not (pa.types.is_null(kind) or pa.types.is_integer(kind) or pa.types.is_string(kind)):
        raise unfit(argument, "an ARRAY of BIGINT or STRING", array.type)
    return [
        None if values is None else [cell_of(value) for value in values if value is not None]
        for values in array.to_pylist()
    ]


def number_of(value: int | str) -> int | None:
    """The number that is, or may be, one of a cell; None for a text that is no number."""
    if isinstance(value, str):
        return TextCell(int(value, 16)) if _HEXADECIMAL.fullmatch(value) else None
    return value


def is_cell(value: int | str) -> bool:
    number = number_of(value)
    return number is not None and 0 < number < _MOST and bool(h3.is_valid_cell(number))


def cell_of(value: int | str) -> int:
    if not is_cell(value):
        raise RaisedError("H3_INVALID_CELL_ID", f"{value} is not a valid H3 cell ID", _STATE)
    number = number_of(value)
    assert number is not None
    return number


def like(cell: int, number: int) -> int | str:
    """A cell as a value of the type that another was."""
    return h3.int_to_str(number) if isinstance(cell, TextCell) else int(number)


def as_json(value: Any) -> str:
    return json.dumps({"value": value}, separators=(",", ":"))


def several(cell: int, numbers: Iterable[int]) -> str:
    return as_json([like(cell, number) for number in numbers])


def check_resolution(resolution: int, least: int = 0, most: int = _FINEST) -> None:
    if not least <= resolution <= most:
        text = f"H3 resolution {resolution} must be between {least} and {most}, inclusive"
        raise RaisedError("H3_INVALID_RESOLUTION_VALUE", text, _STATE)


def check_distance(k: int) -> None:
    if k < 0:
        raise RaisedError("H3_INVALID_GRID_DISTANCE_VALUE", f"H3 grid distance {k} must be non-negative", _STATE)


def center(cell: int) -> tuple[float, float]:
    """Longitude and latitude."""
    latitude, longitude = h3.cell_to_latlng(cell)
    return longitude, latitude


def boundary(cell: int) -> list[tuple[float, float]]:
    """The corners as longitude and latitude; the first one is the last one, too."""
    corners = [(longitude, latitude) for latitude, longitude in h3.cell_to_boundary(cell)]
    return [*corners, corners[0]]


def boundary_as_geojson(cell: int) -> str:
    corners = ",".join(f"[{pair}]" for pair in pairs(boundary(cell), ","))
    return f'{{"type":"Polygon","coordinates":[[{corners}]]}}'


def boundary_as_wkt(cell: int) -> str:
    return f"POLYGON(({','.join(pairs(boundary(cell), ' '))}))"


def boundary_as_wkb(cell: int) -> bytes:
    corners = boundary(cell)
    numbers = [number for corner in corners for number in corner]
    return struct.pack(f"<bIII{len(numbers)}d", 1, 3, 1, len(corners), *numbers)


def center_as_geojson(cell: int) -> str:
    longitude, latitude = center(cell)
    return f'{{"type":"Point","coordinates":[{shown(longitude)},{shown(latitude)}]}}'


def center_as_wkt(cell: int) -> str:
    longitude, latitude = center(cell)
    return f"POINT({shown(longitude)} {shown(latitude)})"


def center_as_wkb(cell: int) -> bytes:
    return struct.pack("<bIdd", 1, 1, *center(cell))


def compact(numbers: Sequence[int]) -> str:
    """The cells, where all children of a parent are replaced by it, at all levels."""
    left = dict.fromkeys(numbers)
    for resolution in range(_FINEST, 0, -1):
        families: dict[int, list[int]] = {}
        for cell in left:
            if h3.get_resolution(cell) == resolution:
                families.setdefault(h3.cell_to_parent(cell, resolution - 1), []).append(cell)
        for parent, children in families.items():
            if len(children) == h3.cell_to_children_size(parent, resolution):
                left = {cell: None for cell in left if cell not in set(children)}
                left.setdefault(like_number(children[0], parent))
    return as_json([like(cell, cell) for cell in left])


def like_number(cell: int, number: int) -> int:
    return TextCell(number) if isinstance(cell, TextCell) else number


def uncompact(numbers: Sequence[int], resolution: int) -> str:
    check_resolution(resolution, max((h3.get_resolution(cell) for cell in numbers), default=0))
    return as_json([like(cell, child) for cell in numbers for child in h3.cell_to_children(cell, resolution)])


def distance(one: int, other: int) -> int:
    try:
        if h3.get_resolution(one) == h3.get_resolution(other):
            return int(h3.grid_distance(one, other))
    except H3BaseException:
        pass
    text = f"H3 grid distance between {like(one, one)} and {like(other, other)} is undefined"
    raise RaisedError("H3_UNDEFINED_GRID_DISTANCE", text, _STATE)


def try_distance(one: int, other: int) -> int | None:
    """As `distance`; None for cells of one resolution between which there is no distance."""
    try:
        return distance(one, other)
    except RaisedError:
        if h3.get_resolution(one) != h3.get_resolution(other):
            raise
        return None


def hex_ring(cell: int, k: int) -> str:
    check_distance(k)
    if any(map(h3.is_pentagon, h3.grid_disk(cell, k))):
        text = f"A pentagon was encountered while computing the hex ring of {like(cell, cell)} with grid distance {k}"
        raise RaisedError("H3_PENTAGON_ENCOUNTERED_ERROR", text, _STATE)
    return several(cell, h3.grid_ring(cell, k))


def k_ring(cell: int, k: int) -> str:
    check_distance(k)
    return several(cell, h3.grid_disk(cell, k))


def k_ring_distances(cell: int, k: int) -> str:
    check_distance(k)
    found: dict[int, int] = {}
    for far in range(k + 1):
        for number in h3.grid_disk(cell, far):
            found.setdefault(number, far)
    return as_json([{"cellid": like(cell, number), "distance": far} for number, far in found.items()])


def is_child_of(one: int, other: int) -> bool:
    resolution = h3.get_resolution(other)
    return h3.get_resolution(one) >= resolution and bool(h3.cell_to_parent(one, resolution) == other)


def child(cell: int, resolution: int, which: Callable[[Iterable[int]], int]) -> str:
    """The least or the greatest child: that of its number in the order of children, which is the order of numbers."""
    check_resolution(resolution, h3.get_resolution(cell))
    last = h3.cell_to_children_size(cell, resolution) - 1
    return as_json(like(cell, h3.child_pos_to_cell(cell, resolution, which((0, last)))))


def children(cell: int, resolution: int) -> str:
    check_resolution(resolution, h3.get_resolution(cell))
    return several(cell, h3.cell_to_children(cell, resolution))


def parent(cell: int, resolution: int) -> str:
    check_resolution(resolution, 0, h3.get_resolution(cell))
    return as_json(like(cell, h3.cell_to_parent(cell, resolution)))


def cell_at(longitude: float, latitude: float, resolution: int) -> int:
    check_resolution(resolution)
    return int(h3.latlng_to_cell(latitude, longitude, resolution))


def in_digits(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose cells are texts."""

    def computed(*values: Any) -> Any:
        found = function(*values)
        return [h3.int_to_str(cell) for cell in found] if isinstance(found, list) else found and h3.int_to_str(found)

    return computed


def _of_cells() -> dict[str, tuple[Callable[..., Any], tuple[Any, ...], Any]]:
    """Functions of cells and of places: their code, readers of arguments, and type."""
    one, text, places = (cells,), pa.string(), (doubles, doubles, integers)
    two, at = (cells, cells), (cells, integers)
    return {
        "h3_boundaryasgeojson": (boundary_as_geojson, one, text),
        "h3_boundaryaswkb": (boundary_as_wkb, one, pa.binary()),
        "h3_boundaryaswkt": (boundary_as_wkt, one, text),
        "h3_centerasgeojson": (center_as_geojson, one, text),
        "h3_centeraswkb": (center_as_wkb, one, pa.binary()),
        "h3_centeraswkt": (center_as_wkt, one, text),
        "h3_compact": (compact, (sets,), text),
        "h3_distance": (distance, two, pa.int64()),
        "h3_h3tostring": (h3.int_to_str, one, text),
        "h3_hexring": (hex_ring, at, text),
        "h3_ischildof": (is_child_of, two, pa.bool_()),
        "h3_ispentagon": (lambda cell: bool(h3.is_pentagon(cell)), one, pa.bool_()),
        "h3_isvalid": (is_cell, (candidates,), pa.bool_()),
        "h3_kring": (k_ring, at, text),
        "h3_kringdistances": (k_ring_distances, at, text),
        "h3_longlatash3": (cell_at, places, pa.int64()),
        "h3_longlatash3string": (in_digits(cell_at), places, text),
        "h3_maxchild": (lambda cell, resolution: child(cell, resolution, max), at, text),
        "h3_minchild": (lambda cell, resolution: child(cell, resolution, min), at, text),
        "h3_resolution": (h3.get_resolution, one, pa.int32()),
        "h3_stringtoh3": (lambda value: int(cell_of(value)), (texts,), pa.int64()),
        "h3_tochildren": (children, at, text),
        "h3_toparent": (parent, at, text),
        "h3_try_distance": (try_distance, two, pa.int64()),
        "h3_try_validate": (lambda value: as_json(value if is_cell(value) else None), (candidates,), text),
        "h3_uncompact": (uncompact, (sets, integers), text),
        "h3_validate": (lambda value: as_json(cell_of(value) and value), (candidates,), text),
        "try_h3_distance": (try_distance, two, pa.int64()),
    }


def functions() -> dict[str, Callable[..., Column]]:
    """The functions of Arrow columns by their names in SQL."""
    return {name: by_row(code, readers, kind, name) for name, (code, readers, kind) in _of_cells().items()}
