"""Results as text, in each format that the command line offers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TextIO

from deltasql.render.grid import Grid

if TYPE_CHECKING:
    from deltasql.result import Result

__all__ = ["AUTO", "FORMATS", "Grid", "Shown", "render"]

AUTO = "auto"
"""A table where it can be read, else blocks of lines."""

FORMATS = (AUTO, "table", "vertical", "csv", "tsv", "json", "jsonl", "markdown")


class Shown(NamedTuple):
    """How many rows were written, and whether the result has more."""

    rows: int
    more: bool = False


def render(result: Result, style: str, stream: TextIO, limit: int | None = None) -> Shown:
    """Writes the rows of `result` (the first `limit` if given) in one of FORMATS.

    A result without columns writes nothing. Raises ValueError for an unknown format.
    """
    if style not in FORMATS:
        raise ValueError(f"There is no format {style!r}; there are {', '.join(FORMATS)}.")
    if not result.columns:
        return Shown(0)
    # One row more than is shown tells whether there are more.
    rows = result.collect() if limit is None else result.head(limit + 1)
    grid = Grid.of(result.schema, rows[:limit], result.time_zone)
    _write(grid, style, stream)
    return Shown(len(grid.rows), len(rows) > len(grid.rows))


def _write(grid: Grid, style: str, stream: TextIO) -> None:
    from deltasql.render import delimited, table

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
