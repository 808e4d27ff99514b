"""Results as text: single values as Spark shows them and as JSON, grids in each format, and help on error conditions.

A grid is written as a table, vertical lines, Markdown, JSON or delimited text, or as a page for a terminal.
"""

from __future__ import annotations

import base64
import datetime as dt
import io
import json
import math
import re
import struct
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from itertools import compress, zip_longest
from shutil import get_terminal_size
from typing import Any, TextIO
from zoneinfo import ZoneInfo

from deltasql.base import DeltaSqlError, did_you_mean, errors, help_text
from deltasql.base.errors import conditions
from deltasql.files.rendering import FORMATS
from deltasql.files.rendering.shapes import shape_text
from deltasql.schema import TIMESTAMP, ArrayType, DataType, DecimalType, MapType, PrimitiveType, StructType, is_shape

_FLOAT = PrimitiveType("float")


def value_text(value: Any, kind: DataType, time_zone: str = "") -> str:
    """`{1, a}` for structs, `[1, 2]` for arrays, `{k -> v}` for maps, `NULL` at any depth, `[0A FF]` for bytes.

    A TIMESTAMP is told in `time_zone` (a zone name; "" is the machine's own); a naive one is a clock of this machine.
    A TIMESTAMP_NTZ stands as it is.
    """
    if value is None:
        return "NULL"
    match kind:
        case StructType():
            parts = (value_text(item, part.type, time_zone) for item, part in zip(value, kind, strict=True))
            return "{" + ", ".join(parts) + "}"
        case ArrayType(element=element):
            return "[" + ", ".join(value_text(item, element, time_zone) for item in value) + "]"
        case MapType(key=key, value=item):
            pairs = (
                f"{value_text(left, key, time_zone)} -> {value_text(right, item, time_zone)}"
                for left, right in value.items()
            )
            return "{" + ", ".join(pairs) + "}"
        case _:
            return _scalar(_placed(value, kind), kind == _FLOAT, time_zone)


def _placed(value: Any, kind: DataType) -> Any:
    """PySpark gives a TIMESTAMP as a naive local time of this process, which gets that zone; shapes are texts."""
    if is_shape(kind) and not isinstance(value, str):
        return shape_text(value)
    if kind == TIMESTAMP and isinstance(value, dt.datetime) and value.tzinfo is None:
        return value.astimezone()
    return value


def _scalar(value: Any, single: bool, time_zone: str) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case float():
            return float_text(value, single)
        case Decimal():
            return format(value, "f")
        case bytes() | bytearray() | memoryview():
            return "[" + " ".join(f"{byte:02X}" for byte in bytes(value)) + "]"
        case dt.datetime():
            return _clock(value, time_zone, " ")
        case dt.timedelta():
            return _interval(value)
        case _:
            return str(value)


def float_text(value: float, single: bool = False) -> str:
    """As Java writes it: `1.0`, `1.0E10`, `1.0E-4`, `NaN`, `Infinity`; the shortest text that reads back the same."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return "-0.0" if math.copysign(1, value) < 0 else "0.0"
    sign, digits, exponent = Decimal(_shortest(value) if single else repr(value)).normalize().as_tuple()
    text = "".join(map(str, digits))
    point = len(text) + int(exponent)
    minus = "-" if sign else ""
    if 1e-3 <= abs(value) < 1e7:
        whole, part = (
            (text[:point].ljust(point, "0"), text[max(point, 0) :]) if point > 0 else ("0", "0" * -point + text)
        )
        return f"{minus}{whole}.{part or '0'}"
    return f"{minus}{text[0]}.{text[1:] or '0'}E{point - 1}"


def _shortest(value: float) -> str:
    """The fewest digits that give back the same 32-bit number."""
    packed = struct.pack("f", value)
    texts = (f"{value:.{digits}g}" for digits in range(1, 10))
    return next((text for text in texts if struct.pack("f", float(text)) == packed), repr(value))


def _clock(value: dt.datetime, time_zone: str, separator: str) -> str:
    if value.tzinfo is not None:
        value = _local(value, time_zone).replace(tzinfo=None)
    text = value.replace(microsecond=0).isoformat(separator)
    return f"{text}.{value.microsecond:06d}".rstrip("0") if value.microsecond else text


def _local(value: dt.datetime, time_zone: str) -> dt.datetime:
    return value.astimezone(zone_of(time_zone) if time_zone else None)


def zone_of(name: str) -> dt.tzinfo:
    """The time zone of a name or an offset. Raises ZoneInfoNotFoundError, which is a KeyError, and ValueError."""
    if name.upper() in {"UTC", "Z", "GMT"}:
        return dt.timezone.utc
    return _offset(name) or ZoneInfo(name)


def _offset(time_zone: str) -> dt.timezone | None:
    """`+02:00` and `GMT+2` are offsets, not names that the zone database knows."""
    text = time_zone.upper().removeprefix("GMT").removeprefix("UTC")
    if text[:1] not in {"+", "-"}:
        return None
    hours, _, minutes = text[1:].partition(":")
    length = dt.timedelta(hours=int(hours), minutes=int(minutes or 0))
    return dt.timezone(-length if text[0] == "-" else length)


def _interval(value: dt.timedelta) -> str:
    sign = "-" if value < dt.timedelta() else ""
    value = abs(value)
    minutes, seconds = divmod(value.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    part = f".{value.microseconds:06d}".rstrip("0") if value.microseconds else ""
    return f"INTERVAL '{sign}{value.days} {hours:02d}:{minutes:02d}:{seconds:02d}{part}' DAY TO SECOND"


def value_json(value: Any, kind: DataType, time_zone: str = "") -> str:
    """JSON of one value: structs and maps are objects, bytes base64, decimals numbers with all their digits,
    times ISO 8601 text, NaN and the infinities text; a variant is the JSON that it stands for."""
    if value is None:
        return "null"
    match kind:
        case PrimitiveType("variant"):
            return str(value)
        case StructType():
            pairs = (
                (part.name, value_json(item, part.type, time_zone)) for item, part in zip(value, kind, strict=True)
            )
        case MapType(key=key, value=item):
            pairs = (
                (value_text(left, key, time_zone), value_json(right, item, time_zone)) for left, right in value.items()
            )
        case ArrayType(element=element):
            return "[" + ", ".join(value_json(item, element, time_zone) for item in value) + "]"
        case _:
            return _scalar_json(_placed(value, kind), kind == _FLOAT, time_zone)
    return "{" + ", ".join(f"{_quoted(name)}: {text}" for name, text in pairs) + "}"


def _scalar_json(value: Any, single: bool, time_zone: str) -> str:
    match value:
        case bool() | int():
            return json.dumps(value)
        case float():
            if not math.isfinite(value):
                return _quoted(float_text(value))
            return _shortest(value) if single else repr(value)
        case Decimal():
            return format(value, "f") if value.is_finite() else _quoted(str(value))
        case bytes() | bytearray() | memoryview():
            return _quoted(base64.b64encode(bytes(value)).decode())
        case dt.datetime():
            return _quoted(value.isoformat() if value.tzinfo is None else _local(value, time_zone).isoformat())
        case _:
            return _quoted(_scalar(value, single, time_zone))


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


@cache
def error_classes() -> dict[str, tuple[type[DeltaSqlError], ...]]:
    """The classes of errors by their condition, both in alphabetical order."""
    found: dict[str, set[type[DeltaSqlError]]] = defaultdict(set)
    for error in (getattr(errors, name) for name in conditions.names()):
        if error.template:
            found[error.condition].add(error)
    return {name: tuple(sorted(found[name], key=lambda error: error.__name__)) for name in sorted(found)}


def help_on(condition: str) -> str:
    """Cause, message and remedy of a condition, and of its sub-conditions. Raises UnknownConditionError."""
    wanted = condition.strip("[]").upper()
    known = error_classes()
    names = [name for name in known if name == wanted or name.startswith(f"{wanted}.")]
    if not names:
        raise errors.UnknownConditionError(name=condition, hint=did_you_mean(wanted, known))
    return "\n\n".join(help_text(error) for name in names for error in known[name])


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


def render(grid: Grid, style: str, stream: TextIO) -> None:
    """Writes a grid in one of FORMATS; one without columns writes nothing. Raises ValueError for an unknown format."""
    if style not in FORMATS:
        raise ValueError(f"There is no format {style!r}; there are {', '.join(FORMATS)}.")
    if not grid.header:
        return
    match style:
        case "auto":
            write_screen(grid, stream)
        case "table":
            write_boxed(grid, stream)
        case "vertical":
            write_vertical(grid, stream)
        case "markdown":
            write_markdown(grid, stream)
        case "csv" | "tsv":
            write_delimited(grid, stream, "," if style == "csv" else "\t")
        case _:
            write_json(grid, stream, lines=style == "jsonl")


def write_delimited(grid: Grid, stream: TextIO, delimiter: str) -> None:
    """A header, then one record per row; NULL is an empty field, an empty text is `""`."""
    types = [item.type for item in grid.schema]
    stream.write(delimiter.join(_field(name, delimiter) for name in grid.schema.names) + "\n")
    for row in grid.rows:
        cells = (
            "" if value is None else _field(value_text(value, kind, grid.time_zone), delimiter)
            for value, kind in zip(row, types, strict=True)
        )
        stream.write(delimiter.join(cells) + "\n")


def _field(text: str, delimiter: str) -> str:
    """Quoted as RFC 4180 has it, where it must be. (The csv module cannot tell NULL from an empty text.)"""
    if text and not any(char in text for char in (delimiter, '"', "\n", "\r")):
        return text
    return '"' + text.replace('"', '""') + '"'


def write_json(grid: Grid, stream: TextIO, lines: bool) -> None:
    """One object per row: one per line, or all in one array."""
    rows = [value_json(row, grid.schema, grid.time_zone) for row in grid.rows]
    if lines:
        stream.writelines(row + "\n" for row in rows)
        return
    body = ",\n".join("  " + row for row in rows)
    stream.write(f"[\n{body}\n]\n" if rows else "[]\n")
