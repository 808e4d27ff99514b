"""A grid in a format given by name, written by the module of that format."""

from __future__ import annotations

from typing import TextIO

from deltasql.render import FORMATS, delimited, table
from deltasql.render.grid import Grid


def render(grid: Grid, style: str, stream: TextIO) -> None:
    """Writes a grid in one of FORMATS; one without columns writes nothing. Raises ValueError for an unknown format."""
    if style not in FORMATS:
        raise ValueError(f"There is no format {style!r}; there are {', '.join(FORMATS)}.")
    if not grid.header:
        return
    match style:
        case "auto":
            table.write_screen(grid, stream)
        case "table":
            table.write_boxed(grid, stream)
        case "vertical":
            table.write_vertical(grid, stream)
        case "markdown":
            table.write_markdown(grid, stream)
        case "csv" | "tsv":
            delimited.write_delimited(grid, stream, "," if style == "csv" else "\t")
        case _:
            delimited.write_json(grid, stream, lines=style == "jsonl")
