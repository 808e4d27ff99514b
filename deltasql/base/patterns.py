"""The lexical elements of SQL as regular expressions: strings, quoted names, comments, numbers, words.

Defined only here, as texts without groups, for larger patterns that are compiled with re.DOTALL. Imports nothing, so
that packages below this one can use it. Source: Spark's lexer.
"""

from __future__ import annotations

# Raw strings come first, so that their backslashes are plain. A doubled quote inside is a quote.
STRING = r"""(?:[rR](?:'[^']*'|"[^"]*")|'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*")"""
DOLLAR_TEXT = r"\$\$(?:[^$]|\$(?!\$))*\$\$"
"""The body of a function between `$$`, whatever it holds. Bodies with tags, `$py$ … $py$`, are made these before."""
QUOTED_NAME = r"`(?:[^`]|``)*`"
WORD = r"\w+"
# What no word follows, and what is not the name of a file: `2024_x` is a word.
NUMBER = (
    r"(?:(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?(?:BD|[DFdf])?(?!\w)"
    r"|\d+[eE][+-]?\d+(?:BD|[DFdf])?(?!\w)"
    r"|\d+(?:BD|[LSYDFlsydf])?(?!\w))"
)
# A backslash at its end goes on with the comment in the next line. It has one end only: a comment that could end early
# makes two of a row of dashes, in as many ways as there are subsets of them, and a pattern around it tries them all.
LINE_COMMENT = r"--[^\r\n\\]*(?:\\(?:\n|(?!\n))[^\r\n\\]*)*(?![^\r\n])"
COMMENT_OPENING, COMMENT_CLOSING = r"/\*", r"\*/"
"""Delimiters of bracketed comments, which nest: `deltasql.base.tokens.comment_end` finds the end of one."""
BLANK = rf"(?:\s+|{LINE_COMMENT})"
"""White space, or a comment to the end of its line."""
GAP = rf"(?:\s|{LINE_COMMENT}|/\*(?:[^*]|\*(?!/))*(?:\*/|\Z))"
"""A blank or a comment, which ends at its first `*/`: for patterns that cannot count nested comments.

An unclosed one goes on to the end of the text, so that a search does not read the rest from each opening anew.
"""
OPEN_TEXT = (
    r"""(?:[rR](?:'[^']*(?:'|\Z)|"[^"]*(?:"|\Z))"""
    r"""|'(?:[^'\\]|\\.|'')*(?:'|\\?\Z)|"(?:[^"\\]|\\.|"")*(?:"|\\?\Z)|`(?:[^`]|``)*(?:`|\Z))"""
)
"""A string or a quoted name, also one that never ends."""
