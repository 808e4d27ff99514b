"""The name that was probably meant, for the texts of errors."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(name: str, columns: Iterable[str]) -> str:
    """A sentence with the one of `columns` whose last part resembles that of `name`, led by a blank; else ""."""
    from difflib import get_close_matches

    wanted = name.rpartition(".")[2].strip("`")
    by_name = {column.rpartition(".")[2].strip("`"): column for column in reversed(list(columns))}
    if wanted in by_name:
        # It belongs to a table that is out of reach: another one's column is no misspelling of it.
        return ""
    folded = {name.lower(): column for name, column in by_name.items()}
    close = get_close_matches(wanted.lower(), list(folded), 1, 0.7)
    return f" Did you mean {folded[close[0]]}?" if close else ""
