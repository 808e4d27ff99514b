"""The stub of this package: what type checkers and editors know of the classes in `conditions.json`.

`python -m deltasql.base.errors.stub` renews it; a test compares.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from deltasql.base.errors import conditions, written

_OF_BASE = ("Caret", "DeltaSqlError", "LeftToEngineError", "condition", "counted")
STUB = Path(__file__).with_name("__init__.pyi")
_HEAD = """\
from collections.abc import Collection
from dataclasses import dataclass

"""


def stub() -> str:
    """The text of the stub."""
    return _HEAD + "".join((*_imports(), *(_of_row(name, row) for name, row in conditions.rows().items())))


def _imports() -> Iterator[str]:
    for module in ("base", written.__name__.rpartition(".")[2]):
        names = _OF_BASE if module == "base" else conditions.names()
        for name in sorted(set(names) - conditions.rows().keys(), key=lambda name: (name[0].islower(), name)):
            yield f"from deltasql.base.errors.{module} import {name} as {name}\n"


def _of_row(name: str, row: conditions.Row) -> str:
    declared = (text.partition(" = ") for text in row.get("fields", {}).values())
    kinds = (f"{kind} = ..." if equals else kind for kind, equals, _ in declared)
    fields = [f"    {field}: {kind}\n" for field, kind in zip(row.get("fields", ()), kinds, strict=True)]
    body = "\n" + "".join(fields) if fields else " ...\n"
    return f"\n@dataclass(eq=False)\nclass {name}({row.get('base', 'DeltaSqlError')}):{body}"


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
