"""The classes of dbt's suite for adapters, as test classes with their files in Spark's words."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Container, Iterator, Mapping
from pathlib import Path
from typing import Any

import dbt.tests.adapter as official
import pytest

from tests.suites.dbt.translated import translated

FILES = ("models", "seeds", "snapshots", "macros", "tests", "properties", "functions", "project_config_update")


def bases() -> Iterator[type]:
    """The classes with tests, but for those that dbt itself makes of them for Postgres."""
    root = Path(next(iter(official.__path__)))
    for path in sorted(root.rglob("*.py")):
        if path.stem != "__init__":
            name = ".".join((official.__name__, *path.relative_to(root).with_suffix("").parts))
            yield from (item for item in vars(importlib.import_module(name)).values() if _is_base(item, name))


def _is_base(item: Any, module: str) -> bool:
    if not inspect.isclass(item) or item.__module__ != module or item.__name__.startswith(("Test", "_")):
        return False
    return any(name.startswith("test") for name in dir(item))


def _in_words_of_spark(base: type, name: str) -> Any:
    """A fixture of a class whose files are translated; None where it has none of this name."""
    fixture = inspect.getattr_static(base, name, None)
    function = fixture._get_wrapped_function() if hasattr(fixture, "_get_wrapped_function") else None
    if function is None:
        return None

    if inspect.isgeneratorfunction(function):

        @functools.wraps(function)
        def yielding(*arguments: Any, **named: Any) -> Any:
            for value in function(*arguments, **named):
                yield translated(value)

        return pytest.fixture(scope="class")(yielding)

    @functools.wraps(function)
    def wrapped(*arguments: Any, **named: Any) -> Any:
        return translated(function(*arguments, **named))

    return pytest.fixture(scope="class")(wrapped)


def made(base: type, own: type, module: str) -> type:
    """The test class of a class of the suite; the members of `own` come first."""
    members = {
        name: found
        for name in FILES
        if not hasattr(own, name) and (found := _in_words_of_spark(base, name)) is not None
    }
    parents = (base,) if own is object else (own, base)
    return type(f"Test{base.__name__}", parents, {"__test__": True, "__module__": module, **members})


def classes(left_out: Container[str], overrides: Mapping[str, type], module: str) -> dict[str, type]:
    """The test classes of a module by their names, but for those that are left out."""
    # Two folders may have a class of one name.
    return {
        f"Test{base.__name__}_{base.__module__.split('.')[3]}": made(base, overrides.get(base.__name__, object), module)
        for base in bases()
        if base.__name__ not in left_out
    }
