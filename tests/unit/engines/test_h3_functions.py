"""Functions of the grid H3 over columns of Arrow, compared with the package h3."""

from __future__ import annotations

import json
from typing import Any

import h3.api.basic_int as h3
import pyarrow as pa
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as some

from deltasql.engines.spark.added import cell_shapes
from deltasql.engines.spark.added import cells as cell_functions
from deltasql.engines.spark.added.cell_shapes import cell_shape
from deltasql.engines.spark.added.values import RaisedError
from deltasql.sql import added_functions
from tests.samples import examples

FUNCTIONS = {**cell_functions.functions(), **cell_shapes.functions()}
NAMES = sorted(FUNCTIONS)
EXAMPLES = examples(max_examples=50)

cells = some.builds(h3.latlng_to_cell, some.floats(-90, 90), some.floats(-180, 180), some.integers(0, 12))
near = some.integers(0, 3)


def call(name: str, *values: Any) -> Any:
    """The value of one row; that of a result whose type is its argument's without the JSON around it."""
    (value,) = FUNCTIONS[name](*(pa.array([item]) for item in values)).to_pylist()
    return json.loads(value)["value"] if value and "*" in added_functions()[name].returns else value


def text(cell: int) -> str:
    return str(h3.int_to_str(cell))


@EXAMPLES
@given(cells, near)
def test_neighbours(cell: int, k: int) -> None:
    assert call("h3_kring", cell, k) == list(h3.grid_disk(cell, k))
    assert call("h3_kring", text(cell), k) == list(map(text, h3.grid_disk(cell, k)))
    distances = {item["cellid"]: item["distance"] for item in call("h3_kringdistances", cell, k)}
    assert distances.keys() == set(h3.grid_disk(cell, k))
    assert {item for item, far in distances.items() if far == k} == set(h3.grid_disk(cell, k)) - (
        set(h3.grid_disk(cell, k - 1)) if k else set()
    )


@EXAMPLES
@given(cells, near)
def test_parents_and_children(cell: int, finer: int) -> None:
    resolution = h3.get_resolution(cell)
    children = list(h3.cell_to_children(cell, resolution + finer))
    assert call("h3_tochildren", cell, resolution + finer) == children
    assert call("h3_minchild", cell, resolution + finer) == min(children)
    assert call("h3_maxchild", text(cell), resolution + finer) == text(max(children))
    assert call("h3_toparent", children[0], resolution) == cell
    assert call("h3_ischildof", children[-1], cell) is True
    assert call("h3_compact", children) == [cell]
    assert set(call("h3_uncompact", [text(cell)], resolution + finer)) == set(map(text, children))


@EXAMPLES
@given(some.lists(cells, max_size=4), near)
def test_compaction_keeps_the_cells_that_are_covered(some_cells: list[int], finer: int) -> None:
    finest = min(15, max(map(h3.get_resolution, some_cells), default=0) + finer)
    few = [cell for cell in some_cells if finest - h3.get_resolution(cell) < 4]
    compact = call("h3_compact", few)
    assert set(call("h3_uncompact", compact, finest)) == set(call("h3_uncompact", few, finest))


@EXAMPLES
@given(cells)
def test_forms_of_a_cell(cell: int) -> None:
    assert call("h3_h3tostring", cell) == text(cell)
    assert call("h3_stringtoh3", text(cell)) == cell
    assert call("h3_validate", cell) == cell
    latitude, longitude = h3.cell_to_latlng(cell)
    assert call("h3_longlatash3", longitude, latitude, h3.get_resolution(cell)) == cell
    center = shapely.from_wkb(call("h3_centeraswkb", cell))
    assert (center.x, center.y) == (longitude, latitude)
    boundary = shapely.from_wkb(call("h3_boundaryaswkb", cell))
    assert [(y, x) for x, y in boundary.exterior.coords[:-1]] == list(h3.cell_to_boundary(cell))
    for name in ("boundary", "center"):
        written = [
            shapely.from_wkt(call(f"h3_{name}aswkt", cell)),
            shapely.from_geojson(call(f"h3_{name}asgeojson", cell)),
        ]
        assert written[0].equals_exact(written[1], 0)


@EXAMPLES
@given(some.integers(-(2**63), 2**63 - 1))
def test_numbers_that_are_no_cells(number: int) -> None:
    assert call("h3_isvalid", number) is (number > 0 and h3.is_valid_cell(number))
    assert call("h3_try_validate", number) == (number if number > 0 and h3.is_valid_cell(number) else None)


@EXAMPLES
@given(some.tuples(some.floats(-170, 170), some.floats(-60, 60)), some.floats(0.01, 3), some.integers(1, 4))
def test_cells_that_cover_a_polygon(corner: tuple[float, float], size: float, resolution: int) -> None:
    x, y = corner
    box = shapely.box(x, y, x + size, y + size)
    covering = call("h3_coverash3", box.wkt, resolution)
    filled = call("h3_polyfillash3", box.wkt, resolution)
    assert set(filled) <= set(covering)
    assert shapely.union_all([cell_shape(cell) for cell in covering]).buffer(1e-7).covers(box)
    chips = call("h3_tessellateaswkb", box.wkt, resolution)
    assert {chip["cellid"] for chip in chips} <= set(covering)
    area = sum(shapely.from_wkb(chip["chip"]).area for chip in chips)
    assert area == pytest.approx(box.area, rel=1e-6)


@EXAMPLES
@given(some.lists(some.tuples(some.floats(-179, 179), some.floats(-60, 60)), min_size=2, max_size=3, unique=True))
def test_cells_that_cover_a_line(points: list[tuple[float, float]]) -> None:
    line = shapely.LineString(points)
    covering = call("h3_coverash3", line.wkt, 1)
    assert shapely.union_all([cell_shape(cell) for cell in covering]).buffer(1e-6).covers(line)


@pytest.mark.parametrize("name", NAMES)
def test_null(name: str) -> None:
    """A NULL of any type, as any argument, gives NULL."""
    good = {"cell": [599686042433355775], "cells": [[599686042433355775]], "shape": ["POLYGON((0 0,1 0,1 1,0 0))"]}
    if name.startswith("h3_pointash3"):
        good["shape"] = ["POINT(1 2)"]
    good |= {"text": ["85283473fffffff"], "longitude": [1.5], "latitude": [1.5], "resolution": [5], "k": [1]}
    arguments = added_functions()[name].arguments
    full = [pa.array(good[argument]) for argument in arguments]
    assert FUNCTIONS[name](*full).null_count == 0
    for at in range(len(arguments)):
        for null in (pa.nulls(1), pa.nulls(1, full[at].type)):
            assert FUNCTIONS[name](*full[:at], null, *full[at + 1 :]).to_pylist() == [None]
    assert FUNCTIONS[name](*(array[:0] for array in full)).to_pylist() == []


@pytest.mark.parametrize("name", NAMES)
def test_arguments_of_other_types(name: str) -> None:
    """Each argument refuses a type that is none of its types, with the condition of Databricks."""
    arguments = added_functions()[name].arguments
    for at in range(len(arguments)):
        nulls = [pa.nulls(1)] * len(arguments)
        nulls[at] = pa.array([True])
        with pytest.raises(RaisedError) as raised:
            FUNCTIONS[name](*nulls)
        assert raised.value.condition == "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE"


@pytest.mark.parametrize("name", NAMES)
def test_values_out_of_bounds(name: str) -> None:
    """Wrong cells, resolutions and distances are errors of their conditions."""
    conditions: dict[str, tuple[list[Any], str]] = {
        "cell": ([0, "zoom"], "H3_INVALID_CELL_ID"),
        "cells": ([[0], ["zoom"]], "H3_INVALID_CELL_ID"),
        "text": (["zoom"], "H3_INVALID_CELL_ID"),
        "resolution": ([-1, 16], "H3_INVALID_RESOLUTION_VALUE"),
        "k": ([-1], "H3_INVALID_GRID_DISTANCE_VALUE"),
    }
    good: dict[str, Any] = {
        "cell": 599686042433355775,
        "cells": [599686042433355775],
        "shape": "POLYGON((0 0,1 0,1 1,0 0))",
    }
    good |= {"longitude": 1.5, "latitude": 1.5, "resolution": 5, "k": 1}
    if name.startswith("h3_pointash3"):
        good["shape"] = "POINT(1 2)"
    arguments = added_functions()[name].arguments
    for at, argument in enumerate(arguments):
        wrong, condition = conditions.get(argument, ([], ""))
        for value in wrong:
            row = [value if number == at else good[other] for number, other in enumerate(arguments)]
            if name in {"h3_isvalid", "h3_try_validate"}:
                assert not call(name, *row)
                continue
            with pytest.raises(RaisedError) as raised:
                call(name, *row)
            assert raised.value.condition == condition
