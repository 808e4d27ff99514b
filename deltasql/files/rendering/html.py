"""Results and table histories as HTML and drawings for notebooks, with text for terminals.

Colours are those of the page, so that a grid can be read on light and dark ones. The drawing of a history has the
operation, time and size of each version.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from html import escape
from io import StringIO
from itertools import compress
from typing import Any, NamedTuple

from deltasql.files.rendering.values import Grid, value_text, write_table
from deltasql.schema import ArrayType, DataType, MapType, StructType, type_text

MOST_VERSIONS = 50
_NEEDED = ("version", "timestamp", "operation", "operationMetrics")

_WIDTH, _LINE, _TOP = 760, 22, 26
_VERSION, _TIME, _OPERATION, _BARS, _LONGEST_BAR, _LABEL = 34, 52, 205, 400, 200, 608
_ADDED, _CHANGED, _REMOVED = "#2ea043", "#d29922", "#f85149"

_SHARES = (
    ("added", _ADDED, ("numTargetRowsInserted",)),
    ("changed", _CHANGED, ("numTargetRowsUpdated", "numUpdatedRows")),
    ("removed", _REMOVED, ("numTargetRowsDeleted", "numDeletedRows")),
)
_FILES_ADDED = ("numTargetFilesAdded", "numAddedFiles", "numFiles")
_FILES_REMOVED = ("numTargetFilesRemoved", "numRemovedFiles")


class _Version(NamedTuple):
    """`rows` are numbers in the order of _SHARES; `files` are those added and removed."""

    number: int
    time: str
    operation: str
    rows: tuple[int, ...]
    files: tuple[int, int]

    @property
    def label(self) -> str:
        signs = [f"{sign}{count:,}" for sign, count in zip("+~−", self.rows, strict=True) if count]
        parts = [f"{' '.join(signs)} row{'' if sum(self.rows) == 1 else 's'}"] if signs else []
        added, removed = self.files
        counts = [f"+{added:,}"] * bool(added) + [f"−{removed:,}"] * bool(removed)
        parts += [f"{' '.join(counts)} file{'' if added + removed == 1 else 's'}"] if counts else []
        return ", ".join(parts)


def is_history(grid: Grid) -> bool:
    """Whether the rows are those of DESCRIBE HISTORY."""
    return set(_NEEDED).issubset(grid.schema.names)


def history_svg(grid: Grid) -> str:
    """One line per version, up to MOST_VERSIONS: when, what it did, and how many rows it added, changed and removed.

    "" without rows.
    """
    versions = [_version(row, grid) for row in grid.rows[:MOST_VERSIONS]]
    if not versions:
        return ""
    height = _TOP + _LINE * len(versions) + 4
    most = max((sum(item.rows) for item in versions), default=0)
    body = "\n".join(
        [*_chart_head(), *(piece for index, item in enumerate(versions) for piece in _drawn(item, index, most))]
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" '
        f'role="img" font-family="system-ui, sans-serif" font-size="12" fill="currentColor">\n'
        f"<title>History: what each version wrote</title>\n{_axis(len(versions))}\n{body}\n</svg>"
    )


def _version(row: Sequence[Any], grid: Grid) -> _Version:
    values = dict(zip(grid.schema.names, row, strict=True))
    kinds = {item.name: item.type for item in grid.schema}
    time = value_text(values["timestamp"], kinds["timestamp"], grid.time_zone)
    texts = values["operationMetrics"]
    metrics = {key: int(text) for key, text in texts.items() if str(text).isdecimal()} if texts else {}
    files = _first(metrics, _FILES_ADDED), _first(metrics, _FILES_REMOVED)
    return _Version(values["version"], time.partition(".")[0], str(values["operation"]), _chart_rows(metrics), files)


def _chart_rows(metrics: Mapping[str, int]) -> tuple[int, ...]:
    rows = tuple(_first(metrics, names) for _, _, names in _SHARES)
    # Of UPDATE, DELETE and MERGE that number has rows which were only copied, too.
    changes = any(name in metrics for _, _, names in _SHARES for name in names)
    return rows if changes else (metrics.get("numOutputRows", 0), 0, 0)


def _first(metrics: Mapping[str, int], names: Sequence[str]) -> int:
    return next((metrics[name] for name in names if name in metrics), 0)


def _chart_head() -> Iterator[str]:
    at = _BARS
    for name, colour, _ in _SHARES:
        yield f'<rect x="{at}" y="6" width="9" height="9" rx="2" fill="{colour}"/>'
        yield f'<text x="{at + 13}" y="15" opacity=".7">{name}</text>'
        at += 72


def _axis(number: int) -> str:
    """The line that the versions stand on."""
    middle = _TOP + _LINE / 2
    return f'<path d="M{_VERSION + 8} {middle}V{middle + _LINE * (number - 1)}" stroke="currentColor" opacity=".3"/>'


def _drawn(item: _Version, index: int, most: int) -> Iterator[str]:
    top = _TOP + _LINE * index
    base = top + 15
    fill = "currentColor" if any(item.rows) or any(item.files) else "none"
    yield f"<g><title>{escape(f'version {item.number}, {item.time}: {item.operation} {item.label}'.rstrip())}</title>"
    yield f'<text x="{_VERSION - 4}" y="{base}" text-anchor="end" font-weight="600">{item.number}</text>'
    yield f'<circle cx="{_VERSION + 8}" cy="{top + _LINE / 2}" r="3.5" fill="{fill}" stroke="currentColor"/>'
    yield f'<text x="{_TIME}" y="{base}" opacity=".7">{escape(item.time)}</text>'
    yield f'<text x="{_OPERATION}" y="{base}">{escape(_shortened(item.operation))}</text>'
    at = float(_BARS)
    for count, (_, colour, _) in zip(item.rows, _SHARES, strict=True):
        if count:
            # What is there is seen, however little it is.
            width = max(2.0, round(_LONGEST_BAR * count / most, 1))
            yield f'<rect x="{at}" y="{top + 5}" width="{width}" height="12" rx="2" fill="{colour}"/>'
            at += width
    yield f'<text x="{_LABEL}" y="{base}" opacity=".7">{escape(item.label)}</text></g>'


def _shortened(operation: str) -> str:
    return operation if len(operation) <= 28 else operation[:27] + "…"


LONGEST_CELL = 500
"""Characters that are shown of one value."""
LONGEST_TYPE = 60
"""Characters that are shown of a column's type; the rest is there when the mouse points at it."""

_FAINT = "opacity:.55"
_HEAD = "text-align:{side};vertical-align:bottom"
_CELL = "text-align:{side};vertical-align:top;white-space:pre-wrap;max-width:40em;overflow-wrap:break-word"
_CHANGES = {"+": "background:rgba(46,160,67,.2)", "-": "background:rgba(248,81,73,.2)"}


def table_html(grid: Grid, note: str) -> str:
    """A table with the names and types of columns above, `note` below, which is text. NULL is told from 'NULL'."""
    sides = ["right" if number else "left" for number in grid.numeric]
    parts = ["<table>", "<thead><tr>"]
    parts += [_head(item.name, item.type, side) for item, side in zip(grid.schema, sides, strict=True)]
    parts += ["</tr></thead>", "<tbody>"]
    for row in grid.rows:
        cells = zip(row, grid.schema, sides, strict=True)
        parts.append(f"<tr>{''.join(_cell(value, item.type, side, grid) for value, item, side in cells)}</tr>")
    parts += ["</tbody>", "</table>", note_html(note)]
    return "\n".join(parts)


def note_html(note: str) -> str:
    return f'<div style="{_FAINT}">{escape(note)}</div>'


def diff_html(title: str, before: Sequence[str], after: Sequence[str]) -> str:
    """The lines of both texts, with what is gone and what is new marked; "" where nothing is."""
    lines = [line for line in difflib.ndiff(before, after) if not line.startswith("?")]
    if not any(line[0] in _CHANGES for line in lines):
        return ""
    body = "\n".join(_line(line) for line in lines)
    return f'<div>{escape(title)}</div>\n<pre style="line-height:1.3">{body}</pre>'


def _line(line: str) -> str:
    style = _CHANGES.get(line[0])
    text = escape(line)
    return f'<span style="{style}">{text}</span>' if style else text


def _head(name: str, kind: DataType, side: str) -> str:
    full = type_text(kind)
    shown = full if len(full) <= LONGEST_TYPE else full[: LONGEST_TYPE - 1] + "…"
    subtitle = f'<div style="{_FAINT};font-weight:normal" title="{escape(full)}">{escape(shown)}</div>'
    return f'<th style="{_HEAD.format(side=side)}">{escape(name)}{subtitle}</th>'


def _cell(value: Any, kind: DataType, side: str, grid: Grid) -> str:
    return f'<td style="{_CELL.format(side=side)}">{_value(value, kind, grid.time_zone)}</td>'


def _value(value: Any, kind: DataType, time_zone: str) -> str:
    """A value as HTML; fields of structs with their names, and a value that is long without its end."""
    text = value_text(value, kind, time_zone)
    if len(text) > LONGEST_CELL:
        rest = len(text) - LONGEST_CELL
        return f'{escape(text[:LONGEST_CELL])}<span style="{_FAINT}">… {rest:,} more characters</span>'
    return "".join(_pieces(value, kind, time_zone))


def _pieces(value: Any, kind: DataType, time_zone: str) -> Iterator[str]:
    if value is None:
        yield f'<span style="{_FAINT};font-style:italic">NULL</span>'
        return
    match kind:
        case StructType():
            named = (
                [_faint(f"{part.name}: "), *_pieces(item, part.type, time_zone)]
                for item, part in zip(value, kind, strict=True)
            )
            yield from _joined("{", named, "}")
        case ArrayType(element=element):
            yield from _joined("[", ([*_pieces(item, element, time_zone)] for item in value), "]")
        case MapType(key=key, value=item):
            pairs = value.items() if isinstance(value, Mapping) else value
            pieces = (
                [*_pieces(left, key, time_zone), _faint(" → "), *_pieces(right, item, time_zone)]
                for left, right in pairs
            )
            yield from _joined("{", pieces, "}")
        case _:
            yield escape(value_text(value, kind, time_zone))


def _joined(opening: str, items: Iterable[list[str]], closing: str) -> Iterator[str]:
    yield opening
    for index, pieces in enumerate(items):
        yield from ([", "] if index else [])
        yield from pieces
    yield closing


def _faint(text: str) -> str:
    return f'<span style="{_FAINT}">{escape(text)}</span>'


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
