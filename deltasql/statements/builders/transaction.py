"""BEGIN ATOMIC … END: its statements stay text, and are parsed one after another when the block is planned."""

from __future__ import annotations

from typing import Any

from deltasql.plan.base import SqlText
from deltasql.sql.parser.automaton import Tree
from deltasql.sql.parser.build import builds
from deltasql.sql.splitting import split
from deltasql.sql.tokens import tokenize
from deltasql.statements.nodes.transaction import BeginAtomic


@builds("begin_atomic")
def _begin_atomic(children: list[Any], tree: Tree, text: str) -> BeginAtomic:
    (block,) = tree.children
    # What looks like a later END stands in a comment.
    end = max(token.start for token in tokenize(text[block.start : block.end]) if token.key == "END")
    inside = text[block.start : block.start + end]
    return BeginAtomic(tuple(SqlText(item.text, block.start + item.start) for item in split(inside)))
