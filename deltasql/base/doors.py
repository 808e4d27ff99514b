"""Doors of rooms: the names that other rooms may import from a package, each loaded when it is first asked for.

`__init__.py` of a room lists its door by modules. `__init__.pyi` beside it says the same to type checkers, and is
generated: see `stubs`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

ROOMS = ("base", "schema", "plan", "sql", "log", "catalog", "files", "planner", "statements", "engines", "session")
homes: dict[str, dict[str, str]] = {}
"""The module that each name of a door comes from, by the packages that are loaded."""
_MODULE = re.compile(r"([\w.]+):([^:]*)(?=\s[\w.]+:|\s*$)")
"""A module in the text of a door, and its names."""


def door(package: str, text: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a room. `text`: its modules, each with `:` and the names others may import."""
    home = homes[package] = {
        name: f"{package}.{module}" for module, names in _MODULE.findall(text) for name in names.split()
    }
    room = vars(sys.modules[package])

    def find(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = room[name] = getattr(import_module(home[name]), name)
        return value

    return find, lambda: sorted({*room, *home})
