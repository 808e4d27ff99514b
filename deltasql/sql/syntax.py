"""Where a statement is no SQL, when Spark has said so of a text that was made of parts of it.

Compares tokens, and asks sqlglot where it cannot go on; gives up on long texts and where nothing corresponds.
"""

from __future__ import annotations

from bisect import bisect_right
from difflib import SequenceMatcher

from deltasql.errors.base import Caret
from deltasql.lazy import exp, sqlglot
from deltasql.sql.references import DIALECT, parse_statement
from deltasql.sql.tokens import tokenize

# Token by token the comparison of two long texts takes a moment.
_MOST_TOKENS = 5000


def corresponding(generated: str, offset: int, sql: str) -> Caret | None:
    """The place in `sql` of what stands at `offset` of `generated`, a text made of parts of `sql` and words of our own.

    At a word of our own it is what stands before that. None where nothing corresponds.
    """
    ours, theirs = tokenize(generated), tokenize(sql)
    if len(ours) + len(theirs) > _MOST_TOKENS:
        return None
    at = bisect_right([token.end for token in ours], offset)
    matcher = SequenceMatcher(None, [token.text for token in ours], [token.text for token in theirs], autojunk=False)
    blocks = [block for block in matcher.get_matching_blocks() if block.size and block.a <= at]
    if not blocks:
        return None
    last = blocks[-1]
    if at == len(ours) and last.b + last.size == len(theirs):
        return Caret(sql, theirs[-1].end, theirs[-1].end)
    token = theirs[last.b + min(at - last.a, last.size - 1)]
    return Caret(sql, token.start, token.end)


def unreadable_part(sql: str) -> Caret | None:
    """The place where sqlglot cannot go on; None for a statement that it can read."""
    try:
        sqlglot.parse_one(sql, dialect=DIALECT)
    except sqlglot.errors.ParseError as error:
        error_details = error.errors[0] if error.errors else {}
        before = "".join(sql.splitlines(keepends=True)[: (error_details.get("line") or 1) - 1])
        end = len(before) + (error_details.get("col") or 0)
        start = end - len(error_details.get("highlight") or "")
        return Caret(sql, start, end) if 0 <= start < end <= len(sql) else None
    except (sqlglot.errors.SqlglotError, RecursionError, ValueError):
        return None
    return None


def can_be_read(sql: str) -> bool:
    """Whether sqlglot reads `sql` as a statement of SQL, and not as one that it merely passes on."""
    tree = parse_statement(sql.rstrip().rstrip(";"))
    return tree is not None and not isinstance(tree, exp.Command)
