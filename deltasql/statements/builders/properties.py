"""Table properties: pairs of text."""

from __future__ import annotations

from typing import Any

from deltasql.base.errors.syntax import DuplicateKeyError
from deltasql.sql.parser.automaton import Tree
from deltasql.sql.parser.build import builds, caret
from deltasql.statements.nodes.properties import SetTableProperties
from deltasql.statements.nodes.table import DEFAULT_COLLATION


@builds("set_default_collation")
def _default_collation(children: list[Any], tree: Tree, text: str) -> SetTableProperties:
    """ALTER TABLE … DEFAULT COLLATION: a property, as that of CREATE TABLE."""
    table, collation = children
    return SetTableProperties(table, ((DEFAULT_COLLATION, collation),))


@builds("property")
def _property(children: list[Any], tree: Tree, text: str) -> tuple[str, str]:
    return children[0], children[1]


@builds("property_pairs")
def _properties(children: list[Any], tree: Tree, text: str) -> tuple[tuple[str, str], ...]:
    """Raises DuplicateKeyError, at the second, for a key that is given twice."""
    seen: set[str] = set()
    for (key, _), node in zip(children, tree.children, strict=True):
        if key in seen:
            raise DuplicateKeyError(key=key).at(caret(node, text))
        seen.add(key)
    return tuple(children)


@builds("property_key")
def _key(children: list[Any], tree: Tree, text: str) -> str:
    return ".".join(children)


@builds("property_value")
def _value(children: list[Any], tree: Tree, text: str) -> str:
    """A string's value; a number as it is written; a boolean in small letters."""
    first = tree.children[0]
    if first.name == "STRING":
        return str(children[0])
    written = "".join(text[token.start : token.end] for token in tree.children)
    return written.lower() if first.name in {"TRUE", "FALSE"} else written
