"""Colours for SQL, from the grammar's own keywords."""

from __future__ import annotations

import re
from functools import cache

from pygments.lexer import RegexLexer, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

from deltasql.parser import keywords


@cache
def sql_lexer() -> type[RegexLexer]:
    """A pygments lexer class of our dialect."""
    known = tuple(sorted(keywords()))
    tokens = {
        "root": [
            (r"\s+", Whitespace),
            (r"--.*", Comment.Single),
            (r"/\*", Comment.Multiline, "comment"),
            (r"r?'(?:[^'\\]|\\[\s\S])*'?|r?\"(?:[^\"\\]|\\[\s\S])*\"?", String),
            (r"`(?:[^`]|``)*`?", Name.Quoted),
            (r"\d+(?:\.\d*)?(?:[eE][+-]?\d+)?\w*|\.\d+", Number),
            (words(known, prefix=r"\b", suffix=r"\b"), Keyword),
            (r"\w+", Name),
            (r"[-+*/%<>=!|&^~@:?$\\]+", Operator),
            (r".", Punctuation),
        ],
        "comment": [
            (r"[^*/]+", Comment.Multiline),
            (r"/\*", Comment.Multiline, "#push"),
            (r"\*/", Comment.Multiline, "#pop"),
            (r"[*/]", Comment.Multiline),
        ],
    }
    return type("DeltaSqlLexer", (RegexLexer,), {"name": "deltasql", "flags": re.IGNORECASE, "tokens": tokens})
