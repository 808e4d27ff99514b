"""Suggestions for queries with a syntax error, where the text could be parsed with one word changed.

Looks at the words around the offset where Spark's parser stopped, and gives up where several changes would do.

Where a statement is no SQL, when Spark has said so of a text that was made of parts of it.

Compares tokens, and asks sqlglot where it cannot go on; gives up on long texts and where nothing corresponds.
"""

from __future__ import annotations

from bisect import bisect_right
from difflib import SequenceMatcher
from itertools import pairwise

from deltasql.base.errors.base import Caret
from deltasql.base.errors.suggestion import resembling
from deltasql.base.lazy import exp, sqlglot
from deltasql.sql.references import DIALECT, parse_statement
from deltasql.sql.tokens import Token, tokenize

_WORDS = (
    *("SELECT", "FROM", "WHERE", "GROUP", "ORDER", "HAVING", "LIMIT", "OFFSET", "JOIN", "LEFT", "RIGHT", "INNER"),
    *("OUTER", "FULL", "CROSS", "SEMI", "ANTI", "LATERAL", "USING", "UNION", "ALL", "DISTINCT", "INTERSECT", "EXCEPT"),
    *("AND", "NOT", "LIKE", "ILIKE", "RLIKE", "BETWEEN", "NULL", "EXISTS", "CASE", "WHEN", "THEN", "ELSE", "END"),
    *("DESC", "ASC", "VALUES", "WITH", "OVER", "PARTITION", "VERSION", "TIMESTAMP", "INTERVAL", "QUALIFY", "PIVOT"),
    *("UNPIVOT", "TABLESAMPLE", "RECURSIVE", "ESCAPE", "FILTER", "NULLS", "FIRST", "LAST", "ROWS", "RANGE"),
)
_BEFORE_BY = frozenset({"GROUP", "ORDER", "PARTITION", "CLUSTER", "DISTRIBUTE", "SORT"})
_AFTER = {
    **dict.fromkeys(("FROM", "JOIN"), "a table"),
    **dict.fromkeys(("WHERE", "AND", "OR", "NOT", "ON", "HAVING", "WHEN", "QUALIFY"), "a condition"),
    **dict.fromkeys(("LIMIT", "OFFSET"), "a number"),
    **dict.fromkeys(("BY", "SELECT", "DISTINCT"), "columns"),
    **dict.fromkeys(("UNION", "EXCEPT", "INTERSECT", "ALL"), "a query"),
    **dict.fromkeys(("LIKE", "ILIKE", "RLIKE"), "a pattern"),
    **dict.fromkeys(("THEN", "ELSE", "BETWEEN"), "a value"),
    **dict.fromkeys(("=", "==", "<", ">", "<=", ">=", "<>", "!=", "+", "-", "/", "%", "||"), "a value"),
    "GROUP": "BY",
    "ORDER": "BY",
    "IN": "values in parentheses",
    "AS": "a name",
    "CASE": "WHEN",
}
"""Keywords that cannot end a statement, with what must follow each."""
_MOST_TOKENS = 2000


def meant(sql: str, at: int) -> tuple[str, Caret] | None:
    """The likely mistake near offset `at`, where Spark's parser stopped, as sentences and caret; None if unclear."""
    tokens = tokenize(sql)
    if not tokens or len(tokens) > _MOST_TOKENS:
        return None
    index = next((index for index, token in enumerate(tokens) if token.end > at), len(tokens))
    if index >= len(tokens) - 2:
        ended = unfinished(sql)
        if ended:
            return ended
    for token_index in (index, index - 1, index - 2):
        if 0 <= token_index < len(tokens):
            suggestion = _word_by(sql, tokens, token_index) or _word_misspelt(sql, tokens, token_index)
            if suggestion:
                return suggestion
    return None


def unfinished(sql: str) -> tuple[str, Caret] | None:
    """The missing end of a statement, as sentence and caret, where its last word requires more; None for any other."""
    tokens = [token for token in tokenize(sql) if token.key != ";"]
    last = tokens[-1] if tokens else None
    before = tokens[-2].key if len(tokens) > 1 else ""
    if last is None or before in {"AS", "."}:
        return None
    caret = Caret(sql, last.end, last.end)
    if last.key == ",":
        return "Found the end of the statement after a comma. Remove the comma.", Caret(sql, last.start, last.end)
    expected = _AFTER.get(last.key)
    return (f"Found the end of the statement, but expected {expected} after {last.key}.", caret) if expected else None


def without_from(sql: str) -> tuple[str, Caret] | None:
    """The missing FROM, as in `SELECT * orders`, as sentence and caret; None for any other statement."""
    tokens = tokenize(sql)
    if any(token.key == "FROM" for token in tokens):
        return None
    for star, name in pairwise(tokens):
        if star.key == "*" and name.is_name:
            sentence = f"Found '{name.text}', but expected FROM. Did you mean FROM {name.text}?"
            return sentence, Caret(sql, name.start, name.end)
    return None


def _word_by(sql: str, tokens: list[Token], index: int) -> tuple[str, Caret] | None:
    """The missing BY of ORDER qty, or AS OF for VERSION OF 1, as sentence and caret."""
    token = tokens[index]
    after = tokens[index + 1].key if index + 1 < len(tokens) else ""
    if token.key in _BEFORE_BY and after != "BY" and can_be_read(f"{sql[: token.end]} BY{sql[token.end :]}"):
        return f"Found '{token.text}' without BY. Did you mean {token.key} BY?", Caret(sql, token.start, token.end)
    if token.key in {"VERSION", "TIMESTAMP"} and after == "OF":
        return f"Found '{token.text} OF'. Did you mean {token.key} AS OF?", Caret(
            sql, token.start, tokens[index + 1].end
        )
    return None


def _word_misspelt(sql: str, tokens: list[Token], index: int) -> tuple[str, Caret] | None:
    token = tokens[index]
    dotted = index > 0 and tokens[index - 1].key == "."
    if token.kind != "word" or token.key in _WORDS or dotted:
        return None
    words = [word for word in resembling(token.key, _WORDS) if can_be_read(_with(sql, token, word))]
    if len(words) != 1:
        return None
    return f"Found '{token.text}'. Did you mean {words[0]}?", Caret(sql, token.start, token.end)


def _with(sql: str, token: Token, word: str) -> str:
    return f"{sql[: token.start]}{word}{sql[token.end :]}"


# Token by token the comparison of two long texts takes a moment.
_MOST_TOKENS_syntax = 5000


def corresponding(generated: str, offset: int, sql: str) -> Caret | None:
    """The place in `sql` of what stands at `offset` of `generated`, a text made of parts of `sql` and words of our own.

    At a word of our own it is what stands before that. None where nothing corresponds.
    """
    ours, theirs = tokenize(generated), tokenize(sql)
    if len(ours) + len(theirs) > _MOST_TOKENS_syntax:
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
