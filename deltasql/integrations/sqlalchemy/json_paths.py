"""Places within JSON, `column["a"][0]`, as the paths that Spark's functions of JSON take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import exc
from sqlalchemy import types as sa

from deltasql.schema.text import quote_text


def _step(step: Any) -> str:
    """One step of a path. Raises ArgumentError for a name that no path of Spark's can hold."""
    if isinstance(step, int):
        return f"[{step}]"
    if "'" in step:
        raise exc.ArgumentError(f"A path of JSON in Spark takes no name with a quote in it: {step}")
    return f"['{step}']"


def _path(value: Any) -> str:
    steps = value if isinstance(value, (list, tuple)) else (value,)
    return "$" + "".join(map(_step, steps))


class _AsPath(sa.JSON.JSONElementType):
    """The value of a parameter that is a place."""

    def bind_processor(self, dialect: Any) -> Callable[[Any], Any]:
        return _path

    def literal_processor(self, dialect: Any) -> Callable[[Any], str]:
        return lambda value: quote_text(_path(value))


class JsonIndex(_AsPath, sa.JSON.JSONIndexType):
    """One step."""


class JsonPath(_AsPath, sa.JSON.JSONPathType):
    """Several steps at once."""
