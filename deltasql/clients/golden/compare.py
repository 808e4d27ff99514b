"""Compares two golden texts, statement by statement.

Compares the results of another engine with the golden files, statement by statement, and classifies differences.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

TITLE = "-- statement"
"""Beginning of the text of each statement."""

_PLACEHOLDER = re.compile(r"<(?:uuid-\d+|time|ms)>")

SCHEDULE = "-- schedule"
"""Beginning of the text of each schedule."""

_ALIKE = 0.6
"""The share of equal characters from which one SQL is taken for a changed version of the other."""


@dataclass(frozen=True, slots=True)
class Change:
    """A statement whose outcome differs: `diff` has the lines of a unified diff.

    `before` and `after` are the lines, from 1, at which its text begins in either golden text; 0 where it is missing.
    """

    title: str
    before: int
    after: int
    diff: str

    @property
    def heading(self) -> str:
        """The title, and whether only one of the texts has the statement."""
        if self.before and self.after:
            return self.title
        return f"{self.title} ({'only in the golden file' if self.before else 'new'})"


def difference(expected: str, actual: str) -> str:
    """ "" when equal, else a unified diff of each statement that differs, under its first line."""
    return "\n".join(f"@@ {change.heading}\n{change.diff}\n" for change in changes(expected, actual))


def changes(expected: str, actual: str) -> Iterator[Change]:
    """The statements that differ, in the order of the texts.

    Statements are matched by name, else by SQL, else by their position between matched ones.
    """
    if expected == actual:
        return
    for left, right in _pairs(_blocks(expected), _blocks(actual)):
        if left.text != right.text:
            lines = unified(left.text.splitlines(), right.text.splitlines(), 3)
            yield Change(_title(right.text or left.text), left.line, right.line, "\n".join(lines))


class _Block(NamedTuple):
    """The text of one statement, and the line that it begins at."""

    text: str
    line: int


_NONE = _Block("", 0)


def _pairs(old: Sequence[_Block], new: Sequence[_Block]) -> Iterator[tuple[_Block, _Block]]:
    """Matched pairs of old and new blocks; _NONE stands for a missing one."""
    names = _names(old) & _names(new)
    matcher = difflib.SequenceMatcher(
        None, [_key(item, names) for item in old], [_key(item, names) for item in new], False
    )
    for _, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        yield from _by_position(old[old_start:old_end], new[new_start:new_end])


def _names(blocks: Sequence[_Block]) -> set[str]:
    """The names that exactly one block has."""
    counts = Counter(_name(item.text) for item in blocks)
    return {name for name, number in counts.items() if name and number == 1}


def _key(item: _Block, names: set[str]) -> str:
    """The key by which a block is matched: its name, or title and SQL."""
    name = _name(item.text)
    return name if name in names else _statement(item.text)


def _by_position(old: Sequence[_Block], new: Sequence[_Block]) -> Iterator[tuple[_Block, _Block]]:
    """Pairs in order; if the numbers of blocks differ, only those with similar SQL."""
    if len(old) == len(new):
        yield from zip(old, new, strict=True)
        return
    start = 0
    for block in new:
        like = next((index for index in range(start, len(old)) if _alike(old[index], block)), None)
        if like is None:
            yield _NONE, block
            continue
        yield from ((gone, _NONE) for gone in old[start:like])
        yield old[like], block
        start = like + 1
    yield from ((gone, _NONE) for gone in old[start:])


def _alike(one: _Block, other: _Block) -> bool:
    # Titles are left out: they are often equal.
    first, second = (_statement(item.text).partition("\n")[2] for item in (one, other))
    return difflib.SequenceMatcher(None, first, second, False).ratio() >= _ALIKE


def hides(expected: str, actual: str) -> bool:
    """Whether the texts are equal except for values in `actual` that are placeholders in `expected`.

    This is true of files of earlier versions, which hid all values that looked like ids or times of the run.
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


def _blocks(text: str) -> list[_Block]:
    blocks: list[tuple[list[str], int]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith((TITLE, SCHEDULE)) or not blocks:
            blocks.append(([], number))
        blocks[-1][0].append(line)
    return [_Block("\n".join(lines).rstrip("\n"), number) for lines, number in blocks]


def _statement(block: str) -> str:
    """Title and SQL."""
    return block.split("\n-- ", 1)[0]


def _name(block: str) -> str:
    """The name from `-- name:`, "" without one."""
    return block.partition("\n")[0].removeprefix(TITLE).removeprefix(SCHEDULE).lstrip(": ")


def _title(block: str) -> str:
    return _name(block) or _statement(block).splitlines()[-1]


def unified(before: Sequence[str], after: Sequence[str], context: int) -> Iterator[str]:
    """The lines of a unified diff without its headers."""
    lines = difflib.unified_diff(before, after, lineterm="", n=context)
    # The two file headers are dropped by line number: a changed line that starts with -- looks like one of them.
    return (line for number, line in enumerate(lines) if number > 1 and not line.startswith("@@ "))


_ERROR = re.compile(r"^-- error (\S+)", re.MULTILINE)
_REFUSED = "UNSUPPORTED_FEATURE.SAIL"


class Verdict(Enum):
    """Result of one statement compared with its golden file; the value is its text in reports."""

    SAME = "the same to the last character"
    REFUSED = "refused by name"
    WORDED = "the same condition, worded otherwise"
    OTHER_ERROR = "another condition"
    FAILS = "fails"
    PASSES = "passes where it should fail"
    DIFFERS = "another result"
    FOLLOWS = "behind one of the file that failed otherwise"


def verdicts(expected: str, actual: str) -> list[tuple[str, Verdict]]:
    """The actual text of each statement of a golden file, with its verdict.

    A difference after an earlier statement of the file that failed unexpectedly counts as its consequence (FOLLOWS).
    """
    labelled, failed = list[tuple[str, Verdict]](), False
    for expected_block, actual_block in zip(_error_blocks(expected), _error_blocks(actual), strict=False):
        verdict = _verdict(expected_block, actual_block)
        if failed and verdict not in {Verdict.SAME, Verdict.REFUSED, Verdict.WORDED}:
            verdict = Verdict.FOLLOWS
        failed = failed or verdict in {Verdict.REFUSED, Verdict.FAILS, Verdict.PASSES}
        labelled.append((actual_block, verdict))
    return labelled


def summary(files: Iterable[tuple[str, str]]) -> str:
    """One line with the numbers of verdicts in some files, which are pairs of expected and actual text."""
    counts = Counter(verdict for expected, actual in files for _, verdict in verdicts(expected, actual))
    others = [f"{counts[verdict]} {verdict.value}" for verdict in Verdict if verdict is not Verdict.SAME]
    shown = [text for text in others if not text.startswith("0 ")]
    return f"{counts[Verdict.SAME]} of {counts.total()} statements {Verdict.SAME.value}; {', '.join(shown)}".rstrip(
        "; "
    )


def new_errors(expected: str, actual: str) -> list[str]:
    """The error conditions in `actual` whose blocks are not in `expected`."""
    old_blocks = Counter(_error_blocks(expected))
    return [
        _condition(block) for block in (Counter(_error_blocks(actual)) - old_blocks).elements() if _condition(block)
    ]


def _verdict(expected: str, actual: str) -> Verdict:
    if expected == actual:
        return Verdict.SAME
    should, does = _condition(expected), _condition(actual)
    if does.startswith(_REFUSED):
        return Verdict.REFUSED
    if should and does:
        return Verdict.WORDED if should.split(".")[0] == does.split(".")[0] else Verdict.OTHER_ERROR
    if does:
        return Verdict.FAILS
    return Verdict.PASSES if should else Verdict.DIFFERS


def _condition(block: str) -> str:
    match = _ERROR.search(block)
    return match[1] if match is not None else ""


def _error_blocks(text: str) -> Iterator[str]:
    for block in f"\n{text}".split("\n-- statement")[1:]:
        yield block.rstrip()
