"""The column `_metadata` of a table in a query: the file of a row, its row index, and its row id.

A query may name it, and `*` does not include it. A view cannot hide a column: a table whose `_metadata` a query names
has it as a plain column, and each `*` over the table excludes it.

Works on brackets, set operators, stars and names; a column of the user's with this name is taken for it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from deltasql.plan.operators import METADATA
from deltasql.sql.cursor import TokenCursor
from deltasql.sql.queries.relations import TableReference
from deltasql.sql.text_edits import Replacement
from deltasql.sql.tokens import Token, tokenize

_SET_OPERATORS = frozenset({"UNION", "EXCEPT", "INTERSECT", "MINUS", "SETMINUS"})
_QUERY_STARTS = frozenset({"SELECT", "FROM", "WITH", "TABLE", "VALUES", "MAP", "REDUCE"})
_BEFORE_STAR = frozenset({"SELECT", "DISTINCT", "ALL", ",", "."})


@dataclass(slots=True)
class _Block:
    """One SELECT with its clauses: the tables in its FROM (indices of references), names of `_metadata`, stars.

    A name or a star has the qualifier in front of it, "" without one; a star also the index of its token.
    """

    parent: _Block | None
    tables: list[int] = field(default_factory=list)
    named: list[str] = field(default_factory=list)
    stars: list[tuple[int, str]] = field(default_factory=list)


class NamedMetadata:
    """The `references`, by index, whose `_metadata` a query names; without a qualifier all tables of its SELECT."""

    def __init__(self, sql: str, references: Sequence[TableReference]) -> None:
        self._references = references
        self._tokens = tokenize(sql) if METADATA in sql.lower() else []
        self._blocks = _blocks(self._tokens, references)
        named = ((block, name) for block in self._blocks for name in block.named)
        self.references = frozenset(index for block, name in named for index in _owners(block, name, references))

    def hidden_from_stars(self, carried: Collection[int]) -> Iterator[Replacement]:
        """Replacements by which stars exclude the `_metadata` of the `carried` references."""
        for block in self._blocks:
            aliases = [_alias(self._references[index]) for index in block.tables if index in carried]
            for at, qualifier in block.stars:
                met = [alias for alias in aliases if qualifier in {"", alias.lower()}]
                if met:
                    yield _narrowed(self._tokens, at, met)


def _blocks(tokens: list[Token], references: Sequence[TableReference]) -> list[_Block]:
    """The SELECTs of a query. A bracketed join is part of the block around it, a set operator begins another."""
    current = _Block(None)
    blocks, around, depths = [current], [], [0]
    starts = {reference.start: index for index, reference in enumerate(references)}
    at = TokenCursor(tokens)
    for index, token in enumerate(tokens):
        at.at = index
        if token.key == "(":
            around.append(current)
            depths.append(depths[-1] + 1)
            if at.peek(1) in _QUERY_STARTS:
                current = _Block(current)
                blocks.append(current)
                depths[-1] = 0
        elif token.key == ")" and around:
            current = around.pop()
            depths.pop()
        elif token.key in _SET_OPERATORS and depths[-1] == 0 and not _is_star_clause(at):
            current = _Block(current.parent)
            blocks.append(current)
        if token.start in starts:
            current.tables.append(starts[token.start])
        _note(current, at, depths[-1])
    return blocks


def _note(block: _Block, at: TokenCursor, depth: int) -> None:
    """Records the column's name or a star in its block, with its qualifier."""
    before = at.peek(-1)
    if at.is_name and at.tokens[at.at].name.lower() == METADATA and before != "AS":
        block.named.append(_qualifier(at))
    elif at.key == "*" and depth == 0 and before in _BEFORE_STAR:
        block.stars.append((at.at, _qualifier(at)))


def _qualifier(at: TokenCursor) -> str:
    """The name before the dot in front of the next token, in lower case; "" where there is none."""
    qualified = at.peek(-1) == "." and at.is_name_at(-2)
    return at.tokens[at.at - 2].name.lower() if qualified else ""


def _is_star_clause(at: TokenCursor) -> bool:
    """Whether EXCEPT belongs to a star: `* EXCEPT (a, b)`."""
    return at.key == "EXCEPT" and at.peek(-1) == "*"


def _owners(block: _Block | None, name: str, references: Sequence[TableReference]) -> Iterator[int]:
    """The tables that a name of `_metadata` can mean, from the innermost block that has any."""
    while block is not None:
        tables = [index for index in block.tables if name in {"", _alias(references[index]).lower()}]
        if tables:
            yield from tables
            return
        block = block.parent


def _narrowed(tokens: list[Token], star: int, aliases: Sequence[str]) -> Replacement:
    """Replacement that excludes the column of these tables from a star: by EXCEPT, or more names in the one it has."""
    # In back-ticks always, as the views have their aliases.
    left_out = ", ".join(f"`{alias.replace('`', '``')}`.{METADATA}" for alias in aliases)
    at = TokenCursor(tokens, star + 1)
    if _is_star_clause(at) and at.peek(1) == "(":
        return tokens[star + 2].end, tokens[star + 2].end, f"{left_out}, "
    return tokens[star].end, tokens[star].end, f" EXCEPT ({left_out})"


def _alias(reference: TableReference) -> str:
    return reference.alias if reference.alias is not None else reference.parts[-1]
