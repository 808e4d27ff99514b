"""Colours for SQL, from the grammar's own keywords."""

from __future__ import annotations

import re
from functools import cache

from pygments.lexer import RegexLexer, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

from deltasql.parser import keywords
from deltasql.sql.patterns import COMMENT_CLOSING, COMMENT_OPENING, LINE_COMMENT, QUOTED_NAME, STRING, WORD


@cache
def sql_lexer() -> type[RegexLexer]:
    """A pygments lexer class of our dialect."""
    keyword_names = tuple(sorted(keywords()))
    tokens = {
        "root": [
            (r"\s+", Whitespace),
            (LINE_COMMENT, Comment.Single),
            (COMMENT_OPENING, Comment.Multiline, "comment"),
            (STRING, String),
            (QUOTED_NAME, Name.Quoted),
            # What is being typed: a quote that does not end yet.
            (r"r?['\"].*", String),
            (r"`.*", Name.Quoted),
            (r"\d+(?:\.\d*)?(?:[eE][+-]?\d+)?\w*|\.\d+", Number),
            (words(keyword_names, prefix=r"\b", suffix=r"\b"), Keyword),
            (WORD, Name),
            (r"[-+*/%<>=!|&^~@:?$\\]+", Operator),
            (r".", Punctuation),
        ],
        "comment": [
            (r"[^*/]+", Comment.Multiline),
            (COMMENT_OPENING, Comment.Multiline, "#push"),
            (COMMENT_CLOSING, Comment.Multiline, "#pop"),
            (r"[*/]", Comment.Multiline),
        ],
    }
    return type(
        "DeltaSqlLexer", (RegexLexer,), {"name": "deltasql", "flags": re.IGNORECASE | re.DOTALL, "tokens": tokens}
    )
