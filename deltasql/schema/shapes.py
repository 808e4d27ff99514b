"""The types GEOMETRY(srid) and GEOGRAPHY(srid), whose values are shapes in a coordinate system.

A type is called by the number of its system in SQL, and here: `geometry(4326)`. Logs and Parquet have the name that an
authority gave the system: `geometry(OGC:CRS84)`, and for GEOGRAPHY how points are joined by edges as well:
`geography(OGC:CRS84, spherical)`. `any` in place of a number is a type of queries, whose values have several systems.
Source: Delta protocol, RFC Geospatial types. The systems are those of PySpark 4.2.
"""

from __future__ import annotations

import re

from deltasql.schema.types import ArrayType, DataType, MapType, PrimitiveType, StructType

GEOMETRY, GEOGRAPHY = "geometry", "geography"
SPHERICAL = "spherical"
"""How points of a GEOGRAPHY are joined: by the shortest way on a sphere. PySpark has the word in capital letters."""
_SYSTEMS = {
    GEOMETRY: {"0": "SRID:0", "3857": "EPSG:3857", "4326": "OGC:CRS84"},
    GEOGRAPHY: {"4326": "OGC:CRS84"},
}
"""The name of each coordinate system by its number."""
_ANY = "any"
_NAMED = {"OGC:CRS84": "4326", "EPSG:4326": "4326", "EPSG:3857": "3857"}
"""The numbers of systems by their names; `SRID:n` is number n. Coordinates of all are x before y."""
_TOKEN = re.compile(rf"({GEOMETRY}|{GEOGRAPHY})(?:\(\s*([\w:]+)\s*(?:,\s*(\w+)\s*)?\))?", re.ASCII | re.IGNORECASE)
_TYPE = re.compile(rf"({GEOMETRY}|{GEOGRAPHY})\((\w+)\)", re.ASCII)

STORED_SHAPES = frozenset(f"{kind}({srid})" for kind, systems in _SYSTEMS.items() for srid in systems)
"""The names of the types that a column of a table may have."""
UNSTORED_SHAPES = frozenset(f"{kind}({_ANY})" for kind in _SYSTEMS)


def shape_type(kind: str, srid: int | str) -> PrimitiveType | None:
    """The type GEOMETRY or GEOGRAPHY of a coordinate system, or of `any`; None for a system that is not known."""
    text = str(srid).lower()
    return PrimitiveType(f"{kind.lower()}({text})") if text in {_ANY, *_SYSTEMS[kind.lower()]} else None


def known_systems(kind: str) -> tuple[str, ...]:
    """The numbers of the coordinate systems that GEOMETRY or GEOGRAPHY has."""
    return tuple(_SYSTEMS[kind.lower()])


def shape_parts(data_type: DataType) -> tuple[str, str] | None:
    """`geometry` or `geography`, and the number of the coordinate system or `any`; None for any other type."""
    found = _TYPE.fullmatch(data_type.name) if isinstance(data_type, PrimitiveType) else None
    return None if found is None else (found[1], found[2])


def is_shape(data_type: DataType) -> bool:
    """Whether the type is GEOMETRY or GEOGRAPHY."""
    return shape_parts(data_type) is not None


def has_shapes(data_type: DataType) -> bool:
    """Whether a type is GEOMETRY or GEOGRAPHY, or has one inside."""
    match data_type:
        case StructType(fields):
            return any(has_shapes(item.type) for item in fields)
        case ArrayType(element):
            return has_shapes(element)
        case MapType(key, value):
            return has_shapes(key) or has_shapes(value)
        case _:
            return is_shape(data_type)


def shape_from_token(token: str) -> PrimitiveType | None:
    """The type of a token of schema JSON; None for another type, an unknown system, or edges that are not spherical."""
    found = _TOKEN.fullmatch(token)
    if found is None or (found[3] or SPHERICAL).lower() != SPHERICAL:
        return None
    system = (found[2] or "OGC:CRS84").upper()
    return shape_type(found[1], _NAMED.get(system) or system.removeprefix("SRID:"))


def shape_token(data_type: PrimitiveType) -> str | None:
    """The token of the type in schema JSON; None for any other type."""
    parts = shape_parts(data_type)
    if parts is None:
        return None
    kind, srid = parts
    system = _SYSTEMS[kind].get(srid, f"SRID:{srid.upper()}")
    return f"{kind}({system}, {SPHERICAL})" if kind == GEOGRAPHY else f"{kind}({system})"
