"""The name or the word that was probably meant, for the texts of errors. Nothing else in deltasql guesses.

Names, of any length and often parts of each other, are compared by what they share (Ratcliff and Obershelp, as in
difflib); words of a language, short and fixed, by how many slips of the hand lie between them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches

OPEN_SET = 0.7
"""The cutoff where a name need not be one of the known ones: it may be right, so a guess must be better."""


def similar_names(name: str, names: Iterable[str], *, most: int = 1, cutoff: float = 0.6) -> tuple[str, ...]:
    """Those of `names` that `name` resembles, best first, at most `most`; case is ignored.

    `cutoff`, 0 to 1, is the least share of equal letters. The default, difflib's, is for names that must be one of
    `names`, such as the fields of a struct; `OPEN_SET` for those that may be others.
    """
    folded: dict[str, str] = {}
    for item in names:
        folded.setdefault(item.lower(), item)
    return tuple(folded[close] for close in get_close_matches(name.lower(), list(folded), most, cutoff))


def meant(names: Iterable[str]) -> str:
    """The question whether one of `names` was meant; "" if there is none."""
    listed = " or ".join(names)
    return f"Did you mean {listed}?" if listed else ""


def did_you_mean(name: str, names: Iterable[str], *, cutoff: float = 0.6, shown: Callable[[str], str] = str) -> str:
    """The question with the one of `names` that `name` resembles most, led by a blank; "" if there is none.

    `cutoff` is that of `similar_names`; `shown` makes of a name what stands in SQL, such as quotes around it.
    """
    question = meant(shown(close) for close in similar_names(name, names, cutoff=cutoff))
    return question and f" {question}"


def column_meant(name: str, columns: Iterable[str]) -> str:
    """`did_you_mean` for a column of a query: only the last parts of `name` and of `columns` are compared."""
    last_part = _last_part(name)
    by_name: dict[str, str] = {}
    for column in columns:
        by_name.setdefault(_last_part(column), column)
    if last_part in by_name:
        # It belongs to a table that is out of reach: another one's column is no misspelling of it.
        return ""
    return did_you_mean(last_part, by_name, cutoff=OPEN_SET, shown=by_name.__getitem__)


def _last_part(column: str) -> str:
    return column.rpartition(".")[2].strip("`")


def closest(word: str, words: Iterable[str]) -> str:
    """The one of `words` that `word` resembles; "" where none does, or several do equally. All are in capitals."""
    near = resembling(word, words)
    return near[0] if len(near) == 1 else ""


def resembling(word: str, words: Iterable[str]) -> list[str]:
    """Those of `words` that `word` resembles most, in their order. All are in capitals."""
    near = [(_distance(word, other), other) for other in words if resembles(word, other)]
    least = min((distance for distance, _ in near), default=0)
    return [other for distance, other in near if distance == least]


def resembles(word: str, keyword: str) -> bool:
    """True for one wrong, missing, added or swapped letter; two in words of seven letters or more."""
    allowed = 2 if len(keyword) > 6 else 1
    return len(keyword) > 2 and len(word) > 2 and _distance(word, keyword) <= allowed


def _distance(left: str, right: str) -> int:
    """Edits between two words, where swapping neighbours is one edit (optimal string alignment); 3 for 3 and more
    letters of difference in length."""
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
