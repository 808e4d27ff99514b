"""Time travel clauses."""

from __future__ import annotations

from typing import Any

from deltasql.base.errors.syntax import ParseSyntaxError
from deltasql.plan.base import Temporal
from deltasql.sql.parser.automaton import Tree
from deltasql.sql.parser.build import builds, caret


@builds("version_as_of")
def _version(children: list[Any], tree: Tree, text: str) -> Temporal:
    try:
        return Temporal(version=int(children[0]))
    except ValueError:
        reason = f"VERSION AS OF needs a whole number, not {children[0]!r}."
        raise ParseSyntaxError(reason, str(children[0])).at(caret(tree.children[0], text)) from None


@builds("timestamp_as_of")
def _timestamp(children: list[Any], tree: Tree, text: str) -> Temporal:
    return Temporal(timestamp=children[0])
