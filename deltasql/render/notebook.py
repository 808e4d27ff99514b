"""A result as notebooks show it: HTML for pages, text for terminals."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO
from itertools import compress

from deltasql.render.grid import Grid
from deltasql.render.history_chart import history_svg, is_history
from deltasql.render.html import note_html, table_html
from deltasql.render.table import write_table
from deltasql.schema.types import StructType

MANY_COLUMNS = 8
"""Beyond, columns that are NULL in every row are only named."""


def mime_bundle(grid: Grid, total: int | None = None, version: int | None = None) -> dict[str, str]:
    """The texts by their MIME types. `total` is the number of all rows, None if they were not counted."""
    note = _note(grid, total, version)
    if len(grid.schema) > MANY_COLUMNS:
        grid, empty = _without_empty(grid)
        note += f"; NULL in every row: {', '.join(empty)}" if empty else ""
    if not grid.schema.names:
        return {"text/html": note_html(note), "text/plain": note}
    text = StringIO()
    write_table(grid, text)
    html = table_html(grid, note)
    if is_history(grid):
        html = "\n".join(filter(None, [history_svg(grid), html]))
    return {"text/html": f'<div style="overflow-x:auto">\n{html}\n</div>', "text/plain": f"{text.getvalue()}{note}"}


def _without_empty(grid: Grid) -> tuple[Grid, list[str]]:
    """Without the columns that no row has a value for, and their names; the grid itself where none has any."""
    is_shown = [any(row[index] is not None for row in grid.rows) for index in range(len(grid.schema))]
    if not any(is_shown):
        return grid, []
    rows = [list(compress(row, is_shown)) for row in grid.rows]
    empty = [name for name, is_kept in zip(grid.schema.names, is_shown, strict=True) if not is_kept]
    return replace(grid, schema=StructType(tuple(compress(grid.schema, is_shown))), rows=rows), empty


def _note(grid: Grid, total: int | None, version: int | None) -> str:
    """`3 rows`, `the first 50 of 1,234 rows`, `version 7` …"""
    parts = [_rows(len(grid.rows), total, more=grid.more)] if grid.schema.names else []
    if version is not None:
        parts.append(f"version {version}")
    return ", ".join(parts) or "done"


def _rows(shown: int, total: int | None, *, more: bool) -> str:
    if not more:
        return f"{shown:,} row{'' if shown == 1 else 's'}"
    if total is None:
        return f"the first {shown:,} rows, there are more"
    return f"the first {shown:,} of {total:,} rows, {total - shown:,} more"
