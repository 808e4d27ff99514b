"""Conditions of errors as text: their causes, messages and remedies, out of the classes of errors."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from importlib import import_module
from pkgutil import walk_packages

import deltasql.errors
from deltasql.errors.base import DeltaSqlError, help_text
from deltasql.errors.suggestion import did_you_mean
from deltasql.errors.usage import UnknownConditionError


@cache
def error_classes() -> dict[str, tuple[type[DeltaSqlError], ...]]:
    """The classes of errors by their condition, both in alphabetical order."""
    for module in walk_packages(deltasql.errors.__path__, "deltasql.errors."):
        import_module(module.name)
    found: dict[str, set[type[DeltaSqlError]]] = defaultdict(set)
    todo: list[type[DeltaSqlError]] = [DeltaSqlError]
    while todo:
        error = todo.pop()
        todo += error.__subclasses__()
        if error.template and error.__module__.startswith("deltasql.errors"):
            found[error.condition].add(error)
    return {name: tuple(sorted(found[name], key=lambda error: error.__name__)) for name in sorted(found)}


def help_on(condition: str) -> str:
    """Cause, message and remedy of a condition, and of its sub-conditions. Raises UnknownConditionError."""
    wanted = condition.strip("[]").upper()
    known = error_classes()
    names = [name for name in known if name == wanted or name.startswith(f"{wanted}.")]
    if not names:
        raise UnknownConditionError(name=condition, hint=did_you_mean(wanted, known))
    return "\n\n".join(help_text(error) for name in names for error in known[name])
