"""Formats for the eye: table, vertical, markdown.

Text for a terminal that is looked at before it is shown.

A result laid out as cells.
"""

from __future__ import annotations

import io
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import compress, zip_longest
from shutil import get_terminal_size
from typing import Any, TextIO

from deltasql.files.render.values import value_text
from deltasql.schema.types import DataType, DecimalType, PrimitiveType, StructType

_NUMBERS = frozenset({"byte", "short", "integer", "long", "float", "double"})


@dataclass(frozen=True)
class Grid:
    """Column names and rows of values with their types; `width` cuts the text of cells (0: no cut).

    `more`: the result that these rows are of has others besides.
    """

    schema: StructType
    rows: Sequence[Sequence[Any]]
    time_zone: str = ""
    width: int = 0
    more: bool = False

    @property
    def header(self) -> list[str]:
        return [_cut(name, self.width) for name in self.schema.names]

    @property
    def numeric(self) -> list[bool]:
        """Which columns hold numbers, and so stand to the right."""
        return [_is_number(item.type) for item in self.schema]

    def cells(self) -> list[list[str]]:
        """The text of each value, one list per row; NULL is `NULL`."""
        types = [item.type for item in self.schema]
        return [
            [_cut(value_text(value, kind, self.time_zone), self.width) for value, kind in zip(row, types, strict=True)]
            for row in self.rows
        ]


def _is_number(kind: DataType) -> bool:
    return isinstance(kind, DecimalType) or (isinstance(kind, PrimitiveType) and kind.name in _NUMBERS)


def _cut(text: str, width: int) -> str:
    if not width or len(text) <= width:
        return text
    return text[:width] if width < 4 else text[: width - 3] + "..."


_ESCAPES = str.maketrans({"\n": "\\n", "\r": "\\r", "\t": "\\t"})


NARROWEST = 12
"""Characters that a column needs to be read where its values have more."""

WIDEST = 240
"""Characters of a line in a file or a pipe. A table with longer ones can neither be read nor reviewed."""


def write_screen(grid: Grid, stream: TextIO) -> None:
    """A table, or blocks of lines where it is too wide for the window, or outside of a terminal for WIDEST.

    The blocks leave out columns that are NULL in every row, and name them at the end. Outside of a terminal the same
    rows always give the same text.
    """
    fits = _fits(grid, get_terminal_size().columns) if stream.isatty() else _table_width(grid) <= WIDEST
    # The lines of blocks are no shorter where there is one column.
    if fits or len(grid.schema) == 1:
        write_boxed(grid, stream)
    else:
        _write_blocks(grid, stream)


def write_boxed(grid: Grid, stream: TextIO) -> None:
    """A table, coloured in a terminal; a cell with line breaks takes several lines."""
    if stream.isatty():
        _write_rich(grid, stream)
    else:
        write_table(grid, stream, break_lines=True)


def write_table(grid: Grid, stream: TextIO, break_lines: bool = False) -> None:
    """A box of `+`, `-` and `|`; numbers stand to the right.

    A line break in a cell is written as its escape; with `break_lines` the row goes on in the next line.
    """
    header, rows = _single_lines([grid.header])[0], grid.cells()
    rows = _single_lines(_spread(rows) if break_lines else rows)
    widths = [max(map(display_width, column)) for column in zip(header, *rows, strict=True)]
    rule = "+" + "+".join("-" * (width + 2) for width in widths) + "+\n"
    stream.write(rule)
    stream.write(_line(header, widths, grid.numeric))
    stream.write(rule)
    stream.writelines(_line(row, widths, grid.numeric) for row in rows)
    stream.write(rule)


def write_vertical(grid: Grid, stream: TextIO) -> None:
    """A line or more per value, one titled block per row."""
    header = grid.header
    width = max(map(display_width, header))
    for number, row in enumerate(grid.cells(), 1):
        stream.write(f"-[ row {number} ]-".ljust(width + 12, "-") + "\n")
        for name, cell in zip(header, row, strict=True):
            first, *others = _lines(cell)
            stream.write(f"{_pad(name, width)} | {first}\n")
            stream.writelines(f"{' ' * width} | {line}\n" for line in others)


def write_markdown(grid: Grid, stream: TextIO) -> None:
    """A table of GitHub's Markdown."""
    stream.write(_markdown_line(grid.header))
    stream.write(_markdown_line("---:" if number else "---" for number in grid.numeric))
    stream.writelines(_markdown_line(row) for row in grid.cells())


def _single_lines(rows: Iterable[list[str]]) -> list[list[str]]:
    return [[cell.translate(_ESCAPES) for cell in row] for row in rows]


def _fits(grid: Grid, window: int) -> bool:
    """Whether a window this wide shows the columns in full, or cut to what can still be read."""
    columns = zip(grid.header, *grid.cells(), strict=True)
    widths = (max(display_width(line) for cell in column for line in _lines(cell)) for column in columns)
    return sum(min(width, NARROWEST) + 3 for width in widths) < window


def _spread(rows: list[list[str]]) -> Iterator[list[str]]:
    """Each row as one row per line of its tallest cell."""
    for row in rows:
        for cells in zip_longest(*map(_lines, row), fillvalue=""):
            yield list(cells)


def _lines(cell: str) -> list[str]:
    """The lines of a cell. A line break at its end begins no line."""
    return cell.removesuffix("\n").split("\n")


def _table_width(grid: Grid) -> int:
    columns = zip(_single_lines([grid.header])[0], *_single_lines(_spread(grid.cells())), strict=True)
    return sum(max(map(display_width, column)) + 3 for column in columns) + 1


def _write_blocks(grid: Grid, stream: TextIO) -> None:
    """As `write_vertical`, without the columns that no row has a value for."""
    is_shown = [any(row[index] is not None for row in grid.rows) for index in range(len(grid.schema))]
    if not any(is_shown):
        write_vertical(grid, stream)
        return
    schema = StructType(tuple(compress(grid.schema, is_shown)))
    write_vertical(replace(grid, schema=schema, rows=[list(compress(row, is_shown)) for row in grid.rows]), stream)
    empty = [name for name, is_kept in zip(grid.schema.names, is_shown, strict=True) if not is_kept]
    if empty:
        stream.write(f"NULL in every row: {', '.join(empty)}\n")


def _line(cells: list[str], widths: list[int], numeric: list[bool]) -> str:
    padded = (_pad(cell, width, right) for cell, width, right in zip(cells, widths, numeric, strict=True))
    return "| " + " | ".join(padded) + " |\n"


def _pad(text: str, width: int, right: bool = False) -> str:
    blank = " " * (width - display_width(text))
    return blank + text if right else text + blank


def _markdown_line(cells: object) -> str:
    escaped = (str(cell).replace("|", "\\|").replace("\n", "<br>") for cell in cells)  # type: ignore[attr-defined]
    return "| " + " | ".join(escaped) + " |\n"


def _write_rich(grid: Grid, stream: TextIO) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.ROUNDED, header_style="bold")
    for name, number in zip(grid.header, grid.numeric, strict=True):
        table.add_column(Text(name), justify="right" if number else "left", overflow="fold")
    for row, values in zip(grid.cells(), grid.rows, strict=True):
        styles = ("dim" if value is None else "" for value in values)
        table.add_row(*(Text(cell.removesuffix("\n"), style) for cell, style in zip(row, styles, strict=True)))
    # In a pager one scrolls to what is beyond the window.
    wide = isinstance(stream, Page) and stream.wide
    Console(file=stream, width=_table_width(grid) + 1 if wide else None).print(table)


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
