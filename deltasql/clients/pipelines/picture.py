"""The graph of a pipeline as SVG: datasets in columns, each to the right of those that it reads."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from deltasql.clients.pipelines.graph import MATERIALIZED_VIEW, STREAMING_TABLE, TEMPORARY_VIEW, VIEW, Graph, Key

_HEIGHT, _GAP, _BETWEEN, _MARGIN, _LETTER = 46, 18, 70, 20, 7.6
_COLOURS = {STREAMING_TABLE: "#2f6f9f", MATERIALIZED_VIEW: "#3f7f4f", VIEW: "#7a6a3a", TEMPORARY_VIEW: "#777777"}
_OUTSIDE = "#444444"
_STYLE = (
    "text{font:13px sans-serif;fill:#222}.kind{font-size:11px;fill:#666}.edge{fill:none;stroke:#999;stroke-width:1.5}"
    "rect{fill:#fff;stroke-width:1.5;rx:5}@media(prefers-color-scheme:dark){text{fill:#eee}.kind{fill:#aaa}rect{fill:#222}}"
)


def svg(graph: Graph) -> str:
    """The picture. Tables from outside of the pipeline stand in the first column."""
    levels = _levels(graph)
    columns: dict[int, list[Key]] = {}
    for key, level in levels.items():
        columns.setdefault(level, []).append(key)
    names = {key: _name(graph, key) for key in levels}
    kinds = {key: graph.datasets[key].kind if key in graph.datasets else "outside" for key in levels}
    widths = {
        level: max(len(text) for key in keys for text in (names[key], kinds[key])) * _LETTER + 24
        for level, keys in columns.items()
    }
    places: dict[Key, tuple[float, float, float]] = {}
    left = float(_MARGIN)
    for level in sorted(columns):
        for row, key in enumerate(columns[level]):
            places[key] = (left, _MARGIN + row * (_HEIGHT + _GAP), widths[level])
        left += widths[level] + _BETWEEN
    height = 2 * _MARGIN + max(map(len, columns.values())) * (_HEIGHT + _GAP) - _GAP
    width = left - _BETWEEN + _MARGIN
    lines = [*_edges(graph, places), *(_box(places[key], names[key], kinds[key]) for key in levels)]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" role="img">'
    title = "<title>The datasets of the pipeline, and what they read</title>"
    return "\n".join([head, title, f"<style>{_STYLE}</style>", *lines, "</svg>", ""])


def _levels(graph: Graph) -> dict[Key, int]:
    """The column of each dataset, and of tables from outside: 0 where nothing is read."""
    levels: dict[Key, int] = {("outside", name): 0 for item in graph for name in item.outside}
    for item in graph:
        levels[item.key] = 1 + max((levels[key] for key in _read(graph, item.key)), default=-1)
    return levels


def _read(graph: Graph, key: Key) -> list[Key]:
    item = graph.datasets[key]
    return [*item.reads, *(("outside", name) for name in item.outside)]


def _name(graph: Graph, key: Key) -> str:
    return graph.short(key) if key in graph.datasets else key[1]


def _edges(graph: Graph, places: dict[Key, tuple[float, float, float]]) -> Iterator[str]:
    for item in graph:
        left, top, _ = places[item.key]
        for key in _read(graph, item.key):
            other, above, width = places[key]
            start, end, half = other + width, left, (left - other - width) / 2
            from_y, to_y = above + _HEIGHT / 2, top + _HEIGHT / 2
            curve = f"C{start + half:.0f} {from_y:.0f} {end - half:.0f} {to_y:.0f} {end:.0f} {to_y:.0f}"
            yield f'<path class="edge" d="M{start:.0f} {from_y:.0f}{curve}"/>'


def _box(place: tuple[float, float, float], name: str, kind: str) -> str:
    left, top, width = place
    colour = _COLOURS.get(kind, _OUTSIDE)
    dashes = "" if kind in {STREAMING_TABLE, MATERIALIZED_VIEW} else ' stroke-dasharray="4 3"'
    box = f'<rect x="{left:.0f}" y="{top:.0f}" width="{width:.0f}" height="{_HEIGHT}" stroke="{colour}"{dashes}/>'
    first = f'<text x="{left + 12:.0f}" y="{top + 20:.0f}">{escape(name)}</text>'
    return f'{box}{first}<text class="kind" x="{left + 12:.0f}" y="{top + 36:.0f}">{kind.lower()}</text>'
