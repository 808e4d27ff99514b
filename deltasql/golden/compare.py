"""Two golden texts, statement by statement."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence

TITLE = "-- statement"
"""How the text of each statement begins."""

_PLACEHOLDER = re.compile(r"<(?:uuid-\d+|time|ms)>")

SCHEDULE = "-- schedule"
"""How the text of each schedule begins."""


def difference(expected: str, actual: str) -> str:
    """ "" when equal, else a unified diff of each statement that differs, under its first line."""
    if expected == actual:
        return ""
    old, new = _blocks(expected), _blocks(actual)
    matcher = difflib.SequenceMatcher(
        None, [_statement(block) for block in old], [_statement(block) for block in new], False
    )
    parts: list[str] = []
    for kind, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        if kind == "equal":
            pairs = zip(old[old_start:old_end], new[new_start:new_end], strict=True)
            parts += [_diff(left, right) for left, right in pairs if left != right]
        else:
            parts += [_diff(block, "") for block in old[old_start:old_end]]
            parts += [_diff("", block) for block in new[new_start:new_end]]
    return "\n".join(parts)


def hides(expected: str, actual: str) -> bool:
    """Whether the texts are equal but for values in `actual` that stand as placeholders in `expected`.

    So it is where the expectation comes from a version that hid whatever looked like an id or a time of the run.
    """
    old, new = expected.splitlines(), actual.splitlines()
    return len(old) == len(new) and all(
        left == right or _hides(left, right) for left, right in zip(old, new, strict=True)
    )


def _hides(expected: str, actual: str) -> bool:
    # The numbers of ids differ where one is no longer counted.
    pieces = _PLACEHOLDER.split(expected)
    pattern = ".+?".join(re.escape(piece) for piece in pieces)
    return len(pieces) > 1 and re.fullmatch(pattern, actual) is not None


def _blocks(text: str) -> list[str]:
    blocks: list[list[str]] = []
    for line in text.splitlines():
        if line.startswith((TITLE, SCHEDULE)) or not blocks:
            blocks.append([])
        blocks[-1].append(line)
    return ["\n".join(lines).rstrip("\n") for lines in blocks]


def _statement(block: str) -> str:
    """Title and SQL: what a block is recognised by."""
    return block.split("\n-- ", 1)[0]


def _diff(expected: str, actual: str) -> str:
    block = actual or expected
    title = (
        block.splitlines()[0].removeprefix(TITLE).removeprefix(SCHEDULE).lstrip(": ")
        or _statement(block).splitlines()[-1]
    )
    state = "" if expected and actual else " (only in the golden file)" if expected else " (new)"
    return "\n".join([f"@@ {title}{state}", *_changes(expected, actual)]) + "\n"


def _changes(expected: str, actual: str) -> Iterator[str]:
    return unified(expected.splitlines(), actual.splitlines(), 3)


def unified(before: Sequence[str], after: Sequence[str], context: int) -> Iterator[str]:
    """The lines of a unified diff without its headers."""
    lines = difflib.unified_diff(before, after, lineterm="", n=context)
    # The two file headers go by place: a changed line that starts with -- looks like one of them.
    return (line for number, line in enumerate(lines) if number > 1 and not line.startswith("@@ "))
