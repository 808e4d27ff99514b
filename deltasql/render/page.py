"""Text for a terminal that is looked at before it is shown."""

from __future__ import annotations

import io
import re
import unicodedata

_ESCAPE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


class Page(io.StringIO):
    """Collects output for a terminal. A `wide` one may have lines that are longer than the window."""

    def __init__(self, *, wide: bool = False) -> None:
        super().__init__()
        self.wide = wide

    def isatty(self) -> bool:
        return True

    @property
    def lines(self) -> list[str]:
        """The lines without their colours."""
        return _ESCAPE.sub("", self.getvalue()).splitlines()

    @property
    def height(self) -> int:
        return len(self.lines)

    @property
    def width(self) -> int:
        """Columns of the longest line."""
        return max(map(display_width, self.lines), default=0)


def display_width(text: str) -> int:
    """Columns that `text` takes in a terminal: wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )
