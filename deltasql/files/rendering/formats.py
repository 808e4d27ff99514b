"""A grid in a format given by name, written by the module of that format."""

from __future__ import annotations

from typing import TextIO

from deltasql.files.rendering import FORMATS, values
from deltasql.files.rendering.values import Grid, value_json, value_text


def render(grid: Grid, style: str, stream: TextIO) -> None:
    """Writes a grid in one of FORMATS; one without columns writes nothing. Raises ValueError for an unknown format."""
    if style not in FORMATS:
        raise ValueError(f"There is no format {style!r}; there are {', '.join(FORMATS)}.")
    if not grid.header:
        return
    match style:
        case "auto":
            values.write_screen(grid, stream)
        case "table":
            values.write_boxed(grid, stream)
        case "vertical":
            values.write_vertical(grid, stream)
        case "markdown":
            values.write_markdown(grid, stream)
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
