"""Shapes in WKT, GeoJSON and WKB, as the package shapely reads and writes them, and in Arrow.

A GEOMETRY or a GEOGRAPHY is a struct in Arrow: the number of its coordinate system, and its WKB.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import shapely

from deltasql.engines.spark.added.values import Column, RaisedError, unfit

_DEGREES = 4326
_EWKT = re.compile(r"\s*SRID=(\d+);", re.IGNORECASE)
_BEFORE_BRACKET = re.compile(r"([A-Z]{5,}) \(")
_BARE_POINTS = re.compile(r"(MULTIPOINT\s*(?:ZM|Z|M)?\s*)\(([^()]+)\)", re.IGNORECASE)
_ERRORS = (shapely.errors.GEOSException, TypeError, ValueError)


class ShapeError(Exception):
    """A text or some bytes are no shape, or not one that a function takes; the text says why."""

    def raised(self, written: str | bytes) -> RaisedError:
        """The error of the condition for the format."""
        kind = "WKB" if isinstance(written, bytes) else "GeoJSON" if is_json(written) else "WKT"
        return RaisedError(f"{kind.upper()}_PARSE_ERROR", f"Error parsing {kind}: {self}")


@dataclass(frozen=True)
class Shapes:
    """The shapes of an argument, one for each row, with their coordinate systems.

    `kind` is GEOMETRY or GEOGRAPHY, and `typed_srid` the coordinate system that the type says: 0 where it is ANY.
    """

    shapes: Any
    srids: Any
    kind: str = "GEOMETRY"
    typed_srid: int = 0

    @property
    def absent(self) -> Any:
        """For each row whether it is NULL."""
        return np.array([shape is None for shape in self.shapes], dtype=bool)

    def at(self, rows: Any) -> Shapes:
        """Those of some rows."""
        return Shapes(self.shapes[rows], self.srids[rows], self.kind, self.typed_srid)


def is_json(text: str) -> bool:
    return text.lstrip().startswith("{")


def planar_shapes(written: str | bytes) -> Any:
    """The shape of a WKT, a GeoJSON or a WKB. Raises ShapeError."""
    if isinstance(written, bytes):
        return from_wkb(written)
    return from_geojson(written) if is_json(written) else from_wkt(written)


def from_wkb(written: bytes) -> Any:
    try:
        return shapely.from_wkb(written)
    except _ERRORS as error:
        raise ShapeError(_reason(error)) from None


def from_wkt(written: str) -> Any:
    try:
        return shapely.from_wkt(_BARE_POINTS.sub(_with_brackets, written))
    except _ERRORS as error:
        raise ShapeError(_reason(error)) from None


def _with_brackets(points: re.Match[str]) -> str:
    """A multipoint whose points have brackets, without which the package reads no empty one among them."""
    parts = (part.strip() for part in points[2].split(","))
    return f"{points[1]}({', '.join(part if part.upper() == 'EMPTY' else f'({part})' for part in parts)})"


def from_geojson(written: str) -> Any:
    """The shape of a GeoJSON object that is a geometry."""
    try:
        node = json.loads(written)
        if not isinstance(node, dict) or node.get("type") in {"Feature", "FeatureCollection"}:
            raise ShapeError("it is no geometry")
        return shapely.from_geojson(written)
    except _ERRORS as error:
        raise ShapeError(_reason(error)) from None


def _reason(error: Exception) -> str:
    """The message of an error, without the name of its class."""
    text = str(error).partition("\n")[0].replace("|", "/")
    return text.removeprefix("ParseException: ").removeprefix("IllegalArgumentException: ") or "it is no shape"


def any_shape(written: str | bytes) -> tuple[Any, int]:
    """The shape of a WKT, EWKT, GeoJSON, WKB or EWKB, and its coordinate system. Raises ShapeError."""
    if isinstance(written, bytes):
        shape = from_wkb(written)
        return shape, int(shapely.get_srid(shape))
    if is_json(written):
        return from_geojson(written), _DEGREES
    known = _EWKT.match(written)
    return from_wkt(written[known.end() :] if known else written), int(known[1]) if known else 0


def on_the_globe(shape: Any) -> Any:
    """The shape, whose coordinates are longitudes and latitudes. Raises ShapeError for one beyond their bounds."""
    for x, y in shapely.get_coordinates(shape):
        if not (-180 <= x <= 180 and -90 <= y <= 90):
            raise ShapeError(f"Invalid coordinate value '{_number(y if -180 <= x <= 180 else x)}'")
    return shape


def without_m(shape: Any) -> Any:
    if not shape.has_m:
        return shape
    return shapely.from_wkb(shapely.to_wkb(shape, output_dimension=3)) if shape.has_z else shapely.force_2d(shape)


def wkt(shapes: Any) -> list[str]:
    """The shapes in WKT, without blanks that need not be there."""
    texts = shapely.to_wkt(shapes, rounding_precision=-1, trim=True, output_dimension=4)
    return [_BEFORE_BRACKET.sub(r"\1(", text).replace(", ", ",") for text in texts]


def geojson(shape: Any) -> str:
    """The shape as a GeoJSON object, without M coordinates."""
    kind = shape.geom_type
    if kind == "GeometryCollection":
        return f'{{"type":"{kind}","geometries":[{",".join(map(geojson, shape.geoms))}]}}'
    return f'{{"type":"{kind}","coordinates":{_coordinates(shape)}}}'


def _coordinates(shape: Any) -> str:
    if shape.geom_type == "Point":
        return "[]" if shape.is_empty else _positions(shape)[0]
    if shape.geom_type in {"LineString", "LinearRing"}:
        return f"[{','.join(_positions(shape))}]"
    if shape.geom_type == "Polygon":
        rings = [] if shape.is_empty else [shape.exterior, *shape.interiors]
        return f"[{','.join(map(_coordinates, rings))}]"
    return f"[{','.join(map(_coordinates, shape.geoms))}]"


def _positions(shape: Any) -> list[str]:
    found = shapely.get_coordinates(shape, include_z=bool(shape.has_z))
    return [f"[{','.join(map(_number, position))}]" for position in found]


def _number(value: float) -> str:
    return repr(int(value)) if float(value).is_integer() and abs(value) < 1e16 else repr(float(value))


def read_shapes(array: Column, argument: str, kinds: Sequence[str]) -> Shapes:
    """An argument of one of the `kinds`: GEOMETRY, GEOGRAPHY."""
    kind = array.type
    if pa.types.is_null(kind):
        return Shapes(np.full(len(array), None, dtype=object), np.zeros(len(array), dtype=int), kinds[0])
    name = kind_of(kind)
    if name not in kinds:
        raise unfit(argument, f"a {' or a '.join(kinds)}", name or kind)
    srids, bytes_ = array.flatten()
    return Shapes(
        shapely.from_wkb(np.array(bytes_.to_pylist(), dtype=object)),
        np.array([number or 0 for number in srids.to_pylist()], dtype=int),
        name,
        _srid_of(kind) if name == "GEOMETRY" else _DEGREES,
    )


def _srid_of(kind: Any) -> int:
    """The coordinate system of a type in Arrow; 0 where it is ANY."""
    return max(0, int((kind.field("wkb").metadata or {}).get(b"srid", b"0")))


def kind_of(kind: Any) -> str:
    """GEOMETRY or GEOGRAPHY for the type of one in Arrow, else an empty text."""
    if not pa.types.is_struct(kind) or {field.name for field in kind} != {"srid", "wkb"}:
        return ""
    metadata = kind.field("wkb").metadata or {}
    return "GEOGRAPHY" if metadata.get(b"geography") == b"true" else "GEOMETRY"


_TYPE = re.compile(r"(GEOMETRY|GEOGRAPHY)\((ANY|\d+)\)")
_ANY = "-1"


def _fields(kind: str) -> list[Any]:
    """The fields in Arrow of a type as it is written in SQL, with the metadata by which Spark knows it."""
    named = _TYPE.search(kind)
    assert named is not None
    known = {named[1].lower().encode(): b"true", b"srid": _ANY if named[2] == "ANY" else named[2]}
    return [pa.field("srid", pa.int32(), False), pa.field("wkb", pa.binary(), False, known)]


def written(shapes: Sequence[Any], srids: Sequence[int], kind: str) -> Column:
    """Shapes, or None, as an Arrow array of a type."""
    texts = shapely.to_wkb(np.array([*shapes, None], dtype=object)[:-1], flavor="iso", byte_order=1, output_dimension=4)
    absent = pa.array([text is None for text in texts], pa.bool_())
    parts = [
        pa.array([int(srid) for srid in srids], pa.int32()),
        pa.array([text or b"" for text in texts], pa.binary()),
    ]
    return pa.StructArray.from_arrays(parts, fields=_fields(kind), mask=absent)


def written_lists(lists: Sequence[Sequence[Any] | None], srids: Sequence[int], kind: str) -> Column:
    """Lists of shapes, or None, as an Arrow array of a type."""
    flat = [shape for shapes in lists for shape in shapes or ()]
    numbers = [srid for shapes, srid in zip(lists, srids, strict=True) for _ in shapes or ()]
    ends = np.cumsum([0, *(len(shapes or ()) for shapes in lists)])
    absent = [*(shapes is None for shapes in lists), False]
    offsets = pa.array([None if gone else int(end) for gone, end in zip(absent, ends, strict=True)], pa.int32())
    return pa.ListArray.from_arrays(offsets, written(flat, numbers, kind))
