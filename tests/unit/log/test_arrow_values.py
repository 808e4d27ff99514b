"""Arrays that are built without pandas are those that Arrow builds."""

from __future__ import annotations

import sys
from typing import Any

import pyarrow as pa
import pytest

from deltasql.log.actions.file_tables import STRING_MAP
from deltasql.schema.arrow_values import from_python

NESTED = pa.struct([("a", pa.int32()), ("b", pa.list_(pa.string())), ("c", STRING_MAP)])


@pytest.fixture(autouse=True)
def without_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "pandas", raising=False)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([], pa.string()),
        ([None, None], STRING_MAP),
        (["é", None, ""], pa.string()),
        ([1, None, -(2**63)], pa.int64()),
        ([True, None, False], pa.bool_()),
        ([[], None, ["x", None]], pa.list_(pa.string())),
        ([{}, None, {"k": None, "": "v"}], STRING_MAP),
        ([{}, None, {"a": 7, "b": [None], "c": {"x": "y"}, "more": 1}, {"a": None, "b": [], "c": {}}], NESTED),
        # Left to Arrow, which takes them.
        ([1.0, 2], pa.int64()),
        ([b"x", None], pa.string()),
        ([[("k", "v")]], STRING_MAP),
        ([1.5, None], pa.float64()),
    ],
)
def test_same_as_arrow(values: list[Any], kind: pa.DataType) -> None:
    built = from_python(values, kind)
    built.validate(full=True)
    assert built.type == kind
    assert built.equals(pa.array(values, type=kind))


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1"], pa.int64()),
        ([True], pa.int64()),
        ([2**31], pa.int32()),
        ([2**63], pa.int64()),
        ([1], pa.string()),
        ([0], pa.string()),
        ([0], pa.bool_()),
        ([{"k": 0}], STRING_MAP),
        (["\ud800"], pa.string()),
        ([7], pa.list_(pa.string())),
        ([7], NESTED),
    ],
)
def test_odd_values_are_refused_as_by_arrow(values: list[Any], kind: pa.DataType) -> None:
    with pytest.raises((pa.ArrowException, ValueError, TypeError, OverflowError)) as expected:
        pa.array(values, type=kind)
    with pytest.raises(expected.type):
        from_python(values, kind)
