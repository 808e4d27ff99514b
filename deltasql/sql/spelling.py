"""Which word was probably meant by one that is spelt much like it."""

from __future__ import annotations

from collections.abc import Iterable


def closest(word: str, words: Iterable[str]) -> str:
    """The one of `words` that `word` resembles; "" where none does, or several do equally. All are in capitals."""
    near = resembling(word, words)
    return near[0] if len(near) == 1 else ""


def resembling(word: str, words: Iterable[str]) -> list[str]:
    """Those of `words` that `word` resembles most."""
    near = [(_distance(word, other), other) for other in words if resembles(word, other)]
    least = min((distance for distance, _ in near), default=0)
    return [other for distance, other in near if distance == least]


def resembles(word: str, keyword: str) -> bool:
    """True for one wrong, missing, added or swapped letter; two in words of seven letters or more."""
    allowed = 2 if len(keyword) > 6 else 1
    return len(keyword) > 2 and len(word) > 2 and _distance(word, keyword) <= allowed


def _distance(left: str, right: str) -> int:
    """Edits between two words, where swapping neighbours is one edit (optimal string alignment)."""
    if abs(len(left) - len(right)) > 2:
        return 3
    rows = [list(range(len(right) + 1))]
    for i, a in enumerate(left, 1):
        row = [i]
        for j, b in enumerate(right, 1):
            best = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                best = min(best, rows[-2][j - 2] + 1)
            row.append(best)
        rows.append(row)
    return rows[-1][-1]
