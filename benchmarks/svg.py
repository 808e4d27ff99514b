"""Shapes and texts of SVG, as lines of text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape

INK, PALE, GRID, GOOD, BAD = "#24292f", "#57606a", "#d8dee4", "#2f7d32", "#b4451f"
SANS, MONO = "sans-serif", "monospace"


def line(x: float, y: float, to_x: float, to_y: float, colour: str, width: float = 1) -> str:
    """A straight line."""
    ends = f'x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}"'
    return f'<line {ends} stroke="{colour}" stroke-width="{width:g}"/>'


def text(
    x: float, y: float, words: str, *, anchor: str = "start", size: int = 12, weight: str = "normal", colour: str = INK
) -> str:
    """A line of text, whose baseline is at `y`."""
    look = f'text-anchor="{anchor}" font-size="{size}" font-weight="{weight}" fill="{colour}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" {look}>{escape(words)}</text>'


def box(x: float, y: float, width: float, height: float, *, fill: str, border: str = "none", round_by: int = 0) -> str:
    """A rectangle, with round corners if `round_by`."""
    place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
    return f'<rect {place} rx="{round_by}" fill="{fill}" stroke="{border}"/>'


def arrow(x: float, y: float, to_x: float, to_y: float, colour: str = PALE) -> str:
    """A straight line with a head at its end, horizontal or vertical."""
    across, down = (to_x > x) - (to_x < x), (to_y > y) - (to_y < y)
    back_x, back_y = to_x - 8 * across, to_y - 8 * down
    head = f"{to_x:.1f},{to_y:.1f} {back_x + 4 * down:.1f},{back_y + 4 * across:.1f} "
    head += f"{back_x - 4 * down:.1f},{back_y - 4 * across:.1f}"
    return line(x, y, back_x, back_y, colour, 1.5) + f'<polygon points="{head}" fill="{colour}"/>'


def picture(width: int, height: int, parts: Iterable[str], *, title: str = "", font: str = SANS) -> str:
    """A whole SVG file on a white ground; `title` is what screen readers say."""
    return "\n".join(_lines(width, height, parts, title, font)) + "\n"


def _lines(width: int, height: int, parts: Iterable[str], title: str, font: str) -> Iterator[str]:
    frame = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    yield f'<svg xmlns="http://www.w3.org/2000/svg" {frame} font-family="{font}">'
    if title:
        yield f"<title>{escape(title)}</title>"
    yield '<rect width="100%" height="100%" fill="white"/>'
    yield from parts
    yield "</svg>"
