"""Methods, keywords and options of commands that README.md and docs mention in a line of text exist."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path
from typing import Any

import pytest

import deltasql
from deltasql.clients.cli import _parser
from deltasql.clients.command.options import script
from tests.source_trees import refuse
from tests.test_names_in_docs import PAGES, code_of

OBJECTS: dict[str, Any] = {"deltasql": deltasql, "session": deltasql.Session, "result": deltasql.Result}
_OPTION = re.compile(r"(?<!\S)--[a-z][\w-]+")


def faults_of(text: str) -> list[str]:
    """Faults of calls such as `session.sql(text, args=…)`; nothing for a text that is no expression of Python."""
    try:
        tree = ast.parse(text.replace("…", "..."), mode="eval")
    except SyntaxError:
        return []
    return [fault for node in ast.walk(tree) if isinstance(node, ast.Call) for fault in _faults(node)]


def _faults(call: ast.Call) -> list[str]:
    match call.func:
        case ast.Attribute(value=ast.Name(id=name), attr=method) if name in OBJECTS:
            if not hasattr(OBJECTS[name], method):
                return [f"{name} has no {method}"]
            parameters = inspect.signature(getattr(OBJECTS[name], method)).parameters
            given = [keyword.arg for keyword in call.keywords if keyword.arg]
            return [f"{name}.{method} takes no {keyword}" for keyword in given if keyword not in parameters]
    return []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_calls_are_possible(page: Path) -> None:
    refuse([f"{page.name}:{line}: {fault} ({text})" for line, text in code_of(page) for fault in faults_of(text)])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_options_of_the_command_exist(page: Path) -> None:
    known = set(_OPTION.findall(script("bash", _parser()))) | {"--help", "--version"}
    refuse(
        [
            f"{page.name}:{line}: deltasql has no option {option}"
            for line, text in code_of(page)
            if text.startswith("deltasql ")
            for option in _OPTION.findall(text)
            if option not in known
        ]
    )


def test_faults_are_found() -> None:
    assert faults_of('session.sql("…", args={"a": 1})') == []
    assert faults_of("session.run(text, values=1)") == ["session.run takes no values"]
    assert faults_of("session.execute(text)") == ["session has no execute"]
    assert faults_of("SELECT * FROM t") == []
