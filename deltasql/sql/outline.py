"""Patterns over the words of a statement, for texts that the grammar does not take."""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

from deltasql.sql.lexicon import LINE_COMMENT, QUOTED_NAME, STRING

_TOKEN = re.compile(
    rf"""(?P<blank>\s+|{LINE_COMMENT}|/\*.*?(?:\*/|$))|(?P<string>{STRING})|(?P<quoted>{QUOTED_NAME})|(?P<word>\w+)"""
    r"|(?P<symbol>.)",
    re.DOTALL,
)
# From a bracket to the first one of its number that closes, so that there is one way only to match.
_GROUP = r"\((?P<{0}>\d+) (?:(?!\)(?P={0}) )\S+ )*\)(?P={0}) "
_PART = r"(?:\w+|`x`) "
_ELEMENTS = {
    "name": rf"(?:{_PART}(?:\. {_PART})*(?:@ {_PART})?|'x' )",
    "part": _PART,
    "string": "'x' ",
    "(": r"\(\d+ ",
    "()": _GROUP,
    # Not what begins a name: neither an opening bracket nor a comma.
    "~": r"[^(,\s]\S* ",
    "…": rf"(?:{_GROUP}|[^()\s]\S* )*?",
    "⋯": r"(?:\S+ )*?",
    "end": "(?:; )*$",
    "GT": "> ",
    "<": "(?P<caret>",
    ">": ")",
}


# Patterns with two gaps take the square of the length.
_MOST_TOKENS = 3000
_EXPLAIN = re.compile(r"(?:EXPLAIN (?:EXTENDED |FORMATTED |CODEGEN |COST )?)?")


class Outline(NamedTuple):
    """A statement as one line of its tokens: words in capitals, `x` and 'x' for what is quoted, numbered brackets.

    `places` are the offsets of the tokens, (start, end).
    """

    line: str
    places: tuple[tuple[int, int], ...]

    @property
    def verb(self) -> str:
        """The first word of the statement that is explained."""
        first = _EXPLAIN.match(self.line)
        assert first is not None
        return self.line[first.end() :].split(maxsplit=1)[0]


def outline(text: str) -> Outline:
    """The first tokens of `text`, without blanks and comments."""
    tokens, places, depth = [], [], 0
    for match in _TOKEN.finditer(text):
        kind, token = match.lastgroup, match[0]
        if kind == "blank":
            continue
        if kind == "symbol" and token in "([":
            depth += 1
            token = f"{token}{depth}"
        elif kind == "symbol" and token in ")]":
            token = f"{token}{depth}"
            depth -= 1
        shown = {"string": "'x'", "quoted": "`x`", "word": token.upper()}.get(str(kind), token)
        tokens.append(shown)
        places.append(match.span())
        if len(tokens) == _MOST_TOKENS:
            break
    return Outline("".join(f"{token} " for token in tokens), tuple(places))


def find(pattern: str, statement: Outline) -> tuple[int, int] | None:
    """Where in the text stands what `pattern` has between < and >, if the statement begins as the pattern says.

    A pattern is words with blanks between: `A|B` is a choice, `[A|B]` may be missing, `name` a name with its dots and
    `part` one of its parts, `string` a string, `(` an opening bracket and `()` a group, `~` any token that is no
    bracket or comma, `…` anything outside of brackets, `⋯` anything at all, `end` the end. EXPLAIN and WITH may stand
    before it.
    """
    match = _compiled(pattern).match(statement.line)
    if match is None:
        return None
    first, last = (statement.line.count(" ", 0, edge) for edge in match.span("caret"))
    if first == len(statement.places):
        end = statement.places[-1][1]
        return end, end
    return statement.places[first][0], statement.places[max(first, last - 1)][1]


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str]:
    parts = [_EXPLAIN.pattern, "(?:WITH " + _ELEMENTS["…"].format("w") + ")?"]
    for number, element in enumerate(pattern.split()):
        known = _ELEMENTS.get(element)
        if known is not None:
            parts.append(known.replace("{0}", f"g{number}"))
        elif element.startswith("["):
            parts.append(f"(?:{_choice(element[1:-1])} )?")
        else:
            parts.append(f"{_choice(element)} ")
    return re.compile("".join(parts))


def _choice(words: str) -> str:
    return "(?:" + "|".join(re.escape(word) for word in words.split("|")) + ")"
