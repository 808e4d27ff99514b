"""Functions of Python as functions of a Spark session, while a statement calls them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deltasql.plan.python_function import PythonFunction
from deltasql.sql.functions.python_code import BODY, compiled

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# No module has this name, so that the code travels to Spark's workers by value.
_MODULE = "deltasql_function"


def register_python(session: SparkSession, name: str, function: PythonFunction) -> None:
    """Registers a function in Spark under `name`. Its module runs now, the handler when rows come."""
    from pyspark.sql.functions import udf, udtf

    handler = _handler(function)
    if function.is_table:
        session.udtf.register(name, udtf(handler, returnType=function.returns))
        return
    made: Any = udf(handler, returnType=function.returns)
    session.udf.register(name, made if function.deterministic else made.asNondeterministic())


def _handler(function: PythonFunction) -> Any:
    namespace: dict[str, Any] = {"__name__": _MODULE}
    # The text is that of a function of the catalog, which is code like any other: docs/security.md.
    exec(compiled(function.code, function.handler, function.parameters, function.name), namespace)
    return namespace[function.handler or BODY]
