"""Patterns of paths as Hadoop reads them: ?, *, [a-z], [^a-z] and {one,other}; a star does not go past a slash.

Source: Hadoop, FileSystem.globStatus.
"""

from __future__ import annotations

import re

SPECIAL = re.compile(r"[*?\[{]")
"""Whether a text is a pattern, and no plain path."""


def glob_expression(glob: str) -> re.Pattern[str]:
    """The regular expression of the paths that a pattern matches as a whole. Raises ValueError with the reason."""
    pieces: list[str] = []
    at = depth = 0
    while at < len(glob):
        char = glob[at]
        at += 1
        if char == "[":
            piece, at = _characters(glob, at)
            pieces.append(piece)
            continue
        if char == "\\":
            if at == len(glob):
                raise ValueError("it ends with a backslash")
            char, at = glob[at], at + 1
            pieces.append(re.escape(char))
            continue
        pieces.append(_piece(char, inside=depth > 0))
        depth += (char == "{") - (char == "}" and depth > 0)
    if depth:
        raise ValueError("a { is not closed")
    return re.compile("".join(pieces), re.DOTALL)


def _piece(char: str, *, inside: bool) -> str:
    """One character; `inside` braces a comma and the closing brace mean something."""
    anywhere = {"*": "[^/]*", "?": "[^/]", "{": "(?:"}
    return anywhere.get(char) or ({",": "|", "}": ")"}.get(char) if inside else None) or re.escape(char)


def _characters(glob: str, start: int) -> tuple[str, int]:
    """The characters of [a-z] or [^a-z], whose bracket is open, and the offset behind it."""
    end = glob.find("]", start + 1)
    if end < 0:
        raise ValueError("a [ is not closed")
    inner = glob[start:end]
    negated = inner[:1] in {"^", "!"}
    inner = inner[negated:].replace("\\", r"\\").replace("[", r"\[").replace("^", r"\^")
    expression = f"(?!/)[{'^' * negated}{inner}]"
    try:
        re.compile(expression)
    except re.error:
        raise ValueError(f"[{glob[start:end]}] is no range of characters") from None
    return expression, end + 1
