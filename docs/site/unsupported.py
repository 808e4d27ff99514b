"""The page of statements and clauses that deltasql refuses by name, out of the parser's table of them."""

from __future__ import annotations

import re
from collections import defaultdict

from deltasql.sql.parser.unsupported import TABLE, Unsupported

_POINTED_AT = re.compile(r"< ([^<>]+) >")
_ANYTHING = r"(?:…|⋯|~|\(|\)|\bname\b|\bstring\b|\bpart\b)"
_ANY = re.compile(rf"{_ANYTHING}(?:\s*{_ANYTHING})*")
"""Words of a pattern that stand for any text."""

_HEAD = """# Not implemented

deltasql refuses the statements and clauses below by name, with the advice in the second column. The condition is
mostly `DELTA_OPERATION_NOT_ALLOWED`, and the caret marks the words. Nothing is written. `|` separates alternatives,
`[…]` marks optional words, and `…` stands for any text. [Questions](faq.md#what-is-not-implemented) has the short list.

| refused | advice |
|---|---|
"""


def page() -> str:
    """One line for each advice, with all that it is given for."""
    by_advice: dict[str, list[str]] = defaultdict(list)
    for entry in TABLE:
        by_advice[entry.advice] += [name for name in names(entry) if name not in by_advice[entry.advice]]
    lines = (f"| {', '.join(map(_code, found))} | {_cell(advice)} |\n" for advice, found in by_advice.items())
    return _HEAD + "".join(lines)


def names(entry: Unsupported) -> list[str]:
    """The names of what an entry refuses, one for each pattern, each once."""
    found = []
    for pattern in entry.patterns:
        before, words, _ = _POINTED_AT.split(pattern, maxsplit=1)
        if entry.operation == "{words}":
            words = f"{before}{words}"
        words, verb = _ANY.sub("…", words), pattern.lstrip("< ").split()[0]
        found.append(" ".join(entry.operation.format(words=words, written=words, verb=verb).split()))
    return list(dict.fromkeys(found))


def _code(text: str) -> str:
    escaped = text.replace("|", "\\|")
    return f"`{escaped}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")
