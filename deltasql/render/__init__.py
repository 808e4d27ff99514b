"""Results as text, in each format that the command line offers."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from deltasql.render.grid import Grid

if TYPE_CHECKING:
    from deltasql.result import Result

__all__ = ["FORMATS", "Grid", "render"]

FORMATS = ("table", "vertical", "csv", "tsv", "json", "jsonl", "markdown")


def render(result: Result, style: str, stream: TextIO, limit: int | None = None) -> int:
    """Writes the rows of `result` (the first `limit` if given) in one of FORMATS; how many rows it wrote.

    A result without columns writes nothing. Raises ValueError for an unknown format.
    """
    if style not in FORMATS:
        raise ValueError(f"There is no format {style!r}; there are {', '.join(FORMATS)}.")
    if not result.columns:
        return 0
    rows = result.collect() if limit is None else result.head(limit)
    grid = Grid.of(result.schema, rows, result.time_zone)
    _write(grid, style, stream)
    return len(rows)


def _write(grid: Grid, style: str, stream: TextIO) -> None:
    from deltasql.render import delimited, table

    match style:
        case "table":
            table.write_screen(grid, stream)
        case "vertical":
            table.write_vertical(grid, stream)
        case "markdown":
            table.write_markdown(grid, stream)
        case "csv" | "tsv":
            delimited.write_delimited(grid, stream, "," if style == "csv" else "\t")
        case _:
            delimited.write_json(grid, stream, lines=style == "jsonl")
