"""Shapes of numbers, collections of shapes, concave hulls, and points on surfaces.

As in `measures`, the functions get the rows without a NULL, and give arrays of shapes, with their coordinate systems
where these are not those of the first argument.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import shapely

from deltasql.engines.spark.added.shape_values import Shapes, without_m
from deltasql.engines.spark.added.values import RaisedError

_POLYGONS = frozenset({"Polygon", "MultiPolygon"})
_THIRD_OF_FOUR = re.compile(r"([-+.\w]+ [-+.\w]+) [-+.\w]+ ([-+.\w]+)(?=[,)])")


def made_points(*numbers: Any) -> tuple[list[Any], int]:
    """Points of two to four coordinates: X, Y, Z, M."""
    axes = ("", "", "", "Z", "ZM")[len(numbers)]
    rows = zip(*numbers, strict=True)
    return [shapely.from_wkt(f"POINT {axes} ({' '.join(repr(float(number)) for number in row)})") for row in rows], 0


def box(x: float, y: float, right: float, top: float) -> Any:
    """A box from its least to its greatest corner; a point or a line where it has no area."""
    if x == right and y == top:
        return shapely.Point(x, y)
    if x == right or y == top:
        return shapely.LineString([(x, y), (right, top)])
    return shapely.Polygon([(x, y), (x, top), (right, top), (right, y)])


def made_envelopes(*numbers: Any) -> tuple[list[Any], int]:
    """Boxes between two corners, in any order."""
    rows = ([float(number) for number in row] for row in zip(*numbers, strict=True))
    return [box(min(x, far_x), min(y, far_y), max(x, far_x), max(y, far_y)) for x, y, far_x, far_y in rows], 0


def collected(values: Sequence[Shapes]) -> tuple[list[Any], list[int]]:
    """Lists of shapes as one shape each, whose parts they are, with the axes that all of them have."""
    found, srids = list[Any](), list[int]()
    for shapes in values:
        axes = [all(getattr(shape, f"has_{axis}") for shape in shapes.shapes) for axis in "zm"]
        found.append(_together([_with_axes(shape, *axes) for shape in shapes.shapes]))
        srids.append(int(shapes.srids[0]) if len(shapes.srids) else shapes.typed_srid)
    return found, srids


def _together(parts: Sequence[Any]) -> Any:
    kinds = {part.geom_type for part in parts}
    makers = {"Point": shapely.multipoints, "LineString": shapely.multilinestrings, "Polygon": shapely.multipolygons}
    make = makers.get(kinds.pop()) if len(kinds) == 1 else None
    return (make or shapely.geometrycollections)(list(parts))


def _with_axes(shape: Any, z: bool, m: bool) -> Any:
    """The shape with no other axes than these, which it has."""
    if not m:
        return without_m(shape) if z else shapely.force_2d(shape)
    if z or not shape.has_z:
        return shape
    text = shapely.to_wkt(shape, rounding_precision=-1, output_dimension=4).replace(" ZM", " M")
    return shapely.from_wkt(_THIRD_OF_FOUR.sub(r"\1 \2", text))


def concave_hulls(shapes: Shapes, ratios: Any, holes: Any = None) -> list[Any]:
    """Concave hulls; the ratio is 1 for the convex hull and 0 for the least one. Raises RaisedError for polygons."""
    found = list[Any]()
    for row, (shape, ratio) in enumerate(zip(shapes.shapes, ratios, strict=True)):
        if not 0 <= ratio <= 1:
            text = f"st_concavehull takes a length ratio from 0 to 1, and no {ratio}."
            raise RaisedError("ST_INVALID_ARGUMENT.INVALID_LENGTH_RATIO", text)
        if shape.geom_type in _POLYGONS and ratio < 1 and not shape.is_empty:
            text = f"st_concavehull takes no ST_{shape.geom_type} here, other than with the length ratio 1."
            raise RaisedError("ST_INVALID_ARGUMENT.INVALID_TYPE", text)
        hull = shapely.concave_hull(shapely.force_2d(shape), float(ratio), holes is not None and bool(holes[row]))
        found.append(shapely.normalize(hull))
    return found


def points_on_surfaces(shapes: Shapes) -> list[Any]:
    return [_point_on(shapely.force_2d(shape)) for shape in shapes.shapes]


def _point_on(shape: Any) -> Any:
    """A point of a flat shape: of a line the one in the middle, of several parts one of the largest part."""
    if shape.is_empty:
        return shapely.Point()
    if shape.geom_type == "Point":
        return shape
    if shape.geom_type == "LineString":
        return shapely.get_point(shape, (shapely.get_num_points(shape) - 1) // 2)
    if shape.geom_type == "Polygon":
        return shapely.point_on_surface(shape)
    parts = [part for part in shape.geoms if not part.is_empty]
    if shape.geom_type == "MultiPoint":
        middle = shapely.box(*shape.bounds).centroid
        return min(parts, key=lambda part: float(part.distance(middle)))
    return _point_on(max(parts, key=lambda part: (int(shapely.get_dimensions(part)), part.area, part.length)))


def ring_counts(shapes: Shapes) -> list[int]:
    """The numbers of rings of polygons. Raises RaisedError for other shapes."""
    for shape in shapes.shapes:
        if shape.geom_type not in _POLYGONS:
            text = f"st_nrings takes a ST_Polygon or a ST_MultiPolygon, and no ST_{shape.geom_type}."
            raise RaisedError("ST_INVALID_ARGUMENT.INVALID_TYPE", text)
    return [
        sum(1 + len(part.interiors) for part in shapely.get_parts(shape) if not part.is_empty)
        for shape in shapes.shapes
    ]
