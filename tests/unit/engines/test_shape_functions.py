"""Functions of shapes over columns of Arrow, compared with the package shapely."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as some

from deltasql.engines.spark.added.registration import _type
from deltasql.engines.spark.added.shape_values import written
from deltasql.engines.spark.added.shapes import functions
from deltasql.engines.spark.added.values import RaisedError
from deltasql.sql import added_functions
from tests.samples import examples


def of(kind: str) -> dict[str, Any]:
    """The functions, of which those of shapes of either type give the `kind`."""
    known = added_functions().items()
    return functions({name: _type(function.returns.replace("SHAPE", kind)) for name, function in known})


FUNCTIONS = of("GEOMETRY(ANY)")
NAMES = sorted(FUNCTIONS)
EXAMPLES = examples(max_examples=50)

numbers = some.floats(-80, 80).map(lambda number: round(number, 3))
points = some.builds(shapely.Point, numbers, numbers)
boxes = some.builds(
    lambda x, y, width, height: shapely.box(x, y, x + width, y + height),
    numbers,
    numbers,
    some.integers(1, 9),
    some.integers(1, 9),
)
lines = some.lists(some.tuples(numbers, numbers), min_size=2, max_size=5, unique=True).map(shapely.LineString)
shapes = some.one_of(points, boxes, lines)


def column(*values: Any, srid: int = 0, kind: str = "GEOMETRY(0)") -> Any:
    return written(list(values), [srid] * len(values), kind)


def call(name: str, *arguments: Any) -> Any:
    """The value of one row, a shape where the result is one."""
    arrays = [column(item) if isinstance(item, shapely.Geometry) else pa.array([item]) for item in arguments]
    (value,) = FUNCTIONS[name](*arrays).to_pylist()
    return shapely.from_wkb(value["wkb"]) if isinstance(value, dict) else value


@EXAMPLES
@given(shapes)
def test_formats(shape: Any) -> None:
    assert call("st_geomfromtext", call("st_astext", shape)).equals_exact(shape, 0)
    assert call("st_geomfromgeojson", call("st_asgeojson", shape)).equals_exact(shape, 0)
    assert call("to_geometry", call("st_asewkb", shape)).equals_exact(shape, 0)
    assert call("st_asewkt", shape) == call("st_astext", shape)


@EXAMPLES
@given(shapes, shapes)
def test_predicates(one: Any, other: Any) -> None:
    for name in ("contains", "covers", "disjoint", "equals", "intersects", "touches", "within"):
        assert call(f"st_{name}", one, other) is getattr(one, name)(other)
    assert call("st_coveredby", one, other) is one.covered_by(other)
    assert call("st_distance", one, other) == one.distance(other)


@EXAMPLES
@given(boxes, boxes)
def test_overlays(one: Any, other: Any) -> None:
    expected = {
        "st_union": one.union(other),
        "st_intersection": one.intersection(other),
        "st_difference": one.difference(other),
        "st_symdifference": one.symmetric_difference(other),
    }
    for name, shape in expected.items():
        assert call(name, one, other).symmetric_difference(shape).area == pytest.approx(0, abs=1e-9)


@EXAMPLES
@given(some.lists(shapes, min_size=1, max_size=4))
def test_aggregates(some_shapes: list[Any]) -> None:
    values = column(*some_shapes)
    group = pa.ListArray.from_arrays(pa.array([0, len(some_shapes)], pa.int32()), values)
    (box,) = FUNCTIONS["st_envelope_agg"](group).to_pylist()
    bounds = shapely.from_wkb(box["wkb"]).bounds
    assert bounds == shapely.GeometryCollection(some_shapes).bounds
    (union,) = FUNCTIONS["st_union_agg"](group).to_pylist()
    whole = shapely.from_wkb(union["wkb"])
    assert whole.area == pytest.approx(shapely.union_all(some_shapes).area)


@EXAMPLES
@given(points)
def test_geohashes(point: Any) -> None:
    text = call("st_geohash", point, 9)
    box = call("st_geomfromgeohash", text)
    assert box.covers(point)
    assert box.covers(call("st_pointfromgeohash", text))


def arguments_of(name: str) -> list[Any]:
    """Arguments that the function takes."""
    square, line = shapely.box(0, 0, 1, 1), shapely.LineString([(0, 0), (1, 1), (2, 1)])
    if name == "st_interiorringn":
        square = shapely.box(0, 0, 9, 9) - shapely.box(1, 1, 2, 2)
    if name == "st_makepolygon":
        line = shapely.LineString(shapely.box(0, 0, 9, 9).exterior)
    point = name in {"st_x", "st_y", "st_z", "st_m", "st_azimuth", "st_distancesphere", "st_distancespheroid"}
    of_lines = name in {"st_startpoint", "st_endpoint", "st_concavehull"}
    shape = column(shapely.Point(1, 2)) if point else column(line if of_lines else square)
    values = {
        "shape": column(shapely.Point(1, 2), srid=4326, kind="GEOMETRY(4326)") if name == "st_transform" else shape,
        "line": column(line),
        "point": column(shapely.Point(1, 2)),
        "shapes": pa.ListArray.from_arrays(
            pa.array([0, 1], pa.int32()), column(line if name == "st_makepolygon" else shapely.Point(1, 2))
        ),
        "list of shape": pa.ListArray.from_arrays(pa.array([0, 1], pa.int32()), column(shapely.Point(1, 2))),
        "holes": pa.array([True]),
        "order": pa.array(["XDR"]),
        "bytes": pa.array([shapely.to_wkb(square)]),
        "value": pa.array(["POINT(1 2)"]),
        "text": pa.array(["POINT(1 2)"]),
        "srid": pa.array([3857]),
    }
    if "json" in name:
        values["text"] = pa.array(['{"type":"Point","coordinates":[1,2]}'])
    if "geohash" in name:
        values["text"] = pa.array(["9q8yyh"])
    return [values.get(argument, pa.array([1])) for argument in added_functions()[name].arguments]


def taken(name: str) -> list[Any]:
    """As `arguments_of`, as far as the function of Python takes them: the number of a system is for Spark."""
    function = added_functions()[name]
    full = arguments_of(name)
    return full[:-1] if "(srid)" in function.returns and name != "st_transform" else full


@pytest.mark.parametrize("name", NAMES)
def test_null_as_each_argument(name: str) -> None:
    full = taken(name)
    assert FUNCTIONS[name](*full).null_count == (name in {"st_z", "st_m", "st_zmin", "st_zmax"})
    for at in range(len(full)):
        for null in (pa.nulls(1), pa.nulls(1, full[at].type)):
            assert FUNCTIONS[name](*full[:at], null, *full[at + 1 :]).to_pylist() == [None]
    assert FUNCTIONS[name](*(array[:0] for array in full)).to_pylist() == []


@pytest.mark.parametrize("name", NAMES)
def test_each_argument_of_another_type(name: str) -> None:
    full = taken(name)
    for at in range(len(full)):
        nulls = [pa.nulls(1)] * len(full)
        nulls[at] = pa.array([b"?"] if pa.types.is_boolean(full[at].type) else [True])
        with pytest.raises(RaisedError) as raised:
            FUNCTIONS[name](*nulls)
        assert raised.value.condition == "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE"


@pytest.mark.parametrize(
    "name", [name for name in NAMES if added_functions()[name].arguments[:2] == ("shape", "shape")]
)
def test_shapes_of_different_systems(name: str) -> None:
    others = [column(shapely.Point(1, 2)), column(shapely.Point(1, 2), srid=4326, kind="GEOMETRY(4326)")]
    with pytest.raises(RaisedError) as raised:
        FUNCTIONS[name](*others, *taken(name)[2:])
    assert raised.value.condition == "ST_DIFFERENT_SRID_VALUES"


GLOBE = of("GEOGRAPHY(4326)")
EITHER = [name for name in NAMES if added_functions()[name].returns == "SHAPE"]


@pytest.mark.parametrize("name", EITHER)
def test_either_type_of_shapes(name: str) -> None:
    def on_the_globe(array: Any) -> Any:
        if pa.types.is_list(array.type):
            return pa.ListArray.from_arrays(array.offsets, on_the_globe(array.values))
        if not pa.types.is_struct(array.type):
            return array
        shapes_of = [shapely.from_wkb(value["wkb"]) for value in array.to_pylist()]
        return column(*shapes_of, srid=4326, kind="GEOGRAPHY(4326)")

    plane, globe = taken(name), [on_the_globe(array) for array in taken(name)]
    (on_plane,), (on_globe,) = FUNCTIONS[name](*plane).to_pylist(), GLOBE[name](*globe).to_pylist()
    assert (on_plane["wkb"], on_plane["srid"], on_globe["srid"]) == (on_globe["wkb"], 0, 4326)


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        (["POINT(1 2)", None, "POINT EMPTY"], "MULTIPOINT((1 2),EMPTY)"),
        (["LINESTRING(1 2,3 4)", "LINESTRING EMPTY"], "MULTILINESTRING((1 2,3 4),EMPTY)"),
        (["MULTIPOINT((1 2))", "MULTIPOINT((1 2))"], "GEOMETRYCOLLECTION(MULTIPOINT((1 2)),MULTIPOINT((1 2)))"),
        (["POINT ZM (1 2 3 4)", "POINT M (5 6 7)"], "MULTIPOINT M ((1 2 4),(5 6 7))"),
        (["POINT ZM (1 2 3 4)", "POINT Z (5 6 7)"], "MULTIPOINT Z ((1 2 3),(5 6 7))"),
        (["POINT Z (1 2 3)", "POINT M (5 6 7)"], "MULTIPOINT((1 2),(5 6))"),
        ([None], "GEOMETRYCOLLECTION EMPTY"),
    ],
)
def test_collections(items: list[str | None], expected: str) -> None:
    values = column(*(item and shapely.from_wkt(item) for item in items), srid=3857, kind="GEOMETRY(3857)")
    group = pa.ListArray.from_arrays(pa.array([0, len(items)], pa.int32()), values)
    found = FUNCTIONS["st_collect"](group)
    assert FUNCTIONS["st_asewkt"](found).to_pylist() == [f"SRID=3857;{expected}"]


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ("MULTIPOINT((0 0),(9 9),(4 5),EMPTY)", "POINT(4 5)"),
        ("MULTILINESTRING((0 0,1 1),(5 5,7 7,9 9))", "POINT(7 7)"),
        ("GEOMETRYCOLLECTION(POINT(1 2),POLYGON((0 0,4 0,4 4,0 4,0 0)),LINESTRING(0 0,99 99))", "POINT(2 2)"),
        ("POINT M (1 2 3)", "POINT(1 2)"),
        ("MULTIPOLYGON EMPTY", "POINT EMPTY"),
    ],
)
def test_points_on_surfaces(shape: str, expected: str) -> None:
    found = FUNCTIONS["st_pointonsurface"](column(shapely.from_wkt(shape)))
    assert FUNCTIONS["st_astext"](found).to_pylist() == [expected]


@pytest.mark.parametrize(
    ("x", "y", "srid"), [(-180, 0, 32601), (180, 0, 32660), (0, 84, 32661), (0, -80, 32731), (0, -81, 32761)]
)
def test_the_best_coordinate_systems(x: float, y: float, srid: int) -> None:
    assert call("st_estimatesrid", shapely.Point(x, y)) == srid


@pytest.mark.parametrize(
    ("name", "arguments", "reason"),
    [
        ("st_concavehull", (shapely.box(0, 0, 1, 1), 0.5), "INVALID_TYPE"),
        ("st_estimatesrid", (shapely.Point(0, 91),), "LATITUDE_OUT_OF_BOUNDS"),
        ("st_nrings", (shapely.Point(0, 1),), "INVALID_TYPE"),
    ],
)
def test_shapes_that_are_not_taken(name: str, arguments: tuple[Any, ...], reason: str) -> None:
    with pytest.raises(RaisedError) as raised:
        call(name, *arguments)
    assert raised.value.condition == f"ST_INVALID_ARGUMENT.{reason}"


def test_several_rows_at_once() -> None:
    rows = column(shapely.Point(3, 4), None, shapely.Point(6, 8))
    assert FUNCTIONS["st_distance"](rows, column(*[shapely.Point(0, 0)] * 3)).to_pylist() == [5.0, None, 10.0]
    lists = FUNCTIONS["st_dump"](column(shapely.MultiPoint(np.eye(2)), None, shapely.Point(6, 8))).to_pylist()
    assert [None if item is None else len(item) for item in lists] == [2, None, 1]
