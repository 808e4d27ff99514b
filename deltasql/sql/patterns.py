"""What the pieces of SQL text look like, as regular expressions: strings, quoted names, comments, numbers, words.

The only place that spells them. They are texts without groups of their own, to be put together into larger patterns
that are compiled with re.DOTALL. Imports nothing, so that rooms below this one can use it. Source: Spark's lexer.
"""

from __future__ import annotations

# Raw strings come first, so that their backslashes are plain. A doubled quote inside is a quote.
STRING = r"""(?:[rR](?:'[^']*'|"[^"]*")|'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*")"""
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
"""Of bracketed comments, which nest: where one ends only `deltasql.sql.extents.comment_end` knows."""
BLANK = rf"(?:\s+|{LINE_COMMENT})"
"""White space, or a comment to the end of its line."""
GAP = rf"(?:\s|{LINE_COMMENT}|/\*(?:[^*]|\*(?!/))*(?:\*/|\Z))"
"""A blank or a comment, which ends at its first end: for patterns that cannot count how deep comments nest.

One that never ends goes on to the end of the text, so that a search does not read the rest from each opening anew.
"""
OPEN_TEXT = (
    r"""(?:[rR](?:'[^']*(?:'|\Z)|"[^"]*(?:"|\Z))"""
    r"""|'(?:[^'\\]|\\.|'')*(?:'|\\?\Z)|"(?:[^"\\]|\\.|"")*(?:"|\\?\Z)|`(?:[^`]|``)*(?:`|\Z))"""
)
"""A string or a quoted name, also one that never ends."""
