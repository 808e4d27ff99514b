"""Every way in which deltasql says no: a class per condition, and one base class for all of them.

`conditions.json` has a row for each class: condition, SQLSTATE, message with its fields in braces, remedy, cause, the
types of the fields. A class is made of its row when it is first asked for; the few with behaviour are in `written`.
Callers catch `DeltaSqlError`, or look at `error.condition`. Condition names and SQLSTATEs are Delta's and Spark's own,
so that tests and callers written against those engines keep working. `__init__.pyi` is generated for type checkers:
see `base.stubs`.
"""

from __future__ import annotations

from typing import Any

from deltasql.base.errors import conditions
from deltasql.base.errors.base import Caret, DeltaSqlError, LeftToEngineError, condition, counted

__all__ = ["Caret", "DeltaSqlError", "LeftToEngineError", "condition", "counted"]


def __getattr__(name: str) -> Any:
    made = conditions.error_class(name)
    globals()[name] = made
    return made


def __dir__() -> list[str]:
    return sorted({*globals(), *conditions.names()})
