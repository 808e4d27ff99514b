"""Functions of Python on Sail, which runs their code within this process.

Sail resolves names when a query runs, so a function stays registered in its session. Its name there depends on its
definition alone: the next statement that calls it finds it, and one that is replaced has another name.
"""

from __future__ import annotations

from dataclasses import astuple
from hashlib import sha256
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from deltasql.base.errors.engine import NotOnSailError
from deltasql.engines.spark.reading.frames import register_python
from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.plan.base import hidden, quote
from deltasql.plan.operators import PythonFunction, SqlFunction
from deltasql.schema.text import sql_text
from deltasql.schema.types import ArrayType, DataType, DecimalType, MapType, PrimitiveType, StructType
from deltasql.sql.parser import parse_type
from deltasql.sql.stored_expressions import FunctionText, function_text

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_REGISTERED: WeakKeyDictionary[SparkSession, set[str]] = WeakKeyDictionary()
"""The names of functions that each session has."""


_SAFELY = "spark.sql.execution.pandas.convertToArrowArraySafely"
"""The setting, true in Spark, by which a result that does not fit its type is an error; Sail would cut it off."""
_COMPARED = frozenset(
    {
        *("boolean", "byte", "short", "integer", "long", "float", "double", "string", "binary", "date", "timestamp"),
        "timestamp_ntz",
    }
)
"""Types whose values arrive and return as they do on Spark, also in arrays, maps and structs."""
_NESTED = (StructType, ArrayType, MapType)


def python_of(function: SqlFunction) -> PythonFunction | None:
    """The function of Python that one of SQL calls; None for any other."""
    return next((item for item in function.relations.values() if isinstance(item, PythonFunction)), None)


def registered(spark: SparkHandle, function: SqlFunction) -> tuple[FunctionText, dict[str, str]]:
    """The text of a function of SQL that calls functions of Python, and these by their names in Sail.

    Raises NotOnSailError for a type that was not compared with Spark.
    """
    text, names = function.text, dict[str, str]()
    for name, code in function.relations.items():
        if isinstance(code, PythonFunction):
            own = _registered(spark, code)
            names[own] = code.name
            text = text.replace(quote(name), quote(own))
    parsed = function_text(text)
    types = [item.type for item in (*parsed.parameters, *(parsed.columns or ()))]
    for kind in map(parse_type, [*types, *filter(None, [parsed.returns])]):
        if not _is_compared(kind):
            name = next(iter(names.values()))
            raise NotOnSailError(what=f"the function {name} of Python, which has the type {sql_text(kind)}")
    return parsed, names


def _is_compared(kind: DataType) -> bool:
    match kind:
        case StructType(fields):
            return all(_is_compared(item.type) for item in fields)
        case ArrayType(element):
            return _is_compared(element)
        case MapType(key, value):
            parts = (key, value)
            return not any(isinstance(part, _NESTED) for part in parts) and all(map(_is_compared, parts))
        case PrimitiveType(name):
            return name in _COMPARED
        case DecimalType():
            return True


def _registered(spark: SparkHandle, function: PythonFunction) -> str:
    """The name of the function in Sail."""
    name = hidden(f"python_{sha256(repr(astuple(function)).encode()).hexdigest()[:32]}")
    if spark.session not in _REGISTERED:
        spark.session.conf.set(_SAFELY, "true")
    names = _REGISTERED.setdefault(spark.session, set())
    if name not in names:
        register_python(spark.session, name, function)
        names.add(name)
    return name
