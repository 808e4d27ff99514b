"""Registers geospatial functions in a Spark session, those that texts of this process have called."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from deltasql.sql import GeospatialFunction, called_functions, geospatial_functions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


_KNOWN: WeakKeyDictionary[SparkSession, set[str]] = WeakKeyDictionary()
"""The functions that each session has."""


def register_called(session: SparkSession) -> None:
    """Registers the functions that were called and that the session lacks. Their code runs when rows come."""
    called = called_functions()
    known = _KNOWN.get(session) if called else None
    if not called or (known is not None and called <= known):
        return
    from pyspark.sql.functions import arrow_udf

    if known is None:
        known = _KNOWN.setdefault(session, set())
    for name in sorted(called - known):
        function = geospatial_functions()[name]
        code: Any = arrow_udf(_code("h3" in function.packages)[name], _type(function))
        session.udf.register(function.hidden, code)
        known.add(name)


def _type(function: GeospatialFunction) -> str:
    """The type of the function of Python: a text of JSON where that of the call follows an argument."""
    return "STRING" if "*" in function.returns else function.returns.replace("(srid)", "(ANY)")


@cache
def _code(of_cells: bool) -> Mapping[str, Callable[..., Any]]:
    """The functions of Arrow columns by name. Their modules import packages that not all environments have."""
    from pyspark import cloudpickle

    from deltasql.engines.spark.geospatial import shape_values, values

    for module in (values, shape_values):
        cloudpickle.register_pickle_by_value(module)
    if of_cells:
        from deltasql.engines.spark.geospatial import cells

        cloudpickle.register_pickle_by_value(cells)
        return cells.functions()
    from deltasql.engines.spark.geospatial import measures, shapes

    for module in (measures, shapes):
        cloudpickle.register_pickle_by_value(module)
    return shapes.functions({name: _type(function) for name, function in geospatial_functions().items()})
