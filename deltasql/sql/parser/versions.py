"""VERSION AS OF variable: the number in a session variable replaces its name before the statement is parsed.

The text of a view or a function is stored and parsed again: there the version must be a literal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from deltasql.base.errors.base import Caret
from deltasql.base.errors.statements.settings import LastingVersionError, UnknownVersionError
from deltasql.sql.parameter_nodes import BoundStatement
from deltasql.sql.tokens import Token, tokenize

_WORDS = frozenset({"VERSION", "SYSTEM_VERSION"})
_BEHIND_A_COLUMN = frozenset(
    {"FROM", "WHERE", "GROUP", "HAVING", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT", "OFFSET", "QUALIFY"}
    | {"UNION", "INTERSECT", "EXCEPT", "MINUS", "WINDOW", "LATERAL"}
)
"""Keywords that may follow a column with the name `of`: SELECT version AS of FROM t."""
_LASTING = frozenset({"VIEW", "FUNCTION"})
_HEAD = 6
"""Words of CREATE OR REPLACE GLOBAL TEMPORARY VIEW, among which a temporary view is recognized."""


def bind_versions(bound: BoundStatement, evaluate: Callable[[str], Any]) -> BoundStatement:
    """The statement with numbers in place of session variables behind VERSION AS OF.

    `evaluate` gives the value of a name, None where it has none or no variable is called so. Raises UnknownVersionError
    for a name without a number, LastingVersionError for any name in a text that is stored.
    """
    tokens = tokenize(bound.sql) if "version" in bound.sql.lower() else []
    edits = []
    for at in range(len(tokens) - 3):
        first, end = at + 3, _name_end(tokens, at + 3)
        if tokens[at].key in _WORDS and [item.key for item in tokens[at + 1 : first]] == ["AS", "OF"] and end > first:
            start, stop = tokens[first].start, tokens[end - 1].end
            name = bound.sql[start:stop]
            if _lasts(tokens):
                raise LastingVersionError(name).at(Caret(bound.sql, start, stop))
            value = evaluate(name)
            if not isinstance(value, int) or isinstance(value, bool):
                raise UnknownVersionError(name).at(Caret(bound.sql, start, stop))
            edits.append((start, stop, str(value)))
    return bound.with_names(edits) if edits else bound


def _lasts(tokens: Sequence[Token]) -> bool:
    """Whether a statement defines a view or a function of the catalog."""
    head = {token.key for token in tokens[:_HEAD]}
    return tokens[0].key in {"CREATE", "ALTER"} and bool(head & _LASTING) and not head & {"TEMPORARY", "TEMP"}


def _name_end(tokens: Sequence[Token], at: int) -> int:
    """The index behind the name, of one or several parts, that begins at token `at`; `at` where none does."""
    end = at
    while end < len(tokens) and tokens[end].is_name and tokens[end].key not in _BEHIND_A_COLUMN:
        end += 1
        if end + 1 >= len(tokens) or tokens[end].key != "." or not tokens[end + 1].is_name:
            break
        end += 1
    return end
