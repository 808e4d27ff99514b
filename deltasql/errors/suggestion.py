"""The name that was probably meant, for the texts of errors."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(name: str, columns: Iterable[str]) -> str:
    """A sentence with the one of `columns` whose last part resembles that of `name`, led by a blank; else ""."""
    from difflib import get_close_matches

    by_name = {column.rpartition(".")[2].strip("`").lower(): column for column in reversed(list(columns))}
    close = get_close_matches(name.rpartition(".")[2].strip("`").lower(), list(by_name), 2, 0.7)
    return f" Did you mean {by_name[close[0]]}?" if close else ""
