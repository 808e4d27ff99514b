"""Registers added functions in a Spark session, those that texts of this process have called."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from deltasql.sql import added_functions, called_functions

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
        function = added_functions()[name]
        packages = tuple(package for package in function.packages if package != "pyproj")
        for kind, hidden in function.by_type.items():
            code: Any = arrow_udf(_code(packages, kind)[name], _type(kind))
            session.udf.register(hidden, code)
        known.add(name)


def _type(returns: str) -> str:
    """The type of the function of Python: a text of JSON where that of the call follows an argument."""
    return "STRING" if "*" in returns else returns.replace("(srid)", "(ANY)")


@cache
def _code(packages: tuple[str, ...], kind: str) -> Mapping[str, Callable[..., Any]]:
    """The functions of Arrow columns by name, for those packages; of those that have two types, the one for `kind`.

    Their modules import packages that not all environments have: those of cells alone need no shapely.
    """
    from pyspark import cloudpickle

    from deltasql.engines.spark.added import values

    def sent(*modules: ModuleType) -> None:
        for module in modules:
            cloudpickle.register_pickle_by_value(module)

    sent(values)
    if not packages:
        from deltasql.engines.spark.added import addresses

        sent(addresses)
        return addresses.functions(kind)
    if packages == ("h3",):
        from deltasql.engines.spark.added import cells

        sent(cells)
        return cells.functions()
    from deltasql.engines.spark.added import shape_values

    sent(shape_values)
    if "h3" in packages:
        from deltasql.engines.spark.added import cell_shapes, cells

        sent(cells, cell_shapes)
        return cell_shapes.functions()
    from deltasql.engines.spark.added import derived_shapes, measures, shapes

    sent(measures, derived_shapes, shapes)
    known = added_functions().items()
    return shapes.functions({name: _type(of.returns.replace("SHAPE", kind)) for name, of in known})
