"""Methods, keywords and options of commands that README.md and docs mention in a line of text exist."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path
from typing import Any

import pytest

import deltasql
from deltasql.cli import _parser
from deltasql.command.shells import script
from tests.source_trees import refuse
from tests.test_names_in_docs import PAGES, code_of

OBJECTS: dict[str, Any] = {"deltasql": deltasql, "session": deltasql.Session, "result": deltasql.Result}
FIELDS = {"session": {"settings", "catalog", "stores", "views", "functions", "on_progress"}}
"""Attributes that a constructor sets."""

_OPTION = re.compile(r"(?<!\S)--[a-z][\w-]+")


def faults_of(text: str) -> list[str]:
    """Faults of an expression such as `session.sql(text, args=…)`; nothing for a text that is none."""
    try:
        tree = ast.parse(text.replace("…", "..."), mode="eval")
    except SyntaxError:
        return []
    return [fault for node in ast.walk(tree) if isinstance(node, ast.Attribute) for fault in _attribute(node, tree)]


def _attribute(node: ast.Attribute, tree: ast.Expression) -> list[str]:
    name = node.value.id if isinstance(node.value, ast.Name) else ""
    if name not in OBJECTS:
        return []
    home = OBJECTS[name]
    if not hasattr(home, node.attr):
        fields = FIELDS.get(name, set()) | set(inspect.signature(deltasql.Result.__init__).parameters)
        return [] if node.attr in fields or node.attr in {"ways", "errors"} else [f"{name} has no {node.attr}"]
    calls = [call for call in ast.walk(tree) if isinstance(call, ast.Call) and call.func is node]
    parameters = inspect.signature(getattr(home, node.attr)).parameters if calls else {}
    if any(item.kind is item.VAR_KEYWORD for item in parameters.values()):
        return []
    given = [keyword.arg for call in calls for keyword in call.keywords if keyword.arg]
    return [f"{name}.{node.attr} takes no {keyword}" for keyword in given if keyword not in parameters]


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
