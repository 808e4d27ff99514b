"""Trees into statement nodes.

A rule is a list (`x_list`), or it has a function in deltasql/statements/builders, or it is named like a node of its
family's module in deltasql.statements.nodes, whose fields are then the rule's children in order.

The parser's entry point: the automaton, the builders, and the errors of texts that neither can read.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
from collections.abc import Callable
from dataclasses import is_dataclass
from typing import Any, TypeVar

from deltasql.base import Caret, errors
from deltasql.plan import SqlText
from deltasql.sql.constants import unquote, unquote_name
from deltasql.sql.parser.automaton import RUNS, Automaton, GrammarToken, NoParseError, Tree, grammar_tables
from deltasql.sql.parser.diagnosis import foreign_form, syntax_error
from deltasql.sql.parser.unsupported import unsupported
from deltasql.sql.tokens import skip_blanks

Rule = Callable[[list[Any], Tree, str], Any]
_Rule = TypeVar("_Rule", bound=Rule)
_RULES: dict[str, Rule] = {}
_SHARED, _FAMILIES = "deltasql.sql.parser.builders", "deltasql.statements"
"""A module, and a package with a module per family of the grammar: statements stand above the parser."""


def builds(*names: str) -> Callable[[_Rule], _Rule]:
    """Decorator: the function makes the value of the rules called `names` from (values of children, tree, text)."""

    def register(function: _Rule) -> _Rule:
        _RULES.update(dict.fromkeys(names, function))
        return function

    return register


def build(tree: Tree | GrammarToken | None, text: str) -> Any:
    """The value of a tree: a node, a part of one, or a Python value for a token."""
    if tree is None:
        return None
    if isinstance(tree, GrammarToken):
        return _token(tree, text)
    children = [build(child, text) for child in tree.children]
    if tree.name.endswith("_list"):
        return tuple(children)
    family = grammar_tables().families[tree.origin]
    rule = _rules(family).get(tree.name)
    if rule is not None:
        return rule(children, tree, text)
    return _nodes(family)[tree.name](*children)


def caret(tree: Tree | GrammarToken, text: str) -> Caret:
    """The place of a tree, for an error."""
    return Caret(text, tree.start, tree.end)


def sql_text(tree: Tree | GrammarToken, text: str) -> SqlText:
    return SqlText(text[tree.start : tree.end], tree.start)


def _token(token: GrammarToken, text: str) -> str | int | SqlText:
    written = text[token.start : token.end]
    if token.name in RUNS:
        return SqlText(written, token.start)
    if token.name == "STRING":
        return unquote(written)
    if token.name == "INTEGER":
        return int(written)
    return unquote_name(written)


@functools.cache
def _rules(family: str) -> dict[str, Rule]:
    """All rules with a function, once the shared ones and those of `family` are loaded; 10_names is a shared file."""
    importlib.import_module(_SHARED)
    if not family[0].isdecimal() and importlib.util.find_spec(f"{_FAMILIES}.{family}") is not None:
        importlib.import_module(f"{_FAMILIES}.{family}")
    return _RULES


@functools.cache
def _nodes(family: str) -> dict[str, type]:
    """The classes of one family by the snake-case form of their names."""
    module = importlib.import_module(f"{_FAMILIES}.{family}")
    classes = [value for value in vars(module).values() if isinstance(value, type) and is_dataclass(value)]
    return {_snake(node.__name__): node for node in classes}


def _snake(name: str) -> str:
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in name).lstrip("_")


def read(text: str, start: str) -> Any:
    """The node or type in `text`, read by the rule `start`. Raises EmptyStatementError, ParseSyntaxError, refusals."""
    if text[skip_blanks(text, 0) :].strip("; \t\r\n") == "":
        raise errors.EmptyStatementError
    automaton = Automaton(text, start)
    try:
        tree = automaton.parse()
    except NoParseError as error:
        raise unsupported(text, error.stuck.position) or syntax_error(text, error.stuck) from None
    foreign = foreign_form(text)
    if foreign is not None:
        raise foreign
    return build(tree, text)
