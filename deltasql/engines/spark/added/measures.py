"""Measures on the globe, by the package pyproj where it is an ellipsoid; other coordinate systems; geohashes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import shapely

from deltasql.engines.spark.added.shape_values import Shapes
from deltasql.engines.spark.added.values import RaisedError

_RADIUS = 6371008.771415059
"""The mean radius of the ellipsoid WGS84, in meters."""
_ALPHABET = "0123456789bcdefghjkmnpqrstuvwxyz"
_LONGEST = 12


def _globe() -> Any:
    from pyproj import Geod

    return Geod(ellps="WGS84")


def _parts(shape: Any, kind: str) -> list[Any]:
    if hasattr(shape, "geoms"):
        return [part for item in shape.geoms for part in _parts(item, kind)]
    return [shape] if shape.geom_type == kind and not shape.is_empty else []


def geodesic_areas(shapes: Shapes) -> list[float]:
    """Areas in square meters."""
    globe = _globe()

    def of_ring(ring: Any) -> float:
        return float(abs(globe.polygon_area_perimeter(*ring.coords.xy)[0]))

    return [
        sum(of_ring(part.exterior) - sum(map(of_ring, part.interiors)) for part in _parts(shape, "Polygon"))
        for shape in shapes.shapes
    ]


def geodesic_lengths(shapes: Shapes) -> list[float]:
    """Lengths of lines, in meters."""
    globe = _globe()
    return [sum(globe.line_length(*part.coords.xy) for part in _parts(shape, "LineString")) for shape in shapes.shapes]


def geodesic_perimeters(shapes: Shapes) -> list[float]:
    """Lengths of the rings of polygons, in meters."""
    globe = _globe()
    rings = (
        [ring for part in _parts(shape, "Polygon") for ring in (part.exterior, *part.interiors)]
        for shape in shapes.shapes
    )
    return [sum(globe.line_length(*ring.coords.xy) for ring in found) for found in rings]


def _pairs(name: str, one: Shapes, other: Shapes) -> Iterable[tuple[float, float, float, float] | None]:
    """Coordinates of pairs of points; None where one is empty. Raises RaisedError for other shapes."""
    for first, second in zip(one.shapes, other.shapes, strict=True):
        for shape in (first, second):
            if shape.geom_type != "Point":
                text = f"{name} takes a ST_Point, and no ST_{shape.geom_type}."
                raise RaisedError("ST_INVALID_ARGUMENT.INVALID_TYPE", text)
        yield None if first.is_empty or second.is_empty else (first.x, first.y, second.x, second.y)


def sphere_distances(one: Shapes, other: Shapes) -> list[float | None]:
    """Distances in meters on a sphere."""
    found = list[float | None]()
    for pair in _pairs("st_distancesphere", one, other):
        if pair is None:
            found.append(None)
            continue
        x, y, far_x, far_y = map(math.radians, pair)
        half = math.sin((far_y - y) / 2) ** 2 + math.cos(y) * math.cos(far_y) * math.sin((far_x - x) / 2) ** 2
        found.append(2 * _RADIUS * math.asin(min(1.0, math.sqrt(half))))
    return found


def spheroid_distances(one: Shapes, other: Shapes) -> list[float | None]:
    """Distances in meters on the ellipsoid."""
    globe = _globe()
    pairs = _pairs("st_distancespheroid", one, other)
    return [None if pair is None else float(globe.inv(*pair)[2]) for pair in pairs]


def azimuths(one: Shapes, other: Shapes) -> list[float | None]:
    """Directions in radians, clockwise from north."""
    globe = _globe() if one.kind == "GEOGRAPHY" else None
    found = list[float | None]()
    for pair in _pairs("st_azimuth", one, other):
        if pair is None:
            found.append(None)
            continue
        x, y, far_x, far_y = pair
        is_same = (x, y) == (far_x, far_y)
        angle = math.radians(globe.inv(*pair)[0]) if globe else math.atan2(far_x - x, far_y - y)
        found.append(0.0 if is_same else angle % math.tau)
    return found


def transformed(shapes: Shapes, srids: Any) -> tuple[list[Any], list[int]]:
    """Shapes in other coordinate systems, which have x before y. Raises RaisedError for an unknown one."""
    from pyproj import Transformer
    from pyproj.exceptions import ProjError

    found = list[Any]()
    for shape, source, target in zip(shapes.shapes, shapes.srids, srids, strict=True):
        unknown = next((srid for srid in (source, target) if srid <= 0), None)
        if unknown is not None:
            raise _unknown(unknown)
        try:
            change = Transformer.from_crs(int(source), int(target), always_xy=True)
        except ProjError:
            raise _unknown(target) from None
        if shape.has_m:
            text = "st_transform takes no shape with M coordinates: st_force2d(shape) drops them."
            raise RaisedError("ST_INVALID_ARGUMENT.INVALID_TYPE", text)
        found.append(shapely.transform(shape, change.transform, include_z=bool(shape.has_z), interleaved=False))
    return found, [int(srid) for srid in srids]


def _unknown(srid: int) -> RaisedError:
    return RaisedError("ST_INVALID_SRID_VALUE", f"Invalid or unsupported SRID value: {srid}")


def best_srids(shapes: Shapes) -> list[int | None]:
    """The zones of UTM, or of UPS around the poles, at the centers of the boxes around shapes; None for empty ones."""
    found = list[int | None]()
    for shape in shapes.shapes:
        if shape.is_empty:
            found.append(None)
            continue
        x, y, right, top = map(float, shapely.bounds(shape))
        _check_degrees("st_estimatesrid", (x, right), (y, top))
        longitude, latitude = (x + right) / 2, (y + top) / 2
        zone = min(60, int((longitude + 180) // 6) + 1)
        south = 100 * (latitude < 0)
        found.append(32661 if latitude >= 84 else 32761 if latitude < -80 else 32600 + south + zone)
    return found


def _check_degrees(name: str, longitudes: Iterable[float], latitudes: Iterable[float]) -> None:
    """Raises RaisedError for numbers that are no degrees."""
    for values, limit, word in ((longitudes, 180, "LONGITUDE"), (latitudes, 90, "LATITUDE")):
        if not all(-limit <= value <= limit for value in values):
            text = f"{name} takes a {word.lower()} from -{limit} to {limit}."
            raise RaisedError(f"ST_INVALID_ARGUMENT.{word}_OUT_OF_BOUNDS", text)


def hash_boxes(hashes: Iterable[str]) -> list[tuple[float, float, float, float]]:
    """The boxes of geohashes: least and greatest longitude and latitude. Raises RaisedError for other texts."""
    found = []
    for text in hashes:
        sides = [[-180.0, 180.0], [-90.0, 90.0]]
        for at, bit in enumerate(_bits(text)):
            side = sides[at % 2]
            side[1 - bit] = (side[0] + side[1]) / 2
        (x, right), (y, top) = sides
        found.append((x, y, right, top))
    return found


def _bits(text: str) -> Iterable[int]:
    for character in text.lower():
        value = _ALPHABET.find(character)
        if value < 0:
            message = f"'{text}' is no geohash: it has the character '{character}'."
            raise RaisedError("ST_INVALID_ARGUMENT.INVALID_GEOHASH", message)
        yield from (value >> shift & 1 for shift in range(4, -1, -1))


def geohashes(shapes: Shapes, precisions: Any = None) -> list[str | None]:
    """Geohashes with so many characters; without a number, or with a negative one, as many as cover the shape."""
    return [_geohash(shape, -1 if precisions is None else precisions[row]) for row, shape in enumerate(shapes.shapes)]


def _geohash(shape: Any, precision: int) -> str | None:
    if shape.is_empty:
        return None
    x, y, right, top = map(float, shapely.bounds(shape))
    _check_degrees("st_geohash", (x, right), (y, top))
    if precision >= 0:
        return _hash((x + right) / 2, (y + top) / 2, precision)
    one, other = _hash(x, y, _LONGEST), _hash(right, top, _LONGEST)
    length = next((at for at, pair in enumerate(zip(one, other, strict=True)) if pair[0] != pair[1]), _LONGEST)
    return one[:length]


def _hash(x: float, y: float, length: int) -> str:
    sides, places = [[-180.0, 180.0], [-90.0, 90.0]], (x, y)
    characters = []
    for first in range(0, length * 5, 5):
        value = 0
        for at in range(first, first + 5):
            side, place = sides[at % 2], places[at % 2]
            middle = (side[0] + side[1]) / 2
            bit = int(place >= middle)
            side[1 - bit] = middle
            value = value << 1 | bit
        characters.append(_ALPHABET[value])
    return "".join(characters)
