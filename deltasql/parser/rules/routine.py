"""CREATE FUNCTION."""

from __future__ import annotations

from typing import Any

from deltasql.parser.automaton import Tree
from deltasql.parser.build import builds
from deltasql.plan.base import SqlText
from deltasql.plan.statements.routine import CreateFunction


@builds("create_function")
def _create_function(children: list[Any], tree: Tree, text: str) -> CreateFunction:
    mode, temporary, if_not_exists, function, *_ = children
    return CreateFunction(
        mode, temporary, if_not_exists, function, SqlText(text[function.end : tree.end], function.end)
    )
