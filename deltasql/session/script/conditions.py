"""The handler that takes an error, and its diagnostics. Source: Spark's handlers, Databricks' GET DIAGNOSTICS."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.errors.script import SignalledError
from deltasql.schema.text import quote_text
from deltasql.session.script.tree import Handler, Trigger
from deltasql.session.script.variables import Scopes

_NO_EXCEPTION = frozenset({"00", "01", "02", "XX"})
"""Classes of SQLSTATE that SQLEXCEPTION does not take: success, warnings, no data, and internal errors."""
USER_RAISED = "USER_RAISED_EXCEPTION"
_USER_RAISED_STATE, _UNKNOWN_STATE = "P0001", "45000"


def is_completion(error: DeltaSqlError) -> bool:
    """Whether `error` is ignored where no handler takes it."""
    return error.sqlstate.startswith("02")


def handler_of(scopes: Scopes, error: DeltaSqlError) -> tuple[int, Handler] | None:
    """The handler for an error, with the index of its scope: the innermost one, and there the most specific."""
    for index in reversed(range(len(scopes))):
        scope = scopes[index]
        if scope.handling:
            continue
        for trigger in _triggers(error):
            for handler in scope.handlers:
                if trigger in handler.triggers:
                    return index, handler
    return None


def _triggers(error: DeltaSqlError) -> Iterator[Trigger]:
    """The triggers of handlers that take the error, the most specific first."""
    name, state = error.condition.upper(), error.sqlstate.upper()
    yield Trigger("CONDITION", name)
    if "." in name:
        yield Trigger("CONDITION", name.partition(".")[0])
    yield Trigger("SQLSTATE", state)
    if state[:2] == "02":
        yield Trigger("NOT FOUND")
    if state[:2] not in _NO_EXCEPTION:
        yield Trigger("SQLEXCEPTION")


def signalled(
    scopes: Scopes, name: str | None, state: str | None, text: str | None, arguments: Mapping[str, str] | None
) -> SignalledError:
    """The error of SIGNAL: a condition of the script or of deltasql by its name, or an SQLSTATE."""
    if name is None:
        return SignalledError(USER_RAISED, state or _UNKNOWN_STATE, text or f"SQLSTATE {state} was raised.")
    key, parameters = name.upper(), dict(arguments or {})
    declared = next((scope.conditions[key] for scope in reversed(scopes) if key in scope.conditions), None)
    message = _default_message(name, parameters) if text is None else text
    if declared is not None:
        return SignalledError(key, declared, message, parameters or {"MESSAGE_TEXT": message})
    return SignalledError(key, _state(key), message, parameters)


def _state(name: str) -> str:
    """The SQLSTATE of a condition of deltasql, or of Spark's one for users; 45000 for an unknown one."""
    if name == USER_RAISED:
        return _USER_RAISED_STATE
    error_class = next((cls for cls in _classes(DeltaSqlError) if cls.condition == name), None)
    return error_class.sqlstate if error_class else _UNKNOWN_STATE


def _default_message(name: str, arguments: Mapping[str, str]) -> str:
    """The message of a condition that is raised without a text."""
    if "errorMessage" in arguments:
        return arguments["errorMessage"]
    return ", ".join(f"{item}: {value}" for item, value in arguments.items()) or f"The condition {name} was raised."


def _classes(root: type[DeltaSqlError]) -> Iterator[type[DeltaSqlError]]:
    for cls in root.__subclasses__():
        yield cls
        yield from _classes(cls)


def diagnostic(error: DeltaSqlError, item: str, script: str) -> str:
    """The SQL of one item of GET DIAGNOSTICS."""
    match item:
        case "MESSAGE_TEXT":
            return quote_text(error.message)
        case "RETURNED_SQLSTATE":
            return quote_text(error.sqlstate)
        case "CONDITION_IDENTIFIER":
            return quote_text(error.condition)
        case "LINE_NUMBER":
            caret = error.caret
            return f"{caret.line}L" if caret is not None and caret.sql == script else "CAST(NULL AS BIGINT)"
        case _:
            pairs = (quote_text(text) for pair in _arguments(error).items() for text in pair)
            return f"CAST(map({', '.join(pairs)}) AS MAP<STRING, STRING>)"


def _arguments(error: DeltaSqlError) -> Mapping[str, str]:
    if isinstance(error, SignalledError):
        return error.arguments
    if not is_dataclass(error):
        return {}
    return {item.name: str(getattr(error, item.name)) for item in fields(error)}
