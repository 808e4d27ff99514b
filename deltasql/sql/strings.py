"""The values of quoted text."""

from __future__ import annotations

import re

_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|(.))", re.DOTALL)
_SHORT = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a", "%": "\\%", "_": "\\_"}


def unquote(literal: str) -> str:
    r"""The value of a string literal: '…', "…" with backslash escapes and doubled quotes, or raw r'…'.

    As in Spark, `\%` and `\_` keep their backslash, because LIKE reads them.
    """
    if literal[0] in "rR":
        return literal[2:-1]
    quote = literal[0]
    body = literal[1:-1]
    if "\\" not in body:
        return body.replace(quote * 2, quote)
    return "".join(
        _unescape(part) if part.startswith("\\") else part.replace(quote * 2, quote)
        for part in re.split(r"(\\(?:u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2}|.))", body, flags=re.DOTALL)
    )


def unquote_name(written: str) -> str:
    """A name without its back-ticks."""
    return written[1:-1].replace("``", "`") if written.startswith("`") else written


def _unescape(escape: str) -> str:
    match = _ESCAPE.fullmatch(escape)
    assert match is not None
    short, long, octal, char = match.groups()
    if short or long:
        return chr(int(short or long, 16))
    if octal:
        return chr(int(octal, 8))
    return _SHORT.get(char, char)
