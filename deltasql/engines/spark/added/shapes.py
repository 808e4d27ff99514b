"""Functions of shapes, by the package shapely: what they take and give, and their errors.

A function gets the rows without a NULL: arrays of shapes of NumPy, and of other values. What concerns each row alone is
computed by shapely for the whole array where it can.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import shapely
from shapely import affinity

from deltasql.engines.spark.added.derived_shapes import (
    box,
    collected,
    concave_hulls,
    made_envelopes,
    made_points,
    points_on_surfaces,
    ring_counts,
)
from deltasql.engines.spark.added.measures import (
    azimuths,
    best_srids,
    geodesic_areas,
    geodesic_lengths,
    geodesic_perimeters,
    geohashes,
    hash_boxes,
    sphere_distances,
    spheroid_distances,
    transformed,
)
from deltasql.engines.spark.added.shape_values import (
    ShapeError,
    Shapes,
    any_shape,
    from_geojson,
    from_wkb,
    from_wkt,
    geojson,
    is_json,
    kind_of,
    on_the_globe,
    read_shapes,
    without_m,
    wkt,
    written,
    written_lists,
)
from deltasql.engines.spark.added.values import (
    Column,
    RaisedError,
    binaries,
    booleans,
    doubles,
    integers,
    texts,
    texts_or_bytes,
    unfit,
)

_PLANE = ("GEOMETRY",)
_BOTH = ("GEOMETRY", "GEOGRAPHY")
_LINES, _POLYGONS, _POINTS = ("LineString",), ("Polygon",), ("Point",)
_BYTE_ORDERS = {"XDR": 0, "NDR": 1}


def invalid(reason: str, text: str) -> RaisedError:
    return RaisedError(f"ST_INVALID_ARGUMENT.{reason}", text)


def check_kind(name: str, shapes: Any, kinds: Sequence[str]) -> None:
    """Raises RaisedError for a shape of another kind."""
    for shape in shapes:
        if shape.geom_type not in kinds:
            shown = " or a ".join(f"ST_{kind}" for kind in kinds)
            raise invalid("INVALID_TYPE", f"{name} takes a {shown}, and no ST_{shape.geom_type}.")


def check_lines(name: str, shapes: Any) -> None:
    """Raises RaisedError for a shape that is no line with points."""
    check_kind(name, shapes, _LINES)
    if any(shape.is_empty for shape in shapes):
        raise invalid("EMPTY_LINESTRING", f"{name} takes no empty linestring.")


def check_points(name: str, shapes: Any) -> None:
    """Raises RaisedError for a shape that is no point with coordinates."""
    check_kind(name, shapes, _POINTS)
    if any(shape.is_empty for shape in shapes):
        raise invalid("EMPTY_POINT", f"{name} takes no empty point.")


@dataclass(frozen=True)
class ShapeFunction:
    """A function: `code` gets the arrays of its arguments, whose kinds `takes` has: tuples for shapes, else readers.

    The result is an array of shapes (`gives` is None) with the coordinate system of the first argument, unless the code
    gives both; or of values of the type `gives` in Arrow.
    """

    code: Callable[..., Any]
    takes: tuple[Any, ...] = (_PLANE,)
    gives: Any = None


def computed(name: str, function: ShapeFunction, returns: str) -> Callable[..., Column]:
    """The function of Arrow columns; `returns` is the type of the result in SQL."""

    def columns(*arrays: pa.Array) -> pa.Array:
        pairs = zip(arrays, function.takes, strict=False)
        found = [_read(name, at, array, takes) for at, (array, takes) in enumerate(pairs, 1)]
        absent = np.any([_absent(item) for item in found], axis=0)
        rows = np.flatnonzero(~absent)
        kept = [item.at(rows) if isinstance(item, Shapes) else item[rows] for item in found]
        _check_alike(name, [item for item in kept if isinstance(item, Shapes)])
        values, srids = _result(function, kept) if len(rows) else ((), 0)
        whole: Any = np.full(len(absent), None, dtype=object)
        for row, value in zip(rows, values, strict=True):
            whole[row] = value
        if function.gives is not None:
            return pa.array(list(whole), function.gives)
        numbers: Any = np.zeros(len(absent), dtype=int)
        numbers[rows] = srids
        return (written_lists if returns.startswith("ARRAY") else written)(whole, numbers, returns)

    return columns


def _result(function: ShapeFunction, arguments: Sequence[Any]) -> tuple[Any, Any]:
    """The values and their coordinate systems, which are those of the first argument where the code says none."""
    found = function.code(*arguments)
    if isinstance(found, tuple):
        return found[0], found[1]
    return found, arguments[0].srids if isinstance(arguments[0], Shapes) else 0


def _read(name: str, at: int, array: Column, takes: Any) -> Any:
    argument = f"Argument {at} of {name}"
    if isinstance(takes, tuple):
        return read_shapes(array, argument, takes)
    values: Any = np.full(len(array), None, dtype=object)
    for row, value in enumerate(takes(array, argument)):
        values[row] = value
    return values


def _absent(item: Any) -> Any:
    return item.absent if isinstance(item, Shapes) else np.array([value is None for value in item], dtype=bool)


def _check_alike(name: str, shapes: Sequence[Shapes]) -> None:
    for other in shapes[1:]:
        if shapes[0].kind != other.kind:
            raise unfit(f"Argument 2 of {name}", f"a {shapes[0].kind}", other.kind)
        for one, another in zip(shapes[0].srids, other.srids, strict=True):
            if one != another:
                raise different_srids(name, one, another)


def different_srids(name: str, one: int, other: int) -> RaisedError:
    text = f'Arguments to "{name}" must have the same SRID value. SRID values found: {one}, {other}'
    return RaisedError("ST_DIFFERENT_SRID_VALUES", text, "22023")


def lists(array: Column, argument: str, kinds: Sequence[str] = _PLANE) -> list[Any]:
    """An argument that is an array of shapes of the `kinds`, each as Shapes without the NULLs in it."""
    if pa.types.is_null(array.type):
        return list(array.to_pylist())
    if not pa.types.is_list(array.type) or kind_of(array.type.value_type) not in kinds:
        raise unfit(argument, f"an ARRAY of {' or of '.join(kinds)}", array.type)
    found = list[Any]()
    for value in array:
        if not value.is_valid:
            found.append(None)
            continue
        shapes = read_shapes(value.values, argument, kinds)
        found.append(shapes.at(np.flatnonzero(~shapes.absent)))
    return found


def common_srid(name: str, shapes: Shapes) -> int:
    """The coordinate system of shapes; 0 for none. Raises RaisedError for several."""
    for srid in shapes.srids:
        if srid != shapes.srids[0]:
            raise different_srids(name, shapes.srids[0], srid)
    return int(shapes.srids[0]) if len(shapes.srids) else 0


# Texts and bytes as shapes, and shapes as these


def parsed(read: Callable[[Any], Any], *, globe: bool = False, safe: bool = False) -> Callable[..., Any]:
    """A function of texts or bytes; `read` gives a shape, or a shape with its coordinate system."""

    def code(values: Any, *_: Any) -> Any:
        shapes, srids = [], []
        for value in values:
            try:
                found = read(value)
                shape, srid = found if isinstance(found, tuple) else (found, 4326 if globe else 0)
                if globe:
                    on_the_globe(shape)
                    if srid not in {0, 4326}:
                        raise RaisedError("ST_INVALID_SRID_VALUE", f"Invalid or unsupported SRID value: {srid}")
                shapes.append(shape)
                srids.append(4326 if globe else srid)
            except (ShapeError, RaisedError) as error:
                if not safe:
                    raise error.raised(value) if isinstance(error, ShapeError) else error from None
                shapes.append(None)
                srids.append(0)
        return shapes, srids

    return code


def _plain_wkt(value: str) -> Any:
    return from_wkt(value)


def _json(value: str) -> tuple[Any, int]:
    if not is_json(value):
        raise RaisedError("GEOJSON_PARSE_ERROR", "Error parsing GeoJSON: it is no JSON object")
    return from_geojson(value), 4326


def _extended(value: bytes) -> tuple[Any, int]:
    shape = from_wkb(value)
    return shape, int(shapely.get_srid(shape))


def ewkt(shapes: Shapes) -> list[str]:
    return [
        f"SRID={srid};{text}" if srid else text for srid, text in zip(shapes.srids, wkt(shapes.shapes), strict=True)
    ]


def ewkb(shapes: Shapes, orders: Any = None) -> list[bytes]:
    """Shapes in EWKB, with the least byte first, or in the order that NDR or XDR says."""
    found = list[bytes]()
    for row, (shape, srid) in enumerate(zip(shapes.shapes, shapes.srids, strict=True)):
        order = "NDR" if orders is None else orders[row].upper()
        if order not in _BYTE_ORDERS:
            text = f"st_asewkb takes the byte order NDR or XDR, and no {order}."
            raise RaisedError("ST_INVALID_ENDIANNESS_VALUE", text)
        known = shapely.set_srid(shape, int(srid)) if srid else shape
        options = {"flavor": "extended", "byte_order": _BYTE_ORDERS[order], "output_dimension": 4}
        found.append(shapely.to_wkb(known, include_srid=bool(shapely.get_srid(known)), **options))
    return found


# Parts and properties of shapes


def coordinate(name: str, axis: str, shapes: Shapes) -> list[float | None]:
    """A coordinate of points; None for empty points, and where they have no such axis."""
    check_kind(name, shapes.shapes, _POINTS)
    missing = {"z": "has_z", "m": "has_m"}.get(axis)
    return [
        None if shape.is_empty or (missing and not getattr(shape, missing)) else float(getattr(shape, axis))
        for shape in shapes.shapes
    ]


def bound(axis: str, least: bool, shapes: Shapes) -> list[float | None]:
    """The least or the greatest coordinate; None for empty shapes, and where they have no such axis."""
    found = list[float | None]()
    for shape in shapes.shapes:
        points = shapely.get_coordinates(shape, include_z=axis == "z")[:, "xyz".index(axis)]
        has_axis = len(points) and (axis != "z" or shape.has_z)
        found.append(float(points.min() if least else points.max()) if has_axis else None)
    return found


def ndims(shapes: Shapes) -> list[int]:
    return [2 + bool(shape.has_z) + bool(shape.has_m) for shape in shapes.shapes]


def type_names(shapes: Shapes) -> list[str]:
    return [f"ST_{shape.geom_type}" for shape in shapes.shapes]


def end_point(name: str, which: int, shapes: Shapes) -> list[Any]:
    check_lines(name, shapes.shapes)
    return [shapely.get_point(shape, which) for shape in shapes.shapes]


def position(name: str, index: int, count: int) -> int:
    """A position from 0 for one from 1, or from -1 at the end. Raises RaisedError for one outside."""
    if not 0 < abs(index) <= count:
        raise invalid(
            "INVALID_INDEX_VALUE", f"{name} takes an index from 1 to {count}, or its negative, and no {index}."
        )
    return index - 1 if index > 0 else count + index


def points_of(shape: Any) -> list[Any]:
    return [shapely.get_point(shape, at) for at in range(shapely.get_num_points(shape))]


def point_n(shapes: Shapes, indexes: Any) -> list[Any]:
    check_lines("st_pointn", shapes.shapes)
    numbers = (position("st_pointn", at, len(shape.coords)) for shape, at in zip(shapes.shapes, indexes, strict=True))
    return [shapely.get_point(shape, number) for shape, number in zip(shapes.shapes, numbers, strict=True)]


def exterior_rings(shapes: Shapes) -> list[Any]:
    check_kind("st_exteriorring", shapes.shapes, _POLYGONS)
    return [_as_line(shape.exterior) for shape in shapes.shapes]


def _as_line(ring: Any) -> Any:
    return shapely.from_wkt(shapely.to_wkt(ring, -1, output_dimension=4).replace("LINEARRING", "LINESTRING"))


def number_of_holes(shapes: Shapes) -> list[int]:
    check_kind("st_numinteriorrings", shapes.shapes, _POLYGONS)
    return [len(shape.interiors) for shape in shapes.shapes]


def _elements(shape: Any) -> list[Any]:
    """The members of a multipart shape; any other shape alone, and none of it where it is empty."""
    return list(shape.geoms) if hasattr(shape, "geoms") else [] if shape.is_empty else [shape]


def _item(name: str, items: Sequence[Any], index: int) -> Any:
    """The item at a position from 1. Raises RaisedError for one outside."""
    if not 0 < index <= len(items):
        raise invalid("INVALID_INDEX_VALUE", f"{name} takes an index from 1 to {len(items)} here, and no {index}.")
    return items[index - 1]


def element_n(shapes: Shapes, indexes: Any) -> list[Any]:
    return [_item("st_geometryn", _elements(shape), index) for shape, index in zip(shapes.shapes, indexes, strict=True)]


def interior_ring_n(shapes: Shapes, indexes: Any) -> list[Any]:
    check_kind("st_interiorringn", shapes.shapes, _POLYGONS)
    rings = zip(shapes.shapes, indexes, strict=True)
    return [_as_line(_item("st_interiorringn", list(shape.interiors), index)) for shape, index in rings]


def boundaries(shapes: Shapes) -> list[Any]:
    """The boundary of each shape. Raises RaisedError for a collection of several kinds."""
    empty = {
        "Point": "POINT",
        "MultiPoint": "MULTIPOINT",
        "Polygon": "MULTILINESTRING",
        "MultiPolygon": "MULTILINESTRING",
    }
    found = list[Any]()
    for shape in shapes.shapes:
        if shape.geom_type == "GeometryCollection":
            raise invalid("INVALID_TYPE", "st_boundary takes no ST_GeometryCollection here.")
        if shape.geom_type in empty and (shape.is_empty or "Point" in shape.geom_type):
            found.append(shapely.from_wkt(f"{empty[shape.geom_type]} EMPTY"))
        else:
            found.append(shapely.boundary(shape))
    return found


# Changes of points


def _line_of(points: Sequence[Any], like: Any) -> Any:
    """A line through points, with the axes of another one; an axis that they lack is 0 there."""
    axes = "xy" + "z" * bool(like.has_z) + "m" * bool(like.has_m)
    rows = [[_axis(point, axis) for axis in axes] for point in points]
    word = axes[2:].upper()
    written_points = ", ".join(" ".join(map(repr, row)) for row in rows)
    return shapely.from_wkt(f"LINESTRING {word} ({written_points})")


def _axis(point: Any, axis: str) -> float:
    has_axis = axis in "xy" or getattr(point, f"has_{axis}")
    return float(getattr(point, axis)) if has_axis else 0.0


def add_points(lines: Shapes, points: Shapes, indexes: Any = None) -> list[Any]:
    check_lines("st_addpoint", lines.shapes)
    check_points("st_addpoint", points.shapes)
    found = list[Any]()
    for row, (line, point) in enumerate(zip(lines.shapes, points.shapes, strict=True)):
        old = points_of(line)
        at = position("st_addpoint", -1 if indexes is None else indexes[row], len(old) + 1)
        found.append(_line_of([*old[:at], point, *old[at:]], line))
    return found


def set_points(lines: Shapes, indexes: Any, points: Shapes) -> list[Any]:
    check_lines("st_setpoint", lines.shapes)
    check_points("st_setpoint", points.shapes)
    found = list[Any]()
    for line, index, point in zip(lines.shapes, indexes, points.shapes, strict=True):
        old = points_of(line)
        old[position("st_setpoint", index, len(old))] = point
        found.append(_line_of(old, line))
    return found


def remove_points(lines: Shapes, indexes: Any) -> list[Any]:
    check_kind("st_removepoint", lines.shapes, _LINES)
    found = list[Any]()
    for line, index in zip(lines.shapes, indexes, strict=True):
        old = points_of(line)
        if not old:
            raise invalid("INVALID_TYPE", "st_removepoint takes no empty linestring.")
        at = position("st_removepoint", index, len(old))
        if len(old) < 3:
            raise invalid("INVALID_TYPE", "st_removepoint takes a linestring of three points or more.")
        found.append(_line_of([*old[:at], *old[at + 1 :]], line))
    return found


def polygons_of(outer: Shapes, inner: Any = None) -> list[Any]:
    """Polygons of an outer boundary, and of the inner ones of a list, which are closed lines."""
    found = list[Any]()
    for row, (line, srid) in enumerate(zip(outer.shapes, outer.srids, strict=True)):
        holes = () if inner is None else inner[row].shapes
        check_kind("st_makepolygon", [line, *holes], _LINES)
        for other in () if inner is None else inner[row].srids:
            if other != srid:
                raise different_srids("st_makepolygon", srid, other)
        if line.is_empty and len(holes):
            raise invalid(
                "EMPTY_OUTER_BOUNDARY", "st_makepolygon takes no inner boundaries of an empty outer boundary."
            )
        rings = [] if line.is_empty else [_ring(line, "OUTER"), *(_ring(hole, "INNER") for hole in holes)]
        found.append(_polygon(rings))
    return found


def _ring(line: Any, side: str) -> Any:
    points = points_of(line)
    if len(points) < 4:
        reason = f"TOO_FEW_VERTICES_IN_{side}_BOUNDARY"
        raise invalid(reason, f"st_makepolygon takes boundaries of four points or more, and none of {len(points)}.")
    if points[0] != points[-1]:
        raise invalid(f"{side}_BOUNDARY_NOT_CLOSED", "st_makepolygon takes lines that end where they begin.")
    return line


def _polygon(rings: Sequence[Any]) -> Any:
    """A polygon with the axes that all of its rings have."""
    if not rings:
        return shapely.Polygon()
    axes = "xy" + "z" * all(ring.has_z for ring in rings) + "m" * all(ring.has_m for ring in rings)
    lines = [
        ", ".join(" ".join(repr(_axis(point, axis)) for axis in axes) for point in points_of(ring)) for ring in rings
    ]
    return shapely.from_wkt(f"POLYGON {axes[2:].upper()} ({', '.join(f'({line})' for line in lines)})")


# New shapes


def arranged(shape: Any) -> Any:
    """A computed shape in a fixed order: points by place, then lines, then polygons with counterclockwise rings."""
    flat = shapely.force_2d(shape)
    kinds: dict[str, list[Any]] = {"Point": [], "LineString": [], "Polygon": []}
    for part in _single_parts(flat):
        kinds[part.geom_type].append(part)
    kinds["Point"].sort(key=lambda point: (point.x, point.y))
    kinds["Polygon"] = [_turned(polygon) for polygon in kinds["Polygon"]]
    makers = {"Point": shapely.MultiPoint, "LineString": shapely.MultiLineString, "Polygon": shapely.MultiPolygon}
    parts = [parts[0] if len(parts) == 1 else makers[kind](parts) for kind, parts in kinds.items() if parts]
    return flat if not parts else parts[0] if len(parts) == 1 else shapely.GeometryCollection(parts)


def _single_parts(shape: Any) -> list[Any]:
    if shape.is_empty:
        return []
    return [part for item in shape.geoms for part in _single_parts(item)] if hasattr(shape, "geoms") else [shape]


def _turned(polygon: Any) -> Any:
    def ring(line: Any, *, left: bool) -> list[Any]:
        corners = list(line.coords)[:-1]
        corners = corners if shapely.is_ccw(line) == left else corners[::-1]
        first = corners.index(min(corners))
        return [*corners[first:], *corners[:first], corners[first]]

    return shapely.Polygon(ring(polygon.exterior, left=True), [ring(hole, left=False) for hole in polygon.interiors])


def overlaid(function: Callable[..., Any], one: Shapes, other: Shapes) -> list[Any]:
    return [arranged(shape) for shape in function(shapely.force_2d(one.shapes), shapely.force_2d(other.shapes))]


def boxes(shapes: Any) -> list[Any]:
    """The box around each shape: a point or a line where it has no area, and the shape itself where it is empty."""
    return [shape if shape.is_empty else box(*shapely.bounds(shape)) for shape in shapes]


def simplified(shapes: Shapes, tolerances: Any) -> list[Any]:
    """Shapes without M coordinates and without points that are nearer to the rest than the tolerance."""
    flat = [without_m(shape) for shape in shapes.shapes]
    return [
        shapely.simplify(shape, float(far), preserve_topology=False)
        for shape, far in zip(flat, tolerances, strict=True)
    ]


def closest_points(one: Shapes, other: Shapes) -> list[Any]:
    lines = shapely.shortest_line(shapely.force_2d(one.shapes), shapely.force_2d(other.shapes))
    return [shapely.Point() if line is None or line.is_empty else shapely.get_point(line, 0) for line in lines]


def union_of(values: Any) -> tuple[list[Any], list[int]]:
    """The unions of lists of shapes; None for a list without any."""
    srids = [common_srid("st_union_agg", shapes) for shapes in values]
    flat = [shapely.force_2d(shapes.shapes) for shapes in values]
    return [arranged(shapely.union_all(shapes)) if len(shapes) else None for shapes in flat], srids


def box_of(values: Any) -> tuple[list[Any], list[int]]:
    """The boxes around lists of shapes; None for a list without any."""
    srids = [common_srid("st_envelope_agg", shapes) for shapes in values]
    return [boxes([shapely.GeometryCollection(list(s.shapes))])[0] if len(s.shapes) else None for s in values], srids


def _collected(values: Any) -> tuple[list[Any], list[int]]:
    for shapes in values:
        common_srid("st_collect", shapes)
    return collected(values)


def lines_of(values: Any) -> tuple[list[Any], list[int]]:
    """Lines through the points of lists of shapes."""
    found, srids = list[Any](), list[int]()
    for shapes in values:
        check_kind("st_makeline", shapes.shapes, ("Point", "LineString", "MultiPoint"))
        points = [point for shape in shapes.shapes for point in _points_in(shape)]
        axes = [bool(any(getattr(shape, axis) for shape in shapes.shapes)) for axis in ("has_z", "has_m")]
        if any(axes):
            raise invalid("INVALID_TYPE", "st_makeline takes shapes with two coordinates here.")
        found.append(shapely.LineString([*points, points[0]] if len(points) == 1 else points))
        srids.append(common_srid("st_makeline", shapes))
    return found, srids


def _points_in(shape: Any) -> list[Any]:
    parts = shape.geoms if shape.geom_type == "MultiPoint" else [shape]
    return [tuple(point) for part in parts if not part.is_empty for point in shapely.get_coordinates(part)]


def several(shapes: Shapes) -> list[Any]:
    """Points, lines and polygons as collections of one."""
    makers = {"Point": shapely.multipoints, "LineString": shapely.multilinestrings, "Polygon": shapely.multipolygons}
    return [
        makers[shape.geom_type]([shape]) if shape.geom_type in makers and not shape.is_empty else shape
        for shape in shapes.shapes
    ]


def dumped(shapes: Shapes) -> list[list[Any]]:
    return [_single_parts(shape) for shape in shapes.shapes]


def moved(change: Callable[..., Any]) -> Callable[..., list[Any]]:
    """A function that changes the coordinates of each shape, and the Z coordinates of those that have one."""

    def code(shapes: Shapes, *others: Any) -> list[Any]:
        return [
            shape if shape.is_empty else change(shape, *row) for shape, *row in zip(shapes.shapes, *others, strict=True)
        ]

    return code


def _scaled(shape: Any, x: float, y: float, z: float = 1.0) -> Any:
    return _mapped(shape, lambda points: points * _factors(points, x, y, z))


def _translated(shape: Any, x: float, y: float, z: float = 0.0) -> Any:
    return _mapped(shape, lambda points: points + np.array([x, y, z, 0.0])[: points.shape[1]])


def _factors(points: Any, x: float, y: float, z: float) -> Any:
    return np.array([x, y, z])[: points.shape[1]]


def _mapped(shape: Any, change: Callable[[Any], Any]) -> Any:
    if shape.has_m:
        raise invalid("INVALID_TYPE", "Shapes with M coordinates are not supported here: st_force2d(shape) drops them.")
    return shapely.transform(shape, change, include_z=bool(shape.has_z))


def _flat(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of shapely over shapes without their Z and M coordinates."""
    return lambda shapes, *others: function(shapely.force_2d(shapes.shapes), *others)


def _numbers(function: Callable[..., Any]) -> Callable[..., Any]:
    """As `_flat`, for numbers: a value that is none is NULL."""

    def code(*values: Any) -> list[float | None]:
        found = function(*(shapely.force_2d(item.shapes) if isinstance(item, Shapes) else item for item in values))
        return [None if np.isnan(number) else float(number) for number in found]

    return code


def _truths(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda one, other: [bool(truth) for truth in function(one.shapes, other.shapes)]


def _by_kind(plane: Callable[..., Any], globe: Callable[..., Any]) -> Callable[..., Any]:
    """A function of GEOMETRYs or of GEOGRAPHYs."""
    return lambda shapes, *others: (globe if shapes.kind == "GEOGRAPHY" else plane)(shapes, *others)


def _of_written(globe: Callable[[Shapes], Any]) -> Callable[[Any], Any]:
    """A function of GEOGRAPHYs as one of their texts or bytes."""
    read = parsed(any_shape, globe=True)

    def code(values: Any) -> Any:
        shapes, srids = read(values)
        return globe(Shapes(shapes, srids, "GEOGRAPHY"))

    return code


def _lengths(shapes: Any) -> Any:
    """The lengths of lines: polygons have a perimeter instead."""
    return np.array([_length(shape, ("LineString",)) for shape in shapes])


def _perimeters(shapes: Any) -> Any:
    return np.array([_length(shape, ("Polygon",)) for shape in shapes])


def _length(shape: Any, kinds: Sequence[str]) -> float:
    return float(sum(part.length for part in _single_parts(shape) if part.geom_type in kinds))


def _points(x: Any, y: Any, *_: Any) -> tuple[list[Any], int]:
    return [shapely.Point(float(one), float(other)) for one, other in zip(x, y, strict=True)], 0


def _point_counts(shapes: Shapes) -> list[int]:
    return [len(shapely.get_coordinates(shape)) for shape in shapes.shapes]


def _rotated(shape: Any, angle: float) -> Any:
    if shape.has_m:
        raise invalid("INVALID_TYPE", "st_rotate takes no shape with M coordinates: st_force2d(shape) drops them.")
    return affinity.rotate(shape, angle, origin=(0, 0), use_radians=True)


def _flipped(shape: Any) -> Any:
    return _mapped(shape, lambda points: points[:, [1, 0, 2][: points.shape[1]]])


def _of_formats() -> dict[str, ShapeFunction]:
    """Functions between shapes and texts or bytes."""
    text, binary = pa.string(), pa.binary()
    takes_text, any_text = (texts, integers), (texts_or_bytes,)
    return {
        **dict.fromkeys(("st_geomfromtext", "st_geomfromwkt"), ShapeFunction(parsed(_plain_wkt), takes_text)),
        **dict.fromkeys(("st_geogfromtext", "st_geogfromwkt"), ShapeFunction(parsed(_plain_wkt, globe=True), (texts,))),
        "st_geomfromewkt": ShapeFunction(parsed(any_shape), (texts,)),
        "st_geogfromewkt": ShapeFunction(parsed(any_shape, globe=True), (texts,)),
        "st_geomfromewkb": ShapeFunction(parsed(_extended), (binaries,)),
        "st_geomfromgeojson": ShapeFunction(parsed(_json), (texts,)),
        "st_geogfromgeojson": ShapeFunction(parsed(_json, globe=True), (texts,)),
        "to_geometry": ShapeFunction(parsed(any_shape), any_text),
        "try_to_geometry": ShapeFunction(parsed(any_shape, safe=True), any_text),
        "to_geography": ShapeFunction(parsed(any_shape, globe=True), any_text),
        "try_to_geography": ShapeFunction(parsed(any_shape, globe=True, safe=True), any_text),
        "st_geomfromgeohash": ShapeFunction(
            lambda values: ([box(*corners) for corners in hash_boxes(values)], 0), (texts,)
        ),
        "st_pointfromgeohash": ShapeFunction(
            lambda values: ([shapely.Point((a + c) / 2, (b + d) / 2) for a, b, c, d in hash_boxes(values)], 0), (texts,)
        ),
        "st_point": ShapeFunction(_points, (doubles, doubles, integers)),
        "st_makepoint": ShapeFunction(made_points, (doubles,) * 4),
        "st_makeenvelope": ShapeFunction(made_envelopes, (doubles,) * 4),
        **dict.fromkeys(("st_astext", "st_aswkt"), ShapeFunction(lambda shapes: wkt(shapes.shapes), (_BOTH,), text)),
        "st_asewkt": ShapeFunction(ewkt, (_BOTH,), text),
        "st_asewkb": ShapeFunction(ewkb, (_PLANE, texts), binary),
        "st_asgeojson": ShapeFunction(lambda shapes: [geojson(shape) for shape in shapes.shapes], (_BOTH,), text),
        "st_geohash": ShapeFunction(geohashes, (_PLANE, integers), text),
    }


def _of_parts() -> dict[str, ShapeFunction]:
    """Functions that give parts and properties of shapes."""
    number, count, yes = pa.float64(), pa.int32(), pa.bool_()
    table = {
        "st_ndims": ShapeFunction(ndims, (_BOTH,), count),
        "st_dimension": ShapeFunction(lambda shapes: map(int, shapely.get_dimensions(shapes.shapes)), (_BOTH,), count),
        "st_geometrytype": ShapeFunction(type_names, (_BOTH,), pa.string()),
        **dict.fromkeys(("st_npoints", "st_numpoints"), ShapeFunction(_point_counts, (_BOTH,), count)),
        "st_numinteriorrings": ShapeFunction(number_of_holes, (_BOTH,), count),
        "st_isempty": ShapeFunction(lambda shapes: map(bool, shapely.is_empty(shapes.shapes)), (_BOTH,), yes),
        "st_isvalid": ShapeFunction(lambda shapes: map(bool, shapely.is_valid(shapes.shapes)), (_PLANE,), yes),
        "st_nrings": ShapeFunction(ring_counts, (_BOTH,), count),
        "st_startpoint": ShapeFunction(partial(end_point, "st_startpoint", 0), (_BOTH,)),
        "st_endpoint": ShapeFunction(partial(end_point, "st_endpoint", -1), (_BOTH,)),
        "st_pointn": ShapeFunction(point_n, (_BOTH, integers)),
        "st_exteriorring": ShapeFunction(exterior_rings, (_BOTH,)),
        "st_interiorringn": ShapeFunction(interior_ring_n, (_PLANE, integers)),
        "st_numgeometries": ShapeFunction(lambda shapes: [len(_elements(s)) for s in shapes.shapes], (_PLANE,), count),
        "st_geometryn": ShapeFunction(element_n, (_PLANE, integers)),
        "st_boundary": ShapeFunction(boundaries),
        "st_dump": ShapeFunction(dumped),
        "st_addpoint": ShapeFunction(add_points, (_BOTH, _BOTH, integers)),
        "st_setpoint": ShapeFunction(set_points, (_BOTH, integers, _BOTH)),
        "st_removepoint": ShapeFunction(remove_points, (_BOTH, integers)),
    }
    for axis in "xyzm":
        name = f"st_{axis}"
        table[name] = ShapeFunction(partial(coordinate, name, axis), (_BOTH,), number)
    for axis in "xyz":
        table[f"st_{axis}min"] = ShapeFunction(partial(bound, axis, True), (_PLANE,), number)
        table[f"st_{axis}max"] = ShapeFunction(partial(bound, axis, False), (_PLANE,), number)
    return table


def _of_measures() -> dict[str, ShapeFunction]:
    """Functions that compare and measure shapes."""
    number, two = pa.float64(), (_PLANE, _PLANE)
    table = {
        "st_area": ShapeFunction(_by_kind(_numbers(shapely.area), geodesic_areas), (_BOTH,), number),
        "st_length": ShapeFunction(_by_kind(_numbers(_lengths), geodesic_lengths), (_BOTH,), number),
        "st_perimeter": ShapeFunction(_by_kind(_numbers(_perimeters), geodesic_perimeters), (_BOTH,), number),
        "st_geogarea": ShapeFunction(_of_written(geodesic_areas), (texts_or_bytes,), number),
        "st_geoglength": ShapeFunction(_of_written(geodesic_lengths), (texts_or_bytes,), number),
        "st_geogperimeter": ShapeFunction(_of_written(geodesic_perimeters), (texts_or_bytes,), number),
        "st_estimatesrid": ShapeFunction(best_srids, (_PLANE,), pa.int32()),
        "st_distance": ShapeFunction(_numbers(shapely.distance), two, number),
        "st_distancesphere": ShapeFunction(sphere_distances, two, number),
        "st_distancespheroid": ShapeFunction(spheroid_distances, two, number),
        "st_azimuth": ShapeFunction(azimuths, (_BOTH, _BOTH), number),
        "st_dwithin": ShapeFunction(
            lambda one, other, far: map(bool, shapely.dwithin(one.shapes, other.shapes, far.astype(float))),
            (_PLANE, _PLANE, doubles),
            pa.bool_(),
        ),
    }
    names = {"coveredby": "covered_by"}
    for word in ("contains", "coveredby", "covers", "disjoint", "equals", "intersects", "touches", "within"):
        table[f"st_{word}"] = ShapeFunction(_truths(getattr(shapely, names.get(word, word))), two, pa.bool_())
    return table


def _of_constructions() -> dict[str, ShapeFunction]:
    """Functions that give new shapes."""
    table = {
        "st_buffer": ShapeFunction(
            lambda shapes, r: shapely.buffer(shapely.force_2d(shapes.shapes), r.astype(float)), (_PLANE, doubles)
        ),
        "st_centroid": ShapeFunction(_flat(shapely.centroid)),
        "st_convexhull": ShapeFunction(
            lambda shapes: map(arranged, shapely.convex_hull(shapely.force_2d(shapes.shapes)))
        ),
        "st_envelope": ShapeFunction(lambda shapes: boxes(shapes.shapes)),
        "st_force2d": ShapeFunction(lambda shapes: shapely.force_2d(shapes.shapes)),
        "st_reverse": ShapeFunction(lambda shapes: shapely.reverse(shapes.shapes), (_BOTH,)),
        "st_flipcoordinates": ShapeFunction(moved(_flipped)),
        "st_multi": ShapeFunction(several, (_BOTH,)),
        "st_collect": ShapeFunction(_collected, (partial(lists, kinds=_BOTH),)),
        "st_concavehull": ShapeFunction(concave_hulls, (_PLANE, doubles, booleans)),
        "st_pointonsurface": ShapeFunction(points_on_surfaces),
        "st_rotate": ShapeFunction(moved(_rotated), (_PLANE, doubles)),
        "st_scale": ShapeFunction(moved(_scaled), (_PLANE, doubles, doubles, doubles)),
        "st_translate": ShapeFunction(moved(_translated), (_PLANE, doubles, doubles, doubles)),
        "st_makeline": ShapeFunction(lines_of, (lists,)),
        "st_makepolygon": ShapeFunction(polygons_of, (_PLANE, lists)),
        "st_simplify": ShapeFunction(simplified, (_PLANE, doubles)),
        "st_closestpoint": ShapeFunction(closest_points, (_PLANE, _PLANE)),
        "st_transform": ShapeFunction(transformed, (_PLANE, integers)),
        "st_union_agg": ShapeFunction(union_of, (lists,)),
        "st_envelope_agg": ShapeFunction(box_of, (lists,)),
    }
    for word in ("difference", "intersection", "union"):
        table[f"st_{word}"] = ShapeFunction(partial(overlaid, getattr(shapely, word)), (_PLANE, _PLANE))
    table["st_symdifference"] = ShapeFunction(partial(overlaid, shapely.symmetric_difference), (_PLANE, _PLANE))
    return table


def functions(returns: Mapping[str, str]) -> dict[str, Callable[..., Column]]:
    """The functions of Arrow columns by their names in SQL, which `returns` has with the types of their results."""
    table = {**_of_formats(), **_of_parts(), **_of_measures(), **_of_constructions()}
    return {name: computed(name, function, returns[name]) for name, function in table.items()}
