"""Patterns over the words of a statement, for texts that the grammar does not take.

Reads only the first thousands of tokens of a text.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from deltasql.sql.tokens import tokens_from

# From a bracket to the first one of its number that closes, so that there is one way only to match.
_GROUP = r"\((?P<{0}>\d+) (?:(?!\)(?P={0}) )\S+ )*\)(?P={0}) "
_PART = r"(?:\w+|`x`) "
_ELEMENTS = {
    "name": rf"(?:{_PART}(?:\. {_PART})*(?:@ {_PART})?|'x' )",
    "part": _PART,
    "string": "'x' ",
    "number": r"\d{1,16} ",
    "[name]": rf"\[\d+ [A-Z_`](?:\w*|x`) (?:{_PART})*\]\d+ ",
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
_MOST_ELEMENTS = 3000
_QUOTED = {"string": "'x'", "quoted": "`x`"}
_EXPLAIN = re.compile(r"(?:EXPLAIN (?:EXTENDED |FORMATTED |CODEGEN |COST |ANALYZE (?!TABLE))?)?")


class Outline(NamedTuple):
    """A statement as one line of its tokens: words in capitals, `x` and 'x' for what is quoted, numbered brackets.

    `offsets` are the offsets of the tokens, (start, end).
    """

    line: str
    offsets: tuple[tuple[int, int], ...]

    @property
    def verb(self) -> str:
        """The first word of the statement that is explained."""
        first = _EXPLAIN.match(self.line)
        assert first is not None
        return self.line[first.end() :].split(maxsplit=1)[0]


def outline(text: str) -> Outline:
    """The first tokens of `text`, without blanks and comments."""
    elements, positions, depth = [], [], 0
    for shown, start, end in islice(_elements(text), _MOST_ELEMENTS):
        numbered = shown
        if shown in {"(", "["}:
            depth += 1
            numbered = f"{shown}{depth}"
        elif shown in {")", "]"}:
            numbered = f"{shown}{depth}"
            depth -= 1
        elements.append(numbered)
        positions.append((start, end))
    return Outline("".join(f"{element} " for element in elements), tuple(positions))


def _elements(text: str) -> Iterator[tuple[str, int, int]]:
    """The tokens of `text` as they are shown, with their places; of an operator each character is one."""
    for token in tokens_from(text, 0):
        if token.kind == "symbol":
            yield from ((char, at, at + 1) for at, char in enumerate(token.text, token.start))
        else:
            yield _QUOTED.get(token.kind, token.text.upper()), token.start, token.end


def find(pattern: str, statement: Outline) -> tuple[int, int] | None:
    """Where in the text stands what `pattern` has between < and >, if the statement begins as the pattern says.

    A pattern is words with blanks between: `A|B` is a choice, `[A|B]` may be missing, `!A|B` must not follow, `name` is
    a name with its dots and `part` one of its parts, `string` a string, `number` a whole number that is too short for
    the time behind @, `(` an opening bracket and `()` a group, `[name]` words in square brackets, `~` any token that is
    no bracket or comma, `…` anything outside of brackets, `⋯` anything at all, `end` the end. EXPLAIN and WITH may
    stand before it.
    """
    match = _compiled(pattern).match(statement.line)
    if match is None:
        return None
    first, last = (statement.line.count(" ", 0, edge) for edge in match.span("caret"))
    if first == len(statement.offsets):
        end = statement.offsets[-1][1]
        return end, end
    return statement.offsets[first][0], statement.offsets[max(first, last - 1)][1]


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str]:
    parts = [_EXPLAIN.pattern, "(?:WITH " + _ELEMENTS["…"].format("w") + ")?"]
    for number, element in enumerate(pattern.split()):
        compiled = _ELEMENTS.get(element)
        if compiled is not None:
            parts.append(compiled.replace("{0}", f"g{number}"))
        elif element.startswith("!"):
            parts.append(f"(?!{_choice(element[1:])} )")
        elif element.startswith("["):
            parts.append(f"(?:{_choice(element[1:-1])} )?")
        else:
            parts.append(f"{_choice(element)} ")
    return re.compile("".join(parts))


def _choice(words: str) -> str:
    return "(?:" + "|".join(re.escape(word) for word in words.split("|")) + ")"
