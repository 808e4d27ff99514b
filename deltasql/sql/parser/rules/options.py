"""Clauses that may stand in any order, each once."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from deltasql.base.errors.syntax import DuplicateClausesError
from deltasql.sql.parser.automaton import Tree
from deltasql.sql.parser.build import caret


class Clause(NamedTuple):
    """A clause by the field of the node that it sets."""

    field: str
    value: Any


def collect(clauses: list[Clause], trees: list[Tree], text: str) -> dict[str, Any]:
    """Values by field. Raises DuplicateClausesError, at the second, when a field is set twice."""
    values: dict[str, Any] = {}
    for clause, tree in zip(clauses, trees, strict=True):
        if clause.field in values:
            raise DuplicateClausesError(_title(tree, text)).at(caret(tree, text))
        values[clause.field] = clause.value
    return values


def _title(tree: Tree, text: str) -> str:
    """The clause's leading keyword as the user wrote it, in capitals."""
    return re.split(r"[\s=(]", text[tree.start : tree.end], maxsplit=1)[0].upper()
