"""The history of a table as a drawing: the operation, time and size of each version."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

from deltasql.files.render.grid import Grid
from deltasql.files.render.values import value_text

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
    body = "\n".join([*_head(), *(piece for index, item in enumerate(versions) for piece in _drawn(item, index, most))])
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
    return _Version(values["version"], time.partition(".")[0], str(values["operation"]), _rows(metrics), files)


def _rows(metrics: Mapping[str, int]) -> tuple[int, ...]:
    rows = tuple(_first(metrics, names) for _, _, names in _SHARES)
    # Of UPDATE, DELETE and MERGE that number has rows which were only copied, too.
    changes = any(name in metrics for _, _, names in _SHARES for name in names)
    return rows if changes else (metrics.get("numOutputRows", 0), 0, 0)


def _first(metrics: Mapping[str, int], names: Sequence[str]) -> int:
    return next((metrics[name] for name in names if name in metrics), 0)


def _head() -> Iterator[str]:
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
