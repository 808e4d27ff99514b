"""Stubs of what is loaded late: the classes of errors in `conditions.json`, and the doors of rooms.

`python -m deltasql.base.stubs` renews them; a test compares.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from deltasql.base.doors import ROOMS, homes
from deltasql.base.errors import conditions, written

_PACKAGE = Path(__file__).parents[1]
_OF_BASE = ("Caret", "DeltaSqlError", "LeftToEngineError", "condition", "counted")
_HEAD = """\
from collections.abc import Collection
from dataclasses import dataclass

"""


def stubs() -> Iterator[tuple[Path, str]]:
    """The files of all stubs, and their texts."""
    yield _PACKAGE / "base" / "errors" / "__init__.pyi", _of_errors()
    for room in ROOMS:
        yield _PACKAGE / room / "__init__.pyi", _of_door(f"deltasql.{room}")


def _of_door(package: str) -> str:
    import_module(package)
    names = sorted(homes[package].items(), key=lambda item: (item[1], *_order(item[0])))
    return "".join(f"from {module} import {name} as {name}\n" for name, module in names)


def _order(name: str) -> tuple[int, str]:
    """Constants, then classes, then functions: the order in which imports are sorted."""
    return (0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2, name)


def _of_errors() -> str:
    return _HEAD + "".join((*_imports(), *(_of_row(name, row) for name, row in conditions.rows().items())))


def _imports() -> Iterator[str]:
    for module in ("base", written.__name__.rpartition(".")[2]):
        names = _OF_BASE if module == "base" else conditions.names()
        for name in sorted(set(names) - conditions.rows().keys(), key=_order):
            yield f"from deltasql.base.errors.{module} import {name} as {name}\n"


def _of_row(name: str, row: conditions.Row) -> str:
    declared = (text.partition(" = ") for text in row.get("fields", {}).values())
    kinds = (f"{kind} = ..." if equals else kind for kind, equals, _ in declared)
    fields = [f"    {field}: {kind}\n" for field, kind in zip(row.get("fields", ()), kinds, strict=True)]
    body = "\n" + "".join(fields) if fields else " ...\n"
    return f"\n@dataclass(eq=False)\nclass {name}({row.get('base', 'DeltaSqlError')}):{body}"


if __name__ == "__main__":
    for _file, _text in stubs():
        _file.write_text(_text, encoding="utf-8")
