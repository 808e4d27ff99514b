"""Functions between the cells of H3 and shapes, by the packages h3 and shapely."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import h3.api.basic_int as h3
import pyarrow as pa
import shapely

from deltasql.engines.spark.added.cells import boundary, cell_at, check_resolution, in_digits
from deltasql.engines.spark.added.shape_values import ShapeError, planar_shapes
from deltasql.engines.spark.added.values import Column, by_row, integers, texts_or_bytes

_HALF = 180


def point(shape: Any, resolution: int) -> int:
    check_resolution(resolution)
    if shape.geom_type != "Point" or shape.is_empty:
        raise ShapeError("it is no point")
    return cell_at(shape.x, shape.y, resolution)


def cell_shape(cell: int) -> Any:
    """The polygon of a cell; two where the meridian of 180 degrees divides it."""
    corners = boundary(cell)
    if max(x for x, _ in corners) - min(x for x, _ in corners) <= _HALF:
        return shapely.Polygon(corners)
    east = shapely.Polygon([(x + 2 * _HALF if x < 0 else x, y) for x, y in corners])
    west = shapely.transform(east, lambda points: points - [2 * _HALF, 0])
    world = shapely.box(-_HALF, -_HALF, _HALF, _HALF)
    return shapely.MultiPolygon([part for side in (east, west) for part in polygons(side.intersection(world))])


def polygons(shape: Any) -> list[Any]:
    """The polygons of a shape. Raises ShapeError for another one."""
    if shape.geom_type not in {"Polygon", "MultiPolygon"}:
        raise ShapeError("it is no polygon and no multipolygon")
    return [part for part in shapely.get_parts(shape) if not part.is_empty]


def _outline(polygon: Any) -> Any:
    def corners(ring: Any) -> list[tuple[float, float]]:
        return [(y, x) for x, y, *_ in ring.coords]

    return h3.LatLngPoly(corners(polygon.exterior), *map(corners, polygon.interiors))


def fill(shape: Any, resolution: int) -> list[int]:
    """The cells whose centers lie within a polygon, or some."""
    check_resolution(resolution)
    found: dict[int, None] = {}
    for polygon in polygons(shape):
        # In the order of Databricks' examples.
        found |= dict.fromkeys(reversed(h3.polygon_to_cells(_outline(polygon), resolution)))
    return list(found)


def cover(shape: Any, resolution: int) -> list[int]:
    """The cells that together cover lines or polygons."""
    check_resolution(resolution)
    if shape.geom_type not in {"LineString", "MultiLineString", "Polygon", "MultiPolygon"}:
        raise ShapeError("it is no linestring, polygon, multilinestring or multipolygon")
    return list(_covering(shape, resolution))


def _covering(shape: Any, resolution: int) -> dict[int, None]:
    found: dict[int, None] = {}
    for part in shapely.get_parts(shape):
        if part.is_empty:
            continue
        if part.geom_type == "Point":
            found[cell_at(part.x, part.y, resolution)] = None
        elif part.geom_type == "LineString":
            found |= _along(part, resolution)
        else:
            found |= dict.fromkeys(h3.polygon_to_cells_experimental(_outline(part), resolution, "overlap"))
    return found


def _along(line: Any, resolution: int) -> dict[int, None]:
    """The cells that a line crosses: those of its points, and their neighbours as long as they touch it."""
    flat = shapely.force_2d(line)
    shapely.prepare(flat)
    found = dict.fromkeys(cell_at(x, y, resolution) for x, y in flat.coords)
    new = list(found)
    while new:
        near = {cell for known in new for cell in h3.grid_disk(known, 1)} - found.keys()
        new = sorted(cell for cell in near if flat.intersects(cell_shape(cell)))
        found |= dict.fromkeys(new)
    return found


def tessellate(shape: Any, resolution: int) -> list[dict[str, Any]]:
    """The cells that cover a shape, each with its part of it."""
    check_resolution(resolution)
    if shape.geom_type == "GeometryCollection":
        raise ShapeError("it is a geometry collection")
    chips, flat = [], shapely.force_2d(shape)
    for cell in _covering(flat, resolution):
        whole = cell_shape(cell)
        core = bool(flat.covers(whole))
        chip = whole if core else flat.intersection(whole)
        if not chip.is_empty:
            chips.append({"cellid": cell, "core": core, "chip": shapely.to_wkb(chip, byte_order=1)})
    return chips


def over_shapes(function: Callable[[Any, int], Any], *, safe: bool) -> Callable[[Any, int], Any]:
    """A function of a shape, as it is written, and a resolution; `safe`: None for a wrong shape, else RaisedError."""

    def computed(written: Any, resolution: int) -> Any:
        check_resolution(resolution)
        try:
            return function(planar_shapes(written), resolution)
        except ShapeError as error:
            if safe:
                return None
            raise error.raised(written) from None

    return computed


_CHIPS = pa.list_(pa.struct([("cellid", pa.int64()), ("core", pa.bool_()), ("chip", pa.binary())]))
_LONGS, _TEXTS = pa.list_(pa.int64()), pa.list_(pa.string())


def _of_shapes() -> dict[str, tuple[Callable[..., Any], tuple[Any, ...], Any]]:
    """Functions of shapes: their code, readers of arguments, and type."""
    readers = (texts_or_bytes, integers)
    table: dict[str, tuple[Callable[..., Any], tuple[Any, ...], Any]] = {}
    for word in ("", "try_"):
        for name, function in (("coverash3", cover), ("polyfillash3", fill)):
            code = over_shapes(function, safe=bool(word))
            table[f"h3_{word}{name}"] = code, readers, _LONGS
            table[f"h3_{word}{name}string"] = in_digits(code), readers, _TEXTS
        table[f"h3_{word}tessellateaswkb"] = over_shapes(tessellate, safe=bool(word)), readers, _CHIPS
    code = over_shapes(point, safe=False)
    table["h3_pointash3"] = code, readers, pa.int64()
    table["h3_pointash3string"] = in_digits(code), readers, pa.string()
    return table


def functions() -> dict[str, Callable[..., Column]]:
    """The functions of Arrow columns by their names in SQL."""
    return {name: by_row(code, readers, kind, name) for name, (code, readers, kind) in _of_shapes().items()}
