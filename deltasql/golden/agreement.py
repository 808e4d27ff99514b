"""Compares the results of another engine with the golden files, statement by statement, and classifies differences."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from enum import Enum

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
    for expected_block, actual_block in zip(_blocks(expected), _blocks(actual), strict=False):
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
    old_blocks = Counter(_blocks(expected))
    return [_condition(block) for block in (Counter(_blocks(actual)) - old_blocks).elements() if _condition(block)]


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


def _blocks(text: str) -> Iterator[str]:
    for block in f"\n{text}".split("\n-- statement")[1:]:
        yield block.rstrip()
